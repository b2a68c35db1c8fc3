"""Compute the E-step, the expected counts of a whole corpus, in parallel over fixed shards.

Utterances are divided into :data:`SHARDS` blocks of equal work for any number of threads. Each block
has its own sums, which are added in the order of the blocks, so the results do not depend on the
number of threads. The step can be parallel because the trees are the local variables of the model,
and sticks and rule weights the global ones (Stengel-Eskin 2017, section 3.1, exchanges the two).
"""

from __future__ import annotations

import threading
from copy import copy
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.kernels import chart as chart_kernels
from otlab.discovery.kernels import lattice as lattice_kernels
from otlab.discovery.kernels.layout import Boundaries, Counts, Items
from otlab.discovery.parsing.chunks import CHART, SPANS, chunks
from otlab.inference.parallel import in_order
from otlab.inference.run import check_interrupt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from otlab.discovery.kernels.layout import Lattice, Weights
    from otlab.discovery.parsing.parser import Parser

__all__ = ["SHARDS", "Expectations", "added", "expect", "expect_own", "shards"]

SHARDS = 8

WORTH_A_TASK = 100_000
"""Fewest entries per task; with fewer, starting the task would take longer than its work."""


@dataclass(frozen=True, eq=False)
class Expectations:
    """Expected counts of an E-step.

    Attributes
    ----------
    rule : float64 ndarray of shape (rules,)
        Expected uses of each rule, in utterances and in the active grammatons' own trees.
    used : float64 ndarray of shape (adapted, strings)
        Expected uses of each string that are looked up.
    built : float64 ndarray of shape (adapted, strings), or (adapted, 0) if not requested
        Expected uses of each string that are built from rules.
    new : float64 ndarray of shape (adapted,)
        Expected uses of all strings that are built from rules.
    ends : float64 ndarray of shape (phones,)
        Posterior that a word ends after each phone.
    log_z : float64 ndarray of shape (utterances,)
        Log weight of each parsed utterance; 0 for those left out.
    own_log_z : tuple of ndarray
        Log weight of each active grammaton's own string, by adapted symbol.
    """

    rule: np.ndarray
    used: np.ndarray
    built: np.ndarray
    new: np.ndarray
    ends: np.ndarray
    log_z: np.ndarray
    own_log_z: tuple[np.ndarray, ...]

    @property
    def log_likelihood(self) -> float:
        """Sum of the log weights of utterances and active grammatons."""
        return float(self.log_z.sum() + sum(own.sum() for own in self.own_log_z))


def expect(
    parser: Parser,
    weights: Weights,
    active: Sequence[np.ndarray],
    unit: float,
    threads: int | None = None,
    *,
    by_string: bool = True,
) -> Expectations:
    """Return the expected counts of a corpus.

    Parameters
    ----------
    parser
        Corpus and grammar.
    weights
        Weights of rules and strings.
    active
        For each adapted symbol, the stored strings, whose own trees are counted once each.
    unit
        Factor per phone, about one over its average weight, which keeps the sums of long utterances
        within float64. Except for rounding, the results do not depend on it.
    threads
        Number of threads, one per core if None. The results do not depend on it.
    by_string
        Whether to count uses built from rules string by string. Their totals are enough if no string
        will be added to the stored ones, and need half the memory.
    """
    step = _Pass(parser, weights, active, unit, by_string=by_string)
    own, item_log_z = step.run(threads)
    log_z = np.zeros(len(parser.corpus))
    log_z[parser.items] = item_log_z
    rule, used, built = step.cut(added(step.sums, threads))
    ends = np.minimum(step.ends, 1.0, out=step.ends)
    return Expectations(rule[:-2], used, built[:, :-1], built.sum(axis=1), ends, log_z, own)


