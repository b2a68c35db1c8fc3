"""What the grid does in the browser: keys, paste, menus, and what is told of counted cells."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import param

from otlab.ui.components import esm
from otlab.ui.components.component import MessageComponent

if TYPE_CHECKING:
    from otlab.html import Markup

__all__ = ["GridKeys"]

_HERE = Path(__file__).parent
MENU_STYLE = (_HERE / "grid_menu.css").read_text(encoding="utf-8")


class GridKeys(MessageComponent):
    """Handle paste, keys and menus of the grid whose class is :attr:`grid`."""

    grid = param.String(doc="CSS class of the grid listened to")
    names = param.List(doc="constraint names, in order")
    titles = param.Dict(default={}, doc="column name to what a screen reader calls it")
    fixed = param.Boolean(doc="whether nothing can be edited")
    changes = param.Integer(doc="how often cells were sent to the browser")
    marks = param.String(doc="style sheet that marks counted and typed cells")
    counted = param.List(doc="columns that are counted")
    special = param.Dict(default={}, doc="row:column to whether it was typed over, and its readings")

    _esm = esm("grid_keys", _HERE, parts=("name_box", "grid_drag", "grid_counts"), icons=())
    _stylesheets = (MENU_STYLE,)

    def show_fault(self, row: int, field: str) -> None:
        """Put a ring around a cell until the next edit."""
        self._send_msg({"kind": "fault", "row": row, "field": field})

    def open_name(self, field: str, row: int | None, name: str) -> None:
        """Bring a new input, candidate or constraint into view, its name ready to be typed over."""
        self._send_msg({"kind": "name", "row": row, "field": field, "name": name})

    def follow(self, field: str, row: int | None) -> None:
        """Let an open menu follow the row or column that was moved."""
        self._send_msg({"kind": "moved", "row": row, "field": field})

    def point(self, row: int, field: str) -> None:
        """Bring a cell into view and give it the focus."""
        self._send_msg({"kind": "point", "row": row, "field": field})

    def tell(self, row: int, field: str, text: Markup) -> None:
        """Show HTML about a cell beside it, while the pointer rests on it."""
        self._send_msg({"kind": "tell", "row": row, "field": field, "text": text})

    def show_no_fault(self) -> None:
        """Remove the ring."""
        self._send_msg({"kind": "fine"})
