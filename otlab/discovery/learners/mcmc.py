r"""Markov chain Monte Carlo: the reference the variational learners are held against.

Johnson, Griffiths & Goldwater (2007): utterances are resampled one at a time from a
PCFG with everybody else's counts, corrected by Metropolis-Hastings; each adapted
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

from otlab.discovery.kernels import ends as ends_kernels
from otlab.discovery.kernels import mcmc as mcmc_kernels
from otlab.discovery.learners.learner import LexiconLearner, LexiconSettings
from otlab.discovery.learners.starts import Geometric, start_named
from otlab.discovery.learners.sticks import HYPER_RATE
from otlab.discovery.learners.variational import start_weights
from otlab.discovery.learners.view import DiscoveryView, Entry
from otlab.discovery.parsing.chunks import CHART, SPANS, portions
from otlab.inference.dirichlet import log_marginal
from otlab.inference.random import dirichlet
from otlab.inference.run import check_interrupt

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.discovery.parsing.parser import Parser, Weights

__all__ = ["MCMC", "Restaurants", "Seating"]

_NO_RULES, _NO_PHONES = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)


@dataclass
class Restaurants:
    """Every tree of a chain, and what is counted in them; see the kernels' module.

    Attributes
    ----------
    concentration, discount : float64 ndarray of shape (adapted,)
        a and b.
    customers, tables : int64 ndarray of shape (adapted,)
        Totals.
    rule_count : float64 ndarray of shape (rules + 2,)
        Uses of each rule in utterances and tables.
    mass, head : ndarray of shape (adapted, strings)
        Looking-up weight of a string, and its first table.
    adaptor, string, seated, after, entry_weight
        Of each table.
    first_cell, cell_value, cell_next
        Derivations.
    free_cells, free_tables, free
        What is not in use, and how many of each.
    kept
        Sampled segmentations, packed bits.
    objective
        Log joint after each sweep, the start first.
    moved
        Share of proposals accepted in the last sweep.
    """

    concentration: np.ndarray
    discount: np.ndarray
    customers: np.ndarray
    tables: np.ndarray
    rule_count: np.ndarray
    mass: np.ndarray
    head: np.ndarray
    first_cell: np.ndarray
    adaptor: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    string: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    seated: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    after: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    entry_weight: np.ndarray = field(default_factory=lambda: np.zeros(0))
    extra: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    cell_value: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    cell_next: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    free_cells: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    free_tables: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    free: np.ndarray = field(default_factory=lambda: np.zeros(2, dtype=np.int64))
    kept: list[np.ndarray] = field(default_factory=list)
    objective: list[float] = field(default_factory=list)
    moved: float = 1.0

    def make_room(self, cells: int, tables: int) -> None:
        """Add free cells and tables."""
        have = self.cell_value.size
        self.cell_value, self.cell_next = (_longer(x, cells, -1) for x in (self.cell_value, self.cell_next))
        self.free_cells = _longer(self.free_cells, cells, -1)
        self.free_cells[self.free[0] : self.free[0] + cells] = np.arange(have + cells - 1, have - 1, -1)
        have = self.string.size
        for name in ("adaptor", "string", "after"):
            setattr(self, name, _longer(getattr(self, name), tables, -1))
        for name in ("seated", "entry_weight", "extra"):
            setattr(self, name, _longer(getattr(self, name), tables, 0))
        self.first_cell = _longer(self.first_cell, tables, -1)
        self.free_tables = _longer(self.free_tables, tables, -1)
        self.free_tables[self.free[1] : self.free[1] + tables] = np.arange(have + tables - 1, have - 1, -1)
        self.free += (cells, tables)

    def reweigh(self, a: int) -> None:
        """Recompute the look-up weights of one restaurant, after its discount changed."""
        here = np.flatnonzero((self.adaptor == a) & (self.seated > 0))
        self.entry_weight[here] = self.seated[here] - self.discount[a]
        self.mass[a] = np.bincount(self.string[here], self.entry_weight[here], minlength=self.mass.shape[1])

    def seating(self, a: int) -> Seating:
        """Return how many sit at one restaurant's tables."""
        here = self.seated[(self.adaptor == a) & (self.seated > 0)]
        sizes, times = np.unique(here, return_counts=True)
        return Seating(int(self.customers[a]), int(self.tables[a]), sizes, times)


def _longer(array: np.ndarray, more: int, value: int) -> np.ndarray:
    return np.concatenate([array, np.full(more, value, dtype=array.dtype)])


