"""Orders of the constraints: which candidate wins, and how probable each order is."""

from __future__ import annotations

from itertools import permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from otlab.ot import Tableau, predict
from otlab.ot.orders import evaluate, order_of, order_probability
from tests.ot.naive import winners

ILOKANO = np.array([[1, 0, 1], [2, 0, 0], [0, 1, 0]])  # *C-ONS, AL, I_BR
values = st.lists(st.floats(-8, 8), min_size=1, max_size=4)


@given(st.integers(0, 2**32 - 1))
def test_the_winner_has_the_least_profile(seed):
    rng = np.random.default_rng(seed)
    violations = rng.integers(-1, 4, size=(rng.integers(1, 7), rng.integers(1, 6)))
    order = rng.permutation(violations.shape[1])
    assert evaluate(violations, order).winners == tuple(winners(violations, order))


def test_losers_lose_at_the_first_constraint_on_which_they_are_beaten():
    result = evaluate(np.array([[0, 1, 0], [0, 3, 0], [2, 0, 0], [0, 1, 1]]), [0, 1, 2])
    assert result.fatal.tolist() == [-1, 1, 0, 2]
    assert result.allowed.tolist() == [0, 1, 0, 0]


def test_identical_candidates_both_win():
    assert evaluate(np.array([[1, 0], [1, 0], [0, 1]]), [1, 0]).winners == (0, 1)


def test_a_single_candidate_wins():
    assert evaluate(np.array([[5, 7]]), [1, 0]).winners == (0,)


def test_order_is_by_falling_value_and_ties_stay():
    assert order_of(np.array([0.0, 2.0, 0.0, -1.0])) == (1, 0, 2, 3)


@pytest.mark.parametrize("n", range(1, 9))
def test_equal_values_make_all_orders_alike(n):
    assert order_probability(np.full(n, 3.7), range(n), noise=2.0) == pytest.approx(
        1 / factorial(n), rel=1e-9
    )


@pytest.mark.parametrize("gap", [-9.0, -1.0, 0.0, 0.3, 4.0])
def test_two_constraints_against_the_normal_distribution(gap):
    exact = norm.cdf(gap / (1.5 * np.sqrt(2)))
    assert order_probability(np.array([gap, 0.0]), (0, 1), noise=1.5) == pytest.approx(exact, abs=1e-13)


@given(values, st.floats(0.3, 5))
def test_all_orders_together_are_certain(means, noise):
    total = sum(order_probability(np.array(means), o, noise) for o in permutations(range(len(means))))
    assert total == pytest.approx(1.0, abs=1e-10)


@given(values, st.floats(-1e3, 1e3), st.floats(0.1, 10))
def test_only_differences_in_units_of_noise_count(means, shift, scale):
    order, means = order_of(np.array(means)), np.array(means)
    once = order_probability(means, order, 1.0)
    assert order_probability(scale * (means + shift), order, scale) == pytest.approx(once, abs=1e-10)


def test_orders_add_up_to_candidate_probabilities():
    tableau = Tableau.from_rows([("x", str(k), 1, row) for k, row in enumerate(ILOKANO)], ["C", "A", "I"])
    means = np.array([-0.4, 0.9, 0.1])
    wins = np.zeros(3)
    for order in permutations(range(3)):
        (winner,) = evaluate(ILOKANO, order).winners
        wins[winner] += order_probability(means, order, 1.3)
    np.testing.assert_allclose(wins, predict(tableau, means, 1.3).probability, atol=1e-11)


def test_far_apart_values_decide():
    assert order_probability(np.array([400.0, 0.0, -400.0]), (0, 1, 2), 1.0) == pytest.approx(1.0, abs=1e-13)
    assert order_probability(np.array([400.0, 0.0, -400.0]), (2, 1, 0), 1.0) == 0.0
