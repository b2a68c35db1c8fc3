r"""Sample trees by Markov chain Monte Carlo: the reference for the variational learners.

Johnson, Griffiths & Goldwater (2007): utterances are resampled one at a time from a
PCFG with the counts of all others, corrected by Metropolis-Hastings; each adapted
symbol is a Pitman-Yor restaurant whose tables hold trees. A sweep

1. draws the rule weights from their Dirichlet posterior (py-cfg integrates them out),
2. resamples every utterance's tree,
3. resamples the tree of every table whose symbol has adapted symbols below it,
4. slice-samples each concentration :math:`a \sim \mathrm{Exp}`, and each discount
   :math:`b \sim U(0, 1)` that is not 0 in the grammar (Johnson & Goldwater 2009).

The objective is the log joint probability of trees and tables, rule weights integrated
out, up to the ordering of customers:

.. math::
    \sum_A \Big[ \sum_{t=1}^{T_A-1} \ln(a + tb) - \ln\frac{\Gamma(a + N_A)}{\Gamma(a + 1)}
    + \sum_k \ln\frac{\Gamma(n_k - b)}{\Gamma(1 - b)} \Big] + \ln p(\text{rules}) .
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.special import gammaln

from otlab.discovery.kernels import mcmc as mcmc_kernels
from otlab.discovery.kernels.layout import Items, Lattice
from otlab.discovery.kernels.restaurants import (
    Derivations,
    Free,
    Restaurants,
    Seating,
    Tables,
    WordSymbols,
    word_ends,
)
from otlab.discovery.learners.learner import LexiconLearner, LexiconSettings
from otlab.discovery.learners.starts import Geometric, start_named
from otlab.discovery.learners.sticks import HYPER_RATE
from otlab.discovery.learners.variational import start_weights
from otlab.discovery.learners.view import DiscoveryView, Entry
from otlab.discovery.parsing.chunks import CHART, SPANS, chunks
from otlab.inference.dirichlet import log_marginal
from otlab.inference.kernels.draws import dirichlet
from otlab.inference.run import check_interrupt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from otlab.discovery.grammar import Adaptor
    from otlab.discovery.kernels.layout import Weights
    from otlab.discovery.parsing.parser import Parser

__all__ = ["MCMC", "Occupancy", "SamplerState"]

_NO_LATTICE = Lattice(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32))
_ROOM = 20_000


@dataclass
class SamplerState:
    """All trees of a chain, and the counts of their parts; see the kernels' module ``restaurants``.

    Attributes
    ----------
    derivations, tables, restaurants, free
        The trees, and the totals.
    rule_count : float64 ndarray of shape (rules + 2,)
        Uses of each rule in utterances and tables.
    kept
        Sampled segmentations, packed bits.
    objective
        Log joint after each sweep, the start first.
    moved
        Share of proposals accepted in the last sweep.
    """

    derivations: Derivations
    tables: Tables
    restaurants: Restaurants
    free: Free
    rule_count: np.ndarray
    kept: list[np.ndarray] = field(default_factory=list)
    objective: list[float] = field(default_factory=list)
    moved: float = 1.0

    @classmethod
    def empty(cls, parser: Parser, adaptors: Sequence[Adaptor]) -> SamplerState:
        """Return a state without trees."""
        adapted, strings = len(adaptors), len(parser.every_span)
        utterances, phones = len(parser.corpus), parser.corpus.phones.size
        none = np.zeros(0, dtype=np.int32)
        state = cls(
            Derivations(utterances, np.full(utterances, -1, dtype=np.int32), none, none),
            Tables(none, none, none, none, np.zeros(0), none),
            Restaurants(
                customers=np.zeros(adapted, dtype=np.int64),
                tables=np.zeros(adapted, dtype=np.int64),
                concentration=np.array([a.concentration for a in adaptors], dtype=float),
                discount=np.array([a.discount for a in adaptors], dtype=float),
                mass=np.zeros((adapted, strings)),
                head=np.full((adapted, strings), -1, dtype=np.int32),
            ),
            Free(none, none, np.zeros(2, dtype=np.int64)),
            np.zeros(parser.chart.rules + 2),
        )
        state.make_room(8 * phones + _ROOM, phones + _ROOM)
        return state

    @property
    def seating(self) -> Seating:
        """The arrays that resampling changes."""
        return Seating(self.derivations, self.tables, self.restaurants, self.free, self.rule_count)

    def make_room(self, cells: int, tables: int) -> None:
        """Add free cells and tables."""
        old, seats, free = self.derivations, self.tables, self.free
        free_cells = _longer(free.cells, cells, -1)
        free_cells[free.left[0] : free.left[0] + cells] = _falling(old.value.size, cells)
        free_tables = _longer(free.tables, tables, -1)
        free_tables[free.left[1] : free.left[1] + tables] = _falling(seats.string.size, tables)
        self.derivations = old._replace(
            first=_longer(old.first, tables, -1),
            value=_longer(old.value, cells, -1),
            following=_longer(old.following, cells, -1),
        )
        self.tables = Tables(
            adaptor=_longer(seats.adaptor, tables, -1),
            string=_longer(seats.string, tables, -1),
            seated=_longer(seats.seated, tables, 0),
            after=_longer(seats.after, tables, -1),
            weight=_longer(seats.weight, tables, 0),
            extra=_longer(seats.extra, tables, 0),
        )
        self.free = Free(free_cells, free_tables, free.left + np.array([cells, tables]))

    def make_more_room(self) -> None:
        """Double the cells and tables."""
        self.make_room(max(self.derivations.value.size, _ROOM), max(self.tables.string.size, _ROOM))

    def tables_of(self, a: int) -> np.ndarray:
        """Return the tables of one restaurant that have customers."""
        return np.flatnonzero((self.tables.adaptor == a) & (self.tables.seated > 0))

    def reweigh(self, a: int) -> None:
        """Recompute the look-up weights of one restaurant, after its discount changed."""
        here, tables, mass = self.tables_of(a), self.tables, self.restaurants.mass
        tables.weight[here] = tables.seated[here] - self.restaurants.discount[a]
        mass[a] = np.bincount(tables.string[here], tables.weight[here], minlength=mass.shape[1])

    def occupancy(self, a: int) -> Occupancy:
        """Return how many customers sit at each of one restaurant's tables."""
        sizes, times = np.unique(self.tables.seated[self.tables_of(a)], return_counts=True)
        customers, tables = self.restaurants.customers[a], self.restaurants.tables[a]
        return Occupancy(int(customers), int(tables), sizes, times)


