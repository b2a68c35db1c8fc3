"""The Data tab: load a table, download everything, what was observed, and settings of single constraints.

Single constraints can have priors, initial values, plasticities and a priori rankings.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn

from otlab.errors import counted
from otlab.html import Markup, element, table, td, th, tr
from otlab.ot.io.accents import accented, resolved
from otlab.ot.learners import LEARNERS
from otlab.ot.overt import heard_tableau, overt_forms_of, parses_unknown
from otlab.ui import data_tab
from otlab.ui.components import stylesheet
from otlab.ui.components.buttons import button, segmented
from otlab.ui.components.cards import SCROLLING, Card, CardView, Html
from otlab.ui.components.layout import across, down
from otlab.ui.components.placeholders import banner, warned
from otlab.ui.ot.cells import frequencies
from otlab.ui.ot.constraint_settings import ABOVE, COLUMNS, faithfulness_low, forget, frame, typed
from otlab.ui.ot.files import TableFile, read_file
from otlab.ui.ot.state import OTState
from otlab.ui.ot.tabs.downloads import TABLES, download, grouped
from otlab.viz.base.names import NAMES_CSS, form_html, input_html
from otlab.viz.base.numbers import percent_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from otlab.ot.tableau import Tableau
    from otlab.reading import ReadAs
    from otlab.ui.ot.constraint_settings import ConstraintSettings
    from otlab.ui.source import Source

__all__ = ["ConstraintCard", "DataTab"]

_MOST_SHOWN = 500
_GONE = "Open the file again to read it in another way"
_IN_SIGHT = 6  # rows of a table
_MOST_OFFERED = 4  # learners: more have no room in the head of a card
_SETTINGS_HEAD, _SETTINGS_ROW = 166, 36  # px: what is around the rows of a table, and each of them
_SEEN_HEAD, _SEEN_ROW = 148, 34
_OBSERVED_CSS = """
table { width: 100%; border-collapse: collapse; font-feature-settings: "tnum"; }
th, td { padding: 5px 12px 5px 0; border-bottom: 1px solid var(--ot-line); text-align: left; }
th, td { font-weight: 400; }
th { position: sticky; top: 0; font-size: 11.5px; font-weight: 500; color: var(--ot-ink3);
  background: var(--ot-surface); }
