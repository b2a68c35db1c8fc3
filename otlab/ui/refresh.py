"""Schedule the redrawing of all pages of a server.

One thread draws all pages, and answers their clicks. So pages are drawn one after another, in the order
in which they ask for it, and after each the thread is free for about half as long as that took: a click
waits for one picture at most. A page that runs alone is drawn six times per second; thirty of them each
come round in about a second. A page that is out of sight, in a tab behind another, asks every few seconds.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

__all__ = ["HIDDEN_MS", "TICK_MS", "DrawingThread", "Refresh"]

TICK_MS = 160
HIDDEN_MS = 5000
_SHARE = 0.65  # of the thread's time
_NEWEST = 0.1  # weight of the newest picture in the mean
_GONE = 1.0  # seconds after which a page that does not come is not waited for


class DrawingThread:
    """The time of the thread that draws all pages of a server.

    Parameters
    ----------
    clock
        Returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._mean = 0.02  # seconds that a picture takes
        self._free_at = 0.0  # end of the rest after the last picture
        self._waiting: dict[Hashable, float] = {}  # pages in their order, and when they come again

    def delay(self, page: Hashable) -> float:
        """Return 0 if a page may be drawn now, else the seconds after which it is to ask again."""
        now = self._clock()
        self._waiting = {other: at for other, at in self._waiting.items() if at > now - _GONE}
        order = list(self._waiting)
        ahead = order.index(page) if page in self._waiting else len(order)
        delay = max(self._free_at - now, 0.0) + ahead * self._mean / _SHARE
        if delay:
            self._waiting[page] = now + delay
        else:
            self._waiting.pop(page, None)
        return delay

    def has_drawn(self, seconds: float) -> None:
        """Record the seconds that a drawing took, until now."""
        self._mean += _NEWEST * (seconds - self._mean)
        self._free_at = self._clock() + seconds * (1 / _SHARE - 1)

    def leave(self, page: Hashable) -> None:
        """Wait no more for a page."""
        self._waiting.pop(page, None)


class Refresh:
    """When one page is drawn next.

    Parameters
    ----------
    thread
        Which draws it; that of this server if None.

    Attributes
    ----------
    hidden
        Whether the page is out of sight.
    """

    def __init__(self, thread: DrawingThread | None = None) -> None:
        self._thread = _thread if thread is None else thread
        self.hidden = False

    @property
    def milliseconds(self) -> int:
        """From one picture until the next is asked for."""
        return HIDDEN_MS if self.hidden else TICK_MS

    def delay(self) -> int:
        """Return 0 if the page may be drawn now, else the milliseconds after which it is to ask again."""
        return math.ceil(1000 * self._thread.delay(self))

    def took(self, seconds: float) -> None:
        """Record the seconds that a drawing took."""
        self._thread.has_drawn(seconds)

    def stop(self) -> None:
        """Ask for no more pictures."""
        self._thread.leave(self)


_thread = DrawingThread()
