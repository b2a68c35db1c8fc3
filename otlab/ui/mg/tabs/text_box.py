"""A component with a box in which what a card shows is edited as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import param

from otlab.ui.components.component import MessageComponent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.errors import Fault

__all__ = ["TextBoxComponent"]


class TextBoxComponent(MessageComponent):
    """The base of a card's component in the browser that has a text box (``text_box.js``)."""

    __abstract = True

    text = param.Dict(default={}, doc="The box: shown, text, faults, and what else its card tells of it.")
    draft = param.String(
        None, allow_None=True, doc="What was typed into the box and not applied; None: nothing."
    )

    def __init__(self, on_message: Any, **params: Any) -> None:
        super().__init__(on_message, **params)
        self._of = ""

    @property
    def opened(self) -> bool:
        """Whether the box stands in place of the table."""
        return bool(self.text.get("shown"))

    def open(self, text: str, **more: Any) -> None:
        """Show the box with a text, or with what was typed before if that was an edit of this text."""
        if text != self._of:
            self._of, self.draft = text, None
        self.show_faults(text, (), **more)

    def show_faults(self, text: str, faults: Sequence[Fault], **more: Any) -> None:
        """Show what is wrong with the text that was to be applied."""
        told = [{"line": f.line, "what": f.what, "hint": f.hint} for f in faults]
        self.text = {"shown": True, "text": text, "faults": told, **more}

    def discard(self) -> None:
        """Forget what was typed."""
        self._of, self.draft = "", None

    def close(self, *, unless_typed: bool = False) -> None:
        """Show the table again and forget what was typed.

        Parameters
        ----------
        unless_typed
            Leave a box open that holds text which was typed and not applied.
        """
        if not (unless_typed and self.draft is not None):
            self.text = {}
            self.discard()
