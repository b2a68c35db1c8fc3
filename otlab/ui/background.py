"""Run a function on another thread and show its result on the page.

::

    self._merging = Background()
    self._merging.do(lambda: merge_states(corpus, labels, states), self._show_tree)

The answer is shown from a callback of the page, as everything else; if something
else is asked for meanwhile, the older answer is dropped. Without a page (a script, a
test) the work is done at once.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

import panel as pn

from otlab.ui.timers import drawing

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Background"]

T = TypeVar("T")


class Background:
    """Run one function at a time on another thread."""

    def __init__(self) -> None:
        self._asked = 0  # counts calls: only the result of the last one is shown

    def do(self, work: Callable[[], T], show: Callable[[T], None]) -> None:
        """Call `work` on another thread, then `show` with its result on the page's thread.

        An exception in `work` is raised on the page's thread.
        """
        self.forget()
        asked = self._asked
        if not _has_page():
            show(work())
            return

        async def answer() -> None:
            result = await asyncio.to_thread(work)

            def draw() -> None:
                if asked == self._asked:
                    with drawing():
                        show(result)

            pn.state.execute(draw, schedule=True)  # in a separate callback, which holds the page's lock

        pn.state.execute(answer)

    def forget(self) -> None:
        """Discard the result of the call in progress."""
        self._asked += 1


def _has_page() -> bool:
    """Return whether an event loop is running that will show the result."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
