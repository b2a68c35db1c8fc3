"""How often each page of a server looks at what its learners have done.

One thread draws all pages. With thirty of them running, looking six times per second would take more
time than there is: clicks would wait behind pictures. So all pages together get half of that thread's
time, and each looks as often as that allows, from six times per second to once. A page that is out of
sight, in a tab behind another, looks every few seconds.
"""

from __future__ import annotations

import threading
import weakref

__all__ = ["HIDDEN_MS", "SLOWEST_MS", "TICK_MS", "Refresh"]

TICK_MS = 160
SLOWEST_MS = 900  # a running page moves at least once per second
HIDDEN_MS = 5000
_SHARE = 0.5  # of the thread's time
_NEWEST = 0.3  # weight of the newest tick in the mean
_STEP = 1.25  # intervals closer than this are the same: changing a timer has its cost too


class Refresh:
    """How often one page looks at its learners.

    Parameters
    ----------
    pages
        The running pages it shares the thread with; those of this server if None.

    Attributes
    ----------
    hidden
        Whether the page is out of sight.
    milliseconds
        From one look to the next.
    """

    def __init__(self, pages: weakref.WeakSet[Refresh] | None = None) -> None:
        self._pages = _pages if pages is None else pages
        self._seconds = 0.0  # that one tick takes, on average
        self.hidden = False
        self.milliseconds = TICK_MS

    def start(self) -> None:
        """Take part from now on."""
        with _lock:
            self._pages.add(self)
        self._choose()

    def stop(self) -> None:
        """Take no part any more."""
        with _lock:
            self._pages.discard(self)

    def took(self, seconds: float) -> bool:
        """Note what a tick took; return whether :attr:`milliseconds` has changed."""
        self._seconds += _NEWEST * (seconds - self._seconds) if self._seconds else seconds
        return self._choose()

    def _choose(self) -> bool:
        if self.hidden:
            wanted = HIDDEN_MS
        else:
            with _lock:
                seconds = sum(page._seconds for page in self._pages if not page.hidden)
            wanted = round(min(max(1000 * seconds / _SHARE, TICK_MS), SLOWEST_MS))
        before = self.milliseconds
        if wanted in (TICK_MS, SLOWEST_MS, HIDDEN_MS) or not 1 / _STEP < wanted / before < _STEP:
            self.milliseconds = wanted
        return self.milliseconds != before


_lock = threading.Lock()
_pages: weakref.WeakSet[Refresh] = weakref.WeakSet()
