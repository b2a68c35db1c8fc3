"""A plot's data are replaced by the glyph's property, its colours by token."""

from __future__ import annotations

import gzip
from collections import Counter

import holoviews as hv
import numpy as np
import pytest
from bokeh.core.serialization import Deserializer, Serializer
from bokeh.model import Model
from bokeh.models import BoxZoomTool, Glyph, GlyphRenderer, IndexFilter, IntersectRenderers, LogScale

from otlab.viz.base.live import Live, Template, gzip_stored
from otlab.viz.base.style import chrome
from otlab.viz.base.tokens import DARK, LIGHT


def make():
    bars = hv.Rectangles([(0, 0, 1, 1)], label="bars").opts(line_color=None)
    ticks = hv.Segments([(0, 0, 1, 1)], label="ticks")
    trace = hv.Curve([(0, 0), (1, 1)], label="trace")
    colors = {"bars": {"fill_color": "gibbs"}, "trace": {"line_color": "gibbs-edge"}}
    return Live(chrome(bars * ticks * trace), colors, LIGHT)


def source(live, label):
    return live.figure.select_one({"name": label}).data_source


def column(live, label, name):
    spec = getattr(live.glyph(label), name)
    return source(live, label).data[spec if isinstance(spec, str) else spec.field]


def test_columns_are_found_by_property():
    live = make()
    live.push("bars", left=[0, 1], right=[1, 2], bottom=[0, 0], top=[5, 6])
    assert list(column(live, "bars", "top")) == [5, 6]
    assert list(column(live, "bars", "left")) == [0, 1]


def test_columns_of_another_length_are_dropped_not_kept():
    live = make()
    live.push("ticks", x0=[1, 2, 3], x1=[1, 2, 3], y0=[0, 0, 0], y1=[1, 1, 1])
    assert {len(values) for values in source(live, "ticks").data.values()} == {3}


def test_gaps_between_traces_are_kept():
    live = make()
    live.push("trace", x=[1, 2, 3], y=[1, np.nan, 2])
    assert np.isnan(column(live, "trace", "y")[1])


@pytest.mark.parametrize("values", [[1.5, np.nan, -2], [3, 4, 5], []])
def test_columns_travel_inside_the_message(values):
    live = make()
    live.push("trace", x=values, y=values)
    made = Serializer(deferred=True).serialize(column(live, "trace", "y"))
    assert made.buffers == []
    back = Deserializer().deserialize(made.content)
    np.testing.assert_array_equal(back, values)


def test_what_has_not_changed_is_not_sent_again():
    live = make()
    live.push("trace", x=[1, 2], y=[1, np.nan])
    before = source(live, "trace").data
    seen = []
    source(live, "trace").on_change("data", lambda _attribute, _old, _new: seen.append(1))
    live.push("trace", x=[1, 2], y=[1, np.nan])
    assert (seen, source(live, "trace").data) == ([], before)
    live.push("trace", x=[1, 2], y=[1, 3])
    assert seen == [1]


def test_colours_follow_the_mode():
    live = make()
    live.recolor(DARK)
    assert live.glyph("bars").fill_color == DARK["gibbs"]
    assert live.glyph("trace").line_color == DARK["gibbs-edge"]


def test_a_layer_that_is_not_there_is_named():
    with pytest.raises(KeyError, match="no layer is labelled dots"):
        Live(hv.Curve([1, 2], label="trace"), {"dots": {"line_color": "ink"}}, LIGHT)


def test_a_constant_is_not_a_column():
    with pytest.raises(KeyError, match="constant"):
        make().push("bars", fill_alpha=[1])


def test_clear_and_ranges():
    live = make()
    live.clear("bars")
    assert len(column(live, "bars", "top")) == 0
    live.x_range(-2, 3)
    assert (live.figure.x_range.start, live.figure.x_range.end) == (-2, 3)


def test_webgl_is_off():
    assert make().figure.output_backend == "canvas"


def test_a_copy_of_a_figure_has_all_its_values_and_shares_nothing_with_it():
    layers = [hv.Curve([(0, 1), (1, 2)], label="a"), hv.Labels([(0, 1, "b")], label="b")]
    element = chrome(hv.Overlay(layers), yaxis=True, logx=True, xlim=(1, 10))
    rendered = hv.renderer("bokeh").get_plot(element).state
    template = Template(rendered)
    (first, copies), (second, _) = template.copy(), template.copy()
    assert _values(first) == _values(second) == _values(rendered)
    assert set(copies.values()) <= first.references()
    assert type(first.x_scale) is LogScale
    assert not first.references() & (second.references() | rendered.references())


def test_a_layer_has_one_glyph_however_many_holoviews_makes():
    glyphs = Counter(type(part).__name__ for part in make().figure.references() if isinstance(part, Glyph))
    assert glyphs == {"Quad": 1, "Segment": 1, "Line": 1}


def test_what_is_set_of_parts_that_constructors_make_is_copied():
    rendered = hv.renderer("bokeh").get_plot(hv.Curve([(0, 1), (1, 2)])).state
    [zoom] = [part for part in rendered.references() if isinstance(part, BoxZoomTool)]
    layer = rendered.select_one({"type": GlyphRenderer})
    zoom.overlay.fill_color = "red"
    layer.view.filter = IndexFilter([1])
    layer.data_source.selection_policy = IntersectRenderers()
    copy, _ = Template(rendered).copy()
    assert _values(copy) == _values(rendered)


def test_models_in_lists_and_dictionaries_are_copied_too():
    rendered = hv.renderer("bokeh").get_plot(hv.Curve([(0, 1), (1, 2)])).state
    source = rendered.select_one({"type": GlyphRenderer}).data_source
    rendered.tags = [{"source": source, "name": "a"}, "word"]
    copy, copies = Template(rendered).copy()
    assert copy.tags == [{"source": copies[source.id], "name": "a"}, "word"]
    assert copy.tags[0]["source"] is not source


def _values(figure):
    """Return every property of every model of a figure as text, models numbered as they are met."""
    numbers, lines, models = {figure.id: 0}, [], [figure]

    def text(value):
        if isinstance(value, Model):
            if value.id not in numbers:
                numbers[value.id] = len(models)
                models.append(value)
            return f"model {numbers[value.id]}"
        if isinstance(value, dict):
            return {name: text(part) for name, part in value.items()}
        if isinstance(value, (list, tuple)):
            return [text(part) for part in value]
        return repr(value)

    for model in models:  # grows meanwhile
        values = model.properties_with_values()
        lines.append((type(model).__name__, {name: text(value) for name, value in values.items()}))
    return lines


@pytest.mark.parametrize("length", [0, 1, 1000, 8191, 8192, 20_000])
def test_numbers_travel_as_a_gzip_file_of_any_length(length):
    data = np.random.default_rng(1).bytes(8 * length)
    assert gzip.decompress(gzip_stored(data)) == data
