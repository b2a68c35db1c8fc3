r"""The common part of the Gibbs samplers: a labelling, its log joint, its trace.

The objective of every sampler is the collapsed

.. math::
    \ln P(x, y | \alpha) = \sum_k \ln\frac{\Gamma(m\alpha_x)}{\Gamma(n_k + m\alpha_x)}
    + \sum_{w,k} \ln\frac{\Gamma(n_{w,k} + \alpha_x)}{\Gamma(\alpha_x)}
    + \sum_{r} \ln\frac{\Gamma(K\alpha_y)}{\Gamma(c_{r\cdot} + K\alpha_y)}
    + \sum_{r,q} \ln\frac{\Gamma(c_{r,q} + \alpha_y)}{\Gamma(\alpha_y)},

rows r being the states and the boundary, K = s + 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from scipy.special import gammaln

from otlab.inference.dirichlet import log_marginal
from otlab.tagging.fitted import Fitted
from otlab.tagging.hmm.known import NO_TAGS, Clamped, KnownTags, start_labels
from otlab.tagging.hmm.mstep import Prior, posterior_mean
from otlab.tagging.hmm.parameters import Counts, Weights, float_type
from otlab.tagging.hmm.starts import DirichletRows, Start
from otlab.tagging.kernels.gibbs import log_joint_cells
from otlab.tagging.learners.annealing import NO_ANNEALING, Annealing
from otlab.tagging.learners.expectation import check_states
from otlab.tagging.learners.known_tags import LearnsTags
from otlab.tagging.learners.learnt_priors import draw_prior
from otlab.tagging.learners.settings import LearntPriorSettings, TaggerSettings
from otlab.tagging.scores import SCORES, Scorer
from otlab.tagging.view import Trace, View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.inference import Run, Tick
    from otlab.tagging.corpus import Corpus
    from otlab.tagging.hmm.parameters import Precision

__all__ = ["GibbsSampler", "GibbsSettings", "Joint", "Sample", "log_emissions", "log_joint"]


class GibbsSettings(LearntPriorSettings):
    """The settings of every Gibbs sampler."""


def log_joint(counts: Counts, prior: Prior, allowed: np.ndarray | None = None) -> float:
    """Return ln P(words, labels | priors) of a labelling's counts, parameters integrated out."""
    return log_emissions(counts, prior, allowed) + log_marginal(
        counts.transitions, np.array(prior.transition)
    )


def log_emissions(counts: Counts, prior: Prior, allowed: np.ndarray | None = None) -> float:
    """Return ln P(words | labels, priors) of a labelling's counts, parameters integrated out."""
    outcomes = counts.emissions.shape[0] if allowed is None else allowed.sum(0)
    mass = np.broadcast_to(outcomes * prior.emission, counts.states)
    used = counts.emissions[counts.emissions > 0]
    cells = (gammaln(used + prior.emission) - gammaln(prior.emission)).sum()
    states = mass > 0
    totals = (gammaln(mass[states]) - gammaln(counts.per_state[states] + mass[states])).sum()
    return float(cells + totals)


class Joint:
    """Compute the log joint of one corpus repeatedly, from counts in any layout."""

    def __init__(self, corpus: Corpus, states: int, prior: Prior, allowed: np.ndarray | None) -> None:
        frequency = corpus.word_counts
        self._prior = prior
        # A word seen once adds ln alpha whatever its state: most words need no evaluation.
        self._chosen = np.flatnonzero(frequency > 1)
        self._once = np.count_nonzero(frequency == 1) * np.log(prior.emission)
        self._rising = gammaln(np.arange(frequency.max() + 1) + prior.emission) - gammaln(prior.emission)
        outcomes = np.full(states, corpus.types) if allowed is None else allowed.sum(0)
        self._mass = outcomes * prior.emission
        self._usable = outcomes > 0

    def __call__(self, emissions: np.ndarray, transitions: np.ndarray, per_state: np.ndarray) -> float:
        """Return the log joint; `emissions` may be padded on the right."""
        words = self.emissions(emissions, per_state)
        return words + log_marginal(transitions, np.array(self._prior.transition))

    def emissions(self, emissions: np.ndarray, per_state: np.ndarray) -> float:
        """Return the part of the words; without a dictionary, of any number of states."""
        cells = log_joint_cells(emissions, per_state.size, self._chosen, self._rising) + self._once
        usable = np.broadcast_to(self._usable, per_state.size)
        mass = np.broadcast_to(self._mass, per_state.size)[usable]
        totals = (gammaln(mass) - gammaln(per_state[usable] + mass)).sum()
        return float(cells + totals)


@dataclass(kw_only=True)
class Sample:
    """A sampler between two sweeps.

    Attributes
    ----------
    labels : ndarray of int16, shape (tokens,)
        The sample itself.
    trace
        See :class:`~otlab.tagging.view.View`.
    scorer, joint, clamped
        Work space; left out of saved states and made again.
    """

    labels: np.ndarray
    trace: Trace = field(default_factory=Trace)
    scorer: Scorer | None = None
    joint: Joint | None = None
    clamped: Clamped | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "scorer": None, "joint": None, "clamped": None}


S = TypeVar("S", bound=Sample)


