"""The head of the run panel: its buttons, the progress of the run, the learners, and what the badge says."""

from __future__ import annotations

from typing import Any

import param

from otlab.ui.components.component import MessageComponent

__all__ = ["RunHead"]


class RunHead(MessageComponent):
    """The head of the run panel in the browser: buttons, progress, learners, convergence."""

    state = param.Dict()
    group = param.String()

    script = "run_head"

    def _handle_msg(self, data: dict[str, Any]) -> None:
        super()._handle_msg(data)
        self._send_msg({"done": data["kind"]})  # the browser showed "Starting…" by itself until now