def _longer(array: np.ndarray, more: int, value: int) -> np.ndarray:
    return np.concatenate([array, np.full(more, value, dtype=array.dtype)])


def _falling(first: int, more: int) -> np.ndarray:
    """Return the integers from ``first + more - 1`` down to `first`."""
    return np.arange(first + more - 1, first - 1, -1)


@dataclass(frozen=True, eq=False)
class Occupancy:
    """Table sizes of one restaurant: its seating's sufficient statistics.

    Attributes
    ----------
    customers, tables
        Totals.
    sizes, times : ndarray
        The different table sizes, and how many tables have each.
    """

    customers: int
    tables: int
    sizes: np.ndarray
    times: np.ndarray

    def log_probability(self, a: float, b: float) -> float:
        """Return the log probability of the seating at concentration a and discount b."""
        if not self.customers:
            return 0.0
        opened = np.log(a + b * np.arange(1, self.tables)).sum()
        shares = (self.times * (gammaln(self.sizes - b) - gammaln(1.0 - b))).sum()
        return float(opened + shares - gammaln(a + self.customers) + gammaln(a + 1.0))

    def log_p(self, a: float, b: float) -> float:
        """Return the log probability with the concentration's prior."""
        return self.log_probability(a, b) + float(np.log(HYPER_RATE) - HYPER_RATE * a)


