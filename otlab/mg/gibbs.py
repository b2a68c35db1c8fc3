r"""Gibbs sampling of derivations: the posterior that VB approximates, by draws.

One sweep draws theta of each category from Dirichlet(alpha + counts), then every
sentence's derivation from its packed forest given theta, exactly. What is reported is
:math:`\ln P(D \mid \alpha)`, theta integrated out. Not in Portelance et al. (2022).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from otlab.inference.run import check_interrupt
from otlab.mg._learn_kernels import gibbs
from otlab.mg.forest import too_heavy
from otlab.mg.learners import CorpusLearner, Snapshot, State, blank, working_space
from otlab.mg.lexicon import normalise

__all__ = ["Gibbs"]

_LONGEST_DERIVATION = 10_000


@dataclass(frozen=True)
class Gibbs(CorpusLearner):
    """A Gibbs sampler over derivations; `tol` is not used."""

    name: str = field(default="gibbs", init=False)

    def init(self, rng: np.random.Generator) -> State:
        """Draw theta and derivations once, from the chosen start: not part of the means."""
        state = blank(self.corpus, np.zeros_like(self.alpha))
        state.count = self.start_omega(rng) - self.alpha
        state = self.step(rng, state, 1)
        state.parameter[:] = 0.0
        return state

    def step(self, rng: np.random.Generator, state: State, n: int) -> State:
        """Do `n` sweeps."""
        work = working_space(self.corpus, len(self.alpha))
        sequence = np.empty(_LONGEST_DERIVATION, np.int32)
        rows = np.zeros((n, 3))
        packed, sums = self.corpus.packed, state.parameter
        for row in rows:
            check_interrupt()
            if gibbs(rng, packed, self.alpha, state.count, state.log_z, work, row, sums, sequence) < 0:
                raise too_heavy()
        state.trace = np.concatenate([state.trace, rows])
        return state

    def view(self, state: State) -> Snapshot:
        """Return the means over all sweeps so far, the start left out."""
        sweeps = len(state.trace) - 1
        counts = state.parameter / sweeps if sweeps else state.count.copy()
        omega = self.alpha + counts
        theta = normalise(omega, self.corpus.packed.category)
        return Snapshot(omega, theta, counts, state.log_z.copy(), state.trace)
