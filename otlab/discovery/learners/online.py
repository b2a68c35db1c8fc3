r"""Hybrid online variational Bayes (Zhai, Boyd-Graber & Cohen 2014).

A grammaton here is (symbol, string, tree). For minibatch t of B of the N utterances, S
trees of each are sampled from the PCFG with grammatons at the current weights. Subtrees
that were built from rules and are not stored become grammatons; expected uses move by

.. math:: n \leftarrow (1 - \rho_t)\, n + \rho_t \frac{N}{S B}\, (\text{uses in the samples}),
    \qquad \rho_t = (\tau_0 + t)^{-\kappa},

rule counts and fresh builds likewise. Every `prune_every` minibatches grammatons used
less than half a time are dropped, then those beyond T, and concentrations are refitted
(a cut at T alone is not enough: hundreds of nearly empty sticks starve the base).

Departures: a subtree built from rules that is already stored counts as a fresh build, so that
the leftover keeps its share; strings that appear once in the corpus are not stored;
sticks are sorted at every update. The objective is the minibatch's estimate of the
bound, and is not monotone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.discovery.kernels.layout import Boundaries, Counts, Entries, Items
from otlab.discovery.kernels.trees import BUILT, most_steps, sample_trees
from otlab.discovery.learners import variational
from otlab.discovery.learners.grammatons import Grammatons
from otlab.discovery.learners.learner import LexiconLearner
from otlab.discovery.learners.starts import Peaks
from otlab.discovery.learners.sticks import Sticks, hyper_log_prior, learn_hyperparameters
from otlab.discovery.learners.view import DiscoveryView, Mark
from otlab.inference.run import check_interrupt

if TYPE_CHECKING:
    from otlab.discovery.kernels.layout import Weights
    from otlab.discovery.learners.starts import Start
    from otlab.discovery.parsing.parser import Parser

__all__ = ["OnlineState", "OnlineVB"]

_ROWS = 400_000
_TOKEN = 3.0
"""Phones of a word, roughly: how many uses the start's lexicon is worth."""


@dataclass
class OnlineState:
    """State of an online run.

    Attributes
    ----------
    grammatons
        The lexicon.
    rule_count : float64 ndarray of shape (rules + 2,)
        Expected uses of rules in the utterances.
    new : float64 ndarray of shape (adapted,)
        Expected fresh builds.
    sticks
        Of each adapted symbol; their ``strings`` are numbers of grammatons.
    tau : float64 ndarray of shape (rules,)
        Dirichlet parameters.
    ends : float64 ndarray of shape (phones,)
        Boundary posteriors, each from the last time its utterance was seen.
    unit
        Factor a phone, for the charts.
    queue
        Utterances still to be seen in this pass.
    likelihood, penalty, marks
        The trace.
    """

    grammatons: Grammatons
    rule_count: np.ndarray
    new: np.ndarray
    sticks: tuple[Sticks, ...]
    tau: np.ndarray
    ends: np.ndarray
    unit: float
    queue: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    likelihood: list[float] = field(default_factory=list)
    penalty: list[float] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)

    @property
    def batches(self) -> int:
        """Minibatches done."""
        return len(self.likelihood)

    @property
    def numbers(self) -> np.ndarray:
        """Numbers that are checked for NaN: log likelihoods."""
        return np.asarray(self.likelihood[-1:])


