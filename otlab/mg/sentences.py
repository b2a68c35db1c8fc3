"""Sentences as people type them: words separated by blanks, final punctuation, capitals, ``ε``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otlab.mg.lexicon import SILENT

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["respell", "sentence_text", "split_sentence"]

Words = tuple[str, ...]

_FINAL_MARKS = ".?!…。？！"


def split_sentence(text: str, vocabulary: Collection[str] = ()) -> Words:
    """Return the words of a sentence; ``ε`` alone is the empty sentence.

    Parameters
    ----------
    text
        Words separated by blanks.
    vocabulary
        The known words. Final punctuation that is not part of a known word is dropped.

    Examples
    --------
    >>> split_sentence("what did you see?", {"what", "did", "you", "see"})
    ('what', 'did', 'you', 'see')
    >>> split_sentence("ε")
    ()
    """
    words = tuple(text.split())
    if words == (SILENT,) and SILENT not in vocabulary:
        return ()
    if words and vocabulary and words[-1] not in vocabulary:
        bare = words[-1].rstrip(_FINAL_MARKS)
        if bare in vocabulary or not bare:
            return words[:-1] + ((bare,) if bare else ())
        if bare != words[-1] and respell((bare,), vocabulary):
            return (*words[:-1], bare)
    return words


def respell(words: Words, vocabulary: Collection[str]) -> Words | None:
    """Return the sentence with other capitals so that each word is known; None if that is not enough.

    >>> respell(("What", "did", "Mary", "see"), {"what", "did", "Mary", "see"})
    ('what', 'did', 'Mary', 'see')
    """
    by_lower = {known.lower(): known for known in sorted(vocabulary, reverse=True)}
    spelled = tuple(w if w in vocabulary else by_lower.get(w.lower(), "") for w in words)
    return spelled if all(spelled) and spelled != words else None


def sentence_text(words: Words) -> str:
    """Return the sentence as it is written in a corpus: ``ε`` if it has no words."""
    return " ".join(words) or SILENT
