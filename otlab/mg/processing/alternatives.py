"""How long each analysis of a word lives, and which words rule it out.

A word that several lexical items can be has an *alternative* for each: the derivations in which it is that
item. The more words are known, the fewer derivations are left, so that an alternative that is ruled out stays
so. Its *maximal prefix* is the longest beginning of the sentence that some derivation with the item still
fits; its *minimal prefix*, one word longer, is the shortest that rules it out. A silent item is an
alternative in the same way: it lives as long as it can be used somewhere in the sentence.

The derivations are those of the prefix forest, of which :mod:`otlab.mg.processing.entropy` takes the entropy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from otlab.mg.processing.entropy import parsed

if TYPE_CHECKING:
    from otlab.mg.lexicon import LexicalItem, Lexicon
    from otlab.mg.parsing.grammar import Grammar
    from otlab.mg.parsing.parse import Parse

__all__ = ["Alternative", "alternatives"]


# Of several items that are pronounced as one word together, those that it has in any case.
_CERTAIN = 1 - 1e-9


@dataclass(frozen=True)
class Alternative:
    """A lexical item that a word of a sentence may be.

    Attributes
    ----------
    item
        The lexical item.
    position
        How many words stand before it; -1 for a silent item, which may stand anywhere.
    words
        The sentence.
    expected : ndarray of shape (words + 2,)
        Its expected uses there given no word, the first, the first two, and so on, and given that the
        sentence has ended. For a spoken item it is the probability that the word is this item, and nan before
        the word is known. It is 0 from where it is ruled out.
    """

    item: LexicalItem
    position: int
    words: tuple[str, ...]
    expected: np.ndarray

    @property
    def maximal(self) -> int:
        """Number of words of the longest prefix that it fits, all words + 1 if it fits the whole sentence."""
        return int(np.flatnonzero(self.expected > 0)[-1])

    @property
    def minimal(self) -> int | None:
        """Number of words of the shortest prefix that rules it out.

        All words + 1 if the sentence's end does, and None if nothing does.
        """
        shortest = self.maximal + 1
        return shortest if shortest < len(self.expected) else None

    @property
    def ruled_out_by(self) -> str:
        """The word that rules it out, ``(end)``, or nothing."""
        if self.minimal is None:
            return ""
        return (*self.words, "(end)")[self.minimal - 1]


def alternatives(sentence: Parse | str, lexicon: Lexicon | Grammar | None = None) -> list[Alternative]:
    """Return the lexical items that each word of a sentence may be, with how long each is possible.

    Silent items that a word rules out come first. Words that one item alone can be, after the words before
    them, are left out.

    Parameters
    ----------
    sentence
        A parsed sentence, whose probabilities of items are used; or words separated by blanks.
    lexicon
        For words, the lexicon; its prior mean is used.

    Raises
    ------
    InputError
        If a chart is too large, or the sums over a loop of silent items do not converge.

    Examples
    --------
    >>> from otlab.samples import load_sample
    >>> lexicon = load_sample("english_relative_clauses")
    >>> for found in alternatives("the reporter met the senator", lexicon)[:2]:
    ...     print(found.item, found.maximal, found.minimal, found.ruled_out_by)
    the :: =n d -nom 6 None
    the :: =r d -nom 2 3 met
    """
    sentence = parsed(sentence, lexicon)
    length, spelled = len(sentence.words), bool(sentence.grammar.lexicon.spell_out)
    steps = [prefix.uses(sentence.theta) for prefix in sentence.prefixes] + [sentence.uses()]
    found = []
    for at in range(-1, length):
        here = sorted(item for position, item in steps[at + 1] if position == at)
        if at >= 0 and len(here) < 2:
            continue
        for item in here:
            if spelled and at >= 0 and steps[at + 1][at, item] > _CERTAIN:
                continue
            expected = np.array([step.get((at, item), 0.0) for step in steps])
            expected[: at + 1] = np.nan
            found.append(Alternative(sentence.grammar.lexicon.items[item], at, sentence.words, expected))
    return [a for a in found if a.position >= 0 or a.maximal < length]
