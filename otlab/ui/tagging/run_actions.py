"""What stands to the right of the tagging lab's tabs: which run is looked at, and what to do with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.ui.components.buttons import button, segmented
from otlab.ui.tab import Part
from otlab.ui.tagging.state import TaggingState

if TYPE_CHECKING:
    from collections.abc import Set

__all__ = ["RunActions"]


class RunActions(Part[TaggingState]):
    """Look at another learner, keep the curve of a run, go on from its states by VB."""

    depends = ("progress", "settled", "shown", "pinned")

    def build(self) -> Any:
        """Return the controls in a row."""
        self._which = segmented("Estimator looked at", {"em": "EM"}, "em", align="center", visible=False)
        self._which.param.watch(lambda event: self.state.look_at(event.new), "value")
        self._pin = button("Keep this curve", self._keep, icon="plus", align="center")
        self._continue = button("Continue as VB", self._continue_as_vb, icon="forward", align="center")
        parts = (self._which, self._pin, self._continue)
        return pn.Row(*parts, margin=0, align="center", styles={"gap": "8px"})

    def redraw(self, changed: Set[str]) -> None:
        """Offer the results that can be shown, kept and continued."""
        options = [[name, result.label] for name, result in self.state.results.items()]
        if self._which.options != options:
            self._which.param.update(options=options, visible=len(options) > 1)
        result = self.state.result
        if result is not None:
            self._which.value = result.row
        ready = result is not None and bool(result.views) and not self.lab.runner.runner.alive
        self._continue.disabled = not (ready and result is not None and result.row != "vb")
        self._pin.disabled = result is None or not result.views

    def _keep(self) -> None:
        kept = self.state.pin()
        if kept is not None:
            self.lab.toast(f"The curve of {kept.label} is kept", self.lab.undo)

    def _continue_as_vb(self) -> None:
        result = self.state.result
        if result is None or not result.views:
            return
        self.state.continue_from(result.view.labels)
        runner = self.lab.runner
        ticked = set(runner.runner.enabled)
        runner.enable({"vb"})
        runner.run()
        runner.enable(ticked)
