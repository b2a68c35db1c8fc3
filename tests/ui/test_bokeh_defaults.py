"""What Bokeh and Panel remember of their classes changes no model."""

from __future__ import annotations

import subprocess
import sys

import panel as pn
import panel_material_ui as pmui
import pytest
from bokeh.document import Document
from bokeh.models import ColumnDataSource, LinearAxis, Plot, Scatter
from bokeh.plotting import figure
from bokeh.themes import Theme
from panel_material_ui.theme import MaterialDesign, MuiDefaultTheme

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
            values = kind().properties_with_values()
        except Exception:
            continue  # abstract, or with a property that must be given
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


def test_a_subclass_keeps_its_own_default():
    assert LinearAxis().axis_label is None
    assert Scatter().size == Scatter().size
    assert figure().toolbar_location == "right"


def test_the_style_sheets_of_a_component_are_as_without():
    design, theme = MaterialDesign, MuiDefaultTheme()
    for pane in (pn.pane.HTML("a"), pn.Column(), pn.pane.Bokeh(figure()), pmui.Button()):
        own, _ = design._get_modifiers(pane, theme)
        fresh, _ = bokeh_patches._compute_modifiers(design, pane, theme)
        assert own == fresh
        own.setdefault("stylesheets", []).append("changed")
        assert "changed" not in design._get_modifiers(pane, theme)[0].get("stylesheets", [])
