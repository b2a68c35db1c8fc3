"""What a grammar predicts about measured reading times, word by word.

Each word has three predictors: surprisal, entropy reduction and tenure in the best derivation. How well one
of them fits is its correlation with the times, whose 95 % interval is Fisher's. Of two lexicons the
difference of two correlations with the same times has the interval of Zou (2007, section 4, overlapping
correlations). A grammar predicts processing effort, not milliseconds: length, frequency and place of words
matter as well.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.errors import Fault, InputError, counted, quoted
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.parsing.parse import parse
from otlab.mg.processing.entropy import word_by_word
from otlab.mg.processing.memory import memory_use
from otlab.mg.sentences import composed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.mg.lexicon import Lexicon

__all__ = [
    "PREDICTORS",
    "Correlation",
    "Difference",
    "ReadSentence",
    "WordPrediction",
    "correlate",
    "correlations",
    "differences",
    "gains",
    "predict_reading",
    "read_times",
    "unpredicted",
]

PREDICTORS = ("surprisal", "entropy_reduction", "tenure")
FEWEST_WORDS = 4
_MOST_NAMED = 5  # words without a prediction
_NO_TIME = ("", "na", "nan", "-", "–", ".")
_NORMAL_975 = 1.959963984540054
_EXAMPLE = "write three columns: sentence, word, ms"


class ReadSentence(NamedTuple):
    """A sentence that was read: its label, words, and the time of each word in ms, nan if it is missing."""

    label: str
    words: tuple[str, ...]
    times: tuple[float, ...]


class WordPrediction(NamedTuple):
    """A word that was read, and what a grammar predicts about it; nan where it predicts nothing."""

    sentence: str
    position: int
    word: str
    ms: float
    surprisal: float
    entropy_reduction: float
    tenure: float


@dataclass(frozen=True)
class Correlation:
    """A correlation of a predictor with reading times.

    Attributes
    ----------
    words
        Number of words with a time and a prediction.
    r
        Pearson's correlation; nan for fewer than four words, or values that are all the same.
    low, high
        Its 95 % interval.
    """

    words: int
    r: float
    low: float
    high: float


@dataclass(frozen=True)
class Difference:
    """Two lexicons' correlations of one predictor with the same reading times.

    Attributes
    ----------
    first, second
        Over the words that both predict.
    r, low, high
        The first minus the second, with its 95 % interval.
    """

    first: Correlation
    second: Correlation
    r: float
    low: float
    high: float

    @property
    def better(self) -> str:
        """``first`` or ``second`` if the interval leaves out 0, else ``undecided``."""
        if self.low > 0:
            return "first"
        return "second" if self.high < 0 else "undecided"


def read_times(text: str, file: str = "") -> list[ReadSentence]:
    r"""Return the sentences of a table of reading times, in its order.

    Parameters
    ----------
    text
        A line for each word: a label of its sentence, the word, and its time in ms, separated by tabs,
        semicolons or commas. Lines of one sentence follow one another. A header with the names sentence, word
        and ms may come first and say where they are; a time that is missing is empty or NA.
    file
        What faults call it.

    Raises
    ------
    InputError
        With a fault for each line that is not understood.

    Examples
    --------
    >>> read_times("sentence,word,ms\n1,mary,310\n1,sleeps,420\n2,john,305\n2,sleeps,NA\n")[1]
    ReadSentence(label='2', words=('john', 'sleeps'), times=(305.0, nan))
    """
    lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip() and line[:1] != "#"]
    if not lines:
        raise InputError(Fault("there are no reading times", _EXAMPLE, file))
    separator = next((mark for mark in "\t;," if mark in lines[0][1]), "\t")
    try:
        rows = [(n, next(csv.reader(StringIO(line), delimiter=separator))) for n, line in lines]
    except csv.Error as error:
        raise InputError(Fault(f"is no table: {error}", _EXAMPLE, file)) from None
    columns, rows = _columns(rows)
    faults: list[Fault] = []
    found: list[tuple[str, list[str], list[float]]] = []
    for number, row in rows:
        cells = [row[c].strip() if c < len(row) else None for c in columns]
        label, word, ms = cells
        time = None if ms is None else _time(ms)
        if label is None or word is None or ms is None:
            faults.append(Fault(counted(len(row), "column"), _EXAMPLE, file, number))
        elif not word or len(word.split()) > 1:
            faults.append(Fault(f"{quoted(word)} is not one word", "write one word a line", file, number))
        elif time is None:
            faults.append(Fault(f"{quoted(ms)} is not a time", "write a number of ms, or NA", file, number))
        else:
            if not found or found[-1][0] != label:
                found.append((label, [], []))
            found[-1][1].append(composed(word))
            found[-1][2].append(time)
    if faults:
        raise InputError(faults)
    return [ReadSentence(label, tuple(words), tuple(times)) for label, words, times in found]


def _columns(rows: list[tuple[int, list[str]]]) -> tuple[list[int], list[tuple[int, list[str]]]]:
    """Return where sentence, word and ms are, and the rows without the header."""
    names = [cell.strip().lower() for cell in rows[0][1]]
    if {"sentence", "word", "ms"} <= set(names):
        return [names.index(name) for name in ("sentence", "word", "ms")], rows[1:]
    return [0, 1, 2], rows


def _time(text: str) -> float | None:
    """Return a time in ms, nan for one that is missing; None if it is neither."""
    if text.lower() in _NO_TIME:
        return math.nan
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < math.inf else None


def predict_reading(
    lexicon: Lexicon | Grammar, sentences: Sequence[ReadSentence], *, theta: np.ndarray | None = None
) -> list[WordPrediction]:
    r"""Return each word that was read with its time and its predictors.

    Parameters
    ----------
    lexicon
        A lexicon, or a compiled one.
    sentences
        From :func:`read_times`.
    theta : ndarray of shape (items,), optional
        Probabilities of the lexical items; the prior mean if None.

    Raises
    ------
    InputError
        If a chart is too large.

    Examples
    --------
    >>> from otlab.samples import load_sample
    >>> read = read_times("s1\twhat\t400\ns1\tdid\t310\ns1\tyou\t350\ns1\tsee\t420")
    >>> [(p.word, p.ms, p.tenure) for p in predict_reading(load_sample("figure1_wh"), read)]
    [('what', 400.0, 1.0), ('did', 310.0, 4.0), ('you', 350.0, 1.0), ('see', 420.0, 2.0)]
    """
    grammar = lexicon if isinstance(lexicon, Grammar) else Grammar(lexicon)
    known: dict[tuple[str, ...], list[tuple[float, float, float]]] = {}
    found: list[WordPrediction] = []
    for label, words, times in sentences:
        if words not in known:
            known[words] = _predictors(grammar, words, theta)
        for position, (word, ms) in enumerate(zip(words, times, strict=True), 1):
            found.append(WordPrediction(label, position, word, ms, *known[words][position - 1]))
    return found


def _predictors(
    grammar: Grammar, words: tuple[str, ...], theta: np.ndarray | None
) -> list[tuple[float, float, float]]:
    parsed = parse(grammar, words, theta=theta)
    told = word_by_word(parsed)
    best = parsed.best(1)
    tenures = memory_use(best[0].derivation).word_tenures() if best else [math.nan] * len(words)
    # An infinite surprisal predicts no time.
    surprisals = np.where(np.isfinite(told.surprisal), told.surprisal, np.nan)
    rows = zip(surprisals[:-1], told.reduction[:-1], tenures, strict=True)
    return [(float(a), float(b), float(c)) for a, b, c in rows]


def unpredicted(predictions: Sequence[WordPrediction]) -> str:
    """Return a sentence on the words that have a time and no surprisal; "" if there are none.

    >>> nothing = (math.nan,) * 3
    >>> words = [("s1", 1, "The", 300.0), ("s1", 2, "dog", 310.0)]
    >>> unpredicted([WordPrediction(*word, *nothing) for word in words])
    "2 of 2 words have no prediction, because no sentence of the grammar goes on with 'The' (s1)"
    """
    timed = [p for p in predictions if math.isfinite(p.ms)]
    without = [p for p in timed if math.isnan(p.surprisal)]
    if not without:
        return ""
    first: dict[str, WordPrediction] = {}
    for p in predictions:
        if math.isnan(p.surprisal):
            first.setdefault(p.sentence, p)
    places = [f"{p.word!r} ({p.sentence})" for p in first.values()]
    more = f" and {len(places) - _MOST_NAMED:,} more" if len(places) > _MOST_NAMED else ""
    named = f"{', '.join(places[:_MOST_NAMED])}{more}"
    share = f"{len(without):,} of {len(timed):,} words have no prediction"
    return f"{share}, because no sentence of the grammar goes on with {named}"


def correlate(values: np.ndarray, times: np.ndarray) -> Correlation:
    """Return Pearson's correlation of two arrays of shape (words,) with Fisher's 95 % interval."""
    both = np.isfinite(values) & np.isfinite(times)
    n = int(both.sum())
    x, y = values[both], times[both]
    if n < FEWEST_WORDS or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Correlation(n, math.nan, math.nan, math.nan)
    r = float(np.clip(np.corrcoef(x, y)[0, 1], -1, 1))
    if abs(r) == 1:
        return Correlation(n, r, r, r)
    half = _NORMAL_975 / math.sqrt(n - 3)
    z = math.atanh(r)
    return Correlation(n, r, math.tanh(z - half), math.tanh(z + half))


def correlations(predictions: Sequence[WordPrediction]) -> dict[str, Correlation]:
    """Return the correlation of each predictor with the times."""
    times = _column(predictions, "ms")
    return {name: correlate(_column(predictions, name), times) for name in PREDICTORS}


def differences(first: Sequence[WordPrediction], second: Sequence[WordPrediction]) -> dict[str, Difference]:
    """Return for each predictor which of two lexicons fits better, over the words that both predict.

    Parameters
    ----------
    first, second
        Predictions about the same words.
    """
    times = _column(first, "ms")
    return {name: _difference(_column(first, name), _column(second, name), times) for name in PREDICTORS}


def gains(
    first: Sequence[WordPrediction], second: Sequence[WordPrediction], name: str = "surprisal"
) -> np.ndarray:
    """Return by how many ms each word's time is nearer to the first lexicon's line than to the second's.

    A lexicon's line is the least-squares regression of the times on its predictor, over the words that both
    lexicons predict.

    Parameters
    ----------
    first, second
        Predictions about the same words.
    name
        One of :data:`PREDICTORS`.

    Returns
    -------
    ndarray of shape (words,)
        Positive where the first lexicon predicts better; nan for words without a time or a prediction, and
        everywhere if there are fewer than four words or a predictor does not vary.
    """
    a, b, times = _column(first, name), _column(second, name), _column(first, "ms")
    both = np.isfinite(a) & np.isfinite(b) & np.isfinite(times)
    found = np.full(len(times), np.nan)
    if both.sum() >= FEWEST_WORDS and np.ptp(a[both]) > 0 and np.ptp(b[both]) > 0:
        off = [np.abs(times[both] - np.polyval(np.polyfit(x, times[both], 1), x)) for x in (a[both], b[both])]
        found[both] = off[1] - off[0]
    return found


def _column(predictions: Sequence[WordPrediction], name: str) -> np.ndarray:
    return np.array([getattr(p, name) for p in predictions], dtype=float)


def _difference(a: np.ndarray, b: np.ndarray, times: np.ndarray) -> Difference:
    both = np.isfinite(a) & np.isfinite(b)
    a, b, times = a[both], b[both], times[both]
    first, second, between = correlate(a, times), correlate(b, times), correlate(a, b)
    r = first.r - second.r
    if not math.isfinite(r) or max(abs(first.r), abs(second.r)) == 1:
        return Difference(first, second, r, math.nan, math.nan)
    if between.r >= 1 - 1e-12:  # the same predictions
        return Difference(first, second, r, r, r)
    timed = correlate(a[np.isfinite(times)], b[np.isfinite(times)]).r
    shared = (timed - first.r * second.r / 2) * (1 - first.r**2 - second.r**2 - timed**2) + timed**3
    c = shared / ((1 - first.r**2) * (1 - second.r**2))
    down = _reach(first.r - first.low, second.high - second.r, c)
    up = _reach(first.high - first.r, second.r - second.low, c)
    return Difference(first, second, r, r - down, r + up)


def _reach(one: float, other: float, c: float) -> float:
    return math.sqrt(max(0.0, one**2 + other**2 - 2 * c * one * other))
