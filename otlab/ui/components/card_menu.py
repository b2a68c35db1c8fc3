"""The menu of a card: what it shows as a picture, and the numbers behind it.

The browser draws the plots of the card anew as SVG, with the names and the legend that stand
beside them, in the colours of the page. A drawing of our own that is neither a plot nor SVG says so with
``data-picture``; its numbers are what its element's ``copyData()`` or ``data-copy`` gives.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, ClassVar

import param
from panel.custom import JSComponent

from otlab.ui.components import esm, styles, stylesheet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["CardMenu"]


class CardMenu(JSComponent):
    """Save PNG, Save SVG, Copy data; seen only while its card shows a picture or a table.

    Parameters
    ----------
    title
        Of the card.
    files
        Key and label of further files that can be saved.
    make
        Given a key, returns name and content of the file.
    """

    title = param.String(doc="the card's title, for file names; HTML")
    files = param.List(default=[], doc="key and label of further files")

    _esm = esm("card_menu", parts=("card_picture", "card_data"), icons=("more",))
    _stylesheets: ClassVar[list[str]] = [*styles("card_menu"), stylesheet("menu")]

    def __init__(
        self,
        title: str,
        files: Iterable[tuple[str, str]] = (),
        make: Callable[[str], tuple[str, bytes]] | None = None,
        **params: Any,
    ) -> None:
        params["files"] = [list(file) for file in files]
        self._make = make
        super().__init__(title=title, **{"width": 24, "height": 24, "margin": (0, -12, 0, 0), **params})

    def _handle_msg(self, message: dict[str, str]) -> None:
        if self._make is not None and message["key"] in dict(self.files):
            name, content = self._make(message["key"])
            self._send_msg({"name": name, "data": base64.b64encode(content).decode()})
