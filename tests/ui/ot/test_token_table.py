"""The counts by speaker and item in the grid's card: edited, added, undone, and their sums."""

from __future__ import annotations

import numpy as np
import pytest
from panel.models.tabulator import TableEditEvent

from otlab.ot import read, read_text
from otlab.ui.ot.document import Document
from otlab.ui.ot.lab import OTLab
from otlab.ui.ot.tabs.token_table import TokenTable
from tests.ui.page import control, press, shown_text

ROWS = "Speaker,Item,Input,Output,n,*T\nAna,v,t,t,3,0\nAna,w,t,t,4,0\nBen,v,t,t,1,0\nBen,v,t,0,5,1\n"


@pytest.fixture
def lab():
    lab = OTLab(read_text(ROWS))
    lab.layout = lab.main()
    return lab


def opened(lab):
    (view,) = lab.showings
    view.go("Learn")
    tab = view.tab("Learn")
    control(tab, "Rows of the grid").value = "tokens"
    return tab, tab.violations.tokens


def edit(tokens, row, column, text):
    old = tokens.table.value.loc[row, column]
    tokens.table.value.loc[row, column] = text
    event = TableEditEvent(tokens.table, column=column, row=row, pre=False)
    event.value, event.old = text, old
    for callback in tokens.table._on_edit_callbacks:
        callback(event)


def lines(tokens):
    return tokens.table.value.to_numpy().tolist()


def sums(lab):
    tableau = lab.state.tableau
    assert np.array_equal(tableau.groups.sums(tableau.n_rows), tableau.frequencies)
    return tableau.frequencies.tolist()


def test_each_count_is_a_line_and_an_edit_changes_the_sum_and_is_undone(lab):
    _, tokens = opened(lab)
    assert lines(tokens)[0] == ["Ana", "v", "t", "t", "3"]
    assert (len(lines(tokens)), sums(lab)) == (4, [8, 5])
    edit(tokens, 0, "Count", "10")
    assert sums(lab) == [15, 5]
    assert lines(tokens)[0][-1] == "10"
    assert lab.state.history.undo() == "Tokens changed"
    assert sums(lab) == [8, 5]
    assert lines(tokens)[0][-1] == "3"
    lab.state.history.redo()
    assert sums(lab) == [15, 5]


def test_what_is_typed_as_it_was_is_no_edit(lab):
    _, tokens = opened(lab)
    edit(tokens, 0, "Count", "3")
    edit(tokens, 0, "Speaker", " Ana ")
    assert sums(lab) == [8, 5]
    assert not lab.state.history.can_undo
    assert lines(tokens)[0][:2] == ["Ana", "v"]


def test_a_speaker_is_renamed_in_one_line_and_equal_lines_are_added_up(lab):
    _, tokens = opened(lab)
    edit(tokens, 2, "Speaker", "Ana")
    assert lines(tokens) == [
        ["Ana", "v", "t", "t", "4"],
        ["Ana", "w", "t", "t", "4"],
        ["Ben", "v", "t", "0", "5"],
    ]
    assert sums(lab) == [8, 5]


@pytest.mark.parametrize(
    ("column", "text", "told"), [("Count", "many", "is not a count"), ("Item", " ", "no item")]
)
def test_what_makes_no_sense_is_refused_with_the_reason(column, text, told, lab):
    tab, tokens = opened(lab)
    before = lab.state.tableau
    edit(tokens, 0, column, text)
    assert lab.state.tableau is before
    assert lines(tokens)[0] == ["Ana", "v", "t", "t", "3"]
    assert told in shown_text(tab)


def test_tokens_of_a_new_speaker_are_added_and_lines_are_found(lab):
    tab, tokens = opened(lab)
    tokens.speaker.value_input, tokens.item.value_input, tokens.count.value_input = "Cleo", "v", "6"
    tokens.candidate.value = 1
    press(tab, "Add tokens")
    assert lab.state.tableau.groups.speakers == ("Ana", "Ben", "Cleo")
    assert sums(lab) == [8, 11]
    tokens.find.value_input = "cle"
    assert lines(tokens) == [["Cleo", "v", "t", "0", "6"]]
    edit(tokens, 0, "Count", "7")  # the line that is seen
    assert sums(lab) == [8, 12]
    tokens.find.value_input = "nobody"
    assert lines(tokens) == []


def test_the_switch_is_there_only_where_somebody_is_named(lab):
    tab, tokens = opened(lab)
    assert tab.violations.view.visible
    lab.state.load_example("ilokano")
    assert not tab.violations.view.visible
    assert tab.violations.view.value == "candidates"
    tokens.find.value_input = "Ana"  # a key that was on its way
    assert tab.violations.view.value == "candidates"
    assert lab.state.tableau == read("ilokano")


def test_the_lines_fill_the_window_until_one_goes_back(lab):
    tab, tokens = opened(lab)
    assert [line[:3] for line in lines(tokens)] == [
        ["Ana", "v", "t"],
        ["Ana", "w", "t"],
        ["Ben", "v", "t"],
        ["Ben", "v", "t"],
    ]
    press(tab, "Back to the lab")
    assert tab.violations.view.value == "candidates"
    assert control(tab, "Full screen").visible
    press(tab, "Full screen")
    control(tab, "Rows of the grid").value = "tokens"
    assert control(tab, "Back to the lab").visible


def test_an_exercise_locks_the_lines(lab):
    tab, tokens = opened(lab)
    lab.state.locks = ["data"]
    tab.violations.refresh()
    assert set(tokens.table.editors.values()) == {None}
    assert not control(tab, "Add tokens").visible


def test_levels_that_the_data_lack_have_no_column():
    table = TokenTable(Document(read_text("Speaker,Input,Output,n,*T\nAna,t,t,3,0\nBen,t,0,5,1\n")))
    table.refresh()
    assert list(table.table.value.columns) == ["Speaker", "Input", "Candidate", "Count"]
    assert not table.item.visible
    document = Document(read_text("Speaker,Input,Output,n,*T\nAna,t,t,3,0\nBen,t,0,5,1\n"))
    assert document.add_tokens("Ana", "v", 0, "2").startswith("These tokens name one item")
    assert document.add_tokens("Cleo", "", 0, "2") == ""
    assert document.tableau.frequencies.tolist() == [5, 5]


@pytest.mark.slow
def test_a_table_of_1440_tokens_is_shown_by_pages():
    lab = OTLab(read("speakers_and_words"))
    lab.layout = lab.main()
    _, tokens = opened(lab)
    assert len(lines(tokens)) == len(lab.state.tableau.groups.count)
    assert (tokens.table.pagination, tokens.table.page_size) == ("remote", 50)
