"""The Data tab: load a table, download everything, and what was observed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.errors import Fault, InputError
from otlab.ot.io.accents import accented, resolved
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Card, Html
from otlab.ui.components.downloads import Downloads
from otlab.ui.components.file_zone import FileZone
from otlab.ui.components.layout import across, down
from otlab.ui.components.placeholders import banner, faults, warned
from otlab.ui.ot.state import OTState
from otlab.ui.ot.tabs.downloads import FILES, download
from otlab.ui.ot.tabs.loading import Loading
from otlab.ui.tab import Tab
from otlab.ui.timers import Repeating, drawing
from otlab.viz.base.html import Markup, element, escape, table, td, th, tr
from otlab.viz.base.names import NAMES_CSS, form_html, input_html
from otlab.viz.base.numbers import percent_text

if TYPE_CHECKING:
    from collections.abc import Set

    from otlab.ot.tableau import Tableau

__all__ = ["DataTab"]

_HINT = "CSV, OTSoft text or a spreadsheet (.xlsx). Nothing leaves this computer."
_ENDINGS = ".csv,.txt,.tsv,.xlsx"
_AT_ONCE_SECONDS = 0.2  # a file read within this shows no bar
_LOOK_MS = 120
_MOST_SHOWN = 500
_OBSERVED_CSS = """
table { width: 100%; border-collapse: collapse; font-feature-settings: "tnum"; }
th, td { padding: 5px 12px 5px 0; border-bottom: 1px solid var(--ot-line); text-align: left; }
th, td { font-weight: 400; }
th { position: sticky; top: 0; font-size: 11.5px; font-weight: 500; color: var(--ot-ink3);
  background: var(--ot-surface); }
.num { text-align: right; }
.loading b { font-size: 12px; font-weight: 600; display: block; margin: 10px 0 5px; }
.loading .track { height: 6px; border-radius: 3px; background: var(--ot-shade); overflow: hidden; }
.loading i { display: block; height: 100%; background: var(--ot-accent); border-radius: 3px; }
.about { color: var(--ot-ink2); margin-bottom: 10px; }
"""


class DataTab(Tab[OTState]):
    """The Data tab."""

    title = "Data"
    depends = ("edits",)

    def build(self) -> Any:
        """Return the cards in their places."""
        self._zone = FileZone(self.take, self._too_large, hint=_HINT, accept=_ENDINGS)
        self._said = pn.Column(sizing_mode="stretch_width", margin=0)
        self._bar = Html("", _OBSERVED_CSS, sizing_mode="stretch_width")
        self._looks = Repeating(self.look, _LOOK_MS)
        self.loading: Loading | None = None
        self._observed = Html(
            "", NAMES_CSS + _OBSERVED_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"}
        )
        load = Card("Load a table", self._zone, self._said, sizing_mode="stretch_width")
        labels = [[key, label] for key, (label, _) in FILES.items()]
        files = Downloads(partial(download, self.state), labels)
        home = Card("Download", files, width=426, sizing_mode="stretch_height")
        top = across(load, home, sizing_mode="stretch_width", min_height=268)
        seen = Card("Observed", self._observed, remark="counts, and shares within each input")
        return down(top, seen)

    def take(self, name: str, data: bytes) -> None:
        """Load a file, or say everything that is wrong with it; then the old table stays."""
        self.cancel()
        self.loading = Loading(name, data).start()
        if self.loading.wait(_AT_ONCE_SECONDS):
            self._arrived(self.loading)
            return
        self._said[:] = [self._bar, button("Cancel", self.cancel)]
        self._looks.start()

    def cancel(self) -> None:
        """Stop reading; the table that is open stays."""
        if self.loading is not None:
            self.loading.cancel()
            self.loading = None
        self._looks.stop()
        self._said.clear()

    def look(self) -> None:
        """Show how far the file is; take it in when it has been read."""
        loading = self.loading
        if loading is None:
            self._looks.stop()
        elif loading.done:
            self._looks.stop()
            with drawing():
                self._arrived(loading)
        else:
            self._bar.show(_bar_html(loading))

    def _arrived(self, loading: Loading) -> None:
        self.loading = None
        name, reading = loading.name, loading.reading
        if reading is None:
            error = loading.error or InputError(f"{name} could not be read")
            self._said[:] = [faults(error, name, ("Choose another file", self._zone.choose))]
            return
        n = len(reading.warnings)
        words = f"{name} is loaded" + (f", with {n:,} warning{'s' if n > 1 else ''}." if n else ".")
        self._said[:] = [warned(words, reading.warnings) if n else banner(words, kind="good")]
        self._offer_accents(reading.tableau)
        tableau = reading.tableau
        self.lab.open_own(name or tableau.name, lambda: self.state.load(tableau))

    def _offer_accents(self, tableau: Tableau) -> None:
        typed = accented(tableau)
        if typed:
            self._said.append(button(f"Read {typed[0]} as {resolved(typed[0])}", self.resolve_accents))

    def resolve_accents(self) -> None:
        """Turn backslash accents of the open table into letters; Undo brings them back."""
        reason = self.state.document.resolve_accents()
        if reason:
            self._said[:] = [banner("The accents stay as they are.", reason, "warn")]
        else:
            self._said[:] = [banner("Backslash accents are read as accented letters.", kind="good")]

    def _too_large(self, name: str) -> None:
        fault = Fault("is larger than 10 MB", "read it with otlab.ot.read and pass the tableau to OTLab")
        self._said[:] = [faults(InputError(fault), name)]

    @property
    def message(self) -> str:
        """What was said of the last file, as HTML."""
        return "".join(pane.object for pane in self._said.select(pn.pane.HTML))

    def redraw(self, changed: Set[str]) -> None:
        """Show the table as it is now."""
        self._observed.show(_observed_html(self.state))


def _bar_html(loading: Loading) -> str:
    percent = 100 * loading.share
    return (
        f'<div class="loading" role="progressbar" aria-label="Loading" aria-valuemin="0" aria-valuemax="100" '
        f'aria-valuenow="{percent:.0f}"><b>Reading {escape(loading.name)}: {percent:.0f} %</b>'
        f'<div class="track"><i style="width:{percent:.1f}%"></i></div></div>'
    )


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
