"""The tableau itself: its rules, counts, edits and representations."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otlab import ot
from otlab.errors import InputError
from otlab.ot import Settings, Tableau, from_pandas, predict, read, resolve_settings
from otlab.ot.apportionment import largest_remainder
from tests.ot.strategies import labels, tableaux

TOY = Tableau.from_rows(
    [("x", "a", 3, [0, 1]), ("y", "c", 0, [0, 0]), ("x", "b", 1, [2, 0])],
    ["C1", "C2"],
    full_names=("First", "C2"),
    name="toy",
    noise=1.5,
)


# ---- rules


def test_rows_of_an_input_are_brought_together():
    assert TOY.inputs == ("x", "y")
    assert TOY.candidates == ("a", "b", "c")
    assert TOY.offsets.tolist() == [0, 2, 3]
    assert TOY.input_of_row.tolist() == [0, 0, 1]
    assert TOY.rows(0) == slice(0, 2)


@pytest.mark.parametrize("field", ["violations", "frequencies", "offsets"])
def test_arrays_cannot_be_written(field):
    with pytest.raises(ValueError, match="read-only"):
        getattr(TOY, field)[0] = 7


def test_arrays_are_copies():
    mine = np.array([[0, 1], [1, 0]])
    tableau = Tableau(("x",), ("a", "b"), np.array([0, 2]), ("A", "B"), mine, np.ones(2))
    mine[0, 0] = 9
    assert tableau.violations[0, 0] == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"constraints": ("C1", "C1")}, "constraint 'C1' appears twice"),
        ({"constraints": ("C1", " ")}, "a constraint has no name"),
        ({"inputs": ("x", "x")}, "input 'x' appears twice"),
        ({"candidates": ("a", "a", "c")}, "candidate of 'x' 'a' appears twice"),
        ({"frequencies": [1, -1, 0]}, "-1 is no frequency of 'b'"),
        ({"frequencies": [1, np.nan, 0]}, "nan is no frequency of 'b'"),
        ({"frequencies": [1, np.inf, 0]}, "inf is no frequency of 'b'"),
        ({"frequencies": [1, 1]}, "not 3 candidates by 2 constraints"),
        ({"violations": [[1, 0]]}, "not 3 candidates by 2 constraints"),
        ({"violations": [[1, 0], [0.5, 0], [0, 0]]}, "0.5 is not a whole number"),
        ({"violations": [[1, 0], [2**40, 0], [0, 0]]}, "'b' has too many violations"),
        ({"offsets": [0, 0, 3]}, "offsets do not divide"),
        ({"offsets": [0, 3]}, "2 offsets for 2 inputs"),
    ],
)
def test_broken_rules_are_named(change, message):
    with pytest.raises(InputError, match=message):
        replace(TOY, **change)


def test_a_tableau_without_constraints_or_candidates_is_none():
    with pytest.raises(InputError, match="there is no constraint"):
        Tableau(("x",), ("a",), np.array([0, 1]), (), np.zeros((1, 0)), np.ones(1))
    with pytest.raises(InputError, match="there is no candidate"):
        Tableau.from_rows([], ["C"])
    with pytest.raises(InputError, match="a candidate has 2 numbers of violations; give 1"):
        Tableau.from_rows([("x", "a", 1, [0, 1])], ["C"])


def test_equal_by_value_but_for_the_name():
    assert replace(TOY, name="other") == TOY
    assert hash(replace(TOY, name="other")) == hash(TOY)
    assert replace(TOY, noise=2.0) != TOY
    assert TOY.with_frequency(0, 4) != TOY
    assert TOY != "toy"
    assert pickle.loads(pickle.dumps(TOY)) == TOY


# ---- representations


def test_prints_as_a_tableau():
    assert repr(TOY) == "/x/  freq  C1  C2\na       3       1\nb       1   2\n/y/  freq  C1  C2\nc       0"


def test_html_escapes_names():
    html = TOY.rename_candidate(0, "<b>&").rename_input("x", "a<b")._repr_html_()
    assert "&lt;b&gt;&amp;" in html
    assert "/a&lt;b/" in html
    assert html.count("<tr>") == 5


def test_to_pandas_and_back():
    frame = TOY.to_pandas()
    assert frame.columns.tolist() == ["Input", "Output", "Frequency", "C1", "C2"]
    assert frame["Input"].tolist() == ["x", "x", "y"]
    assert from_pandas(frame).to_pandas().equals(frame)


def test_from_pandas_fills_in_what_is_missing():
    frame = pd.DataFrame(
        {"Input": ["x", None], "Output": ["a", "b"], "Frequency": [np.nan, 2], "A": [1.0, pd.NA]}
    )
    tableau = from_pandas(frame)
    assert tableau.inputs == ("x",)
    assert tableau.frequencies.tolist() == [0, 2]
    assert tableau.violations.tolist() == [[1], [0]]


# ---- frequencies


def test_counts_by_largest_remainder():
    assert read("ilokano").counts().tolist() == [33, 33, 33]
    assert read("ilokano").counts(total=100).tolist() == [34, 33, 33]
    assert TOY.counts().tolist() == [3, 1, 0]
    assert TOY.counts(10).tolist() == [8, 2, 0]


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=6), st.integers(1, 10**6))
def test_largest_remainder_apportions_everything_and_stays_within_one(frequencies, total):
    frequencies = np.array(frequencies)
    counts = largest_remainder(frequencies, total)
    if frequencies.any():
        assert counts.sum() == total
        assert np.abs(counts - frequencies / frequencies.sum() * total).max() < 1 + 1e-6
    else:
        assert not counts.any()


def test_shares_that_are_whole_but_for_rounding_stay_whole():
    assert largest_remainder(np.array([0.1, 0.2, 0.7]), 10).tolist() == [1, 2, 7]
    assert largest_remainder(np.array([0.29, 0.71]), 100).tolist() == [29, 71]


def test_frequencies_that_are_no_counts_need_a_total():
    with pytest.raises(InputError) as caught:
        TOY.with_frequency(0, 0.5).with_frequency(1, 0.25).counts()
    assert len(caught.value.faults) == 2
    assert "toy: input 'x': the frequency 0.5 of 'a' is no count; " in str(caught.value)
    assert "--total" in str(caught.value)
    with pytest.raises(InputError, match="below 1"):
        TOY.counts(total=0)


def test_observed_is_relative_and_unknown_without_data():
    assert TOY.observed()[:2].tolist() == [0.75, 0.25]
    assert np.isnan(TOY.observed()[2])


# ---- settings


def test_settings_argument_before_file_before_default():
    assert resolve_settings(TOY) == Settings(1.5, 9.0, None)
    assert resolve_settings(replace(TOY, noise=None)) == Settings(2.0, 12.0, None)
    assert resolve_settings(replace(TOY, bound=4.0, total=7), noise=3) == Settings(3.0, 4.0, 7)
    assert resolve_settings(TOY, 1, 2, 3) == Settings(1.0, 2.0, 3)


@pytest.mark.parametrize(
    ("name", "value"), [("noise", 0), ("noise", np.nan), ("bound", -1), ("bound", np.inf), ("total", 0)]
)
def test_settings_must_be_positive(name, value):
    with pytest.raises(InputError, match=f"the {name} "):
        resolve_settings(TOY, **{name: value})


# ---- edits


def test_edits_do_what_they_say():
    assert TOY.with_cell(1, "C2", 4).violations[1].tolist() == [2, 4]
    assert TOY.with_frequency(1, 2.5).frequencies.tolist() == [3, 2.5, 0]
    assert TOY.add_constraint("New", 0).constraints == ("New", "C1", "C2")
    assert TOY.add_constraint("New").violations[1].tolist() == [2, 0, 0]
    assert TOY.remove_constraint("C1").violations.tolist() == [[1], [0], [0]]
    assert TOY.move_constraint("C1", 1).constraints == ("C2", "C1")
    assert TOY.move_constraint(0, 1).full_names == ("C2", "First")
    assert TOY.add_candidate("x", "new").candidates == ("a", "b", "new", "c")
    assert TOY.add_candidate(1, "new").offsets.tolist() == [0, 2, 4]
    assert TOY.add_input("z", at=1).inputs == ("x", "z", "y")
    assert TOY.add_input("z", at=1).candidates == ("a", "b", "z", "c")
    assert TOY.add_input("z", "out").candidates[-1] == "out"
    assert TOY.rename_input("y", "z").inputs == ("x", "z")
    assert TOY.rename_candidate(2, "z").candidates == ("a", "b", "z")
    assert TOY.remove_row(2).inputs == ("x",)
    assert TOY.remove_row(0).candidates == ("b", "c")
    assert TOY.remove_input("x").candidates == ("c",)


def test_renaming_a_constraint_keeps_a_full_name_of_its_own():
    assert TOY.rename_constraint("C1", "N").full_names == ("First", "C2")
    assert TOY.rename_constraint("C2", "N").full_names == ("First", "N")


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda t: t.with_cell(9, 0, 1), "there is no row or column 9; choose 0 to 2"),
        (lambda t: t.with_cell(-1, 0, 1), "there is no row or column -1"),
        (lambda t: t.with_cell(0, "C3", 1), "no constraint is called 'C3'; choose from C1, C2"),
        (lambda t: t.with_cell(0, 0, 0.5), "0.5 is not a whole number"),
        (lambda t: t.with_cell(0, 0, 10**30), "too many violations"),
        (lambda t: t.with_frequency(0, -1), "no frequency"),
        (lambda t: t.add_constraint("C1"), "appears twice"),
        (lambda t: t.add_candidate("x", "a"), "appears twice"),
        (lambda t: t.add_candidate("q", "a"), "no input is called 'q'"),
        (lambda t: t.add_input("x"), "appears twice"),
        (lambda t: t.rename_candidate(0, "b"), "appears twice"),
        (lambda t: t.rename_input(0, ""), "has no name"),
        (lambda t: t.remove_constraint(0).remove_constraint(0), "there is no constraint"),
        (lambda t: t.remove_input("x").remove_input("y"), "there is no candidate"),
        (lambda t: t.move_constraint(0, 2), "there is no row or column 2"),
    ],
)
def test_edits_that_cannot_be_done(edit, message):
    with pytest.raises(InputError, match=message):
        edit(TOY)


_numbers = st.integers(0, 4)
_edits = st.one_of(
    st.tuples(st.just("with_cell"), _numbers, _numbers, st.integers(-2, 5)),
    st.tuples(st.just("with_frequency"), _numbers, st.floats(0, 100)),
    st.tuples(st.just("add_constraint"), labels, _numbers),
    st.tuples(st.just("remove_constraint"), _numbers),
    st.tuples(st.just("rename_constraint"), _numbers, labels),
    st.tuples(st.just("move_constraint"), _numbers, _numbers),
    st.tuples(st.just("add_candidate"), _numbers, labels),
    st.tuples(st.just("rename_candidate"), _numbers, labels),
    st.tuples(st.just("remove_row"), _numbers),
    st.tuples(st.just("add_input"), labels, labels, _numbers),
    st.tuples(st.just("rename_input"), _numbers, labels),
    st.tuples(st.just("remove_input"), _numbers),
)


@settings(max_examples=40)
@given(tableaux(), st.lists(_edits, max_size=12))
def test_any_edits_give_valid_tableaux_or_are_refused(tableau, edits):
    for name, *arguments in edits:
        before = pickle.dumps(tableau)
        try:
            edited = getattr(tableau, name)(*arguments)
        except InputError:
            continue
        assert pickle.dumps(tableau) == before
        tableau = edited
        assert replace(tableau) == tableau
        sums = np.add.reduceat(
            predict(tableau, np.zeros(tableau.n_constraints)).probability, tableau.offsets[:-1]
        )
        assert np.abs(sums - 1).max() < 1e-10


@given(tableaux(), st.data())
def test_moving_a_constraint_there_and_back(tableau, data):
    column = data.draw(st.integers(0, tableau.n_constraints - 1))
    to = data.draw(st.integers(0, tableau.n_constraints - 1))
    assert tableau.move_constraint(column, to).move_constraint(to, column) == tableau


# ---- what is no tableau

TAKES_A_TABLEAU = sorted(
    [name for name in ot.__all__ if name.startswith("fit_") and name != "fit_report"]
    + [
        "bootstrap",
        "compare",
        "log_likelihood",
        "logit_uniformity",
        "predict",
        "rank",
        "recommend",
        "typology",
    ]
)


@pytest.mark.parametrize("name", TAKES_A_TABLEAU)
def test_the_name_of_a_file_is_refused_where_a_tableau_is_needed(name):
    values = [[0.0]] if name in ("predict", "log_likelihood") else []
    with pytest.raises(InputError, match=r"takes a Tableau, but was given a str; read a file"):
        getattr(ot, name)("my table.csv", *values)
