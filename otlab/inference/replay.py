"""Return earlier ticks of a finished run.

A learner that keeps its draws or its path has a method ``view_at(view, sweep)``, which returns the view of
a chain after that many sweeps, given a later view; :func:`tick_at` uses it. For other learners
:class:`TickHistory` keeps some of the ticks during the run.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from otlab.inference.learner import Tick
    from otlab.inference.run import Run

__all__ = ["TickHistories", "TickHistory", "tick_at"]

MOST_TICKS = 120
MOST_BYTES = 60_000_000
_LONG = 20
_PLAIN_BYTES = 32  # size that is assumed for a number or a short string


def tick_at(run: Run[Any, Any], tick: Tick[Any], share: float) -> Tick[Any] | None:
    """Return the tick of a run after a share of its sweeps; None if its learner has no ``view_at``.

    Parameters
    ----------
    run
        The run, which has ended.
    tick
        Its last tick.
    share
        The share, from 0 to 1; the tick has at least one sweep.
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


class TickHistory:
    """Ticks of a run, from the first to the newest, evenly spaced and limited in bytes.

    Ticks are not copied, because views are snapshots. When there are too many, every second one is dropped.

    Parameters
    ----------
    most_ticks, most_bytes
        Limits of what is kept. The first and the newest tick are kept in any case.
    """

    def __init__(self, most_ticks: int = MOST_TICKS, most_bytes: int = MOST_BYTES) -> None:
        self._most_ticks, self._most_bytes = most_ticks, most_bytes
        self._ticks: list[Tick[Any]] = []
        self._apart = 0  # the fewest sweeps between two ticks that are kept

    def __len__(self) -> int:
        return len(self._ticks)

    def __iter__(self) -> Iterator[Tick[Any]]:
        return iter(tuple(self._ticks))

    @classmethod
    def of(cls, ticks: Iterable[Tick[Any]]) -> TickHistory:
        """Return the history of a run whose ticks were saved; the run may go on."""
        made = cls()
        made._ticks = list(ticks)
        return made

    def within(self, most_bytes: int) -> tuple[Tick[Any], ...]:
        """Return the ticks, every second one left out until they take no more than so many bytes."""
        ticks = tuple(self._ticks)
        while len(ticks) > 2 and sum(_bytes_of(tick.views) for tick in ticks) > most_bytes:
            ticks = _thinned(ticks)
        return ticks

    def add(self, tick: Tick[Any]) -> None:
        """Keep a tick; it replaces those that are as late or later, of a run that was taken up again."""
        ticks = self._ticks
        while ticks and ticks[-1].sweep >= tick.sweep:
            ticks.pop()
        if len(ticks) > 1 and ticks[-1].sweep - ticks[-2].sweep < self._apart:
            ticks.pop()  # it was kept only because it was the newest
        ticks.append(tick)
        room = max(2, min(self._most_ticks, self._most_bytes // max(1, _bytes_of(tick.views))))
        if len(ticks) > room:
            ticks[:] = _thinned(ticks)
            self._apart = max(1, 2 * (tick.sweep - ticks[0].sweep) // room)

    def at(self, share: float) -> Tick[Any]:
        """Return the tick nearest to a share of the sweeps; the newest for 1.

        Raises
        ------
        IndexError
            If there is no tick yet.
        """
        sweep = share * self._ticks[-1].sweep
        return min(self._ticks, key=lambda tick: abs(tick.sweep - sweep))


class TickHistories(dict[str, TickHistory]):
    """The kept ticks of several runs, by name."""

    @property
    def replayable(self) -> bool:
        """Whether any of them has more than its end to show."""
        return any(len(history) > 1 for history in self.values())

    def at(self, share: float) -> dict[str, Tick[Any]]:
        """Return the tick of each run that is nearest to a share of its sweeps."""
        return {name: history.at(share) for name, history in self.items() if len(history)}

    def within(self, most_bytes: int) -> dict[str, tuple[Tick[Any], ...]]:
        """Return the ticks of each run, as many as fit into so many bytes."""
        return {name: history.within(most_bytes) for name, history in self.items()}


def _thinned(ticks: Sequence[Tick[Any]]) -> tuple[Tick[Any], ...]:
    """Return every second tick, the first and the last among them."""
    return (*ticks[:-1:2], ticks[-1])


def _bytes_of(value: Any) -> int:
    """Return the approximate size of a view; all items of a long sequence count as large as the first."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, dict):
        return sum(map(_bytes_of, value.values()))
    if isinstance(value, tuple | list):
        return len(value) * _bytes_of(value[0]) if len(value) > _LONG else sum(map(_bytes_of, value))
    if is_dataclass(value):
        return sum(_bytes_of(getattr(value, one.name)) for one in fields(value))
    return _PLAIN_BYTES
