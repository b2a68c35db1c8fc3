"""Sentences as people type them: words separated by blanks, final punctuation, capitals, ``ε``."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from otlab.errors import DataWarning, Fault, InputError, quoted
from otlab.mg.lexicon import SILENT

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = [
    "CorpusLine",
    "composed",
    "corpus_text",
    "heard",
    "is_count",
    "read_corpus_lines",
    "read_corpus_text",
    "respell",
    "sentence_text",
    "split_sentence",
    "unknown_words",
]

Words = tuple[str, ...]

MOST_TIMES = 10**6
MOST_NAMED = 8
_FINAL_MARKS = ".?!…。？！"
_QUOTES = '"'
_LAST_NUMBER = re.compile(r"(?P<words>.*[^\s,;])(?:\s*[,;]\s*|\s+)(?P<count>\d+)")
_COUNT_HEAD = re.compile(r"[\s,;]\W*(?:count|counts|freq|frequency|n|times|number)\W*$", re.IGNORECASE)


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
    """Return the sentence with other capitals or less punctuation so that each word is known; None if not.

    >>> respell(("What", "did", "Mary", "see"), {"what", "did", "Mary", "see"})
    ('what', 'did', 'Mary', 'see')
    """
    spelled = tuple(filter(None, heard(words, vocabulary)))
    return spelled if spelled and spelled != words and all(w in vocabulary for w in spelled) else None


def heard(words: Words, vocabulary: Collection[str]) -> Words:
    """Return the words of a printed text as a lexicon has them; "" for a mark that is none.

    A word that is not known is taken without the punctuation before and after it, and with other
    capitals, if it is known then.

    >>> heard(("The", "king,", "“Who?”", "—"), {"the", "king", "who"})
    ('the', 'king', 'who', '')
    """
    by_lower = {known.lower(): known for known in sorted(vocabulary, reverse=True)}
    found = []
    for word in words:
        bare = _without_marks(word)
        tried = (word, bare, by_lower.get(word.lower(), ""), by_lower.get(bare.lower(), ""))
        found.append(next((w for w in tried if w and w in vocabulary), word if bare else ""))
    return tuple(found)


def _without_marks(word: str) -> str:
    start, end = 0, len(word)
    while start < end and _is_mark(word[start]):
        start += 1
    while end > start and _is_mark(word[end - 1]):
        end -= 1
    return word[start:end]


def _is_mark(letter: str) -> bool:
    return unicodedata.category(letter)[0] == "P" or letter == "`"


def unknown_words(words: Words, vocabulary: Collection[str]) -> str:
    """Return a message that names the words of a sentence that are not known; empty if all are.

    >>> unknown_words(("20", "mary", "sleep"), {"mary", "sleeps"})
    "'20', 'sleep' are no words of the lexicon"
    """
    unknown = [quoted(word) for word in dict.fromkeys(words) if word not in vocabulary]
    more = ", ..." if len(unknown) > MOST_NAMED else ""
    named = f"{', '.join(unknown[:MOST_NAMED])}{more}"
    return (
        f"{named} {'is no word' if len(unknown) == 1 else 'are no words'} of the lexicon" if unknown else ""
    )


def sentence_text(words: Words) -> str:
    """Return the sentence as it is written in a corpus: ``ε`` if it has no words."""
    return " ".join(words) or SILENT


def corpus_text(counts: Mapping[Words, int]) -> str:
    """Return a corpus as text: one sentence a line, with its count after a bar unless it is 1."""
    return "".join(
        f"{sentence_text(words)}{'' if count == 1 else f' | {count}'}\n" for words, count in counts.items()
    )


class CorpusLine(NamedTuple):
    """A sentence of a corpus file: its line, from 1, its words, and how often it occurs."""

    line: int
    words: Words
    times: int


def read_corpus_text(text: str, vocabulary: Collection[str] = (), file: str = "") -> Counter[Words]:
    r"""Return how often each sentence of a text occurs; see :func:`read_corpus_lines`.

    Raises
    ------
    InputError
        With a fault for each line that is not understood.

    Examples
    --------
    >>> dict(read_corpus_text("john slept | 3\njohn slept\nslept john | 0"))
    {('john', 'slept'): 4, ('slept', 'john'): 0}
    """
    counts: Counter[Words] = Counter()
    for line in read_corpus_lines(text, vocabulary, file):
        counts[line.words] += line.times
    return counts


def read_corpus_lines(text: str, vocabulary: Collection[str] = (), file: str = "") -> list[CorpusLine]:
    r"""Return the sentences of a text in its order.

    Parameters
    ----------
    text
        One sentence a line; a count may follow after a bar, as in ``john slept | 3``. A repeated line
        counts again. Blank lines, and lines that begin with ``#``, are left out.
    vocabulary
        The known words, as in :func:`split_sentence`.
    file
        What faults call it.

    Raises
    ------
    InputError
        With a fault for each line whose count is no number from 0 to 1,000,000, and for each that begins
        with a number that is no known word, unless all lines do.

    Warns
    -----
    DataWarning
        If all lines begin, or all end, with a number that is no known word: the numbers are read as counts.

    Examples
    --------
    >>> read_corpus_lines("john slept | 3")
    [CorpusLine(line=1, words=('john', 'slept'), times=3)]
    """
    lines = [
        (number, line.strip())
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    numbered = {number: found for number, line in lines if (found := _counted_before(line, vocabulary))}
    if lines and len(numbered) == len(lines):
        what = "the number that each line begins with is read as the count of its sentence"
        warnings.warn(str(Fault(what, "", file)), DataWarning, stacklevel=2)
        lines = [(number, f"{rest} | {count}") for number, (count, rest) in numbered.items()]
        numbered = {}
    else:
        lines = _counted_after(lines, vocabulary, file)
    read: list[CorpusLine] = []
    faults: list[Fault] = []
    for number, line in lines:
        if number in numbered:
            count, rest = numbered[number]
            hint = f"if it is a count, write: {rest} | {count}"
            faults.append(Fault(f"{quoted(count)} is no word of the lexicon", hint, file, number))
            continue
        written, count = _counted(line, vocabulary)
        if not written.strip():
            hint = f"write {SILENT} for the empty one"
            faults.append(Fault("there is no sentence", hint, file, number))
        elif is_count(count.strip()) and int(count) <= MOST_TIMES:
            read.append(CorpusLine(number, split_sentence(written, vocabulary), int(count)))
        else:
            hint = f"write a number from 0 to {MOST_TIMES:,} after the bar"
            faults.append(Fault(f"{quoted(count.strip())} is not a count", hint, file, number))
    if faults:
        raise InputError(faults)
    return read


def is_count(text: str) -> bool:
    """Return whether a text is a whole number of at most 18 digits; Python converts no text of thousands.

    >>> is_count("12"), is_count("-1"), is_count("9" * 5000)
    (True, False, False)
    """
    return text.isdecimal() and len(text) <= 18


def _counted_before(line: str, vocabulary: Collection[str]) -> tuple[str, str] | None:
    """Return the number that a line begins with and the rest; None if it is a word, or there is no rest."""
    first, rest = (*line.split(maxsplit=1), "")[:2]
    counted = first.isdecimal() and first not in vocabulary and rest.strip() and "|" not in rest
    return (first, rest.strip()) if counted else None


def _counted_after(
    lines: list[tuple[int, str]], vocabulary: Collection[str], file: str
) -> list[tuple[int, str]]:
    """Return the lines with a bar before the number that each of them ends with; a header is left out."""
    found = [(number, _LAST_NUMBER.fullmatch(line)) for number, line in lines]
    if len(found) > 1 and found[0][1] is None and _COUNT_HEAD.search(lines[0][1]):
        found = found[1:]
    counted = [
        (number, f"{match['words'].strip(_QUOTES)} | {match['count']}")
        for number, match in found
        if match and match["count"] not in vocabulary and "|" not in match["words"]
    ]
    if not counted or len(counted) < len(found):
        return lines
    what = "the number that each line ends with is read as the count of its sentence"
    warnings.warn(str(Fault(what, "", file)), DataWarning, stacklevel=3)
    return counted


def _counted(line: str, vocabulary: Collection[str]) -> tuple[str, str]:
    """Return a sentence and the text of its count, 1 if there is none."""
    if "|" not in line:
        return line, "1"
    written, _, count = line.rpartition("|")
    return (line, "1") if "|" in vocabulary and not count.strip().isdecimal() else (written, count)
