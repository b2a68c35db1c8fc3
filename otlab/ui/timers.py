"""What a page does again and again until it is told to stop, and how it draws meanwhile."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.inference.run import page_first

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["TICK_MS", "Repeating", "drawing"]

TICK_MS = 160
"""Between two looks at what learners have done."""


@contextmanager
def drawing() -> Iterator[None]:
    """Send all changes to the page as one message, and go before the learners."""
    with page_first(), pn.io.hold():
        yield


class Repeating:
    """A callback on the page's thread, called from :meth:`start` to :meth:`stop`.

    Parameters
    ----------
    callback
        What is called.
    milliseconds
        From one call to the next.
    """

    def __init__(self, callback: Callable[[], None], milliseconds: int = TICK_MS) -> None:
        self._callback, self._milliseconds = callback, milliseconds
        self._timer: Any = None

    @property
    def going(self) -> bool:
        """Whether it is between start and stop."""
        return self._timer is not None

    def start(self, milliseconds: int | None = None) -> None:
        """Begin, for the page in whose callback we are; nothing if it is going already."""
        if self._timer is None:
            self._timer = pn.state.add_periodic_callback(self._callback, milliseconds or self._milliseconds)

    def stop(self) -> None:
        """End; it may be started again."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