def expect_own(
    parser: Parser, weights: Weights, active: Sequence[np.ndarray], unit: float, threads: int | None = None
) -> tuple[Expectations, list[list[np.ndarray]]]:
    """Return the expected counts of the active grammatons' own trees alone, and where words end in them.

    The second result has, for each adapted symbol, the posterior that a word ends after each phone of each
    active string; it is empty for symbols that contain no words.
    """
    empty = copy(parser)
    empty.items = parser.items[:0]
    step = _Pass(empty, weights, active, unit, by_string=False)
    own, _ = step.run(threads)
    rule, used, built = step.cut(added(step.sums, threads))
    log_z = np.zeros(len(parser.corpus))
    expected = Expectations(rule[:-2], used, built[:, :-1], built.sum(axis=1), step.ends, log_z, own)
    inside: list[list[np.ndarray]] = [[] for _ in active]
    for symbol in parser.above_word:
        a = parser.chart.tables.adaptor[symbol]
        rows, lengths = step.inner_rows[a, active[a]], parser.spans.length[active[a]]
        inside[a] = [step.inner[i : i + n] for i, n in zip(rows, lengths, strict=True)]
    return expected, inside


def added(sums: np.ndarray, threads: int | None) -> np.ndarray:
    """Return the sums over the first axis, added in its order; entries are divided among the threads."""
    out = np.empty(sums.shape[1:])
    parts, flat = sums.reshape(sums.shape[0], -1), out.reshape(-1)
    cuts = np.linspace(0, flat.size, 1 + min(SHARDS, 1 + flat.size // WORTH_A_TASK)).astype(int)
    in_order(
        [partial(np.add.reduce, parts[:, i:j], axis=0, out=flat[i:j]) for i, j in pairwise(cuts.tolist())],
        threads,
    )
    return out


def shards(work: np.ndarray, shares: Sequence[float] = (1,) * SHARDS) -> list[np.ndarray]:
    """Divide 0..len(work) - 1 into blocks with sums of `work` approximately in proportion to `shares`."""
    if not work.size:
        return [np.zeros(0, dtype=np.int64)] * len(shares)
    total, limits = np.cumsum(work), np.cumsum(shares)
    return np.split(np.arange(work.size), np.searchsorted(total, total[-1] * limits[:-1] / limits[-1]))


_kept = threading.local()


def _buffer(size: int) -> np.ndarray:
    """Return an array with one row per shard, which is reused by the next E-step."""
    rows: np.ndarray | None = getattr(_kept, "rows", None)
    if rows is None or rows.shape[1] != size:
        rows = _kept.rows = np.empty((SHARDS, size))
    return rows


class _Pass:
    """Arrays of one E-step: sums of rules, look-ups and builds, one row per shard, and shared arrays."""

    def __init__(
        self,
        parser: Parser,
        weights: Weights,
        active: Sequence[np.ndarray],
        unit: float,
        *,
        by_string: bool = True,
    ) -> None:
        self.parser, self.weights, self.active, self.unit = parser, weights, active, unit
        adapted, strings = shape = weights.mass.shape
        builds = strings + 1 if by_string else 1
        self._sizes = (weights.rule.size, adapted * strings, adapted * builds)
        self.sums = _buffer(sum(self._sizes))
        self.ends = np.zeros(parser.corpus.phones.size)
        self.inner_rows = np.full(shape if parser.lattice is None else (0, 0), -1, dtype=np.int64)
        self.inner = np.zeros(self._number_inner())

    def run(self, threads: int | None) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        """Parse everything; return the log weights of own strings, by adapted symbol, and of utterances."""
        if self.parser.lattice is not None:
            return self._run_lattice(threads, self.parser.lattice)
        # A kernel clears the sums without the GIL; NumPy would keep the other threads waiting.
        in_order([partial(lattice_kernels.empty, row) for row in self.sums], threads)
        own = tuple(np.concatenate(in_order(self._grammatons(a), threads)) for a in range(len(self.active)))
        return own, np.concatenate(in_order(self._utterances(), threads))

    def _run_lattice(
        self, threads: int | None, lattice: Lattice
    ) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        """Parse everything in one round of tasks. Each clears its sums; the first also parses own strings."""

        def parse(k: int, block: np.ndarray) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
            lattice_kernels.empty(self.sums[k])
            own = tuple(self._lattice_own(lattice, strings) for strings in self.active if k == 0)
            return own, self._lattice(lattice, k, block)

        tasks = [partial(parse, k, block) for k, block in enumerate(self._blocks())]
        own, log_z = zip(*in_order(tasks, threads), strict=True)
        return own[0], np.concatenate(log_z)

    def cut(self, row: np.ndarray) -> Counts:
        """Return one row as counts."""
        rules, looked_up, _ = self._sizes
        adapted, stop = self.weights.mass.shape[0], rules + looked_up
        used, built = row[rules:stop], row[stop:]
        return Counts(row[:rules], used.reshape(adapted, -1), built.reshape(adapted, -1))

    def _number_inner(self) -> int:
        """Assign boundaries in `inner` to each grammaton of a symbol above the word; return their number."""
        size = 0
        for symbol in self.parser.above_word:
            a = self.parser.chart.tables.adaptor[symbol]
            lengths = self.parser.spans.length[self.active[a]]
            self.inner_rows[a, self.active[a]] = size + np.cumsum(lengths) - lengths
            size += int(lengths.sum())
        return size

    def _blocks(self) -> list[np.ndarray]:
        """Return the utterances of each shard."""
        corpus, items = self.parser.corpus, self.parser.items
        return [items[block] for block in shards(corpus.lengths[items] ** 2)]

    def _utterances(self) -> list[Callable[[], np.ndarray]]:
        """Return the tasks that parse the utterances."""
        corpus = self.parser.corpus
        start, at = self.parser.chart.start, corpus.offsets
        return [
            partial(self._chart, k, at[block], corpus.lengths[block], start, False, self.ends, at[block])
            for k, block in enumerate(self._blocks())
        ]

    def _grammatons(self, a: int) -> list[Callable[[], np.ndarray]]:
        """Return the tasks that parse the stored strings of adapted symbol number `a`."""
        strings = self.active[a]
        spans, symbol = self.parser.spans, int(self.parser.chart.adapted_symbols[a])
        above = symbol in self.parser.above_word
        tasks: list[Callable[[], np.ndarray]] = []
        for k, block in enumerate(np.array_split(strings, SHARDS)):
            lengths = spans.length[block].astype(np.int64)
            ends = self.inner if above else np.zeros(int(lengths.sum()))
            rows = self.inner_rows[a, block] if above else np.cumsum(lengths) - lengths
            tasks.append(partial(self._chart, k, spans.first[block], lengths, symbol, True, ends, rows))
        return tasks

    def _chart(
        self, k: int, at: np.ndarray, n: np.ndarray, root: int, bare: bool, ends: np.ndarray, rows: np.ndarray
    ) -> np.ndarray:
        parser, counts = self.parser, self.cut(self.sums[k])
        log_z = np.zeros(at.size)
        for chunk in chunks(n**3, CHART):
            check_interrupt()
            items = Items(at[chunk], n[chunk], root, bare)
            boundaries = Boundaries(
                parser.word, ends, rows[chunk], parser.above_word, self.inner_rows, self.inner
            )
            chart_kernels.expected_counts(
                parser.chart.tables, parser.text, items, self.weights, self.unit, counts, boundaries,
                log_z[chunk],
            )  # fmt: skip
        return log_z

    def _lattice_own(self, lattice: Lattice, strings: np.ndarray) -> np.ndarray:
        parser, log_z = self.parser, np.zeros(strings.size)
        first, lengths = parser.spans.first[strings], parser.spans.length[strings].astype(np.int64)
        items = Items(first, lengths, int(parser.chart.adapted_symbols[0]), True)
        rule = self.sums[0, : self._sizes[0]]
        lattice_kernels.own_counts(parser.corpus.phones, items, lattice, self.weights.rule, rule, log_z)
        return log_z

    def _lattice(self, lattice: Lattice, k: int, block: np.ndarray) -> np.ndarray:
        parser, counts = self.parser, self.cut(self.sums[k])
        at, lengths = parser.corpus.offsets[block], parser.corpus.lengths[block]
        log_z = np.zeros(block.size)
        for chunk in chunks(lengths**2, SPANS):
            check_interrupt()
            items = Items(at[chunk], lengths[chunk], parser.chart.start, False)
            lattice_kernels.segment_counts(
                parser.text, items, lattice, self.weights, self.unit, counts, self.ends, log_z[chunk]
            )
        return log_z
