"""Overt forms by exact probabilities: likelihood, maximum, samplers, and models compared."""

from __future__ import annotations

import json
import math
from itertools import permutations

import numpy as np
import pytest
from rich.console import Console

from otlab import load_sample
from otlab.cli import main
from otlab.cli.compare import show
from otlab.errors import InputError
from otlab.ot import compare, fit_mle, read, read_text
from otlab.ot.analysis.leave_one_out import reliability
from otlab.ot.analysis.partial_orders import fit_partial_order
from otlab.ot.conditions import impossible_rows
from otlab.ot.fitted import log_likelihood
from otlab.ot.learners.exact import Exact
from otlab.ot.learners.likelihood import log_posterior
from otlab.ot.learners.maxent_bayes import BayesianMaxEnt
from otlab.ot.learners.mle import MLE
from otlab.ot.orders import evaluate
from otlab.ot.overt import overt_forms_of
from otlab.ot.probability import predict_many
from otlab.viz.ot.comparison import models_html
from tests.ot.test_interpretive import SMALL, learnt
from tests.ot.test_latent import CASES, quadrature

BOTH = read_text(CASES["both sides"])
SATURATED = 3 * math.log(0.6) + 2 * math.log(0.4)


@pytest.mark.parametrize("case", CASES)
def test_the_density_is_the_likelihood_of_overt_forms_and_has_its_gradient(case):
    tableau = read_text(CASES[case])
    target, rng = MLE(tableau).target, np.random.default_rng(1)
    for _ in range(5):
        values, step = rng.normal(0, 2, 3), 1e-5
        density, slope = log_posterior(target, values)
        assert density == pytest.approx(log_likelihood(tableau, values, 2.0), abs=1e-10)
        moves = np.eye(3) * step
        by_hand = [
            (log_posterior(target, values + m)[0] - log_posterior(target, values - m)[0]) / (2 * step)
            for m in moves
        ]
        assert slope == pytest.approx(np.array(by_hand), abs=1e-7)


def test_the_density_of_weights_is_that_of_overt_forms_and_has_its_gradient():
    learner = BayesianMaxEnt(BOTH)
    grammar, rng = learner.grammar, np.random.default_rng(1)
    for _ in range(5):
        weights = rng.exponential(1, 3)
        density, slope = log_posterior(learner.target, weights)
        assert density == pytest.approx(grammar.objective(weights), abs=1e-10)
        assert slope == pytest.approx(grammar.gradient(weights), abs=1e-10)


def test_the_maximum_fits_two_overt_forms_exactly():
    fit = fit_mle(BOTH, seed=1)
    assert fit.predicted.log_likelihood == pytest.approx(SATURATED, abs=1e-7)
    assert fit.overt.probability.tolist() == pytest.approx([0.6, 0.4], abs=1e-3)
    assert fit.parses.groupby("overt").probability.sum().tolist() == pytest.approx([1, 1])


def test_no_random_values_are_likelier_than_the_maximum():
    tableau = read_text(CASES["three parses"])
    fit, rng = fit_mle(tableau, seed=1), np.random.default_rng(1)
    tried = [log_likelihood(tableau, rng.normal(0, 4, 3), 2.0) for _ in range(300)]
    assert fit.predicted.log_likelihood >= max(tried)


@pytest.mark.parametrize("make", [MLE, Exact])
def test_an_overt_form_without_a_parse_that_can_win_is_refused(make):
    with pytest.raises(InputError, match="'L L1' of 'LL' is observed but none of its parses can win"):
        make(read_text(SMALL))


def test_a_count_at_a_parse_that_can_never_win_is_that_of_its_overt_form():
    text = "Input,Output,Overt,Count,C1,C2\nx,a1,a,4,1,1\nx,a2,a,0,0,1\nx,b,b,3,1,0\n"
    assert impossible_rows(read_text(text)) == []
    assert [row for row, _ in impossible_rows(read_text(text.replace("a2,a,", "a2,c,")))] == [0]
    assert fit_mle(read_text(text), seed=1).overt.probability.tolist() == pytest.approx([4 / 7, 3 / 7])


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_exact_posterior_is_that_of_quadrature(case):
    tableau = read_text(CASES[case])
    mean, _ = quadrature(tableau, 1.0, 2.0)
    fit = learnt("exact", tableau, sweeps=4000, noise=1.0, prior_sd=2.0)
    draws = fit.posterior.pooled("ranking_value")
    error = draws.std(axis=0) / np.sqrt(fit.trust.ess)
    assert np.all(np.abs(draws.mean(axis=0) - (mean - mean.mean())) < 4.5 * error + 0.01)
    assert fit.parses.groupby(["input", "overt"]).probability.sum().round(9).eq(1).all()


@pytest.mark.slow
def test_the_posterior_of_weights_is_that_of_quadrature():
    grammar = BayesianMaxEnt(BOTH).grammar
    axis = np.linspace(0.25, 39.75, 80)
    points = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    forms = overt_forms_of(BOTH)
    logs = np.log(forms.sums(grammar.probabilities(points)))
    density = np.exp(logs @ [3, 2] - (points**2).sum(axis=1) / 200)
    mean = density @ points / density.sum()
    fit = learnt("maxent-bayes", BOTH, sweeps=8000)
    draws = fit.posterior.pooled("weight")
    error = draws.std(axis=0) / np.sqrt(fit.trust.ess)
    assert np.all(np.abs(draws.mean(axis=0) - mean) < 4.5 * error + 0.03)


