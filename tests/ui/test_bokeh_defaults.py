"""What Bokeh and Panel remember of their classes changes no model."""

from __future__ import annotations

import asyncio
import datetime as dt
import math
import socket
import subprocess
import sys

import numpy as np
import panel as pn
import panel_material_ui as pmui
import pytest
from bokeh.application.application import Application
from bokeh.core.serialization import Serializer
from bokeh.document import Document
from bokeh.model import util as model_util
from bokeh.models import ColumnDataSource, LinearAxis, Plot, PrintfTickFormatter, Scatter
from bokeh.plotting import figure
from bokeh.server.server import Server
from bokeh.themes import Theme
from bokeh.util.token import generate_jwt_token, generate_session_id
from panel_material_ui.theme import MaterialDesign, MuiDefaultTheme
from param.parameterized import Comparator
from tornado.ioloop import IOLoop
from tornado.websocket import websocket_connect

from otlab.ui.server import bokeh_patches

_VALUES = """
import sys
import bokeh.models, bokeh.plotting
from bokeh.model import Model
from otlab.ui.server import bokeh_patches
if sys.argv[1:]:
    bokeh_patches.cache_defaults()
def values():
    for name, kind in sorted(Model.model_class_reverse_map.items()):
        if not kind.__module__.startswith("bokeh.models"):
            continue
        try:
            model = kind()
            held = sorted(type(each).__name__ for each in model.references())
            sent = list(model.properties_with_values(include_defaults=False))
            values = model.properties_with_values()
        except Exception:
            continue  # abstract, or with a property that must be given
        yield name, held, sent
        for key, value in sorted(values.items()):
            yield name, key, type(value).__name__, "" if "id=" in repr(value) else repr(value)
list(values())  # the second ones are made from what the first left
for row in values():
    print(*row)
"""


@pytest.fixture(autouse=True)
def remembering():
    bokeh_patches.cache_defaults()


@pytest.mark.slow
def test_every_default_of_every_model_is_as_without():
    printed = [
        subprocess.run(
            [sys.executable, "-c", _VALUES, *more], capture_output=True, text=True, check=True
        ).stdout
        for more in ([], ["remember"])
    ]
    assert len(printed[0].splitlines()) > 5_000
    assert printed[0] == printed[1]


def test_no_model_shares_a_container_with_another():
    first, second = figure(), figure()
    first.tags.append("changed")
    first.x_range.tags.append("changed")
    assert (second.tags, second.x_range.tags, figure().tags) == ([], [], [])
    assert first.toolbar is not second.toolbar


def test_a_change_inside_a_default_container_is_noticed():
    ColumnDataSource()
    source, seen = ColumnDataSource(), []
    source.on_change("tags", lambda _name, _old, new: seen.append(list(new)))
    source.tags.append(3)
    assert seen == [[3]]


def test_a_theme_still_goes_before_the_default():
    plot = Plot()
    assert plot.background_fill_color == "#ffffff"
    document = Document(theme=Theme(json={"attrs": {"Plot": {"background_fill_color": "#123456"}}}))
    document.add_root(plot)
    assert plot.background_fill_color == "#123456"
    assert Plot().background_fill_color == "#ffffff"


def test_a_model_that_a_theme_gives_belongs_to_the_page():
    formatter, axis = PrintfTickFormatter(format="%d"), LinearAxis()
    assert formatter not in axis.references()
    Document(theme=Theme(json={"attrs": {"LinearAxis": {"formatter": formatter}}})).add_root(axis)
    assert formatter.id == axis.formatter.id in {model.id for model in axis.references()}


def test_the_models_in_a_list_are_found():
    first, second, found = ColumnDataSource(), Plot(), []
    model_util.visit_immediate_value_references([first, {"a": second}], found.append)
    assert found == [first, second]


def test_a_subclass_keeps_its_own_default():
    assert LinearAxis().axis_label is None
    assert Scatter().size == Scatter().size
    assert figure().toolbar_location == "right"


def test_the_style_sheets_of_a_component_are_as_without():
    design, theme = MaterialDesign, MuiDefaultTheme()
    for pane in (pn.pane.HTML("a"), pn.Column(), pn.pane.Bokeh(figure()), pmui.Button()):
        own, _ = design._get_modifiers(pane, theme)
        fresh, _ = bokeh_patches.original_modifiers(design, pane, theme)
        assert own == fresh
        own.setdefault("stylesheets", []).append("changed")
        assert "changed" not in design._get_modifiers(pane, theme)[0].get("stylesheets", [])


def test_a_message_refers_to_models_that_the_browser_has_and_sends_others():
    known, new = ColumnDataSource(), ColumnDataSource()
    serializer = Serializer(references={known})
    assert serializer.encode(known) == known.ref
    assert not serializer.has_ref(new)
    assert serializer.encode([new, new])[0]["id"] == new.id
    assert serializer.has_ref(new)
    assert serializer.encode(new) == new.ref


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (1, 1.0),
        (True, 1),
        (1, "1"),
        (None, None),
        (math.nan, math.nan),
        ([1, [2, "a"]], [1, [2, "a"]]),
        ([1], (1,)),
        ({"a": [1]}, {"a": [2]}),
        ({"a": 1}, {"b": 1}),
        ([object], [object]),
        (dt.date(2020, 1, 1), dt.date(2020, 1, 1)),
        (np.ones(2), np.ones(2)),
    ],
)
def test_values_of_a_parameter_are_compared_as_param_compares_them(first, second):
    for one, other in ((first, second), (second, first), (first, first)):
        assert Comparator.is_equal(one, other) == bokeh_patches.original_is_equal(one, other)


def test_a_message_does_not_wait_until_the_one_before_is_confirmed():
    async def visit():
        server = Server({"/": Application()}, port=0, io_loop=IOLoop.current())
        server.start()
        token = generate_jwt_token(generate_session_id())
        address = f"ws://localhost:{server.port}/ws"
        page = await websocket_connect(address, subprotocols=["bokeh", token])
        await page.read_message()
        (connection,) = server._tornado._clients
        stream = connection._socket.ws_connection.stream
        at_once = stream.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        page.close()
        server.stop()
        return at_once

    bokeh_patches.send_at_once()
    assert asyncio.run(visit())
