"""The grammar lab's material for a class: the probabilities of the readings on each page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otlab.errors import InputError
from otlab.ui.classroom.classwork import Classwork, Guessing, Report
from otlab.ui.mg.state import MGState
from otlab.viz.mg.page import readings_section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.mg.parsing.parse import Parse
    from otlab.viz.base.page import Section

__all__ = ["MGClasswork"]

MOST_READINGS = 3


class MGClasswork(Classwork[MGState]):
    """Probabilities of readings."""

    def report(self, state: MGState) -> Report | None:
        """Return the probability of the best readings of the selected sentence."""
        parsed = _parsed(state)
        if parsed is None or not state.speaker:
            return None
        best = parsed.best(MOST_READINGS)
        values = {f"Reading {k + 1}": [round(float(r.posterior), 4)] for k, r in enumerate(best)}
        sentence = " ".join(state.sentence)
        return (
            Report(f"Readings of “{sentence}”", "probability on each page", values, hue="vb")
            if values
            else None
        )

    def guessings(self, state: MGState) -> tuple[Guessing, ...]:
        """Return the best reading of the selected sentence, if it has several."""
        parsed = _parsed(state)
        if parsed is None or len(parsed.best(2)) < 2:
            return ()
        groups = (("The best reading", (" ".join(state.sentence),)),)
        return (Guessing("How probable will the best reading be?", groups, shares=False),)

    def outcome(self, state: MGState, kind: str = "") -> Sequence[Sequence[float]] | None:
        """Return the probability of the best reading, as learnt."""
        parsed = _parsed(state)
        return None if parsed is None or not state.speaker else [[float(parsed.best(1)[0].posterior)]]

    def sections(self, state: MGState) -> list[Section]:
        """Return the readings of the selected sentence."""
        parsed = _parsed(state)
        return [] if parsed is None else [readings_section(parsed)]


def _parsed(state: MGState) -> Parse | None:
    """Return the selected sentence with its readings; None without any."""
    try:
        parsed = state.parsed(state.sentence) if state.sentence else None
    except InputError:
        return None
    return parsed if parsed is not None and parsed.best(1) else None
