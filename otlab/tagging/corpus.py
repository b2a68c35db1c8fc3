"""A tagged corpus as arrays: numbers of words and tags, and the ends of sentences.

A :class:`Corpus` holds one word number and, if the text is tagged, one tag number a
token; the sentence numbered s is tokens ``offsets[s] .. offsets[s + 1]``. Tags are
for scoring only: no learner looks at them.

>>> corpus = Corpus.from_sentences([[("the", "DT"), ("dog", "NN")], [("dogs", "NNS")]])
>>> corpus.tokens, corpus.types, corpus.sentences, corpus.tagset
(3, 3, 2, ('DT', 'NN', 'NNS'))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import Fault, InputError, counted
from otlab.reading import ReadAs
from otlab.tagging.io.numbering import AS_WRITTEN, UNKNOWN, Normalize, Numbering, by_frequency

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["UNKNOWN", "Corpus", "Normalize"]

_MOST_FAULTS = 1000


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
        Index into `tagset`; -1 for a token without a tag, which no score counts. None if no token has one.
    tagset
        The tags, the most frequent first.
    name
        What to call the corpus in plots and messages.
    normalize
        What was done to the words.
    reading
        How its file was read, if it is of one.

    Examples
    --------
    >>> Corpus.from_sentences([[("the", "DT"), ("dog", "NN")], [("the", "DT"), ("cat", "NN")]], name="pets")
    <Corpus pets: 4 tokens, 3 types, 2 sentences, 2 tags>
    """

    words: np.ndarray
    offsets: np.ndarray
    vocabulary: tuple[str, ...]
    tags: np.ndarray | None = None
    tagset: tuple[str, ...] = ()
    name: str = field(default="", compare=False)
    normalize: Normalize = AS_WRITTEN
    reading: ReadAs | None = field(default=None, compare=False)

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

    @cached_property
    def word_counts(self) -> np.ndarray:
        """Tokens of each word type."""
        return np.bincount(self.words, minlength=self.types)

    @cached_property
    def tag_counts(self) -> np.ndarray:
        """Tokens of each tag; empty if untagged."""
        if self.tags is None:
            return np.zeros(0, int)
        return np.bincount(self.tags[self.tags >= 0], minlength=len(self.tagset))

    @property
    def tagged(self) -> int:
        """Number of tokens that have a tag."""
        return int(self.tag_counts.sum())

    def __repr__(self) -> str:
        tagged = counted(len(self.tagset), "tag") if self.tags is not None else "untagged"
        numbers = {"token": self.tokens, "type": self.types, "sentence": self.sentences}
        sizes = ", ".join(counted(n, noun) for noun, n in numbers.items())
        return f"<Corpus {self.name}: {sizes}, {tagged}>"

    def __iter__(self) -> Iterator[list[tuple[str, str]]]:
        """Yield sentences as lists of (word, tag); the tag of a token that has none is empty."""
        names = (*self.tagset, "")  # the last for -1
        for begin, end in zip(self.offsets[:-1], self.offsets[1:], strict=True):
            words = [self.vocabulary[w] for w in self.words[begin:end]]
            tags = [""] * len(words) if self.tags is None else [names[t] for t in self.tags[begin:end]]
            yield list(zip(words, tags, strict=True))

    @staticmethod
    def of(text: Numbering, name: str = "", normalize: Normalize = AS_WRITTEN) -> Corpus:
        """Return the corpus of numbered words; untagged if none of them has a tag."""
        words, vocabulary = text.numbered_words(normalize)
        tags, tagset = text.numbered_tags() if text.tag_of else (None, ())
        return Corpus(words, text.offsets(), vocabulary, tags if tagset else None, tagset, name, normalize)

    @staticmethod
    def from_sentences(
        sentences: Iterable[Iterable[Any]], name: str = "", normalize: Normalize = AS_WRITTEN
    ) -> Corpus:
        """Return a corpus of any iterable of sentences, which is not stored.

        Parameters
        ----------
        sentences
            Lists of (word, tag) pairs, as NLTK's ``tagged_sents()``, of plain words, or
            of conllu's tokens (``form`` and ``xpos``). Empty sentences are left out. The tag None says
            that a word has none; in no score is it counted.
        name, normalize
            See :class:`Corpus` and :class:`Normalize`.

        Raises
        ------
        InputError
            With every token that is neither a word nor a (word, tag) pair, by sentence
            and place; if there is no word at all, or if plain words stand beside pairs.
        """
        text = Numbering()
        faults: list[Fault] = []
        pairs = 0
        for number, sentence in enumerate(sentences, start=1):
            for place, token in enumerate(_words(sentence), start=1):
                word, tag = _pair(token)
                if word and tag != "":
                    text.word_of.append(text.words[word])
                    text.tag_of.append(-1 if tag is None else text.tags[tag])
                    pairs += not isinstance(token, str)
                elif len(faults) < _MOST_FAULTS:
                    faults.append(_odd_token(token, number, place, name))
            text.end_sentence()
        untagged = text.tokens - pairs
        if pairs and untagged:
            what = f"{untagged} of {counted(text.tokens, 'word')} {'has' if untagged == 1 else 'have'} no tag"
            faults.append(Fault(what, "tag all or none; write (word, None) for one without", file=name))
        if faults:
            raise InputError(faults)
        return Corpus.of(text, name, normalize)

    def to_dict(self) -> dict[str, Any]:
        """Return the corpus as values for JSON; :meth:`from_dict` reads them back."""
        plain = self.tags is None
        return {
            "sentences": [[w if plain else [w, tag or None] for w, tag in sentence] for sentence in self],
            "normalize": asdict(self.normalize),
            "reading": None if self.reading is None else self.reading.to_dict(),
        }

    @staticmethod
    def from_dict(values: Mapping[str, Any], name: str = "") -> Corpus:
        """Return the corpus that :meth:`to_dict` wrote; its name is given anew."""
        sentences = [[t if isinstance(t, str) else tuple(t) for t in s] for s in values["sentences"]]
        reading = ReadAs.from_dict(values["reading"]) if values.get("reading") else None
        corpus = Corpus.from_sentences(sentences, name)
        return replace(corpus, normalize=Normalize(**values["normalize"]), reading=reading)

    def first(self, sentences: int) -> Corpus:
        """Return the corpus of the first sentences, with only their words and tags."""
        return self.select(np.arange(self.sentences) < sentences)

    def select(self, chosen: np.ndarray) -> Corpus:
        """Return the corpus of some sentences, with only their words and tags.

        Parameters
        ----------
        chosen : ndarray of bool, shape (sentences,)
            Which sentences; at least one.
        """
        tokens = np.repeat(chosen, self.lengths)
        used, first, words = np.unique(self.words[tokens], return_index=True, return_inverse=True)
        order = np.argsort(first)
        part = replace(
            self,
            words=np.argsort(order)[words].astype(np.int32),
            vocabulary=tuple(self.vocabulary[w] for w in used[order]),
            offsets=np.concatenate([[0], np.cumsum(self.lengths[chosen])]),
            tags=None,
        )
        if self.tags is None:
            return part
        tags, tagset = by_frequency(self.tags[tokens], self.tagset)
        return replace(part, tags=tags if tagset else None, tagset=tagset)


def _words(sentence: Iterable[Any]) -> Iterator[Any]:
    """Yield tokens; of conllu's, only those that are words."""
    for token in sentence:
        if not isinstance(token, Mapping):
            yield token
        elif isinstance(token.get("id"), int):
            yield token.get("form"), token.get("xpos")


def _pair(token: Any) -> tuple[str, str | None]:
    """Return a token's word and tag, None if it has no tag; empty strings if it is not a token."""
    if isinstance(token, str):
        return token, None
    if isinstance(token, tuple | list) and len(token) == 2 and isinstance(token[0], str):
        word, tag = token
        return word, tag if tag is None or isinstance(tag, str) else ""
    return "", ""


def _odd_token(token: Any, sentence: int, place: int, name: str) -> Fault:
    what = f"token {place} of sentence {sentence} is {token!r}"
    return Fault(what, "give a word or a (word, tag) pair", file=name)
