"""Messages to a page arrive in the order in which they were made."""

from __future__ import annotations

import asyncio
import json
import threading

import panel as pn
import pytest
from bokeh.application.application import Application
from bokeh.application.handlers.function import FunctionHandler
from bokeh.document import Document
from bokeh.models import Column, Div
from bokeh.server.server import Server
from bokeh.util.token import generate_jwt_token, generate_session_id
from panel.io.document import unlocked
from panel.io.state import set_curdoc
from tornado.ioloop import IOLoop
from tornado.websocket import websocket_connect

from otlab.ui.server import message_order


@pytest.fixture(autouse=True)
def ordered():
    message_order.keep()
    message_order.keep()  # every server calls it


def lay(root, new):
    """Put a new model into the page."""
    root.children = [*root.children, new]


def fill(root, new):
    """Change the model that is new."""
    new.text = "filled"


async def by_bokeh(document, change, root, new):
    """Change the page as a callback of Bokeh's does: its messages wait for the end of the callback."""
    change(root, new)


async def by_panel(document, change, root, new):
    """Change the page as Panel does: its messages are written at once, or wait while one is being written."""
    with set_curdoc(document), unlocked():
        change(root, new)


async def changes_that_arrive(steps, busy=()):
    """Make changes in one callback; return the attributes in the order in which a page hears of them."""

    def build(document: Document) -> None:
        document.add_root(Column())

    server = Server({"/": Application(FunctionHandler(build))}, port=0, io_loop=IOLoop.current())
    server.start()
    token = generate_jwt_token(generate_session_id())
    page = await websocket_connect(f"ws://localhost:{server.port}/ws", subprotocols=["bokeh", token])
    await page.read_message()
    await page.read_message()
    await page.read_message()
    (connection,) = server._tornado._clients
    session, held = connection.session, connection._socket.write_lock
    document, new = session.document, Div(text="new")
    pn.state._loaded[document], pn.state._thread_id_[document] = True, threading.get_ident()

    async def callback():
        for n, (by, change) in enumerate(steps):
            if n in busy:  # an answer to the page is being written
                with await held.acquire():
                    await by(document, change, document.roots[0], new)
            else:
                await by(document, change, document.roots[0], new)

    await session.with_document_locked(callback)
    heard = []
    while len(heard) < len(steps):
        content = json.loads(await asyncio.wait_for(page.read_message(), 20))
        heard += [event["attr"] for event in content.get("events", ())]
    page.close()
    server.stop()
    return heard


@pytest.mark.parametrize("busy", [(), (0,), (1,), (0, 1)])
@pytest.mark.parametrize(
    ("first", "second"), [(by_bokeh, by_panel), (by_panel, by_bokeh), (by_panel, by_panel)]
)
def test_a_page_hears_of_a_model_before_what_changes_it(first, second, busy):
    steps = [(first, lay), (second, fill)]
    assert asyncio.run(changes_that_arrive(steps, busy)) == ["children", "text"]