@dataclass(frozen=True, eq=False)
class Seating:
    """What the probability of one restaurant's seating depends on.

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
        """Return the sampler with a user's settings; at P(boundary) 0.5 where those say peaks."""
        start = start_named(settings.start)
        start = start if isinstance(start, Geometric) else Geometric(0.5)
        return cls(parser.corpus, parser.grammar, start, parser=parser)

    @cached_property
    def _relabelled(self) -> np.ndarray:
        """Which restaurants' tables are resampled: those with adapted symbols below."""
        adapted = set(self.parser.adapted)
        return np.array([bool(adapted & self.parser.grammar.below[a]) for a in self.parser.adapted])

    def init(self, rng: np.random.Generator) -> Restaurants:
        """Draw every utterance's tree after those before it."""
        parser = self.parser
        adaptors = [self.grammar.adapted[a] for a in parser.adapted]
        shape = (len(adaptors), len(parser.every_span))
        state = Restaurants(
            concentration=np.array([a.concentration for a in adaptors], dtype=float),
            discount=np.array([a.discount for a in adaptors], dtype=float),
            customers=np.zeros(shape[0], dtype=np.int64),
            tables=np.zeros(shape[0], dtype=np.int64),
            rule_count=np.zeros(parser.chart.rules + 2),
            mass=np.zeros(shape),
            head=np.full(shape, -1, dtype=np.int32),
            first_cell=np.full(len(self.corpus), -1, dtype=np.int32),
        )
        state.make_room(8 * self.corpus.phones.size + 20_000, self.corpus.phones.size + 20_000)
        weight = start_weights(parser, self.start.boundary).rule
        self._utterances(rng, state, weight, always=True)
        state.objective.append(self._log_joint(state))
        state.kept.append(self._segmentation(state))
        return state

    def step(self, rng: np.random.Generator, state: Restaurants, n: int) -> Restaurants:
        """Do `n` sweeps."""
        for _ in range(n):
            weight = self._draw_rule_weights(rng, state)
            self._utterances(rng, state, weight, always=False)
            for a in np.flatnonzero(self._relabelled):
                self._tables(rng, state, weight, int(a))
            if self.learn:
                self._draw_hyperparameters(rng, state)
            state.objective.append(self._log_joint(state))
            if (len(state.objective) - 1) % self.thin == 0:
                state.kept.append(self._segmentation(state))
                del state.kept[: -self.keep]
        return state

    def _utterances(
        self, rng: np.random.Generator, state: Restaurants, weight: np.ndarray, *, always: bool
    ) -> None:
        items = self.parser.items
        at, n = self.corpus.offsets[items], self.corpus.lengths[items]
        moved = self._resample(
            rng, state, weight, items, at, n, self.parser.chart.start, bare=False, always=always
        )
        state.moved = moved / items.size

    def _tables(self, rng: np.random.Generator, state: Restaurants, weight: np.ndarray, a: int) -> None:
        """Resample the trees of one restaurant's tables, as they stand now."""
        spans, offset = self.parser.every_span, len(self.corpus)
        tables = np.flatnonzero((state.adaptor == a) & (state.seated > 0) & (state.string >= 0))
        strings = state.string[tables]
        root = int(self.parser.chart.adapted_symbols[a])
        at, n = spans.first[strings], spans.length[strings].astype(np.int64)
        self._resample(rng, state, weight, offset + tables, at, n, root, bare=True, always=False)

    def _resample(
        self, rng: np.random.Generator, state: Restaurants, weight: np.ndarray,
        containers: np.ndarray, at: np.ndarray, n: np.ndarray, root: int, *, bare: bool, always: bool,
    ) -> int:  # fmt: skip
        parser, moved = self.parser, 0
        found = None if bare else parser.lattice
        rules, phone = (_NO_RULES, _NO_PHONES) if found is None else (found.rules, found.phone)
        longest = int(n.max(initial=1))
        for portion in portions(n**3, CHART) if found is None else portions(n**2, SPANS):
            done = portion.start
            while done < portion.stop:
                check_interrupt()
                block = slice(done, portion.stop)
                more, accepted = mcmc_kernels.resample(
                    rng, containers[block], at[block], n[block], root, bare, always, len(self.corpus),
                    parser.chart.tables, parser.chart.arity, self.corpus.phones, parser.every_span.row,
                    parser.every_span.ids, parser.spans.ids, rules, phone, weight, state.mass,
                    state.concentration, state.discount, float(len(self.corpus.symbols)) / 3.0, longest,
                    state.first_cell, state.cell_value, state.cell_next, state.adaptor, state.string,
                    state.seated, state.head, state.after, state.entry_weight, state.customers, state.tables,
                    state.rule_count, state.free_cells, state.free_tables, state.free, state.extra,
                )  # fmt: skip
                done, moved = done + more, moved + accepted
                if done < portion.stop:
                    state.make_room(max(state.cell_value.size, 20_000), max(state.string.size, 20_000))
        return moved

    def _draw_rule_weights(self, rng: np.random.Generator, state: Restaurants) -> np.ndarray:
        chart = self.parser.chart
        weight = np.ones(chart.rules + 2)
        posterior = chart.prior + state.rule_count[:-2]
        for left in np.unique(chart.rule_left):
            where = np.flatnonzero(chart.rule_left == left)
            drawn = np.empty(where.size)
            dirichlet(rng, posterior[where], drawn)
            weight[where] = drawn
        return weight

    def _draw_hyperparameters(self, rng: np.random.Generator, state: Restaurants) -> None:
        for a in np.flatnonzero(state.customers).tolist():
            log_p = state.seating(a).log_p
            discount = float(state.discount[a])
            log_a = float(np.log(state.concentration[a]))
            state.concentration[a] = np.exp(_slice(rng, _of_log(log_p, discount), log_a, 1.0, -10.0, 15.0))
            if self.grammar.adapted[self.parser.adapted[a]].discount > 0:
                of_discount = partial(log_p, float(state.concentration[a]))
                state.discount[a] = _slice(rng, of_discount, discount, 0.1, 1e-6, 1.0 - 1e-6)
                state.reweigh(a)

    def _log_joint(self, state: Restaurants) -> float:
        chart = self.parser.chart
        total = 0.0
        for left in np.unique(chart.rule_left):
            where = chart.rule_left == left
            total += log_marginal(state.rule_count[:-2][where], chart.prior[where])
        for a in range(state.customers.size):
            total += state.seating(a).log_p(float(state.concentration[a]), float(state.discount[a]))
        return total

    def _segmentation(self, state: Restaurants) -> np.ndarray:
        """Return where words end now, as packed bits."""
        parser = self.parser
        ends = np.zeros(self.corpus.phones.size, dtype=bool)
        word = parser.grammar.word
        above = np.array([a in parser.grammar.above_word for a in parser.adapted], dtype=bool)
        ends_kernels.word_ends(
            parser.items, len(self.corpus), self.corpus.offsets, parser.chart.arity, parser.chart.rule_left,
            parser.word, parser.adapted.index(word) if word in parser.adapted else -1, above,
            parser.every_span.length, state.first_cell, state.cell_value, state.cell_next,
            state.adaptor, state.string, ends,
        )  # fmt: skip
        return np.packbits(ends)

    def samples(self, state: Restaurants) -> np.ndarray:
        """Return the kept segmentations, shape (kept, phones), newest last."""
        size = self.corpus.phones.size
        return np.array([np.unpackbits(bits, count=size).astype(bool) for bits in state.kept])

    def view(self, state: Restaurants) -> DiscoveryView:
        """Return a snapshot; boundary probabilities are means over the kept samples."""
        ends = self.samples(state).mean(axis=0, dtype=np.float32)
        named = dict(enumerate(self.parser.adapted))
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
                name: (float(state.concentration[a]), float(state.discount[a])) for a, name in named.items()
            },
            weights=self._weights(state),
        )

    def _weights(self, state: Restaurants) -> Weights:
        """Return the PCFG everybody else's counts make, rule weights at their means."""
        chart = self.parser.chart
        posterior = chart.prior + state.rule_count[:-2]
        totals = np.bincount(chart.rule_left, posterior, minlength=len(chart.symbols))
        weights = self.parser.no_strings(posterior / totals[chart.rule_left])
        here = state.customers + state.concentration
        weights.mass[...] = state.mass[:, : len(self.parser.spans)]
        weights.scale[...] = 1.0 / here
        weights.fresh[...] = (state.concentration + state.discount * state.tables) / here
        return weights

    def _entries(self, state: Restaurants, a: int) -> tuple[Entry, ...]:
        """Return the strings people sit at now, with their customers."""
        here = (state.adaptor == a) & (state.seated > 0)
        counts = np.bincount(state.string[here], state.seated[here], minlength=len(self.parser.every_span))
        order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
        spans, total = self.parser.every_span, max(1.0, float(state.customers[a]))
        return tuple(
            Entry(
                self.corpus.spell(range(spans.first[s], spans.first[s] + spans.length[s])),
                counts[s],
                counts[s] / total,
            )
            for s in order
        )

    def draw_segmentations(self, state: Restaurants, seed: int) -> np.ndarray:
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
