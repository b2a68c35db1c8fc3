"""A tagger whose states emit features of words: suffixes, capitals, digits, hyphens, the words themselves.

Words that look alike share weights, so that a rare word gets its states from its ending. The weights climb
the log likelihood and their normal prior by L-BFGS, on the expected counts of the E-step
(:mod:`otlab.tagging.hmm.log_linear`), which Berg-Kirkpatrick et al. (2010) found better than EM.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np
import param

from otlab.errors import InputError
from otlab.inference.kernels.subnormals import no_subnormals
from otlab.inference.lbfgs import Ascent, ascend
from otlab.tagging.hmm.decode import viterbi
from otlab.tagging.hmm.estep import Impossible
from otlab.tagging.hmm.known import start_counts
from otlab.tagging.hmm.log_linear import LogLinearRows, word_features
from otlab.tagging.learners.em import EM
from otlab.tagging.learners.expectation import DecodeSettings, FitState
from otlab.tagging.view import Trace

if TYPE_CHECKING:
    from otlab.tagging.corpus import Corpus
    from otlab.tagging.hmm.estep import Expected
    from otlab.tagging.hmm.parameters import Counts, Weights
    from otlab.tagging.learners.expectation import Space

__all__ = ["FeatureSettings", "FeatureState", "LogLinear"]


class FeatureSettings(DecodeSettings):
    """The settings of the tagger with features."""

    weight_sd = param.Number(
        2.0,
        bounds=(0, None),
        inclusive_bounds=(False, True),
        doc="Standard deviation of the normal prior of each feature's weight.",
    )

    def arguments(self, corpus: Corpus) -> dict[str, Any]:
        """Return the arguments of the learner, the prior of the weights included."""
        return {**super().arguments(corpus), "weight_sd": self.weight_sd}


@dataclass
class FeatureState(FitState):
    """A run between two iterations.

    Attributes
    ----------
    ascent
        The weights of the features, the objective and its gradient.
    temperature
        That of the objective.
    """

    ascent: Ascent | None = None
    temperature: float = 1.0


class _Trials:
    """The objective of a learner as a function of the weights; it keeps the last E-step."""

    def __init__(self, learner: LogLinear, space: Space, temperature: float) -> None:
        self.learner, self.space, self.temperature = learner, space, temperature
        self.last: tuple[Weights, Expected] | None = None

    def expect(self, vector: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the objective and its gradient."""
        rows, (engine, _, clamped) = self.learner.rows, self.space
        cooled = vector / self.temperature
        weights = rows.weights(cooled, self.learner.precision)
        expected = engine(clamped.expand(weights) if clamped else weights)
        if clamped:
            expected = replace(expected, counts=clamped.fold(expected.counts))
        self.last = weights, expected
        slope = rows.gradient(cooled, expected.counts) / self.temperature - vector / rows.sd**2
        return expected.log_probability + rows.log_prior(vector), slope

    def __call__(self, vector: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the objective and its gradient; -inf where a sentence has no probability."""
        try:
            return self.expect(vector)
        except Impossible:
            return -np.inf, np.zeros_like(vector)


@dataclass(frozen=True, eq=False)
class LogLinear(EM):
    """Maximum a posteriori weights of features; the objective is their log posterior in nats, which rises.

    While annealing, the objective is that of the weights divided by the temperature.

    Attributes
    ----------
    weight_sd
        Standard deviation of the normal prior of each weight, of features and of transitions.

    Examples
    --------
    >>> from otlab.inference import fit
    >>> from otlab.tagging import simulate_hmm
    >>> fit(LogLinear(simulate_hmm(400, 1, tags=3, types=20), states=3), steps=5, seed=1).view
    <View of features: iteration 5, 3 of 3 states used>
    """

    name: ClassVar[str] = "features"

    weight_sd: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.weight_sd < np.inf:
            raise InputError(f"--weight-sd {self.weight_sd:g}: write a number above 0, such as 2")

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "rows"}

    @cached_property
    def rows(self) -> LogLinearRows:
        """The rows as functions of the weights."""
        matrix, _ = word_features(self.corpus.vocabulary)
        return LogLinearRows(matrix, self.states, self.weight_sd, self.allowed)

    def maximize(self, counts: Counts) -> tuple[Weights, float]:
        """Return the weights that fit counts best, and their log prior."""
        vector = self.rows.fitted(counts)
        return self.rows.weights(vector, self.precision), self.rows.log_prior(vector)

    def init(self, rng: np.random.Generator) -> FeatureState:
        """Return the weights that fit the start's counts, evaluated by an E-step."""
        with no_subnormals():
            counts = start_counts(
                self.start, rng, self.corpus, self.states, self.allowed, self.known_states()
            )
            trials = _Trials(self, self.space(None), self.annealing.temperature(0))
            vector = self.rows.fitted(counts)
            try:
                ascent = Ascent(vector, *trials.expect(vector))
            except Impossible as error:
                self._refuse(error)
            return self._state(ascent, trials, Trace(), "")

    def step(self, rng: np.random.Generator, state: FitState, n: int) -> FitState:
        """Do `n` iterations of L-BFGS; nothing is random."""
        space = self.space(state)
        with no_subnormals():
            for _ in range(n):
                state = self._next(state, space)
        return state

    def finished(self, state: FitState) -> bool:
        """Return whether no step raises the objective any more."""
        return isinstance(state, FeatureState) and state.ascent is not None and state.ascent.ended

    def _next(self, state: FitState, space: Space) -> FeatureState:
        assert isinstance(state, FeatureState)  # as init made it
        assert state.ascent is not None
        trials = _Trials(self, space, self.annealing.temperature(len(state.trace.objective)))
        ascent = state.ascent
        if trials.temperature != state.temperature:
            try:
                ascent = Ascent(ascent.point, *trials.expect(ascent.point))
            except Impossible as error:
                self._refuse(error)
        reached = ascend(ascent, trials)
        if reached.point is ascent.point and trials.temperature == state.temperature:
            trials.last = state.weights, state.expected
        elif reached.point is ascent.point:
            trials.expect(ascent.point)
        return self._state(reached, trials, state.trace, state.alarm)

    def _state(self, ascent: Ascent, trials: _Trials, trace: Trace, alarm: str) -> FeatureState:
        assert trials.last is not None
        (weights, expected), (engine, scorer, clamped) = trials.last, trials.space
        labels = expected.labels
        if self.decode == "viterbi":
            labels = viterbi(engine.corpus, clamped.expand(weights) if clamped else weights, self.threads)
        trace.add(ascent.value, scorer.row(labels))
        return FeatureState(
            weights, expected, labels, trace, alarm, *trials.space, ascent, trials.temperature
        )

    def _refuse(self, error: Impossible) -> NoReturn:
        raise InputError(f"{error}; use more states, another start or --precision f64") from error
