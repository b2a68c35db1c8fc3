r"""The infinite hidden Markov model: how many states there are is sampled with them.

Transitions have a hierarchical Dirichlet process for a prior (:mod:`otlab.tagging.hmm.hdp`), emissions a
Dirichlet, as in the other taggers. A sweep draws the concentrations and the weights of the states, then the
parameters, then all states by beam sampling (:mod:`otlab.tagging.kernels.ihmm`; Van Gael et al. 2008), for
which as many unused states are made as a path could reach. No limit is set to their number.

The objective is :math:`\ln P(x, y \mid \beta, \alpha, \rho, \alpha_x)`, parameters integrated out, at the
present weights and concentrations. With tags known, state k is the tag k, and new states come after the tags.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import param

from otlab.errors import InputError
from otlab.inference.run import check_interrupt
from otlab.tagging.hmm.batches import SHARDS
from otlab.tagging.hmm.estep import row_blocks
from otlab.tagging.hmm.hdp import Concentration, Franchise, Rows, log_rows, parse_concentration
from otlab.tagging.hmm.mstep import Prior
from otlab.tagging.hmm.parameters import Counts, Weights
from otlab.tagging.hmm.threads import each
from otlab.tagging.kernels.ihmm import resample_beams
from otlab.tagging.learners.explicit import ExplicitSample, draw_emissions
from otlab.tagging.learners.learnt_priors import draw_emission_prior
from otlab.tagging.learners.sampling import GibbsSampler, log_emissions
from otlab.tagging.learners.settings import EmissionPriorSettings
from otlab.tagging.scores import Scorer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.tagging.corpus import Corpus
    from otlab.tagging.view import View

__all__ = ["InfiniteHMM", "InfiniteSample", "InfiniteSettings", "concentrations"]

_SENTENCES = 500
_MOST = np.iinfo(np.int16).max
_GAMMA, _ALPHA = Concentration(1.0), Concentration(1.0, 0.1)


class InfiniteSettings(EmissionPriorSettings):
    """The settings of the infinite HMM; `states` is how many it begins with."""

    learn_priors = param.Boolean(
        default=False, doc="Learn both priors from the text; those given are the first values."
    )
    new_states = param.String(
        "1:1", doc="Gamma prior A:B (shape, rate) of gamma, the readiness for new states, or its value."
    )
    row_concentration = param.String(
        "1:0.1", doc="Gamma prior A:B of alpha, how alike rows of transitions are, or its value."
    )
    sticky = param.Boolean(
        default=False, doc="Whether states prefer to follow themselves, as much as is learnt."
    )

    def arguments(self, corpus: Corpus) -> dict[str, Any]:
        """Return the arguments of the learner, the concentrations included.

        Raises
        ------
        InputError
            If a concentration cannot be read.
        """
        return {
            **super().arguments(corpus),
            "prior": Prior(self.emission_prior),
            "learn_priors": self.learn_priors,
            **concentrations(self.new_states, self.row_concentration),
            "sticky": self.sticky,
        }


def concentrations(new_states: str, row_concentration: str) -> dict[str, Concentration]:
    """Return the arguments of the learner that its two settings of this name stand for."""
    return {
        "new_states": parse_concentration(new_states, "--new-states"),
        "row_concentration": parse_concentration(row_concentration, "--row-concentration"),
    }


@dataclass(kw_only=True)
class InfiniteSample(ExplicitSample):
    """A sample with the weights of its states.

    Attributes
    ----------
    franchise
        The weights and the concentrations.
    state_counts, concentrations
        States in use, and gamma, alpha and rho, after each sweep; the first are the start's.
    counted
        The counts of the labels; left out of saved states and made again.
    """

    franchise: Franchise
    state_counts: list[int] = field(default_factory=list)
    concentrations: list[tuple[float, float, float]] = field(default_factory=list)
    counted: Counts | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "counted": None}


@dataclass(frozen=True, eq=False)
class InfiniteHMM(GibbsSampler[InfiniteSample]):
    """Infinite HMM by beam sampling; the prior of transitions is not used.

    Attributes
    ----------
    states
        The number of states that the start has.
    new_states, row_concentration
        Priors of gamma and alpha.
    sticky
        Whether rho is above 0, and learnt.

    Examples
    --------
    >>> from otlab.inference import fit
    >>> from otlab.tagging import simulate_hmm
    >>> view = fit(InfiniteHMM(simulate_hmm(400, 1, tags=3, types=20), states=3), steps=10, seed=1).view
    >>> view.state_counts.size, view.states_used == int(view.state_counts[-1])
    (11, True)
    """

    name: ClassVar[str] = "ihmm"

    new_states: Concentration = _GAMMA
    row_concentration: Concentration = _ALPHA
    sticky: bool = False

    def __post_init__(self) -> None:
        if self.allowed is not None:
            raise InputError(
                "a tag dictionary allows no new states; leave it out, or choose another learner than ihmm"
            )
        super().__post_init__()

    @property
    def _reserved(self) -> int:
        return 0 if self.known_states() is None else len(self.corpus.tagset)

    def begin(self, rng: np.random.Generator, labels: np.ndarray) -> InfiniteSample:
        """Return a state with these labels, weights in proportion to their counts."""
        counts = self._count(labels, self.states)
        gamma = self.new_states.first
        columns = counts.transitions.sum(0)
        franchise = Franchise(
            gamma,
            self.row_concentration.first,
            0.5 if self.sticky else 0.0,
            columns / (columns.sum() + gamma),
        )
        return InfiniteSample(labels=labels, streams=rng.spawn(SHARDS), franchise=franchise)

    def _count(self, labels: np.ndarray, states: int) -> Counts:
        corpus = self.corpus
        return Counts.of_labels(corpus.words, labels, corpus.offsets, corpus.types, states)

    def counts(self, state: InfiniteSample) -> Counts:
        """Return the counts of the sample, of as many states as it has numbers."""
        state.counted = state.counted or self._count(state.labels, state.franchise.base.size - 1)
        return state.counted

    def sweep(self, rng: np.random.Generator, state: InfiniteSample, power: float) -> None:
        """Draw the concentrations and weights, the parameters, and all states."""
        check_interrupt()
        counts, franchise = self.counts(state), state.franchise
        used = np.flatnonzero(counts.per_state)
        franchise.redraw(rng, counts.transitions, used, (self.new_states, self.row_concentration))
        rows = franchise.rows(rng, counts.transitions, used)
        slices = self._slices(rng, state, rows, used, power)
        franchise.extend(rng, rows, float(slices.min(initial=1.0)))
        numbers = self._numbers(used, rows.base.size, counts.states)
        self._relabel(state, rows, numbers, slices, power)
        self._renumber(state, rows, numbers)

    def _slices(
        self, rng: np.random.Generator, state: InfiniteSample, rows: Rows, used: np.ndarray, power: float
    ) -> np.ndarray:
        """Draw the least probability of each token's transition."""
        place = np.empty(state.franchise.base.size, np.int64)
        place[used] = np.arange(used.size)
        after = place[state.labels]
        before = np.roll(after, 1)
        first = self.corpus.offsets[:-1][self.corpus.lengths > 0]
        before[first] = used.size
        below: np.ndarray = (1 - rng.random(after.size)) ** (1 / power)
        below *= rows.inner[before, after]
        return below

    def _numbers(self, used: np.ndarray, states: int, slots: int) -> np.ndarray:
        """Return the number of each state: new ones get the lowest that no state and no known tag has."""
        new = states - used.size
        free = np.setdiff1d(np.arange(max(slots, self._reserved) + new), used)
        numbers = np.append(used, free[free >= self._reserved][:new])
        if numbers.max() >= _MOST:
            raise InputError(f"more than {_MOST:,} states; give a smaller --new-states")
        return numbers

    def _relabel(
        self, state: InfiniteSample, rows: Rows, numbers: np.ndarray, slices: np.ndarray, power: float
    ) -> None:
        """Draw the states of all sentences given the slices."""
        text, emission = self.text(state), self._emission(state, numbers, power)
        transitions = np.column_stack([rows.inner, rows.last**power])
        order = np.argsort(-rows.inner, axis=1, kind="stable").astype(np.int32)
        beams = transitions, np.take_along_axis(rows.inner, order, 1), order
        labels = np.zeros(text.tokens, np.int16)
        # Labels are places among the rows while they are drawn.
        place = np.zeros(int(numbers.max()) + 1, np.int16)
        place[numbers] = np.arange(numbers.size)
        labels[:] = place[state.labels]
        longest, size = int(text.lengths.max(initial=0)), numbers.size

        def part(item: tuple[np.random.Generator, tuple[int, int]]) -> None:
            stream, (first, last) = item
            space = (
                np.zeros((longest, size)),
                np.empty((longest, size), np.int32),
                np.empty(longest, np.int32),
            )
            weights = np.empty(size)
            for low in range(first, last, _SENTENCES):
                check_interrupt()
                resample_beams(
                    stream, (text.words, text.offsets), low, min(low + _SENTENCES, last), slices, beams,
                    emission, space, weights, labels,
                )  # fmt: skip

        each(part, list(zip(state.streams, row_blocks(text.sentences), strict=True)), self.threads)
        state.labels = numbers[labels].astype(np.int16)

    def _emission(self, state: InfiniteSample, numbers: np.ndarray, power: float) -> np.ndarray:
        """Draw P(word given state) of the states with these numbers, by word."""
        counts = self.counts(state).emissions
        shown = np.zeros((len(counts), numbers.size))
        old = numbers < counts.shape[1]
        shown[:, old] = counts[:, numbers[old]]
        emission, scale = draw_emissions(self, state, shown)
        clamped = self.clamp(state)
        if clamped:
            place = np.full(int(numbers.max()) + 1, -1)
            place[numbers] = np.arange(numbers.size)
            moved = replace(clamped, states=place[clamped.states])
            nothing = np.zeros((numbers.size + 1, numbers.size + 1))
            emission = moved.expand(Weights(nothing, emission, scale)).emission
        return emission if power == 1 else emission**power

    def _renumber(self, state: InfiniteSample, rows: Rows, numbers: np.ndarray) -> None:
        """Keep the weights of the states that label tokens; the others vanish."""
        size = max(int(state.labels.max(initial=0)) + 1, self._reserved)
        base = np.zeros(max(size, int(numbers.max()) + 1))
        base[numbers] = rows.base
        base[np.bincount(state.labels, minlength=base.size) == 0] = 0
        state.franchise.base = np.append(base[:size], rows.boundary)
        state.counted = None

    def _draw_priors(self, rng: np.random.Generator, state: InfiniteSample, power: float) -> None:
        """Draw the prior of emissions given the sample; it stays as it is while annealing."""
        emission = self.present(state).prior.emission
        if power == 1:
            counts = self.counts(state)
            used = counts.per_state > 0
            outcomes = np.full(np.count_nonzero(used), self.corpus.types)
            kept = counts.emissions[:, used]
            emission = draw_emission_prior(rng, kept, counts.per_state[used], emission, outcomes)
        state.trace.priors.append((emission, state.franchise.alpha))

    def init(self, rng: np.random.Generator) -> InfiniteSample:
        """Return the first labelling."""
        state = super().init(rng)
        if self.learn_priors:
            state.trace.priors[0] = self.prior.emission, state.franchise.alpha
        return state

    def view(self, state: InfiniteSample) -> View:
        """Return a snapshot."""
        state.scorer = self._scorer_of(state)
        tokens = self.counts(state).per_state.astype(np.int64)
        return replace(
            super().view(state),
            tokens_per_state=tokens,
            state_counts=np.array(state.state_counts),
            concentrations=np.array(state.concentrations),
        )

    def draws(self, views: Sequence[View]) -> dict[str, np.ndarray]:
        """Return the traces of every sampler, the number of states, and the concentrations."""
        found = super().draws(views)
        found["states"] = np.array([view.state_counts[1:] for view in views if view.state_counts is not None])
        for column, name in enumerate(("gamma", "alpha", "rho") if self.sticky else ("gamma", "alpha")):
            chains = [view.concentrations[1:, column] for view in views if view.concentrations is not None]
            found[name] = np.array(chains)
        return found

    def weights(self, state: InfiniteSample) -> Weights:
        """Return the posterior mean of the parameters given the sample; other states have no share."""
        counts, franchise = self.counts(state), state.franchise
        used = np.flatnonzero(counts.per_state)
        chosen = np.append(used, counts.states)
        theta = np.zeros(counts.transitions.shape)
        theta[:, -1] = 1.0
        shares = counts.transitions[np.ix_(chosen, chosen)] + franchise.masses(used)
        theta[np.ix_(chosen, chosen)] = shares / shares.sum(1, keepdims=True)
        emissions = counts.emissions + self.present(state).prior.emission
        return Weights.of_probabilities(theta, emissions / emissions.sum(0), self.precision)

    def _scorer_of(self, state: InfiniteSample) -> Scorer:
        """Return the scorer of the tags for as many states as the sample has numbers."""
        states = self.counts(state).states
        kept = state.scorer
        return kept if kept and kept.states == states else Scorer(self.scored_corpus(), states)

    def _note(self, state: InfiniteSample) -> None:
        counts, franchise = self.counts(state), state.franchise
        used = np.flatnonzero(counts.per_state)
        state.scorer = self._scorer_of(state)
        joint = log_emissions(counts, self.present(state).prior)
        joint += log_rows(franchise, counts.transitions, used)
        state.trace.add(joint, state.scorer.row(state.labels))
        state.state_counts.append(used.size)
        state.concentrations.append((franchise.gamma, franchise.alpha, franchise.rho))
