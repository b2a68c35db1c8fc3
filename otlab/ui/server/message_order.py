"""Messages to a page in the order in which they were made.

Bokeh makes a message when something changes and writes it at the end of the callback. Panel writes its
messages at once or, while another is being written, some milliseconds later. So a message could come before
the one with the model that it changes: the page then knew no such model and dropped the whole message. Here
each page has one queue, and whoever writes, writes all that wait.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from bokeh.server.connection import ServerConnection
from panel.io import document as panel_document
from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterable, Sequence

    from bokeh.document.events import DocumentPatchedEvent

__all__ = ["keep"]

_waiting: WeakKeyDictionary[ServerConnection, deque[Any]] = WeakKeyDictionary()
_write = panel_document.dispatch_tornado


def keep() -> None:
    """Make Bokeh and Panel write to each page in order; repeated calls do nothing."""
    ServerConnection.send_patch_document = _send_of_bokeh
    panel_document.dispatch_tornado = _write_of_panel
    panel_document.schedule_write_events = _schedule_of_panel


def _queue(connection: ServerConnection, events: Sequence[DocumentPatchedEvent]) -> None:
    message = connection.protocol.create("PATCH-DOC", events)
    _waiting.setdefault(connection, deque()).append(message)


def _write_all(connection: ServerConnection) -> list[Awaitable[None]]:
    """Write what waits; nothing else may be in the middle of being written."""
    waiting, written = _waiting.get(connection, deque()), []
    while waiting:
        written += _write(connection, msg=waiting.popleft())
    return written


async def _send(connection: ServerConnection) -> None:
    """Write what waits as soon as nothing else is being written."""
    with await connection._socket.write_lock.acquire():
        written = _write_all(connection)
    for each in written:
        with suppress(WebSocketClosedError, StreamClosedError):
            await each


def _send_of_bokeh(connection: ServerConnection, event: DocumentPatchedEvent) -> Awaitable[None]:
    """Queue a message for the end of the callback."""
    _queue(connection, [event])
    return _send(connection)


def _write_of_panel(
    connection: ServerConnection, events: Sequence[DocumentPatchedEvent]
) -> list[Awaitable[None]]:
    """Write a message now; Panel calls this when nothing else is being written."""
    _queue(connection, events)
    return _write_all(connection)


def _schedule_of_panel(
    document: Any, connections: Iterable[ServerConnection], events: Sequence[DocumentPatchedEvent]
) -> None:
    """Queue a message for the moment when nothing else is being written."""
    for connection in connections:
        _queue(connection, events)
        panel_document._dispatch_write_task(document, _send, connection)
