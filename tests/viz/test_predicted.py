"""Predicted against observed; GLA's spread; bars beside the ranking values."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.ot import Tableau
from otlab.viz.base.live import Live
from otlab.viz.base.tokens import LIGHT
from otlab.viz.ot import comparison, predicted
from otlab.viz.ot.predicted import Answers
from tests.viz.markup import HOSTILE, Markup

THIRDS = np.full(3, 1 / 3)


@pytest.fixture
def answers():
    runs = THIRDS + np.random.default_rng(3).normal(0, 0.01, (40, 3))
    return Answers(THIRDS, np.stack([THIRDS, THIRDS - 0.09, THIRDS + 0.09]), runs, THIRDS)


def test_each_further_learner_has_a_ring_in_every_row():
    further = {"rip": np.array([0.2, 0.5, 0.3]), "maxent-overt": np.array([0.1, 0.6, 0.3])}
    rings = predicted.predicted_data(Answers(THIRDS, further=further), span=(0, 100))["further"]
    assert rings["x"].tolist() == pytest.approx([20, 50, 30, 10, 60, 30])
    assert np.floor(rings["y"]).tolist() == [2, 1, 0, 2, 1, 0]
    heads = predicted.figures_html(Answers(THIRDS, further=further))
    assert '<span class="ot-rip">RIP</span>' in heads
    assert '<span class="ot-maxent-overt small">' in heads


def test_layers(answers):
    data = predicted.predicted_data(answers, span=(20.0, 45.0))
    np.testing.assert_allclose(data["gibbs"]["x"], 100 / 3)
    np.testing.assert_allclose(data["gibbs interval"]["x0"], 100 / 3 - 9)
    np.testing.assert_allclose(data["observed"]["x0"], 100 / 3)
    assert data["gibbs"]["y"].tolist() == sorted(data["gibbs"]["y"], reverse=True)
    assert len(data["rules"]["x0"]) == 2


def test_one_square_a_run_and_none_on_another(answers):
    data = predicted.predicted_data(answers, span=(20.0, 45.0))["gla"]
    points = set(zip(data["x"].round(6), data["y"].round(6), strict=True))
    assert len(points) == 40 * 3
    x = data["x"].reshape(40, 3)
    assert np.abs(np.sort(x, axis=0) - 100 * np.sort(answers.gla, axis=0)).max() <= 25 / 60


def test_runs_that_agree_stack_within_their_row():
    data = predicted.predicted_data(Answers(THIRDS, gla=np.tile(THIRDS, (200, 1))), span=(20, 45))["gla"]
    y = data["y"].reshape(200, 3)
    assert ((y - np.array([2, 1, 0])) < 0.5).all()
    assert len(np.unique(y[:, 0])) == 200


def test_no_data_and_no_learner():
    unknown = np.array([np.nan, 1.0])
    nothing = Answers(unknown)
    data = predicted.predicted_data(nothing, span=predicted.predicted_span(nothing))
    assert len(data["observed"]["x0"]) == 1
    assert np.isnan(data["maxent"]["x"]).all()
    assert nothing.learners == ()
    assert predicted.predicted_span(Answers(np.array([np.nan]))) == (0.0, 100.0)


def test_span_holds_everything_within_the_possible(answers):
    low, high = predicted.predicted_span(answers)
    assert low <= 24
    assert high >= 42
    low, high = predicted.predicted_span(Answers(np.array([0.0, 1.0])))
    assert (low, high) == (-3.0, 103.0)
    assert predicted.predicted_span(Answers(np.array([0.0, 1.0])), (low, high)) == (low, high)
    low, high = predicted.predicted_span(Answers(THIRDS))
    assert high - low >= 4


def test_round_ends_of_the_axis_have_a_grid_line():
    low, high = predicted.predicted_span(Answers(np.array([0.23, 0.77]), gla=np.array([[0.05, 0.95]])))
    assert low < 0 < 100 < high


def test_a_long_input_has_room_beside_its_observed_frequency():
    def tableau(name):
        return Tableau.from_rows([(name, "x", 1, (0,)), ("second", "y", 1, (0,))], ["C"])

    assert predicted.candidates_width(tableau("pa")) < predicted.candidates_width(tableau("input 12"))
    assert predicted.candidates_width(tableau("a" * 99)) <= 200


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 3, 100])
def test_the_element_takes_the_data(n):
    share = np.full(n, 0.5)
    live = Live(predicted.predicted_element(n), predicted.PREDICTED_COLORS, LIGHT)
    for label, columns in predicted.predicted_data(Answers(share, maxent=share), span=(0, 100)).items():
        live.push(label, **columns)
    live = Live(comparison.spread_element(n), comparison.SPREAD_COLORS, LIGHT)
    for label, columns in comparison.spread_data(np.tile(share, (5, 1)), share, span=(0, 100)).items():
        live.push(label, **columns)


def test_columns_beside_the_picture(ilokano, answers):
    names = Markup(predicted.candidates_html(ilokano, answers))
    assert names.text.count("observed 33.3\u2009%") == 3
    figures = Markup(predicted.figures_html(answers))
    assert figures.text.startswith("GibbsGLAMaxEnt33.324–42")
    assert len(figures.all("div", "ot-heads")) == 1
    rows = [d for d in names.all("div") if d.get("role") == "listitem"]
    assert len(rows) == len([d for d in figures.all("div") if d.get("role") == "listitem"]) == 3


def test_one_run_of_the_gla_has_no_spread():
    markup = Markup(predicted.figures_html(Answers(THIRDS, gla=THIRDS[None])))
    assert "±" not in markup.text
    assert "±" in Markup(predicted.figures_html(Answers(THIRDS, gla=np.array([THIRDS, THIRDS])))).text


def test_only_learners_that_ran_have_a_column(answers):
    markup = Markup(predicted.figures_html(Answers(THIRDS, maxent=THIRDS)))
    assert markup.text.startswith("MaxEnt33.3")
    assert "Gibbs" not in markup.text


def test_comparison_table(hostile):
    shares = np.full(5, 0.2)
    table = predicted.comparison_html(
        hostile, Answers(hostile.observed(), gla=np.tile(shares, (3, 1)), maxent=shares)
    )
    markup = Markup(table)
    assert [th["class"] for th in markup.all("th") if "ot-maxent" in (th.get("class") or "")] == ["ot-maxent"]
    assert len(markup.all("td")) == 5 * 3
    assert "b" not in markup.tags()
    assert HOSTILE in markup.text
    assert "–" in markup.text  # the input without data


def test_sentences(ilokano, answers):
    off = Answers(THIRDS, maxent=np.array([0.5, 0.25, 0.25]))
    sentence = predicted.predicted_text(ilokano, off)
    assert sentence == "MaxEnt is furthest off for bu.bwa.ja, 50.0\u2009% against 33.3\u2009%."
    assert predicted.predicted_text(ilokano, Answers(THIRDS)) == "No predictions yet."
    unseen = Answers(np.full(3, np.nan), maxent=THIRDS)
    assert predicted.predicted_text(ilokano, unseen) == "There are no observations to compare with."


def test_spread_counts_every_run(answers):
    data = comparison.spread_data(answers.gla, THIRDS, span=(25.0, 42.0))
    bars_of_top_row = data["bars"]["bottom"] == 2
    heights = (data["bars"]["top"] - 2)[bars_of_top_row]
    counts = np.histogram(100 * answers.gla[:, 0], np.linspace(25, 42, 49))[0]
    np.testing.assert_allclose(heights / 0.62, counts[counts > 0] / counts.max())
    assert "40 GLA runs differ most" in comparison.spread_text(["a", "b", "c"], answers.gla)
    assert comparison.spread_text(["a"], np.empty((0, 1))) == "No GLA run has ended yet."


def test_bars(ilokano, hostile):
    markup = Markup(predicted.bars_html(ilokano, np.array([0.5, 0.3, 0.2])))
    assert [f["style"] for f in markup.all("span", "ot-fill")] == [
        "width:50.00%",
        "width:30.00%",
        "width:20.00%",
    ]
    assert [f["style"] for f in markup.all("span", "ot-seen")] == ["left:33.33%"] * 3
    assert "exact" in markup.text
    markup = Markup(predicted.bars_html(hostile, np.full(5, np.nan), exact=False))
    assert "sampled" in markup.text
    assert len(markup.all("b")) == 5
    assert len(markup.all("span", "ot-seen")) == 4
    assert "bu.bwa.ja 50.0\u2009%" in predicted.bars_text(ilokano, np.array([0.5, 0.3, 0.2]))
