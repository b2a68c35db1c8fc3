"""Compute the E-step of a text with edits for any grammar, by a chart of the composed grammar.

There are three passes, each in parallel over fixed shards, so that the results do not depend on the
number of threads:

1. for each string of the text, the weight of stored strings that have it as their output
   (:func:`add_masses`);
2. a chart of each utterance under the composed grammar (:mod:`~otlab.discovery.channel.composed`),
   which uses these weights in place of those of unedited strings;
3. distribution of the expected uses of each string of the text over stored strings and their edits.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from otlab.discovery.channel.channel import Edits
from otlab.discovery.channel.composed import Composed
from otlab.discovery.channel.trie import build_trie
from otlab.discovery.channel.word_ends import end_counts, end_weight
from otlab.discovery.kernels import chart as chart_kernels
from otlab.discovery.kernels.layout import Boundaries, Counts, Items, Text, Weights, new_arcs
from otlab.discovery.kernels.noisy_strings import (
    Pieces,
    StringCounts,
    Within,
    add_masses,
    add_string_counts,
    piece_ends,
)
from otlab.discovery.parsing.chunks import CHART, PHONES, chunks
from otlab.discovery.parsing.estep import SHARDS, added, expect_own, shards
from otlab.discovery.scores import word_edges
from otlab.inference.parallel import in_order
from otlab.inference.run import check_interrupt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from otlab.discovery.channel.composed import Deleted
    from otlab.discovery.kernels.layout import EditArrays, Limits
    from otlab.discovery.parsing.estep import Expectations
    from otlab.discovery.parsing.parser import Parser

__all__ = ["expect_composed"]

_ARCS = 400_000
"""Largest number of edited stored strings that begin at one position of the text."""

_composed: WeakKeyDictionary[Parser, dict[Limits, Composed]] = WeakKeyDictionary()


def composed(parser: Parser, limits: Limits) -> Composed:
    """Return the grammar composed with the channel; the same one for the same parser and limits."""
    grammars = _composed.setdefault(parser, {})
    if limits not in grammars:
        grammars[limits] = Composed(parser, limits)
    return grammars[limits]


def expect_composed(
    parser: Parser,
    weights: Weights,
    active: Sequence[np.ndarray],
    edits: Edits,
    unit: float,
    limits: Limits,
    threads: int | None = None,
) -> tuple[Expectations, Edits, np.ndarray]:
    """Return the expected counts of a text with edits; see :func:`~.noisy_estep.expect_noisy`."""
    own, inside = expect_own(parser, weights, active, unit, threads)
    grammar, arrays = composed(parser, limits), edits.weights()
    # 1. weights of the outputs of stored strings
    strings = _Strings(grammar, weights, active, arrays)
    in_order(strings.mass_tasks(), threads)
    # 2. the chart
    deleted = grammar.deleted(weights, arrays)
    charts = _Charts(strings, deleted, unit, inside)
    log_z = np.zeros(len(parser.corpus))
    log_z[parser.items] = np.concatenate(in_order(charts.tasks(), threads))
    counts = charts.counts(added(charts.sums, threads))
    # 3. distribute the counts over stored strings and edits
    rule, used, new, edit_counts = grammar.distribute(counts.rule, weights, arrays, deleted)
    np.add.at(new, [stored.adapted for stored in grammar.stored], counts.built[:, 0])
    uses = charts.uses_by_string(counts.used)
    in_order(strings.count_tasks(uses), threads)
    for a, words in enumerate(active):
        used[a, words] += added(strings.used[a], threads)
    edit_counts = edit_counts.plus(Edits(*(added(sums, threads) for sums in strings.edit_counts)))
    closed = sum(float(used.sum()) for key, used in uses.items() if key.closed)
    edit_counts.operation[:] += end_counts(closed, arrays)
    ends = np.clip(charts.ends, 0.0, 1.0)
    expected = replace(
        own, rule=own.rule + rule[:-2], used=own.used + used, new=own.new + new, ends=ends, log_z=log_z
    )
    return expected, edit_counts, charts.sources(ends > 0.5)


class _Key(NamedTuple):
    """Key of stored strings with equal output weights: adapted symbol, run before, whether closed."""

    adapted: int
    before: int
    closed: bool


class _Strings:
    """Stored strings, the weights of their outputs, and their expected uses.

    Attributes
    ----------
    mass : dict of _Key to float64 ndarray of shape (runs, strings)
        Weight with which each string of the text is their output, by the run of deletions at its end.
    best, best_weight : ndarray of shape (strings,)
        The most probable source word of each string, and its weight.
    used, edit_counts
        Expected uses of stored strings and of edits, one row per shard.
    """

    def __init__(
        self, grammar: Composed, weights: Weights, active: Sequence[np.ndarray], edits: EditArrays
    ) -> None:
        self.grammar, self.weights, self.active, self.edits = grammar, weights, active, edits
        parser = grammar.parser
        self.spans, phones = parser.every_span, len(parser.corpus.symbols)
        self.tries = [build_trie([parser.codes(s) for s in words], phones) for words in active]
        size, runs = len(self.spans), grammar.limits.most_deleted + 1
        keys = {_Key(c.adapted, c.before, c.closed) for c in grammar.stored if active[c.adapted].size}
        self.mass = {key: np.zeros((1 if key.closed else runs, size)) for key in sorted(keys)}
        self.best, self.best_weight = np.full(size, -1, dtype=np.int64), np.zeros(size)
        self.used = [np.zeros((SHARDS, words.size)) for words in active]
        self.edit_counts = [np.zeros((SHARDS, *kind.shape)) for kind in edits]
        places = np.unique(self.spans.first)
        utterance = np.searchsorted(parser.corpus.offsets, places, side="right")
        left = parser.corpus.offsets[utterance] - places
        self.places = [(places[k], left[k]) for k in shards(left)]

    def pieces(self, k: int) -> list[Pieces]:
        """Return the positions of shard k, in chunks."""
        at, n = self.places[k]
        return [Pieces(at[chunk], n[chunk], self.spans.first) for chunk in chunks(n, PHONES)]

    def within(self, key: _Key) -> Within:
        """Return the context of stored strings."""
        return Within(-key.before, key.closed, end_weight(self.edits) if key.closed else 1.0)

    def mass_tasks(self) -> list[Callable[[], None]]:
        """Return the tasks that fill `mass`; each writes to strings of its own."""
        return [partial(self._add_masses, k) for k in range(SHARDS)]

    def _add_masses(self, k: int) -> None:
        grammar, arcs = self.grammar, new_arcs(_ARCS, self.grammar.limits)
        for key, out in self.mass.items():
            mass = self.weights.mass[key.adapted, self.active[key.adapted]]
            for pieces in self.pieces(k):
                check_interrupt()
                add_masses(
                    grammar.parser.every_text, pieces, self.tries[key.adapted], mass, self.edits,
                    grammar.limits, self.within(key), arcs, out,
                )  # fmt: skip

    def count_tasks(self, uses: dict[_Key, np.ndarray]) -> list[Callable[[], None]]:
        """Return the tasks that distribute the uses of the text's strings over stored strings and edits."""
        share = {
            key: np.divide(uses[key], mass, out=np.zeros_like(mass), where=mass > 0.0)
            for key, mass in self.mass.items()
        }
        return [partial(self._add_counts, k, share) for k in range(SHARDS)]

    def _add_counts(self, k: int, share: dict[_Key, np.ndarray]) -> None:
        parser, limits = self.grammar.parser, self.grammar.limits
        arcs = new_arcs(_ARCS, limits)
        edit_counts = tuple(sums[k] for sums in self.edit_counts)
        for key in self.mass:
            a = key.adapted
            is_word = parser.chart.adapted_symbols[a] == parser.word
            best, weight = (self.best, self.best_weight) if is_word else (self.best[:0], self.best_weight[:0])
            counts = StringCounts(self.used[a][k], edit_counts, best, weight)
            mass = self.weights.mass[a, self.active[a]]
            for pieces in self.pieces(k):
                check_interrupt()
                add_string_counts(
                    parser.every_text, pieces, self.tries[a], mass, self.edits, limits,
                    self.within(key), arcs, share[key], counts,
                )  # fmt: skip


