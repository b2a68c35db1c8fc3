"""The grid of the OT lab without a browser: what its menus and keys ask for, and what it answers."""

from __future__ import annotations

import asyncio

import pytest

from otlab.ot import Tableau
from otlab.ot.formulas import with_formula
from otlab.ui.ot.document import TABLE_PASTED, Document
from otlab.ui.ot.tabs.grid import ViolationGrid
from tests.ui.page import control, parts, press, send, sent, shown_text

CODAS = [("pat", "pat", 4, (0, 0)), ("pat", "pa", 1, (0, 1))]


@pytest.fixture
def codas():
    """A document whose first column counts codas, its grid, and what that announces."""
    return opened(with_formula(Tableau.from_rows(CODAS, ["Coda", "Max"]), 0, "NoCoda"))


@pytest.fixture
def plain():
    """A document without formulas, its grid, and what that announces."""
    return opened(Tableau.from_rows(CODAS, ["Coda", "Max"]))


def opened(tableau):
    document, told = Document(tableau), []
    grid = ViolationGrid(document, told.append)
    document.watch(grid.refresh)
    grid.refresh()
    return document, grid, told


def ask(grid, kind, **message):
    send(grid, {"kind": kind, **message}, "GridKeys")


def offers(grid):
    """Return the buttons in sight that offer to count a column or to add columns."""
    labels = [one.label for one in parts(grid, "Button") if one.visible]
    return [label for label in labels if label.startswith(("Count it", "Add "))]


def test_all_cells_typed_over_in_a_column_are_counted_again(codas):
    document, grid, _ = codas
    document.type(0, "c_0", "5")
    document.type(1, "c_0", "6")
    ask(grid, "count-column", field="c_0")
    assert document.tableau.violations[:, 0].tolist() == [1, 0]
    assert not document.tableau.formulas.typed


def test_a_counted_column_is_kept_as_typed_numbers(codas):
    document, grid, _ = codas
    ask(grid, "count-typed", field="c_0")
    assert document.tableau.formulas.texts == ("", "")
    assert document.tableau.violations[:, 0].tolist() == [1, 0]
    document.history.undo()
    assert document.tableau.formulas.texts[0] == "NoCoda"


def test_one_of_several_readings_is_picked_and_given_back():
    rows = [("abab", "ab", 1, (0,)), ("abab", "abab", 0, (0,))]
    document, grid, _ = opened(with_formula(Tableau.from_rows(rows, ["C"]), 0, "Contiguity"))
    counted = document.tableau.violations[0, 0]
    ask(grid, "count-reading", row=0, field="c_0", reading=counted + 1)
    assert document.tableau.violations[0, 0] == counted + 1
    ask(grid, "count-use", row=0, field="c_0")
    assert document.tableau.violations[0, 0] == counted


def test_what_is_asked_of_cells_that_are_gone_or_in_words_unknown_changes_nothing(codas):
    document, grid, _ = codas
    before, messages = document.tableau, sent(grid, "GridKeys")
    ask(grid, "count-hover", row=7, field="c_0")
    ask(grid, "count-hover", row=0, field="c_7")
    ask(grid, "count-typed", field="c_7")
    ask(grid, "count-more", field="c_0")
    ask(grid, "turn", field="candidate")
    ask(grid, "type", row=7, field="count", text="9", seen=0)
    ask(grid, "type", row=0, field="c_7", text="9", seen=0)
    assert document.tableau is before
    assert messages == []


def test_of_a_typed_column_there_is_nothing_to_tell(codas):
    _, grid, _ = codas
    messages = sent(grid, "GridKeys")
    ask(grid, "count-hover", row=1, field="c_1")
    assert [message["text"] for message in messages] == [""]


def test_a_cell_typed_over_tells_what_was_counted_there(codas):
    document, grid, _ = codas
    document.type(0, "c_0", "5")
    messages = sent(grid, "GridKeys")
    ask(grid, "count-hover", row=0, field="c_0")
    assert "NoCoda: 1" in messages[-1]["text"]
    assert "5 was typed over the count" in messages[-1]["text"]


