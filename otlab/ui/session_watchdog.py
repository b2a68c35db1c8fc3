"""Detect that a page was closed, so that its jobs can be ended.

A closed tab destroys its session, but only after a while, and a computer that was
put to sleep leaves a connection that looks open for hours. So a page also counts as
closed when no browser has been connected for 45 s, or when the page has sent no message
for 150 s (browsers slow the timers of hidden tabs down to one call per minute).

In a notebook, a script or a test there is no session, and nothing counts as closed.
"""

from __future__ import annotations

import time
from typing import Any

import panel as pn

__all__ = ["SessionWatchdog"]

_ALONE_SECONDS = 45.0
_SILENT_SECONDS = 150.0


class SessionWatchdog:
    """Detects that a page was closed."""

    def __init__(self) -> None:
        self._document: Any = None
        self._connected = self._heard = time.monotonic()

    def enter(self) -> None:
        """Watch the page of the current callback."""
        self._document = pn.state.curdoc
        self._connected = self._heard = time.monotonic()

    def heard(self) -> None:
        """Record a message from the page."""
        self._heard = time.monotonic()

    def gone(self) -> bool:
        """Return whether the page counts as closed."""
        context = getattr(self._document, "session_context", None)
        session = getattr(context, "session", None)
        if session is None:
            return False
        now = time.monotonic()
        if session.destroyed:
            return True
        if session.connection_count:
            self._connected = now
        return now - self._connected > _ALONE_SECONDS or now - self._heard > _SILENT_SECONDS
