"""Tagged text as the taggers see it: numbers for words, tags and sentence ends.

A :class:`Corpus` holds one word number and, if the text is tagged, one tag number a
token; the sentence numbered s is tokens ``offsets[s] .. offsets[s + 1]``. Tags are
for scoring only: no learner looks at them.

>>> corpus = Corpus.from_sentences([[("the", "DT"), ("dog", "NN")], [("dogs", "NNS")]])
>>> corpus.tokens, corpus.types, corpus.sentences, corpus.tagset
(3, 3, 2, ('DT', 'NN', 'NNS'))
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["UNKNOWN", "Corpus", "Normalize"]

UNKNOWN = "UNK"
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True)
class Normalize:
    """What to do to words before counting them; nothing by default, as Johnson (2007).

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
        """Return the word as it is counted, rare words aside."""
        word = word.lower() if self.lowercase else word
        return _DIGIT.sub("0", word) if self.digits else word


@dataclass(frozen=True, eq=False)
class Corpus:
    """Sentences of words, with or without their tags.

    Parameters
    ----------
    words : ndarray of int32, shape (tokens,)
        Index into `vocabulary`.
    offsets : ndarray of int64, shape (sentences + 1,)
        Where each sentence begins, and the end of the last.
    vocabulary
        The word types, in the order they first occur.
    tags : ndarray of int32, shape (tokens,), or None
        Index into `tagset`.
    tagset
        The tags, the most frequent first.
    name
        What to call the corpus in plots and messages.
    """

    words: np.ndarray
    offsets: np.ndarray
    vocabulary: tuple[str, ...]
    tags: np.ndarray | None = None
    tagset: tuple[str, ...] = ()
    name: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.words.size:
            raise InputError(Fault("there are no words in it", "give at least one sentence", file=self.name))

    @property
    def tokens(self) -> int:
        """Number of words, repeats counted."""
        return int(self.words.size)

    @property
    def types(self) -> int:
        """Number of distinct words."""
        return len(self.vocabulary)

    @property
    def sentences(self) -> int:
        """Number of sentences."""
        return int(self.offsets.size - 1)

    @property
    def lengths(self) -> np.ndarray:
        """Words in each sentence."""
        return np.diff(self.offsets)

    @property
    def word_counts(self) -> np.ndarray:
        """Tokens of each word type."""
        return np.bincount(self.words, minlength=self.types)

    @property
    def tag_counts(self) -> np.ndarray:
        """Tokens of each tag; empty if untagged."""
        return np.zeros(0, int) if self.tags is None else np.bincount(self.tags, minlength=len(self.tagset))

    def __repr__(self) -> str:
        tagged = f"{len(self.tagset)} tags" if self.tags is not None else "untagged"
        sizes = f"{self.tokens:,} tokens, {self.types:,} types, {self.sentences:,} sentences"
        return f"<Corpus {self.name}: {sizes}, {tagged}>"

    def __iter__(self) -> Iterator[list[tuple[str, str]]]:
        """Yield sentences as lists of (word, tag); the tag is empty if untagged."""
        for begin, end in zip(self.offsets[:-1], self.offsets[1:], strict=True):
            words = [self.vocabulary[w] for w in self.words[begin:end]]
            tags = [""] * len(words) if self.tags is None else [self.tagset[t] for t in self.tags[begin:end]]
            yield list(zip(words, tags, strict=True))

    @staticmethod
    def from_sentences(
        sentences: Iterable[Sequence[tuple[str, str | None]] | Sequence[str]],
        name: str = "",
        normalize: Normalize | None = None,
    ) -> Corpus:
        """Return a corpus of any iterable of sentences.

        Parameters
        ----------
        sentences
            Lists of (word, tag) pairs, as NLTK's ``tagged_sents()``, or of plain
            words. Empty sentences are left out.
        name, normalize
            See :class:`Corpus` and :class:`Normalize`.

        Raises
        ------
        InputError
            If there is no word at all, or if only some words have tags.
        """
        pairs = [[(t, None) if isinstance(t, str) else t for t in sentence] for sentence in sentences]
        pairs = [sentence for sentence in pairs if sentence]
        tags = [tag for _, tag in chain.from_iterable(pairs)]
        untagged = sum(tag is None for tag in tags)
        if 0 < untagged < len(tags):
            raise InputError(
                Fault(f"{untagged} of {len(tags)} words have no tag", "tag all or none", file=name)
            )
        lengths = [len(sentence) for sentence in pairs]
        words = [word for word, _ in chain.from_iterable(pairs)]
        return build(words, None if untagged else tags, lengths, name, normalize or Normalize())

    def first(self, sentences: int) -> Corpus:
        """Return the corpus of the first sentences, with only their words and tags."""
        count = min(sentences, self.sentences)
        end = int(self.offsets[count])
        used, words = np.unique(self.words[:end], return_inverse=True)
        vocabulary = tuple(self.vocabulary[w] for w in used)
        part = replace(
            self,
            words=words.astype(np.int32),
            vocabulary=vocabulary,
            offsets=self.offsets[: count + 1],
            tags=None,
        )
        if self.tags is None:
            return part
        tags, tagset = _by_frequency([self.tagset[t] for t in self.tags[:end]])
        return replace(part, tags=tags, tagset=tagset)

    def with_vocabulary(self, vocabulary: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Return each token's index in another vocabulary, and whether it is known there.

        Unknown words get index 0.
        """
        index = {word: i for i, word in enumerate(vocabulary)}
        table = np.array([index.get(word, -1) for word in self.vocabulary], dtype=np.int32)
        found = table[self.words]
        return np.maximum(found, 0), found >= 0


def build(
    words: Sequence[str],
    tags: Sequence[str | None] | None,
    lengths: Sequence[int],
    name: str,
    normalize: Normalize,
) -> Corpus:
    """Return a corpus from flat lists; `lengths` are those of the sentences."""
    if not words:
        raise InputError(Fault("there are no words in it", "give at least one sentence", file=name))
    if normalize.lowercase or normalize.digits:
        words = [normalize(word) for word in words]
    vocabulary, words_by_number = _number(words, normalize.least)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    corpus = Corpus(words_by_number, offsets, vocabulary, name=name)
    if tags is None:
        return corpus
    numbers, tagset = _by_frequency([tag or "" for tag in tags])
    return replace(corpus, tags=numbers, tagset=tagset)


def _number(words: Sequence[str], least: int) -> tuple[tuple[str, ...], np.ndarray]:
    """Give words numbers by first occurrence; those seen fewer than `least` times become one."""
    index: dict[str, int] = {}
    numbers = np.fromiter((index.setdefault(w, len(index)) for w in words), dtype=np.int32, count=len(words))
    if least == 1:
        return tuple(index), numbers
    frequent = np.bincount(numbers) >= least
    kept = [word if keep else UNKNOWN for word, keep in zip(index, frequent, strict=True)]
    return _number([kept[n] for n in numbers], 1)


def _by_frequency(tags: Sequence[str]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Give tags numbers by falling frequency; return those of the tokens, and the tagset."""
    index: dict[str, int] = {}
    numbers = np.fromiter((index.setdefault(t, len(index)) for t in tags), dtype=np.int32, count=len(tags))
    order = np.argsort(-np.bincount(numbers, minlength=len(index)), kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    names = tuple(index)
    return rank[numbers].astype(np.int32), tuple(names[i] for i in order)
