"""What the cells of a notebook send and show, without JupyterLab."""

from __future__ import annotations

import asyncio
import sys
import threading
import time

from bokeh.document import Document
from panel.io.state import set_curdoc
from pyviz_comms import Comm

from otlab.ui.components.cards import html
from otlab.ui.server import notebook


def test_two_views_of_a_notebook_have_style_sheets_of_their_own():
    """Panel gave the second view those of the first while the first was acted in, which Bokeh refuses."""
    notebook.separate_views()
    shown, document = html("a"), Document()
    document.add_root(shown.get_root(document))
    with set_curdoc(document):
        given = shown._process_param_change({"stylesheets": [":host { color: red; }"]})["stylesheets"]
    models = [sheet for sheet in given if not isinstance(sheet, str)]
    assert models
    assert all(sheet.document is None for sheet in models)


class Sent(Comm):
    """A channel to a cell that keeps what is sent."""

    @classmethod
    def decode(cls, msg):
        return msg

    def send(self, data=None, metadata=None, buffers=()):
        self.sent = metadata


def messages_of_two_threads(prepare):
    """Handle two messages at once, each on a thread; return the threads that did, and whether print works."""
    handled, standard = [], sys.stdout
    both = threading.Barrier(2, timeout=0.3)

    def handle(_message):
        handled.append(threading.current_thread())
        try:  # each begins before the other ends, if they can
            both.wait()
        except threading.BrokenBarrierError:
            return
        if threading.current_thread() is not first:
            time.sleep(0.1)

    async def kernel():
        nonlocal first
        prepare()
        comms = [Sent(on_msg=handle), Sent(on_msg=handle)]
        threads = [threading.Thread(target=comm._handle_msg, args=[{"comm_id": "1"}]) for comm in comms]
        first = threads[0]
        for thread in threads:
            thread.start()
            await asyncio.sleep(0.05)
        while len(handled) < 2 or any(thread.is_alive() for thread in threads):
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        assert all(comm.sent["msg_type"] == "Ready" for comm in comms)

    first = None
    try:
        asyncio.run(kernel())
        return handled, sys.stdout is standard
    finally:
        sys.stdout = standard
        Comm._handle_msg = notebook.original_handle_message


def test_messages_that_arrive_on_several_threads_are_handled_by_the_loop_and_leave_print_as_it_was():
    handled, prints = messages_of_two_threads(notebook.handle_messages_in_loop)
    assert set(handled) == {threading.main_thread()}
    assert prints


def test_panel_alone_would_leave_print_redirected():
    """So that the change can go when Panel no longer needs it."""
    handled, prints = messages_of_two_threads(lambda: None)
    assert threading.main_thread() not in handled
    assert not prints


def test_in_a_script_messages_are_handled_as_before():
    notebook.handle_messages_in_loop()
    assert Comm._handle_msg is notebook.original_handle_message
