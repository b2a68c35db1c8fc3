"""Predict before you see: a guess as bars or as a ranking, and after the run the result beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import param

from otlab.ui.classroom.classwork import RANKING, distance_words
from otlab.ui.components import module, styles
from otlab.ui.components.component import Component
from otlab.viz.base.js import script
from otlab.viz.base.names import name_parts
from otlab.viz.base.page import component_script

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from otlab.ui.classroom.classwork import Guessing
    from otlab.ui.tab import Host

__all__ = ["HELD", "GuessCard", "guess_asked", "guess_names"]

HELD = "Set your guess above first: then Run shows the result beside it."

_HERE = Path(__file__).resolve().parent


def guess_asked(guessing: Guessing) -> dict[str, Any]:
    """Return what is guessed as values for JSON, with what the ranking line shows if a ranking is."""
    line: dict[str, Any] | None = None
    if guessing.kind == RANKING:
        names = [dict(zip(("stem", "below"), name_parts(name), strict=True)) for name, _ in guessing.groups]
        line = {"names": names, "noise": guessing.noise, "bound": guessing.bound}
    groups = [[name, list(options)] for name, options in guessing.groups]
    return {"question": guessing.question, "groups": groups, "shares": guessing.shares, "line": line}


def guess_names(guessing: Guessing) -> list[str]:
    """Return what is guessed, in the order of the numbers; of several inputs each candidate with its own."""
    groups = guessing.groups
    if not guessing.shares:
        return [name for name, _ in groups]
    return [
        option if len(groups) == 1 else f"{name} {option}" for name, options in groups for option in options
    ]


class GuessCard(Component):
    """Sliders or a ranking line for a guess; then the guess beside the result, and how far they are apart.

    Parameters
    ----------
    lab
        The lab whose run is guessed.
    guessing
        What is guessed.
    on_guess
        Called with the guess once it is made.

    Attributes
    ----------
    guess, truth
        Numbers of each group; None before they are there.
    """

    shown = param.Dict({}, doc="question, groups, shares, line, guess, truth, text.")

    _esm = module(
        "\n".join(
            [
                component_script("rankingLine", script("ranking_line")),
                (_HERE / "guess.js").read_text(encoding="utf-8"),
            ]
        ),
        (),
    )
    _stylesheets: ClassVar[list[str]] = styles("guess", folder=_HERE)

    def __init__(
        self,
        lab: Host,
        guessing: Guessing,
        on_guess: Callable[[list[list[float]]], None] = lambda _: None,
        **params: Any,
    ) -> None:
        super().__init__(sizing_mode="stretch_width", margin=0, **params)
        self._lab, self._guessing, self._on_guess = lab, guessing, on_guess
        self.clear()

    @property
    def names(self) -> list[str]:
        """What is guessed, in the order of the numbers."""
        return guess_names(self._guessing)

    def clear(self) -> None:
        """Empty the guess and ask for it again."""
        self.guess: Sequence[Sequence[float]] | None = None
        self.truth: Sequence[Sequence[float]] | None = None
        self._show("")

    def take(self, guess: Sequence[Sequence[float]]) -> None:
        """Show a guess that was made."""
        self.guess = guess
        self._show("")

    def compare(self) -> str:
        """Show the result of the last run beside the guess; return how far they are apart, in words."""
        classwork, state = self._lab.classwork, self._lab.state
        kind = self._guessing.kind
        if self.guess is None or classwork.guessing(state, kind) != self._guessing:
            return ""
        truth = classwork.outcome(state, kind)
        if truth is None:
            return ""
        self.truth = truth
        text = distance_words(self._guessing, self.guess, truth)
        self._show(text)
        return text

    def _show(self, text: str) -> None:
        self.shown = {
            **guess_asked(self._guessing),
            "guess": None if self.guess is None else [list(group) for group in self.guess],
            "truth": None if self.truth is None else [list(group) for group in self.truth],
            "text": text,
        }

    def _handle_msg(self, data: dict[str, Any]) -> None:
        if self.guess is not None:
            return
        groups = [options for _, options in self._guessing.groups]
        low, high = self._guessing.limits
        guess = [[min(high, max(low, float(x))) for x in group] for group in data["guess"]]
        if self._guessing.kind == RANKING:  # only differences count: shown as what is learnt is, centred
            mean = sum(map(sum, guess)) / max(1, len(guess))
            guess = [[x - mean for x in group] for group in guess]
        if [len(group) for group in guess] == [len(options) for options in groups]:
            self.take(guess)
            self._on_guess(guess)
