"""Compute the E-step of a text with edits: expected uses of words and edits, in parallel over fixed shards.

As in :mod:`~otlab.discovery.parsing.estep`, the results do not depend on the number of threads. The
lexicon is a trie, which is searched from each position of an utterance with a limited number of edits.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.channel.channel import Edits
from otlab.discovery.channel.composed_estep import expect_composed
from otlab.discovery.channel.trie import build_trie
from otlab.discovery.channel.word_ends import end_counts, end_weight
from otlab.discovery.kernels.fresh import FreshWeights
from otlab.discovery.kernels.lattice import phone_weights
from otlab.discovery.kernels.layout import EditArrays, Items, Limits, new_arcs
from otlab.discovery.kernels.noisy import NoisyCounts, NoisyWeights, noisy_counts
from otlab.discovery.parsing.chunks import PHONES, chunks
from otlab.discovery.parsing.estep import SHARDS, Expectations, added, expect_own, shards
from otlab.inference.parallel import in_order
from otlab.inference.run import check_interrupt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from otlab.discovery.kernels.layout import Weights
    from otlab.discovery.parsing.parser import Parser

__all__ = ["Limits", "expect_noisy"]

_ARCS = 400_000
"""Largest number of edited words in one utterance."""

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
    """Return the expected counts of a text that has passed through the channel.

    Parameters
    ----------
    parser
        Text and grammar. A grammar that only cuts words is parsed by its segmentations, any other by a
        chart (:mod:`~otlab.discovery.channel.composed_estep`).
    weights, active
        Weights of rules and strings; and the stored strings, whose own trees are counted too.
    edits
        The channel's Dirichlet parameters.
    unit
        Factor per phone, about one over its average weight; see
        :func:`~otlab.discovery.parsing.estep.expect`.
    limits
        Limits of the edits in one word.
    threads
        Number of threads, one per core if None. The results do not depend on it.

    Returns
    -------
    expected : Expectations
        Expected uses of rules and of source words; words built from rules are counted together.
    edits : Edits
        Expected edits.
    best : int64 ndarray of shape (phones,)
        The most probable stored word that ends after each phone; -1 if it is built from rules.
    """
    if parser.lattice is None:
        return expect_composed(parser, weights, active, edits, unit, limits, threads)
    own, _ = expect_own(parser, weights, active, unit, threads)
    words = active[0]
    step = _Pass(parser, words, weights, edits, unit, limits)
    log_z = np.zeros(len(parser.corpus))
    log_z[parser.items] = np.concatenate(in_order(step.tasks(), threads))
    rule, used, built, operation, insertion, substitution = (added(sums, threads) for sums in step.sums)
    operation += end_counts(float(used.sum() + built.sum()), step.edits)
    uses = np.zeros_like(own.used)
    uses[0, words] = used
    expected = replace(
        own,
        rule=own.rule + rule[:-2],
        used=own.used + uses,
        new=own.new + built.sum(),
        ends=np.clip(step.ends, 0.0, 1.0),
        log_z=log_z,
    )
    best = np.where(step.best >= 0, words[step.best], -1)
    return expected, Edits(operation, insertion, substitution), best


class _Pass:
    """Arrays of one E-step: for each shard, sums of rules, words, new words, and three kinds of edits."""

    def __init__(
        self,
        parser: Parser,
        words: np.ndarray,
        weights: Weights,
        edits: Edits,
        unit: float,
        limits: Limits,
    ) -> None:
        self.parser, self.limits, self.edits = parser, limits, edits.weights()
        self.lattice = parser.required_lattice
        rules, by_phone = weights.rule[self.lattice.rules], phone_weights(self.lattice.phone, weights.rule)
        end = end_weight(self.edits)
        fresh = fresh_weights(rules, by_phone, float(weights.fresh[0]), self.edits, unit, end)
        self.weights = NoisyWeights(rules, by_phone, weights.mass[0, words], fresh, unit)
        phones = len(parser.corpus.symbols)
        self.trie = build_trie([parser.codes(word) for word in words], phones)
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
        """Return the tasks that parse the utterances."""
        items = self.parser.items
        blocks = shards(self.parser.corpus.lengths[items])
        return [partial(self._shard, k, items[block]) for k, block in enumerate(blocks)]

    def _shard(self, k: int, block: np.ndarray) -> np.ndarray:
        corpus, parser = self.parser.corpus, self.parser
        at, lengths = corpus.offsets[block], corpus.lengths[block]
        log_z = np.zeros(block.size)
        arcs = new_arcs(_ARCS, self.limits)
        rule, used, built, *edits = (sums[k] for sums in self.sums)
        counts = NoisyCounts(rule, used, built, EditArrays(*edits), self.ends, self.best)
        for chunk in chunks(lengths, PHONES):
            check_interrupt()
            items = Items(at[chunk], lengths[chunk], parser.chart.start, False)
            noisy_counts(
                parser.text, items, self.lattice, self.weights, self.trie, self.edits, self.limits, counts,
                arcs, log_z[chunk],
            )  # fmt: skip
        return log_z


def fresh_weights(
    rules: np.ndarray, phones: np.ndarray, leftover: float, edits: EditArrays, unit: float, end: float
) -> FreshWeights:
    """Return the weights of words that are built from rules and edited, summed over source phones."""
    none, substitute, insert, delete = edits.operation
    return FreshWeights(
        keep=unit * none * phones,
        substitute=unit * substitute * (phones @ edits.substitution),
        insert=unit * insert * edits.insertion,
        delete=float(delete * phones.sum()),
        first=float(leftover * rules[3] * rules[4]),
        further=float(rules[5]),
        end=end,
    )
