"""How many steps per second a run does."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from otlab.inference import Tick

__all__ = ["Pace"]

_WINDOW = 3.0  # seconds of stepping over which the rate is measured


@dataclass
class Pace:
    """Steps per second over the last seconds of computing."""

    marks: deque[tuple[int, float]] = field(default_factory=deque)

    def mark(self, tick: Tick[Any]) -> None:
        """Add a tick."""
        self.marks.append((tick.sweep, tick.seconds))
        while len(self.marks) > 2 and tick.seconds - self.marks[0][1] > _WINDOW:
            self.marks.popleft()

    @property
    def rate(self) -> float:
        """Steps per second; NaN until known."""
        if len(self.marks) < 2:
            return math.nan
        (sweep, seconds), (last_sweep, last_seconds) = self.marks[0], self.marks[-1]
        return (last_sweep - sweep) / (last_seconds - seconds) if last_seconds > seconds else math.nan
