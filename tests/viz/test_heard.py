"""Overt forms in pictures, and tables of their parses."""

import numpy as np
import pytest

from otlab import load_sample
from otlab.ot import read_text
from otlab.viz.ot.answers import Answers
from otlab.viz.ot.heard import as_heard, parses_html, parses_of, parses_text
from otlab.viz.ot.page import result_page
from otlab.viz.ot.predicted import bars_html
from otlab.viz.ot.ranking import shares_html
from tests.ot.test_interpretive import SMALL, learnt


def test_predictions_of_parses_are_added_up():
    tableau = read_text(SMALL)
    further = {"rip": np.array([0.3, 0.5, 0.2, 0.9, 0.1])}
    heard, answers = as_heard(tableau, Answers(tableau.observed(), further=further))
    assert heard.candidates == ("L1 L", "L L1", "L H1", "L1 H")
    assert answers.further["rip"].tolist() == pytest.approx([0.8, 0.2, 0.9, 0.1])
    assert answers.observed.tolist() == pytest.approx([5 / 7, 2 / 7, 0.75, 0.25])


def test_a_tableau_of_known_parses_is_shown_as_it_is():
    tableau = load_sample("ilokano")
    answers = Answers(tableau.observed())
    assert as_heard(tableau, answers) == (tableau, answers)


def test_the_parses_of_each_form_are_listed_under_it():
    fit = learnt("maxent-overt", read_text(SMALL), prior_sd=3.0)
    parses = parses_of({"maxent-overt": fit})
    page = parses_html(parses)
    first, second = fit.parses.probability[:2]
    assert page.count("heard as") == fit.parses.overt.nunique() == 4
    assert f"{100 * first:.1f}" in page
    assert f"{100 * second:.1f}" in page
    least = fit.parses.candidate[int(np.argmax(fit.parses.probability[:2]))]
    assert f"MaxEnt, overt is least sure of L1 L: {least}" in parses_text(parses)


def test_a_result_page_has_the_parses_and_a_row_for_each_overt_form():
    fit = learnt("maxent-overt", read_text(SMALL), prior_sd=3.0)
    page = result_page([fit])
    assert "Parses of what was heard" in page
    predicted = page[page.index("Predicted against observed") : page.index("Parses of what was heard")]
    assert "(L1 L)" not in predicted


def test_no_parse_is_shown_as_observed_where_another_may_have_been_meant():
    tableau = read_text(SMALL)
    page = bars_html(tableau, np.full(5, 0.4))
    assert page.count("ot-seen") == 3  # of (L L1), (L H1) and (L1 H); the two parses of L1 L have none
    shares = str(shares_html(tableau, np.full(5, 0.4)))
    assert shares.count("71\u2009%") == 0
    assert shares.count("29\u2009%") == 1