.num { text-align: right; }
.about { color: var(--ot-ink2); margin-bottom: 10px; }
"""


class DataTab(data_tab.DataTab[OTState]):
    """The Data tab."""

    of_data = frozenset(TABLES)
    depends = ("constraint_changes", "edits", "settled")
    hint = (
        "CSV, OTSoft text, a spreadsheet (.xlsx) or Praat's OTGrammar. After it, if you have them: its "
        "PairDistribution, a bias file, a priori rankings. Nothing leaves this computer."
    )
    accept = ".csv,.txt,.tsv,.xlsx,.OTGrammar,.PairDistribution,.Collection"
    large = "read it with otlab.ot.read and pass the tableau to OTLab"
    paste = "pasted table"
    typed = "input,candidate,frequency,Max,Dep\nap,ap,3,0,1\nap,a,1,1,0"

    def build(self) -> Any:
        """Return the cards in their places."""
        self._asked: tuple[Source | None, ReadAs | None] = None, None
        self._observed = Html("", NAMES_CSS + _OBSERVED_CSS, sizing_mode="stretch_both", styles=SCROLLING)
        load = self.load_card("Load a table", sizing_mode="stretch_width")
        self._printed_by = segmented("Learner of the tableaux", {"": ""}, visible=False)
        self._printed_by.param.watch(lambda event: setattr(self.state, "printed_by", event.new), "value")
        home, _ = self.download_card(
            partial(download, self.state),
            grouped(),
            width=396,
            sizing_mode="stretch_height",
            action=self._printed_by,
        )
        home.body.styles = {**home.body.styles, "overflow-y": "auto"}  # in a low window
        self._seen = Card("Observed", self._observed, remark="counts, and shares within each input")
        self.constraints = ConstraintCard(self.state)
        left = down(load, self.constraints, self._seen, styles={"min-height": "max-content"})
        return across(left, home, scroll="y-auto")

    def _make_room(self) -> None:
        """Let six rows of each table be in sight; the page scrolls where it is lower than that."""
        tableau = self.state.tableau
        settings = _SETTINGS_HEAD + _SETTINGS_ROW * min(_IN_SIGHT, tableau.n_constraints)
        seen = _SEEN_HEAD + _SEEN_ROW * min(_IN_SIGHT, tableau.n_rows)
        self.constraints.card.keep(settings)
        self._seen.keep(seen)

    def show_read(self, source: Source, result: TableFile | Callable[[], str]) -> None:
        """Show what was read; warnings are listed."""
        if not isinstance(result, TableFile):
            self.messages[:] = [banner(result(), kind="good")]
            return
        tableau, warnings = result.reading
        n = len(warnings)
        words = f"{source.name} is loaded" + (f", with {counted(n, 'warning')}." if n else ".")
        self.messages[:] = [warned(words, warnings) if n else banner(words, kind="good")]
        self._offer_accents(tableau)
        self._offer_values(result.reading.values)
        self.lab.open_own(source.name, lambda: result.open_in(self.state, source))

    def _offer_accents(self, tableau: Tableau) -> None:
        typed = accented(tableau)
        if typed:
            self.messages.append(button(f"Read {typed[0]} as {resolved(typed[0])}", self.resolve_accents))

    def _offer_values(self, values: Mapping[str, float]) -> None:
        if values:
            show = button("Predict with the weights of the file", lambda: self.show_values(values))
            self.messages.append(show)

    def show_values(self, values: Mapping[str, float]) -> None:
        """Show a row of weights as ranking values, centred."""
        state = self.state
        if set(values) != set(state.tableau.constraints):
            self.messages[:] = [banner("The constraints are not those of the file any more.", kind="warn")]
            return
        numbers = np.array([values[name] for name in state.tableau.constraints])
        state.choose(numbers - numbers.mean())
        state.adopted += 1
        self.messages[:] = [banner("The weights are the ranking values on Learn.", kind="good")]

    def read(self, source: Source, progress: Callable[[float], None]) -> TableFile | Callable[[], str]:
        """Return what a file holds, read in the way that was chosen for it."""
        asked, how = self._asked
        return read_file(
            self.state, source.content(), source.name, progress, how if asked is source else None
        )

    def read_so(self, reading: ReadAs) -> None:
        """Read the open file in another way."""
        if self.state.source is not None:
            self._asked = self.state.source, reading
            self.zone.open(self.state.source)

    def _show_reading(self) -> None:
        readings, tableau = self.state.readings, self.state.tableau
        if not readings:
            self.read_as.hide()
            return
        found = f"{counted(tableau.n_rows, 'candidate')}, {counted(tableau.n_constraints, 'constraint')}"
        self.read_as.show(readings, readings[0], found, locked="" if self.state.source else _GONE)

    def resolve_accents(self) -> None:
        """Turn backslash accents of the open table into letters; Undo brings them back."""
        reason = self.state.document.resolve_accents()
        if reason:
            self.messages[:] = [banner("The accents stay as they are.", reason, "warn")]
        else:
            self.messages[:] = [banner("Backslash accents are read as accented letters.", kind="good")]

    def draw(self) -> None:
        """Show the table as it is now."""
        self._make_room()
        self._show_reading()
        self._observed.show(_observed_html(self.state))
        self.constraints.show()
        self._offer_learners()

    def _offer_learners(self) -> None:
        """Let the reader choose by which of several learners tableaux are ranked."""
        ran = self.state.learnt_by
        options = [[name, LEARNERS[name].label] for name in ran]
        if options and options != self._printed_by.options:
            self._printed_by.param.update(options=options, value=self.state.printed_learner)
        self._printed_by.visible = 1 < len(ran) <= _MOST_OFFERED


def _observed_html(state: OTState) -> Markup:
    tableau = state.tableau
    counts, heard = frequencies(tableau), bool(parses_unknown(tableau))
    if heard:
        counts, tableau = overt_forms_of(tableau).sums(counts), heard_tableau(tableau)
    shares = tableau.observed()
    rows = [
        tr(
            [
                td(input_html(tableau.inputs[k]) if row == tableau.offsets[k] else ""),
                td(form_html(tableau.candidates[row])),
                td(f"{counts[row]:,g}", "num"),
                td(percent_text(shares[row]), "num"),
            ]
        )
        for row, k in enumerate(tableau.input_of_row[:_MOST_SHOWN])
    ]
    rest = tableau.n_rows - _MOST_SHOWN
    if rest > 0:
        rows.append(tr([td(f"and {rest:,} more; the download has them all", colspan=4)]))
    about = ". ".join(text for text in (tableau.source, *tableau.notes) if text)
    heads = ["Input", "Heard" if heard else "Candidate", th("Count", "num"), th("Share", "num")]
    return element("p", about, class_="about") + table(heads, rows)


_HELP = (
    "An empty cell is as for all constraints. Always above: names of constraints, with commas; "
    "every ranking keeps to it, and so do the ranking values of all learners but EDCD."
)
_CELLS = """
.tabulator .tabulator-header .tabulator-col .tabulator-col-content { padding: 4px 2px 4px 8px; }
.tabulator .tabulator-header .tabulator-col .tabulator-col-content .tabulator-col-title {
  padding: 0; font: 500 11px/1.3 var(--ot-ui); white-space: normal !important; overflow: visible !important; }