@dataclass(frozen=True)
class OnlineVB(LexiconLearner):
    r"""Online VB of an adaptor grammar; one step is one minibatch.

    Parameters
    ----------
    corpus, grammar, parser
        Of :class:`~otlab.discovery.learners.learner.LexiconLearner`.
    start
        Where to start.
    batch, samples
        Utterances in a minibatch (B), and trees sampled of each (S).
    delay, decay
        :math:`\tau_0`, and :math:`\kappa` in (0.5, 1].
    prune_every
        Minibatches between prunings.
    """

    start: Start = field(default_factory=Peaks)
    batch: int = 100
    samples: int = 10
    delay: float = 64.0
    decay: float = 0.75
    prune_every: int = 10

    @property
    def name(self) -> str:
        """``"online"``."""
        return "online"

    @property
    def steps_per_iteration(self) -> int:
        """Minibatches in one pass over the corpus."""
        return -(-self.parser.items.size // self.batch)

    def init(self, rng: np.random.Generator) -> OnlineState:
        """Store the start's lexicon, each string with a tree drawn by rules alone."""
        parser = self.parser
        start = self.start.weights(parser)
        adaptors = [self.grammar.adapted[a] for a in parser.adapted]
        state = OnlineState(
            grammatons=Grammatons(np.zeros(parser.chart.rules + 2)),
            rule_count=np.zeros(parser.chart.rules + 2),
            new=np.zeros(len(adaptors)),
            sticks=tuple(
                Sticks.fitted(np.zeros(0, dtype=np.int64), np.zeros(0), 0.0, a.concentration, a.discount)
                for a in adaptors
            ),
            tau=parser.chart.prior.copy(),
            ends=np.zeros(self.corpus.phones.size),
            unit=float(len(self.corpus.symbols)),
        )
        state.rule_count[:-2] = start.rule[:-2] * self.corpus.phones.size / _TOKEN
        for a in range(len(adaptors)):
            self._store_start(rng, state, start, a)
        self._fit(state)
        return state

    def _store_start(self, rng: np.random.Generator, state: OnlineState, start: Weights, a: int) -> None:
        parser = self.parser
        strings = np.flatnonzero(start.mass[a])
        if not strings.size:
            return
        at, n = parser.spans.first[strings], parser.spans.length[strings].astype(np.int64)
        plain = parser.no_strings(start.rule[:-2])
        root = int(parser.chart.adapted_symbols[a])
        sampled = self._sample(rng, state, plain, Items(at, n, root, True), samples=1)
        for string, rows in zip(strings, _trees(sampled.rows), strict=True):
            top = np.array([[BUILT, a, string, 1]])
            state.grammatons.collect(parser, np.concatenate([top, rows]))
        uses = np.zeros(len(state.grammatons))
        tokens = start.mass[a] / start.mass[a].sum() * self.corpus.phones.size / _TOKEN
        mine = np.array(state.grammatons.adaptor) == a
        uses[mine] = tokens[np.array(state.grammatons.string)[mine]]
        state.grammatons.uses = uses

    def step(self, rng: np.random.Generator, state: OnlineState, n: int) -> OnlineState:
        """Learn from `n` minibatches."""
        for _ in range(n):
            check_interrupt()
            self._learn_batch(rng, state)
            if state.batches % self.prune_every == 0:
                self._prune(state)
            self._fit(state)
        return state

    def _learn_batch(self, rng: np.random.Generator, state: OnlineState) -> None:
        if not state.queue.size:
            state.queue = rng.permutation(self.parser.items)
        seen, state.queue = state.queue[: self.batch], state.queue[self.batch :]
        at, n = self.corpus.offsets[seen], self.corpus.lengths[seen]
        items = Items(at, n, self.parser.chart.start, False)
        sampled = self._sample(rng, state, self._weights(state), items, samples=self.samples)
        self._move(state, sampled, seen.size)
        state.unit = float(np.exp(-sampled.log_z.sum() / n.sum()))
        state.likelihood.append(
            float(sampled.log_z.sum() * self.parser.items.size / seen.size) + self._own(state)
        )
        state.penalty.append(self._penalty(state))

    def _move(self, state: OnlineState, sampled: _Sampled, seen: int) -> None:
        """Move every expected use towards the minibatch's."""
        grammatons, known = state.grammatons, len(state.grammatons)
        built = grammatons.collect(self.parser, sampled.rows)
        uses = np.concatenate([sampled.counts.used, np.zeros(len(grammatons) - known)])
        born = built[built >= known]
        np.add.at(uses, born, 1.0)
        adaptor = np.array(grammatons.adaptor, dtype=np.int64)
        new = sampled.counts.built - np.bincount(adaptor[born], minlength=sampled.counts.built.size)
        rate = (self.delay + state.batches + 1) ** -self.decay
        scale = rate * self.parser.items.size / (self.samples * seen)
        before = np.concatenate([grammatons.uses, np.zeros(len(grammatons) - known)])
        grammatons.uses = (1.0 - rate) * before + scale * uses
        state.rule_count = (1.0 - rate) * state.rule_count + scale * sampled.counts.rule
        state.new = (1.0 - rate) * state.new + scale * new

    def _sample(
        self, rng: np.random.Generator, state: OnlineState, weights: Weights, items: Items, *, samples: int
    ) -> _Sampled:
        """Draw trees of some utterances, or of the own strings of grammatons."""
        parser, size = self.parser, len(state.grammatons)
        entries = self._entries(state)
        ends = np.zeros_like(state.ends) if items.bare else state.ends
        rows, inner = _inner_ends(parser, state.grammatons)
        boundaries = Boundaries(parser.word, ends, items.at, parser.above_word, rows, inner)
        counts = Counts(np.zeros(parser.chart.rules + 2), np.zeros(size), np.zeros(len(parser.adapted)))
        log_z = np.zeros(items.at.size)
        room = most_steps(len(parser.chart.symbols), int(items.n.max(initial=1)))
        written = np.zeros((max(_ROWS, 2 * samples * room), 4), dtype=np.int64)
        done, parts = 0, []
        while done < items.at.size:
            left = items._replace(at=items.at[done:], n=items.n[done:])
            filled, more = sample_trees(
                rng, samples, parser.chart.tables, parser.text, left, weights, state.unit, entries, counts,
                boundaries, log_z[done:], written,
            )  # fmt: skip
            parts.append(written[:filled].copy())
            done += more
        return _Sampled(counts, log_z, np.concatenate(parts))

    def _entries(self, state: OnlineState) -> Entries:
        """Return the grammatons of each string."""
        parser, size = self.parser, len(state.grammatons)
        weight, after = np.zeros(size), np.full(size, -1, dtype=np.int64)
        head = np.full((len(parser.adapted), len(parser.spans)), -1, dtype=np.int64)
        for a, sticks in enumerate(state.sticks):
            weight[sticks.strings] = sticks.weights
            strings = np.array(state.grammatons.string, dtype=np.int64)[sticks.strings]
            order = np.argsort(strings, kind="stable")
            entry, string = sticks.strings[order], strings[order]
            same = string[1:] == string[:-1]
            after[entry[:-1][same]] = entry[1:][same]
            first = np.concatenate([[True], ~same])[: entry.size]
            head[a, string[first]] = entry[first]
        return Entries(head, after, weight)

    def _weights(self, state: OnlineState) -> Weights:
        weights = self.parser.no_strings(variational.rule_weights(self.parser, state.tau))
        strings = np.array(state.grammatons.string, dtype=np.int64)
        for a, sticks in enumerate(state.sticks):
            np.add.at(weights.mass[a], strings[sticks.strings], sticks.weights)
            weights.fresh[a] = sticks.leftover
        return weights

    def _fit(self, state: OnlineState, *, learn: bool = False) -> None:
        """Refit sticks and rule weights to the expected uses."""
        grammatons = state.grammatons
        total = grammatons.uses + np.array(grammatons.parts, dtype=float)
        adaptor = np.array(grammatons.adaptor, dtype=np.int64)
        sticks = []
        for a, before in enumerate(state.sticks):
            mine = np.flatnonzero(adaptor == a)
            new = float(state.new[a])
            fitted = Sticks.fitted(mine, total[mine], new, before.concentration, before.discount)
            sticks.append(learn_hyperparameters(fitted) if learn else fitted)
        state.sticks = tuple(sticks)
        state.tau = self.parser.chart.prior + (state.rule_count + grammatons.rule_count)[:-2]

    def _prune(self, state: OnlineState) -> None:
        grammatons = state.grammatons
        total = grammatons.uses + np.array(grammatons.parts, dtype=float)
        adaptor = np.array(grammatons.adaptor, dtype=np.int64)
        wanted = []
        for a, name in enumerate(self.parser.adapted):
            mine = np.flatnonzero((adaptor == a) & (total >= variational.FEWEST_USES))
            order = np.argsort(-total[mine], kind="stable")
            wanted.append(mine[order[: self.grammar.adapted[name].truncation]])
        state.grammatons = grammatons.kept(self.parser, np.concatenate(wanted))
        dropped = len(grammatons) - len(state.grammatons)
        if dropped:
            state.marks.append(Mark(state.batches, f"{dropped:,} dropped"))
        self._fit(state, learn=True)

    def _own(self, state: OnlineState) -> float:
        """Return the log weight of all stored trees, each once."""
        weights = self._weights(state).rule
        own = float(state.grammatons.rule_count @ np.log(weights))
        parts = np.array(state.grammatons.parts, dtype=float)
        for sticks in state.sticks:
            own += float(parts[sticks.strings] @ np.log(sticks.weights))
        return own

    def _penalty(self, state: OnlineState) -> float:
        sticks = sum(s.kl() - hyper_log_prior(s.concentration) for s in state.sticks)
        return variational.dirichlet_kl(self.parser, state.tau) + sticks

    def view(self, state: OnlineState) -> DiscoveryView:
        """Return a snapshot."""
        likelihood, penalty = np.array(state.likelihood), np.array(state.penalty)
        strings = np.array(state.grammatons.string, dtype=np.int64)
        total = state.grammatons.uses + np.array(state.grammatons.parts, dtype=float)
        named, entries = {}, {}
        for name, sticks in zip(self.parser.adapted, state.sticks, strict=True):
            named[name] = replace(sticks, strings=strings[sticks.strings])
            uses = np.bincount(
                strings[sticks.strings], total[sticks.strings], minlength=len(self.parser.spans)
            )
            entries[name] = variational.entries(self.parser, named[name], uses)
        return DiscoveryView(
            iteration=state.batches,
            objective=likelihood - penalty,
            likelihood=likelihood,
            penalty=penalty,
            marks=tuple(state.marks),
            ends=state.ends.astype(np.float32),
            entries=entries,
            sticks=named,
            hyperparameters={name: (s.concentration, s.discount) for name, s in named.items()},
            weights=self._weights(state),
        )


class _Sampled(NamedTuple):
    """Counts of a minibatch's trees, the log weight of each item, and trees with nodes built from rules."""

    counts: Counts
    log_z: np.ndarray
    rows: np.ndarray


def _trees(rows: np.ndarray) -> list[np.ndarray]:
    return np.split(rows, np.flatnonzero(rows[:, 3])[1:])


def _inner_ends(parser: Parser, grammatons: Grammatons) -> tuple[np.ndarray, np.ndarray]:
    """Return where the word ends of each grammaton above the word begin (-1: none), and the word ends."""
    rows = np.full(len(grammatons), -1, dtype=np.int64)
    marked = [e for e, ends in enumerate(grammatons.ends) if ends]
    lengths = np.array([parser.spans.length[grammatons.string[e]] for e in marked], dtype=np.int64)
    rows[marked] = np.cumsum(lengths) - lengths
    inner = np.zeros(int(lengths.sum()))
    for e in marked:
        inner[rows[e] + np.array(grammatons.ends[e]) - 1] = 1.0
    return rows, inner
