"""A result as one page: its content, no requests to a network, and escaped names."""

from __future__ import annotations

import re

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.html import escape
from otlab.ot import Tableau, fit_gibbs, fit_gla, fit_maxent, read
from otlab.ot.learners import LEARNERS
from otlab.ot.overt import parses_unknown
from otlab.samples import samples
from otlab.viz.base.page import MOST_BYTES, Section, page
from otlab.viz.ot.page import plan_data, result_page
from tests.viz.markup import HOSTILE

REQUEST = re.compile(
    r"https?://|\bsrc\s*=|<link|@import|\bfetch\(|XMLHttpRequest|\burl\(|\bimport[\s(]", re.IGNORECASE
)


def requests(text):
    """Return what could make the page ask for something, but for the rule that forbids it."""
    return REQUEST.findall(text.replace("img-src data:", ""))


def sections(text):
    return re.findall(r'<section[^>]*aria-label="([^"]*)"', text)


@pytest.fixture(scope="module")
def spanish():
    tableau = read("spanish")
    fits = [
        fit_gibbs(tableau, sweeps=300, chains=2, seed=3),
        fit_gla(tableau, runs=4, seed=4),
        fit_maxent(tableau),
    ]
    return fits, result_page(fits, link="/ot_lab?example=spanish_diminutive&seed=3")


@pytest.mark.parametrize("name", [sample.name for sample in samples("ot")])
def test_every_sample_makes_a_small_page_that_asks_for_nothing(name):
    tableau = read(name)
    learner = "maxent-overt" if parses_unknown(tableau) else "maxent"
    text = result_page([LEARNERS[learner].fit(tableau, LEARNERS[learner].settings(), seed=1)])
    assert len(text.encode()) <= MOST_BYTES
    assert requests(text) == []
    assert "default-src 'none'" in text


@pytest.mark.slow
def test_all_that_was_learnt_is_in_the_page(spanish):
    fits, text = spanish
    assert requests(text) == []
    assert len(text.encode()) <= MOST_BYTES
    assert sections(text) == [
        "Tableaux",
        "Posterior of the ranking values",
        "Predicted against observed",
        "Ranking values",
        "Ranking values and weights",
        "How it was made",
        "Open in otlab",
    ]
    for fit in fits:
        assert f"<td>{fit.seed}</td>" in text
        assert ", ".join(f"{package} {version}" for package, version in fit.versions.items()) in text
    assert "/ot_lab?example=spanish_diminutive&amp;seed=3" in text
    weights = fits[2].mean
    assert all(f"{weight:.2f}" in text for weight in weights)


def test_axes_have_titles_and_each_column_says_which_point_it_shows(spanish):
    fits, text = spanish
    for title in ("ranking value", "probability"):
        assert re.search(rf'<text [^>]*text-anchor="middle"[^>]*>{title}</text>', text), title
    for head in ("ranking value, posterior median", "ranking value, mean of 4 runs", "weight, estimate"):
        assert head in text
    assert not fits[0].converged
    marked = dict(
        re.findall(r'aria-label="([^"]*)"><header><h2>[^<]*</h2>.*?class="unsettled">([^<]*)<', text)
    )
    assert marked["Posterior of the ranking values"] == "not converged"
    assert marked["Predicted against observed"].startswith("Gibbs: not converged")


def test_long_names_stand_left_of_the_pictures():
    """No name is cut, and none runs into the marks."""
    name = "pneumonoultramicroscopic"
    tableau = Tableau.from_rows([(name, name, 3, [1, 0]), (name, "b", 1, [0, 1])], [name.upper(), "B"])
    text = result_page([fit_gibbs(tableau, sweeps=40, seed=1), fit_maxent(tableau)])
    pictures = re.findall(r'<svg class="layers" viewBox="0 0 (\d+) .*?</svg>', text)
    assert [int(width) for width in pictures] == [560 + int(9.5 * len(name)) + 14 - 150] * 2


def test_colours_follow_the_system_and_the_button(spanish):
    _, text = spanish
    assert "prefers-color-scheme:dark" in text
    assert ":root.dark{" in text


def test_names_are_text_in_the_markup_and_in_the_script(hostile):
    text = result_page([fit_maxent(hostile)])
    assert HOSTILE not in text
    assert str(escape(HOSTILE)) in text
    assert text.count("</script>") == 1


def test_a_very_large_tableau_is_shown_in_part():
    rows = [(f"in{k}", c, 1, v) for k in range(500) for c, v in (("a", (0, 1)), ("b", (1, 0)))]
    text = result_page([fit_maxent(Tableau.from_rows(rows, ["A", "B"]))])
    assert len(text.encode()) <= MOST_BYTES
    assert "the first 30 of 500 inputs" in text
    assert "the first 60 of 1,000 candidates" in text


def test_a_tableau_too_large_to_integrate_says_so():
    rng = np.random.default_rng(1)
    rows = [("x", f"y{c}", 1, rng.integers(0, 3, 26)) for c in range(26)]
    tableau = Tableau.from_rows(rows, [f"C{k}" for k in range(26)])
    with pytest.raises(InputError, match="too large"):
        plan_data(tableau)
    assert "too large for probabilities" in result_page([fit_maxent(tableau)])


def test_without_a_fit_there_is_no_page():
    with pytest.raises(InputError, match="Nothing has been learnt yet"):
        result_page([])


def test_data_end_no_script():
    text = page("T", [Section("S", escape("x"), live=(("player", {"a": "</script><b>"}),))])
    assert text.count("</script>") == 1
