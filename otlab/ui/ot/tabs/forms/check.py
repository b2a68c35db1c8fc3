"""The card of the Forms tab with the cells that disagree with what their constraints count."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.errors import counted
from otlab.html import Markup, element, escape, joined
from otlab.ot.analysis.check import check
from otlab.ot.formatting import slashed
from otlab.ui.background import Background
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import SCROLLING, Card, CardView, Html
from otlab.ui.components.layout import down
from otlab.ui.ot.forms.counts import MARKED_CSS, marked_html, readings_words
from otlab.viz.base.names import NAMES_CSS, constraint_html

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from otlab.ot.analysis.check import Check, Disagreement
    from otlab.ot.tableau import Tableau
    from otlab.ui.ot.state import OTState

__all__ = ["CheckCard"]

_MOST = 40  # cells listed
_AT_ONCE = 5_000  # cells of a table that is checked as soon as it is seen
_ABOUT = (
    "Counts every column that is counted, known as a formula, or has a well-known name, "
    "and lists the cells whose numbers are others."
)
_NARROWER = (
    "A name may mean something narrower in your analysis, such as Ident[voice]: "
    "write that under Constraints, and it is counted instead."
)


class CheckCard(CardView):
    """Check my table."""

    def __init__(self, state: OTState, go_to: Callable[[int, int], None]) -> None:
        super().__init__()
        self._state, self._go_to = state, go_to
        self._checking = Background()
        self.found: Check | None = None
        self._of: Tableau | None = None
        self._locked = False
        self._start = button("Check my table", self.start, icon="check", primary=True)
        self._verdict = Html(element("p", _ABOUT, class_="small"), NAMES_CSS, sizing_mode="stretch_width")
        self._cells = down(gap=4)
        listed = down(self._verdict, self._cells, gap=8, styles=SCROLLING)
        self.card = Card("Check", listed, action=self._start, menu=False)

    def start(self) -> None:
        """Check the table as it is now, on another thread."""
        tableau = self._state.tableau
        self._of = tableau
        self._checking.do(lambda: check(tableau), self._show)

    def draw(self, *, locked: bool) -> None:
        """Check a table that is small, or was checked before it changed."""
        self._locked = locked
        tableau = self._state.tableau
        if self._of is not tableau and (self._of is not None or tableau.violations.size <= _AT_ONCE):
            self.start()

    def _show(self, found: Check) -> None:
        self.found = found
        self._verdict.show(_verdict_html(found))
        by_column = sorted(found.cells, key=lambda cell: (cell.column, cell.row))
        parts: list[Any] = []
        for _, cells in groupby(by_column[:_MOST], key=lambda cell: cell.column):
            parts += self._column(tuple(cells), found)
        if len(found.cells) > _MOST:
            more = f"and {len(found.cells) - _MOST:,} more; they are listed as these are corrected"
            parts.append(Html(element("p", more, class_="small")))
        self._cells[:] = parts

    def _column(self, cells: Sequence[Disagreement], found: Check) -> list[Any]:
        """Return the cells of a column that disagree, below a button for all of them."""
        column = cells[0].column
        every = [cell for cell in found.cells if cell.column == column]
        name = found.columns[column]
        title = element("b", constraint_html(name.constraint)) + escape(f" counts {name.formula}")
        head = [Html(title, NAMES_CSS, sizing_mode="stretch_width", align="center")]
        if len(every) > 1:
            label = f"Use all {len(every):,} counts of {name.constraint}"
            head.append(self._button(label, lambda: self._state.document.take_counts(every)))
        return [_row(*head), *map(self._cell, cells)]

    def _cell(self, cell: Disagreement) -> Any:
        where = f"{cell.constraint}, {cell.candidate}"
        use = self._button(
            "Use the count", lambda: self._state.document.take_counts([cell]), description=where
        )
        go = button(
            "Show", lambda: self._go_to(cell.row, cell.column), plain=True, description=f"Show {where}"
        )
        return _row(Html(_cell_html(cell), MARKED_CSS, sizing_mode="stretch_width", align="center"), use, go)

    def _button(self, label: str, do: Callable[[], object], **params: Any) -> Any:
        return button(label, do, plain=True, disabled=self._locked, **params)


def _row(*parts: Any) -> Any:
    return pn.Row(*parts, margin=0, sizing_mode="stretch_width", styles={"gap": "4px"})


def _cell_html(cell: Disagreement) -> Markup:
    source = slashed(cell.input)
    shift = source.find(cell.input)
    shifted = [one._replace(start=one.start + shift, end=one.end + shift) for one in cell.places]
    pair = joined(
        [marked_html(source, shifted, in_input=True), marked_html(cell.candidate, cell.places)], " → "
    )
    count = readings_words(cell.readings) or str(cell.counted)
    return pair + escape(f": {cell.typed} typed, {count} counted")


def _verdict_html(found: Check) -> Markup:
    """Return how many cells were checked and disagree, and which columns were left out."""
    n = len(found.cells)
    verdict = f"{n:,} disagree{'s' if n == 1 else ''}" if n else "all agree"
    said = (
        f"{counted(found.checked, 'cell')} checked: {verdict}"
        if found.checked
        else "No cell can be checked yet"
    )
    parts = [element("p", element("b", said), role="status")]
    if n:
        parts.append(element("p", _NARROWER, class_="small"))
    unchecked = sorted(
        (column for column in found.columns if not column.formula), key=lambda column: column.why
    )
    for why, columns in groupby(unchecked, key=lambda column: column.why):
        names = [constraint_html(column.constraint) for column in columns]
        known = "it is" if len(names) == 1 else "they are"
        said = f" not checked: {why}. Write what {known} known as under Constraints."
        parts.append(element("p", joined(names, ", ") + escape(said), class_="small"))
    return joined(parts)
