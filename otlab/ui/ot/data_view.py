"""The Data tab: bring a table, take everything home, and what was observed."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.errors import Fault, InputError
from otlab.ot.files import read_bytes
from otlab.ui.boxes import across, down
from otlab.ui.cards import Card, Html
from otlab.ui.components.file_zone import FileZone
from otlab.ui.ot.downloads import TakeHome
from otlab.ui.states import banner, faults
from otlab.viz.names import NAMES_CSS, form_html, input_html
from otlab.viz.numbers import percent_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.ot.tableau import Tableau
    from otlab.ui.ot.state import OTState

__all__ = ["DataView"]

_HINT = "CSV, OTSoft text or a spreadsheet (.xlsx). Nothing leaves this computer."
_ENDINGS = ".csv,.txt,.tsv,.xlsx"
_OBSERVED_CSS = """
table { width: 100%; border-collapse: collapse; font-feature-settings: "tnum"; }
th, td { padding: 5px 12px 5px 0; border-bottom: 1px solid var(--ot-line); text-align: left; }
th, td { font-weight: 400; }
th { position: sticky; top: 0; font-size: 11.5px; font-weight: 500; color: var(--ot-ink3);
  background: var(--ot-surface); }
.num { text-align: right; }
.about { color: var(--ot-ink2); margin-bottom: 10px; }
"""


class DataView:
    """One showing of the Data tab.

    Parameters
    ----------
    state
        What is shown.
    opened
        Called when a table was loaded from a file.
    """

    def __init__(self, state: OTState, opened: Callable[[Tableau], None]) -> None:
        self._state = state
        self._opened = opened
        self._zone = FileZone(self.take, self._too_large, hint=_HINT, accept=_ENDINGS)
        self._said = pn.Column(sizing_mode="stretch_width", margin=0)
        self._observed = Html(
            "", NAMES_CSS + _OBSERVED_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"}
        )
        self.refresh()

    def layout(self) -> Any:
        """Return the cards in their places."""
        bring = Card("Bring a table", self._zone, self._said)
        home = Card("Take home", TakeHome(self._state), width=426, sizing_mode="stretch_height")
        top = across(bring, home, sizing_mode="stretch_width", height=268)
        seen = Card("Observed", self._observed, remark="counts, and shares within each input")
        return down(top, seen)

    def take(self, name: str, data: bytes) -> None:
        """Load a file, or say everything that is wrong with it; then the old table stays."""
        try:
            reading = read_bytes(data, name)
        except InputError as error:
            self._said[:] = [faults(error, name, ("Choose another file", self._zone.choose))]
            return
        words = (
            f"{name} loaded."
            if not reading.warnings
            else f"{name} loaded, with {len(reading.warnings)} warnings."
        )
        details = " ".join(f"{warning}." for warning in reading.warnings)
        self._said[:] = [banner(words, details, "warn" if reading.warnings else "good")]
        self._opened(reading.tableau)

    def _too_large(self, name: str) -> None:
        fault = Fault("is larger than 10 MB", "read it with otlab.ot.read and pass the tableau to OTLab")
        self._said[:] = [faults(InputError(fault), name)]

    @property
    def message(self) -> str:
        """What was said of the last file, as HTML."""
        return "".join(pane.object for pane in self._said.select(pn.pane.HTML))

    def refresh(self) -> None:
        """Show the table as it is now."""
        self._observed.show(_observed_html(self._state))


def _observed_html(state: OTState) -> str:
    tableau = state.tableau
    shares, counts = tableau.observed(), state.document.frequencies
    rows = "".join(
        f"<tr><td>{input_html(tableau.inputs[k]) if row == tableau.offsets[k] else ''}</td>"
        f'<td>{form_html(tableau.candidates[row])}</td><td class="num">{counts[row]:,g}</td>'
        f'<td class="num">{percent_text(shares[row])}</td></tr>'
        for row, k in enumerate(tableau.input_of_row)
    )
    about = ". ".join(escape(text) for text in (tableau.source, *tableau.notes) if text)
    heads = '<th>Input</th><th>Candidate</th><th class="num">Count</th><th class="num">Share</th>'
    return f'<p class="about">{about}</p><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
