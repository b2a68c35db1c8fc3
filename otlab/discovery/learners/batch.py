"""Batch variational Bayes: exact expected counts of the whole corpus, then one update.

Cohen, Blei & Smith (2010) with the leftover form of Zhai, Boyd-Graber & Cohen (2014).
A grammaton here is a string: its own trees are summed over, not sampled.

One iteration is an update of sticks, rule weights and concentrations from the last
expected counts, then the E-step at the new weights. The objective never falls, across
sorts too, except where the set of grammatons changes: in the first `births` iterations
the most used strings enter, built from rules or looked up, and later every `prune_every`
iterations those used less than half a time are dropped; both are marked.

Restarts find different segmentations, and a higher bound does not mean a better one:
with unigram grammars it means fewer boundaries. See :mod:`otlab.discovery.learners.choose`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from otlab.discovery.learners import variational
from otlab.discovery.learners.learner import LexiconLearner
from otlab.discovery.learners.starts import Peaks
from otlab.discovery.learners.view import DiscoveryView, Mark
from otlab.discovery.parsing.estep import Expectations, expect
from otlab.discovery.parsing.trees import segmentations
from otlab.inference.run import check_interrupt

if TYPE_CHECKING:
    from otlab.discovery.learners.starts import Start
    from otlab.discovery.learners.variational import Globals

__all__ = ["BatchState", "BatchVB"]

DRAWN = 10
"""Trees drawn of each utterance to decode by minimum risk."""


@dataclass
class BatchState:
    """State of a batch run.

    Attributes
    ----------
    posterior
        Of sticks and rule weights.
    expected
        The E-step at `posterior`.
    likelihood, penalty
        The bound's two parts, one entry an iteration.
    marks
        Where the set of grammatons changed.
    """

    posterior: Globals
    expected: Expectations
    likelihood: list[float] = field(default_factory=list)
    penalty: list[float] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)

    @property
    def iteration(self) -> int:
        """Updates done."""
        return len(self.likelihood) - 1

    @property
    def numbers(self) -> np.ndarray:
        """Numbers that are checked for NaN: log likelihoods."""
        return np.asarray(self.likelihood[-1:])


@dataclass(frozen=True)
class BatchVB(LexiconLearner):
    """Batch VB of an adaptor grammar.

    Parameters
    ----------
    corpus, grammar, parser
        Of :class:`~otlab.discovery.learners.learner.LexiconLearner`.
    start
        Where to start: :class:`~otlab.discovery.learners.starts.Peaks` or
        :class:`~otlab.discovery.learners.starts.Geometric`.
    spread
        The start's expected counts are multiplied by gamma noise of this relative sd, so
        that restarts differ; 0 for none.
    births
        Iterations in which new strings may become grammatons.
    prune_every
        Iterations between prunings after that.
    learn
        Whether concentrations (and discounts that are not 0) are refitted.
    threads
        One a core if None; the results do not depend on it.
    """

    can_hold_out: ClassVar[bool] = True
    can_draw: ClassVar[bool] = True

    start: Start = field(default_factory=Peaks)
    spread: float = 0.1
    births: int = 3
    prune_every: int = 10
    learn: bool = True
    threads: int | None = field(default=None, compare=False)

    @property
    def name(self) -> str:
        """``"batch"``."""
        return "batch"

    def init(self, rng: np.random.Generator) -> BatchState:
        """Start from the expected counts at the start's weights."""
        parser = self.parser
        nothing = [np.zeros(0, dtype=np.int64)] * len(parser.adapted)
        weights = self.start.weights(parser)
        expected = self._jittered(
            rng, expect(parser, weights, nothing, float(len(self.corpus.symbols)), self.threads)
        )
        hyper = [(g.concentration, g.discount) for g in map(self.grammar.adapted.__getitem__, parser.adapted)]
        state = BatchState(self._with_births(expected, hyper), expected)
        return self._evaluate(state)

    def _jittered(self, rng: np.random.Generator, expected: Expectations) -> Expectations:
        if not self.spread:
            return expected
        shape = 1.0 / self.spread**2
        noise = rng.gamma(shape, 1.0 / shape, size=expected.used.shape)
        return replace(expected, used=expected.used * noise, built=expected.built * noise)

    def step(self, rng: np.random.Generator, state: BatchState, n: int) -> BatchState:
        """Do `n` iterations."""
        for _ in range(n):
            self._iterate(state)
        return state

    def _iterate(self, state: BatchState) -> None:
        check_interrupt()
        upcoming = state.iteration + 1
        hyper = [(s.concentration, s.discount) for s in state.posterior.sticks]
        active = state.posterior.active
        if upcoming <= self.births:
            state.posterior = self._with_births(state.expected, hyper)
        else:
            kept = active if upcoming % self.prune_every else variational.prune(state.expected, active)
            state.posterior = variational.fitted(self.parser, state.expected, kept, hyper, learn=self.learn)
        change = _change(active, state.posterior.active)
        if change:
            state.marks.append(Mark(upcoming, change))
        self._evaluate(state)

    def _with_births(self, expected: Expectations, hyper: list[tuple[float, float]]) -> Globals:
        active = variational.choose_active(self.parser, expected)
        expected = variational.moved_in(expected, active)
        return variational.fitted(self.parser, expected, active, hyper, learn=self.learn)

    def _evaluate(self, state: BatchState) -> BatchState:
        weights = state.posterior.weights(self.parser)
        log_z = state.expected.log_z
        unit = float(np.exp(-log_z.sum() / self.corpus.lengths[self.parser.items].sum()))
        births_ahead = len(state.likelihood) < self.births
        state.expected = expect(
            self.parser, weights, state.posterior.active, unit, self.threads, by_string=births_ahead
        )
        state.likelihood.append(state.expected.log_likelihood)
        state.penalty.append(state.posterior.penalty(self.parser))
        return state

    def view(self, state: BatchState) -> DiscoveryView:
        """Return a snapshot."""
        trace = state.likelihood, state.penalty
        return variational.snapshot(self.parser, state.posterior, state.expected, trace, state.marks)

    def expect_everywhere(self, state: BatchState) -> Expectations:
        """Return the expected counts of the whole text, held-out utterances included."""
        parser = self.parser.with_everything()
        unit = float(len(self.corpus.symbols)) / 3.0
        weights = state.posterior.weights(parser)
        return expect(parser, weights, state.posterior.active, unit, self.threads)

    def draw_segmentations(self, state: BatchState, seed: int) -> np.ndarray:
        """Return segmentations drawn from the posterior, shape (draws, phones)."""
        weights = state.posterior.weights(self.parser)
        return segmentations(self.parser.with_everything(), weights, DRAWN, np.random.default_rng(seed))


def _change(before: list[np.ndarray], after: list[np.ndarray]) -> str:
    """Return a sentence on how the set of grammatons changed; empty if it did not."""
    born = sum(np.setdiff1d(new, old).size for old, new in zip(before, after, strict=True))
    dropped = sum(np.setdiff1d(old, new).size for old, new in zip(before, after, strict=True))
    return f"{born:,} born, {dropped:,} dropped" if born or dropped else ""