@dataclass(frozen=True)
class MCMC(LexiconLearner):
    """The sampler.

    Parameters
    ----------
    corpus, grammar, parser
        Of :class:`~otlab.discovery.learners.learner.LexiconLearner`.
    start
        Boundary probability of the first pass, which draws each utterance after those
        before it.
    thin, keep
        A segmentation is kept every `thin` sweeps; the last `keep` of them make the
        boundary probabilities.
    learn
        Whether concentrations and discounts are sampled.
    """

    can_draw: ClassVar[bool] = True

    start: Geometric = field(default_factory=lambda: Geometric(0.5))
    thin: int = 5
    keep: int = 100
    learn: bool = True

    @property
    def name(self) -> str:
        """``"mcmc"``."""
        return "mcmc"

    @classmethod
    def from_settings(cls, parser: Parser, settings: LexiconSettings) -> MCMC:
        """Return the sampler with a user's settings; a start at peaks is replaced by P(boundary) 0.5."""
        start = start_named(settings.start)
        start = start if isinstance(start, Geometric) else Geometric(0.5)
        return cls(parser.corpus, parser.grammar, start, parser=parser)

    @cached_property
    def _relabelled(self) -> np.ndarray:
        """The restaurants whose tables are resampled: those with adapted symbols below."""
        adapted = set(self.parser.adapted)
        return np.array([bool(adapted & self.parser.grammar.below[a]) for a in self.parser.adapted])

    def draws(self, views: Sequence[DiscoveryView]) -> dict[str, np.ndarray]:
        """Return the log joint probability of trees and tables after each sweep of each chain."""
        return {"log_joint": np.array([view.objective[1:] for view in views])}

    def init(self, rng: np.random.Generator) -> SamplerState:
        """Draw every utterance's tree after those before it."""
        parser = self.parser
        state = SamplerState.empty(parser, [self.grammar.adapted[a] for a in parser.adapted])
        weight = start_weights(parser, self.start.boundary).rule
        self._utterances(rng, state, weight, always=True)
        state.objective.append(self._log_joint(state))
        state.kept.append(self._segmentation(state))
        return state

    def step(self, rng: np.random.Generator, state: SamplerState, n: int) -> SamplerState:
        """Do `n` sweeps."""
        for _ in range(n):
            weight = self._draw_rule_weights(rng, state)
            self._utterances(rng, state, weight, always=False)
            for a in np.flatnonzero(self._relabelled):
                self._tables(rng, state, weight, int(a))
            if self.learn:
                self.draw_hyperparameters(rng, state)
            state.objective.append(self._log_joint(state))
            if (len(state.objective) - 1) % self.thin == 0:
                state.kept.append(self._segmentation(state))
                del state.kept[: -self.keep]
        return state

    def _utterances(
        self, rng: np.random.Generator, state: SamplerState, weight: np.ndarray, *, always: bool
    ) -> None:
        utterances, corpus = self.parser.items, self.corpus
        items = Items(corpus.offsets[utterances], corpus.lengths[utterances], self.parser.chart.start, False)
        moved = self._resample(rng, state, weight, utterances, items, always=always)
        state.moved = moved / utterances.size

    def _tables(self, rng: np.random.Generator, state: SamplerState, weight: np.ndarray, a: int) -> None:
        """Resample the trees of one restaurant's tables, as they are now."""
        spans = self.parser.every_span
        tables = state.tables_of(a)
        strings = state.tables.string[tables]
        root = int(self.parser.chart.adapted_symbols[a])
        items = Items(spans.first[strings], spans.length[strings].astype(np.int64), root, True)
        self._resample(rng, state, weight, state.derivations.tables + tables, items, always=False)

    def _resample(
        self, rng: np.random.Generator, state: SamplerState, weight: np.ndarray,
        containers: np.ndarray, items: Items, *, always: bool,
    ) -> int:  # fmt: skip
        """Resample the derivations of some containers; return how many moved."""
        parser, moved, n = self.parser, 0, items.n
        lattice = _NO_LATTICE if items.bare or parser.lattice is None else parser.lattice
        texts, unit = (parser.every_text, parser.text), len(self.corpus.symbols) / 3.0
        for chunk in chunks(n**2, SPANS) if lattice.rules.size else chunks(n**3, CHART):
            done = chunk.start
            while done < chunk.stop:
                check_interrupt()
                block = slice(done, chunk.stop)
                more, accepted = mcmc_kernels.resample(
                    rng, containers[block], items._replace(at=items.at[block], n=n[block]),
                    int(n.max()), always, parser.chart.tables, texts, lattice, weight, unit,
                    state.seating,
                )  # fmt: skip
                done, moved = done + more, moved + accepted
                if done < chunk.stop:
                    state.make_more_room()
        return moved

    def _draw_rule_weights(self, rng: np.random.Generator, state: SamplerState) -> np.ndarray:
        chart = self.parser.chart
        weight = np.ones(chart.rules + 2)
        posterior = chart.prior + state.rule_count[:-2]
        for left in np.unique(chart.rule_left):
            where = np.flatnonzero(chart.rule_left == left)
            drawn = np.empty(where.size)
            dirichlet(rng, posterior[where], drawn)
            weight[where] = drawn
        return weight

    def draw_hyperparameters(self, rng: np.random.Generator, state: SamplerState) -> None:
        """Draw concentrations and discounts by slice sampling, given the tables."""
        restaurants = state.restaurants
        concentrations, discounts = restaurants.concentration, restaurants.discount
        for a in np.flatnonzero(restaurants.customers).tolist():
            log_p = state.occupancy(a).log_p
            discount = float(discounts[a])
            log_a = float(np.log(concentrations[a]))
            concentrations[a] = np.exp(_slice(rng, _of_log(log_p, discount), log_a, 1.0, -10.0, 15.0))
            if self.grammar.adapted[self.parser.adapted[a]].discount > 0:
                of_discount = partial(log_p, float(concentrations[a]))
                discounts[a] = _slice(rng, of_discount, discount, 0.1, 1e-6, 1.0 - 1e-6)
                state.reweigh(a)

    def _log_joint(self, state: SamplerState) -> float:
        chart = self.parser.chart
        total = 0.0
        for left in np.unique(chart.rule_left):
            where = chart.rule_left == left
            total += log_marginal(state.rule_count[:-2][where], chart.prior[where])
        restaurants = state.restaurants
        for a, (concentration, discount) in enumerate(
            zip(restaurants.concentration.tolist(), restaurants.discount.tolist(), strict=True)
        ):
            total += state.occupancy(a).log_p(concentration, discount)
        return total

    def _segmentation(self, state: SamplerState) -> np.ndarray:
        """Return the word ends of the present trees, as packed bits."""
        parser = self.parser
        ends = np.zeros(self.corpus.phones.size, dtype=bool)
        word = parser.grammar.word
        words = WordSymbols(
            parser.word,
            parser.adapted.index(word) if word in parser.adapted else -1,
            np.array([a in parser.grammar.above_word for a in parser.adapted], dtype=bool),
        )
        word_ends(
            parser.items, self.corpus.offsets, parser.chart.tables, words, state.derivations, state.tables,
            parser.every_span.length, ends,
        )  # fmt: skip
        return np.packbits(ends)

    def samples(self, state: SamplerState) -> np.ndarray:
        """Return the kept segmentations, shape (kept, phones), newest last."""
        size = self.corpus.phones.size
        return np.array([np.unpackbits(bits, count=size).astype(bool) for bits in state.kept])

    def view(self, state: SamplerState) -> DiscoveryView:
        """Return a snapshot; boundary probabilities are means over the kept samples."""
        ends = self.samples(state).mean(axis=0, dtype=np.float32)
        named = dict(enumerate(self.parser.adapted))
        concentration, discount = state.restaurants.concentration, state.restaurants.discount
        return DiscoveryView(
            iteration=len(state.objective) - 1,
            objective=np.array(state.objective),
            likelihood=np.zeros(0),
            penalty=np.zeros(0),
            marks=(),
            ends=ends,
            entries={name: self._entries(state, a) for a, name in named.items()},
            sticks={},
            hyperparameters={
                name: (float(concentration[a]), float(discount[a])) for a, name in named.items()
            },
            weights=self._weights(state),
        )

    def _weights(self, state: SamplerState) -> Weights:
        """Return the weights of the PCFG of all counts, rule weights at their means."""
        chart = self.parser.chart
        posterior = chart.prior + state.rule_count[:-2]
        totals = np.bincount(chart.rule_left, posterior, minlength=len(chart.symbols))
        weights = self.parser.no_strings(posterior / totals[chart.rule_left])
        restaurants = state.restaurants
        here = restaurants.customers + restaurants.concentration
        weights.mass[...] = restaurants.mass[:, : len(self.parser.spans)]
        weights.scale[...] = 1.0 / here
        weights.fresh[...] = (restaurants.concentration + restaurants.discount * restaurants.tables) / here
        return weights

    def _entries(self, state: SamplerState, a: int) -> tuple[Entry, ...]:
        """Return the strings of the present tables, with their customers."""
        here, tables = state.tables_of(a), state.tables
        counts = np.bincount(tables.string[here], tables.seated[here], minlength=len(self.parser.every_span))
        order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
        spans, total = self.parser.every_span, max(1.0, float(state.restaurants.customers[a]))
        return tuple(
            Entry(
                self.corpus.spell(range(spans.first[s], spans.first[s] + spans.length[s])),
                counts[s],
                counts[s] / total,
            )
            for s in order
        )

    def draw_segmentations(self, state: SamplerState, seed: int) -> np.ndarray:
        """Return the kept segmentations; see :meth:`samples`."""
        return self.samples(state)


def _of_log(log_p: Callable[[float, float], float], b: float) -> Callable[[float], float]:
    """Return the log density of ln a at discount b, the Jacobian included."""
    return lambda log_a: log_p(float(np.exp(log_a)), b) + log_a


def _slice(
    rng: np.random.Generator, log_p: Callable[[float], float], x: float, width: float, low: float, high: float
) -> float:
    """Draw by slice sampling, stepping out and shrinking (Neal 2003), within bounds."""
    level = log_p(x) - rng.standard_exponential()
    left = max(low, x - width * rng.random())
    right = min(high, left + width)
    for _ in range(50):
        if left <= low or log_p(left) < level:
            break
        left = max(low, left - width)
    for _ in range(50):
        if right >= high or log_p(right) < level:
            break
        right = min(high, right + width)
    for _ in range(200):
        new = left + (right - left) * rng.random()
        if log_p(new) >= level:
            return float(new)
        left, right = (new, right) if new < x else (left, new)
    return x
