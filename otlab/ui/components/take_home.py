"""Buttons that fetch a file each."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, ClassVar

import param
from panel.custom import JSComponent

from otlab.ui.components import esm
from otlab.ui.theme import BASE

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["TakeHome"]


class TakeHome(JSComponent):
    """A button a file; each file is made when it is asked for.

    Parameters
    ----------
    make
        Given a key, returns the file's name and content.
    files
        Key and label of each button.
    """

    files = param.List(doc="key and label of each file")

    _esm = esm("take_home")
    _stylesheets: ClassVar[list[str]] = [BASE]

    def __init__(
        self, make: Callable[[str], tuple[str, bytes]], files: list[list[str]], **params: Any
    ) -> None:
        super().__init__(files=files, **{"sizing_mode": "stretch_width", "margin": 0, **params})
        self._make = make

    def _handle_msg(self, message: dict[str, str]) -> None:
        name, data = self._make(message["key"])
        encoded = base64.b64encode(data).decode()
        self._send_msg({"name": name, "kind": "application/octet-stream", "data": encoded})
