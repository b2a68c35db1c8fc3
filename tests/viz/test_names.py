"""Names and numbers as they are printed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otlab.viz.base import names, numbers
from tests.viz.markup import HOSTILE, Markup


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("I_BR", ("I", "BR")),
        ("I_{BR}", ("I", "BR")),
        ("*C-ONS", ("*C-ONS", "")),
        ("_x", ("_x", "")),
        ("x_", ("x_", "")),
        ("Ident IO_place", ("Ident IO", "place")),
        ("Ident_IO_place", ("Ident", "IO_place")),
        ("A_ B", ("A_ B", "")),
    ],
)
def test_subscripts(name, parts):
    assert names.name_parts(name) == parts


@pytest.mark.slow
@given(st.text())
def test_any_name_is_only_text(name):
    for draw, tags in [
        (names.constraint_html, {"span", "sub"}),
        (names.constraint_svg, {"tspan"}),
        (names.form_html, {"span"}),
        (names.input_html, {"span"}),
    ]:
        assert Markup(draw(name)).tags() <= tags


def test_nothing_of_a_name_is_lost():
    assert HOSTILE in Markup(names.form_html(HOSTILE)).text
    assert Markup(names.constraint_html("<I>_BR")).text == "<I>BR"


@pytest.mark.parametrize(
    ("x", "text"),
    [(-0.0, "0.00"), (-0.004, "0.00"), (-0.006, "−0.01"), (float("-inf"), "−∞"), (float("nan"), "–")],
)
def test_values(x, text):
    assert numbers.value_text(x) == text


@pytest.mark.parametrize(
    ("p", "text"), [(0.0, "0"), (1.0, "1"), (1e-9, "below 0.001"), (0.99999, "above 0.9999"), (0.5, "0.50")]
)
def test_probabilities(p, text):
    assert numbers.probability_text(p) == text


def test_unknown_numbers_are_a_dash():
    nan = float("nan")
    assert numbers.percent_text(nan) == numbers.interval_text(nan, 1) == numbers.probability_text(nan) == "–"
