r"""Variational Bayes for the probabilities of lexical items.

The model of Portelance et al. (2022, section 3): each category has a Dirichlet over
its items; a derivation has the product of its items' probabilities. One iteration:

.. math::

    \theta^*_{km} &= \exp(\psi(\omega_{km}) - \psi(\textstyle\sum_m \omega_{km})) \\
    Z_n &= \textstyle\sum_d \prod_{l \in d} \theta^*_l \quad\text{(inside, all derivations)} \\
    \mathrm{ELBO}(\omega) &= \textstyle\sum_n \ln Z_n(\theta^*)
        - \sum_k \mathrm{KL}(\mathrm{Dir}(\omega_k) \| \mathrm{Dir}(\alpha_k)) \\
    \omega &\leftarrow \alpha + \text{expected counts}

Departures from the paper: its equation 7 minimises the ELBO, to be maximised;
products over derivations in (17), (19), (27) are sums, and Z belongs to a sentence;
(14) lacks the Dirichlet normaliser; theta in (28) is of the current omega. Expected
counts come from inside-outside weights, not from enumerated trees.

What the ELBO bounds is the probability of the corpus under the unconditioned model,
in which a Polish sequence drawn top-down may be ill-formed with mass 1 - W(theta); it
is not conditioned on well-formedness. The ELBO never falls, and where each sentence
has one derivation it is the exact log evidence after one iteration.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from otlab.inference.learner import read_only
from otlab.mg.kernels.learn import vb
from otlab.mg.learners.corpus_learner import CorpusLearner, advance, blank
from otlab.mg.learners.snapshot import Snapshot, State
from otlab.mg.lexicon import normalise

if TYPE_CHECKING:
    import numpy as np

__all__ = ["VB"]


@dataclass(frozen=True)
class VB(CorpusLearner):
    """Variational Bayes; parameters as for :class:`~otlab.mg.learners.corpus_learner.CorpusLearner`."""

    name: str = field(default="vb", init=False)

    def init(self, rng: np.random.Generator) -> State:
        """Return the chosen start after its E-step, with its ELBO as row 0 of the trace."""
        return self.step(rng, blank(self.corpus, self.start_omega(rng)), 0)

    def step(self, rng: np.random.Generator, state: State, n: int) -> State:
        """Do `n` iterations: each an update of omega and its E-step."""
        return advance(vb, self.corpus, self.alpha, state, n, self.tol)

    def view(self, state: State) -> Snapshot:
        """Return parameters, counts and trace."""
        omega = state.parameter.copy()
        theta = normalise(omega, self.corpus.packed.category)
        return Snapshot(omega, theta, state.count.copy(), state.log_z.copy(), read_only(state.trace))
