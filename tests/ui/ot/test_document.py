"""The document on the page: typing, pasting, and undo as the exact inverse of anything."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otlab.errors import InputError
from otlab.ot import Tableau
from otlab.ot.io.cell_parsing import parse_violations
from otlab.ot.io.read import read_bytes
from otlab.ui.ot.cells import fields, split_block
from otlab.ui.ot.document import TABLE_PASTED, Document, empty_tableau


def ilokano() -> Tableau:
    rows = [
        ("HRED-bwaja", "bu.bwa.ja", 1, (1, 0, 1)),
        ("HRED-bwaja", "bwaj.bwa.ja", 1, (2, 0, 0)),
        ("HRED-bwaja", "bub.wa.ja", 1, (0, 1, 0)),
    ]
    return Tableau.from_rows(rows, ["*C-ONS", "AL", "I_BR"], total=99, noise=1.0, bound=6.0)


def two_inputs() -> Tableau:
    rows = [("x", "a", 4, (0, 1)), ("x", "b", 6, (1, 0)), ("z", "c", 1, (1, 1)), ("z", "d", 0, (0, 2))]
    return Tableau.from_rows(rows, ["A", "B"])


ROWS = st.integers(0, 40)
TEXTS = st.sampled_from(["", "0", "3", "**", "∗", "2.5", "100", "abc", "-1", "IPA ɛ̃", "a\tb\n1\t2", "12"])
BY = st.sampled_from([-2, -1, 1, 2])
EDITS = st.one_of(
    st.tuples(st.just("type"), ROWS, ROWS, TEXTS),
    st.tuples(st.just("paste"), ROWS, ROWS, st.lists(TEXTS, min_size=1, max_size=3).map("\t".join)),
    st.tuples(st.just("rename_constraint"), ROWS, TEXTS),
    st.tuples(st.sampled_from(["move_constraint", "move_candidate", "move_input"]), ROWS, BY),
    st.tuples(
        st.sampled_from(["remove_constraint", "remove_candidate", "remove_input", "add_candidate"]), ROWS
    ),
    st.tuples(st.just("set_sample_size"), st.one_of(st.none(), st.integers(-1, 300))),
    st.tuples(st.sampled_from(["add_constraint", "add_input"])),
)


def perform(document: Document, edit: tuple) -> None:
    """Do one drawn edit, its places folded into the tableau as it is now."""
    kind, *arguments = edit
    if kind in ("type", "paste"):
        row, column, text = arguments
        names = fields(document.tableau)
        getattr(document, kind)(row % document.tableau.n_rows, names[column % len(names)], text)
        return
    if "constraint" in kind and arguments:
        arguments[0] %= document.tableau.n_constraints
    elif arguments and kind != "set_sample_size":
        arguments[0] %= document.tableau.n_rows
    getattr(document, kind)(*arguments)


@pytest.mark.slow
@pytest.mark.parametrize("start", [ilokano, two_inputs, empty_tableau])
@given(edits=st.lists(EDITS, min_size=20, max_size=20))
@settings(max_examples=60, deadline=None)
def test_twenty_edits_then_twenty_undos_change_nothing(start, edits):
    document = Document(start())
    for edit in edits:
        perform(document, edit)
    after = document.tableau
    for _ in edits:
        document.history.undo()
    assert document.tableau == start()
    assert not document.history.can_undo
    for _ in edits:
        document.history.redo()
    assert document.tableau == after


def test_the_toast_of_a_wide_paste_brings_back_what_was_there():
    document = Document(ilokano())
    before = document.tableau
    assert not document.paste(0, "c_1", "1\t2\t3", widen=True)
    undo = document.history.way_back()
    document.rename_constraint(0, "Later")
    undo()
    assert document.tableau is before
    undo()
    assert document.tableau is before
    document.history.redo()
    assert document.tableau.n_constraints == 4


def test_a_new_edit_forgets_what_was_undone():
    document = Document(ilokano())
    document.type(0, "c_1", "2")
    document.history.undo()
    assert document.history.can_redo
    document.type(0, "c_2", "3")
    assert not document.history.can_redo
    assert document.tableau.violations[0].tolist() == [1, 0, 3]


@pytest.mark.parametrize(
    ("cell", "count"),
    [
        ("4", 4),
        ("", 0),
        ("0", 0),
        ("*", 1),
        ("**", 2),
        ("* *", 2),
        ("∗∗∗", 3),
        ("＊", 1),
        ("⁎✱", 2),
        ("*!", 1),
        ("*!*", 2),
        ("!", 0),
        ("2!", 2),
        ("-1", -1),
        ("−1", -1),
        ("+3", 3),
        ("99", 99),
        ("120", 120),
        ("2147483647", 2147483647),
        (" 7 ", 7),
        ("1.0", 1),
        ("1.", 1),
        ("\u00a02", 2),
        ("2147483648", None),
        ("9" * 5000, None),
        ("2.5", None),
        ("abc", None),
        ("*x", None),
        ("*2", None),
        ("1,5", None),
        ("2,0", 2),
        ("1,000", None),
        ("1e1", None),
        ("--1", None),
        ("٣", None),
        ("nan", None),
    ],
)
def test_violations_mean_the_same_typed_pasted_and_in_a_file(cell, count):
    typed, pasted = Document(ilokano()), Document(ilokano())
    answer = typed.type(0, "c_0", cell)
    reason = pasted.paste(0, "c_0", f"{cell}\t5")
    kept = 1 if count is None else count
    assert (answer.text, bool(answer.reason)) == (str(kept), count is None)
    assert typed.tableau.violations[0, 0] == kept
    assert bool(reason) == (count is None)
    assert pasted.tableau.violations[0, :2].tolist() == ([1, 0] if count is None else [count, 5])
    assert _in_a_file(f'i,o,1,"{cell}"\ni,p,1,9', lambda tableau: tableau.violations[0, 0]) == count


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("", 0),
        ("40", 40),
        ("2.5", 2.5),
        (".5", 0.5),
        ("1e2", 100),
        ("12 000", 12000),
        ("12\u202f000", 12000),
        ("1,234,567", 1234567),
        ("10000000", 10**7),
        ("1,040", None),
        ("1,040.5", 1040.5),
        ("0,5", 0.5),
        (",25", 0.25),
        ("12\u202f000,5", 12000.5),
        ("0,125", 0.125),
        ("-0,5", None),
        ("-1", None),
        ("nan", None),
        ("inf", None),
        ("1_0", None),
        ("50%", 0.5),
        ("**", None),
        ("1e16", None),
    ],
)
def test_frequencies_mean_the_same_typed_and_in_a_file(cell, number):
    document = Document(two_inputs())
    answer = document.type(0, "count", cell)
    assert bool(answer.reason) == (number is None)
    assert document.tableau.frequencies[0] == (4 if number is None else number)
    assert _in_a_file(f'i,o,"{cell}",1', lambda tableau: tableau.frequencies[0]) == number


def _in_a_file(row, value):
    """Return what a row means in a file; None if it is refused."""
    try:
        return value(read_bytes(f"Input,Output,Frequency,A\n{row}\n".encode(), "t.csv").tableau)
    except InputError:
        return None


def test_a_refused_cell_says_what_to_write_and_what_was_kept():
    document = Document(ilokano())
    assert document.type(0, "c_0", "2.5").reason == "2.5 is not a whole number: write 2 or 3. 1 was kept."
    assert document.type(0, "count", "1,040").reason == (
        "1,040 is not a frequency: write 1040, or 1.040 for a decimal. 33 was kept."
    )
    assert document.tableau == ilokano()
    assert not document.history.can_undo


def test_counts_are_shown_at_the_sample_size_and_edited_as_counts():
    document = Document(ilokano())
    assert [document.text(row, "count") for row in range(3)] == ["33", "33", "33"]
    assert document.type(1, "count", "40").text == "40"
    assert document.tableau.counts().tolist() == [33, 40, 33]
    assert document.tableau.total is None
    assert document.type(1, "count", "1 040").text == "1040"


def test_relative_frequencies_stay_relative_until_there_is_a_sample_size():
    document = Document(Tableau.from_rows([("x", "a", 0.25, (0,)), ("x", "b", 0.75, (1,))], ["A"]))
    assert document.type(0, "count", "0.5").text == "0.5"
    assert document.set_sample_size(0).startswith("The sample size")
    assert document.set_sample_size(100) == ""
    assert document.text(0, "count") == "40"


@pytest.mark.parametrize(
    "text",
    [
        "/bad/\t*Vcd\tIdent\n☞ a. pat\t\t*\nb. bad\t*!\t\n",
        "| Input | Output | Count | *Vcd | Ident |\n|---|---|---|---|---|\n"
        "| bad | pat | 1 | | 1 |\n| | bad | | 1 | |\n",
        "Input,Output,Count,*Vcd,Ident\nbad,pat,1,0,1\n,bad,0,1,0\n",
    ],
    ids=["paper", "Markdown", "commas"],
)
def test_a_whole_table_takes_the_place_of_the_grid_wherever_it_is_pasted(text):
    document = Document(ilokano())
    assert document.paste(1, "candidate", text) == ""
    assert document.tableau.constraints == ("*Vcd", "Ident")
    assert document.tableau.candidates == ("pat", "bad")
    assert document.tableau.violations.tolist() == [[0, 1], [1, 0]]


def test_columns_of_inputs_and_candidates_are_no_tableau_of_a_paper():
    document = Document(ilokano())
    assert document.paste(0, "input", "/bad/\tpat\n\ttat\n") == ""
    assert document.tableau.constraints == ilokano().constraints
    assert document.tableau.candidates[:2] == ("pat", "tat")


def test_a_pasted_block_fills_cells_with_asterisks_counted():
    document = Document(ilokano())
    assert document.paste(0, "c_0", "*\t**\n0\t***\n∗\t\n") == ""
    assert document.tableau.violations[:, :2].tolist() == [[1, 2], [0, 3], [1, 0]]
    document.history.undo()
    assert document.tableau == ilokano()


def test_a_pasted_block_may_reach_below_the_table():
    document = Document(ilokano())
    assert document.paste(2, "candidate", "bub\t5\t1\t2\t3\nbu\t7\t0\t0\t1") == ""
    assert document.tableau.candidates[2:] == ("bub", "bu")
    assert document.tableau.violations[2:].tolist() == [[1, 2, 3], [0, 0, 1]]
    assert document.tableau.counts().tolist() == [33, 33, 5, 7]


def test_a_pasted_block_may_have_decimal_commas():
    document = Document(ilokano())
    assert document.paste(0, "count", "0,5\t1\n1,040\t2,0\n,25\t*") == ""
    assert document.tableau.frequencies.tolist() == [0.5, 1.04, 0.25]
    assert document.tableau.violations[:, 0].tolist() == [1, 2, 1]
    document.history.undo()
    assert document.paste(0, "count", "1,040\t1\n2,080\t2") == (
        "2 frequencies such as 1,040 may mean 1040 or 1.040: write 1040, or 1.040 for a decimal."
    )
    assert document.tableau == ilokano()


def test_a_bad_block_changes_nothing_and_names_every_bad_cell():
    document = Document(ilokano())
    faults = document.paste(0, "c_0", "x\t2\n0\t1.5").split("\n")
    assert faults == [
        "Row 1, *C-ONS: x is not a whole number: write how many violations there are, as 2 or **,"
        " or leave it empty for 0. 1 was kept.",
        "Row 2, AL: 1.5 is not a whole number: write 1 or 2. 0 was kept.",
    ]
    assert document.paste(0, "c_1", "1\t2\t3") == "The block is 1 column wider than the table."
    assert document.too_wide("c_1", "1\t2\t3") == 1
    assert document.tableau == ilokano()


def test_a_block_that_is_too_wide_may_bring_its_constraints():
    document = Document(ilokano())
    assert document.paste(0, "c_1", "1\t2\t3\t4", widen=True) == ""
    assert document.tableau.constraints[3:] == ("Constraint 4", "Constraint 5")
    assert document.tableau.violations[0].tolist() == [1, 1, 2, 3, 4]
    document.history.undo()
    assert document.tableau == ilokano()


def test_a_block_pasted_to_no_cell_goes_to_the_top_left():
    document = Document(ilokano())
    assert document.paste(0, "", "5\t*\n6\t**") == ""
    assert document.tableau.violations[:2, :2].tolist() == [[5, 1], [6, 2]]
    assert document.paste(0, "", "input\tcand\t3") == ""
    assert (document.tableau.inputs, document.tableau.candidates[0]) == (("input",), "cand")


def test_moves_tell_where_the_row_or_column_is_now():
    document = Document(two_inputs())
    assert document.move_constraint(0, 9) == 1
    assert document.move_candidate(0, 9) == 1
    assert document.move_input(0, 9) == 2
    assert document.tableau.inputs == ("z", "x")


def test_a_constraint_of_that_name_is_there_already():
    kept = "give this one another name. A was kept."
    assert Document(two_inputs()).rename_constraint(0, "B") == f"There is already a constraint B: {kept}"
    assert Document(two_inputs()).rename_constraint(0, " ") == "Every constraint needs a name. A was kept."


def test_a_whole_number_in_other_digits_is_told_how_to_be_written():
    reason = Document(ilokano()).type(0, "c_0", "1e3").reason
    assert reason == "1e3 is not a whole number: write 1000. 1 was kept."


def test_a_pasted_block_of_several_inputs_makes_them():
    block = "bɛ̃d\tbɛ̃t\t97\t1\t0\n\tbɛ̃d\t3\t\t1\n\tbɛ̃\t0\t0\t0\n taɡ\ttak\t90\t*\t\ntaɡ\ttaɡ\t10\t\t*!\n"
    document = Document(empty_tableau())
    assert document.paste(0, "input", block) == ""
    made = document.tableau
    assert made.inputs == ("bɛ̃d", "taɡ")
    assert made.candidates == ("bɛ̃t", "bɛ̃d", "bɛ̃", "tak", "taɡ")
    assert made.offsets.tolist() == [0, 3, 5]
    assert made.frequencies.tolist() == [97, 3, 0, 90, 10]
    assert made.violations.tolist() == [[1, 0], [0, 1], [0, 0], [1, 0], [0, 1]]
    assert document.paste(2, "input", "new\ta\t1\t0\t0").startswith("Row 3, input: An input is named")
    assert document.paste(5, "input", "new\ta\t1\t0\t0\n\tb\t2\t0\t2") == ""
    assert document.tableau.inputs == ("bɛ̃d", "taɡ", "new")
    one_each = "".join(f"{form}\t{form}\t1\t0\t0\n" for form in "abcdefg")
    assert document.paste(0, "input", one_each) == ""
    assert document.tableau.inputs == tuple("abcdefg")
    document.history.undo()
    assert document.tableau.inputs == ("bɛ̃d", "taɡ", "new")


def test_a_pasted_table_with_headers_takes_the_place_of_this_one():
    document = Document(two_inputs())
    assert document.paste(1, "c_0", "\t\t\tOnset\t*Voice\nad\tad\t3\t*\t**\n\tat\t1\t*\t\n") == ""
    pasted = document.tableau
    assert (pasted.inputs, pasted.constraints) == (("ad",), ("Onset", "*Voice"))
    assert pasted.violations.tolist() == [[1, 2], [1, 0]]
    assert document.history.last == TABLE_PASTED
    document.history.undo()
    assert document.tableau == two_inputs()


def test_empty_cells_after_the_headers_of_a_pasted_table_are_no_columns():
    document = Document(two_inputs())
    assert document.paste(0, "input", "\t\t\tOnset\t\t\nad\tad\t3\t*\t\t\n\tat\t1\t\t\t\n") == ""
    assert document.tableau.constraints == ("Onset",)
    assert document.tableau.violations.tolist() == [[1], [0]]


def test_a_pasted_table_with_faults_changes_nothing():
    document = Document(two_inputs())
    assert "1.5" in document.paste(0, "input", "\t\t\tOnset\nad\tad\t3\t1.5\n\tat\t1\t0\n")
    assert document.tableau == two_inputs()


def test_names_must_stay_apart():
    document = Document(two_inputs())
    assert document.rename_constraint(0, "B")
    assert document.type(0, "candidate", "b").reason
    assert document.type(0, "input", "z").reason
    assert document.type(0, "candidate", "  ").reason
    assert document.type(1, "input", "new").reason.startswith("An input is named on its first row")
    assert document.tableau == two_inputs()


def test_the_last_constraint_and_candidate_stay():
    document = Document(two_inputs())
    assert document.remove_constraint(0) == ""
    assert document.remove_constraint(0)
    for _ in range(3):
        assert document.remove_candidate(0) == ""
    assert document.remove_candidate(0)
    assert document.tableau.n_rows == document.tableau.n_constraints == 1


def test_inputs_move_with_all_their_rows():
    document = Document(two_inputs())
    document.move_input(0, 1)
    assert document.tableau.inputs == ("z", "x")
    assert document.tableau.candidates == ("c", "d", "a", "b")
    assert document.tableau.frequencies.tolist() == [1, 0, 4, 6]
    document.move_candidate(2, 5)
    assert document.tableau.candidates == ("c", "d", "b", "a")


def test_inputs_of_unlike_sizes_change_places_although_they_share_a_candidate():
    rows = [("x", "a", 1, (0,)), ("z", "a", 1, (0,)), ("z", "b", 0, (1,))]
    document = Document(Tableau.from_rows(rows, ["A"]))
    document.move_input(0, 1)
    assert document.tableau.inputs == ("z", "x")
    assert document.tableau.candidates == ("a", "b", "a")


def test_pictures_are_of_the_previous_table_only_while_it_differs():
    document = Document(ilokano())
    assert not document.changed_since_run
    document.ran = document.tableau
    document.type(0, "c_0", "5")
    assert document.changed_since_run
    document.history.undo()
    assert not document.changed_since_run


@given(st.integers(0, 99))
def test_every_count_reads_back(count):
    assert parse_violations(str(count)) == count
    assert parse_violations("∗" * count) == count


@given(
    st.lists(st.lists(st.text("0123456789* ab", max_size=4), min_size=2, max_size=4), min_size=1, max_size=4)
)
def test_a_block_splits_into_its_cells(cells):
    cells[-1][-1] += "x"
    assert split_block("\r\n".join("\t".join(line) for line in cells) + "\r\n") == cells


def test_the_watcher_hears_every_change_and_nothing_else():
    heard = []
    document = Document(ilokano())
    document.watch(lambda: heard.append(np.array(document.tableau.violations)))
    document.type(0, "c_0", "1")
    document.type(0, "c_0", "7")
    document.history.undo()
    document.history.undo()
    assert [array[0, 0] for array in heard] == [7, 1]


def test_the_last_candidate_and_the_last_constraint_stay_and_say_why():
    document = Document(Tableau.from_rows([("pa", "pa", 3, (0,))], ["Onset"]))
    assert document.remove_candidate(0).startswith("This is the only candidate.")
    assert document.remove_constraint(0).startswith("This is the only constraint.")
    assert document.tableau.n_rows == document.tableau.n_constraints == 1
    assert not document.history.can_undo