.tabulator-row .tabulator-cell { border-right: 1px solid var(--ot-line); cursor: text; }
"""
_NOTHING_TO_SET = "No constraint, or every one, has the name of a faithfulness constraint."


def _names_width(names: Sequence[str]) -> int:
    """Return the width of the column of names, px; the longest ones are cut."""
    return min(max(100, 24 + 8 * max(map(len, names), default=0)), 140)


class ConstraintCard(CardView):
    """An editable table with a row per constraint."""

    def __init__(self, state: OTState) -> None:
        super().__init__()
        self._state = state
        table = frame(state.settings, state.tableau)
        tips = {column.title: column.tip for column in COLUMNS.values()}
        self.table = pn.widgets.Tabulator(
            table,
            theme="simple",
            layout="fit_columns",
            show_index=False,
            sortable=False,
            selectable=False,
            margin=0,
            row_height=30,
            editors={title: None if title == "Constraint" else {"type": "input"} for title in table.columns},
            configuration={"columns": [{"field": "Constraint", "tooltip": True}]},
            header_tooltips={**tips, ABOVE: "constraints that it is always ranked above"},
            css_classes=["ot-languages"],
            stylesheets=[stylesheet("languages"), _CELLS],
            widths={"Constraint": _names_width(state.tableau.constraints), "Plasticity": 72, ABOVE: 92},
            sizing_mode="stretch_both",
        )
        self.table.on_edit(self._edited)
        self._message = Html("", sizing_mode="stretch_width")
        low = button("Faithfulness low", self._faithfulness_low, plain=True)
        clear = button("Clear", self._clear, plain=True)
        buttons = across(low, clear, sizing_mode="fixed", gap=4)
        self.card = Card(
            "Constraint by constraint",
            down(self.table, self._message, gap=6),
            action=buttons,
            remark="optional",
        )
        self._show_message("")

    def show(self) -> None:
        """Show the present settings."""
        table = frame(self._state.settings, self._state.tableau)
        self.table.widths = {**self.table.widths, "Constraint": _names_width(self._state.tableau.constraints)}
        if not table.equals(self.table.value):
            self.table.value = table

    def _edited(self, _event: Any) -> None:
        """Take over what was typed: several cells if a busy server hears of their edits at once."""
        state, there = self._state, self.table.value
        before = frame(state.settings, state.tableau)
        cells = [
            (row, str(column), str(text or ""))
            for column in before
            for row, (old, text) in enumerate(zip(before[column], there[column], strict=True))
            if old != text
        ]

        def take(row: int, column: str, text: str) -> str:
            where = state.tableau, row, column, text
            return state.set_single(lambda draft: typed(draft, *where), f"{column} changed")

        reasons = [take(*cell) for cell in cells]
        if cells:
            self._show_message(" ".join(filter(None, reasons)))
            self.show()

    def _faithfulness_low(self) -> None:
        tableau, mean = self._state.tableau, 2 * self._state.settings.noise

        def lower(draft: ConstraintSettings) -> str:
            return "" if faithfulness_low(draft, tableau, mean) else _NOTHING_TO_SET

        self._show_message(self._state.set_single(lower, "Faithfulness low"))
        self.show()

    def _clear(self) -> None:
        self._show_message(self._state.set_single(forget, "Settings of constraints cleared"))
        self.show()

    def _show_message(self, reason: str) -> None:
        self._message.show(element("p", reason or _HELP, class_="ot-bad" if reason else "small"))