@dataclass(frozen=True, eq=False)
class GibbsSampler(LearnsTags, ABC, Generic[S]):
    """A learner that draws labellings.

    Parameters
    ----------
    corpus, states, start, precision, annealing, allowed, known, threads
        As for :class:`~otlab.tagging.learners.expectation.ExpectationLearner`.
    prior
        The paper's alpha_x and alpha_y.
    learn_priors
        Whether both are drawn after each sweep, from these values on.

    Attributes
    ----------
    name
        The learner's name as users know it.
    """

    name: ClassVar[str]

    corpus: Corpus
    states: int = 50
    prior: Prior = field(default_factory=Prior)
    start: Start = field(default_factory=DirichletRows)
    precision: Precision = "f64"
    annealing: Annealing = NO_ANNEALING
    allowed: np.ndarray | None = None
    known: KnownTags = NO_TAGS
    learn_priors: bool = False
    threads: int = field(default=1, compare=False)

    def __post_init__(self) -> None:
        float_type(self.precision)
        check_states(self.states, self.allowed, self.corpus)
        self.check_known()

    @classmethod
    def of(cls, corpus: Corpus, settings: TaggerSettings) -> Self:
        """Return the sampler of some settings."""
        return cls(corpus, **settings.arguments(corpus))

    @abstractmethod
    def begin(self, rng: np.random.Generator, labels: np.ndarray) -> S:
        """Return the state for a first labelling, its trace still empty."""

    @abstractmethod
    def sweep(self, rng: np.random.Generator, state: S, power: float) -> None:
        """Resample every label once; `power` is 1 / temperature."""

    def clamp(self, state: S) -> Clamped | None:
        """Return the text whose tokens of known state are words of their own; None if there are none."""
        state.clamped = state.clamped or self.new_clamped()
        return state.clamped

    def text(self, state: S) -> Corpus:
        """Return the text as the kernels see it, see :meth:`clamp`."""
        clamped = self.clamp(state)
        return clamped.corpus if clamped else self.corpus

    def counts(self, state: S) -> Counts:
        """Return the counts of the sample."""
        corpus = self.corpus
        return Counts.of_labels(corpus.words, state.labels, corpus.offsets, corpus.types, self.states)

    def init(self, rng: np.random.Generator) -> S:
        """Return the first labelling."""
        known = self.known_states()
        labels = start_labels(self.start, rng, self.corpus, self.states, self.allowed, known)
        state = self.begin(rng, labels)
        if self.learn_priors:
            state.trace.priors.append((self.prior.emission, self.prior.transition))
        self._note(state)
        return state

    def step(self, rng: np.random.Generator, state: S, n: int) -> S:
        """Do `n` sweeps."""
        for _ in range(n):
            power = 1 / self.annealing.temperature(len(state.trace.objective))
            self.present(state).sweep(rng, state, power)
            if self.learn_priors:
                self._draw_priors(rng, state, power)
            self._note(state)
        return state

    def present(self, state: S) -> Self:
        """Return the sampler with the present priors of a state."""
        if not (self.learn_priors and state.trace.priors):
            return self
        return replace(self, prior=Prior(*state.trace.priors[-1]))

    def prior_changed(self, state: S) -> None:
        """Update what a state keeps that depends on the priors."""

    def _draw_priors(self, rng: np.random.Generator, state: S, power: float) -> None:
        """Draw the priors given the sample; they stay as they are while annealing."""
        now = self.present(state)
        corpus, drawn = self.corpus, now.prior
        if power == 1:
            emissions, transitions, per_state = now.measured(state)
            outcomes = np.full(self.states, corpus.types) if self.allowed is None else self.allowed.sum(0)
            kept = emissions[: corpus.types, : self.states]
            drawn = draw_prior(rng, kept, transitions, per_state, drawn, outcomes)
        state.trace.priors.append((drawn.emission, drawn.transition))
        state.joint = None
        self.present(state).prior_changed(state)

    def view(self, state: S) -> View:
        """Return a snapshot."""
        scorer = state.scorer or self.new_scorer()
        return View(
            learner=self.name,
            objective=np.array(state.trace.objective),
            scores=np.array(state.trace.scores),
            priors=state.trace.learnt_priors,
            labels=state.labels.copy(),
            transitions=self.transitions(state),
            table=scorer.table(state.labels).sum(0),
            tokens_per_state=np.bincount(state.labels, minlength=self.states),
        )

    def draws(self, views: Sequence[View]) -> dict[str, np.ndarray]:
        """Return the log joint after each sweep of each chain and, with gold tags, the sample's scores."""
        traces = {"log_joint": [view.objective[1:] for view in views]}
        if views[0].priors is not None:
            for column, name in enumerate(("emission_prior", "transition_prior")):
                traces[name] = [view.priors[1:, column] for view in views if view.priors is not None]
        if np.isfinite(views[0].scores).all():
            traces |= {name: [view.trace(name)[1:] for view in views] for name in SCORES}
        return {name: np.array(chains) for name, chains in traces.items()}

    def transitions(self, state: S) -> np.ndarray:
        """Return the sample's transitions, rows summing to 1."""
        return self.counts(state).transition_shares

    def weights(self, state: S) -> Weights:
        """Return the posterior mean of the parameters given the sample."""
        return posterior_mean(self.counts(state), self.present(state).prior, self.precision, self.allowed)

    def probabilities(self, state: S) -> Weights | None:
        """Return None: the weights are the probabilities that score new text."""
        return None

    def conclude(self, run: Run[S, View], tick: Tick[View], *, stopped: bool) -> Fitted:
        """Return the result of a run, see :func:`otlab.inference.fit`."""
        return Fitted(run, tick, stopped)

    def finished(self, state: S) -> bool:
        """Return False: a sampler does not converge to a fixed point."""
        return False

    def measured(self, state: S) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return emissions, transitions and tokens per state, for the log joint."""
        counts = self.counts(state)
        return counts.emissions, counts.transitions, counts.per_state

    def _note(self, state: S) -> None:
        state.scorer = state.scorer or self.new_scorer()
        state.joint = state.joint or Joint(self.corpus, self.states, self.present(state).prior, self.allowed)
        state.trace.add(state.joint(*self.measured(state)), state.scorer.row(state.labels))
