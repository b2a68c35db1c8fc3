"""Base of the Data tabs: a file or a pasted text is read on another thread, and results are downloaded.

::

    class WalkDataTab(DataTab[WalkState]):
        label, hint, accept = "Drop a walk here, or choose one", "One step a line", ".txt"

        def build(self):
            return across(self.load_card("Load a walk"), self.download_card(self._file, FILES))

The file is read by the lab's :meth:`~otlab.ui.lab.Lab.read`, on another thread, and shown by its
:meth:`~otlab.ui.lab.Lab.show_read`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import panel as pn

from otlab.errors import InputError
from otlab.ui.components.cards import Card
from otlab.ui.components.downloads import Downloads
from otlab.ui.components.file_zone import MOST_BYTES, FileZone, PasteBox
from otlab.ui.components.layout import narrow
from otlab.ui.components.placeholders import faults
from otlab.ui.components.read_as import ReadAsPanel
from otlab.ui.documents.archive import ENDING, read_archive
from otlab.ui.documents.store import Saved
from otlab.ui.hiding import NOTHING_REPEATED
from otlab.ui.state import State
from otlab.ui.tab import Tab

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from otlab.reading import ReadAs
    from otlab.ui.components.downloads import File
    from otlab.ui.source import Source

__all__ = ["DataTab"]

S = TypeVar("S", bound=State)


class DocumentFile(Downloads):
    """Button that saves all that is open as one file."""


class DataTab(Tab[S]):
    """Base of the Data tabs.

    Attributes
    ----------
    label, hint, accept
        Texts of the drop zone, and the file endings that the chooser offers.
    most, large
        Bytes of the largest file (0 for any), and advice for a larger one.
    paste
        The name of a typed or pasted text, such as "pasted table".
    of_data
        Keys of the downloads that hold the data alone, and no results: an exercise never hides them.
    typed, rows
        An example of what may be typed, and lines of the box for it.
    """

    title = "Data"
    repeats = NOTHING_REPEATED
    of_data: ClassVar[frozenset[str]] = frozenset()
    label: ClassVar[str] = "Drop a file here, or choose one"
    hint: ClassVar[str] = ""
    accept: ClassVar[str] = ""
    most: ClassVar[int] = MOST_BYTES
    large: ClassVar[str] = ""
    paste: ClassVar[str] = "pasted text"
    typed: ClassVar[str] = ""
    rows: ClassVar[int] = 4

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        accept = f"{self.accept},{ENDING}" if self.accept else ""
        words = {"label": self.label, "hint": self.hint, "accept": accept, "most": self.most}
        self.zone = FileZone(
            self._read_any,
            self._show_any,
            self.refused,
            large=self.large,
            begun=lambda: self.messages.clear(),
            **words,
        )
        self.at_close(self.zone.cancel)
        files = [["document", "Save as file (.otlab)"]]
        self.saving = DocumentFile(
            lambda _: self.lab.document_file(),
            files,
            self.lab.warn,
            state=self.state,
            of_data={"document"},  # without the runs while an exercise hides results
            margin=(2, 0, 0, 0),
        )
        self.messages = pn.Column(sizing_mode="stretch_width", margin=0)
        self.read_as = ReadAsPanel(lambda reading: self.read_so(reading))

    def read(self, source: Source, progress: Callable[[float], None]) -> Any:
        """Return what a file holds, as :meth:`otlab.ui.lab.Lab.read` does; called on another thread."""
        return self.lab.read(source, progress)

    def show_read(self, source: Source, result: Any) -> None:
        """Show what :meth:`read` returned."""
        self.messages.clear()
        self.lab.show_read(source, result)

    def read_so(self, reading: ReadAs) -> None:
        """Read the open file in another way, chosen under *Read as*; for labs that call ``read_as.show``."""

    def _read_any(self, source: Source, progress: Callable[[float], None]) -> Any:
        if source.name.lower().endswith(ENDING):
            return read_archive(source.content())
        return self.read(source, progress)

    def _show_any(self, source: Source, result: Any) -> None:
        if not isinstance(result, Saved):
            self.show_read(source, result)
            return
        self.messages.clear()
        try:
            self.lab.open_saved(result)
        except InputError as error:  # of another lab
            self.refused(error, source)

    def refused(self, error: InputError, source: Source) -> None:
        """Show all faults of a file; the open data stay."""
        self.lab.toast("")
        self.messages[:] = [faults(error, source.name, ("Choose another file", self.zone.choose))]

    def load_card(self, title: str, *more: Any, **layout: Any) -> Card:
        """Return the card with the drop zone, messages about the last file, and how it was read."""

        def take(text: str) -> None:
            self.zone.take(self.paste, text.encode())

        label = f"Load this {self.lab.state.noun}"
        typed = PasteBox(take, example=self.typed, label=label, rows=self.rows, sizing_mode="stretch_width")
        styles = {"overflow": "auto"}  # messages may be long
        return Card(
            title, self.zone, self.messages, self.read_as, typed, *more, **{"styles": styles, **layout}
        )

    def download_card(
        self, make: Callable[[str], File], files: Iterable[Iterable[str]], *, column: int = 0, **layout: Any
    ) -> tuple[Card, Downloads]:
        """Return the card of the downloads and of "Save as file", and the former's buttons.

        `column` is that of :class:`~otlab.ui.components.downloads.Downloads`.
        """
        listed = [list(file) for file in files]
        buttons = Downloads(
            make, listed, self.lab.warn, column=column, state=self.state, of_data=self.of_data
        )
        card = Card("Download", buttons, self.saving, **layout)
        card.body.stylesheets = [*card.body.stylesheets, narrow("height: auto !important;")]
        return card, buttons
