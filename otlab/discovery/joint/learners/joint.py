r"""Learn words from sound: adaptor grammar, noisy channel and phone loop as one model, or as a pipeline.

The word grammar generates a source string :math:`t_u` of units, the channel turns it into a bottom
string, which emits the frames (:mod:`~otlab.discovery.kernels.spoken`). With :math:`t_u` a point
estimate and variational Bayes elsewhere, the objective is

.. math::
    J = \underbrace{\textstyle\sum_u \ln Z_\text{words}(t_u) + \ldots - \mathrm{KL}}_\text{bound of the words}
      + \textstyle\sum_u \ln Z(\text{frames}_u \mid t_u) - \mathrm{KL(edits)} - \mathrm{KL(Gaussians)}

1. *Units*: the phone loop alone; its 1-best strings are t. The objective is its own bound.
2. *Words*: batch VB of the word grammar on t. The **pipeline** ends here.
3. *Joint*: each round updates (a) the posterior of the words; (b) edits and Gaussians, by
   forward-backward over source position, run, unit and state; (c) the source string of each utterance:
   the words behind the 1-best units replace it if this raises
   :math:`\ln Z_\text{words} + \ln Z(\text{frames})`; (d) every few rounds, the words are relearnt from t and
   kept if they raise the bound. J does not fall within this phase, whose beginning is marked.

Departures from Stengel-Eskin (2017), which does not describe the complete loop: the units' sticks are
fixed after phase 1 (using both them and the words' own unit weights would count the prior
twice); units with less than half an expected use are removed once, before phase 2, rather than every few
rounds; and the base distribution over units is Dir(1).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import param

from otlab.discovery.channel.channel import Edits
from otlab.discovery.corpus import Corpus
from otlab.discovery.joint.bottom import SpokenExpected, expect_spoken, log_weights
from otlab.discovery.joint.fitted import JointFitted
from otlab.discovery.joint.view import JointView, WordTokens
from otlab.discovery.joint.words import WordModel, candidates, flat_text
from otlab.discovery.kernels.spoken import SpokenLimits
from otlab.discovery.learners.batch import BatchVB
from otlab.discovery.learners.starts import Peaks
from otlab.discovery.learners.view import Mark
from otlab.discovery.presets import preset
from otlab.discovery.sound.decode import Segment, decode
from otlab.discovery.sound.gaussians import NormalGamma
from otlab.discovery.sound.learners.phone_loop import LoopState, PhoneLoop, PhoneLoopSettings
from otlab.discovery.sound.phone_loop import MIXTURE_PRIOR, LoopPosterior
from otlab.inference.run import check_interrupt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.discovery.sound.speech import Speech
    from otlab.inference import Run, Tick

__all__ = ["Joint", "JointSettings", "JointState", "Pipeline", "PipelineSettings", "learn_words"]

BAND = 4.0
"""Largest distance of a path from the diagonal, in source units."""

LONGEST_RUN = 1

LEAST_USES = 0.5
"""Units with fewer expected uses are removed before phase 2. A unit that is used once may have .999."""


class PipelineSettings(PhoneLoopSettings):
    """Settings of the pipeline."""

    word_iterations = param.Integer(20, bounds=(1, None), doc="Iterations of the word grammar.")
    least_uses = param.Number(
        LEAST_USES, bounds=(0, None), doc="Units with fewer expected uses are left out before words begin."
    )

    @property
    def steps(self) -> int:
        """Number of steps of a run: iterations of the units, and one step for the words."""
        return int(self.iterations) + 1


class JointSettings(PipelineSettings):
    """Settings of the joint model."""

    rounds = param.Integer(10, bounds=(1, None), doc="Rounds of the joint model.")
    relearn_every = param.Integer(3, bounds=(1, None), doc="Rounds between two proposals of relearnt words.")

    @property
    def steps(self) -> int:
        """Number of steps of a run: those of the pipeline, and the rounds."""
        return super().steps + int(self.rounds)


@dataclass
class JointState:
    """State of a run.

    Attributes
    ----------
    loop
        State of the phone loop; in the joint phase with the Gaussians of the joint model.
    segments
        1-best units of each utterance; empty before phase 2.
    tops
        Source string of each utterance.
    words
        Posterior of the words; None before phase 2.
    edits
        Posterior of the channel; None before the joint phase.
    spoken
        Last E-step of the sound in the joint phase.
    pipeline
        Words at the end of the pipeline; None before.
    pipeline_objective
        J at the words of the pipeline, where the joint phase begins; None before.
    likelihood, penalty, marks
        Trace of the objective's two parts, and the beginnings of phases.
    """

    loop: LoopState
    segments: list[list[Segment]] = field(default_factory=list)
    tops: list[np.ndarray] = field(default_factory=list)
    words: WordModel | None = None
    edits: Edits | None = None
    spoken: SpokenExpected | None = None
    pipeline: WordTokens | None = None
    pipeline_objective: float | None = None
    likelihood: list[float] = field(default_factory=list)
    penalty: list[float] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)

    @property
    def units(self) -> int:
        """Number of units."""
        return self.loop.posterior.prior.units

    @property
    def prior(self) -> Edits:
        """Prior of the channel."""
        return Edits.prior(self.units)

    @property
    def numbers(self) -> np.ndarray:
        """Numbers that are checked for NaN: log likelihoods."""
        return np.asarray(self.likelihood[-1:])


def learn_words(
    tops: Sequence[np.ndarray], units: int, iterations: int, rng: np.random.Generator, threads: int | None
) -> WordModel:
    """Learn words by batch VB of the word grammar, starting at peaks of branching entropy."""
    phones, offsets = flat_text(tops)
    names = tuple(f"{k}." for k in range(units))
    text = Corpus("units", names, phones, offsets, None, tuple(range(1, len(tops) + 1)))
    learner = BatchVB(text, preset("word"), Peaks(), threads=threads)
    state = learner.step(rng, learner.init(rng), iterations)
    return WordModel.from_batch(learner.parser, state)


@dataclass(frozen=True)
class Pipeline:
    """Learns units from sound, then words from the units: the baseline of the joint model.

    Parameters
    ----------
    units
        The phone loop.
    unit_iterations, word_iterations
        Iterations of each phase; those of the words are one step of a run.
    least_uses
        Units with fewer expected uses are removed before words are learnt.
    threads
        Number of threads, one per core if None. The results do not depend on it.
    """

    units: PhoneLoop
    unit_iterations: int = 15
    word_iterations: int = 20
    least_uses: float = LEAST_USES
    threads: int | None = field(default=None, compare=False)

    @property
    def name(self) -> str:
        """``"pipeline"``."""
        return "pipeline"

    @classmethod
    def from_settings(cls, speech: Speech, settings: PipelineSettings) -> Pipeline:
        """Return the learner for some speech, with a user's settings."""
        loop = PhoneLoop.from_settings(speech, settings)
        return cls(loop, settings.iterations, settings.word_iterations, settings.least_uses)

    @property
    def speech(self) -> Speech:
        """The frames."""
        return self.units.speech

    @property
    def steps(self) -> int:
        """Number of steps of a whole run: iterations of the units, and one step for the words."""
        return self.unit_iterations + 1

    def init(self, rng: np.random.Generator) -> JointState:
        """Start the phone loop."""
        state = JointState(self.units.init(rng))
        self._trace_loop(state)
        return state

    def _trace_loop(self, state: JointState) -> None:
        state.likelihood.append(state.loop.likelihood[-1])
        state.penalty.append(state.loop.penalty[-1])

    def step(self, rng: np.random.Generator, state: JointState, n: int) -> JointState:
        """Do `n` steps: iterations of the units, the words, then rounds of the joint model."""
        for _ in range(n):
            check_interrupt()
            if len(state.likelihood) <= self.unit_iterations:
                state.loop = self.units.step(rng, state.loop, 1)
                self._trace_loop(state)
            elif state.words is None:
                self._begin_words(rng, state)
            else:
                self._round(rng, state)
        return state

    def _begin_words(self, rng: np.random.Generator, state: JointState) -> None:
        units_before = state.units
        state.loop = self.units.pruned(state.loop, self.least_uses)
        posterior = state.loop.posterior
        state.segments = [decode(self.speech, posterior, u) for u in range(len(self.speech))]
        state.tops = _strings(state.segments)
        state.words = learn_words(state.tops, state.units, self.word_iterations, rng, self.threads)
        counts = state.words.expect(state.tops)
        state.pipeline = self._tokens(state)
        left_out = units_before - state.units
        noun = "unit" if left_out == 1 else "units"
        note = f", {left_out} unused {noun} left out" if left_out else ""
        state.marks.append(Mark(len(state.likelihood), f"words begin{note}"))
        state.likelihood.append(float(counts.log_z.sum()) + state.words.own_log_weight)
        state.penalty.append(state.words.penalty)

    def _round(self, rng: np.random.Generator, state: JointState) -> None:
        """Do nothing: the pipeline has no rounds."""
        state.likelihood.append(state.likelihood[-1])
        state.penalty.append(state.penalty[-1])

    def finished(self, state: JointState) -> bool:
        """Return whether the words have been learnt."""
        return state.words is not None

    def view(self, state: JointState) -> JointView:
        """Return a snapshot."""
        units = self.units.view(state.loop)
        likelihood, penalty = np.array(state.likelihood), np.array(state.penalty)
        trace = {"iteration": likelihood.size - 1, "objective": likelihood - penalty}
        trace |= {"likelihood": likelihood, "penalty": penalty}
        values = {name: getattr(units, name) for name in units.__dataclass_fields__}
        return JointView(
            **{**values, **trace},
            marks=tuple(state.marks),
            tokens=state.pipeline if state.spoken is None else self._tokens(state),
            edits=state.edits,
            pipeline=state.pipeline,
            pipeline_objective=state.pipeline_objective,
        )

    def _tokens(self, state: JointState) -> WordTokens:
        """Return the words of each utterance and their first frames."""
        assert state.words is not None
        if state.spoken is None:
            begins = [np.array([s.first for s in segments]) for segments in state.segments]
        else:
            begins = list(state.spoken.begins)
        ends = state.words.expect(state.tops).ends > 0.5
        return WordTokens.cut(state.tops, begins, ends)

    def conclude(
        self, run: Run[Any, JointView], tick: Tick[JointView], *, stopped: bool = False
    ) -> JointFitted:
        """Return the result of a run."""
        return JointFitted(cast("Run[Any, Any]", run), cast("Tick[Any]", tick), stopped)


