"""Which runs of a lab are in sight, and how those of an earlier document are shown again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from otlab.ui.run_panel import RunPanel
    from otlab.ui.state import State

__all__ = ["ShownRuns"]


class ShownRuns:
    """The runs of a lab that are in sight.

    Parameters
    ----------
    state
        The lab's; it is told which runs are in sight.
    runner
        The run panel.
    warn
        Called with a message on runs that are not kept.
    """

    def __init__(self, state: State, runner: RunPanel, warn: Callable[[str], None]) -> None:
        self._state, self._runner, self._warn = state, runner, warn
        state.runs_in_sight = self._in_sight
        runner.runner.past.wanted = state.runs_kept

    def _in_sight(self) -> dict[str, str]:
        runner = self._runner.runner
        rows = runner.unseen.union(self._state.rows_shown())
        return {row: each for row, each in runner.ids.items() if row in rows}

    def show(self, then: Callable[[], None] | None = None) -> None:
        """Show the runs that the state wants for the document that was opened, or that Undo or Redo led to.

        `then` is called once those that are kept are shown; without it, those that are not kept are named.
        """
        wanted = self._state.wanted
        if wanted is None:
            if then is not None:
                then()
        else:
            there = dict(self._runner.runner.ids)
            self._state.when_ready(wanted[0], lambda: self._put(*wanted, there, then))

    def _put(
        self, ids: Mapping[str, str], context: Any, there: dict[str, str], then: Callable[[], None] | None
    ) -> None:
        state, panel = self._state, self._runner
        if state.wanted is None or state.wanted[0] is not ids:
            return  # other data were opened meanwhile
        runner = panel.runner
        if runner.ids != there:  # another run was begun meanwhile: it stays
            state.wanted = None
            return
        found = runner.find(ids)
        with pn.io.hold(), runner.saved_already():
            shown = state.expect_runs(context, {name: run for name, (run, _) in found.items()})
            kept = {name: found[name] for name in shown if name in found}
            if kept:
                runs = {name: run for name, (run, _) in kept.items()}
                ticks = {name: seen for name, (_, seen) in kept.items()}
                panel.restore(runs, ticks, {name: ids[name] for name in kept})
        state.wanted = None
        if then is not None:
            then()
            return
        gone = [row.label for name, row in runner.rows.items() if name in ids and name not in found]
        if gone:
            self._warn(f"The results of {' and '.join(gone)} were not kept: press Run to learn them again")
