"""What the cells of a notebook send and show, without JupyterLab."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from types import SimpleNamespace

import panel as pn
import pytest
from bokeh.core.serialization import Serializer, UnknownReferenceError
from bokeh.document import Document
from bokeh.document.events import ModelChangedEvent
from bokeh.models import ImportedStyleSheet, TextInput
from panel.io.state import set_curdoc
from pyviz_comms import Comm

from otlab.ui.components.cards import Html
from otlab.ui.server import notebook


def test_two_views_of_a_notebook_have_style_sheets_of_their_own():
    """Panel gave the second view those of the first while the first was acted in, which Bokeh refuses."""
    notebook.separate_views()
    shown, document = Html("a"), Document()
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


def test_a_message_that_arrives_in_the_loop_is_handled_at_once():
    handled = []

    async def kernel():
        notebook.handle_messages_in_loop()
        Sent(on_msg=handled.append)._handle_msg({"comm_id": "1", "value": 3})
        return list(handled)

    try:
        assert [message["value"] for message in asyncio.run(kernel())] == [3]
    finally:
        Comm._handle_msg = notebook.original_handle_message


@pytest.fixture
def sheets_as_before():
    before = ImportedStyleSheet.to_serializable
    yield
    ImportedStyleSheet.to_serializable = before


@pytest.mark.parametrize("inline", [False, True])
def test_a_cell_of_vs_code_fetches_no_style_sheet_from_the_network(inline, sheets_as_before):
    if inline:
        notebook.inline_style_sheets()
    with pn.config.set(inline=True):
        root = pn.Column(Html("a"), pn.widgets.Tabulator()).get_root()
    sent = json.dumps(Serializer().serialize(root).content)
    assert ("https://cdn.holoviz.org" in sent) is not inline
    assert ("tabulator-row" in sent) is inline  # the text of Tabulator's sheet


def test_a_sheet_whose_text_is_not_here_keeps_its_address(sheets_as_before):
    notebook.inline_style_sheets()
    sheet = ImportedStyleSheet(url="https://example.org/own.css")
    sent = Serializer().serialize(sheet).content
    assert (sent["name"], sent["attributes"]["url"]) == ("ImportedStyleSheet", sheet.url)


@pytest.mark.parametrize(
    ("comms", "inline", "in_a_cell", "changed"),
    [
        ("default", True, True, []),  # JupyterLab, for which Panel does all this
        ("vscode", False, True, ["echoes"]),
        ("vscode", True, False, ["echoes", "sheets"]),
        ("ipywidgets", True, True, ["echoes", "sheets", "tabulator"]),
    ],
)
def test_a_cell_is_prepared_for_what_shows_it(monkeypatch, comms, inline, in_a_cell, changed):
    pytest.importorskip("jupyter_bokeh.widgets")
    done = []
    monkeypatch.setattr(notebook, "config", SimpleNamespace(comms=comms, inline=inline))
    monkeypatch.setattr(notebook, "in_cell", lambda: in_a_cell)
    monkeypatch.setattr(notebook, "ignore_echoes", lambda _widgets: done.append("echoes"))
    monkeypatch.setattr(notebook, "inline_style_sheets", lambda: done.append("sheets"))
    published = {notebook.tabulator_script(): "tabulator"}
    show = lambda data: done.append(published[data["application/javascript"]])  # noqa: E731
    monkeypatch.setattr("IPython.display.publish_display_data", show)
    notebook.prepare()
    assert done == changed


class Widget:
    """What jupyter_bokeh does with a text; `told` are the values that come from the cell."""

    def __init__(self, model):
        self.model, self.told = model, []
        Document().add_root(model)
        model.document.on_change_dispatch_to(self)
        self.sent = []

    def _document_patched(self, event):
        self.sent.append(event.new)

    def _sync_model(self, _widget, content, _buffers):
        if content["model"]["id"] != self.model.id:
            raise UnknownReferenceError(content["model"]["id"])
        self.told.append(content["new"])
        self.model.value = content["new"]


def shown(class_):
    """Return a widget in which Python has set two values."""
    widget = class_(TextInput(value="a"))
    widget.model.value = "b"
    widget.model.value = "c"
    return widget


def come_back(widget, *values):
    """Let the cell send these values, as jupyter_bokeh's script does."""
    for value in values:
        message = {"event": "jsevent", "kind": "ModelChanged", "attr": "value", "new": value}
        widget._sync_model(widget, {**message, "model": {"id": widget.model.id}}, [])


@pytest.fixture
def widgets():
    class Ignoring(Widget):
        pass

    notebook.ignore_echoes(Ignoring)
    return Ignoring


def test_what_a_cell_of_vs_code_sends_back_replaces_no_newer_value(widgets):
    widget = shown(widgets)
    come_back(widget, "b", "c")
    assert (widget.model.value, widget.sent, widget.told) == ("c", ["b", "c"], [])
    come_back(widget, "b")  # typed by the user
    assert (widget.model.value, widget.told) == ("b", ["b"])


def test_what_the_cell_itself_has_set_does_not_come_back_and_other_messages_go_through(widgets):
    notebook.ignore_echoes(widgets)  # each lab calls it
    widget = widgets(TextInput(value="a"))
    model = widget.model
    widget._document_patched(ModelChangedEvent(model.document, model, "value", "b", setter=widget))
    assert widget.sent == ["b"]
    come_back(widget, "b")  # so this is the user's
    other = {"event": "jsevent", "kind": "ColumnsStreamed", "new": "c", "model": {"id": model.id}}
    widget._sync_model(widget, other, [])
    assert widget.told == ["b", "c"]


def test_what_a_cell_had_already_and_does_not_send_back_is_forgotten(widgets):
    widget = shown(widgets)
    come_back(widget, "c", "b")  # the second one is the user's
    assert (widget.model.value, widget.told) == ("b", ["b"])


def test_a_colour_that_the_theme_in_the_cell_gives_to_a_glyph_stays_there(widgets):
    widget = shown(widgets)
    come_back(widget, {"type": "value", "value": "#D55E00"})
    assert (widget.model.value, widget.told) == ("c", [])


def test_a_model_comes_back_by_its_id(widgets):
    widget = widgets(pn.Column("a").get_root())
    before, after = list(widget.model.children), list(pn.Column("b", "c").get_root().children)
    widget.model.children = after
    widget.model.children = before
    message = {"event": "jsevent", "kind": "ModelChanged", "attr": "children"}
    new = [{"id": child.id} for child in after]
    widget._sync_model(widget, {**message, "new": new, "model": {"id": widget.model.id}}, [])
    assert widget.told == []


def test_what_comes_late_for_a_model_that_was_replaced_is_dropped(widgets):
    late = {"event": "jsevent", "kind": "ModelChanged", "attr": "value", "new": "b", "model": {"id": "gone"}}
    widget = shown(widgets)
    widget._sync_model(widget, late, [])
    assert (widget.model.value, widget.told) == ("c", [])


def test_two_cells_of_vs_code_each_ignore_what_they_were_sent(widgets):
    first, second = shown(widgets), shown(widgets)
    come_back(first, "b", "c")
    come_back(second, "b", "c")
    assert first.told == second.told == []


def test_jupyter_bokeh_alone_would_let_an_older_value_back_in():
    """So that the change can go when jupyter_bokeh no longer needs it."""
    made = pytest.importorskip("jupyter_bokeh.widgets").BokehModel

    class Alone(made):
        def __init__(self, model):
            super().__init__(model)
            self.model = model

    widget = shown(Alone)
    come_back(widget, "b")
    assert widget.model.value == "b"
