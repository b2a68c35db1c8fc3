"""State of the Spoken words tab: the words of the pipeline and of the joint model; without Panel."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import param

from otlab.discovery.joint.fitted import score_words, word_intervals
from otlab.discovery.sound.tiers import PAUSES
from otlab.discovery.sound.zerospeech import exact_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from otlab.discovery.joint.view import JointView, WordTokens
    from otlab.discovery.sound.speech import Speech
    from otlab.discovery.sound.tiers import Interval
    from otlab.discovery.sound.zerospeech import TermScores
    from otlab.inference import Tick

__all__ = ["JOINT", "SpokenState", "SpokenType", "SpokenWords", "lexicon_rows", "spoken_words"]

JOINT = "joint"
"""The row of the run panel."""


@dataclass(frozen=True, eq=False)
class SpokenWords:
    """Words found in sound.

    Attributes
    ----------
    tokens
        The words of each utterance as units.
    intervals
        The same as times in seconds.
    right
        Whether each covers exactly the phones of a gold word; None without gold.
    scores
        Against gold words; None without gold.
    """

    tokens: WordTokens
    intervals: tuple[list[Interval], ...]
    right: tuple[list[bool], ...] | None
    scores: TermScores | None

    @property
    def uses(self) -> Counter[str]:
        """How often each word is used, by its units."""
        return Counter(i.label for each in self.intervals for i in each)


class SpokenType(NamedTuple):
    """A word of the lexicon: its units, its uses in both models, the gold word it most often is."""

    units: str
    pipeline: int
    joint: int
    gold: str


def spoken_words(speech: Speech, tokens: WordTokens) -> SpokenWords:
    """Return words with their times and scores."""
    intervals = word_intervals(speech, tokens)
    right = None
    if speech.phones is not None and speech.words is not None:
        keyed = (
            {str(u): tier[u] for u in range(len(speech))} for tier in (intervals, speech.phones, speech.words)
        )
        right = tuple(exact_words(*keyed).values())
    return SpokenWords(tokens, intervals, right, score_words(speech, intervals))


def lexicon_rows(speech: Speech, pipeline: SpokenWords, joint: SpokenWords | None) -> list[SpokenType]:
    """Return the words of both models, most used first: by the joint model once it has begun."""
    now = joint or pipeline
    uses, before = now.uses, pipeline.uses
    gold = _gold_of((now, pipeline), speech.words)
    kinds = sorted(uses | before, key=lambda units: (-uses[units], -before[units], units))
    return [
        SpokenType(units, before[units], uses[units] if joint else 0, gold.get(units, "")) for units in kinds
    ]


def _gold_of(found: Sequence[SpokenWords], words: Sequence[Sequence[Interval]] | None) -> Mapping[str, str]:
    """Return for each word the gold word in whose time its middle lies most often."""
    heard: dict[str, Counter[str]] = {}
    for each in found:
        for own, tier in zip(each.intervals, words or (), strict=False):
            for i in own:
                middle = (i.start + i.end) / 2
                label = next((w.label for w in tier if w.start <= middle < w.end), "")
                if label not in PAUSES:
                    heard.setdefault(i.label, Counter())[label] += 1
    return {units: count.most_common(1)[0][0] for units, count in heard.items()}


class SpokenState(param.Parameterized):
    """Words of one run of the joint model.

    Attributes
    ----------
    view
        The newest snapshot, of the chain with the highest objective; None before a run.
    pipeline, joint
        The final words of the pipeline, and the words of the joint model; None before each begins.
    """

    view: Any = param.Parameter(doc="The newest snapshot.")
    pipeline: Any = param.Parameter(doc="Words of the pipeline.")
    joint: Any = param.Parameter(doc="Words of the joint model.")

    def take(self, tick: Tick[JointView]) -> None:
        """Store the newest snapshot; its words are read by :meth:`to_read`."""
        self.view = max(tick.views, key=lambda view: view.bound)

    def to_read(self, speech: Speech) -> Callable[[], tuple[SpokenWords | None, SpokenWords | None]]:
        """Return a function that finds times and scores of the words for :meth:`read`, on any thread."""
        view, known = self.view, self.pipeline

        def work() -> tuple[SpokenWords | None, SpokenWords | None]:
            if view is None or view.pipeline is None:
                return None, None
            same = known is not None and known.tokens is view.pipeline
            first = known if same else spoken_words(speech, view.pipeline)
            return first, None if view.edits is None else spoken_words(speech, view.tokens)

        return work

    def read(self, found: tuple[SpokenWords | None, SpokenWords | None]) -> None:
        """Show the words that were found."""
        pipeline, joint = found
        self.param.update(pipeline=pipeline, joint=joint)

    def forget(self) -> None:
        """Delete the results."""
        self.param.update(view=None, pipeline=None, joint=None)
