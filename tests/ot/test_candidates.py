"""Generated tables, candidates that could win, and candidates that were forgotten."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from otlab.cli import main
from otlab.errors import InputError, Interrupted
from otlab.forms.gen import parse_operations
from otlab.ot import read, read_text
from otlab.ot.analysis.candidates import (
    by_ranking,
    by_weights,
    could_win,
    forgotten,
    generated_tableau,
    with_candidates,
)
from otlab.ot.analysis.typology import typology
from otlab.ot.formulas import with_formula

DEVOICING = ["*[+voice,-son]#", "Ident[voice]", "Max", "Dep"]


@given(arrays(np.int64, st.tuples(st.integers(1, 6), st.integers(1, 3)), elements=st.integers(0, 2)))
def test_candidates_that_could_win_are_those_of_some_ranking(violations):
    from itertools import permutations

    kept = could_win(violations)
    winners = set()
    for order in permutations(range(violations.shape[1])):
        rows = [tuple(row) for row in violations[:, order].tolist()]
        winners |= {n for n, row in enumerate(rows) if row == min(rows)}
    assert set(np.flatnonzero(kept).tolist()) == winners


def test_a_generated_table_has_the_languages_of_all_candidates():
    gen = parse_operations("delete,change:voice,insert:ə", 1)
    whole, capped = generated_tableau(["bad"], DEVOICING, gen)
    small, _ = generated_tableau(["bad"], DEVOICING, gen, undominated=True)
    assert not capped
    assert small.n_rows < whole.n_rows
    languages = [
        {tuple(sorted(typology(t).language(n).items())) for n in range(len(typology(t)))}
        for t in (whole, small)
    ]
    assert len(languages[0]) == len(languages[1])


@pytest.mark.slow
def test_a_forgotten_candidate_is_found():
    tableau = read_text("Input,Output,Count,a,b,c,d\nbad,bad,0,1,0,0,0\nbad,bat,1,0,1,0,0\n")
    for column, formula in enumerate(DEVOICING):
        tableau = with_formula(tableau, column, formula)
    gen = parse_operations("delete,change:voice,insert:ə")
    found, looked = forgotten(tableau, 0, gen, by_ranking([0, 1, 2, 3]))
    assert found
    assert looked > 5
    assert all(by_ranking([0, 1, 2, 3])(one.violations) < (0, 1, 0, 0) for one in found)
    assert {one.winner for one in found} == {"bat"}
    none, _ = forgotten(tableau, 0, gen, by_weights([2, 1, 3, 3]))
    assert not none
    more, added, capped = with_candidates(tableau, 0, gen, undominated=True)
    assert (more.n_rows, capped) == (2 + added, False)
    assert more.formulas.texts == tuple(DEVOICING)


def test_columns_without_formula_cannot_be_generated():
    with pytest.raises(InputError, match="has no formula"):
        with_candidates(read_text("Input,Output,Count,C\nbad,bad,1,0\n"), 0, parse_operations("delete"))


def test_the_command_writes_a_table_that_reads_back(tmp_path, capsys):
    path = tmp_path / "bad.csv"
    command = [
        "gen",
        "bad",
        "pad",
        "--constraints",
        "; ".join(DEVOICING),
        "--operations",
        "delete,change:voice",
    ]
    assert main([*command, "--undominated", "-o", str(path)]) == 0
    tableau = read(path)
    assert tableau.inputs == ("bad", "pad")
    assert tableau.formulas.texts == tuple(DEVOICING)
    assert "bat" in capsys.readouterr().out


@pytest.mark.parametrize("undominated", [False, True])
def test_the_work_on_one_input_can_be_ended(undominated):
    tableau = read_text("Input,Output,Count,a,b,c,d\nbadag,badag,1,0,0,0,0\n")
    for column, formula in enumerate(DEVOICING):
        tableau = with_formula(tableau, column, formula)
    gen = parse_operations("delete,change:voice,insert:ə", 2)
    calls = 0

    def count(end=None):
        def go_on():
            nonlocal calls
            calls += 1
            if calls == end:
                raise Interrupted

        nonlocal calls
        calls = 0
        return go_on

    longer, added, _ = with_candidates(tableau, 0, gen, undominated=undominated, go_on=count())
    whole = calls
    assert longer.n_rows == 1 + added
    made = len(gen.candidates("badag").candidates)
    # For each candidate that is made, for some hundreds that are counted, and for each that may be bounded.
    assert whole > made
    for end in (1, made // 2, whole):
        with pytest.raises(Interrupted):
            with_candidates(tableau, 0, gen, undominated=undominated, go_on=count(end))
        assert calls == end


def test_nothing_to_generate_from_is_refused_and_what_is_cut_is_named():
    gen = parse_operations("insert:ptkaiu", 3)
    with pytest.raises(InputError, match="there is no input to generate candidates of; write one"):
        generated_tableau([], ["Max"], gen)
    tableau, capped = generated_tableau(["patika"], ["Dep"], gen, undominated=True)
    assert capped == ("patika",)
    assert tableau.candidates == ("patika",)
