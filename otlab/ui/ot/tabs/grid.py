"""The violations of a tableau as an editable grid.

Counts are strings to Tabulator, edited as strings and parsed by the
:class:`~otlab.ui.ot.document.Document`; a refused edit is put back with the reason
under the grid. Columns have stable names (``c_0``, ``c_1``, ...), constraint names are
only titles. Paste, undo keys, menus and accessible names are ``grid_keys.js``, which also
sends what was typed: Panel's own event of an edit reads the text from the table, where an
answer to an earlier edit may have put back the old one if several arrive at once.
"""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import panel as pn
from bokeh.models.widgets.tables import HTMLTemplateFormatter, StringEditor

from otlab.errors import counted
from otlab.html import escape
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Html
from otlab.ui.ot.cells import column_texts, fields
from otlab.ui.ot.document import TABLE_PASTED
from otlab.ui.ot.forms.counts import counted_html, fault_words, marks_of
from otlab.ui.ot.tabs.grid_keys import GridKeys
from otlab.ui.ot.tabs.grid_names import CANDIDATES, LONG, folded_html, folded_room, forms_room, room_of
from otlab.ui.timers import Later
from otlab.viz.base.names import NAMES_CSS, constraint_html

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.ot.tableau import Tableau
    from otlab.ui.ot.document import Document

__all__ = ["ViolationGrid"]

ROW_HEIGHT = 31  # px: three rows fit into the card of the Learn tab
NARROWEST, WIDEST = 42, 132  # px: a constraint's column
WIDEST_FOLDED = 160  # px: that of a name on two lines
CROWDED = 254  # px of constraints beside which names take two lines, and the forms' columns cannot grow
INPUTS = 84  # px: the inputs' width then
SECOND_LINE = 16  # px that heads of two lines take in addition
ROOM = 1000  # px that the constraints may take before names are cut off
MOST_ROWS, MOST_CELLS = 500, 20_000
"""A larger table is shown in part and cannot be edited in the grid."""
PREVIEW = 100  # rows shown of such a table
DRAWN_MS = 1500  # after which a browser has drawn a table with other columns: before that it loses new cells
CONFIGURATION: dict[str, Any] = {
    "columnDefaults": {"headerSort": False, "minWidth": 42},
    "columnHeaderVertAlign": "bottom",
    "renderVertical": "basic",  # every row stands in the page, so its place there is its number
    "columns": [
        {"field": "input", "minWidth": INPUTS, "widthGrow": 1.7},
        {"field": "candidate", "minWidth": CANDIDATES[0], "widthGrow": 1.8},
        {"field": "menu", "minWidth": 24, "width": 24, "resizable": False},
    ],
}
_LOCKED = '<div class="small num cut">Locked by the exercise</div>'
_serial = count()
_ZERO_IS_FAINT = '<span class="<%= value==0 ? "z" : "" %>"><%= _.escape(value) %></span>'

_HERE = Path(__file__).parent
STYLE = (_HERE / "grid.css").read_text(encoding="utf-8") + NAMES_CSS


class _Cells(pn.widgets.Tabulator):
    """A Tabulator whose patched cells are also on the page on which it is shown next."""

    def patch(self, patch_value: Any, as_index: bool = True) -> None:
        """Change some cells; out of sight, Panel's Tabulator would keep the old ones for the next page."""
        super().patch(patch_value, as_index)
        if not self._models:
            self._update_cds()


