r"""The infinite hidden Markov model: how many states there are is sampled with them.

Transitions have a hierarchical Dirichlet process for a prior (:mod:`otlab.tagging.hmm.hdp`), emissions a
Dirichlet, as in the other taggers. A sweep draws the concentrations and the weights of the states, then each
token's state given all others, parameters integrated out; a token may found a new state
(:mod:`otlab.tagging.kernels.franchise`). No limit is set to their number. Sentences are drawn as a whole in
:mod:`otlab.tagging.learners.beams`.

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
from otlab.tagging.hmm.hdp import Concentration, Franchise, log_rows, parse_concentration
from otlab.tagging.hmm.mstep import Prior
from otlab.tagging.hmm.parameters import Counts, Weights, float_type
from otlab.tagging.kernels.franchise import sweep_tokens
from otlab.tagging.kernels.gibbs import WIDTH, place_all
from otlab.tagging.kernels.layout import PaddedCounts, Priors
from otlab.tagging.learners.explicit import ExplicitSample
from otlab.tagging.learners.learnt_priors import draw_emission_prior
from otlab.tagging.learners.sampling import GibbsSampler, Joint
from otlab.tagging.learners.settings import EmissionPriorSettings
from otlab.tagging.scores import Scorer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.tagging.corpus import Corpus
    from otlab.tagging.view import View

__all__ = ["MOST_STATES", "InfiniteHMM", "InfiniteSample", "InfiniteSettings", "concentrations"]

MOST_STATES = np.iinfo(np.int16).max
_TOKENS = 300_000  # between two checks of the stop signal
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
    counted, tables
        The counts of the labels, and these laid out for the kernel; left out of saved states and made again.
    """

    franchise: Franchise
    state_counts: list[int] = field(default_factory=list)
    concentrations: list[tuple[float, float, float]] = field(default_factory=list)
    counted: Counts | None = None
    tables: PaddedCounts | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "counted": None, "tables": None}


class _Pass:
    """One pass through the tokens: the masses of the states, and what the kernel takes beside the counts."""

    def __init__(self, learner: InfiniteHMM, state: InfiniteSample, power: float, seeds: np.ndarray) -> None:
        self.learner, self.state, self.power, self.seeds = learner, state, power, seeds
        known = learner.known_states()
        self.fixed = np.zeros(state.labels.size, bool) if known is None else known >= 0
        self.kind = float_type(learner.precision)

    def resample(self, tables: PaddedCounts) -> None:
        """Draw every token's state, and keep the weights of the states that label tokens."""
        learner, state, franchise = self.learner, self.state, self.state.franchise
        corpus, padded = learner.corpus, tables.inverse.size
        base = np.zeros(padded)
        base[: franchise.base.size - 1] = franchise.base[:-1]
        rest = max(1 - float(franchise.base.sum()), 0.0)
        masses = (franchise.alpha * np.append(base, [franchise.base[-1], rest])).astype(self.kind)
        self._begin(tables)
        low = 0
        while low < corpus.tokens:
            check_interrupt()
            low = self._some(tables, masses, low, min(low + _TOKENS, corpus.tokens))
            if low < corpus.tokens and tables.occurrences[learner.reserved :].all():
                tables = learner.tables(state, more=WIDTH)
                masses = np.insert(masses, padded, np.zeros(WIDTH, self.kind))
                padded += WIDTH
                self._begin(tables)
        self._stick(tables, -1.0)
        used = np.flatnonzero(tables.occurrences)
        size = max(int(used[-1]) + 1, learner.reserved) if used.size else learner.reserved
        franchise.base = np.append(masses[:size], masses[padded]).astype(np.float64) / franchise.alpha
        state.counted = None

    def _begin(self, tables: PaddedCounts) -> None:
        place_all(self._priors(tables), tables)
        self._stick(tables, 1.0)

    def _stick(self, tables: PaddedCounts, sign: float) -> None:
        """Add the sticky mass to transitions from a state to itself, or take it away."""
        mass, own = self.state.franchise.alpha * self.state.franchise.rho, np.arange(tables.inverse.size)
        if mass > 0:
            for table in tables.out_of, tables.into:
                table[own, own] = table[own, own] + mass if sign > 0 else np.rint(table[own, own] - mass)

    def _priors(self, tables: PaddedCounts) -> Priors:
        learner, share = self.learner, self.state.labels.size / max(self.state.franchise.base.size - 1, 1)
        emission = learner.prior.emission
        return Priors(
            alpha=np.array([emission, 0.0], self.kind),
            emission_mass=np.full(tables.inverse.size, learner.corpus.types * emission),
            transition_mass=self.state.franchise.alpha,
            scale=share * share,
        )

    def _some(self, tables: PaddedCounts, masses: np.ndarray, low: int, high: int) -> int:
        """Draw the states of tokens `low` ... `high`; return the first that is left for want of room."""
        corpus, franchise = self.learner.corpus, self.state.franchise
        rates = 1 - franchise.rho, 1 / franchise.gamma, self.power
        weights, sums = np.empty(tables.inverse.size, self.kind), np.empty(WIDTH, self.kind)
        stopped: int = sweep_tokens(
            (corpus.words, corpus.offsets, self.fixed, self.learner.reserved), low, high, self.state.labels,
            tables, self._priors(tables), masses, rates, self.seeds, weights, sums,
        )  # fmt: skip
        return stopped


