"""What an exercise hides is hidden in every tab, file, menu and link of every lab, until it is revealed."""

from __future__ import annotations

import io
import zipfile

import pytest

from otlab.ui.classroom.board import board_of
from otlab.ui.components.cards import CardMenu
from otlab.ui.components.downloads import Downloads
from otlab.ui.documents.writer import writer
from otlab.ui.hiding import HIDDEN
from tests.ui.classroom.helpers import made, pupil, runs
from tests.ui.documents.helpers import CASES, paged
from tests.ui.page import download, parts, send, shown_text

LABS = ("ot", "tagging", "mg", "lexicon")


def offered(case):
    """Return what can be hidden in a lab, as its dialog offers it."""
    teacher = paged(CASES[case])
    send(teacher.bar, {"kind": "offer"})
    return teacher, teacher.sent[-1]["exercise"]["hides"]


def senders(lab):
    """Return every component of every tab that sends files, each tab built and opened."""
    found = []
    for tab in lab.tabs:
        lab.go(tab.title)
        shown = next(iter(lab.showings)).tab(tab.title).show()
        found += [(tab.title, each) for kind in (Downloads, CardMenu) for each in parts(shown, kind)]
    return [(title, each) for title, each in found if each.files]


def keys_of(sender):
    return [key for key, _ in sender.files if key]


def content(row, key):
    """Return a file's content; of a spreadsheet without the time at which it was made."""
    _, data = download(row, key)
    if not data.startswith(b"PK"):
        return data
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return {name: file.read(name) for name in file.namelist() if not name.startswith("docProps")}


@pytest.mark.slow
@pytest.mark.parametrize("case", LABS)
def test_no_file_with_results_is_sent_whatever_is_hidden(case):
    teacher, hides = offered(case)
    found = senders(teacher)
    assert {type(each).__name__ for _, each in found} >= {"Downloads", "DocumentFile"}
    assert case != "ot" or "CardMenu" in {type(each).__name__ for _, each in found}
    asked: list[str] = []
    for _, each in found:
        each._make = lambda key: (asked.append(key) or key, b"")
        each._send_msg = lambda message: None
    for hidden in hides:
        teacher.state.hides = [hidden]
        for _, each in found:
            asked.clear()
            for key in keys_of(each):
                each._handle_msg({"key": key})
            assert asked == [key for key in keys_of(each) if key in getattr(each, "of_data", [])], hidden
            assert each.withheld


@pytest.mark.slow
@pytest.mark.parametrize("case", LABS)
def test_files_that_are_never_hidden_are_the_same_before_and_after_a_run(case):
    exercise, _ = made(paged(CASES[case]), own_seed=False)
    student = pupil(case, exercise)
    student.settings.param.update(**CASES[case].short)
    student.go("Data")
    data = next(iter(student.showings)).tab("Data")
    (row,) = [each for title, each in senders(student) if title == "Data" and type(each) is Downloads]
    before = {key: content(row, key) for key in row.of_data}
    runs(student)
    assert {key: content(row, key) for key in row.of_data} == before
    assert {*data.of_data} == {*row.of_data} <= {*keys_of(row)}


@pytest.mark.slow
@pytest.mark.parametrize("case", LABS)
def test_every_card_that_can_be_hidden_is_hidden_in_other_tabs_too(case):
    """A tab that says nothing of what it repeats is hidden with each card; what it says names such cards."""
    teacher, hides = offered(case)
    cards = [hidden for hidden in hides if ": " in hidden]
    assert cards
    for tab in teacher.tabs:
        for repeats in tab.repeats.values():
            assert all(any(card.startswith(each) for card in cards) for each in repeats)
    for hidden in cards:
        teacher.state.hides = [hidden]
        for tab in teacher.tabs:
            if tab.title == "Speakers":  # empty, since the table has no speakers; see test_speakers
                continue
            teacher.go(tab.title)
            shown = shown_text(next(iter(teacher.showings)).shown)
            own = hidden.startswith(f"{tab.title}: ")
            again = any(hidden.startswith(each) for repeats in tab.repeats.values() for each in repeats)
            assert (HIDDEN in shown) == (own or again), tab


@pytest.mark.slow
def test_what_the_posterior_shows_is_in_no_tab_and_no_figure():
    exercise, _ = made(paged(CASES["ot"]), hidden=["Learn: Posterior"])
    student = pupil("ot", exercise)
    student.settings.param.update(**CASES["ot"].short)
    runs(student)
    student.go("Compare")
    compare = next(iter(student.showings)).tab("Compare")
    for card in (compare._parameters_card, compare.spread.card, compare.endless.card):
        assert HIDDEN in shown_text(card)
    assert HIDDEN not in shown_text(compare._table_card)
    assert student.runner._trust_words()["stats"] == []
    student.state.hides = []
    assert HIDDEN not in shown_text(student.layout)


@pytest.mark.slow
def test_a_saved_file_has_no_results_while_they_are_hidden(store):
    exercise, _ = made(paged(CASES["ot"]), hidden=["Learn: Posterior"])
    student = pupil("ot", exercise)
    student.settings.param.update(**CASES["ot"].short)
    runs(student)
    writer.flush(student.document)
    writer.flush(f"{student.document} runs")

    def saved_parts():
        with zipfile.ZipFile(io.BytesIO(student.document_file()[1]())) as file:
            return [name for name in file.namelist() if name.startswith("parts/")]

    assert saved_parts() == []
    board_of(exercise, store).reveal(True)
    assert saved_parts()


@pytest.mark.slow
def test_a_copy_opens_as_the_exercise_by_any_link(store):
    exercise, _ = made(paged(CASES["ot"]), hidden=["Learn: Posterior"])
    student = pupil("ot", exercise)
    writer.flush(student.document)
    by_document = paged(CASES["ot"], document=student.document)
    assert by_document.document == student.document
    assert by_document.state.hides == ["Learn: Posterior"]
    fresh = paged(CASES["ot"])
    send(fresh.bar, {"kind": "arrived", "document": student.document})
    assert fresh.document != student.document
    open_to_all, _ = made(paged(CASES["ot"]))
    assert pupil("ot", open_to_all, document=student.document).document != student.document
