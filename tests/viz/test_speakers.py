"""Pictures and rates of speakers and items, against sums by hand."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from otlab.ot import read_text
from otlab.ot.group_rates import rates_of_new_groups
from otlab.ot.learners.maxent import fit_maxent
from otlab.ot.learners.maxent_mixed import fit_maxent_mixed
from otlab.viz.ot.page import result_page
from otlab.viz.ot.speakers import (
    Panels,
    group_values,
    levels_of,
    new_html,
    panels_html,
    panels_text,
    spreads_html,
)

ROWS = "".join(
    f"{who},{word},t,t,{kept},1,0\n{who},{word},t,0,{10 - kept},0,1\n"
    for who, word, kept in (
        ("Ana", "just", 9),
        ("Ana", "mist", 8),
        ("Ben", "just", 2),
        ("Ben", "mist", 5),
        ("Çağ", "just", 4),
    )
)
TABLEAU = read_text("Speaker,Item,Input,Output,n,*T,Max\n" + ROWS)


@pytest.fixture(scope="module")
def fit():
    return fit_maxent_mixed(TABLEAU, sweeps=200, chains=2, seed=1)


def test_a_rate_of_a_speaker_is_that_of_its_own_words(fit):
    frame = fit.speaker_rates.set_index(["speaker", "candidate"])
    assert frame.loc[("Ana", "t"), "raw"] == 17 / 20
    assert frame.loc[("Çağ", "0"), "raw"] == 6 / 10
    assert frame["tokens"].tolist() == [20, 20, 20, 20, 10, 10]
    n = len(fit.draws["m"])
    some = np.linspace(0, n - 1, min(n, 100)).round().astype(int)
    draws = {name: values[some] for name, values in fit.draws.items()}
    words = [draws["m"] + draws["speaker"][:, 0] + draws["item"][:, item] for item in (0, 1)]
    kept = [expit(w[:, 1] - w[:, 0]) for w in (np.maximum(word, 0) for word in words)]
    assert frame.loc[("Ana", "t"), "estimate"] == pytest.approx(np.mean(kept), abs=1e-12)
    assert fit.item_rates.set_index(["item", "candidate"]).loc[("just", "t"), "raw"] == 15 / 30


def test_the_rate_of_a_new_speaker_is_an_integral_over_speakers(fit):
    grammar, tau = [3.0, 4.0], [0.0, 1.5]
    draws = {"weight": [[grammar] * 500], "tau": [[tau] * 500], "omega": [[[0.0, 0.0]] * 500]}
    posterior = replace(fit.posterior, draws={name: np.array(values) for name, values in draws.items()})
    found = rates_of_new_groups(fit.learner, posterior, seed=3).set_index(["new", "candidate"])
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    rate = expit(np.maximum(grammar[1] + tau[1] * nodes, 0) - grammar[0])
    weights = weights / weights.sum()
    mean = weights @ rate
    error = np.sqrt(weights @ (rate - mean) ** 2 / 200)
    assert found.loc[("speaker", "t"), "mean"] == pytest.approx(mean, abs=4.5 * error)
    assert found.loc[("item", "t"), "mean"] == pytest.approx(mean, abs=4.5 * error)  # over speakers
    assert found.loc[("item", "t"), "high"] - found.loc[("item", "t"), "low"] < 0.25  # means of 40 of them
    low, high = expit(np.array(grammar[1]) + tau[1] * np.array([-1.96, 1.96]) - grammar[0])
    assert found.loc[("speaker", "t"), "low"] == pytest.approx(low, abs=0.1)
    assert found.loc[("speaker", "t"), "high"] == pytest.approx(high, abs=0.1)


def test_values_effects_and_rates_are_those_of_the_fit(fit):
    assert levels_of(fit) == {"speaker": "Speakers", "item": "Items"}
    values = group_values(fit, "speaker")
    assert values.names == ("Ana", "Ben", "Çağ")
    assert values.tokens.tolist() == [20, 20, 10]
    assert values.titles == ("*T", "Max")
    np.testing.assert_allclose(values.at.reshape(-1), fit.speakers["mean"])
    np.testing.assert_allclose(values.everyone[0], fit.mean)
    effects = group_values(fit, "item", "effects")
    used = np.maximum(fit.draws["m"][:, None] + fit.draws["item"], 0) - fit.draws["m"][:, None]
    np.testing.assert_allclose(effects.at, used.mean(axis=0))
    spread = np.abs(effects.everyone[1:]).max(axis=0)
    tail = fit.posterior.pooled("omega").mean(axis=0)
    assert (effects.everyone[0] == 0).all()
    assert ((spread > 1.2 * tail) & (spread < 5 * tail)).all()
    rates = group_values(fit, "speaker", "rates")
    assert rates.titles == ("/t/ 0",)  # the other candidate's is what is left
    assert rates.raw[:, 0].tolist() == pytest.approx([3 / 20, 13 / 20, 6 / 10])
    between = (rates.at[:, 0] - rates.raw[:, 0]) * (rates.everyone[0, 0] - rates.raw[:, 0])
    assert (between[:2] > 0).all()  # estimates are drawn to the rate of a new speaker


def test_rows_are_found_by_name_and_ordered_by_a_panel(fit):
    rates = group_values(fit, "speaker", "rates")
    assert [rates.names[n] for n in rates.order(0)][::2] == ["Ben", "Ana"]
    assert rates.order(find="ÇA") == [2]
    page = panels_html(rates, by=0)
    assert re.findall(r"\bAna: 20 tokens|\bBen: 20 tokens", page) == ["Ben: 20 tokens", "Ana: 20 tokens"]
    assert "No speaker has “&lt;x” in its name." in panels_html(rates, find="<x")


def test_what_the_picture_shows_is_said_and_can_be_copied(fit):
    values = group_values(fit, "speaker")
    said = panels_text(values, 1, values.order(1))
    first = fit.speakers.loc[fit.speakers["constraint"] == "Max"].sort_values("mean").iloc[-1]
    assert said.startswith(f"3 speakers, ordered by Max. Max: highest {first.speaker} {first['mean']:.2f} (")
    assert "All speakers: " in said
    page = panels_html(values)
    assert "3 speakers, in the order of the data" in page
    assert 'role="img"' in page
    copied = re.search(r'data-copy="([^"]*)"', page)[1].splitlines()
    assert copied[0].split("\t")[:3] == ["speaker", "tokens", "*T mean"]
    assert [row.split("\t")[0] for row in copied[1:]] == ["Ana", "Ben", "Çağ"]


def test_a_group_without_tokens_of_an_input_has_no_mark_there():
    at = np.array([[0.2, np.nan], [0.4, 0.6]])
    none = np.full((2, 2), np.nan)
    about = (("a", "b"), np.array([3.0, 4.0]), ("x", "y"), ("x", "y"))
    panels = Panels("item", "rates", *about, at, none, none, at, np.full((3, 2), 0.5))
    assert panels_html(panels).count("<g>") == 3
    assert panels.order(1) == [1, 0]
    nobody = panels._replace(at=np.full((2, 2), np.nan))
    assert (
        panels_text(nobody, 1, [0, 1])
        == "2 items, ordered by y. New item: 50.0\u2009% (50.0\u2009% to 50.0\u2009%)"
    )


def test_four_hundred_speakers_are_four_drawings():
    n = 400
    at, everyone = np.linspace(0, 1, 3 * n).reshape(n, 3), np.full((3, 3), 0.5)
    names = tuple(f"Speaker {k}" for k in range(n))
    about = (names, np.ones(n), ("a", "b", "c"), ("a", "b", "c"))
    page = panels_html(Panels("speaker", "values", *about, at, at - 1, at + 1, at * np.nan, everyone))
    assert page.count("<svg") == 4
    assert page.count("<g>") == 3 * n


def test_tables_have_all_levels_with_their_intervals(fit):
    page = spreads_html(fit)
    for head in ("Weight, all", "Speakers (tau)", "Items (omega)"):
        assert f">{head}</th>" in page
    low, middle, high = np.quantile(fit.posterior.pooled("tau")[:, 1], [0.025, 0.5, 0.975])
    assert f"{middle:.2f}<small> {low:.2f} to {high:.2f}</small>" in page
    new = new_html(fit)
    for head in ("New speaker, new item", "New speaker", "New item", "Average"):
        assert f">{head}</th>" in new
    assert f"{100 * fit.new_rates['mean'][0]:.1f}" in new


def test_a_level_that_does_not_differ_is_left_out():
    alone = fit_maxent_mixed(TABLEAU, sweeps=100, chains=2, seed=1, levels="speakers")
    assert levels_of(alone) == {"speaker": "Speakers"}
    assert "omega" not in spreads_html(alone)
    assert "item" not in new_html(alone).lower()


def test_the_page_of_a_result_shows_speakers_and_items(fit):
    page = result_page([fit])
    heads = ["How much speakers and items differ", "New speakers and items", "Speakers", "Items"]
    at = [page.index(f">{head}<") for head in heads]
    assert at == sorted(at)
    assert all(name in page for name in ("Ana", "Ben", "Çağ", "just", "mist"))
    assert str(spreads_html(fit)) in page
    assert 'aria-label="2 items, in the order of the data.' in page


def test_the_page_of_one_grammar_has_no_speakers():
    page = result_page([fit_maxent(read_text("Input,Output,n,A,B\nx,a,3,1,0\nx,b,1,0,1\n"), seed=1)])
    assert "speakers and items" not in page
