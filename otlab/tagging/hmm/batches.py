"""Arrange a corpus for matrix products, in batches of sentences of similar length, in fixed shards.

Sentences are sorted by descending length and divided into batches of about ``BATCH_TOKENS``; batches are
distributed over ``SHARDS`` shards of approximately equal size. Each shard sums its own counts, and the
sums are added in the order of the shards, so the results are bit for bit the same for any number of
threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.tagging.kernels.layout import Batch

if TYPE_CHECKING:
    from otlab.tagging.corpus import Corpus

__all__ = ["SHARDS", "make_shards"]

SHARDS = 4
# The working space of a batch should fit into the cache of a core: two arrays of so many rows of 50
# float32 take 1.6 MB.
BATCH_TOKENS = 4000


def make_shards(corpus: Corpus, tokens: int = BATCH_TOKENS, shards: int = SHARDS) -> list[list[Batch]]:
    """Return the batches of each shard; a shard may be empty."""
    lengths = corpus.lengths
    by_length = np.argsort(-lengths, kind="stable")
    batches: list[list[Batch]] = [[] for _ in range(shards)]
    load = [0] * shards
    at = 0
    # Sentences without words are left out.
    while at < by_length.size and lengths[by_length[at]] > 0:
        count = max(1, min(tokens, -(-corpus.tokens // shards)) // int(lengths[by_length[at]]))
        batch = _lay_out(corpus, by_length[at : at + count])
        lightest = load.index(min(load))
        batches[lightest].append(batch)
        load[lightest] += batch.tokens
        at += count
    return batches


def _lay_out(corpus: Corpus, sentences: np.ndarray) -> Batch:
    lengths = corpus.lengths[sentences]
    lengths = lengths[lengths > 0]
    sentences = sentences[: lengths.size]
    begins = corpus.offsets[sentences]
    widths = [int(np.count_nonzero(lengths > t)) for t in range(int(lengths[0]))]
    order = np.concatenate([begins[:width] + t for t, width in enumerate(widths)])
    starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    return Batch(corpus.words[order], order, starts)
