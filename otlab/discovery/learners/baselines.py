r"""Baselines of word segmentation: one pass over the text, no grammar, no gold.

tp
    Transitional probability of neighbouring phones, forward
    :math:`P(y \mid x) = c_{xy} / c_{x\cdot}` or backward :math:`P(x \mid y) = c_{xy} / c_{\cdot y}`.
    A relative cut is where it is lower than at both neighbouring places (Saffran, Newport &
    Aslin 1996), an absolute cut where it is below its mean over the text (Saksida, Langus &
    Nespor 2017).
dibs
    Diphone-based segmentation, estimated from the edges of utterances (Daland &
    Pierrehumbert 2011): :math:`P(\# \mid xy) = P(x \mid \text{last})\, P(\#)\,
    P(y \mid \text{first}) / P(xy)`; a cut where it is above one half. P(#) is a setting.
puddle
    Utterances and their pieces are words; later utterances are cut at words already known,
    the most frequent first, if what is left before and after them ends and begins like a
    word (Monaghan & Christiansen 2010). Departure: counts do not decay.
peaks
    Cuts at peaks of branching entropy: where variational learning starts, alone.
random
    Each place is a cut with one probability.
utterances
    Each utterance is one word.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np
import param

from otlab.discovery.learners.choose import description_length
from otlab.discovery.learners.learner import LexiconLearner
from otlab.discovery.learners.starts import Peaks, entropy_peaks, lexicon_weights
from otlab.discovery.learners.view import DiscoveryView, Entry
from otlab.discovery.scores import word_edges

if TYPE_CHECKING:
    from otlab.discovery.corpus import Corpus
    from otlab.discovery.parsing.parser import Parser

__all__ = [
    "Baseline",
    "BaselineSettings",
    "BaselineState",
    "BoundarySettings",
    "DiphoneSegmentation",
    "EntropyPeaks",
    "Puddle",
    "RandomBoundaries",
    "TransitionSettings",
    "TransitionalProbability",
    "UtteranceWords",
    "boundary_probability",
    "transitional_probability",
]


class BaselineSettings(param.Parameterized):
    """Settings of a baseline: none, since it ends after one pass."""

    iterations = param.Integer(1, bounds=(1, None), doc="Passes over the text; one is enough.")


class TransitionSettings(BaselineSettings):
    """Settings of segmentation by transitional probabilities."""

    direction = param.Selector(
        default="forward",
        objects=["forward", "backward"],
        doc="Probability of the next phone, or of the one before.",
    )
    cut = param.Selector(
        default="relative",
        objects=["relative", "absolute"],
        doc="Boundaries at local minima, or below the mean.",
    )


class BoundarySettings(BaselineSettings):
    """Settings of a learner with a given share of boundaries."""

    boundary = param.Number(
        0.25,
        bounds=(0.0, 1.0),
        inclusive_bounds=(False, False),
        doc="Share of the places between phones that are boundaries.",
    )


@dataclass
class BaselineState:
    """State of a baseline.

    Attributes
    ----------
    ends : bool ndarray of shape (phones,)
        Whether a word ends after this phone.
    objective
        Minus the description length of the segmented text, before and after the pass.
    """

    ends: np.ndarray
    objective: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Baseline(LexiconLearner):
    """A segmentation found in one pass; the grammar only says which symbol is a word.

    The objective is minus the nats of the segmented text in the bigram code of
    :mod:`~otlab.discovery.learners.choose`.
    """

    needs_adapted: ClassVar[bool] = False
    title: ClassVar[str] = ""
    start: ClassVar[str] = "-"

    @property
    def name(self) -> str:
        """The learner's name in the registry."""
        return self.title

    @classmethod
    def from_settings(cls, parser: Parser, settings: BaselineSettings) -> Self:
        """Return the baseline for a text, with a user's settings."""
        chosen = {k: v for k, v in settings.param.values().items() if k not in ("name", "iterations")}
        return cls(parser.corpus, parser.grammar, parser=parser, **chosen)

    def segment(self, rng: np.random.Generator) -> np.ndarray:
        """Return where words end: bool ndarray of shape (phones,)."""
        raise NotImplementedError

    def init(self, rng: np.random.Generator) -> BaselineState:
        """Start with each utterance as one word."""
        return self._coded(BaselineState(_utterance_ends(self.corpus)))

    def step(self, rng: np.random.Generator, state: BaselineState, n: int) -> BaselineState:
        """Segment the text, once."""
        if n and not self.finished(state):
            state.ends = self.segment(rng) | _utterance_ends(self.corpus)
            self._coded(state)
        return state

    def finished(self, state: BaselineState) -> bool:
        """Return whether the pass is done."""
        return len(state.objective) > 1

    def view(self, state: BaselineState) -> DiscoveryView:
        """Return a snapshot."""
        return DiscoveryView(
            iteration=len(state.objective) - 1,
            objective=np.array(state.objective),
            likelihood=np.zeros(0),
            penalty=np.zeros(0),
            marks=(),
            ends=state.ends.astype(np.float32),
            entries={self.grammar.word: self._entries(state.ends)},
            sticks={},
            hyperparameters={},
            weights=lexicon_weights(self.parser, state.ends, Peaks().fresh),
        )

    def _coded(self, state: BaselineState) -> BaselineState:
        state.objective.append(-description_length(self.corpus, self.parser.every_span, state.ends))
        return state

    def _entries(self, ends: np.ndarray) -> tuple[Entry, ...]:
        begins, stops = word_edges(self.corpus, ends)
        counts = Counter(self.corpus.spell(range(a, b)) for a, b in zip(begins, stops, strict=True))
        return tuple(Entry(word, float(n), n / len(begins)) for word, n in counts.most_common())