@dataclass(frozen=True)
class Joint(Pipeline):
    """The joint model: the pipeline, then rounds that update words, edits and units together.

    Parameters
    ----------
    rounds
        Number of rounds of the joint phase.
    relearn_every
        Rounds between two proposals of relearnt words.
    band
        Largest distance of a path from the diagonal, in source units.
    propose
        Whether source strings may change; if not, only edits and Gaussians are learnt.
    first_rate
        Assumed share of edited units at the first proposal.
    merge_variants
        Whether all uses of a stored variant are moved to edited uses of another word if that raises
        J. It does raise J, but the words are no better (``benchmarks/results/joint.md``).
    """

    rounds: int = 10
    relearn_every: int = 3
    band: float = BAND
    propose: bool = True
    first_rate: float = 0.1
    merge_variants: bool = False

    @property
    def name(self) -> str:
        """``"joint"``."""
        return "joint"

    @classmethod
    def from_settings(cls, speech: Speech, settings: PipelineSettings) -> Joint:
        """Return the learner for some speech, with a user's settings."""
        loop = PhoneLoop.from_settings(speech, settings)
        values = settings.param.values()
        return cls(
            loop, settings.iterations, settings.word_iterations, settings.least_uses,
            rounds=values["rounds"], relearn_every=values["relearn_every"],
        )  # fmt: skip

    @property
    def steps(self) -> int:
        """Number of steps of a whole run: those of the pipeline, and the rounds."""
        return super().steps + self.rounds

    @property
    def limits(self) -> SpokenLimits:
        """Limits of runs and of the band."""
        return SpokenLimits(LONGEST_RUN, LONGEST_RUN, self.band)

    def finished(self, state: JointState) -> bool:
        """Return False: only the number of rounds ends a run."""
        return False

    def _round(self, rng: np.random.Generator, state: JointState) -> None:
        """Update words, edits, Gaussians and source strings; every few rounds, relearn the words."""
        words = state.words
        assert words is not None
        # The first round only proposes strings: an update on a text without edits would make edits too rare.
        if state.spoken is None or state.edits is None:
            state.edits = self._first_edits(state)
            state.marks.append(Mark(len(state.likelihood), "joint begins"))
            before = self._propose(state) if self.propose else None
            self._append(state)
            state.pipeline_objective = (state.likelihood[-1] if before is None else before) - state.penalty[
                -1
            ]
            return
        state.words = words.updated(words.expect(state.tops))
        state.edits = state.prior.plus(state.spoken.edits)
        state.loop = replace(state.loop, posterior=_updated(state.loop.posterior, state.spoken))
        if self.propose:
            self._propose(state)
        rounds = len(state.likelihood) - state.marks[-1].iteration
        if rounds % self.relearn_every == 0:
            self._relearn(rng, state)
        self._append(state)
        if self.merge_variants and rounds % self.relearn_every == 1:
            self._merge(state)

    def _first_edits(self, state: JointState) -> Edits:
        """Return the posterior after a share of the units was edited, all edits of a kind equally often."""
        size = state.units
        segments = float(sum(t.size for t in state.tops))
        edits = segments * self.first_rate
        counts = np.array([segments - edits, 0.6 * edits, 0.2 * edits, 0.2 * edits])
        pairs = np.full((size, size), counts[1] / (size * max(1, size - 1)))
        return state.prior.plus(Edits(counts, np.full(size, counts[2] / size), pairs))

    def _evaluate(self, state: JointState) -> tuple[float, float]:
        """Do the E-step of the sound; return the two parts of J."""
        words, edits, posterior = state.words, state.edits, state.loop.posterior
        assert words is not None
        assert edits is not None
        spoken = expect_spoken(self.speech, posterior.scores, edits, self.limits, state.tops, self.threads)
        state.spoken = spoken
        counts = words.expect(state.tops)
        # An utterance whose string exceeds the channel's limits is left out in every round.
        reached = float(spoken.log_z[np.isfinite(spoken.log_z)].sum())
        likelihood = float(counts.log_z.sum()) + words.own_log_weight + reached
        return likelihood, words.penalty + edits.kl(state.prior) + posterior.penalty

    def _append(self, state: JointState) -> None:
        likelihood, penalty = self._evaluate(state)
        state.likelihood.append(likelihood)
        state.penalty.append(penalty)

    def _propose(self, state: JointState) -> float:
        """Replace the source string of each utterance if that raises the utterance's part of J.

        Returns the likelihood part of J at the strings before.
        """
        words, edits = state.words, state.edits
        assert words is not None
        assert edits is not None
        proposals = self._strings_to_try(state, words, edits)
        scores_of_loop = state.loop.posterior.scores
        sound = log_weights(self.speech, scores_of_loop, edits, self.limits, proposals, self.threads)
        flat = [string for strings in proposals for string in strings]
        scores = words.expect(flat).log_z
        at, before = 0, words.own_log_weight
        for u, strings in enumerate(proposals):
            totals = scores[at : at + len(strings)] + np.array(sound[u])
            before += float(totals[0] if np.isfinite(totals[0]) else scores[at])
            at += len(strings)
            if np.isfinite(totals[0]):
                state.tops[u] = strings[int(np.argmax(totals))]
        return before

    def _strings_to_try(self, state: JointState, words: WordModel, edits: Edits) -> list[list[np.ndarray]]:
        """Return candidate source strings for each utterance, the current one first."""
        posterior = state.loop.posterior
        decoded = _strings([decode(self.speech, posterior, u) for u in range(len(self.speech))])
        return candidates(words, edits, decoded, state.tops)

    def _merge(self, state: JointState) -> None:
        """Move all uses of stored variants to edited uses of other words, if that raises J."""
        words, spoken = state.words, state.spoken
        assert words is not None
        assert spoken is not None
        fewer, edits = words.without_variants(words.expect(state.tops), spoken.edits, state.prior)
        if len(fewer.words) == len(words.words):
            return
        other = replace(state, tops=list(state.tops), words=fewer, edits=edits)
        self._propose(other)
        other.words = fewer.updated(fewer.expect(other.tops))
        self._evaluate(other)
        assert other.spoken is not None
        other.edits = state.prior.plus(other.spoken.edits)
        likelihood, penalty = self._evaluate(other)
        if likelihood - penalty > state.likelihood[-1] - state.penalty[-1]:
            state.tops, state.words, state.edits = other.tops, other.words, other.edits
            state.spoken = other.spoken
            state.likelihood[-1], state.penalty[-1] = likelihood, penalty

    def _relearn(self, rng: np.random.Generator, state: JointState) -> None:
        """Learn words again from the current source strings; keep them if their bound is higher."""
        words = state.words
        assert words is not None
        other = learn_words(state.tops, state.units, self.word_iterations, rng, self.threads)
        if other.bound(other.expect(state.tops)) > words.bound(words.expect(state.tops)):
            state.words = other


def _strings(segments: Sequence[Sequence[Segment]]) -> list[np.ndarray]:
    """Return the string of units of each utterance."""
    return [np.array([s.unit for s in each], dtype=np.int64) for each in segments]


def _updated(posterior: LoopPosterior, spoken: SpokenExpected) -> LoopPosterior:
    """Return the posterior with updated Gaussians and mixtures; the units keep their numbers."""
    return replace(
        posterior,
        mixture=MIXTURE_PRIOR + spoken.moments.uses,
        gaussians=NormalGamma.fitted(spoken.moments),
    )
