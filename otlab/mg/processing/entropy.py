"""Surprisal and entropy reduction, word by word.

The entropy of the derivations given the first k words, H(k), says how much is still open: how the words are
to be understood, and how the sentence goes on. A word that lowers it has done work, its *entropy reduction*
max(0, H(k - 1) - H(k)) (Hale 2003, 2006; Yun et al. 2015). The end of the sentence lowers it to the entropy
of the sentence's own derivations. All values are in nats; one bit is ln 2 = 0.693 nats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from otlab.mg.parsing.parse import parse
from otlab.mg.parsing.prefix import surprisal_steps

if TYPE_CHECKING:
    from otlab.mg.lexicon import Lexicon
    from otlab.mg.parsing.grammar import Grammar
    from otlab.mg.parsing.parse import Parse

__all__ = ["WordByWord", "parsed", "word_by_word"]


@dataclass(frozen=True)
class WordByWord:
    """What each word of a sentence tells, and its end.

    Attributes
    ----------
    words
        The sentence.
    surprisal : ndarray of shape (words + 1,)
        Of each word and of the end, in nats; infinite for the first word that no sentence can have at its
        position, and nan after it.
    entropy : ndarray of shape (words + 2,)
        Of the derivations before the first word, after each word, and after the end, in nats; nan where
        there are none, infinite where their expected number of items is.
    """

    words: tuple[str, ...]
    surprisal: np.ndarray
    entropy: np.ndarray

    @property
    def reduction(self) -> np.ndarray:
        """Entropy reduction of each word and of the end: 0 where it rises, nan where it stays infinite."""
        with np.errstate(invalid="ignore"):
            lower: np.ndarray = np.maximum(-np.diff(self.entropy), 0.0) + 0.0
        return lower


def parsed(sentence: Parse | str, lexicon: Lexicon | Grammar | None) -> Parse:
    """Return a parsed sentence as it is; parse words that are separated by blanks.

    Raises
    ------
    InputError
        If the chart is too large.
    """
    if not isinstance(sentence, str):
        return sentence
    if lexicon is None:
        raise TypeError("give the lexicon for words, or a parsed sentence")
    return parse(lexicon, sentence)


def word_by_word(sentence: Parse | str, lexicon: Lexicon | Grammar | None = None) -> WordByWord:
    """Return surprisal and entropy reduction of each word of a sentence.

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
    >>> found = word_by_word("you see the park", load_sample("attachment_wh"))
    >>> found.entropy.round(2)
    array([7.24, 4.1 , 4.1 , 4.34, 3.65, 0.  ])
    >>> found.reduction.round(2)
    array([3.14, 0.  , 0.  , 0.69, 3.65])
    """
    sentence = parsed(sentence, lexicon)
    theta, prefixes = sentence.theta, sentence.prefixes
    starts = np.log(len(sentence.grammar.lexicon.start))
    logs = np.array([prefix.log_mass(theta) for prefix in prefixes]) - starts
    entropies = [prefix.entropy(theta) for prefix in prefixes]
    last = sentence.reading_entropy() if np.isfinite(sentence.log_probability) else np.nan
    return WordByWord(
        sentence.words, surprisal_steps(logs, sentence.log_probability), np.array([*entropies, last])
    )
