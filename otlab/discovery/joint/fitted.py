"""The result of a run of the pipeline or the joint model: words with their times, and scores."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from otlab.discovery.sound.fitted import SoundFitted
from otlab.discovery.sound.tiers import Interval
from otlab.discovery.sound.zerospeech import classes_of, term_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.discovery.joint.view import JointView, WordTokens
    from otlab.discovery.sound.speech import Speech
    from otlab.discovery.sound.zerospeech import TermScores

__all__ = ["JointFitted", "score_words", "word_intervals"]


@dataclass(frozen=True, eq=False, repr=False)
class JointFitted(SoundFitted):
    """The result of all chains. Properties that concern one chain show the first."""

    @property
    def tokens(self) -> WordTokens | None:
        """The words of each utterance; None if the run ended before phase 2."""
        return cast("JointView", self.view).tokens

    @cached_property
    def words(self) -> tuple[list[Interval], ...]:
        """The words' times, in seconds from the beginning of each utterance."""
        return word_intervals(self.speech, self.tokens) if self.tokens is not None else ()

    @cached_property
    def word_scores(self) -> TermScores | None:
        """Token, type and boundary scores against gold words; None without gold phones and words."""
        return score_words(self.speech, self.words) if self.words else None

    def to_dict(self) -> dict[str, Any]:
        """Return the units' values, the lexicon, edits and scores of words, as values for JSON."""
        view = cast("JointView", self.view)
        out = super().to_dict()
        scores = self.word_scores
        if scores is not None and out["scores"] is not None and scores.token and scores.type:
            out["scores"] |= {
                **{f"token_{short}": getattr(scores.token, name) for short, name in _PARTS},
                **{f"lexicon_{short}": getattr(scores.type, name) for short, name in _PARTS},
                "ned": scores.ned,
            }
        uses = Counter(token.units for u in (self.tokens.utterances if self.tokens else ()) for token in u)
        lexicon = [{"string": _spelling(word), "expected_count": n} for word, n in uses.most_common()]
        marks = [{"iteration": mark.iteration, "what": mark.what} for mark in view.marks]
        names = [str(k) for k in range(view.entries.size)]
        return {
            **out,
            "lexicon": lexicon,
            "phases": marks,
            **(
                {"objective_of_pipeline": view.pipeline_objective}
                if view.pipeline_objective is not None
                else {}
            ),
            **(view.edits.to_dict(names) if view.edits is not None else {}),
        }


_PARTS = (("p", "precision"), ("r", "recall"), ("f", "f"))


def _spelling(units: Sequence[int]) -> str:
    return "-".join(map(str, units))


def word_intervals(speech: Speech, tokens: WordTokens) -> tuple[list[Interval], ...]:
    """Return the times of words, in seconds from the beginning of their utterance."""
    out = []
    for u, each in enumerate(tokens.utterances):
        end = (int(speech.lengths[u]) - 1) * speech.hop + speech.window
        times = [0.0, *(float(speech.time(token.first)) for token in each[1:]), end]
        out.append(
            [Interval(a, b, _spelling(w.units)) for w, a, b in zip(each, times[:-1], times[1:], strict=True)]
        )
    return tuple(out)


def score_words(speech: Speech, words: Sequence[Sequence[Interval]]) -> TermScores | None:
    """Score the words of each utterance; None without gold phones and words.

    A token is right if the gold phones that it covers (those that share 30 ms or half of their duration
    with it) are exactly those of a gold word. The lexicon is scored by the words' transcriptions.
    """
    if speech.phones is None or speech.words is None:
        return None
    keys = [f"{u}" for u in range(len(speech))]
    rows = ((key, i) for key, each in zip(keys, words, strict=True) for i in each if i.end > i.start)
    gold = (dict(zip(keys, tier, strict=True)) for tier in (speech.phones, speech.words))
    return term_scores(classes_of(rows), *gold)
