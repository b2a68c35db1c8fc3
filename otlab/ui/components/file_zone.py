"""A place to drop a file, or to choose one."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, ClassVar

import param
from panel.custom import JSComponent

from otlab.ui.components import esm
from otlab.ui.components.theme import BASE

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FileZone"]

MOST_BYTES = 10_000_000


class FileZone(JSComponent):
    """Takes one file at a time.

    Parameters
    ----------
    dropped
        Called with the file's name and content.
    too_large
        Called with the name of a file of more than 10 MB, which is not read.
    """

    label = param.String("Drop a file here, or choose one")
    hint = param.String()
    accept = param.String(doc="file endings offered by the file chooser")
    most = param.Integer(MOST_BYTES)

    _esm = esm("file_zone")
    _stylesheets: ClassVar[list[str]] = [BASE]

    def __init__(
        self, dropped: Callable[[str, bytes], None], too_large: Callable[[str], None], **params: Any
    ) -> None:
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, **params})
        self._dropped, self._too_large = dropped, too_large

    def choose(self) -> None:
        """Open the browser's file chooser."""
        self._send_msg({"kind": "choose"})

    def _handle_msg(self, message: dict[str, Any]) -> None:
        if "data" in message:
            self._dropped(message["name"], base64.b64decode(message["data"]))
        else:
            self._too_large(message["name"])