class ViolationGrid(pn.viewable.Viewer):
    """An editable grid of a document's violations.

    Parameters
    ----------
    document
        What is edited.
    announce
        Called with what was done when something was removed or replaced, to offer Undo.
    hint
        HTML of :attr:`foot` while nothing is wrong.

    Attributes
    ----------
    foot : Html
        One line to stand under the grid: the hint, or why the last edit was refused.
    after, adds : str
        Style classes of the button that Tab leads to from the last cell, and of those that add something:
        what is typed before it is there becomes its name.
    """

    def __init__(
        self,
        document: Document,
        announce: Callable[[str], None] = lambda what: None,
        hint: str = "",
        **params: Any,
    ) -> None:
        super().__init__(**params)
        self.document = document
        self.message = ""
        self.locked = False  # by an exercise
        self._announce = announce
        self._class = f"ot-grid-{next(_serial)}"
        self.after, self.adds = f"{self._class}-after", f"{self._class}-adds"
        self._hint = hint
        self.foot = Html(hint, sizing_mode="stretch_width", align="center")
        self._faults = Html("", sizing_mode="stretch_width", visible=False)
        self._refused: tuple[int, str, str] | None = None
        self._widen = button("Add the constraints and paste", self._paste_wider, visible=False)
        self._offered: tuple[int, str] | None = None
        self._offer = button("Count it", self._count_offered, icon="check", visible=False)
        self._marked: Tableau | None = None
        self._keys = GridKeys(
            self._on_message, grid=self._class, **self._names(), width=0, height=0, margin=0
        )
        self._shown = self._frame()
        self._hidden: set[tuple[int, str]] = set()
        self._show_hidden = Later(self._send_hidden)
        self.table = _Cells(
            self._shown.copy(),
            **self._columns(),
            theme="simple",
            layout="fit_columns",
            show_index=False,
            sortable=False,
            selectable=False,
            pagination=None,  # Panel would page beyond 200 rows; see CONFIGURATION
            margin=0,
            row_height=ROW_HEIGHT,
            css_classes=["ot-grid", self._class],
            stylesheets=[STYLE],
            sizing_mode="stretch_both",
            configuration=self._configuration(),
        )
        document.history.param.watch(self._on_history, ["last", "next"])

    def refresh(self) -> None:
        """Show the document as it is now, sending as little as possible."""
        shown, frame = self._shown, self._frame()
        self._shown = frame
        with pn.io.hold():
            if list(frame.columns) == list(shown.columns) and len(frame) == len(shown):
                self._patch(shown, frame)
                if self.table.titles != self._titles():
                    self.table.param.update(titles=self._titles(), widths=self._columns()["widths"])
            else:
                self.table.param.update(value=frame.copy(), **self._columns())
                self._keys.changes += 1
            self._keys.param.update(**self._names())
            self._show_marks()
            self._show_whether_fixed()

    def _show_marks(self) -> None:
        """Mark the cells that are counted, those typed over, and those with several readings."""
        tableau = self.document.tableau
        if self._marked is tableau:
            return
        self._marked = tableau
        rows = min(PREVIEW if self.large else MOST_ROWS, tableau.n_rows)
        self._keys.param.update(**marks_of(tableau, rows)._asdict())
        if self._offered is not None and not self._may_count(*self._offered):
            self._offered, self._offer.visible = None, False

    def point(self, row: int, k: int) -> None:
        """Bring a cell into view and give it the focus."""
        self._keys.point(row, f"c_{k}")

    def _patch(self, shown: pd.DataFrame, frame: pd.DataFrame) -> None:
        """Send the cells that are no longer as shown; what was typed and has not been taken yet stays."""
        changes = {
            column: [
                (row, new)
                for row, (old, new) in enumerate(zip(shown[column], frame[column], strict=True))
                if old != new and (row, column) not in self._hidden
            ]
            for column in frame
        }
        changes = {column: cells for column, cells in changes.items() if cells}
        if changes:
            self.table.patch(changes)
            self._keys.changes += 1

    # -- display --------------------------------------------------------------

    @property
    def fixed(self) -> bool:
        """Whether nothing can be edited here: an exercise has locked the table, or it is too large."""
        return self.locked or self.large

    @property
    def large(self) -> bool:
        """Whether the table is too large to be edited here; then only its beginning is shown."""
        tableau = self.document.tableau
        return tableau.n_rows > MOST_ROWS or tableau.violations.size > MOST_CELLS

    def _show_whether_fixed(self) -> None:
        fixed = self.fixed
        if fixed == self._keys.fixed:
            return
        self._keys.fixed = fixed
        self.table.editors = self._columns()["editors"]
        self._report("")

    def _too_large(self) -> str:
        rows = self.document.tableau.n_rows
        return (
            '<div role="status" style="color:var(--ot-warn);font-size:12px;margin-left:8px">'
            f"The first {PREVIEW} of {counted(rows, 'row')}; learners use all. To change so large a table, "
            "edit its file and load it again.</div>"
        )

    def _frame(self) -> pd.DataFrame:
        tableau = self.document.tableau
        rows = PREVIEW if self.large else tableau.n_rows
        columns = {field: column_texts(tableau, field, rows) for field in fields(tableau)}
        count = len(columns["candidate"])
        return pd.DataFrame({**columns, "menu": ["" if self.fixed else "⋮"] * count}, dtype=object)

    def _titles(self) -> dict[str, str]:
        names = self.document.tableau.constraints
        head = folded_html if self._crowded else constraint_html
        constraints = {f"c_{k}": head(name) for k, name in enumerate(names)}
        return {"input": "Input", "candidate": "Candidate", "count": "Count", "menu": " ", **constraints}

    def _configuration(self) -> dict[str, Any]:
        """Return Tabulator's configuration, in which it tells ``grid_keys.js`` of each edited cell."""
        tell = f"cell => document.dispatchEvent(new CustomEvent('{self._class}', {{ detail: cell }}))"
        defaults = {**CONFIGURATION["columnDefaults"], "cellEdited": pn.io.JSCode(tell)}
        return {**CONFIGURATION, "columnDefaults": defaults}

    def _names(self) -> dict[str, Any]:
        names = self.document.tableau.constraints
        titles = {f"c_{k}": name for k, name in enumerate(names)}
        return {
            "names": list(names),
            "titles": {"input": "Input", "candidate": "Candidate", "count": "Count", **titles},
        }

    def _columns(self) -> dict[str, Any]:
        names = fields(self.document.tableau)
        numbers = names[2:]
        return {
            "editors": {
                **{name: None if self.fixed else StringEditor() for name in names},
                "menu": None,
            },
            "formatters": {field: HTMLTemplateFormatter(template=_ZERO_IS_FAINT) for field in numbers},
            "titles": self._titles(),
            "text_align": dict.fromkeys(numbers, "right"),
            "header_align": dict.fromkeys(numbers, "right"),
            "frozen_columns": ["input", "candidate"] if len(numbers) > 9 else [],
            "widths": {"count": 52, **self._widths()},
        }

    @property
    def _crowded(self) -> bool:
        """Whether the constraints do not fit beside the forms with each name on one line."""
        return sum(max(room_of(name), NARROWEST) for name in self.document.tableau.constraints) > CROWDED

    def _widths(self) -> dict[str, int]:
        """Return the width of every constraint's column: room for its name, within limits.

        Beside many of them inputs and candidates have widths of their own, too.
        """
        tableau = self.document.tableau
        room, most = (folded_room, WIDEST_FOLDED) if self._crowded else (room_of, WIDEST)
        widest = max(most, ROOM // tableau.n_constraints)
        widths = {
            f"c_{k}": min(max(room(name), NARROWEST), widest) for k, name in enumerate(tableau.constraints)
        }
        if self._crowded:
            widths |= {"input": INPUTS, "candidate": forms_room(tableau.candidates[:MOST_ROWS])}
        return widths

    @property
    def second_line(self) -> int:
        """The height that the heads need beyond one line, px."""
        long = any(room_of(name) > LONG for name in self.document.tableau.constraints)
        return SECOND_LINE if self._crowded and long else 0

    # -- edits ----------------------------------------------------------------

    def _type(self, row: int, field: str, text: str, seen: int) -> None:
        """Take over what was typed into a cell that had seen so many changes; do nothing if it is gone."""
        if field not in self._shown or row >= len(self._shown):
            return
        if seen == self._keys.changes:
            self._shown.loc[row, field] = self.table.value.loc[row, field]
        else:  # cells sent meanwhile reach the browser after it was typed, and hide it
            self._hidden.add((row, field))
            self._show_hidden.call(DRAWN_MS)
        answer = self.document.type(row, field, text)
        self.refresh()
        self._report(answer.reason, row, field)

    def _send_hidden(self) -> None:
        """Send the cells that the browser shows as they were before they were typed."""
        cells, self._hidden = self._hidden, set()
        for row, field in cells:
            if field in self._shown and row < len(self._shown):
                self.table.patch({field: [(row, self._shown.loc[row, field])]})

    def _on_history(self, *_: Any) -> None:
        """Drop what was said of the last edit: another was made or undone."""
        if self.message:
            self._report("")

    def _report(self, reason: str, row: int | None = None, field: str = "") -> None:
        self.message = reason
        several = "\n" in reason
        hint = self._too_large() if self.large else _LOCKED if self.locked else self._hint
        self.foot.show(_alert(reason) if reason and not several else hint)
        self._widen.visible = self._refused is not None and bool(reason)
        self._faults.show(_alert(reason) if several else "")
        self._faults.visible = several
        if reason and row is not None:
            self._keys.show_fault(row, field)
        else:
            self._keys.show_no_fault()

    def add(self, what: str, row: int | None = None) -> None:
        """Add an "input", a "candidate" (to the input of `row`) or a "constraint", ready to be named."""
        document = self.document
        if self.fixed:
            return
        if what == "constraint":
            name = document.add_constraint()
            self._keys.open_name(f"c_{document.tableau.n_constraints - 1}", None, name)
        else:
            row = document.add_input() if what == "input" else document.add_candidate(row)
            self._keys.open_name(what, row, document.text(row, what))
        self._report("")

    def _offer_to_count(self, k: int) -> None:
        """Offer to count a column that was given the name of a formula or a well-known constraint."""
        formula = self.document.suggested(k)
        self._offered = (k, formula) if self._may_count(k, formula) else None
        self._offer.param.update(label=f"Count it: {formula}", visible=self._offered is not None)

    def _may_count(self, k: int, formula: str) -> bool:
        """Return whether a column has the name of a formula that it can be counted by, and is not."""
        texts = self.document.formulas.texts
        return bool(formula) and k < len(texts) and texts[k] != formula == self.document.suggested(k)

    def _count_offered(self) -> None:
        if self._offered is not None:
            k, formula = self._offered
            self._offered, self._offer.visible = None, False
            self._report(fault_words(self.document.count_column(k, formula)))

    def _on_counts(self, kind: str, k: int, row: int | None, message: dict[str, Any]) -> None:
        """Do what the menu of a counted cell or column says, or tell of a cell what was counted in it."""
        document = self.document
        if k >= document.tableau.n_constraints or (row is not None and row >= document.tableau.n_rows):
            return
        if kind == "count-hover" and row is not None:
            self._keys.tell(row, f"c_{k}", counted_html(document.tableau, row, k))
        elif kind == "count-use" and row is not None:
            document.use_count(row, k)
        elif kind == "count-reading" and row is not None:
            document.pick(row, k, int(message["reading"]))
        elif kind == "count-column":
            document.use_counts(k)
        elif kind == "count-typed":
            document.type_column(k)

    def _on_message(self, message: dict[str, Any]) -> None:
        kind, row = message.get("kind", ""), message.get("row")
        field = message.get("field") or ""
        if kind == "count-hover" or (kind.startswith("count-") and not self.fixed):
            self._on_counts(kind, int(field[2:]), row, message)
            return
        if kind in ("undo", "redo"):
            getattr(self.document.history, kind)()
            self._report("")
        elif self.fixed:
            return
        elif kind == "paste":
            self._paste(row or 0, field, message["text"])
        elif kind == "type":
            self._type(int(message["row"]), field, message["text"], message["seen"])
        elif field.startswith("c_"):
            self._on_constraint(kind, int(field[2:]), message)
        elif row is not None:
            self._on_row(kind, row, message)

    def _paste(self, row: int, field: str, text: str) -> None:
        reason = self.document.paste(row, field, text)
        self._refused = None
        if reason and (wider := self.document.too_wide(field, text)):
            self._refused = (row, field, text)
            self._widen.label = (
                "Add the constraint and paste" if wider == 1 else f"Add {wider} constraints and paste"
            )
        self._report(reason)
        if not reason and self.document.history.last == TABLE_PASTED:
            self._announce(". ".join([TABLE_PASTED, *self.document.remarks]))

    def _paste_wider(self) -> None:
        if self._refused is not None:
            row, field, text = self._refused
            self._refused = None
            wider = self.document.too_wide(field, text)
            reason = self.document.paste(row, field, text, widen=True)
            self._report(reason)
            if not reason:
                self._announce(f"Cells pasted, with {counted(wider, 'new constraint')}")

    def _on_constraint(self, kind: str, k: int, message: dict[str, Any]) -> None:
        document = self.document
        reason = ""
        if kind == "rename":
            reason = document.rename_constraint(k, message["name"])
            if not reason:
                self._offer_to_count(k)
        elif kind == "remove-constraint":
            reason = document.remove_constraint(k)
            self._announce_removed(reason)
        elif kind == "constraint-to":
            document.move_constraint(k, int(message["to"]) - k)
        else:
            far = document.tableau.n_constraints
            by = {"move-left": -1, "move-right": 1, "move-first": -far, "move-last": far}[kind]
            self._keys.follow(f"c_{document.move_constraint(k, by)}", None)
        self._report(reason)

    def _on_row(self, kind: str, row: int, message: dict[str, Any]) -> None:
        document = self.document
        what, _, how = kind.partition("-")
        reason = ""
        if kind == "add-candidate":
            self.add("candidate", row)
        elif what == "remove":
            reason = document.remove_input(row) if how == "input" else document.remove_candidate(row)
            self._announce_removed(reason)
        elif kind == "candidate-to":
            document.move_candidate(row, int(message["to"]) - row)
        else:
            far = document.tableau.n_rows
            move = document.move_input if what == "input" else document.move_candidate
            self._keys.follow("menu", move(row, {"up": -1, "down": 1, "first": -far, "last": far}[how]))
        self._report(reason)

    def _announce_removed(self, reason: str) -> None:
        if not reason:
            self._announce(self.document.history.last)

    def __panel__(self) -> pn.viewable.Viewable:
        return pn.Column(
            self.table,
            self._faults,
            self._widen,
            self._offer,
            self._keys,
            sizing_mode="stretch_both",
            margin=0,
        )


def _alert(reason: str) -> str:
    """Return why an edit was refused; of many lines the first three, and how many more."""
    lines = reason.split("\n")
    shown: list[str] = [*map(escape, lines[:3])]
    if len(lines) > 3:
        shown.append(f"and {len(lines) - 3} more")
    style = "color:var(--ot-bad);font-size:12px;line-height:15px"
    return f'<div role="alert" style="{style}">{"<br>".join(shown)}</div>'
