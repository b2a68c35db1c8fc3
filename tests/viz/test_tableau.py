"""The violation tableau as HTML."""

from __future__ import annotations

import re

import pytest

from otlab.ot.tableau import Tableau
from otlab.viz.base import css
from otlab.viz.ot import tableau
from tests.viz.markup import HOSTILE, IPA, Markup

ORDER = (1, 0, 2)


def cells(html):
    """The texts of each body row's cells, without the candidate."""
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr.*?</tr>", html)[1:]]


def shaded(html):
    return [
        ["ot-shaded" in tag for tag in re.findall(r"<td[^>]*>", row)]
        for row in re.findall(r"<tr.*?</tr>", html)[1:]
    ]


def test_marks_and_shading(ilokano):
    html = tableau.tableau_html(ilokano, ORDER)
    assert cells(html) == [["", "∗", "∗"], ["", "∗∗!", ""], ["∗!", "", ""]]
    assert shaded(html) == [[False] * 3, [False, False, True], [False, True, True]]


def test_the_hand_points_at_the_winner_only(ilokano):
    html = tableau.tableau_html(ilokano, (0, 2, 1))
    markup = Markup(html)
    assert len(markup.all("svg", "hand")) == len(markup.all("tr", "ot-win")) == 1
    assert "winner: bub.wa.ja" in markup.text
    assert "bub.wa.ja wins" in markup.all("table")[0]["aria-label"]


def test_roles_of_heads(ilokano):
    markup = Markup(tableau.tableau_html(ilokano, ORDER))
    assert [th["scope"] for th in markup.all("th")] == ["col"] * 4 + ["row"] * 3


def test_more_violations_after_the_fatal_one():
    t = Tableau.from_rows([("x", "a", 1, [1]), ("x", "b", 0, [4])], ["C"])
    assert cells(tableau.tableau_html(t, [0])) == [["∗"], ["∗∗!∗∗"]]


@pytest.mark.parametrize(("count", "text"), [(12, "12!"), (-3, "")])
def test_what_asterisks_cannot_show_is_a_number(count, text):
    t = Tableau.from_rows([("x", "a", 1, [min(count, 0)]), ("x", "b", 0, [max(count, 0)])], ["C"])
    best = "" if count > 0 else "−3"
    assert cells(tableau.tableau_html(t, [0])) == [[best], [text or "0!"]]


def test_a_tie_says_so():
    t = Tableau.from_rows([("x", "a", 1, [1, 0]), ("x", "b", 1, [1, 0]), ("x", "c", 1, [0, 1])], ["C", "D"])
    html = tableau.tableau_html(t, (1, 0))
    assert len(Markup(html).all("svg", "hand")) == 2
    assert "2 candidates tie" in html
    assert "a and b tie" in html


def test_strata_are_dashed_inside_and_not_shaded(ilokano):
    html = tableau.tableau_html(ilokano, ORDER, strata=[1, 2])
    markup = Markup(html)
    assert len(markup.all("th", "ot-dashed")) == 1
    assert len(markup.all("td", "ot-dashed")) == 3
    assert shaded(html) == [[False] * 3, [False] * 3, [False, True, True]]


def test_strata_must_add_up(ilokano):
    html = tableau.tableau_html(ilokano, ORDER, strata=[3])
    assert not Markup(html).all("td", "ot-shaded")


def test_one_input_or_all(hostile):
    order = range(30)
    assert len(Markup(tableau.tableau_html(hostile, order)).all("table")) == 2
    assert len(Markup(tableau.tableau_html(hostile, order, input=1)).all("table")) == 1


def test_hostile_names_stay_text(hostile):
    markup = Markup(tableau.tableau_html(hostile, range(30)))
    assert "b" not in markup.tags()
    assert HOSTILE in markup.text
    assert IPA in markup.text
    assert len(markup.all("td")) == 5 * 30
    assert not any("onclick" in attributes for _, attributes in markup.elements)


def test_the_order_is_spelled_out_while_it_is_short(ilokano):
    text = Markup(tableau.order_sentence_html(ilokano.constraints, ORDER, 1 / 3)).text
    assert text == "This order, AL ≫ *C-ONS ≫ IBR, has probability 0.33."
    text = Markup(tableau.order_sentence_html(["C"] * 30, range(30), 0.0)).text
    assert text == "This order of 30 constraints has probability 0."
    text = Markup(tableau.order_sentence_html(["A" * 90, "B" * 90], (1, 0), 0.5)).text
    assert text == "This order of 2 constraints has probability 0.50."


def test_drawn_tableau_holds_both(ilokano):
    markup = Markup(tableau.drawn_tableau_html(ilokano, ORDER, 0.25))
    assert len(markup.all("table")) == 1
    assert "probability 0.25" in markup.text


def test_style_sheets_name_no_colour():
    for name in ("names", "tableau", "rows", "figures", "bars", "steps"):
        assert not re.search(r"#[0-9a-fA-F]{3,8}\b|rgb|hsl", css.sheet(name)), name