@dataclass(frozen=True)
class TransitionalProbability(Baseline):
    """Cut where the transitional probability is low.

    Parameters
    ----------
    corpus, grammar, parser
        Of :class:`~otlab.discovery.learners.learner.LexiconLearner`.
    direction
        ``"forward"`` or ``"backward"``.
    cut
        ``"relative"``: lower than at both neighbouring places; ``"absolute"``: below the mean.
    """

    title: ClassVar[str] = "tp"

    direction: Literal["forward", "backward"] = "forward"
    cut: Literal["relative", "absolute"] = "relative"

    def segment(self, rng: np.random.Generator) -> np.ndarray:
        """Return where words end."""
        probability = transitional_probability(self.corpus, backward=self.direction == "backward")
        if self.cut == "absolute":
            below: np.ndarray = probability < np.nanmean(probability)
            return below
        # Comparisons with the NaN at an utterance's edge are false: its outermost places are no minima.
        before = np.concatenate([[np.nan], probability[:-1]])
        after = np.concatenate([probability[1:], [np.nan]])
        lowest: np.ndarray = (probability < before) & (probability < after)
        return lowest


@dataclass(frozen=True)
class DiphoneSegmentation(Baseline):
    """Cut where a boundary between two phones is more probable than none.

    Parameters
    ----------
    corpus, grammar, parser
        Of :class:`~otlab.discovery.learners.learner.LexiconLearner`.
    boundary
        P(#), the share of the places between phones that are boundaries, in (0, 1).
    """

    title: ClassVar[str] = "dibs"

    boundary: float = 0.25

    def segment(self, rng: np.random.Generator) -> np.ndarray:
        """Return where words end."""
        likely: np.ndarray = boundary_probability(self.corpus, self.boundary) > 0.5
        return likely


@dataclass(frozen=True)
class Puddle(Baseline):
    """Segment by the words that were found earlier in the text."""

    title: ClassVar[str] = "puddle"

    def segment(self, rng: np.random.Generator) -> np.ndarray:
        """Return where words end."""
        ends = np.zeros(self.corpus.phones.size, dtype=bool)
        phones, known = tuple(self.corpus.phones.tolist()), _KnownWords()
        for first, last in zip(self.corpus.offsets[:-1], self.corpus.offsets[1:], strict=True):
            cuts = known.cut(phones[first:last])
            ends[first + np.array(cuts) - 1] = True
        return ends


