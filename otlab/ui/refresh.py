"""When each page of a server is drawn anew.

One thread draws all pages, and answers their clicks. So pages are drawn one after another, and after
each the thread is free for about half as long as that took: a click waits for one picture at most. A
page that runs alone is drawn six times per second; thirty of them each come round in about a second.
A page that is out of sight, in a tab behind another, is drawn every few seconds.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["HIDDEN_MS", "TICK_MS", "DrawingThread", "Refresh"]

TICK_MS = 160
HIDDEN_MS = 5000
_SHARE = 0.65  # of the thread's time
_NEWEST = 0.3  # weight of the newest picture in the mean


class DrawingThread:
    """The time of the thread that draws all pages of a server.

    Parameters
    ----------
    clock
        Returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._taken = 0.0  # until when its time is given away
        self._free_at = 0.0  # end of the rest after the last picture
        self._late_until = 0.0  # until when its time is given to pages that are late

    def reserve(self, seconds: float, after: float) -> float:
        """Give a page the first time of this length from `after` seconds on; return how far off it is."""
        now = self._clock()
        begin = max(self._taken, now)
        self._taken = begin + seconds / _SHARE
        return max(begin, now + after) - now

    def delay(self, seconds: float) -> float:
        """Return how long a page that is due has to wait because another was drawn only now; else 0.

        When the thread was kept from drawing, many pages are due at once: they come one after another.
        """
        now = self._clock()
        if now >= self._free_at:
            return 0.0
        begin = max(self._late_until, self._free_at)
        self._late_until = begin + seconds / _SHARE
        return begin - now

    def has_drawn(self, seconds: float) -> None:
        """Note that a picture took so long, until now."""
        self._free_at = self._clock() + seconds * (1 / _SHARE - 1)


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
        self._seconds = 0.0  # that one picture takes, on average
        self.hidden = False

    def wait(self) -> int:
        """Return the milliseconds until this page's next picture; its time is kept free."""
        after = (HIDDEN_MS if self.hidden else TICK_MS) / 1000
        return round(1000 * self._thread.reserve(self._seconds, after))

    def delay(self) -> int:
        """Return the milliseconds to wait although the time has come: another page was drawn only now."""
        return math.ceil(1000 * self._thread.delay(self._seconds))

    def took(self, seconds: float) -> None:
        """Note what a picture took."""
        self._seconds += _NEWEST * (seconds - self._seconds) if self._seconds else seconds
        self._thread.has_drawn(seconds)


_thread = DrawingThread()
