"""Constraints that the data cannot tell apart, against what exchanging their values changes."""

from __future__ import annotations

import numpy as np
import pytest

from otlab import ot
from otlab.ot import Tableau, log_likelihood
from otlab.ot.conditions import uncounted_relations
from otlab.ot.indistinct import alike_groups, alike_words
from otlab.ot.learners import LEARNERS

TWINS = Tableau.from_rows(
    [("x", "a", 3, [1, 1, 0]), ("x", "b", 2, [0, 0, 1]), ("y", "c", 4, [2, 3, 0]), ("y", "d", 2, [1, 2, 1])],
    ["A", "B", "C"],
    name="twins",
)


def test_violations_that_differ_by_a_number_per_input_are_the_same():
    assert alike_groups(TWINS, weights=True) == (((0, 1), "have the same violations"),)


def test_weights_tell_constraints_apart_that_rankings_do_not():
    other = TWINS.with_cell(2, "B", 5)
    assert alike_groups(other, weights=True) == ()
    assert alike_groups(other) == (((0, 1), "prefer the same candidates everywhere"),)


def test_constraints_that_prefer_nothing_are_not_named():
    assert alike_groups(Tableau.from_rows([("x", "a", 1, [1, 1]), ("x", "b", 0, [1, 1])], ["A", "B"])) == ()


def test_constraints_that_are_together_in_all_conditions_of_observed_forms():
    # A and B differ on c alone, which is never observed and loses to b on C already.
    rows = [("x", "a", 3, [1, 1, 0]), ("x", "b", 2, [0, 0, 1]), ("x", "c", 0, [1, 0, 2])]
    tableau = Tableau.from_rows(rows, ["A", "B", "C"])
    assert alike_groups(tableau) == ()
    uncounted_relations(tableau)
    assert alike_groups(tableau) == (((0, 1), "are together in every condition of the observed candidates"),)


@pytest.mark.parametrize("seed", range(20))
def test_alike_are_those_whose_values_can_be_exchanged(seed):
    rng = np.random.default_rng(seed)
    rows = [(f"x{n // 3}", f"y{n}", int(rng.integers(1, 9)), rng.integers(0, 2, 4)) for n in range(6)]
    tableau = Tableau.from_rows(rows, list("ABCD"))
    relations = uncounted_relations(tableau)
    if any(relation.bounded for relation in relations):
        rows = [
            (*row[:2], 0 if relations_of(relations, n).bounded else row[2], row[3])
            for n, row in enumerate(rows)
        ]
        tableau = Tableau.from_rows(rows, list("ABCD"))
        uncounted_relations(tableau)
    values = rng.normal(size=4)
    for group, _ in alike_groups(tableau):
        swapped = values.copy()
        swapped[list(group)] = np.roll(values[list(group)], 1)
        before, after = (log_likelihood(tableau, each, noise=2) for each in (values, swapped))
        assert before == pytest.approx(after, abs=1e-9)


def relations_of(relations, row):
    return next(relation for relation in relations if row in relation.members)


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_names_them(name):
    entry = LEARNERS[name]
    settings = entry.settings()
    for field, value in {"sweeps": 40, "warmup": 20, "runs": 2, "trials": 100, "chains": 2}.items():
        if field in settings.param:
            setattr(settings, field, value)
    fit = entry.fit(TWINS, settings, seed=1)
    assert fit.warnings[-1].startswith("the data cannot tell A and B apart: they have the same violations")
    assert fit.to_dict()["diagnostics"]["warnings"][-1] == fit.warnings[-1]


def test_three_are_named_together():
    rows = [("x", "a", 3, [1, 1, 1, 0]), ("x", "b", 2, [0, 0, 0, 1])]
    (words,) = alike_words(Tableau.from_rows(rows, list("ABCD")))
    assert "A, B and C apart" in words
    assert ot.read("ilokano").n_constraints == 3
    assert alike_words(ot.read("ilokano")) == ()