def test_a_partial_order_counts_rankings_by_what_is_heard():
    result = fit_partial_order(BOTH)
    number = {name: k for k, name in enumerate(BOTH.constraints)}
    obeying = [
        order
        for order in permutations(range(3))
        if all(order.index(number[a]) < order.index(number[b]) for a, b in result.pairs)
    ]
    wins = np.bincount([evaluate(BOTH.violations, order).winners[0] for order in obeying], minlength=4)
    assert result.probability.tolist() == pytest.approx((wins / len(obeying)).tolist())
    heard = [
        np.bincount([evaluate(BOTH.violations, order).winners[0] // 2 for order in some], minlength=2)
        for some in (
            [order for order in permutations(range(3)) if order.index(a) < order.index(b)]
            for a, b in permutations(range(3), 2)
        )
    ]
    best = max(3 * math.log(h[0] / h.sum()) + 2 * math.log(h[1] / h.sum()) for h in heard if h.all())
    found = overt_forms_of(BOTH).sums(result.probability)
    assert 3 * math.log(found[0]) + 2 * math.log(found[1]) >= best - 1e-12


@pytest.fixture(scope="module")
def compared():
    return compare(BOTH, prior_sd=1.0, noise=1.0, seed=1)


@pytest.mark.slow
def test_leave_one_out_of_overt_forms_against_quadrature(compared):
    grid = np.linspace(-4, 4, 41)
    points = np.stack(np.meshgrid(grid, grid, grid, indexing="ij"), axis=-1).reshape(-1, 3)
    p = overt_forms_of(BOTH).sums(predict_many(BOTH, points, 1.0, seed=0))
    density = np.exp(np.log(p) @ [3, 2] - (points**2).sum(axis=1) / 2)
    density /= density.sum()
    counts, inverse = np.array([3, 2]), 1 / p
    means = density @ inverse
    spread = np.sqrt(density @ (inverse - means) ** 2) / means  # of each term's weights, over 1,000 draws
    error = counts @ spread / np.sqrt(1000)
    assert abs(compared["sot"].elpd_loo + counts @ np.log(means)) < 4.5 * error


@pytest.mark.slow
def test_pareto_k_of_overt_forms_is_printed_by_the_command_and_the_lab(compared, capsys):
    line = f"Stochastic OT {compared['sot'].pareto_k:.2f}, MaxEnt {compared['maxent'].pareto_k:.2f}"
    show(compared.to_dict(), Console(width=200))
    assert f"Largest Pareto k of leave-one-out: {line}" in capsys.readouterr().out
    assert f"Largest Pareto k of leave-one-out: {line}" in str(models_html(compared))


def test_a_pareto_k_above_seven_tenths_is_not_reliable():
    said = reliability([("Stochastic OT", 0.2), ("MaxEnt", 0.714), ("Noisy HG", float("nan"))])
    start = "Largest Pareto k of leave-one-out: Stochastic OT 0.20, MaxEnt 0.71"
    assert said == f"{start}; above 0.7 leave-one-out is not reliable (MaxEnt)."
    assert reliability([("Noisy HG", float("nan"))]) == ""


@pytest.mark.slow
def test_misfits_are_overt_forms(compared):
    assert {m.candidate for m in compared["sot"].misfits} == {"a", "b"}
    assert compared.saturated_log_likelihood == pytest.approx(SATURATED)
    assert compared.observations == 5
    for model in compared.models:
        assert model.log_likelihood <= SATURATED + 1e-9


@pytest.mark.slow
def test_models_of_overt_forms_are_compared_on_the_command_line(capsys):
    arguments = ["compare", "overt_stress", "--models", "sot,maxent,partial", "--no-posterior", "--json"]
    assert main([*arguments, "--seed", "1"]) == 0
    models = {one["model"]: one for one in json.loads(capsys.readouterr().out)["models"]}
    assert models["sot"]["log_likelihood"] == pytest.approx(0, abs=1e-6)
    assert models["partial"]["log_likelihood"] == pytest.approx(0, abs=1e-6)
    assert models["maxent"]["log_likelihood"] == pytest.approx(0, abs=1e-3)


def test_held_out_words_are_predicted_from_the_others():
    result = compare(read("overt_stress"), ["maxent"], posterior=False, folds=3, seed=1)["maxent"]
    assert -30 < result.cross_validated < 0


@pytest.mark.parametrize("place", ["constraint", "cell", "late"])
def test_noisy_hg_with_unique_parses_is_noisy_hg(place):
    tableau = load_sample("spanish_diminutive")
    ours, plain = (
        learnt(one, tableau, sweeps=2000, runs=2, place=place, **more)
        for one, more in (("hg-overt", {"how": "rip"}), ("hg", {}))
    )
    assert np.array_equal(ours.mean, plain.mean)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["rip", "rrip", "eip"])
def test_noisy_hg_learns_stress_from_what_is_heard(how):
    fit = learnt("hg-overt", read("overt_stress"), sweeps=5000, runs=2, how=how)
    assert fit.reproduced == (1.0, 1.0)
    assert fit.parses.groupby(["input", "overt"]).probability.sum().round(9).eq(1).all()
