"""The menu of a card: what it shows as a picture, and the numbers behind it.

The browser draws the plots of the card anew as SVG, with the names and the legend that stand
beside them, in the colours of the page. A drawing of our own that is neither a plot nor SVG says so with
``data-picture``; its numbers are what its element's ``copyData()`` or ``data-copy`` gives.
"""

from __future__ import annotations

from typing import Any, ClassVar

import param
from panel.custom import JSComponent

from otlab.ui.components import esm, styles, stylesheet

__all__ = ["CardMenu"]


class CardMenu(JSComponent):
    """Save PNG, Save SVG, Copy data; seen only while its card shows a picture or a table."""

    title = param.String(doc="the card's title, for file names; HTML")

    _esm = esm("card_menu", parts=("card_picture", "card_data"), icons=("more",))
    _stylesheets: ClassVar[list[str]] = [*styles("card_menu"), stylesheet("menu")]

    def __init__(self, title: str, **params: Any) -> None:
        super().__init__(title=title, **{"width": 24, "height": 24, "margin": (0, -12, 0, 0), **params})
