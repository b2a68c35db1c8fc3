"""Pictures of lexicon discovery: boxes that do not touch, rows that say nothing left out."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otlab.discovery.channel.channel import Edits
from otlab.discovery.learners.sticks import STARVED, Sticks
from otlab.discovery.parsing.trees import Node
from otlab.discovery.sound.scores import Contingency
from otlab.viz.base.live import Live
from otlab.viz.base.tokens import LIGHT
from otlab.viz.discovery.plots import (
    STICK_COLORS,
    objective_range,
    operations_html,
    show_shares,
    show_sticks,
    sticks_element,
    swap_rows,
)
from otlab.viz.discovery.sound import contingency_map
from otlab.viz.discovery.tree import tree_svg


def tree(lengths, symbol):
    """Words of these lengths below an utterance."""
    words, at = [], 0
    for n in lengths:
        phones = tuple(
            Node("Phon", k, k + 1, "rule", (Node("<", k, k + 1, "phone"),)) for k in range(at, at + n)
        )
        words.append(Node(symbol, at, at + n, "looked up", phones))
        at += n
    return Node("Utterance", 0, at, "rule", tuple(words))


@pytest.mark.parametrize("height", [-6035.291, -15.42, -2e7])
def test_errors_of_rounding_look_like_a_level_line(height):
    noise = height * (1 + 1e-12 * np.array([0, 1, -1, 2]))
    low, high = objective_range(noise)
    assert low < height < high
    assert np.ptp(noise) < 0.01 * (high - low)
    assert high - low >= 1.0


def test_the_axis_of_an_objective_holds_it_with_a_margin():
    assert objective_range(np.array([-20.0, -10.0])) == pytest.approx((-20.6, -9.4))


class Spelled(dict):
    def __missing__(self, span):
        return "x" * (span[1] - span[0])


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6), st.sampled_from(["W", "Word", "Collocation"]))
def test_boxes_of_neighbours_do_not_touch(lengths, symbol):
    svg = tree_svg(tree(lengths, symbol), Spelled(), {})
    boxes = [tuple(map(float, b)) for b in re.findall(r'<rect[^>]* x="([\d.]+)"[^>]* width="([\d.]+)"', svg)]
    assert len(boxes) == len(lengths)
    for (x, width), (right, _) in itertools.pairwise(boxes):
        assert x + width <= right + 0.2
    assert "Phon" not in svg
    assert "&lt;" in svg


def test_no_name_is_cut_over_a_single_phone():
    svg = tree_svg(tree([1, 2, 1], "Suffix"), Spelled(), {})
    assert svg.count(">Suffix</text>") == 3
    assert "…" not in svg
    boxes = [float(width) for width in re.findall(r'<rect[^>]* width="([\d.]+)"', svg)]
    assert min(boxes) >= 7.6 * len("Suffix")


def test_a_phone_never_replaced_has_no_row():
    substitution = np.full((3, 3), 0.1)
    substitution[0, 2] += 8.0
    rows, added = swap_rows(Edits(np.array([90.0, 8.0, 1.0, 1.0]), np.ones(3), substitution))
    assert [row is None for row in rows] == [False, True, True]
    assert rows[0][2] == pytest.approx(8.1 / 8.2, abs=1e-4)
    assert added == pytest.approx([1 / 3] * 3, abs=1e-4)


def test_operations_have_no_interval_and_say_that_they_are_too_low():
    markup = operations_html(Edits(np.array([90.0, 8.0, 1.0, 1.0]), np.ones(2), np.ones((2, 2))))
    assert '<span class="num">0.9000</span>' in markup
    assert "Deletions tend to come out too low, insertions too high." in markup
    assert all(name in markup for name in ("none", "substitute", "insert", "delete"))


def texts(live, label):
    return [
        x
        for column in live.figure.select_one({"name": label}).data_source.data.values()
        for x in column
        if isinstance(x, str)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("new", "starved"), [(500.0, False), (0.0, True)])
def test_starvation_is_drawn_where_it_is(new, starved):
    live = Live(sticks_element(), STICK_COLORS, LIGHT)
    sticks = Sticks.fitted(np.arange(3), np.array([900.0, 800.0, 700.0]), new, 0.2, 0.0)
    assert (sticks.leftover < STARVED) == starved
    show_sticks(live, sticks, 100)
    assert ("too little mass left: no new word is built" in texts(live, "starved words")) == starved
    assert texts(live, "leftover words") == ["leftover mass"]
    show_shares(live, np.array([0.5, 0.3]))
    assert texts(live, "starved words") == texts(live, "leftover words") == []


def test_units_and_phones_are_named_beside_the_map_that_is_scrolled():
    table = Contingency(np.array([[3, 0], [0, 0], [1, 4]]), ("a", "<s>"))
    corner, units, phones, squares = re.findall(r"<(?:div|svg) [^>]*>", str(contingency_map(table)))[2:]
    assert "corner" in corner
    assert 'class="units"' in units
    assert 'class="phones"' in phones
    assert 'aria-label="2 units against 2 gold phones"' in squares
    drawn = str(contingency_map(table)).split("<svg")
    assert [part.count("<text") for part in drawn] == [0, 1, 2, 0]
    assert "&lt;s&gt;" in drawn[2]
    assert drawn[3].count("<title>") == 3