class _Charts:
    """Charts of the utterances under the composed grammar, and their summed counts.

    Only strings that can be the output of a stored string have a number here.
    """

    def __init__(
        self, strings: _Strings, deleted: Deleted, unit: float, inside: list[list[np.ndarray]]
    ) -> None:
        self.strings, self.grammar, self.unit = strings, strings.grammar, unit
        grammar, parser, every = self.grammar, self.grammar.parser, self.grammar.parser.every_span
        reached = np.zeros(len(every), dtype=bool)
        for mass in strings.mass.values():
            reached |= mass.any(axis=0)
        self.kept = np.flatnonzero(reached)
        number = np.full(len(every), -1, dtype=np.int32)
        number[self.kept] = np.arange(self.kept.size)
        self.text = Text(parser.corpus.phones, every.row, number[every.ids])
        adapted = len(grammar.stored)
        self.mass = np.zeros((adapted, self.kept.size))
        for c, stored in enumerate(grammar.stored):
            key = _Key(stored.adapted, stored.before, stored.closed)
            if key in strings.mass:
                self.mass[c] = strings.mass[key][stored.after, self.kept]
        rule = grammar.rule_weights(strings.weights, strings.edits, deleted)
        fresh = strings.weights.fresh[[stored.adapted for stored in grammar.stored]]
        self.weights = Weights(rule, self.mass, np.ones(adapted), fresh)
        self._sizes = (rule.size, self.mass.size, adapted)
        self.sums = np.zeros((SHARDS, sum(self._sizes)))
        self.ends = np.zeros(parser.corpus.phones.size)
        self.inner_rows = np.full(self.mass.shape, -1, dtype=np.int64)
        self.inner = self._inside(inside)

    def counts(self, row: np.ndarray) -> Counts:
        """Return one row as counts."""
        rule, used, built = np.split(row, np.cumsum(self._sizes)[:-1])
        return Counts(rule, used.reshape(self.mass.shape), built.reshape(-1, 1))

    def _inside(self, inside: list[list[np.ndarray]]) -> np.ndarray:
        """Return the posteriors of word ends inside looked-up strings above words, and set `inner_rows`."""
        grammar, strings = self.grammar, self.strings
        every, size, parts = grammar.parser.every_span, 0, [np.zeros(0)]
        for c in grammar.tables.adaptor[grammar.above_word]:
            a = grammar.stored[c].adapted
            if not inside[a]:
                continue
            total = strings.mass[_Key(a, 0, True)][0]
            wanted = np.flatnonzero(total)
            lengths = every.length[wanted]
            rows = np.full(len(every), -1, dtype=np.int64)
            rows[wanted] = np.cumsum(lengths) - lengths
            known = np.zeros((len(inside[a]), max(map(len, inside[a]))))
            for w, ends in enumerate(inside[a]):
                known[w, : len(ends)] = ends
            out = np.zeros(int(lengths.sum()))
            arcs = new_arcs(_ARCS, grammar.limits)
            mass = strings.weights.mass[a, strings.active[a]]
            for k in range(SHARDS):
                for pieces in strings.pieces(k):
                    check_interrupt()
                    piece_ends(
                        grammar.parser.every_text, pieces, strings.tries[a], mass, strings.edits,
                        grammar.limits, end_weight(strings.edits), arcs, known, total, rows, out,
                    )  # fmt: skip
            self.inner_rows[c] = np.where(rows[self.kept] >= 0, size + rows[self.kept], -1)
            size += out.size
            parts.append(out)
        return np.concatenate(parts)

    def tasks(self) -> list[Callable[[], np.ndarray]]:
        """Return the tasks that parse the utterances."""
        parser = self.grammar.parser
        blocks = shards(parser.corpus.lengths[parser.items] ** 2)
        return [partial(self._shard, k, parser.items[block]) for k, block in enumerate(blocks)]

    def _shard(self, k: int, block: np.ndarray) -> np.ndarray:
        grammar, corpus = self.grammar, self.grammar.parser.corpus
        growth = grammar.tables.left.size / max(1, grammar.parser.chart.tables.left.size)
        log_z = np.zeros(block.size)
        counts = self.counts(self.sums[k])
        for chunk in chunks(corpus.lengths[block] ** 3, CHART / max(1.0, growth)):
            check_interrupt()
            items = Items(corpus.offsets[block[chunk]], corpus.lengths[block[chunk]], grammar.start, False)
            boundaries = Boundaries(
                grammar.word, self.ends, items.at, grammar.above_word, self.inner_rows, self.inner
            )
            chart_kernels.expected_counts(
                grammar.tables, self.text, items, self.weights, self.unit, counts, boundaries, log_z[chunk]
            )
        return log_z

    def uses_by_string(self, used: np.ndarray) -> dict[_Key, np.ndarray]:
        """Return the expected look-ups of each string of the text, by key."""
        out = {key: np.zeros_like(mass) for key, mass in self.strings.mass.items()}
        for c, stored in enumerate(self.grammar.stored):
            key = _Key(stored.adapted, stored.before, stored.closed)
            if key in out:
                out[key][stored.after, self.kept] = used[c]
        return out

    def sources(self, ends: np.ndarray) -> np.ndarray:
        """Return the stored source word of each word of a segmentation, at its last phone; -1 for none."""
        grammar, parser, strings = self.grammar, self.grammar.parser, self.strings
        out = np.full(ends.size, -1, dtype=np.int64)
        c = grammar.tables.adaptor[grammar.word]
        if c < 0 or not strings.best_weight.any():
            return out
        starts, stops = map(np.array, word_edges(parser.corpus, ends))
        string = parser.every_span.ids[parser.every_span.row[starts] + stops - starts - 1]
        kinds, first, place = np.unique(string, return_index=True, return_inverse=True)
        built = np.zeros(kinds.size)
        items = Items(starts[first], stops[first] - starts[first], grammar.word, True)
        nothing = Counts(np.zeros(self._sizes[0]), np.zeros_like(self.mass), np.zeros((self._sizes[2], 1)))
        scratch = Boundaries(
            -1, np.zeros(int(items.n.max())), np.zeros_like(first), grammar.above_word[:0],
            self.inner_rows, self.inner,
        )  # fmt: skip
        chart_kernels.expected_counts(
            grammar.tables, self.text, items, self.weights, self.unit, nothing, scratch, built
        )
        stored = np.log(
            strings.best_weight[kinds],
            where=strings.best_weight[kinds] > 0.0,
            out=np.full(kinds.size, -np.inf),
        )
        better = stored > built + np.log(self.weights.fresh[c])
        words = strings.active[grammar.stored[c].adapted]
        chosen = np.where(better, words[strings.best[kinds]], -1)
        out[stops - 1] = chosen[place]
        return out
