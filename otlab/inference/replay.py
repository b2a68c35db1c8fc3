"""Earlier ticks of a finished run, made again from the draws or path that its learner kept.

A learner that keeps its draws or its path says so by a method ``view_at(view, sweep)``, which returns
the view of a chain after so many sweeps, given a later one. Nothing is recorded while a run goes on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.inference.learner import Tick
    from otlab.inference.run import Run

__all__ = ["tick_at"]


def tick_at(run: Run[Any, Any], tick: Tick[Any], share: float) -> Tick[Any] | None:
    """Return the tick of a run after a share of its sweeps; None if its learner kept no draws.

    Parameters
    ----------
    run
        The run, which has ended.
    tick
        Its last tick.
    share
        From 0 to 1; at least one sweep is shown.
    """
    view_at: Callable[[Any, int], Any] | None = getattr(run.learner, "view_at", None)
    if view_at is None or tick.sweep == 0:
        return None
    sweep = min(tick.sweep, max(1, round(share * tick.sweep)))
    views = tuple(view_at(view, sweep) for view in tick.views)
    seconds = tick.seconds * sweep / tick.sweep
    return replace(
        tick, sweep=sweep, views=views, seconds=seconds, finished=tick.finished and sweep == tick.sweep
    )
