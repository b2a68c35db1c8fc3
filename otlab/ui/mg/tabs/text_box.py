"""A component with a box in which what a card shows is edited as text."""

from __future__ import annotations

from typing import Any

import param

from otlab.ui.components.component import MessageComponent

__all__ = ["TextBoxComponent"]


class TextBoxComponent(MessageComponent):
    """The base of a card's component in the browser that has a text box (``text_box.js``)."""

    __abstract = True

    text = param.Dict(default={}, doc="The box: shown, text, faults, categories.")
    draft = param.String(
        None, allow_None=True, doc="What was typed into the box and not applied; None: nothing."
    )

    def __init__(self, on_message: Any, **params: Any) -> None:
        super().__init__(on_message, **params)
        self._of = ""

    def prepare(self, text: str) -> None:
        """Keep what was typed before, if it was an edit of this text, for the box that is opened next."""
        if text != self._of:
            self._of, self.draft = text, None

    def discard(self) -> None:
        """Forget what was typed."""
        self._of, self.draft = "", None
