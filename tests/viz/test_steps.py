"""The step view: a draw from a cut-off normal, its table and reasons, a GLA trial."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest

from otlab.ot.steps import SiteDraw
from otlab.viz.ot import steps
from otlab.viz.ot.steps import GROUND, RIGHT, WIDTH, Scale, Shift, levels
from tests.viz.markup import HOSTILE, Markup

NAMES = ("*C-ONS", "AL", "I_BR")
INF = float("inf")
AL = SiteDraw(1, 0.53, 1.0, 0.21, INF, 0, None, before=0.88, value=1.18)
OTHERS = [(0, 0.21), (2, -0.74)]


def test_the_picture_of_lin_s_table_4():
    markup = Markup(steps.draw_svg(NAMES, AL, OTHERS))
    assert len(markup.all("rect", "ot-forbidden")) == 1
    assert len(markup.all("circle", "ot-other")) == 2
    assert len(markup.all("circle", "ot-before")) == 1
    assert "must lie to the right of*C-ONS at 0.21" in markup.text
    assert "drawn: 1.18" in markup.text
    assert "mean 0.53" in markup.text
    assert markup.all("svg")[0]["aria-label"] == "AL may lie between 0.21 and ∞, around 0.53; drawn: 1.18."


def test_the_forbidden_region_ends_at_the_bound():
    markup = Markup(steps.draw_svg(NAMES, AL, OTHERS))
    box = markup.all("rect", "ot-forbidden")[0]
    bound = re.search(r"M([\d.]+)", markup.all("path", "ot-bound")[0]["d"])[1]
    assert float(box["x"]) + float(box["width"]) == pytest.approx(float(bound), abs=0.2)


@pytest.mark.parametrize(
    ("low", "high", "boxes", "words"),
    [(-INF, INF, 0, 0), (-1, 1, 2, 2), (-INF, 0.2, 1, 1), (50.0, INF, 1, 1), (-INF, -50.0, 1, 1)],
)
def test_any_bounds(low, high, boxes, words):
    draw = SiteDraw(0, 0.0, 1.0, low, high, None, None, before=0.0, value=None)
    markup = Markup(steps.draw_svg(NAMES, draw, OTHERS))
    assert len(markup.all("rect", "ot-forbidden")) == boxes
    assert len(markup.all("path", "ot-bound")) == words
    assert "drawn:" not in markup.text
    xs = [float(a["x"]) for a in markup.all("text") if "x" in a]
    assert all(0 <= x <= WIDTH for x in xs)


def test_thirty_names_do_not_touch():
    rng = np.random.default_rng(0)
    places, widths = rng.uniform(0, 680, 30).tolist(), rng.uniform(20, 120, 30).tolist()
    lines = levels(places, widths, 3)
    for line in range(3):
        spans = sorted(
            (p - w / 2, p + w / 2) for p, w, k in zip(places, widths, lines, strict=True) if k == line
        )
        assert all(a[1] < b[0] for a, b in pairwise(spans))
    assert None in lines
    assert lines[0] == 0


def test_names_without_room_are_told_on_hover():
    names = [f"Constraint-{k}" for k in range(30)]
    draw = SiteDraw(0, 0.0, 1.0, -INF, 0.5, None, 29, before=0.0, value=0.1)
    markup = Markup(steps.draw_svg(names, draw, [(k, 0.01 * k) for k in range(1, 30)]))
    assert len(markup.all("circle", "ot-other")) == 29
    assert len(markup.all("title")) == 29


def test_scale_stays_inside():
    scale = Scale(-1.0, 1.0)
    assert scale(-5) == 10
    assert scale(5) == RIGHT
    assert scale(0) == 340


def test_table_of_draws():
    later = SiteDraw(2, -0.46, 1.0, -INF, 0.21, None, 0, before=-0.7, value=None)
    markup = Markup(steps.draws_html(NAMES, [AL, later], current=0))
    assert [b["data-draw"] for b in markup.all("button")] == ["0"]
    assert len(markup.all("tr", "ot-now")) == len(markup.all("tr", "ot-later")) == 1
    assert markup.all("tr", "ot-now")[0]["aria-current"] == "step"
    assert "−0.46−∞0.21–" in markup.text


def test_reasons():
    conjuncts = [(frozenset([1]), frozenset([0, 2]), "bub.wa.ja")]
    text = Markup(steps.relations_html(NAMES, "bu.bwa.ja", conjuncts)).text
    assert "One speaker said bu.bwa.ja." in text
    assert "AL above *C-ONS and IBRor bub.wa.ja wins" in text
    conjuncts = [(frozenset([0, 1]), frozenset([2]), "bub.wa.ja")]
    assert "*C-ONS or AL above IBR" in Markup(steps.relations_html(NAMES, "bu.bwa.ja", conjuncts)).text
    assert "every ranking" in steps.relations_html(NAMES, "a", [])


def test_hostile_names_stay_text():
    names = [HOSTILE] * 3
    for html in (
        steps.draw_svg(names, AL, OTHERS),
        steps.draws_html(names, [AL], 0),
        steps.relations_html(names, HOSTILE, [(frozenset([0]), frozenset([1]), HOSTILE)]),
        steps.shifts_svg(names, [Shift(0, 0, 1), Shift(1, 0, 0)]),
    ):
        assert not any("onclick" in attributes for _, attributes in Markup(html).elements)


def test_a_trial():
    shifts = [Shift(0, 0.3, 0.1), Shift(1, 0.5, 0.7), Shift(2, -0.4, -0.4)]
    markup = Markup(steps.shifts_svg(NAMES, shifts))
    ways = [
        re.fullmatch(r"M([\d.]+) [\d.]+H([\d.]+)", p["d"]).groups() for p in markup.all("path", "ot-arrow")
    ]
    assert [float(b) > float(a) for a, b in ways] == [False, True]
    assert markup.all("svg")[0]["aria-label"] == "*C-ONS down to 0.10; AL up to 0.70."
    assert len(markup.all("circle", "ot-other")) == 1


def test_a_trial_without_error():
    still = [Shift(k, 0.0, 0.0) for k in range(3)]
    markup = Markup(steps.shifts_svg(NAMES, still))
    assert not markup.all("path", "ot-arrow")
    assert steps.shifts_text(NAMES, still) == "The learner's form was the adult's: nothing moves."


def test_everything_of_a_long_trial_is_above_ground():
    shifts = [Shift(k, 0.1 * k, 0.1 * k + (-1) ** k * 0.3) for k in range(30)]
    markup = Markup(steps.shifts_svg([f"Constraint-{k}" for k in range(30)], shifts))
    heights = [float(a["y"]) for a in markup.all("text", "ot-name")]
    assert heights
    assert all(10 < y < GROUND for y in heights)
