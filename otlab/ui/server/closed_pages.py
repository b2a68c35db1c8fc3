"""Suppress the tracebacks of connections that close while the server writes to them.

A browser tab may close while the server is writing to it. Bokeh, Panel and Tornado then log the
closed connection as an error, one traceback for each message that was under way, though nothing is
lost: the page's jobs are ended by :mod:`otlab.ui.server.session_watchdog` and by its session's end.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["quiet"]

_LOGGERS = (
    "asyncio",
    "tornado.application",
    "tornado.general",
    "bokeh.server.protocol_handler",
    "bokeh.server.tornado",
    "bokeh.server.views.ws",
    "panel.io.document",
)
_NO_SESSION = ("bokeh/server/connection.py", "session")


class _ClosedPages(logging.Filter):
    """Drop log records of errors that mean a closed connection."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        return not any(_says_closed(cause) for cause in _causes(error))


_FILTER = _ClosedPages()


def quiet() -> None:
    """Have the server's loggers leave out connections that the visitor closed; may be called again."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_FILTER)  # the same filter is added once


def _says_closed(error: BaseException) -> bool:
    if isinstance(error, (StreamClosedError, WebSocketClosedError)):
        return True
    return isinstance(error, AssertionError) and _raised_in(error) == _NO_SESSION


def _raised_in(error: BaseException) -> tuple[str, str]:
    """Return the end of the path and the function in which an error was raised.

    Bokeh's ``ServerConnection.session`` asserts that the session is still there, and is asked
    once more for a message that arrived just before the page was closed.
    """
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    if at is None:
        return ("", "")
    code = at.tb_frame.f_code
    return ("/".join(code.co_filename.replace("\\", "/").split("/")[-3:]), code.co_name)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and those it followed from."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
