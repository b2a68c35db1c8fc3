"""Sentences as people type them: words separated by blanks, final punctuation, capitals, ``ε``."""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

from otlab.errors import Fault, InputError
from otlab.mg.lexicon import SILENT

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = ["composed", "corpus_text", "read_corpus_text", "respell", "sentence_text", "split_sentence"]

Words = tuple[str, ...]

MOST_TIMES = 10**6
_FINAL_MARKS = ".?!…。？！"


def composed(text: str) -> str:
    """Return a text with letters and their accents as one character where there is one (NFC).

    Two ways to write the same word look alike and are the same word.

    >>> composed("e\N{COMBINING ACUTE ACCENT}") == "\N{LATIN SMALL LETTER E WITH ACUTE}"
    True
    """
    return unicodedata.normalize("NFC", text)


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
    words = tuple(composed(text).split())
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


def corpus_text(counts: Mapping[Words, int]) -> str:
    """Return a corpus as text: one sentence a line, with its count after a bar unless it is 1."""
    return "".join(
        f"{sentence_text(words)}{'' if count == 1 else f' | {count}'}\n" for words, count in counts.items()
    )


def read_corpus_text(text: str, vocabulary: Collection[str] = ()) -> Counter[Words]:
    r"""Return how often each sentence of a text occurs.

    Parameters
    ----------
    text
        One sentence a line; a count may follow after a bar, as in ``john slept | 3``. A repeated line
        counts again. Blank lines, and lines that begin with ``#``, are left out.
    vocabulary
        The known words, as in :func:`split_sentence`.

    Raises
    ------
    InputError
        With a fault for each line whose count is no number from 0 to 1,000,000.

    Examples
    --------
    >>> dict(read_corpus_text("john slept | 3\njohn slept\nslept john | 0"))
    {('john', 'slept'): 4, ('slept', 'john'): 0}
    """
    counts: Counter[Words] = Counter()
    faults = []
    for number, line in enumerate(text.splitlines(), start=1):
        written, count = line.rsplit("|", 1) if "|" in line else (line, "1")
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not written.strip():
            faults.append(Fault("there is no sentence", f"write {SILENT} for the empty one", line=number))
        elif count.strip().isdecimal() and int(count) <= MOST_TIMES:
            counts[split_sentence(written, vocabulary)] += int(count)
        else:
            hint = f"write a number from 0 to {MOST_TIMES:,} after the bar"
            faults.append(Fault(f"{count.strip()!r} is not a count", hint, line=number))
    if faults:
        raise InputError(faults)
    return counts
