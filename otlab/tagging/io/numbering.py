"""Number words and tags token by token, storing two integers per token."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass

import numpy as np

from otlab.errors import InputError

__all__ = ["AS_WRITTEN", "UNKNOWN", "Names", "Normalize", "Numbering", "by_frequency"]

UNKNOWN = "UNK"
_DIGIT = re.compile(r"\d")


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
        Append to both for a token; to the first alone if it has no tag.
    """

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
        """Return each token's tag, int32, and the tags by falling frequency."""
        return by_frequency(np.frombuffer(self.tag_of, np.int32), tuple(self.tags))


def by_frequency(numbers: np.ndarray, names: tuple[str, ...]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return numbers by falling frequency and their names; ties in order, unused names left out."""
    counts = np.bincount(numbers, minlength=len(names))
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    rank = np.zeros(len(names), np.int32)
    rank[order] = np.arange(order.size)
    return rank[numbers], tuple(names[i] for i in order)


def _renamed(numbers: np.ndarray, names: list[str]) -> tuple[np.ndarray, list[str]]:
    """Return numbers and names where names that have become equal are one."""
    distinct = Names()
    table = np.array([distinct[name] for name in names], np.int32)
    return table[numbers], list(distinct)
