"""Buttons that each download a file."""

from __future__ import annotations

import base64
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

import param

from otlab.errors import InputError
from otlab.ui.background import Background
from otlab.ui.components.component import Component
from otlab.ui.hiding import HIDDEN, file_hidden

if TYPE_CHECKING:
    from otlab.ui.state import State

__all__ = ["IN_A_ROW", "Downloads", "File", "csv_button", "send_file"]

File = tuple[str, bytes | Callable[[], bytes]]
"""A file's name, and its content or what makes it."""
IN_A_ROW = ".list { grid-auto-flow: column; }"
"""Style sheet of buttons side by side, for the head of a card."""


def send_file(component: Component, file: File, work: Background) -> None:
    """Send a file to a component in the browser, which saves it; `work` makes it beside the page."""
    name, content = file

    def send(data: bytes) -> None:
        component._send_msg({"name": name, "data": base64.b64encode(data).decode()})

    if callable(content):
        work.do(content, send)
    else:
        send(content)


class Downloads(Component):
    """One button per file; each file is made when it is asked for.

    Parameters
    ----------
    make
        Given a key, returns name and content of the file. Content that takes long to make is
        given as a function, which is called beside the page.
    files
        Key and label of each button; a heading where the key is empty.
    refused
        Called with the reason, where `make` raises :class:`~otlab.errors.InputError`.
    state
        What is shown; while an exercise hides any of its results, no file is made that may hold them.
    of_data
        Keys of the files that hold the data alone, and no results.
    """

    files = param.List(doc="key and label of each file")
    withheld = param.String(doc="Why files with results are not offered; empty if they are.")
    of_data = param.List(doc="Keys of the files that hold no results.")
    column = param.Integer(doc="Least width of a column, px; 0: the usual one, or one column for a few.")

    script = "downloads"

    def __init__(
        self,
        make: Callable[[str], File],
        files: list[list[str]],
        refused: Callable[[str], None] = lambda _: None,
        *,
        state: State,
        of_data: Collection[str] = (),
        **params: Any,
    ) -> None:
        own = {"files": files, "of_data": sorted(of_data), "withheld": HIDDEN if state.hides else ""}
        super().__init__(**own, **{"sizing_mode": "stretch_width", "margin": 0, **params})
        self._make, self._refused, self._state = make, refused, state
        self._work = Background()
        state.param.watch(lambda event: self.param.update(withheld=HIDDEN if event.new else ""), "hides")

    def _handle_msg(self, message: dict[str, str]) -> None:
        if file_hidden(self._state.hides, message["key"], self.of_data):
            self._refused(HIDDEN)
            return
        try:
            name, content = self._make(message["key"])
        except InputError as error:
            self._refused(str(error))
            return

        send_file(self, (name, content), self._work)


def csv_button(make: Callable[[str], File], refused: Callable[[str], None], state: State) -> Downloads:
    """Return a button for the head of a card, which downloads one CSV file.

    Parameters
    ----------
    make, refused, state
        As for :class:`Downloads`; the key is ``csv``.
    """
    return Downloads(
        make,
        [["csv", "As CSV"]],
        refused,
        state=state,
        sizing_mode="fixed",
        width=104,
        stylesheets=[IN_A_ROW],
    )
