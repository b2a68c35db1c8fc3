"""The E-step behind the channel: expected uses of words and of edits, in parallel over fixed shards.

The same plan as :mod:`~otlab.discovery.parsing.estep`: the numbers are the same for any thread
count. The lexicon is a trie, walked from each place of an utterance with few edits.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.discovery.channel.channel import Edits
from otlab.discovery.kernels import lattice as lattice_kernels
from otlab.discovery.kernels import noisy as noisy_kernels
from otlab.discovery.parsing.chunks import PHONES, portions
from otlab.discovery.parsing.estep import SHARDS, Expectations, added, expect, in_order, shards, workers
from otlab.discovery.parsing.trie import Trie
from otlab.inference.run import check_interrupt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from otlab.discovery.parsing.parser import Parser, Weights

__all__ = ["Limits", "expect_noisy"]

_ARCS = 400_000
"""Most ways in which words can have come out as pieces of one utterance."""


class Limits(NamedTuple):
    """Most edits in one word, and the longest runs of insertions and of deletions."""

    most_edits: int = 2
    most_inserted: int = 2
    most_deleted: int = 2


DEFAULT_LIMITS = Limits()


def expect_noisy(
    parser: Parser,
    weights: Weights,
    active: Sequence[np.ndarray],
    edits: Edits,
    unit: float,
    limits: Limits = DEFAULT_LIMITS,
    threads: int | None = None,
) -> tuple[Expectations, Edits, np.ndarray]:
    """Parse everything through the channel.

    Parameters
    ----------
    parser
        Text, and a grammar that only cuts words.
    weights, active
        Of rules and strings; and the strings that are words, whose own trees count.
    edits
        The channel's Dirichlet parameters.
    unit
        Factor a phone, about one over its average weight; see
        :func:`~otlab.discovery.parsing.estep.expect`.
    limits
        Of the edits in one word.
    threads
        One per core if None. The results do not depend on it.

    Returns
    -------
    found : Expectations
        Of words and rules; a word's uses are of what was meant, builds are not told apart.
    edits : Edits
        Expected edits.
    best : int64 ndarray of shape (phones,)
        The stored string most probably ending after each phone; -1 for one built anew.
    """
    own = expect(_without_utterances(parser), weights, active, unit, threads, by_string=False)
    words = active[0]
    step = _Pass(parser, words, weights, edits, unit, limits)
    pool = workers(threads)
    log_z = np.zeros(len(parser.corpus))
    log_z[parser.items] = np.concatenate(in_order(pool, step.tasks()))
    rule, used, built, operation, insertion, substitution = (added(pool, sums) for sums in step.sums)
    uses = np.zeros_like(own.used)
    uses[0, words] = used
    found = replace(
        own,
        rule=own.rule + rule[:-2],
        used=own.used + uses,
        new=own.new + built.sum(),
        ends=np.clip(step.ends, 0.0, 1.0),
        log_z=log_z,
    )
    best = np.where(step.best >= 0, words[step.best], -1)
    return found, Edits(operation, insertion, substitution), best


def _without_utterances(parser: Parser) -> Parser:
    """Return the same parser with no utterance to parse: only grammatons' own strings count."""
    empty = copy(parser)
    empty.items = parser.items[:0]
    return empty


class _Pass:
    """One E-step's arrays: for each shard sums of rules, words, new words, and the three kinds of edits."""

    def __init__(
        self,
        parser: Parser,
        words: np.ndarray,
        weights: Weights,
        edits: Edits,
        unit: float,
        limits: Limits,
    ) -> None:
        self.parser, self.rule, self.unit, self.limits = parser, weights.rule, unit, limits
        self.mass, self.fresh = weights.mass[0, words], float(weights.fresh[0])
        self.edits = edits.weights()
        phones = len(parser.corpus.symbols)
        self.trie = Trie.of([parser.codes(word) for word in words], phones)
        shapes = [
            (weights.rule.size,),
            words.shape,
            (1,),
            (4,),
            (phones,),
            (phones, phones),
        ]
        self.sums = tuple(np.zeros((SHARDS, *shape)) for shape in shapes)
        self.ends = np.zeros(parser.corpus.phones.size)
        self.best = np.full(parser.corpus.phones.size, -1, dtype=np.int64)

    def tasks(self) -> list[Callable[[], np.ndarray]]:
        """Return the tasks that parse the data."""
        items = self.parser.items
        blocks = shards(self.parser.corpus.lengths[items])
        return [partial(self._shard, k, items[block]) for k, block in enumerate(blocks)]

    def _shard(self, k: int, block: np.ndarray) -> np.ndarray:
        parser, corpus, limits = self.parser, self.parser.corpus, self.limits
        lattice, lengths = parser.required_lattice, corpus.lengths[block]
        log_z = np.zeros(block.size)
        arcs, arc_weights = np.zeros((_ARCS, 4 + 3 * limits.most_edits), dtype=np.int64), np.zeros(_ARCS)
        operation, insertion, substitution = self.edits
        rules, used, built, operations, insertions, substitutions = (sums[k] for sums in self.sums)
        follow, first_child, sibling, symbol, word = self.trie.arrays
        phone_weight = lattice_kernels.phone_weights(lattice.phone, self.rule)
        for some in portions(lengths, PHONES):
            check_interrupt()
            noisy_kernels.noisy_counts(
                corpus.phones, corpus.offsets[block[some]], lengths[some], parser.spans.row,
                parser.spans.ids, self.rule[lattice.rules], lattice.rules, phone_weight, lattice.phone,
                follow, first_child, sibling, symbol, word, self.mass, self.fresh, operation, insertion,
                substitution, limits.most_edits, limits.most_inserted, limits.most_deleted, self.unit,
                int(lengths[some].max()), rules, used, built, operations, insertions, substitutions,
                self.ends, log_z[some], self.best, arcs, arc_weights,
            )  # fmt: skip
        return log_z
