"""*Read as*: what a file was taken for, the other ways to read it, and its first lines as cells.

::

    panel = ReadAsPanel(self._read_so)               # on the Data tab; not in sight before a file is open
    panel.show(readings, chosen, "5 sentences")      # after a file was read
    panel.show(readings, chosen, "5 sentences", locked="open the file again to read it in another way")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import param

from otlab.reading import NOT_USED, ReadAs
from otlab.ui.components.component import Component

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["ReadAsPanel"]


class ReadAsPanel(Component):
    """A sentence, a choice of readings, and a preview whose columns can be given other roles.

    Parameters
    ----------
    choose
        Called with the reading that the user chose.
    """

    sentence = param.String(doc="What the file was read as; nothing is in sight if empty.")
    note = param.String(doc="A remark on the reading chosen.")
    options = param.List(default=[], doc="Labels of the readings.")
    chosen = param.Integer(0, doc="Index of the reading that is shown.")
    heads = param.List(default=[], doc="Names of the columns.")
    columns = param.List(default=[], doc="Role of each column.")
    roles = param.List(default=[], doc="Roles that a column can be given; empty if they are fixed.")
    lines = param.List(default=[], doc="The first lines, as cells.")
    locked = param.String(doc="Why no other reading can be chosen; empty if one can.")

    script = "read_as"

    def __init__(self, choose: Callable[[ReadAs], None], **params: Any) -> None:
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, "visible": False, **params})
        self._choose = choose
        self._readings: tuple[ReadAs, ...] = ()

    def show(self, readings: Sequence[ReadAs], chosen: ReadAs, found: str, *, locked: str = "") -> None:
        """Show how a file was read, and the other readings.

        Parameters
        ----------
        readings
            All of them, best first; of one format and label the chosen one replaces that of the recogniser.
        chosen
            How it was read.
        found
            What was found: "5 sentences".
        locked
            Why it cannot be read in another way: "open the file again to read it in another way".
        """
        kind = (chosen.format, chosen.label)
        self._readings = tuple(chosen if (r.format, r.label) == kind else r for r in readings)
        if chosen not in self._readings:
            self._readings = (chosen, *self._readings)
        width = max(map(len, chosen.preview), default=0)
        width = max(width, len(chosen.columns))
        roles = [*chosen.roles, NOT_USED] if chosen.roles else []
        self.param.update(
            sentence=chosen.sentence(found),
            note=chosen.note,
            options=[reading.label for reading in self._readings],
            chosen=self._readings.index(chosen),
            heads=list(chosen.heads or map(str, range(1, width + 1))),
            columns=list(chosen.columns),
            roles=roles,
            lines=[] if locked else [list(line) for line in chosen.preview],
            locked=locked,
            visible=True,
        )

    def hide(self) -> None:
        """Show nothing: no file is open."""
        self._readings = ()
        self.param.update(sentence="", visible=False)

    def _handle_msg(self, message: dict[str, Any]) -> None:
        """Handle the choice of a reading, or of a column's role; one that is not offered is ignored."""
        if self.locked or not self._readings:
            return
        if "reading" in message:
            index = int(message["reading"])
            if 0 <= index < len(self._readings) and index != self.chosen:
                self._choose(self._readings[index])
            return
        column, role = int(message["column"]), str(message["role"])
        shown = self._readings[self.chosen]
        if 0 <= column < len(shown.columns) and role in self.roles:
            self._choose(shown.with_role(column, role))
