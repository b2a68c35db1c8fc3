"""Who said what: the counts of a tableau by speaker and item, a line each, to edit in place of the grid.

A line is a speaker, an item, a candidate and how often; the counts of the grid are their sums after each
edit, which Undo takes back. What is refused is said below, and the cell is as before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import panel as pn
import panel_material_ui as pmui

from otlab.html import element
from otlab.ot.formatting import slashed
from otlab.ot.groups import counted_lines
from otlab.ui.components import stylesheet
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Html
from otlab.ui.components.layout import across, down
from otlab.ui.ot.cells import show_number

if TYPE_CHECKING:
    from otlab.ot.groups import CountedLine
    from otlab.ui.ot.document import Document

__all__ = ["TokenTable"]

_PAGE = 50  # lines
_SMALL: dict[str, Any] = {"size": "small", "height": 40, "margin": (6, 0, 0, 0)}
_EDITED = ("Speaker", "Item", "Count")


class TokenTable(pn.viewable.Viewer):
    """The counts by speaker and item of a document, edited in a table with a field that finds lines.

    Parameters
    ----------
    document
        What is edited.
    """

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document
        self.locked = False  # by an exercise
        self._lines: list[CountedLine] = []
        self.find = pmui.TextInput(label="Find", width=130, **_SMALL)
        self.find.param.watch(lambda _: self.refresh(), "value_input")
        self.speaker = pmui.TextInput(label="Speaker", width=110, **_SMALL)
        self.item = pmui.TextInput(label="Item", width=110, **_SMALL)
        self.candidate = pmui.Select(label="Candidate", options={}, width=170, **_SMALL)
        self.count = pmui.TextInput(label="Count", value="1", width=70, **_SMALL)
        self._add = button("Add tokens", self._added, icon="plus", margin=(10, 0, 0, 0))
        self.foot = Html("", sizing_mode="stretch_width", align="center")
        self.table = pn.widgets.Tabulator(
            pd.DataFrame(),
            theme="simple",
            layout="fit_columns",
            show_index=False,
            sortable=False,
            selectable=False,
            pagination="remote",
            page_size=_PAGE,
            margin=0,
            row_height=30,
            css_classes=["ot-languages"],
            stylesheets=[stylesheet("languages")],
            sizing_mode="stretch_both",
        )
        self.table.on_edit(self._edited)
        self._adders = (self.speaker, self.item, self.candidate, self.count, self._add)
        fields = across(self.find, *self._adders, self.foot, gap=8, sizing_mode="stretch_width")
        self._view = down(self.table, fields)

    def refresh(self) -> None:
        """Show the lines of the document whose names have what is looked for in them."""
        tableau = self._document.tableau
        groups = tableau.groups
        if groups is None:
            return
        wanted = self.find.value_input.casefold()
        of_row = tableau.input_of_row.tolist()

        def names(line: CountedLine) -> tuple[str, ...]:
            return line.speaker, line.item, tableau.inputs[of_row[line.row]], tableau.candidates[line.row]

        orders = [{name: n for n, name in enumerate(named)} for named in (groups.speakers, groups.items)]
        every = [line for line in counted_lines(tableau.frequencies, groups) if line.speaker or line.item]
        every.sort(key=lambda line: (orders[0].get(line.speaker, 0), orders[1].get(line.item, 0), line.row))
        self._lines = [line for line in every if any(wanted in name.casefold() for name in names(line))]
        cells = zip(*map(names, self._lines), strict=True) if self._lines else [()] * 4
        columns = dict(zip(("Speaker", "Item", "Input", "Candidate"), cells, strict=True))
        for name, named in (("Speaker", groups.speakers), ("Item", groups.items)):
            if not named:
                del columns[name]
        columns["Count"] = tuple(show_number(line.tokens) for line in self._lines)
        frame = pd.DataFrame(columns, dtype=object)
        can = () if self.locked else _EDITED
        editors = {name: {"type": "input"} if name in can else None for name in frame.columns}
        self.table.param.update(
            value=frame, editors=editors, text_align={"Count": "right"}, header_align={"Count": "right"}
        )
        self._show_adders()

    def _show_adders(self) -> None:
        """Show the fields of a new line, those that the data have."""
        tableau = self._document.tableau
        groups = tableau.groups
        options = {
            f"{slashed(tableau.inputs[k])} {tableau.candidates[row]}": row
            for row, k in enumerate(tableau.input_of_row.tolist())
        }
        if self.candidate.options != options:
            self.candidate.param.update(options=options, value=0)
        for widget in self._adders:
            widget.visible = not self.locked
        self.speaker.visible = not self.locked and bool(groups and groups.speakers)
        self.item.visible = not self.locked and bool(groups and groups.items)

    def _edited(self, event: Any) -> None:
        """Take over what was typed into a cell."""
        line = self._lines[event.row]
        self._say(self._document.type_tokens(line, event.column.lower(), str(event.value)))
        self.refresh()

    def _added(self) -> None:
        """Add tokens of the speaker, item and candidate that are typed."""
        names = self.speaker.value_input or self.speaker.value, self.item.value_input or self.item.value
        count = self.count.value_input or self.count.value
        self._say(self._document.add_tokens(*names, self.candidate.value or 0, count))
        self.refresh()

    def _say(self, reason: str) -> None:
        self.foot.show(element("div", reason, role="alert", class_="small") if reason else "")

    def __panel__(self) -> Any:
        return self._view
