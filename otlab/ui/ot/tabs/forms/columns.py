"""The card of the Forms tab with a formula for each constraint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from otlab.errors import counted
from otlab.html import element
from otlab.ot.formulas import recount
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import SCROLLING, Card, CardView, Html
from otlab.ui.components.layout import down
from otlab.ui.ot.forms.counts import MARKED_CSS, fault_html

if TYPE_CHECKING:
    from otlab.errors import Fault
    from otlab.ui.ot.state import OTState

__all__ = ["ColumnsCard", "field"]

_HINT = (
    "A formula such as *[+voice,-son]#, Max[V], Ident[voice], or a name such as NoCoda. "
    "Counted cells follow the forms; what you type into the grid overrides them."
)
_LOOKED_AT = 500  # rows that are counted to say why a column cannot be
_LOOK = {"& input": {"fontSize": "13.5px", "fontFamily": "var(--ot-forms)", "paddingInline": "10px"}}


def field(label: str, **params: Any) -> Any:
    """Return a text field for a formula or forms."""
    return pmui.TextInput(
        label=label, size="small", sizing_mode="stretch_width", **{"margin": 0, "sx": _LOOK, **params}
    )


class ColumnRow(pn.viewable.Viewer):
    """What one constraint is counted by or known as, and whether its numbers are counted or typed."""

    def __init__(self, state: OTState, k: int) -> None:
        super().__init__()
        self._state, self._k = state, k
        self._faults: tuple[Fault, ...] = ()
        self._known = ""
        self._showing = False
        self.field = field("")
        self.field.param.watch(lambda event: self._typed(event.new), "value")
        self._say = Html("", MARKED_CSS, sizing_mode="stretch_width")
        self._turn = button(
            "Count it", self._turned, plain=True, align="center", sizing_mode="fixed", width=84
        )
        self._again = button("Use the count again", self._use, plain=True, align="center", visible=False)
        self._kind = Html("", align="center", sizing_mode="fixed", width=52)
        row = pn.Row(
            self.field, self._kind, self._turn, margin=0, sizing_mode="stretch_width", styles={"gap": "8px"}
        )
        self._layout = pn.Column(
            row, self._say, self._again, margin=(10, 0, 0, 0), sizing_mode="stretch_width"
        )

    def show(self, faults: tuple[Fault, ...], *, locked: bool) -> None:
        """Show the constraint as it is now; `faults` say why its formula cannot be counted."""
        own, k = self._state.document.formulas, self._k
        by_formula, known = bool(own.texts[k]), own.known(k)
        suggested = "" if known else self._state.document.suggested(k)
        if known != self._known:  # a formula that was refused is no longer in the field
            self._known, self._faults = known, ()
        self._showing = True
        self.field.param.update(
            label=self._state.tableau.constraints[k],
            placeholder=f"perhaps {suggested}" if suggested else "formula or name",
            disabled=locked,
            **({} if self._faults else {"value": known}),
        )
        self._showing = False
        typed = sum(column == k for _, column in own.typed)
        self._kind.show(element("span", "counted" if by_formula else "typed", class_="small"))
        words = f"{counted(typed, 'cell')} typed over" if typed else ""
        if suggested:
            words = f"a well-known name: counts as {suggested}"
        shown = self._faults or faults
        self._say.show(fault_html(shown) if shown else element("span", words, class_="small"))
        self._say.visible = bool(shown or words)
        self._turn.param.update(
            label="Type it" if by_formula else "Count it",
            disabled=locked,
            visible=bool(known or suggested),
        )
        self._again.param.update(visible=bool(typed), disabled=locked)

    def _typed(self, text: str) -> None:
        """Take over a formula; one with a fault stays in the field, and the numbers stay as they are."""
        if self._showing:
            return
        document, k = self._state.document, self._k
        if not document.formulas.texts[k]:
            self._faults = document.know_column(k, text)
        elif text.strip():
            self._faults = document.count_column(k, text)
        else:
            self._faults = ()
            document.type_column(k)
            document.know_column(k, "")
        self.show((), locked=False)

    def _turned(self) -> None:
        """Count the column, or keep its numbers as typed ones."""
        document, k = self._state.document, self._k
        if document.formulas.texts[k]:
            self._faults = ()
            document.type_column(k)
        else:
            formula = document.formulas.known(k) or document.suggested(k)
            self._faults = document.count_column(k, formula) if formula else ()
        self.show((), locked=False)

    def _use(self) -> None:
        self._state.document.use_counts(self._k)

    def __panel__(self) -> Any:
        return self._layout


class ColumnsCard(CardView):
    """The formulas of all constraints."""

    def __init__(self, state: OTState) -> None:
        super().__init__()
        self._state = state
        self._constraints: tuple[str, ...] = ()
        self.rows: list[ColumnRow] = []
        self._place = down(gap=2, styles=SCROLLING)
        self.card = Card("Constraints", Html(element("p", _HINT, class_="small")), self._place, menu=False)

    def draw(self, *, locked: bool) -> None:
        """Show a row for each constraint."""
        tableau = self._state.tableau
        if tableau.constraints != self._constraints:
            self._constraints = tableau.constraints
            self.rows = [ColumnRow(self._state, k) for k in range(tableau.n_constraints)]
            self._place[:] = self.rows
        faults = recount(tableau, range(min(_LOOKED_AT, tableau.n_rows))).faults
        for k, row in enumerate(self.rows):
            row.show(faults.get(k, ()), locked=locked)
