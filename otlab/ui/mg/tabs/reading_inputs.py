"""What the Reading times tab compares: a table of times, and a second lexicon."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.errors import Fault, counted
from otlab.html import escape
from otlab.samples import load_sample
from otlab.ui.components.buttons import button, icon_button
from otlab.ui.components.cards import Card, Html
from otlab.ui.components.file_zone import FileZone, PasteBox
from otlab.ui.components.layout import down
from otlab.ui.components.placeholders import faults, warned
from otlab.ui.components.read_as import ReadAsPanel
from otlab.ui.mg.settings import ShippedChoice
from otlab.ui.mg.tabs import left_column
from otlab.ui.mg.tabs.data import ENDINGS, read_lexicon
from otlab.ui.mg.times_file import TimesFile, read_times_file
from otlab.ui.settings_form import SettingsForm

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.errors import InputError
    from otlab.reading import ReadAs
    from otlab.ui.mg.state import MGState
    from otlab.ui.source import Source

__all__ = ["ReadingInputCards"]

_ENDINGS = ".csv,.tsv,.txt"
_TYPED = "sentence,word,ms\n1,what,400\n1,did,310"


class ReadingInputCards:
    """Cards at the left of the tab.

    Parameters
    ----------
    state
        What is shown and changed.
    task
        Shown below the lexicons.
    """

    def __init__(self, state: MGState, task: Any) -> None:
        self._state = state
        self._how: ReadAs | None = None  # how the next file is read
        self._source: Source | None = None
        self.read_as = ReadAsPanel(self._read_so)
        self.times = FileZone(
            self._read, self._opened, self._refused, label="Drop a table: sentence, word, ms", accept=_ENDINGS
        )
        typed = PasteBox(
            self._pasted, example=_TYPED, label="Use these times", rows=3, sizing_mode="stretch_width"
        )
        self._messages = pn.Column(sizing_mode="stretch_width", margin=0)
        self._table = down(gap=0, sizing_mode="stretch_width")
        self._lexicons = down(gap=0, sizing_mode="stretch_width")
        self._samples = ShippedChoice()
        self._samples.param.watch(lambda event: self._chosen(event.new), "sample")
        self.lexicon = FileZone(
            read_lexicon,
            lambda source, lexicon: self._compare(Path(source.name).stem, lexicon),
            self._refused,
            label="Add a lexicon of yours",
            accept=ENDINGS,
        )
        keep = button("Keep this version", self._keep, icon="plus", plain=True)
        self.layout = left_column(
            Card(
                "Times",
                self._table,
                self._messages,
                self.read_as,
                self.times,
                typed,
                styles={"overflow": "auto"},
            ),
            Card(
                "Lexicons",
                self._lexicons,
                SettingsForm(self._samples),
                self.lexicon,
                task,
                action=keep,
                sizing_mode="stretch_width",
            ),
        )

    def refresh(self) -> None:
        """List what is compared."""
        reading = self._state.reading_times
        inputs, n = reading.inputs, len(reading.sentences)
        words = sum(len(s.words) for s in reading.sentences)
        size = f"{counted(n, 'sentence')}, {counted(words, 'word')}"
        self._table[:] = [_row(inputs.name, size, reading.remove_times)] if n else []
        if self._source is None or self._source.name != inputs.name:
            self._source = None
            self.read_as.hide()
        rows = [_row("This lexicon", self._state.point)]
        if inputs.other is not None:
            rows.append(_row(inputs.other[0], "prior mean", reading.remove_other))
        self._lexicons[:] = rows

    def _pasted(self, text: str) -> None:
        self.times.take("pasted table", text.encode())

    def _read(self, source: Source, progress: Callable[[float], None]) -> TimesFile:
        return read_times_file(source, self._how)

    def _opened(self, source: Source, file: TimesFile) -> None:
        self._how, self._source = None, source
        self._state.reading_times.open_times(source.name, file.text)
        told = [Fault(note.removeprefix(f"{source.name}: ")) for note in file.warnings]
        self._messages[:] = [warned(f"{source.name} loaded.", told)] if told else []
        found = counted(file.sentences, "sentence")
        self.read_as.show((file.how,), file.how, found)

    def _read_so(self, how: ReadAs) -> None:
        """Read the file again with other columns."""
        if self._source is not None:
            self._how = how
            self.times.open(self._source)

    def _chosen(self, name: str) -> None:
        if name:
            self._samples.sample = ""
            lexicon = load_sample(name)
            self._compare(lexicon.title or lexicon.name, lexicon)

    def _compare(self, name: str, lexicon: Any) -> None:
        self._messages.clear()
        self._state.reading_times.compare_with(name, lexicon)

    def _keep(self) -> None:
        """Compare later edits of the lexicon with what it is now."""
        self._compare("Version kept", self._state.lexicon_in_use)

    def _refused(self, error: InputError, source: Source) -> None:
        self._how = None
        self._messages[:] = [faults(error, source.name, ("Close", self._messages.clear))]


def _row(name: str, note: str, remove: Callable[[], None] | None = None) -> Any:
    words = f"<b>{escape(name)}</b> <span class='remark'>{escape(note)}</span>"
    parts: list[Any] = [Html(words, sizing_mode="stretch_width", align="center")]
    parts += [icon_button(f"Remove {name}", "cross", remove)] if remove else []
    return pn.Row(*parts, height=32, sizing_mode="stretch_width", margin=0)
