"""A tag dictionary: the tags that each word may have, as a mask of states.

With a dictionary, state k is tag k, and learning is the semi-supervised task
of Merialdo (1994); words that are not in it may have any tag. The text may be untagged: the tags are then
numbered in the order of the dictionary.

>>> from otlab.tagging.corpus import Corpus
>>> corpus = Corpus.from_sentences([[("the", "DT"), ("dog", "NN")]])
>>> TagDictionary({"the": ("DT",)}).mask(corpus, 2)
array([[ True, False],
       [ True,  True]])
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import Fault, InputError, counted, did_you_mean
from otlab.tagging.io.textfile import whole_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otlab.tagging.corpus import Corpus

__all__ = ["TagDictionary"]


@dataclass(frozen=True)
class TagDictionary:
    """Allowed tags by word.

    Attributes
    ----------
    allowed
        Word to its tags; at least one each.
    """

    allowed: Mapping[str, tuple[str, ...]]

    @staticmethod
    def of(corpus: Corpus, least: int = 1) -> TagDictionary:
        """Return the tags that each word has in a tagged corpus.

        Parameters
        ----------
        corpus
            Tagged.
        least
            Words that occur fewer times are left out: they may have any tag.

        Raises
        ------
        InputError
            If the corpus has no tags.
        """
        if corpus.tags is None:
            raise InputError(Fault("the corpus has no tags to make a dictionary of", file=corpus.name))
        frequent = corpus.word_counts >= least
        known = corpus.tags >= 0
        pairs = np.unique(corpus.words[known].astype(np.int64) * len(corpus.tagset) + corpus.tags[known])
        found: dict[str, list[str]] = defaultdict(list)
        for word, tag in zip(*(part.tolist() for part in divmod(pairs, len(corpus.tagset))), strict=True):
            if frequent[word]:
                found[corpus.vocabulary[word]].append(corpus.tagset[tag])
        return TagDictionary({word: tuple(tags) for word, tags in found.items()})

    @staticmethod
    def read(path: str | Path) -> TagDictionary:
        """Read a file of lines ``word TAG TAG ...``; ``#`` at the start of a line is a comment.

        Raises
        ------
        InputError
            With every line that has no tag or repeats a word.
        """
        return TagDictionary.parse(whole_text(path), Path(path).name)

    @staticmethod
    def parse(text: str, file: str = "") -> TagDictionary:
        """Return the dictionary that a text holds; see :meth:`read`. `file` is its name in messages."""
        allowed: dict[str, tuple[str, ...]] = {}
        faults = []
        for number, line in enumerate(text.splitlines(), start=1):
            word, *tags = line.split() or [""]
            if not word or line.startswith("#"):
                continue
            if not tags:
                faults.append(Fault(f"{word!r} has no tag", "write the word and its tags", file, number, 1))
            elif word in allowed:
                faults.append(Fault(f"{word!r} is given twice", "put its tags in one line", file, number, 1))
            allowed[word] = tuple(tags)
        if not allowed:
            faults.append(
                Fault("the tag dictionary is empty", "write a word and its tags on each line", file)
            )
        if faults:
            raise InputError(faults)
        return TagDictionary(allowed)

    def tags(self, corpus: Corpus) -> tuple[str, ...]:
        """Return the tag of each state: those of the corpus and, if it has words without one, further ones.

        The further ones stand in the order in which the dictionary first names them.
        """
        own = dict.fromkeys(tag for tags in self.allowed.values() for tag in tags)
        partly = corpus.tagged < corpus.tokens
        return tuple(dict.fromkeys([*corpus.tagset, *own])) if partly else corpus.tagset

    def mask(self, corpus: Corpus, states: int) -> np.ndarray:
        """Return which states each word type may have, bool (types, states).

        State k is the k-th of :meth:`tags`; further states belong to words outside the
        dictionary only.

        Raises
        ------
        InputError
            For a tag that a wholly tagged corpus does not have, one that no state is left for, or if no
            word of the dictionary is in the corpus.
        """
        names = self.tags(corpus)
        index = {tag: k for k, tag in enumerate(names)}
        unknown = {tag for tags in self.allowed.values() for tag in tags} - index.keys()
        if unknown:
            tag = min(unknown)
            raise InputError(
                Fault(f"no word of the corpus is tagged {tag!r}", did_you_mean(tag, corpus.tagset))
            )
        if self.allowed.keys().isdisjoint(corpus.vocabulary):
            what = f"no word of the text is in the tag dictionary ({counted(len(self.allowed), 'word')})"
            raise InputError(Fault(what, "write them as the text does, or lowercase both"))
        mask = np.ones((corpus.types, states), bool)
        for w, word in enumerate(corpus.vocabulary):
            if word in self.allowed:
                own = [index[tag] for tag in self.allowed[word]]
                if max(own) >= states:
                    few = f"{counted(states, 'state')} {'is' if states == 1 else 'are'} too few"
                    enough = f"use {counted(len(names), 'state')} or more, one for each tag"
                    raise InputError(Fault(f"{few} for the tags of {word!r}", enough))
                mask[w] = False
                mask[w, own] = True
        return mask
