"""Put known edits into a text, to see whether a learner finds them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from otlab.discovery.corpus import Corpus

__all__ = ["Corruption", "corrupt"]


@dataclass(frozen=True, eq=False)
class Corruption:
    """A text that went through a channel.

    Attributes
    ----------
    corpus
        What came out; a word keeps its edges, and at least one phone.
    confusion : int64 ndarray of shape (phones,)
        The phone each phone is substituted by.
    operations : int64 ndarray of shape (4,)
        How many none, substitutions, insertions, deletions there were.
    """

    corpus: Corpus
    confusion: np.ndarray
    operations: np.ndarray


def corrupt(
    corpus: Corpus, rate: float, rng: np.random.Generator, mix: tuple[float, float, float] = (0.6, 0.2, 0.2)
) -> Corruption:
    """Edit each phone with probability `rate`.

    Parameters
    ----------
    corpus
        With gold.
    rate
        Edits a phone, in [0, 1).
    rng
        Where the edits come from.
    mix
        Shares of substitutions (each phone always by the same other one), insertions of
        any phone before it, and deletions (never of a word's only phone).
    """
    size = len(corpus.symbols)
    shuffled = rng.permutation(size)
    confusion = np.empty(size, dtype=np.int64)
    confusion[shuffled] = np.roll(shuffled, 1)
    ends = np.array(corpus.gold, dtype=bool)
    alone = ends & np.concatenate([[True], ends[:-1]])
    kind = np.where(rng.random(ends.size) < rate, rng.choice([1, 2, 3], size=ends.size, p=mix), 0)
    kind[alone & (kind == 3)] = 1
    # A word must not lose its only edge: of two neighbours deleted, the second stays.
    kind[1:][(kind[1:] == 3) & (kind[:-1] == 3)] = 0
    new = np.where(kind == 1, confusion[corpus.phones], corpus.phones)
    keep, added = kind != 3, kind == 2
    width = keep.astype(np.int64) + added
    place = np.cumsum(width) - width
    phones = np.zeros(int(width.sum()), dtype=np.int32)
    phones[(place + added)[keep]] = new[keep]
    phones[place[added]] = rng.integers(size, size=int(added.sum()))
    last = np.cumsum(width)[ends] - 1
    gold = np.zeros(phones.size, dtype=bool)
    gold[last] = True
    offsets = np.concatenate([[0], np.cumsum(width)])[corpus.offsets]
    edited = replace(
        corpus, phones=phones, offsets=offsets, gold=gold, name=f"{corpus.name} ({rate:.0%} edited)"
    )
    return Corruption(edited, confusion, np.bincount(kind, minlength=4))
