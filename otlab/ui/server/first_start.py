"""The page shown instead of a lab while its kernels are compiled, once on each computer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import param

from otlab.ui.components.component import Component
from otlab.ui.server import shell, warm
from otlab.ui.timers import Repeating

if TYPE_CHECKING:
    import panel_material_ui as pmui

    from otlab.ui.server.registry import LabEntry

__all__ = ["page"]

_LOOK_MS = 300


class FirstStart(Component):
    """Show what is being compiled and the time passed; reload the page when it is ready.

    Parameters
    ----------
    entry
        The lab that is to be opened.
    """

    lab = param.String(doc="Title of the lab.")
    ready = param.Boolean(doc="Whether the lab can be opened.")

    script = "first_start"

    def __init__(self, entry: LabEntry, **params: Any) -> None:
        super().__init__(lab=entry.title, **params)
        self._system = entry.system
        self._looks = Repeating(self.look, _LOOK_MS)
        self._looks.start()

    def look(self) -> None:
        """Open the lab if its kernels are ready."""
        if warm.kernels.page_is_ready(self._system):
            self._looks.stop()
            self.ready = True


def page(entry: LabEntry) -> pmui.Page:
    """Return the page that waits for the kernels of a lab, and then opens the lab."""
    bar = shell.AppBar(labs=shell.lab_links(entry.route))
    words = FirstStart(entry, sizing_mode="stretch_both", margin=0)
    return shell.page(bar, shell.only(words), entry.title)
