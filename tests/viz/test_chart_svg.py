"""Charts of lines: what is drawn is what was given, and every label can be read."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from otlab.viz.base.chart_svg import Axis, Line, chart, ticks
from otlab.viz.base.class_svg import class_svg
from otlab.viz.base.numbers import DASH, duration_text
from otlab.viz.base.svg_marks import interval_svg

SVG = "{http://www.w3.org/2000/svg}"


def drawn(svg):
    return ET.fromstring(svg)


def paths(svg):
    return [p for p in drawn(svg).iter(f"{SVG}path") if p.get("class") != "g"]


def test_a_line_goes_through_its_points_up_and_to_the_right():
    (path,) = paths(chart([Line([0, 1, 2], [0, 1, 2])]))
    points = [tuple(map(float, p.split())) for p in re.findall(r"[ML]([-\d. ]+)", path.get("d"))]
    assert len(points) == 3
    assert points[0][0] < points[1][0] < points[2][0]
    assert points[0][1] > points[1][1] > points[2][1]


def test_a_gap_breaks_the_line():
    (path,) = paths(chart([Line([0, 1, 2, 3], [0, np.nan, 2, 3])]))
    assert path.get("d").count("M") == 2


def test_labels_do_not_touch_and_are_escaped():
    svg = chart([Line([0, 1], [0, 1 + k / 1000], "em-edge", f"<run {k}>") for k in range(4)])
    named = [t for t in drawn(svg).iter(f"{SVG}text") if t.get("class") == "n"]
    assert {t.text for t in named} == {f"<run {k}>" for k in range(4)}
    heights = sorted(float(t.get("y")) for t in named)
    assert min(np.diff(heights)) >= 14


def test_labels_at_the_bottom_go_up_and_that_of_the_highest_line_stays_beside_it():
    lines = [Line([0, 1], [0, y], "em-edge", f"{y}") for y in (0.93, 0.1, 0.05, 0.02, 0.01)]
    named = [t for t in drawn(chart(lines, height=220)).iter(f"{SVG}text") if t.get("class") == "n"]
    heights = {t.text: float(t.get("y")) for t in named}
    assert list(heights) == ["0.93", "0.1", "0.05", "0.02", "0.01"]
    assert heights["0.93"] == 18, "below the upper edge of the picture"
    assert heights["0.01"] <= 220 - 44
    assert min(np.diff(list(heights.values()))) >= 14


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3.2, 8.9), (0.221, 0.2255), (5, 90_000)])
def test_ticks_are_few_and_inside(low, high):
    found = ticks(low, high)
    assert 2 <= len(found) <= 8
    assert low <= found[0] < found[-1] <= high * (1 + 1e-9)


def test_a_logarithmic_axis_has_powers_of_ten():
    assert ticks(1, 1e9, logarithmic=True, most=5) == [1, 100, 1e4, 1e6, 1e8]
    svg = chart([Line([1, 10, 100], [1, 2, 3])], Axis("iteration", logarithmic=True), Axis("share"))
    texts = [t.text for t in drawn(svg).iter(f"{SVG}text")]
    assert {"1", "10", "100", "iteration", "share"} <= set(texts)
    (path,) = paths(svg)
    x = [float(p.split()[0]) for p in re.findall(r"[ML]([-\d. ]+)", path.get("d"))]
    assert x[1] - x[0] == pytest.approx(x[2] - x[1], abs=0.2)


def test_a_value_without_an_interval_or_beyond_the_axis_is_left_out_of_a_cell():
    whole = interval_svg(0.5, 0.2, 0.8, (0, 1), token="gibbs", reference=0.4)
    assert (whole.count("<line"), whole.count("<circle")) == (3, 1)
    alone = interval_svg(0.5, math.nan, math.nan, (0, 1), token="gibbs")
    assert (alone.count("<line"), alone.count("<circle")) == (1, 1)
    assert interval_svg(7.0, 0.2, 9.0, (0, 1), token="gibbs").count("<circle") == 0


def test_constraints_of_a_class_are_set_as_constraints():
    rows = {"Max-C": [1.0, 3.0]}
    assert 'class="svg-c"' in class_svg(rows, {}, "gla", constraints=True)
    assert 'class="svg-c"' not in class_svg(rows, {}, "gla")


def test_durations_have_a_unit_that_suits_them():
    shown = [duration_text(x) for x in (0.0001, 0.5, 7.4, 180, 7200, math.inf, math.nan)]
    assert shown == ["1 ms", "500 ms", "7 s", "3 min", "2 h", DASH, DASH]
