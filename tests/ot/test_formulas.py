"""Tableaux whose columns count themselves: edits, typed cells, files."""

import pytest

from otlab import load_sample
from otlab.errors import InputError
from otlab.ot import read_text, to_csv, to_xlsx
from otlab.ot.formulas import (
    counted_places,
    known_as,
    recount,
    use_count,
    use_counts,
    with_feature_table,
    with_formula,
)
from otlab.ot.io.read import read_bytes


@pytest.fixture
def dutch():
    tableau = load_sample("dutch_final_devoicing")
    for column, formula in enumerate(["*[-son,+voice].", "Ident[voice]", "*[-son,+voice]"]):
        tableau = with_formula(tableau, column, formula)
    return tableau


def test_a_published_table_is_counted_as_it_was_typed(dutch):
    assert dutch.violations.tolist() == load_sample("dutch_final_devoicing").violations.tolist()


def test_cells_follow_candidates_and_inputs(dutch):
    assert dutch.rename_candidate(1, "beddd").violations[1].tolist() == [1, 0, 4]
    assert dutch.rename_input(0, "pet").violations[:, 1].tolist() == [2, 1, 0, 1]
    assert dutch.add_candidate(0, "bebe").violations[-1].tolist() == [0, 0, 2]
    assert dutch.add_input("dad").violations[-1].tolist() == [1, 0, 2]


def test_a_typed_cell_stays_until_the_count_is_used_again(dutch):
    typed = dutch.with_cell(0, 0, 7)
    assert typed.rename_candidate(0, "bad").violations[0].tolist() == [7, 0, 2]
    assert use_count(typed, 0, 0).violations[0, 0] == 1
    moved = typed.move_constraint(0, 2).add_constraint("X", 0)
    assert (moved.formulas.typed, moved.violations[0].tolist()) == ({(0, 3)}, [0, 0, 2, 7])
    assert typed.remove_row(0).formulas.typed == frozenset()


def test_a_wrong_formula_is_refused_and_leaves_the_numbers(dutch):
    with pytest.raises(InputError, match="no feature is called 'vioce'"):
        with_formula(dutch, 0, "*[+vioce]")
    with pytest.raises(InputError, match="not in the feature table"):
        with_formula(load_sample("lin2005_table1").rename_candidate(0, "☃"), 0, "*[+voice]")


def test_a_column_that_cannot_be_counted_any_more_keeps_its_numbers(dutch):
    changed = dutch.rename_candidate(0, "b☃d")
    assert changed.violations[0].tolist() == [1, 0, 2]
    assert set(recount(changed).faults) == {0, 1, 2}


def test_csv_spreadsheet_and_back(dutch, tmp_path):
    tableau = with_feature_table(
        dutch.with_cell(2, 1, 1), "seg\tson\tvoice\nb\t-\t+\nd\t-\t+\ne\t+\t+\np\t-\t-\nt\t-\t-\n"
    )
    assert read_text(to_csv(tableau)) == tableau
    to_xlsx(tableau, tmp_path / "t.xlsx")
    again = read_bytes((tmp_path / "t.xlsx").read_bytes(), "t.xlsx").tableau
    assert again.formulas == tableau.formulas
    assert again.violations.tolist() == tableau.violations.tolist()


def test_a_formula_that_a_file_has_wrong_is_told_with_its_line(dutch):
    text = to_csv(dutch).replace("Ident[voice]", "Ident[vioce]")
    reading = read_bytes(text.encode(), "t.csv")
    assert [w.line for w in reading.warnings if "formula" in w.what] == [5]
    assert reading.tableau.violations.tolist() == dutch.violations.tolist()


def test_places_of_a_cell_with_brackets_around_the_form():
    tableau = with_formula(read_text("Input,Output,Count,V\n/bed/,[bed],1,0\n"), 0, "*[-son,+voice]")
    assert [(place.start, place.end) for place in counted_places(tableau, 0, 0)] == [(1, 2), (3, 4)]


OVERT = (
    "Input,Output,Overt,Count,C1,C2\nL L,(L1 L),L1 L,5,0,1\nL L,(L1) L,L1 L,5,1,0\nL L,(L L1),L L1,2,1,1\n"
)


def test_overt_forms_are_read_and_written():
    tableau = read_text(OVERT)
    assert tableau.overt_forms == ("L1 L", "L1 L", "L L1")
    assert tableau.frequencies.tolist() == [5, 0, 2]  # the count is the overt form's
    assert read_text(to_csv(tableau)) == tableau
    assert tableau.remove_row(0).overt_forms == ("L1 L", "L L1")
    assert tableau.add_candidate(0, "L L").overt_forms[-1] == "L L"


def test_hidden_forms_beside_surface_forms():
    tableau = read_text(
        "UR,SR,p,HR,C1,C2\nLL,L1 L,.5,(L1 L),0,1\nLL,L1 L,.5,(L1) L,1,0\nLL,L L1,.5,(L L1),1,1\n"
    )
    assert tableau.candidates == ("(L1 L)", "(L1) L", "(L L1)")
    assert tableau.overt_forms == ("L1 L", "L1 L", "L L1")


def test_a_column_without_a_typed_cell_or_a_formula_is_left_as_it_is(dutch):
    assert use_count(dutch, 0, 0) is dutch
    assert use_counts(dutch, 0) is dutch
    typed = dutch.with_cell(0, 0, 7).with_cell(1, 0, 7).with_cell(0, 1, 5)
    again = use_counts(typed, 0)
    assert again.formulas.typed == {(0, 1)}
    assert again.violations[:, 0].tolist() == dutch.violations[:, 0].tolist()
    plain = load_sample("dutch_final_devoicing")
    with pytest.raises(InputError, match="has no formula; its numbers are typed"):
        counted_places(plain, 0, 0)
    known = known_as(plain, 0, "*[-son,+voice].")
    assert known.formulas.known(0) == "*[-son,+voice]."
    assert known_as(known, 0, " ").formulas.known(0) == ""


def test_a_feature_table_that_lacks_what_formulas_need_is_refused(dutch):
    with pytest.raises(InputError) as caught:
        with_feature_table(dutch, "seg\tsyllabic\nb\t-\ne\t+\n")
    spots = {fault.spot for fault in caught.value.faults}
    assert spots == {f"formula of '{name}'" for name in dutch.constraints}
