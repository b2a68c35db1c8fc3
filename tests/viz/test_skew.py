"""Names of states in the picture of tokens per state, and ticks of the traces beside it."""

import numpy as np
import pytest
from bokeh.models import NoOverlap

from otlab.viz.base.live import Live
from otlab.viz.base.tokens import LIGHT
from otlab.viz.tagging.skew import names_end, names_top, skew_data, skew_top
from otlab.viz.tagging.traces import show_span, trace_colors, trace_element


@pytest.mark.parametrize("logarithmic", [False, True])
def test_names_of_tall_bars_stand_on_no_bar_and_no_curve(logarithmic):
    own, gold = [2800, 2300, 2078, 2000, 1900, 300, 20], [4200, 3300, 2400, 1800, 900, 500, 100, 30]
    vb = [6000, 2600, 900, 200]
    names = {0: "sentence ends", 1: "determiners", 4: "nouns"}
    layers = skew_data("em", own, gold, {"vb": [vb]}, [], names=names, logarithmic=logarithmic)
    tall, leaders = layers["tall names"], layers["leaders"]
    assert tall["text"] == ["\u2009sentence ends", "\u2009determiners", "\u2009nouns"]
    assert leaders["x0"].tolist() == [1, 2, 5]
    assert leaders["y0"].tolist() == [2800, 2300, 1900]
    for x, y in zip(tall["x"], tall["y"], strict=True):
        bottom = y / 6000**0.07 if logarithmic else y - 0.07 * 6000  # of the line of text
        beyond = [height for row in (own, gold, vb) for height in row[int(x) :]]
        assert max(beyond, default=0) <= 1.001 * bottom
    heights = tall["y"]
    assert all(heights[:-1] - heights[1:] > 0)
    assert skew_top([own, gold, vb], logarithmic=logarithmic, highest_name=heights[0]) >= heights[0]


def test_few_names_stand_beside_the_bars():
    names = {place: f"state {place}" for place in range(20)}
    layers = skew_data("em", [100] * 20, [], {}, [], names=names)
    assert len(layers["tall names"]["text"]) == 5
    assert len(layers["names"]["text"]) == 15


@pytest.mark.parametrize("logarithmic", [False, True])
def test_long_names_stand_whole_above_low_bars(logarithmic):
    """A letter takes 0.0294 of the height of the axis, which is made higher where a name needs it."""
    name = "nouns of places far away"
    names = skew_data("em", [900, 300, 20], [], {}, [], names={1: name}, logarithmic=logarithmic)["names"]
    assert names["text"] == [f"\u2002{name}"]
    highest = names_top(names, logarithmic=logarithmic)
    top = skew_top([[900, 300, 20]], logarithmic=logarithmic, highest_name=highest)
    share = np.log(300) / np.log(top) if logarithmic else 300 / top
    assert share + 0.0294 * (len(name) + 1) <= 1


def test_long_names_beside_tall_bars_have_room_to_the_right():
    """A letter takes a fiftieth of the axis in the narrowest card."""
    name = "nouns of places far away"
    tall = skew_data("em", [900, 880], [], {}, [], names={0: name, 1: "verbs"})["tall names"]
    end = names_end(tall, 2.7)
    for x, text in zip(tall["x"], tall["text"], strict=True):
        assert x + len(text) * (end - 0.3) / 50 <= end + 1e-9
    assert names_end(tall, 50.7) == 50.7


def test_ticks_of_a_low_panel_do_not_touch():
    panel = Live(trace_element(), trace_colors(), LIGHT)
    show_span(panel, (20.6, 34.2), "%")
    (axis,) = panel.figure.yaxis
    assert axis.ticker.ticks == [22, 34]
    assert isinstance(axis.major_label_policy, NoOverlap)
    for low in np.linspace(5, 6, 30):
        show_span(panel, (low, low + 1.9))
        first, last = axis.ticker.ticks
        assert 0.45 * 1.9 < last - first < 1.9
