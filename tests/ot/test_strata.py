"""Shares of rankings under strata, against all rankings one by one."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.ot import Tableau, read
from otlab.ot.analysis.strata import moved, strata_pairs, strata_shares
from otlab.ot.orders import evaluate


def counted(tableau, strata):
    """Return the shares by going through every ranking that keeps to the strata."""
    wins, n = np.zeros(tableau.n_rows), 0
    for parts in product(*(permutations(stratum) for stratum in strata)):
        order = [c for part in parts for c in part]
        n += 1
        for k in range(len(tableau.inputs)):
            rows = tableau.rows(k)
            winners = evaluate(tableau.violations[rows], order).winners
            for winner in winners:
                wins[rows.start + winner] += 1 / len(winners)
    return wins / n


@pytest.mark.parametrize("strata", [[[0, 1, 2, 3, 4]], [[4], [2, 0], [1, 3]], [[1], [0], [3], [4], [2]]])
@pytest.mark.parametrize("seed", [1, 2])
def test_shares_are_those_of_all_rankings(seed, strata):
    violations = np.random.default_rng(seed).integers(0, 3, (12, 5))
    tableau = Tableau.from_rows(
        [(f"x{n // 4}", f"y{n}", 0, v) for n, v in enumerate(violations)], [f"C{c}" for c in range(5)]
    )
    np.testing.assert_allclose(strata_shares(tableau, strata), counted(tableau, strata))


def test_candidates_alike_share():
    tableau = Tableau.from_rows(
        [("x", "a", 0, [1, 0]), ("x", "b", 0, [1, 0]), ("x", "c", 0, [0, 1])], ["A", "B"]
    )
    assert strata_shares(tableau, [["A", "B"]]).tolist() == [0.25, 0.25, 0.5]
    assert strata_shares(tableau, [["B"], ["A"]]).tolist() == [0.5, 0.5, 0]


def test_strata_have_every_constraint_once():
    for strata in ([["A"]], [["AL"], ["AL", "*C-ONS", "I_BR"]]):
        with pytest.raises(InputError):
            strata_shares(read("ilokano"), strata)


def test_moves():
    strata = ((0, 1), (2,))
    assert moved(strata, 2, 0) == ((0, 1, 2),)
    assert moved(strata, 0, 2, between=True) == ((1,), (2,), (0,))
    assert strata_pairs(((0, 1), (2,), (3,))) == ((0, 2), (1, 2), (2, 3))


def test_rankings_of_too_many_constraints_are_not_counted():
    rows = [("x", "a", 1, [0] * 21), ("x", "b", 0, [1] * 21)]
    tableau = Tableau.from_rows(rows, [f"C{n}" for n in range(21)])
    with pytest.raises(InputError, match="21 constraints: rankings are counted up to 20; remove some"):
        strata_shares(tableau, [[*range(21)]])
    for wrong in (21, -1):
        with pytest.raises(InputError, match=f"there is no constraint {wrong}; choose 0 to 20"):
            strata_shares(tableau, [[wrong]])
