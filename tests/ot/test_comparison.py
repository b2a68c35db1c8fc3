"""Models compared: log likelihoods, criteria, leave-one-out, misfits, partial orders."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from scipy import integrate, stats

from otlab.cli import main
from otlab.errors import InputError, Interrupted
from otlab.inference import Preparation
from otlab.ot import Tableau, compare, read
from otlab.ot.analysis import comparison
from otlab.ot.analysis.comparison import MODELS
from otlab.ot.analysis.partial_orders import fit_partial_order, partial_order_probabilities
from otlab.ot.learners.mle import fit_mle
from otlab.ot.orders import evaluate

JAPANESE, SPANISH, ILOKANO = read("japanese"), read("spanish"), read("ilokano")


@pytest.fixture(scope="module")
def japanese():
    return compare(JAPANESE, posterior=False, seed=1)


@pytest.mark.slow
def test_log_likelihoods_at_the_best_grammars(japanese):
    # Weights reach the saturated model, rankings cannot: the best gives .75 of webbu and guddo.
    assert japanese.saturated_log_likelihood == pytest.approx(-1000 * math.log(2))
    assert japanese["maxent"].log_likelihood == pytest.approx(-1000 * math.log(2), abs=0.1)
    best = 1000 * math.log(0.75) + 500 * math.log(0.75) + 500 * math.log(0.25)
    assert japanese["sot"].log_likelihood == pytest.approx(best, abs=1e-3)
    # Id >> OCP, *VcdGem unranked: 2/3 of both.
    partial = 1000 * math.log(2 / 3) + 500 * math.log(2 / 3) + 500 * math.log(1 / 3)
    assert japanese["partial"].log_likelihood < best
    assert japanese["partial"].log_likelihood >= partial - 1e-9


def test_criteria_by_their_formulas(japanese):
    for model in japanese.models:
        k, n, ll = model.parameters, japanese.observations, model.log_likelihood
        assert n == 3000
        assert model.aic == pytest.approx(2 * k - 2 * ll)
        assert model.aicc == pytest.approx(model.aic + 2 * k * (k + 1) / (n - k - 1))
        assert model.bic == pytest.approx(k * math.log(n) - 2 * ll)
    assert [model.parameters for model in japanese.models[:3]] == [2, 3, 3]


def test_criteria_of_one_input_by_hand():
    rows = [("x", "a", 325, [0, 1]), ("x", "b", 175, [1, 0])]
    compared = compare(Tableau.from_rows(rows, ["A", "B"]), ["maxent"], posterior=False, seed=1)
    ll = 325 * math.log(0.65) + 175 * math.log(0.35)
    assert compared["maxent"].log_likelihood == pytest.approx(ll)
    assert compared["maxent"].aicc == pytest.approx(4 - 2 * ll + 12 / 497)


def test_what_no_grammar_fits_is_named(japanese):
    sot = japanese["sot"]
    assert {m.candidate for m in sot.unfitted} == {"webbu", "weppu", "guddo", "gutto"}
    assert "No Stochastic OT grammar fits this exactly: [weppu] 0 observed, 0.25 at best" in sot.words()
    assert all(m.chance < 1e-20 for m in sot.unfitted)
    assert japanese["maxent"].unfitted == ()
    assert japanese.words().startswith("MaxEnt and Noisy HG fit every frequency. No Stochastic OT grammar")
    spanish = compare(SPANISH, ["sot"], posterior=False, seed=1)["sot"]
    assert "[ubasita] 0 observed, 0.05 at best" in spanish.words()


def test_an_observed_candidate_that_can_never_win_makes_the_likelihood_zero():
    compared = compare(read("harmonic_bounding_demo"), ["sot", "maxent"], seed=1)
    assert compared["sot"].log_likelihood == -math.inf
    assert "'bounded' of 'x' is observed but can never win" in compared["sot"].note
    assert math.isfinite(compared["maxent"].log_likelihood)


def test_under_a_prior_nothing_is_said_of_all_grammars():
    compared = compare(JAPANESE, ["sot", "maxent"], prior_sd=0.1, posterior=False, seed=1)
    assert "No Stochastic OT grammar was found that fits this" in compared.words()
    assert "can fit" not in compared.words()


@pytest.mark.parametrize(
    "rows",
    [
        [("x", "a", 5, [0, 1])],
        [("x", "a", 5, [0, 1]), ("x", "b", 2, [0, 1])],
        [("x", "a", 5, [0, 0]), ("x", "b", 0, [0, 1])],
    ],
    ids=["one candidate", "identical candidates", "bounded rival"],
)
def test_leave_one_out_of_what_every_ranking_predicts(rows):
    result = compare(Tableau.from_rows(rows, ["A", "B"]), ["sot"], seed=1)["sot"]
    assert (result.log_likelihood, result.elpd_loo, result.elpd_se) == pytest.approx((0, 0, 0))
    assert math.isnan(result.pareto_k)


def test_runs_of_work_that_is_stopped_stop_with_it(monkeypatch):
    begun = []

    def stopped_meanwhile(*args, **options):
        work.interrupt()
        begun.append(args)
        return fit_mle(*args, **options)

    monkeypatch.setattr(comparison, "fit_mle", stopped_meanwhile)
    monkeypatch.setattr(comparison, "fit_exact", begun.append)
    work = Preparation(lambda: compare(SPANISH, seed=1))
    with pytest.raises(Interrupted):
        work.finish()
    assert len(begun) == 1


def test_leave_one_out_against_quadrature():
    """Two constraints, counts 7 and 3: one number is free, and its posterior can be integrated."""
    tableau = Tableau.from_rows([("x", "a", 7, [0, 1]), ("x", "b", 3, [1, 0])], ["A", "B"], noise=1.0)
    compared = compare(tableau, ["sot"], seed=3, prior_sd=1.0)["sot"]

    def evidence(a, b):
        def density(d):  # difference of two values with sd 1, noise 1
            p = stats.norm.cdf(d / math.sqrt(2))
            return p**a * (1 - p) ** b * stats.norm.pdf(d, 0, math.sqrt(2))

        return integrate.quad(density, -12, 12)[0]

    exact = 7 * math.log(evidence(7, 3) / evidence(6, 3)) + 3 * math.log(evidence(7, 3) / evidence(7, 2))
    assert compared.elpd_loo == pytest.approx(exact, abs=0.1)
    assert compared.pareto_k < 0.7
    terms = [math.log(evidence(7, 3) / evidence(6, 3))] * 7 + [math.log(evidence(7, 3) / evidence(7, 2))] * 3
    assert compared.elpd_se == pytest.approx(math.sqrt(10) * np.std(terms, ddof=1), rel=0.05)


@pytest.mark.slow
def test_bayesian_maxent_is_compared_by_leave_one_out_too():
    compared = compare(JAPANESE, ["sot", "maxent"], seed=1)
    sot, maxent = compared.models
    assert maxent.elpd_loo == pytest.approx(-1000 * math.log(2), abs=4)
    assert maxent.elpd_loo - sot.elpd_loo > 400
    assert max(sot.pareto_k, maxent.pareto_k) < 0.7


def test_held_out_inputs_are_predicted_from_the_others():
    compared = compare(SPANISH, ["maxent", "sot"], folds=3, posterior=False, seed=2)
    for model in compared.models:
        assert -math.inf < model.cross_validated < model.log_likelihood
    with pytest.raises(InputError, match="2 folds of 1 input"):
        compare(ILOKANO, folds=2, seed=1)


def naive_shares(tableau, pairs):
    """Return how often each row wins under all total orders that obey the pairs."""
    names, wins, n = list(tableau.constraints), np.zeros(tableau.n_rows), 0
    for order in permutations(range(len(names))):
        if all(order.index(names.index(a)) < order.index(names.index(b)) for a, b in pairs):
            n += 1
            for k in range(len(tableau.inputs)):
                rows = range(tableau.n_rows)[tableau.rows(k)]
                winners = evaluate(tableau.violations[tableau.rows(k)], order).winners
                wins[[rows[w] for w in winners]] += 1 / len(winners)
    return wins / n


@pytest.mark.parametrize("pairs", [(), (("A", "M"),), (("A", "M"), ("D", "B"))])
def test_partial_orders_by_going_through_all_rankings(pairs):
    np.testing.assert_allclose(partial_order_probabilities(SPANISH, pairs), naive_shares(SPANISH, pairs))


def test_anttila_s_strata_of_finnish():
    # Strong variants under {*H/I, *I-stressed, *L.L} >> the other six: 1, 1, 1/3, 1/2, 1/5, 0.
    finnish = read("finnish")
    high = ("*H/I", "*I-stressed", "*L.L")
    pairs = [(a, b) for a in high for b in finnish.constraints if b not in high]
    shares = partial_order_probabilities(finnish, pairs)
    strong = np.sort(np.maximum.reduceat(shares, finnish.offsets[:-1]))
    np.testing.assert_allclose(strong, [1 / 2, 2 / 3, 4 / 5, 1, 1, 1], atol=4.5 * 0.5 / math.sqrt(235))


def test_ilokano_s_partial_order_is_found():
    found = fit_partial_order(ILOKANO)
    assert found.pairs == (("AL", "I_BR"),)
    np.testing.assert_allclose(found.probability, 1 / 3)


@pytest.mark.slow
def test_the_command_line(capsys):
    assert main(["compare", "japanese", "--seed", "1", "--no-posterior", "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    keys = {"model", "log_likelihood", "parameters", "aic", "aicc", "bic", "elpd_loo", "elpd_se", "worst"}
    assert all(keys <= model.keys() for model in out["models"])
    assert [model["model"] for model in out["models"]] == list(MODELS)
    assert {"input", "candidate", "observed", "predicted"} <= out["models"][0]["worst"][0].keys()
    assert out["models"][1]["elpd_loo"] is None
    assert main(["compare", "japanese", "--models", "sot,maxnet", "--seed", "1"]) == 2
    assert "no model is called 'maxnet'; did you mean maxent" in capsys.readouterr().err
    assert main(["compare", "japanese", "--models", ",", "--seed", "1"]) == 2
    assert "no model to compare; name some of sot, maxent" in capsys.readouterr().err
    bounded = ["compare", "harmonic_bounding_demo", "--models", "sot", "--no-posterior", "--seed", "1"]
    assert main([*bounded, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["models"][0]["log_likelihood"] is None
    assert main(bounded) == 0
    assert "-inf" in capsys.readouterr().out
    assert main(["compare", "japanese", "--models", "maxent", "--seed", "1", "--no-posterior"]) == 0
    assert "MaxEnt fits every frequency" in capsys.readouterr().out


@pytest.mark.slow
def test_inputs_without_data_or_with_one_candidate_are_no_obstacle():
    rows = [
        ("x", "a", 7, (0, 1)),
        ("x", "b", 3, (1, 0)),
        ("unattested", "c", 0, (0, 1)),
        ("unattested", "d", 0, (1, 0)),
        ("alone", "e", 4, (1, 1)),
        ("w", "f", 5, (0, 1)),
        ("w", "never", 0, (0, 2)),
        ("w", "h", 1, (1, 0)),
    ]
    compared = compare(Tableau.from_rows(rows, ["A", "B"]), folds=3, posterior=False, seed=1)
    for model in compared.models:
        assert math.isfinite(model.cross_validated)
        assert {m.input for m in model.misfits} == {"x", "alone", "w"}
    assert compared["partial"].words().startswith("Partial order fits within chance: ")


@pytest.mark.parametrize(
    ("models", "count", "words"),
    [
        (["maxnet"], 1, "no model is called 'maxnet'; did you mean maxent"),
        ([], 1, "no model to compare; name some of sot, maxent"),
        (["maxent"], 0, "no candidate has a frequency; count at least one"),
    ],
)
def test_what_cannot_be_compared_is_refused(models, count, words):
    tableau = Tableau.from_rows([("x", "a", count, [0, 1]), ("x", "b", 0, [1, 0])], ["A", "B"])
    with pytest.raises(InputError, match=words):
        compare(tableau, models)


def test_a_difference_that_chance_explains_is_said_to_be_within_it():
    rows = [("x", "a", 11, [0, 1]), ("x", "b", 9, [0, 1]), ("y", "a", 5, [0, 1]), ("y", "b", 5, [1, 0])]
    (model,) = compare(Tableau.from_rows(rows, ["A", "B"]), ["maxent"], posterior=False, seed=1).models
    assert model.words().startswith("No MaxEnt grammar fits this exactly: [b] 0.45 observed, 0.5 at best")
    found = replace(model, maximised=False)  # as of a learner that need not find the best grammar
    assert found.words() == (
        "MaxEnt fits within chance: its largest difference is "
        f"[{found.unfitted[0].candidate}], {found.unfitted[0].observed:.3g} observed, 0.5 at best (p = 0.82)."
    )


def test_a_grammar_of_impossible_winners_alone_predicts_by_chance():
    rows = [("x", "good", 0, [0, 1]), ("x", "bad", 7, [1, 1])]
    (model,) = compare(Tableau.from_rows(rows, ["A", "B"]), ["sot"], posterior=False, seed=1).models
    assert model.log_likelihood == -math.inf
    assert "'bad' of 'x' is observed but can never win" in model.note