@dataclass(frozen=True, eq=False)
class InfiniteHMM(GibbsSampler[InfiniteSample]):
    """Infinite HMM, a token at a time; the prior of transitions is not used.

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
                f"a tag dictionary allows no new states; leave it out, or choose another than {self.name}"
            )
        super().__post_init__()

    @property
    def reserved(self) -> int:
        """The lowest number that a new state may have: those of known tags come before."""
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
        """Draw the concentrations and weights, then each token's state in the order of the text."""
        check_interrupt()
        franchise, (_, transitions, per_state) = state.franchise, self.measured(state)
        used = np.flatnonzero(per_state)
        franchise.redraw(rng, transitions, used, (self.new_states, self.row_concentration))
        tables = self.tables(state)
        pass_through = _Pass(self, state, power, rng.integers(1, 2**63, size=2, dtype=np.uint64))
        pass_through.resample(tables)

    def tables(self, state: InfiniteSample, more: int = 0) -> PaddedCounts:
        """Return the counts laid out for the kernel, with room for a new state; made again for `more`."""
        states = max(state.franchise.base.size - 1, self.reserved)
        least = -(-(states + 1) // WIDTH) * WIDTH
        kept = state.tables
        if kept and not more and kept.inverse.size <= least + WIDTH:
            return kept
        padded = (kept.inverse.size if kept and more else least) + more
        if padded > MOST_STATES:
            raise InputError(f"more than {MOST_STATES - WIDTH:,} states; give a smaller --new-states")
        counts = self._count(state.labels, padded)
        kind, moved = float_type(self.precision), counts.transitions[:, :-1]
        into = np.ascontiguousarray(counts.transitions.T[:, :-1])
        inverse = np.zeros((2, padded), kind)
        state.tables = PaddedCounts(
            counts.emissions.astype(kind), moved.astype(kind), into.astype(kind), counts.per_state, *inverse
        )
        return state.tables

    def measured(self, state: InfiniteSample) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the counts kept, not recounted; emissions are padded on the right."""
        tables, states = self.tables(state), state.franchise.base.size - 1
        transitions = np.zeros((states + 1, states + 1))
        transitions[:-1, :-1] = tables.out_of[:states, :states]
        transitions[-1, :-1] = tables.out_of[-1, :states]
        transitions[:-1, -1] = tables.into[-1, :states]
        transitions[-1, -1] = np.count_nonzero(self.corpus.lengths == 0)
        return tables.rows, transitions, tables.occurrences[:states]

    def _draw_priors(self, rng: np.random.Generator, state: InfiniteSample, power: float) -> None:
        """Draw the prior of emissions given the sample; it stays as it is while annealing."""
        emission = self.present(state).prior.emission
        if power == 1:
            rows, _, per_state = self.measured(state)
            used = np.flatnonzero(per_state)
            outcomes = np.full(used.size, self.corpus.types)
            emission = draw_emission_prior(rng, rows[:, used], per_state[used], emission, outcomes)
        state.trace.priors.append((emission, state.franchise.alpha))
        state.joint = None

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
        states, kept = state.franchise.base.size - 1, state.scorer
        return kept if kept and kept.states == states else Scorer(self.scored_corpus(), states)

    def _note(self, state: InfiniteSample) -> None:
        franchise, (rows, transitions, per_state) = state.franchise, self.measured(state)
        used = np.flatnonzero(per_state)
        state.scorer = self._scorer_of(state)
        state.joint = state.joint or Joint(self.corpus, 1, self.present(state).prior, None)
        joint = state.joint.emissions(rows, per_state) + log_rows(franchise, transitions, used)
        state.trace.add(joint, state.scorer.row(state.labels))
        state.state_counts.append(used.size)
        state.concentrations.append((franchise.gamma, franchise.alpha, franchise.rho))
