"""Exact probabilities against enumeration, nested integrals, sampling and published figures."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_ndtr
from scipy.stats import norm

from otlab.errors import InputError
from otlab.ot import Tableau, conditional_means, gradient, predict, predict_many, read
from otlab.ot.probability_plan import plan_of
from tests.ot import naive
from tests.ot.strategies import ranking_values, tableaux


@st.composite
def tableaux_with_values(draw, **sizes):
    tableau = draw(tableaux(**sizes))
    return tableau, np.array(draw(ranking_values(tableau.n_constraints)))


def with_cap(tableau, cap):
    """Return the same tableau, sampled if a relation has more than `cap` transitions."""
    copy = replace(tableau, title=f"beyond {cap} transitions")  # plans are kept per tableau
    plan_of(copy, cap)
    return copy


def blocks_of(tableau):
    return [
        (tableau.rows(k), tableau.violations[tableau.rows(k)].tolist()) for k in range(len(tableau.inputs))
    ]


def all_against_one(n):
    """Worst case: every constraint alone must be above the last, 2^(n - 1) states."""
    rows = np.zeros((n, n), dtype=int)
    rows[0, n - 1] = 1
    rows[np.arange(1, n), np.arange(n - 1)] = 1
    names = [f"C{i}" for i in range(n)]
    return Tableau.from_rows([("x", f"y{r}", 1, list(map(int, row))) for r, row in enumerate(rows)], names)


@pytest.mark.slow
@given(tableaux_with_values(max_candidates=6, max_constraints=6))
def test_sums_to_one_within_each_input(case):
    tableau, values = case
    probability = predict(tableau, values, 1.0).probability
    sums = np.add.reduceat(probability, tableau.offsets[:-1])
    assert np.abs(sums - 1).max() < 1e-10
    assert probability.min() >= 0


@pytest.mark.slow
@given(tableaux(max_candidates=6, max_constraints=5))
def test_equal_values_make_all_rankings_equally_likely(tableau):
    probability = predict(tableau, np.zeros(tableau.n_constraints)).probability
    for rows, block in blocks_of(tableau):
        assert np.abs(probability[rows] - naive.equal_values(block)).max() < 1e-10


@pytest.mark.slow
def test_equal_values_on_many_random_tableaux_with_collective_bounding():
    rng = np.random.default_rng(5)
    bounded = 0
    for _ in range(300):
        n, k = rng.integers(2, 8), rng.integers(2, 6)
        block = rng.integers(0, 4, (n, k))
        tableau = Tableau.from_rows(
            [("x", f"y{r}", 0, row) for r, row in enumerate(block)], [f"C{i}" for i in range(k)]
        )
        probability = predict(tableau, np.zeros(k)).probability
        assert np.abs(probability - naive.equal_values(block.tolist())).max() < 1e-9
        bounded += (probability == 0).sum()
    assert bounded > 300


@pytest.mark.slow
@settings(max_examples=40)
@given(tableaux_with_values(max_inputs=1, max_candidates=5, max_constraints=4))
def test_equals_nested_integrals(case):
    tableau, values = case
    probability = predict(tableau, values, 1.3).probability
    expected = naive.grid_nested(tableau.violations.tolist(), values, 1.3)
    assert np.abs(probability - expected).max() < 1e-8


def test_equals_adaptive_quadrature():
    tableau, values = read("ilokano"), [0.4, -0.3, 0.7]
    expected = naive.nested(tableau.violations.tolist(), values, 1.0)
    assert np.abs(predict(tableau, values, 1.0).probability - expected).max() < 1e-10


@given(tableaux_with_values(max_constraints=5, max_candidates=5))
def test_gradient_is_that_of_the_value(case):
    tableau, values = case
    result = gradient(tableau, values, 1.5)
    assert np.array_equal(result.probability, predict(tableau, values, 1.5).probability)
    h = 1e-3
    for i in range(tableau.n_constraints):

        def at(step, i=i):
            shifted = values.copy()
            shifted[i] += step * h
            return predict(tableau, shifted, 1.5).probability

        slope = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h)
        assert np.abs(result.slope[:, i] - slope).max() < 1e-8


@given(tableaux_with_values(), st.floats(-30, 30))
def test_only_differences_between_values_matter(case, shift):
    tableau, values = case
    before, after = predict(tableau, values), predict(tableau, values + shift)
    assert np.abs(before.probability - after.probability).max() < 1e-10


@given(tableaux_with_values(), st.floats(0.1, 10))
def test_values_are_in_units_of_the_noise(case, scale):
    tableau, values = case
    before, after = predict(tableau, values, 1.0), predict(tableau, values * scale, scale)
    assert np.abs(before.probability - after.probability).max() < 1e-10


@pytest.mark.slow
@given(tableaux_with_values(max_inputs=1), st.randoms(use_true_random=False))
def test_permuting_candidates_and_constraints_permutes_answers(case, random):
    tableau, values = case
    rows = random.sample(range(tableau.n_rows), tableau.n_rows)
    columns = random.sample(range(tableau.n_constraints), tableau.n_constraints)
    shuffled = Tableau.from_rows(
        [("x", tableau.candidates[r], 0, tableau.violations[r][columns]) for r in rows],
        [tableau.constraints[c] for c in columns],
    )
    before = predict(tableau, values, 1.0).probability[rows]
    assert np.abs(predict(shuffled, values[columns], 1.0).probability - before).max() < 1e-10


@given(tableaux_with_values(max_candidates=5, max_constraints=5))
def test_many_draws_in_one_call_are_one_call_each(case):
    tableau, values = case
    draws = np.array([values, values[::-1], np.zeros_like(values)])
    one_by_one = [predict(tableau, row, 1.0).probability for row in draws]
    assert np.array_equal(predict_many(tableau, draws, 1.0), one_by_one)


def test_identical_candidates_share_what_their_class_wins():
    tableau = Tableau.from_rows(
        [("x", "a", 1, [1, 0]), ("x", "b", 1, [0, 1]), ("x", "c", 1, [1, 0])], ["C1", "C2"]
    )
    assert predict(tableau, [0, 0]).probability == pytest.approx([0.25, 0.5, 0.25], abs=1e-12)
    assert gradient(tableau, [0, 0]).slope[0] == pytest.approx(gradient(tableau, [0, 0]).slope[2])


def test_an_irrelevant_constraint_far_away_changes_nothing():
    tableau = Tableau.from_rows([("x", "a", 1, [1, 0, 2]), ("x", "b", 1, [0, 1, 2])], ["C1", "C2", "far"])
    probability = predict(tableau, [0.3, 0.0, 1e9], 1.0).probability
    assert probability[1] == pytest.approx(norm.cdf(0.3 / math.sqrt(2)), abs=1e-12)


# ---- reference figures


def test_toy_grammar_at_its_likelihood_ridge():
    probability = predict(read("lin2005_table1"), [0.13216, 0.13216, -0.26433]).probability
    assert probability == pytest.approx([0.77, 0.23], abs=2e-6)
    assert 77 * math.log(probability[0]) + 23 * math.log(probability[1]) == pytest.approx(-53.92763, abs=1e-5)


def test_toy_grammar_anchor():
    probability = predict(read("lin2005_table1"), [0, 0, -0.3964937973]).probability
    assert probability[0] == pytest.approx(0.77, abs=1e-10)


@pytest.mark.parametrize("noise", [1.0, 2.0])
def test_ilokano_thirds_at_the_unique_fit(noise):
    values = noise * np.array([0.0, 0.6091403884, -0.3764960914])
    probability = predict(read("ilokano"), values, noise).probability
    assert np.abs(probability - 1 / 3).max() < 2e-10


def test_ilokano_maximum_likelihood():
    probability = predict(read("ilokano"), [-0.07755, 0.53159, -0.45404]).probability
    assert probability == pytest.approx([1 / 3] * 3, abs=5e-6)


def test_table_2_at_equal_values():
    probability = predict(read("lin2005_table2"), np.zeros(5)).probability
    assert probability == pytest.approx([1 / 6, 5 / 12, 0, 5 / 12, 0.6, 0.4], abs=1e-12)
    assert probability[2] == 0


def test_spanish_at_the_median_of_the_posterior():
    probability = predict(read("spanish"), [3.82, 1.33, -2.57, -2.56], 1.0).probability
    assert probability[[0, 2, 4]] == pytest.approx([0.961, 0.503, 0.961], abs=5e-4)


def test_place_assimilation_as_in_praats_tutorial():
    probability = predict(read("nasal_place"), [102.7, 100, 112], 2.0).probability
    assert probability[[3, 0]] == pytest.approx([0.830, 0.9995], abs=5e-4)


def test_anttilas_strata():
    tableau = read("finnish")
    values = [100.0] * 3 + [0.0] * 6
    strong = predict(tableau, values, 1.0).probability[[0, 2, 4, 6, 8, 10]]
    assert strong == pytest.approx([1, 1, 1 / 3, 1 / 2, 1 / 5, 0], abs=1e-10)


# ---- extremes


@pytest.mark.parametrize("gap", [3.0, 6.0, 10.0, 15.0, 25.0])
def test_far_tails_keep_their_digits(gap):
    """A > B > C against values that want the opposite; one integral in logs is the reference."""
    tableau = Tableau.from_rows(
        [("x", "w", 1, [0, 1, 1]), ("x", "l", 1, [1, 0, 1]), ("x", "m", 1, [0, 2, 0])], "ABC"
    )
    t = np.linspace(-gap - 12, gap + 12, 400_001)
    log_f = norm.logpdf(t) + log_ndtr(t - gap) + log_ndtr(-t - gap)
    top = log_f.max()
    reference = top + math.log(np.exp(log_f - top).sum() * (t[1] - t[0]))
    result = gradient(tableau, [-gap, 0, gap], 1.0)
    assert math.log(result.probability[0]) == pytest.approx(reference, abs=1e-9)
    assert math.log(predict(tableau, [-gap, 0, gap], 1.0).probability[0]) == pytest.approx(
        reference, abs=1e-9
    )
    slope = (_log_p(tableau, gap - 1e-3) - _log_p(tableau, gap + 1e-3)) / 2e-3
    assert (result.slope[0, 0] - result.slope[0, 2]) / result.probability[0] == pytest.approx(slope, rel=1e-5)


def _log_p(tableau, gap):
    return math.log(predict(tableau, [-gap, 0, gap], 1.0).probability[0])


@pytest.mark.parametrize("far", [46_000.0, 1e12, 1e15])
def test_values_drifted_far_apart(far):
    tableau, values = read("spanish"), [far, far - 2, -far, -far - 1]
    probability = predict(tableau, values, 2.0).probability
    assert probability[2:4] == pytest.approx(
        [norm.cdf(-1 / math.sqrt(8)), norm.cdf(1 / math.sqrt(8))], abs=1e-10
    )
    assert probability[4] == pytest.approx(norm.cdf(2 / math.sqrt(8)), abs=1e-10)
    slope = gradient(tableau, values, 2.0).slope
    assert slope[4] == pytest.approx(
        [norm.pdf(2 / math.sqrt(8)) / math.sqrt(8) * sign for sign in (1, -1, 0, 0)], abs=1e-10
    )


@pytest.mark.parametrize(
    ("values", "noise"), [([1e308, -1e308, 0, 0], 1.0), ([1, 2, 3, 4], 1e-300), ([1, 2, 3, 4], 1e300)]
)
def test_extreme_values_and_noises_still_give_probabilities(values, noise):
    probability = predict(read("spanish"), values, noise).probability
    assert probability.reshape(3, 2).sum(axis=1) == pytest.approx(1.0, abs=1e-10)


def test_one_loser_against_all_is_exact_while_it_can_be():
    prediction = predict(all_against_one(12), np.zeros(12))
    assert prediction.method == "exact"
    assert prediction.probability == pytest.approx([1 / 12] * 12, abs=1e-9)


def test_one_loser_against_all_is_sampled_beyond():
    prediction = predict(all_against_one(15), np.zeros(15), seed=4)
    assert prediction.method == "monte carlo"
    assert prediction.seed == 4
    z = (prediction.probability - 1 / 15) / prediction.standard_error
    assert np.abs(z).max() < 4.5
    assert prediction.probability.sum() == pytest.approx(1, abs=1e-12)


def test_thirty_constraints():
    rng = np.random.default_rng(30)
    block = rng.integers(0, 2, (8, 30))
    tableau = Tableau.from_rows(
        [("x", f"y{r}", 1, row) for r, row in enumerate(block)], [f"C{i}" for i in range(30)]
    )
    values = rng.normal(size=30)
    prediction = predict(tableau, values, 1.0)
    assert prediction.method == "exact"
    assert prediction.probability.sum() == pytest.approx(1, abs=1e-10)
    sampled = predict(with_cap(tableau, 0), values, 1.0, seed=1)
    assert np.abs(sampled.probability - prediction.probability).max() < 5 * 0.5 / math.sqrt(100_000)


# ---- sampling


@settings(max_examples=15)
@given(tableaux_with_values(max_inputs=2), st.integers(0, 2**32))
def test_sampling_agrees_with_the_exact_answer(case, seed):
    tableau, values = case
    exact, sampled = predict(tableau, values, 1.0), predict(with_cap(tableau, 0), values, 1.0, seed=seed)
    error = np.sqrt(exact.probability * (1 - exact.probability) / 100_000)
    assert (np.abs(sampled.probability - exact.probability) <= 5.5 * error + 1e-9).all()
    assert np.add.reduceat(sampled.probability, tableau.offsets[:-1]) == pytest.approx(1.0, abs=1e-12)


def test_sampled_gradient_agrees_with_the_exact_one():
    tableau, values = read("spanish"), np.array([1.0, 0.2, -0.4, -0.6])
    exact, sampled = gradient(tableau, values, 1.0), gradient(with_cap(tableau, 0), values, 1.0, seed=9)
    # The score of a draw is at most a standard normal: its mean over 1e5 draws has s.e. below 1 / 316.
    assert np.abs(exact.slope - sampled.slope).max() < 5 / math.sqrt(100_000)
    assert np.abs(exact.probability - sampled.probability).max() < 5 * 0.5 / math.sqrt(100_000)


def test_only_the_inputs_beyond_the_cap_are_sampled():
    tableau, values = read("lin2005_table2"), [0.5, 0.2, -0.3, 0.1, -0.5]
    mixed = with_cap(tableau, 3)
    assert plan_of(mixed).sampled == (0,)
    prediction = predict(mixed, values, 1.0, seed=6)
    assert prediction.method == "monte carlo"
    assert prediction.standard_error[2] == 0
    assert prediction.standard_error[[0, 1, 3]].min() > 0
    assert not prediction.standard_error[4:].any()
    assert np.array_equal(prediction.probability[4:], predict(tableau, values, 1.0).probability[4:])


def test_same_seed_same_noise():
    tableau = with_cap(read("spanish"), 0)
    values = np.array([1.0, 0.2, -0.4, -0.6])
    first, again = (predict(tableau, values, 1.0, seed=2).probability for _ in range(2))
    assert np.array_equal(first, again)
    nudged = predict(tableau, values + np.array([1e-7, 0, 0, 0]), 1.0, seed=2).probability
    assert np.abs(nudged - first).max() < 1e-4
    assert not np.array_equal(first, predict(tableau, values, 1.0, seed=3).probability)
    assert predict(tableau, values, 1.0).seed is not None


def test_many_draws_are_sampled_beyond_the_cap():
    tableau, draws = read("spanish"), np.array([[1.0, 0.2, -0.4, -0.6], [0.0, 0.0, 0.0, 0.0]])
    sampled = predict_many(with_cap(tableau, 0), draws, 1.0, seed=5)
    assert np.abs(sampled - predict_many(tableau, draws, 1.0)).max() < 5 * 0.5 / math.sqrt(2000)


# ---- means of the disharmonies


def test_conditional_means_agree_with_rejection_sampling():
    tableau, values = read("ilokano"), np.array([-0.2, 0.5, 0.1])
    means = conditional_means(tableau, values, 1.5)
    y = values + 1.5 * np.random.default_rng(8).normal(size=(400_000, 3))
    orders = list(permutations(range(3)))
    winner = [naive.winners(tableau.violations.tolist(), order)[0] for order in orders]
    won = np.array([winner[orders.index(order)] for order in map(tuple, np.argsort(-y, axis=1).tolist())])
    for row in range(3):
        draws = y[won == row]
        error = draws.std(axis=0) / math.sqrt(len(draws))
        assert (np.abs(draws.mean(axis=0) - means[row]) < 4.5 * error).all()


def test_conditional_means_of_what_never_wins_are_unknown():
    assert np.isnan(conditional_means(read("lin2005_table2"), np.zeros(5))[2]).all()


# ---- wrong use


@pytest.mark.parametrize(
    ("values", "noise", "message"),
    [
        ([0, 0], 1, "3 constraints"),
        ([[0, 0, 0]], 1, "3 constraints"),
        ([0, 0, math.nan], 1, "not finite"),
        ([0, 0, math.inf], 1, "not finite"),
        ([0, 0, 0], 0, "noise"),
        ([0, 0, 0], -1, "noise"),
        ([0, 0, 0], math.inf, "noise"),
    ],
)
def test_wrong_arguments(values, noise, message):
    with pytest.raises(InputError, match=message):
        predict(read("ilokano"), values, noise)


def test_the_tableaus_own_noise_is_the_default():
    tableau = read("ilokano")
    values = [0.4, 0.1, -0.3]
    own, one = predict(tableau, values), predict(tableau, values, 1.0)
    assert np.array_equal(own.probability, one.probability)
