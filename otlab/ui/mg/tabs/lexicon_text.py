"""The lexicon as text that is pasted or edited, read whole or not at all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from otlab.errors import InputError
from otlab.mg.io.read import loads
from otlab.mg.parsing.grammar import Grammar

if TYPE_CHECKING:
    from otlab.mg.lexicon import Lexicon
    from otlab.ui.mg.state import MGState

__all__ = ["LexiconText", "kind_of"]

_PROLOG = re.compile(r"^\s*\[[^\]]*\]\s*::\s*\[", re.MULTILINE)
_PYTHON = re.compile(r"\(\s*\[[^\]]*\]\s*,\s*\[\s*\(\s*['\"](sel|cat|pos|neg)['\"]")


def kind_of(text: str) -> str:
    """Return the ending of the format that a text is written in: ``.pl``, ``.py`` or ``.mg``."""
    if _PROLOG.search(text):
        return ".pl"
    return ".py" if _PYTHON.search(text) else ".mg"


class LexiconText:
    """What the text box of one showing holds.

    Parameters
    ----------
    state
        Whose lexicon is edited.

    Attributes
    ----------
    shown
        Whether the box stands in place of the table.
    typed
        Its text.
    faults
        What is wrong with the text that was to be applied: line, what, hint.
    categories
        The categories to choose the start category from, when the text names none.
    """

    def __init__(self, state: MGState) -> None:
        self._state = state
        self.shown, self.typed = False, ""
        self.faults: list[dict[str, Any]] = []
        self.categories: list[str] = []

    def open(self) -> None:
        """Show the box with the present lexicon."""
        self.shown, self.typed = True, self._state.text()
        self._forget_faults()

    def close(self) -> None:
        """Show the table again; what was typed is dropped."""
        self.shown = False
        self._forget_faults()

    def apply(self, text: str, start: str = "") -> bool:
        """Make the text the lexicon; return whether it has no fault, else nothing is loaded.

        Parameters
        ----------
        text
            In the format of a ``.mg``, Prolog or mgtdb file.
        start
            Start categories, for a text that names none.
        """
        self.typed = text
        self._forget_faults()
        try:
            lexicon = _read(text, start)
        except InputError as error:
            self.categories = list(getattr(error, "categories", ()))
            self.faults = [{"line": f.line, "what": f.what, "hint": f.hint} for f in error.faults]
            return False
        self._state.replace_lexicon(lexicon)
        self.close()
        return True

    def _forget_faults(self) -> None:
        self.faults, self.categories = [], []

    @property
    def view(self) -> dict[str, Any]:
        """What the browser shows."""
        return {"shown": self.shown, "text": self.typed, "faults": self.faults, "categories": self.categories}


def _read(text: str, start: str) -> Lexicon:
    lexicon = loads(text, kind=kind_of(text), start=start)
    Grammar(lexicon).check()
    return lexicon
