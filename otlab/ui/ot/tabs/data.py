"""The Data tab: load a table, download everything, and what was observed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from otlab.ot.io.accents import accented, resolved
from otlab.ui import data_tab
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Card, Html
from otlab.ui.components.layout import across, down
from otlab.ui.components.placeholders import banner, warned
from otlab.ui.ot.files import TableFile, read_file
from otlab.ui.ot.state import OTState
from otlab.ui.ot.tabs.constraint_card import ConstraintCard
from otlab.ui.ot.tabs.downloads import download, grouped
from otlab.viz.base.html import Markup, element, table, td, th, tr
from otlab.viz.base.names import NAMES_CSS, form_html, input_html
from otlab.viz.base.numbers import percent_text

if TYPE_CHECKING:
    from collections.abc import Callable, Set

    from otlab.ot.tableau import Tableau
    from otlab.ui.components.file_zone import Source

__all__ = ["DataTab"]

_MOST_SHOWN = 500
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

    depends = ("constraints_set", "edits")
    hint = (
        "CSV, OTSoft text, a spreadsheet (.xlsx) or Praat's OTGrammar. After it, if you have them: its "
        "PairDistribution, a bias file, a priori rankings. Nothing leaves this computer."
    )
    accept = ".csv,.txt,.tsv,.xlsx,.OTGrammar,.PairDistribution,.Collection"
    large = "read it with otlab.ot.read and pass the tableau to OTLab"

    def build(self) -> Any:
        """Return the cards in their places."""
        self._observed = Html(
            "", NAMES_CSS + _OBSERVED_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"}
        )
        load = self.load_card("Load a table", sizing_mode="stretch_width")
        home, _ = self.download_card(
            partial(download, self.state), grouped(), width=372, sizing_mode="stretch_height"
        )
        seen = Card("Observed", self._observed, remark="counts, and shares within each input")
        self.constraints = ConstraintCard(self.state)
        return across(down(load, self.constraints, seen), home)

    def read(self, source: Source, progress: Callable[[float], None]) -> TableFile | Callable[[], str]:
        """Return the table of a file, or what takes what the file says of the present table."""
        return read_file(self.state, source.content(), source.name, progress)

    def show_read(self, source: Source, result: TableFile | Callable[[], str]) -> None:
        """Show what was read; what is legal but probably not meant is listed."""
        if not isinstance(result, TableFile):
            self.said[:] = [banner(result(), kind="good")]
            return
        (tableau, warnings), apriori = result
        n = len(warnings)
        words = f"{source.name} is loaded" + (f", with {n:,} warning{'s' if n > 1 else ''}." if n else ".")
        self.said[:] = [warned(words, warnings) if n else banner(words, kind="good")]
        self._offer_accents(tableau)
        self.lab.open_own(source.name, lambda: self.state.load(tableau, apriori))

    def _offer_accents(self, tableau: Tableau) -> None:
        typed = accented(tableau)
        if typed:
            self.said.append(button(f"Read {typed[0]} as {resolved(typed[0])}", self.resolve_accents))

    def resolve_accents(self) -> None:
        """Turn backslash accents of the open table into letters; Undo brings them back."""
        reason = self.state.document.resolve_accents()
        if reason:
            self.said[:] = [banner("The accents stay as they are.", reason, "warn")]
        else:
            self.said[:] = [banner("Backslash accents are read as accented letters.", kind="good")]

    def redraw(self, changed: Set[str]) -> None:
        """Show the table as it is now."""
        self._observed.show(_observed_html(self.state))
        self.constraints.show()


def _observed_html(state: OTState) -> Markup:
    tableau = state.tableau
    shares, counts = tableau.observed(), state.document.frequencies
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
    heads = ["Input", "Candidate", th("Count", "num"), th("Share", "num")]
    return element("p", about, class_="about") + table(heads, rows)
