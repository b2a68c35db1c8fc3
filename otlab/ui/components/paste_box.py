"""A place to paste a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from panel.custom import JSComponent

from otlab.ui.components import esm, styles

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["PasteBox"]


class PasteBox(JSComponent):
    """A text area; its button hands its text over.

    Parameters
    ----------
    pasted
        Called with the text.
    """

    _esm = esm("paste_box")
    _stylesheets: ClassVar[list[str]] = styles("paste_box")

    def __init__(self, pasted: Callable[[str], None], **params: Any) -> None:
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, **params})
        self._pasted = pasted

    def _handle_msg(self, message: str) -> None:
        self._pasted(message)
