"""The lexicon lab's material for a class: how much of the gold segmentation each page finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otlab.ui.classroom.classwork import Classwork, Guessing, Report
from otlab.ui.lexicon.state import LexiconState
from otlab.viz.discovery.page import segments_section, words_section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.viz.base.page import Section

__all__ = ["LexiconClasswork"]

MOST_UTTERANCES, MOST_WORDS = 14, 20  # on the page of a lesson


class LexiconClasswork(Classwork[LexiconState]):
    """F-scores against the gold words. Locking the text locks the grammar as well."""

    with_view = True

    def report(self, state: LexiconState) -> Report | None:
        """Return token, boundary and lexicon F of the result shown; None without gold words."""
        scores = state.scores()
        if scores is None:
            return None
        ratios = {"Token F": scores.token, "Boundary F": scores.boundary, "Lexicon F": scores.lexicon}
        values = {name: [round(float(score.f), 4)] for name, score in ratios.items()}
        return Report("Words against the gold words", "each page", values, hue="vb")

    def guessings(self, state: LexiconState) -> tuple[Guessing, ...]:
        """Return the token F, which is guessed; nothing without gold words."""
        if state.corpus.gold is None:
            return ()
        groups = (("Token F", ("words with both edges right",)),)
        return (Guessing("How much of the text will be cut into the right words?", groups, shares=False),)

    def outcome(self, state: LexiconState, kind: str = "") -> Sequence[Sequence[float]] | None:
        """Return the token F of the result shown."""
        scores = state.scores()
        return None if scores is None else [[float(scores.token.f)]]

    def sections(self, state: LexiconState) -> list[Section]:
        """Return the first utterances as they are cut, and the words found."""
        sections = [segments_section(state.corpus, state.ends, state.threshold, MOST_UTTERANCES)]
        if state.view is not None:
            words = words_section(
                state.corpus, state.view, state.looked_at, MOST_WORDS, point=state.point_of_words
            )
            sections.append(words)
        return sections
