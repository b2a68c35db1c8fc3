"""The Lexicon check tab: the remarks of the linter."""

from __future__ import annotations

from typing import Any

from otlab.errors import counted
from otlab.html import table, td, tr
from otlab.ui.components.cards import Card, Html
from otlab.ui.hiding import NOTHING_REPEATED
from otlab.ui.mg.state import MGState
from otlab.ui.mg.tabs import TABLE_STYLE
from otlab.ui.tab import Tab

__all__ = ["CheckTab"]

_STYLE = (
    TABLE_STYLE
    + """
.code { white-space: nowrap; }
.warn { color: var(--ot-warn); }
"""
)


class CheckTab(Tab[MGState]):
    """All remarks of the linter."""

    title = "Lexicon check"
    repeats = NOTHING_REPEATED
    depends = ("settled",)

    def build(self) -> Any:
        """Return the table of remarks."""
        self._html = Html("", _STYLE, sizing_mode="stretch_both", styles={"overflow": "auto"})
        self._card = Card("Lexicon check", self._html)
        return self._card

    def draw(self) -> None:
        """List the remarks by row."""
        remarks = self.state.remarks
        self._card.remark = counted(len(remarks), "remark") if remarks else "no remarks"
        rows = [
            tr(
                [
                    td(r.code, "code bad" if r.blocks else "code warn"),
                    td(r.line or "", "num"),
                    td(r.item, "form"),
                    td(r.what),
                    td(r.hint),
                ]
            )
            for r in remarks
        ]
        heads = ["Code", "Row", "Item", "Problem", "Remedy"]
        fine = "Every item can be used." if self.state.lexicon.items else "The lexicon has no item yet."
        self._html.show(table(heads, rows) if rows else f"<p>{fine}</p>")
