"""Starting points of variational learning, which decide its result.

:class:`Geometric` puts a boundary between any two phones with one probability. Low probabilities
lead to higher bounds, high ones to better words, and no criterion without gold selects the good ones.

:class:`Peaks` puts a boundary where the branching entropy has a peak: inside words the
next phone is predictable, at their ends it is not (Harris 1955; Jin & Tanaka-Ishii
2006). Entropies of what follows the last 1..k phones and of what precedes the next 1..k
are averaged; a place is a boundary where the average is higher than at both its
neighbours. Neither gold boundaries nor a threshold are needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np

from otlab.discovery.learners.variational import start_weights
from otlab.discovery.scores import word_edges
from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from otlab.discovery.corpus import Corpus
    from otlab.discovery.kernels.layout import Weights
    from otlab.discovery.parsing.parser import Parser
    from otlab.discovery.parsing.spans import Spans

__all__ = [
    "Geometric",
    "Peaks",
    "Start",
    "branching_entropy",
    "entropy_peaks",
    "lexicon_weights",
    "start_named",
    "starts_named",
]


class Start(Protocol):
    """A start: it returns the weights of the first E-step."""

    def weights(self, parser: Parser) -> Weights:
        """Return weights of rules and strings."""


@dataclass(frozen=True)
class Geometric:
    """Boundaries everywhere with one probability.

    Parameters
    ----------
    boundary
        In (0, 1).
    """

    boundary: float = 0.8

    def __post_init__(self) -> None:
        if not 0 < self.boundary < 1:
            what = f"start probability of a boundary {self.boundary:g} is outside (0, 1)"
            raise InputError(Fault(what, "write a number between, such as 0.8"))

    def __str__(self) -> str:
        return f"{self.boundary:g}"

    def weights(self, parser: Parser) -> Weights:
        """Return weights of rules alone."""
        return start_weights(parser, self.boundary)


@dataclass(frozen=True)
class Peaks:
    """Boundaries at peaks of branching entropy; their words are the first lexicon.

    Parameters
    ----------
    context
        Most phones considered on each side, at least 1.
    fresh
        Probability of a word outside the first lexicon, in (0, 1).
    """

    context: int = 4
    fresh: float = 0.02

    def __str__(self) -> str:
        return "peaks" if self == Peaks() else f"peaks{self.context}"

    def weights(self, parser: Parser) -> Weights:
        """Return weights in which the words cut at the peaks are stored."""
        ends = entropy_peaks(parser.corpus, parser.every_span, self.context)
        return lexicon_weights(parser, ends, self.fresh)


def lexicon_weights(parser: Parser, ends: np.ndarray, fresh: float) -> Weights:
    """Return weights in which those words of a segmentation are stored that the grammar can generate.

    Parameters
    ----------
    parser
        Corpus and grammar.
    ends : bool ndarray of shape (phones,)
        Whether a word ends after this phone.
    fresh
        Probability of a word that is not stored, in (0, 1).
    """
    weights = start_weights(parser, 0.5)
    if parser.grammar.word in parser.adapted:
        a = parser.adapted.index(parser.grammar.word)
        starts, stops = map(np.array, word_edges(parser.corpus, ends))
        strings = parser.spans.ids[parser.spans.row[starts] + stops - starts - 1]
        counts = np.bincount(strings[strings >= 0], minlength=len(parser.spans))
        stored = np.flatnonzero(counts)
        counts[stored[~parser.can_be(parser.word, stored)]] = 0
        weights.mass[a] = (1.0 - fresh) * counts / starts.size
        weights.fresh[a] = fresh
    return weights


def start_named(text: str | float | Start) -> Start:
    """Return a start by name: ``peaks``, or the probability of a boundary.

    >>> start_named("0.6")
    Geometric(boundary=0.6)
    """
    if not isinstance(text, str | float | int):
        return text
    if text == "peaks":
        return Peaks()
    try:
        return Geometric(float(text))
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            Fault(f"no start is called {text!r}", "write peaks, or a number in (0, 1)")
        ) from None


def starts_named(given: str | float | Start | Sequence[str | float | Start]) -> tuple[Start, ...]:
    """Return one or several starts; names are separated by commas.

    >>> starts_named("peaks, 0.5")
    (Peaks(context=4, fresh=0.02), Geometric(boundary=0.5))

    Raises
    ------
    InputError
        If a start is unknown; the message names each of them.
    """
    names: Sequence[str | float | Start]
    if isinstance(given, str):
        names = given.split(",")
    else:
        names = list(given) if isinstance(given, list | tuple) else [cast("float | Start", given)]
    starts: list[Start] = []
    faults: list[Fault] = []
    for name in names:
        try:
            starts.append(start_named(name.strip() if isinstance(name, str) else name))
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(faults)
    return tuple(starts)


def branching_entropy(corpus: Corpus, spans: Spans, context: int) -> np.ndarray:
    """Return the branching entropy between phones, in nats.

    Parameters
    ----------
    corpus, spans
        A text and all its strings.
    context
        Most phones considered on each side.

    Returns
    -------
    ndarray of shape (phones,)
        After each phone; minus infinity after the last of an utterance.
    """
    place = np.arange(corpus.phones.size)
    first = np.repeat(corpus.offsets[:-1], corpus.lengths)
    behind, ahead = place - first + 1, np.repeat(corpus.offsets[1:], corpus.lengths) - place - 1
    follow, precede = _entropies(spans, ahead=True), _entropies(spans, ahead=False)
    out = _mean(spans, follow, behind, context, begin=lambda size: place - size + 1)
    out += _mean(spans, precede, ahead, context, begin=lambda size: place + 1)
    out[corpus.offsets[1:] - 1] = -np.inf
    return out


def entropy_peaks(corpus: Corpus, spans: Spans, context: int) -> np.ndarray:
    """Return the places whose branching entropy is above both neighbours'."""
    entropy = branching_entropy(corpus, spans, context)
    before = np.concatenate([[-np.inf], entropy[:-1]])
    after = np.concatenate([entropy[1:], [-np.inf]])
    return (entropy > before) & (entropy > after)


def _entropies(spans: Spans, *, ahead: bool) -> np.ndarray:
    """Return the entropy of the phone after each string (or before it), the utterance's edge one outcome."""
    longer = np.flatnonzero(spans.length > 1)
    begin = spans.first[longer] + (0 if ahead else 1)
    shorter = spans.ids[spans.row[begin] + spans.length[longer] - 2]
    counts = spans.count.astype(float)
    inner = np.bincount(shorter, counts[longer], minlength=len(spans))
    edge = counts - inner
    terms = np.bincount(shorter, counts[longer] * np.log(counts[longer]), minlength=len(spans))
    out: np.ndarray = np.log(counts) - (terms + edge * np.log(np.maximum(edge, 1.0))) / counts
    return out


def _mean(
    spans: Spans, entropy: np.ndarray, room: np.ndarray, context: int, begin: Callable[[int], np.ndarray]
) -> np.ndarray:
    """Average over contexts of 1..`context` phones, as far as the utterance has them."""
    total, sizes = np.zeros(room.size), np.zeros(room.size)
    for size in range(1, context + 1):
        here = np.flatnonzero(room >= size)
        strings = spans.ids[spans.row[begin(size)[here]] + size - 1]
        total[here] += entropy[strings]
        sizes[here] += 1.0
    return total / np.maximum(sizes, 1.0)
