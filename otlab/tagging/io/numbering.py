"""Number words and tags token by token, storing two integers per token."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = [
    "AS_WRITTEN",
    "FINAL_TAGS",
    "FINAL_WORDS",
    "UNKNOWN",
    "Names",
    "Normalize",
    "Numbering",
    "by_frequency",
]

UNKNOWN = "UNK"
_DIGIT = re.compile(r"\d")
FINAL_WORDS = frozenset([".", "!", "?", "…", "...", "。", "！", "？", "।", "؟", "۔"])
FINAL_TAGS = frozenset(["SENT", "$."])  # of TreeTagger, and of the German tag set
_CLOSING = frozenset(["''", "”", "’", "»", "“", ")", "]", "-RRB-", "」", "』"])


@dataclass(frozen=True)
class Normalize:
    """Normalisation of words before counting; none by default, as in Johnson (2007).

    Attributes
    ----------
    lowercase
        Write all words in small letters.
    digits
        Write every digit as 0.
    least
        Replace words seen fewer times than this by ``UNK``.
    """

    lowercase: bool = False
    digits: bool = False
    least: int = 1

    def __post_init__(self) -> None:
        if self.least < 1:
            raise InputError(f"a word cannot be required {self.least} times; write 1 or more")

    def __call__(self, word: str) -> str:
        """Return the word as it is counted, apart from rare words.

        >>> Normalize(lowercase=True, digits=True)("In1984")
        'in0000'
        """
        word = word.lower() if self.lowercase else word
        return _DIGIT.sub("0", word) if self.digits else word


AS_WRITTEN = Normalize()


class Names(dict[str, int]):
    """Numbers names in the order of their first use.

    >>> names = Names()
    >>> names["the"], names["dog"], names["the"], list(names)
    (0, 1, 0, ['the', 'dog'])
    """

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number


class Numbering:
    """Words, tags and ends of sentences in order, four bytes each.

    Attributes
    ----------
    words, tags : Names
        The words and tags of the numbers.
    word_of, tag_of : array of int32
        Append to both for a token, -1 as the tag of one without; to the first alone if no token has one.
    no_tag
        What stands in place of a tag that is missing; "" if nothing does.
    """

    no_tag = ""

    def __init__(self) -> None:
        self.words, self.tags = Names(), Names()
        self.word_of, self.tag_of = array("i"), array("i")
        self._ends = array("i", [0])

    @property
    def tokens(self) -> int:
        """Number of tokens so far."""
        return len(self.word_of)

    @property
    def sentences(self) -> int:
        """Number of finished sentences."""
        return len(self._ends) - 1

    def end_sentence(self) -> None:
        """End the current sentence; an empty one is not counted."""
        if len(self.word_of) > self._ends[-1]:
            self._ends.append(len(self.word_of))

    def offsets(self) -> np.ndarray:
        """Return where sentences begin, and the end of the last: int64."""
        return np.array(self._ends, np.int64)

    def end_at_marks(self, only_tags: Collection[str] = ()) -> None:
        """End sentences after full stops too, and after the quotes and brackets that close behind them.

        A full stop is a word such as ``.`` or ``?``, or a token that is tagged as one; with `only_tags` a
        token with one of these tags.
        """
        if only_tags:
            marks = _among(self.tag_of, self.tags, only_tags)
        else:
            marks = _among(self.word_of, self.words, FINAL_WORDS)
            if self.tag_of:
                marks |= _among(self.tag_of, self.tags, FINAL_TAGS)
        closing = _among(self.word_of, self.words, _CLOSING)
        ended = marks
        while (more := ended | (closing & np.concatenate([[False], ended[:-1]]))).sum() > ended.sum():
            ended = more
        last = np.flatnonzero(ended & ~np.concatenate([ended[1:], [False]])) + 1
        before_closing = np.flatnonzero(closing[1:] & ended[:-1]) + 1
        ends = np.setdiff1d(np.union1d(self.offsets(), [*last, self.tokens]), before_closing)
        self._ends = array("i", ends.astype(int).tolist())

    def numbered_words(self, normalize: Normalize) -> tuple[np.ndarray, tuple[str, ...]]:
        """Return each token's word, int32, and the vocabulary in the order of first occurrence."""
        numbers = np.frombuffer(self.word_of, np.int32)
        names = list(self.words)
        if normalize.lowercase or normalize.digits:
            numbers, names = _renamed(numbers, [normalize(name) for name in names])
        if normalize.least > 1:
            often = np.bincount(numbers, minlength=len(names)) >= normalize.least
            kept = [name if keep else UNKNOWN for name, keep in zip(names, often, strict=True)]
            numbers, names = _renamed(numbers, kept)
        return numbers, tuple(names)

    def numbered_tags(self) -> tuple[np.ndarray, tuple[str, ...]]:
        """Return each token's tag, int32, -1 where it has none, and the tags by falling frequency."""
        numbers = np.frombuffer(self.tag_of, np.int32)
        if self.no_tag in self.tags:
            numbers = np.where(numbers == self.tags[self.no_tag], -1, numbers)
        return by_frequency(numbers, tuple(self.tags))


def _among(numbers: array[int], names: Names, some: Collection[str]) -> np.ndarray:
    """Return which tokens have one of some names."""
    table = np.array([name in some for name in names], bool)
    return np.asarray(table[np.frombuffer(numbers, np.int32)])


def by_frequency(numbers: np.ndarray, names: tuple[str, ...]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return numbers by falling frequency and their names; ties in order, unused names left out, -1 kept."""
    counts = np.bincount(numbers[numbers >= 0], minlength=len(names))
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    rank = np.full(len(names) + 1, -1, np.int32)  # the last for -1
    rank[order] = np.arange(order.size)
    return rank[numbers], tuple(names[i] for i in order)


def _renamed(numbers: np.ndarray, names: list[str]) -> tuple[np.ndarray, list[str]]:
    """Return numbers and names where names that have become equal are one."""
    distinct = Names()
    table = np.array([distinct[name] for name in names], np.int32)
    return table[numbers], list(distinct)
