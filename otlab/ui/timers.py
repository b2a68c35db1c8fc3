"""Periodic and delayed callbacks of a page, and the context in which it is redrawn."""

from __future__ import annotations

import asyncio
import weakref
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import panel as pn
from panel.io.state import set_curdoc

from otlab.inference.pages import idle_page, page_first
from otlab.ui.refresh import TICK_MS

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator, MutableMapping

    from bokeh.document import Document

__all__ = ["Later", "Repeating", "call_on_page", "drawing", "page_idle"]


_pages: MutableMapping[Any, threading.Event] = weakref.WeakKeyDictionary()
_no_page = idle_page()


def page_idle() -> threading.Event:
    """Return the event that is cleared while the current page is being drawn.

    Scripts and tests, which have no page, share one.
    """
    document = pn.state.curdoc
    return _no_page if document is None else _pages.setdefault(document, idle_page())


@contextmanager
def drawing() -> Iterator[None]:
    """Send all changes to the page as one message; the runs of this page wait while it is drawn."""
    with page_first(page_idle()), pn.io.hold():
        yield


def call_on_page(page: Document | None, do: Callable[[], None]) -> None:
    """Call a function soon on the thread of a page, from any thread; at once without a page."""

    def there() -> None:
        with set_curdoc(page), pn.io.hold():
            do()

    context = None if page is None else page.session_context
    if page is None or context is None:
        there()
    elif not context.destroyed:
        page.add_next_tick_callback(there)


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
    def running(self) -> bool:
        """Whether it is between start and stop."""
        return self._timer is not None

    def start(self, milliseconds: int | None = None) -> None:
        """Start the timer for the current page; does nothing if it is running."""
        if self._timer is None:
            self._timer = pn.state.add_periodic_callback(self._callback, milliseconds or self._milliseconds)

    def stop(self) -> None:
        """Stop the timer; it may be started again."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None


def _remove(document: Document, timer: Any) -> None:
    """Remove a timer from a page; a closed page has none and must not be changed."""
    context = document.session_context
    if context is not None and not context.destroyed:
        document.remove_timeout_callback(timer)


class Later:
    """A callback on the page's thread, called once some time after :meth:`call`.

    Without a page and without an event loop (a script) it is never called.

    Parameters
    ----------
    callback
        What is called.
    """

    def __init__(self, callback: Callable[[], None]) -> None:
        self._callback = callback
        self._cancel: Callable[[], Any] | None = None

    def call(self, milliseconds: int) -> None:
        """Call the function on the current page after the delay; a call that still waits is cancelled."""
        self.cancel()
        document = pn.state.curdoc
        if document is not None and document.session_context is not None:
            timer = document.add_timeout_callback(partial(self._call, document), max(1, milliseconds))
            self._cancel = partial(_remove, document, timer)
            return
        with suppress(RuntimeError):  # there is no loop
            loop = asyncio.get_running_loop()
            self._cancel = loop.call_later(milliseconds / 1000, self._call, document).cancel

    def cancel(self) -> None:
        """Cancel the waiting call."""
        cancel, self._cancel = self._cancel, None
        if cancel is not None:
            cancel()

    def _call(self, document: Any) -> None:
        self._cancel = None
        with set_curdoc(document):
            self._callback()