class _KnownWords:
    """Words met so far, with their counts, and the pairs of phones that begin and end them."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[int, ...]] = Counter()
        self._beginnings: set[tuple[int, ...]] = set()
        self._endings: set[tuple[int, ...]] = set()
        self._longest = 0

    def cut(self, utterance: tuple[int, ...]) -> list[int]:
        """Cut an utterance and learn its words; return where each one stops."""
        stops, begin, here = [], 0, 0
        while here < len(utterance):
            word = self._best_word(utterance, begin, here)
            if word is None:
                here += 1
                continue
            if here > begin:
                stops.append(here)
            begin = here = here + len(word)
            stops.append(here)
        if begin < len(utterance):
            stops.append(len(utterance))
        for a, b in zip([0, *stops[:-1]], stops, strict=True):
            self._learn(utterance[a:b])
        return stops

    def _best_word(self, utterance: tuple[int, ...], begin: int, here: int) -> tuple[int, ...] | None:
        """Return the most frequent word that fits here, the longest of equals; None if there is none."""
        if here > begin and utterance[begin:here][-2:] not in self._endings:
            return None
        best, most = None, 0
        for stop in range(here + 1, min(here + self._longest, len(utterance)) + 1):
            count = self._counts.get(utterance[here:stop], 0)
            fits = stop == len(utterance) or utterance[stop : stop + 2] in self._beginnings
            if count and count >= most and fits:
                best, most = utterance[here:stop], count
        return best

    def _learn(self, word: tuple[int, ...]) -> None:
        self._counts[word] += 1
        self._beginnings.add(word[:2])
        self._endings.add(word[-2:])
        self._longest = max(self._longest, len(word))


@dataclass(frozen=True)
class EntropyPeaks(Baseline):
    """Cut at peaks of branching entropy; see :mod:`~otlab.discovery.learners.starts`."""

    title: ClassVar[str] = "peaks"

    def segment(self, rng: np.random.Generator) -> np.ndarray:
        """Return where words end."""
        return entropy_peaks(self.corpus, self.parser.every_span, Peaks().context)


@dataclass(frozen=True)
class RandomBoundaries(Baseline):
    """Cut at random, with one probability everywhere.

    Parameters
    ----------
    corpus, grammar, parser
        Of :class:`~otlab.discovery.learners.learner.LexiconLearner`.
    boundary
        Probability of a cut, in (0, 1).
    """

    title: ClassVar[str] = "random"

    boundary: float = 0.25

    def segment(self, rng: np.random.Generator) -> np.ndarray:
        """Return where words end."""
        return rng.random(self.corpus.phones.size) < self.boundary


@dataclass(frozen=True)
class UtteranceWords(Baseline):
    """Take each utterance as one word."""

    title: ClassVar[str] = "utterances"

    def segment(self, rng: np.random.Generator) -> np.ndarray:
        """Return where words end."""
        return _utterance_ends(self.corpus)


def transitional_probability(corpus: Corpus, *, backward: bool = False) -> np.ndarray:
    r"""Return the transitional probability of the two phones around each place.

    Parameters
    ----------
    corpus
        The text.
    backward
        Whether of the phone before the place given the one after it, instead of the reverse.

    Returns
    -------
    ndarray of shape (phones,)
        After each phone, in (0, 1]; NaN after the last one of an utterance.

    Examples
    --------
    >>> from otlab.discovery.corpus import Corpus
    >>> transitional_probability(Corpus.from_text("aba\nac"))
    array([0.5, 1. , nan, 0.5, nan])
    """
    places = np.flatnonzero(~_utterance_ends(corpus))
    size, left, right = len(corpus.symbols), corpus.phones[places], corpus.phones[places + 1]
    pairs = np.bincount(left * size + right, minlength=size * size).reshape(size, size)
    total = pairs.sum(axis=0)[right] if backward else pairs.sum(axis=1)[left]
    out = np.full(corpus.phones.size, np.nan)
    out[places] = pairs[left, right] / total
    return out


def boundary_probability(corpus: Corpus, boundary: float) -> np.ndarray:
    """Return the probability of a word boundary at each place, from the edges of utterances.

    Parameters
    ----------
    corpus
        The text.
    boundary
        P(#), the share of the places between phones that are boundaries.

    Returns
    -------
    ndarray of shape (phones,)
        After each phone; 1 after the last one of an utterance. The estimate is a ratio of
        frequencies, and may exceed 1.
    """
    size, last = len(corpus.symbols), _utterance_ends(corpus)
    final = np.bincount(corpus.phones[last], minlength=size) / len(corpus)
    initial = np.bincount(corpus.phones[corpus.offsets[:-1]], minlength=size) / len(corpus)
    places = np.flatnonzero(~last)
    left, right = corpus.phones[places], corpus.phones[places + 1]
    pair = left * size + right
    together = np.bincount(pair, minlength=size * size) / max(1, places.size)
    out = np.ones(corpus.phones.size)
    out[places] = final[left] * boundary * initial[right] / together[pair]
    return out


def _utterance_ends(corpus: Corpus) -> np.ndarray:
    ends = np.zeros(corpus.phones.size, dtype=bool)
    ends[corpus.offsets[1:] - 1] = True
    return ends
