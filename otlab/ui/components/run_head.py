"""The head of the run panel: its buttons, the progress of the run, the learners, and what the badge says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import param

from otlab.ui.components import esm, styles
from otlab.ui.components.component import Component

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["RunHead"]


class RunHead(Component):
    """The head of the run panel in the browser: buttons, progress, learners, convergence."""

    state = param.Dict()
    group = param.String()

    _esm = esm("run_head")
    _stylesheets: ClassVar[list[str]] = styles("run_head")

    def __init__(self, answer: Callable[[dict[str, Any]], None], **params: Any) -> None:
        super().__init__(**params)
        self._answer = answer

    def _handle_msg(self, data: dict[str, Any]) -> None:
        self._answer(data)
        self._send_msg({"done": data["kind"]})  # the browser showed "Starting…" by itself until now
