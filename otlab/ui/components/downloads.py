"""Buttons that each download a file."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any, ClassVar

import param

from otlab.errors import InputError
from otlab.ui.background import Background
from otlab.ui.components import esm
from otlab.ui.components.component import Component
from otlab.ui.components.theme import BASE

__all__ = ["IN_A_ROW", "Downloads", "File", "send_file"]

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
    """

    files = param.List(doc="key and label of each file")
    column = param.Integer(doc="Least width of a column, px; 0: the usual one, or one column for a few.")

    _esm = esm("downloads")
    _stylesheets: ClassVar[list[str]] = [BASE]

    def __init__(
        self,
        make: Callable[[str], File],
        files: list[list[str]],
        refused: Callable[[str], None] = lambda _: None,
        **params: Any,
    ) -> None:
        super().__init__(files=files, **{"sizing_mode": "stretch_width", "margin": 0, **params})
        self._make, self._refused = make, refused
        self._work = Background()

    def _handle_msg(self, message: dict[str, str]) -> None:
        try:
            name, content = self._make(message["key"])
        except InputError as error:
            self._refused(str(error))
            return

        send_file(self, (name, content), self._work)
