"""Rankings as HTML: why there is none, what the winners need, pairs, shares and implications."""

import re

import numpy as np

from otlab import load_sample
from otlab.ot import Tableau, read_text
from otlab.ot.analysis.rank import rank
from otlab.ot.analysis.ranked_above import RankedAbove
from otlab.ot.analysis.typology import typology
from otlab.viz.ot.leading import first_inputs, first_rows
from otlab.viz.ot.ranking import needs_html, ranked_above_html, shares_html, strata_html, t_orders_html


def words(html):
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_one_comparison_that_no_ranking_allows_is_said_in_a_sentence():
    html = strata_html(rank(load_sample("harmonic_bounding_demo")))
    assert words(html).startswith(
        "No ranking does this: /x/ : bounded beats good , though no constraint prefers it"
    )
    assert "<li>" not in html
    several = strata_html(rank(load_sample("inconsistent_demo")))
    assert several.count("<li>") > 1


def test_what_winners_need_names_what_can_be_left_out_if_anything_can():
    some = needs_html(rank(load_sample("spanish")))
    assert "Could be left out" in some
    none = needs_html(rank(read_text("Input,Output,n,A\nx,a,1,0\nx,b,0,1\n")))
    assert words(none) == "Any ranking will do."


def test_each_pair_of_constraints_has_its_probability_and_interval():
    mean = np.array([[np.nan, 0.75], [0.25, np.nan]])
    html = ranked_above_html(RankedAbove(("A<", "B"), mean, mean - 0.1, mean + 0.1))
    assert words(html) == "row above column A&lt; B A&lt; 75 65–85 B 25 15–35"
    assert 'title="A&lt; above B: 75.0\u2009%, 95 % interval 65–85"' in html
    assert html.count('class="same"') == 2


def test_rankings_of_many_constraints_are_not_counted():
    assert words(shares_html(load_sample("spanish"), None)) == (
        "There are too many constraints to count the rankings."
    )


def test_implications_between_inputs_or_none():
    assert "implies" in t_orders_html(typology(load_sample("td_deletion_chicano")))
    one = typology(read_text("Input,Output,n,A,B\nx,a,1,0,1\nx,b,0,1,0\n"))
    assert words(t_orders_html(one)) == "There is one input."
    apart = typology(load_sample("nasal_place"))
    assert not apart.t_orders
    assert words(t_orders_html(apart)) == "No winner of one input implies the winner of another."


def test_a_short_tableau_is_whole():
    tableau = load_sample("spanish")
    assert first_rows(tableau, tableau.n_rows) is tableau
    assert first_inputs(tableau) is tableau


def test_inputs_with_ties_are_named_whether_there_is_a_ranking_or_not():
    """At most three of them, as text, whatever their names are."""
    rows = [(f"<b>{k}", form, 1, marks) for k in range(5) for form, marks in (("a", [0, 1]), ("b", [1, 0]))]
    told = needs_html(rank(Tableau.from_rows(rows, "AB")))
    assert "Equally frequent candidates of" in told
    assert "&lt;b&gt;2" in told
    assert "and 2 more: the first one is taken as the winner" in told
    assert "<b>" not in told
    opposed = [*rows[:2], ("x", "c", 1, [1, 0]), ("x", "d", 0, [0, 1])]
    assert "Equally frequent" in needs_html(rank(Tableau.from_rows(opposed, "AB")))
