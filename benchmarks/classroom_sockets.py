"""A visitor of the class without a browser: it asks, clicks and listens as a page does, and draws nothing.

Thirty browsers on the server's own cores measure mostly themselves. These visitors speak Bokeh's
protocol (a header, its metadata and a content a message, then buffers) and cost next to nothing, so
that the server has its cores to itself, as it has in a class where each student brings a computer.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import websocket_connect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tornado.websocket import WebSocketClientConnection

__all__ = ["SocketPage", "open_socket_page"]

ALIVE_SECONDS = 10.0


async def open_socket_page(address: str, patience: float) -> SocketPage:
    """Ask for a page and return it when it can be used: its scripts' first message is answered."""
    answer = await AsyncHTTPClient().fetch(address, request_timeout=patience)
    token = re.search(r'"token":"([^"]+)"', answer.body.decode())
    if token is None:
        raise ValueError(f"{address}: the page has no token")
    place = address.replace("http", "ws", 1).partition("?")[0]
    request = HTTPRequest(f"{place}/ws", request_timeout=patience)
    socket = await websocket_connect(request, subprotocols=["bokeh", token[1]], max_message_size=2**28)
    page = SocketPage(socket, patience)
    await page.begin()
    return page


@dataclass
class SocketPage:
    """One page that is open.

    Attributes
    ----------
    socket
        To the server.
    patience
        Seconds to wait for anything.
    head, state, form
        Identifiers of the run panel, of what it shows, and of the settings below it.
    shown
        What the run panel shows now.
    updates
        How often its number of sweeps, or that of one of its learners, has changed.
    """

    socket: WebSocketClientConnection
    patience: float
    head: str = ""
    state: str = ""
    form: str = ""
    shown: dict[str, Any] = field(default_factory=dict)
    updates: int = 0
    _sent: int = 0
    _answered: set[str] = field(default_factory=set)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)

    async def begin(self) -> None:
        """Take the document, find its run panel, and say that it is drawn."""
        await self._read()
        self._send("PULL-DOC-REQ", {})
        kind, document = await self._read()
        while kind != "PULL-DOC-REPLY":
            kind, document = await self._read()
        components = list(_components(document))
        found = next(model for model in components if "group" in _shown_by(model))
        self.head, self.state = found["id"], found["attributes"]["data"]["id"]
        self.form = next((model["id"] for model in components if "spec" in _shown_by(model)), "")
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._live())]
        ready = self._event("document_ready", [])
        await self._until(lambda: ready in self._answered)

    async def run(self, milliseconds: float) -> dict[str, float]:
        """Press Run and watch: ms to the acknowledgement and to the first sweeps; updates per second."""
        begin = time.perf_counter()
        pressed = self._say("toggle")
        await self._until(lambda: pressed in self._answered)
        heard = time.perf_counter() - begin
        await self._until(lambda: self.sweeps > 0)
        first = time.perf_counter() - begin
        before = self.updates
        await asyncio.sleep(milliseconds / 1000)
        updates = 1000 * (self.updates - before) / max(1, milliseconds)
        return {"heard": 1000 * heard, "first": 1000 * first, "updates": updates, "sweeps": self.sweeps}

    async def stop(self) -> float:
        """Press Stop; return the ms until the run panel says that it stopped, or has ended by itself."""
        begin = time.perf_counter()
        self._say("stop")
        await self._until(lambda: self.shown.get("phase") in ("stopped", "done"))
        return 1000 * (time.perf_counter() - begin)

    async def edit(self, seed: int) -> float:
        """Type a seed; return the ms until that is answered."""
        begin = time.perf_counter()
        entries = [["name", "seed"], ["text", str(seed)]]
        typed = self._tell(self.form, entries)
        await self._until(lambda: typed in self._answered)
        return 1000 * (time.perf_counter() - begin)

    async def until_done(self) -> float:
        """Press Run; return the seconds until all learners have ended."""
        begin = time.perf_counter()
        self._say("toggle")
        await self._until(lambda: self.shown.get("phase") == "done")
        return time.perf_counter() - begin

    async def close(self) -> None:
        """Leave; return when the server has closed its side."""
        for task in self._tasks:
            task.cancel()
        self.socket.close()
        while await self.socket.read_message() is not None:
            pass

    @property
    def sweeps(self) -> int:
        """The number that the run panel shows."""
        numbers = re.findall(r"\d[\d,]*", json.dumps(self.shown.get("progress", "")))
        return int(numbers[0].replace(",", "")) if numbers else 0

    @property
    def counts(self) -> list[str]:
        """How far each learner is, and the run as a whole, in words."""
        title = str(self.shown.get("progress", {}).get("title", ""))
        return [title, *(str(row["status"]) for row in self.shown.get("rows", ()))]

    def _say(self, kind: str) -> str:
        return self._tell(self.head, [["kind", kind]])

    def _tell(self, model: str, entries: list[list[str]]) -> str:
        data = {"type": "map", "entries": entries}
        return self._event("data_event", [["model", {"id": model}], ["data", data]])

    def _event(self, name: str, values: list[Any]) -> str:
        event = {"type": "event", "name": name, "values": {"type": "map", "entries": values}}
        patch = {"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": event}
        return self._send("PATCH-DOC", {"events": [patch]})

    def _send(self, kind: str, content: dict[str, Any]) -> str:
        self._sent += 1
        for part in ({"msgid": str(self._sent), "msgtype": kind}, {}, content):
            self.socket.write_message(json.dumps(part))
        return str(self._sent)

    async def _read(self) -> tuple[str, Any]:
        header, _, content = [json.loads(await self._frame()) for _ in range(3)]
        for _ in range(2 * header.get("num_buffers", 0)):
            await self._frame()
        if "reqid" in header:
            self._answered.add(header["reqid"])
        return header["msgtype"], content

    async def _frame(self) -> str | bytes:
        frame = await self.socket.read_message()
        if frame is None:
            raise ConnectionError("the server closed the connection")
        return frame

    async def _listen(self) -> None:
        while True:
            _, content = await self._read()
            for event in content.get("events", ()):
                if event.get("attr") == "state" and event["model"]["id"] == self.state:
                    before, self.shown = self.counts, _plain(event["new"])
                    self.updates += self.counts != before
            self._changed.set()

    async def _live(self) -> None:
        while True:
            await asyncio.sleep(ALIVE_SECONDS)
            self._say("alive")

    async def _until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(self.patience):
            while not condition():
                self._changed.clear()
                await self._changed.wait()


def _components(part: Any) -> Iterator[dict[str, Any]]:
    """Yield the models of a document that hold a component of ours, from the outermost inwards."""
    if isinstance(part, dict):
        attributes = part.get("attributes")
        if isinstance(attributes, dict) and "esm" in attributes and "data" in attributes:
            yield part
        for value in part.values():
            yield from _components(value)
    elif isinstance(part, list):
        for value in part:
            yield from _components(value)


def _shown_by(component: dict[str, Any]) -> dict[str, Any]:
    """Return what a component shows, by name."""
    shown: dict[str, Any] = component["attributes"]["data"].get("attributes", {})
    return shown


def _plain(value: Any) -> Any:
    """Return what Bokeh wrote as typed maps as plain dicts."""
    if isinstance(value, dict) and value.get("type") == "map":
        return {key: _plain(item) for key, item in value.get("entries", [])}
    return [_plain(item) for item in value] if isinstance(value, list) else value
