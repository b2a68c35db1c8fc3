"""Work that takes too long for the page's own thread: done in the background, shown on the page.

::

    self._merging = Background()
    self._merging.do(lambda: merge_states(corpus, labels, states), self._show_tree)

The answer is shown from a callback of the page, as everything else; if something
else is asked for meanwhile, the older answer is dropped. Without a page (a script, a
test) the work is done at once.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from otlab.ui.timers import Repeating, drawing

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

__all__ = ["Background"]

T = TypeVar("T")

_POLL_MS = 80


class Background:
    """Does one thing at a time on another thread."""

    def __init__(self) -> None:
        self._looks: Repeating | None = None

    def do(self, work: Callable[[], T], show: Callable[[T], None]) -> None:
        """Call `work` on another thread, then `show` with what it returned on the page's.

        What `work` raises is raised on the page's thread.
        """
        self.forget()
        if not _has_page():
            show(work())
            return
        future = _pool().submit(work)
        self._looks = Repeating(lambda: self._look(future, show), _POLL_MS)
        self._looks.start()

    def forget(self) -> None:
        """Do not show the answer that is still awaited."""
        if self._looks is not None:
            self._looks.stop()
            self._looks = None

    def _look(self, future: Future[T], show: Callable[[T], None]) -> None:
        if future.done() and self._looks is not None:
            self.forget()
            with drawing():
                show(future.result())


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(2, thread_name_prefix="background")


def _has_page() -> bool:
    """Return whether a loop runs here that would come back to look."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
