"""Schedule the redrawing of all pages of a server.

One thread draws all pages and handles their clicks. Pages are drawn one after another, in the order of
their requests, and after each drawing the thread is free for a quarter of the time that it took: a click
waits for one picture at most. A page that runs alone is drawn six times per second; of thirty pages,
each is drawn about once per second. A hidden page, in a background tab, asks every few seconds.
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
_SHARE = 0.8  # of the thread's time
_NEWEST = 0.1  # weight of the newest picture in the mean
_GONE = 1.0  # seconds after which a page that has not asked again loses its turn


class DrawingThread:
    """Share the time of the drawing thread among all pages of a server.

    Parameters
    ----------
    clock
        Returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._mean = 0.02  # seconds that a picture takes
        self._free_at = 0.0  # until when the thread stays free after the last picture
        self._waiting: dict[
            Hashable, float
        ] = {}  # waiting pages in order, with the time of their next request

    def delay(self, page: Hashable) -> float:
        """Return 0 if a page may be drawn now, else the seconds until it should ask again."""
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
        """Record that a drawing of so many seconds ended now."""
        self._mean += _NEWEST * (seconds - self._mean)
        self._free_at = self._clock() + seconds * (1 / _SHARE - 1)

    def leave(self, page: Hashable) -> None:
        """Remove a page from the queue."""
        self._waiting.pop(page, None)


class Refresh:
    """Schedule the drawing of one page.

    Parameters
    ----------
    thread
        The drawing thread; that of this server if None.

    Attributes
    ----------
    hidden
        Whether the page is out of sight.
    """

    def __init__(self, thread: DrawingThread | None = None) -> None:
        self._thread = _thread if thread is None else thread
        self.hidden = False

    def delay(self) -> int:
        """Return 0 if the page may be drawn now, else the milliseconds until it should ask again."""
        return math.ceil(1000 * self._thread.delay(self))

    def took(self, seconds: float) -> int:
        """Record the seconds that a drawing took; return the milliseconds until the next.

        Drawings begin at equal intervals, unless one takes more than half of an interval.
        """
        self._thread.has_drawn(seconds)
        spent = math.ceil(1000 * seconds)
        return max((HIDDEN_MS if self.hidden else TICK_MS) - spent, spent)

    def stop(self) -> None:
        """Stop drawing the page."""
        self._thread.leave(self)


_thread = DrawingThread()