def test_a_form_that_cannot_be_counted_tells_why():
    document, grid, _ = opened(with_formula(Tableau.from_rows(CODAS, ["A", "B"]), 0, "*[+voice]"))
    document.type(0, "candidate", "p⌘t")
    messages = sent(grid, "GridKeys")
    ask(grid, "count-hover", row=0, field="c_0")
    assert "⌘" in messages[-1]["text"]


def test_an_offer_to_count_goes_with_the_name_it_was_made_for(plain):
    document, grid, _ = plain
    ask(grid, "rename", field="c_0", name="NoCoda")
    assert offers(grid) == ["Count it: NoCoda"]
    ask(grid, "move-last", field="c_0")
    assert offers(grid) == []
    ask(grid, "rename", field="c_0", name="Dep")
    assert offers(grid) == ["Count it: Dep"]
    document.history.undo()
    assert offers(grid) == []


def test_an_offer_to_count_is_taken_up_once(plain):
    document, grid, _ = plain
    ask(grid, "rename", field="c_0", name="NoCoda")
    offer = control(grid, "Count it: NoCoda")
    offer.param.trigger("clicks")
    offer.param.trigger("clicks")
    assert document.history.undo() == "NoCoda counted"
    assert document.tableau.formulas is None
    assert document.tableau.constraints[0] == "NoCoda"


def test_a_pasted_table_is_announced_with_what_was_remarked_on_it(plain):
    document, grid, told = plain
    ask(grid, "paste", row=0, field="input", text="\t\t\tOnset\nad\tad\t3\t-1\n\tat\t1\t0\n")
    assert document.tableau.constraints == ("Onset",)
    assert told[0].startswith(f"{TABLE_PASTED}. ")
    assert "read as penalties" in told[0]


def test_a_block_that_is_too_wide_and_wrong_is_told_again_once_its_constraints_are_added(plain):
    document, grid, _ = plain
    before = document.tableau
    ask(grid, "paste", row=0, field="c_1", text="1\tmany")
    press(grid, "Add the constraint and paste")
    assert document.tableau is before
    assert "many is not a whole number" in grid.foot.object
    assert offers(grid) == []


def test_a_block_that_is_too_wide_brings_its_constraints_once(plain):
    document, grid, told = plain
    ask(grid, "paste", row=0, field="c_1", text="1\t2\t3")
    wider = control(grid, "Add 2 constraints and paste")
    wider.param.trigger("clicks")
    wider.param.trigger("clicks")
    assert document.tableau.violations[0].tolist() == [0, 1, 2, 3]
    assert told == ["Cells pasted, with 2 new constraints"]


def test_the_last_constraint_stays_and_no_undo_is_offered(plain):
    document, grid, told = plain
    ask(grid, "remove-constraint", field="c_0")
    assert document.tableau.constraints == ("Max",)
    ask(grid, "remove-constraint", field="c_0")
    assert document.tableau.constraints == ("Max",)
    assert "This is the only constraint" in grid.foot.object
    assert told == ["Constraint Coda removed"]


def test_of_many_faults_the_first_three_are_told(plain):
    _, grid, _ = plain
    ask(grid, "paste", row=0, field="count", text="a\tb\tc\nd\te\tf")
    text = shown_text(grid)
    assert text.count("not a whole number") + text.count("not a frequency") == 3
    assert "and 3 more" in text


def test_a_locked_table_takes_no_rows(plain):
    document, grid, _ = plain
    before = document.tableau
    grid.locked = True
    grid.refresh()
    for what in ("input", "candidate", "constraint"):
        grid.add(what)
    ask(grid, "add-candidate", row=0)
    assert document.tableau is before


def test_a_cell_typed_while_others_were_sent_is_forgotten_with_its_row(plain, monkeypatch):
    monkeypatch.setattr("otlab.ui.ot.tabs.grid.DRAWN_MS", 10)
    document, grid, _ = plain
    raised = []

    async def visit():
        asyncio.get_running_loop().set_exception_handler(lambda _, context: raised.append(context))
        ask(grid, "type", row=1, field="count", text="7", seen=-1)
        assert document.remove_candidate(1) == ""
        await asyncio.sleep(0.1)

    asyncio.run(visit())
    assert raised == []
    assert grid.table.value["count"].tolist() == ["4"]
