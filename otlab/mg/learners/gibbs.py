r"""Gibbs sampling of derivations, which draws from the exact posterior and so checks VB.

One sweep draws theta of each category from Dirichlet(alpha + counts), then every
sentence's derivation from its packed forest given theta. Means and intervals come from
the draws (:mod:`otlab.mg.learners.draws`). The trace holds :math:`\ln P(D \mid \alpha)`, theta
integrated out. Not in Portelance et al. (2022).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from otlab.inference.learner import read_only
from otlab.inference.run import check_interrupt
from otlab.mg.kernels.learn import gibbs
from otlab.mg.learners.corpus_learner import CorpusLearner, blank, working_space
from otlab.mg.learners.draws import DrawStore
from otlab.mg.learners.snapshot import Snapshot, State
from otlab.mg.lexicon import normalise
from otlab.mg.parsing.forest import too_heavy

__all__ = ["Gibbs"]

_LONGEST_DERIVATION = 10_000


@dataclass(frozen=True)
class Gibbs(CorpusLearner):
    """A Gibbs sampler over derivations; `tol` is not used."""

    name: str = field(default="gibbs", init=False)

    def init(self, rng: np.random.Generator) -> State:
        """Return theta and derivations drawn once from the chosen start; not part of the posterior."""
        state = blank(self.corpus, np.zeros_like(self.alpha))
        state.count = self.start_omega(rng) - self.alpha
        state = self.step(rng, state, 1)
        state.store = DrawStore(len(self.alpha))
        return state

    def step(self, rng: np.random.Generator, state: State, n: int) -> State:
        """Do `n` sweeps."""
        work = working_space(self.corpus, len(self.alpha))
        log_theta = work[-1]
        sequence = np.empty(_LONGEST_DERIVATION, np.int32)
        rows = np.zeros((n, 3))
        packed = self.corpus.packed
        for row in rows:
            check_interrupt()
            if gibbs(rng, packed, self.alpha, state.count, state.log_z, work, row, sequence) < 0:
                raise too_heavy()
            np.exp(log_theta, out=state.parameter)
            if state.store is not None:
                mean = normalise(self.alpha + state.count, packed.category)
                state.store.add(state.parameter, mean, state.count)
        state.trace = np.concatenate([state.trace, rows])
        return state

    def view(self, state: State) -> Snapshot:
        """Return means over the sweeps so far, the first tenth left out, and the draws."""
        kept = (state.store or DrawStore(0)).kept()
        used = slice(kept.warmup, None)
        if len(kept.theta):
            theta, counts = kept.mean[used].mean(axis=0), kept.counts[used].mean(axis=0)
        else:
            counts = state.count.copy()
            theta = normalise(self.alpha + counts, self.corpus.packed.category)
        return Snapshot(self.alpha + counts, theta, counts, state.log_z.copy(), read_only(state.trace), kept)
