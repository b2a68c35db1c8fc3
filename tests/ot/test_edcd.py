"""Error-driven constraint demotion against recursive constraint demotion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from otlab.errors import InputError
from otlab.ot import EDCD, Tableau, fit_edcd, rank, read
from otlab.ot.kernels.update_rules import RULES, update
from otlab.ot.overt import parses_unknown
from otlab.samples import samples
from tests.ot.strategies import tableaux


@pytest.mark.parametrize("name", [s.name for s in samples("ot") if not parses_unknown(read(s.name))])
def test_it_ends_with_every_winner_exactly_where_a_ranking_exists(name):
    tableau = read(name)
    fitted = fit_edcd(tableau, seed=1)
    assert fitted.tick.finished
    assert fitted.converged is rank(tableau).consistent
    if fitted.converged:
        learner = EDCD(tableau)
        winners = {row: fitted.predicted.mean[row] for row in learner.winners.values()}
        assert all(np.isclose(p, 1 / len(same(tableau, row))) for row, p in winners.items())
    else:
        assert "no ranking makes every winner win" in fitted.warnings[0]


def same(tableau, row):
    rows = range(tableau.n_rows)[tableau.rows(tableau.input_of_row[row])]
    return [r for r in rows if (tableau.violations[r] == tableau.violations[row]).all()]


def test_sums_that_make_winners_win_where_no_ranking_does_are_no_end():
    rows = [("x", "a", 1, [0, 1]), ("x", "b", 0, [2, 0]), ("y", "a", 1, [1, 0]), ("y", "b", 0, [0, 2])]
    tableau = Tableau.from_rows(rows, ["A", "B"])
    assert not rank(tableau).consistent
    fitted = fit_edcd(tableau, seed=1)
    assert fitted.tick.finished
    assert fitted.converged is False


@pytest.mark.slow
@settings(max_examples=200)
@given(tableaux())
def test_it_ends_as_recursive_demotion_does(tableau):
    if tableau.frequencies.any():
        assert fit_edcd(tableau, seed=0).converged is rank(tableau).consistent


def test_one_demotion_is_that_of_praat_s_rule():
    """On a total order: who is demoted by Praat's EDCD ends up below the same pivot."""
    marks = np.array([[0, 0, 1, 2], [1, 2, 0, 1]])
    tableau = Tableau.from_rows([("x", "rival", 0, marks[0]), ("x", "heard", 1, marks[1])], list("ABCD"))
    strata = np.arange(4)
    EDCD(tableau).demote(0, 0, strata)
    values = -np.arange(4.0)
    points, step = values.copy(), np.full(4, 0.5)
    update(np.random.default_rng(0), RULES.index("edcd"), marks[0], marks[1], points, step, values)
    np.testing.assert_array_equal(strata > 2, values < -2)


def test_a_single_stratum_has_values_0_without_a_sign():
    fitted = fit_edcd(Tableau.from_rows([("x", "a", 1, (0, 0)), ("x", "b", 0, (1, 1))], ["A", "B"]), seed=1)
    assert fitted.mean.tolist() == [0, 0]
    assert not np.signbit(fitted.mean).any()


def test_an_empty_tableau_is_refused():
    with pytest.raises(InputError, match="count at least one"):
        EDCD(Tableau.from_rows([("x", "a", 0, (1,)), ("x", "b", 0, (0,))], ["A"]))
