"""Let the runs of a page wait while that page is being drawn."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["idle_page", "page_first"]


@contextmanager
def page_first(page_idle: threading.Event) -> Iterator[None]:
    """Make the runs of a page wait in ``check_interrupt`` while that page is being drawn.

    Otherwise their threads would share cores and interpreter with the page's thread, and drawing would
    take two to four times as long. Each call of ``check_interrupt`` waits at most a tenth of a second.

    Parameters
    ----------
    page_idle
        The event of the page, which its runs have as ``Run.page_idle``; cleared while the page is drawn.
    """
    was_idle = page_idle.is_set()
    page_idle.clear()
    try:
        yield
    finally:
        if was_idle:
            page_idle.set()


def idle_page() -> threading.Event:
    """Return the event of a page that is not being drawn."""
    idle = threading.Event()
    idle.set()
    return idle
