"""The common part of EM, MAP-EM and VB: E-step, M-step and the snapshot of a state.

Row i of the trace belongs to the weights after i updates: an update is an M-step on
the last expected counts and the E-step under the new weights. So the labels, scores
and counts of a state are those of its own weights, and N updates take N + 1 E-steps.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
import param

from otlab.errors import InputError, counted
from otlab.inference.kernels.subnormals import no_subnormals
from otlab.inference.learner import read_only
from otlab.tagging.fitted import Fitted
from otlab.tagging.hmm.decode import viterbi
from otlab.tagging.hmm.estep import Expectation, Expected, Impossible
from otlab.tagging.hmm.known import NO_TAGS, Clamped, KnownTags, start_counts
from otlab.tagging.hmm.parameters import float_type
from otlab.tagging.hmm.starts import DirichletRows, Start
from otlab.tagging.hmm.trigrams import TrigramExpectation, check_trigram_states, spread_pairs
from otlab.tagging.learners.annealing import NO_ANNEALING, Annealing
from otlab.tagging.learners.known_tags import LearnsTags
from otlab.tagging.learners.settings import TaggerSettings
from otlab.tagging.scores import Scorer
from otlab.tagging.view import Trace, View

if TYPE_CHECKING:
    from otlab.inference import Run, Tick
    from otlab.tagging.corpus import Corpus
    from otlab.tagging.hmm.parameters import Counts, Precision, Weights

__all__ = ["DecodeSettings", "ExpectationLearner", "FitState", "Space"]

Space: TypeAlias = tuple[Expectation | TrigramExpectation, Scorer, Clamped | None]
"""The E-step, the scorer, and the text whose tokens of known state are words of their own."""

# A free energy may rise, and a likelihood fall, by rounding only: for each nat, and for each token, whose
# logarithm is rounded even where it is 0.
_SLACK = {"f64": 1e-9, "f32": 1e-6}


class DecodeSettings(TaggerSettings):
    """The settings of a learner that decodes labels from probabilities."""

    decode = param.Selector(
        default="marginal",
        objects=["marginal", "viterbi"],
        doc="Label by each word's most probable state, or each sentence's most probable sequence.",
    )

    def arguments(self, corpus: Corpus) -> dict[str, Any]:
        """Return the arguments of the learner, apart from its corpus."""
        return {**super().arguments(corpus), "decode": self.decode}


@dataclass
class FitState:
    """An EM or VB run between two updates.

    Attributes
    ----------
    weights, expected
        The weights, and the E-step under them.
    labels
        As decoded.
    trace, alarm
        See :class:`~otlab.tagging.view.View`.
    engine, scorer, clamped
        Work space; left out of saved states and made again.
    """

    weights: Weights
    expected: Expected
    labels: np.ndarray
    trace: Trace = field(default_factory=Trace)
    alarm: str = ""
    engine: Expectation | TrigramExpectation | None = None
    scorer: Scorer | None = None
    clamped: Clamped | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "engine": None, "scorer": None, "clamped": None}

    @property
    def numbers(self) -> np.ndarray:
        """Numbers that are checked for NaN: transition weights."""
        return self.weights.transitions


@dataclass(frozen=True, eq=False)
class ExpectationLearner(LearnsTags, ABC):
    """A learner that maximises its objective by expected counts.

    Parameters
    ----------
    corpus
        What to learn from; tags that are not `known` are only scored against.
    states
        Hidden states, the boundary not counted.
    start
        See :mod:`otlab.tagging.hmm.starts`.
    precision
        ``"f64"``, the reference, or ``"f32"``, about twice as fast.
    decode
        Label tokens by their most probable state, or sentences by their most probable
        sequence.
    annealing
        Temperatures; none by default.
    allowed : ndarray of bool, shape (types, states), optional
        A tag dictionary: which states a word may have.
    known
        Whose tags are learnt from; none by default.
    threads
        For one run's shards; the numbers do not depend on it.

    Attributes
    ----------
    name
        The learner's name as users know it.
    direction
        +1 if the objective must rise, -1 if it must fall, 0 if it may do either.
    normalized
        Whether its weights are probabilities.
    order
        Number of states on which the next one depends: 1, or 2 in a trigram model.

    Raises
    ------
    InputError
        For fewer than 1 state, or an `allowed` of another shape or without a state
        for some word.
    """

    name: ClassVar[str]
    direction: ClassVar[int]
    normalized: ClassVar[bool] = True
    order: ClassVar[int] = 1

    corpus: Corpus
    states: int = 50
    start: Start = field(default_factory=DirichletRows)
    precision: Precision = "f64"
    decode: Literal["marginal", "viterbi"] = "marginal"
    annealing: Annealing = NO_ANNEALING
    allowed: np.ndarray | None = None
    known: KnownTags = NO_TAGS
    threads: int = field(default=1, compare=False)

    def __post_init__(self) -> None:
        float_type(self.precision)
        check_states(self.states, self.allowed, self.corpus)
        if self.order == 2:
            check_trigram_states(self.states)
        self.check_known()
        if self.decode not in ("marginal", "viterbi"):
            raise InputError(f"there is no decoding {self.decode!r}; choose marginal or viterbi")

    @classmethod
    def of(cls, corpus: Corpus, settings: TaggerSettings) -> Self:
        """Return the learner of some settings."""
        return cls(corpus, **settings.arguments(corpus))

    @abstractmethod
    def maximize(self, counts: Counts) -> tuple[Weights, float]:
        """Return the weights from counts, and the part of the objective that depends on them alone."""

    @abstractmethod
    def objective(self, log_probability: float, penalty: float, temperature: float) -> float:
        """Return the objective of an E-step; `penalty` is what :meth:`maximize` returned."""

    def init(self, rng: np.random.Generator) -> FitState:
        """Return the start, evaluated by an E-step."""
        with no_subnormals():
            return self.expect(self.first_counts(rng), Trace(), "", self.space(None))

    def first_counts(self, rng: np.random.Generator) -> Counts:
        """Return the pseudo-counts of the start, with those of known tags."""
        known = self.known_states()
        counts = start_counts(self.start, rng, self.corpus, self.states, self.allowed, known)
        return counts if self.order == 1 else spread_pairs(counts)

    def new_engine(self, corpus: Corpus) -> Expectation | TrigramExpectation:
        """Return the E-step on a text."""
        if self.order == 2:
            return TrigramExpectation(corpus, self.states, threads=self.threads)
        return Expectation(corpus, self.states, self.precision, threads=self.threads, exact=self.normalized)

    def step(self, rng: np.random.Generator, state: FitState, n: int) -> FitState:
        """Do `n` updates; nothing is random."""
        space = self.space(state)
        with no_subnormals():
            for _ in range(n):
                state = self.expect(state.expected.counts, state.trace, state.alarm, space)
        return state

    def view(self, state: FitState) -> View:
        """Return a snapshot."""
        return View(
            learner=self.name,
            objective=np.array(state.trace.objective),
            scores=np.array(state.trace.scores),
            priors=state.trace.learnt_priors,
            labels=read_only(state.labels),
            transitions=state.expected.counts.transition_shares,
            table=(state.scorer or self.new_scorer()).table(state.labels).sum(0),
            tokens_per_state=np.bincount(state.labels, minlength=self.states),
            alarm=state.alarm,
        )

    def weights(self, state: FitState) -> Weights:
        """Return the weights, for a :class:`~otlab.tagging.model.Model`."""
        return state.weights

    def probabilities(self, state: FitState) -> Weights | None:
        """Return the probabilities that score new text; None if the weights are probabilities."""
        return None

    def conclude(self, run: Run[FitState, View], tick: Tick[View], *, stopped: bool) -> Fitted:
        """Return the result of a run, see :func:`otlab.inference.fit`."""
        return Fitted(run, tick, stopped)

    def finished(self, state: FitState) -> bool:
        """Return False: accuracy may still change after hundreds of iterations."""
        return False

    def space(self, state: FitState | None) -> Space:
        """Return the E-step, the scorer and the text with known tags, of a state if it has them."""
        if state is not None and state.engine and state.scorer:
            return state.engine, state.scorer, state.clamped
        clamped = self.new_clamped()
        corpus = clamped.corpus if clamped else self.corpus
        return self.new_engine(corpus), self.new_scorer(), clamped

    def expect(self, counts: Counts, trace: Trace, alarm: str, space: Space) -> FitState:
        """Return the state of the weights that maximise counts: their E-step, labels and scores."""
        engine, scorer, clamped = space
        iteration = len(trace.objective)
        temperature = self.annealing.temperature(iteration)
        weights, penalty = self.maximize(counts)
        tempered = weights.tempered(temperature, normalize=self.normalized)
        try:
            expected = engine(clamped.expand(tempered) if clamped else tempered)
        except Impossible as error:
            raise InputError(f"{error}; use more states, another start or --precision f64") from error
        labels = expected.labels
        if self.decode == "viterbi":
            used = clamped.expand(weights) if clamped else weights
            labels = viterbi(engine.corpus, used, self.threads)
        if clamped:
            expected = replace(expected, counts=clamped.fold(expected.counts))
        objective = self.objective(expected.log_probability, penalty, temperature)
        alarm = alarm or self._alarm(trace, objective, iteration)
        trace.add(objective, scorer.row(labels))
        return FitState(weights, expected, labels, trace, alarm, *space)

    def _alarm(self, trace: Trace, objective: float, iteration: int) -> str:
        steady = iteration > 0 and self.annealing.temperature(iteration - 1) == 1
        if not (steady and self.direction):
            return ""
        change = objective - trace.objective[-1]
        if self.direction * change >= -_SLACK[self.precision] * max(abs(objective), self.corpus.tokens):
            return ""
        what = "The log likelihood fell" if self.direction > 0 else "The free energy rose"
        return f"{what} by {abs(change):.3g} nats at iteration {iteration}; this must not happen."


def check_states(states: int, allowed: np.ndarray | None, corpus: Corpus) -> None:
    """Raise InputError unless there is a state, and one for every word."""
    if not 1 <= states <= 10_000:
        raise InputError(f"--states {states}: write a number from 1 to 10,000")
    if allowed is None:
        return
    if allowed.shape != (corpus.types, states):
        raise InputError(
            f"the tag dictionary is for {allowed.shape}, not {counted(corpus.types, 'word')} and "
            f"{counted(states, 'state')}"
        )
    barred = np.flatnonzero(~allowed.any(1))
    if barred.size:
        raise InputError(f"the tag dictionary allows no tag for {corpus.vocabulary[barred[0]]!r}")
