"""What a grammar predicts about measured reading times, word by word.

Each word has three predictors: surprisal, entropy reduction and tenure in the best derivation. How well one
of them fits is its correlation with the times, whose 95 % interval is Fisher's. Of two lexicons the
difference of two correlations with the same times has the interval of Zou (2007, section 4, overlapping
correlations). A grammar predicts processing effort, not milliseconds: length, frequency and place of words
matter as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.errors import counted
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.parsing.parse import parse
from otlab.mg.processing.entropy import word_by_word
from otlab.mg.processing.memory import memory_use
from otlab.mg.sentences import heard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.mg.io.times import ReadSentence
    from otlab.mg.lexicon import Lexicon

__all__ = [
    "PREDICTORS",
    "Correlation",
    "Difference",
    "WordPrediction",
    "correlate",
    "correlations",
    "differences",
    "gains",
    "predict_reading",
    "unpredicted",
]

PREDICTORS = ("surprisal", "entropy_reduction", "tenure")
FEWEST_WORDS = 4
_MOST_NAMED = 5  # words without a prediction
_NORMAL_975 = 1.959963984540054


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


def predict_reading(
    lexicon: Lexicon | Grammar, sentences: Sequence[ReadSentence], *, theta: np.ndarray | None = None
) -> list[WordPrediction]:
    r"""Return each word that was read with its time and its predictors.

    Parameters
    ----------
    lexicon
        A lexicon, or a compiled one.
    sentences
        From :func:`~otlab.mg.io.times.read_times`. Words that the lexicon does not have are taken without
        the punctuation on them, and with other capitals (:func:`~otlab.mg.sentences.heard`); a mark that is
        a word of its own has no prediction.
    theta : ndarray of shape (items,), optional
        Probabilities of the lexical items; the prior mean if None.

    Raises
    ------
    InputError
        If a chart is too large.

    Examples
    --------
    >>> from otlab.mg.io.times import read_times
    >>> from otlab.samples import load_sample
    >>> read = read_times("s1\twhat\t400\ns1\tdid\t310\ns1\tyou\t350\ns1\tsee\t420")
    >>> [(p.word, p.ms, p.tenure) for p in predict_reading(load_sample("figure1_wh"), read)]
    [('what', 400.0, 1.0), ('did', 310.0, 4.0), ('you', 350.0, 1.0), ('see', 420.0, 2.0)]
    """
    grammar = Grammar.of(lexicon)
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
    spelled = heard(words, grammar.vocabulary)
    parsed = parse(grammar, tuple(filter(None, spelled)), theta=theta)
    told = word_by_word(parsed)
    best = parsed.best(1)
    tenures = memory_use(best[0].derivation).word_tenures() if best else [math.nan] * len(parsed.words)
    # What is infinite predicts no time.
    finite = (np.where(np.isfinite(v), v, np.nan)[:-1] for v in (told.surprisal, told.reduction))
    rows = zip(*finite, tenures, strict=True)
    known = iter([(float(a), float(b), float(c)) for a, b, c in rows])
    return [next(known) if word else (math.nan,) * 3 for word in spelled]


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
    have = "has" if len(without) == 1 else "have"
    share = f"{len(without):,} of {counted(len(timed), 'word')} {have} no prediction"
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
