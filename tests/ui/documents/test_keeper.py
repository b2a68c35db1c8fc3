"""A page and its document, in every lab: saved as it is edited, opened again with all that belongs to it."""

from __future__ import annotations

import json
import sqlite3
from types import SimpleNamespace

import panel as pn
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from otlab.ui.documents import limits
from otlab.ui.documents.encoding import dumps, loads
from otlab.ui.documents.keeper import SAVED, SAVING, Keeper
from otlab.ui.documents.limits import packed_edits
from otlab.ui.documents.store import new_id
from otlab.ui.documents.writer import writer
from otlab.ui.history import Edits
from otlab.ui.ot.lab import OTLab
from otlab.ui.server.shared_notice import SharedNotice
from tests.ui.documents.helpers import CASES, paged, reloaded, saved
from tests.ui.documents.test_runs import ran, results
from tests.ui.page import parts, press, send, shown_text


def content(lab):
    return lab.to_dict()


def as_json(lab):
    return json.loads(json.dumps(content(lab)))


def trail(lab):
    """Return what is open after each Undo, back to the first edit, and then after each Redo."""
    states = [content(lab)]
    for move, possible in ((lab.undo, "can_undo"), (lab.redo, "can_redo")):
        while getattr(lab.state.history, possible):
            move()
            states.append(content(lab))
    return states


@pytest.mark.slow
def test_edits_and_their_history_come_back(case):
    lab = paged(case)
    for edit in case.edits:
        edit(lab)
        lab.changed()
    lab.settings.param.update(seed=77)
    assert saved(lab)
    again = reloaded(case, lab)
    assert (again.bar.document_id, again.bar.saved) == (lab.document, "Saved")
    assert content(again) == content(lab)
    assert again.settings.seed == 77
    assert again.state.history.can_undo
    assert trail(again) == trail(lab)


@pytest.mark.slow
def test_a_page_that_was_only_looked_at_leaves_no_document(case, store):
    lab = paged(case)
    other = list(lab.examples())[-1]
    lab.choose(other)
    asked = paged(case, example=other, seed="5")
    writer.flush()
    assert (lab.document, asked.document, asked.settings.seed) == ("", "", 5)
    assert lab.bar.saved == ""
    assert store.recent(9) == []


@pytest.mark.slow
def test_a_setting_a_learner_and_a_file_make_a_document(store):
    case = CASES["ot"]
    one, two, three = (paged(case) for _ in range(3))
    one.settings.seed = 4
    two.runner.enable(["gla"])
    three.open_file("my.csv", b"input,candidate,frequency,Max\nap,ap,3,0\nap,a,1,1\n")
    for lab in (one, two, three):
        saved(lab)
    assert {each.id for each in store.recent(9)} == {one.document, two.document, three.document}
    assert reloaded(case, two).state.learners == ["gla"]
    assert store.summary(three.document).called == "my.csv"


@pytest.mark.slow
def test_another_example_stays_in_the_document_and_can_be_undone_after_a_reload(store):
    case = CASES["ot"]
    lab = paged(case)
    case.edits[0](lab)
    before = content(lab)
    lab.choose("spanish_diminutive")
    saved(lab)
    again = reloaded(case, lab)
    assert again.example == "spanish_diminutive"
    again.undo()
    assert content(again) == before
    assert again.edited


@pytest.mark.slow
def test_a_large_table_that_no_link_holds_comes_back(monkeypatch):
    monkeypatch.setattr("otlab.ui.ot.state.MOST_LINKED_CELLS", 5)
    case = CASES["ot"]
    lab = paged(case)
    case.edits[0](lab)
    assert lab.bar.kept == ""
    saved(lab)
    assert reloaded(case, lab).tableau == lab.tableau


@pytest.mark.slow
def test_the_tab_finds_its_document_again_and_may_start_over(store):
    case = CASES["ot"]
    lab = paged(case)
    plain = content(lab)
    case.edits[0](lab)
    saved(lab)
    again = paged(case)
    send(again.bar, {"kind": "arrived", "document": lab.document})
    assert (again.document, content(again)) == (lab.document, content(lab))
    assert again.sent[-1]["action"] == "Start over"
    send(again.bar, {"kind": "undo", "key": again.sent[-1]["key"]})
    writer.flush()
    assert (again.document, content(again)) == ("", plain)
    assert store.load(lab.document).values == content(lab), "the document itself stays as it was"


@pytest.mark.parametrize(("kind", "words"), [("ot", "not on this computer"), ("mg", "another lab")])
def test_an_address_of_no_document_of_this_lab_says_so(kind, words):
    lab = paged(CASES["ot"])
    CASES["ot"].edits[0](lab)
    document = saved(lab) if kind == "mg" else new_id()
    other = paged(CASES[kind], document=document)
    assert words in shown_text(other.layout)
    assert not other.document


@pytest.mark.slow
def test_an_unreadable_history_costs_only_the_history(store):
    case = CASES["ot"]
    lab = paged(case)
    case.edits[0](lab)
    saved(lab)
    with sqlite3.connect(store.path) as connection:
        connection.execute("UPDATE parts SET data = x'00'")
    again = reloaded(case, lab)
    assert again.tableau == lab.tableau
    assert not again.state.history.can_undo


def test_what_cannot_be_saved_is_said(store, monkeypatch):
    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    lab = paged(CASES["ot"])
    monkeypatch.setattr(type(store), "save", full)
    CASES["ot"].edits[0](lab)
    saved(lab)
    assert lab.bar.saved == "Not saved: database or disk is full"


def test_a_page_whose_browser_has_no_connection_yet_hears_that_it_was_saved(store):
    """A busy server may save the first edit before the browser is connected."""
    page, session = Document(), SimpleNamespace(destroyed=False, connection_count=0)
    context = SimpleNamespace(session=session, destroyed=False)
    page._session_context = lambda: context
    lab, shown = OTLab(), []
    with set_curdoc(page):
        keeper = Keeper(lab, store, lambda *told: shown.append(told[-1]), lambda *_: None)
        keeper.begin()
        writer.flush(keeper.id)
        for waiting in page.session_callbacks:
            waiting.callback()
        assert shown == [SAVING, SAVED]
        keeper.touch()
        keeper.close()
        writer.flush(keeper.id)
    assert not page.session_callbacks, "a closed page is told nothing"


@pytest.mark.slow
def test_a_page_is_told_that_another_one_has_saved_other_data(case):
    """It may take them, go on in a copy, or save its own again, which the other page is then told."""
    told = "Another page has saved this document since"
    older = paged(case)
    case.edits[0](older)
    older.changed()
    saved(older)
    newer = reloaded(case, older)
    newer.changed()
    saved(newer)
    assert told not in shown_text(older.layout), "the same data"
    case.edits[1](newer)
    newer.changed()
    saved(newer)
    assert told in shown_text(older.layout)
    assert told not in shown_text(newer.layout)
    press(older.layout, "Show what is saved")
    assert content(older) == content(newer)
    assert told not in shown_text(older.layout)
    newer.undo()
    saved(newer)
    assert told in shown_text(older.layout)
    older.settings.seed += 1
    older.undo()
    older.redo()
    saved(older)
    assert told not in shown_text(older.layout)
    assert told in shown_text(newer.layout)
    older.close()
    newer.close()


def test_without_a_store_nothing_is_kept_and_nothing_fails(monkeypatch):
    monkeypatch.setenv("OTLAB_DOCUMENTS", "off")
    lab = paged(CASES["ot"], document=new_id())
    CASES["ot"].edits[0](lab)
    assert (lab.document, lab.bar.saved, lab.edited) == ("", "", True)
    send(lab.bar, {"kind": "rename", "name": "Mine"})
    assert (lab.document, lab.bar.called, lab.bar.saved) == ("", "", "")


def test_what_is_no_document_has_no_copy(store):
    lab, shown = OTLab(), []
    keeper = Keeper(lab, store, lambda *told: shown.append(told), lambda *_: None)
    keeper.copy()
    writer.flush()
    assert (keeper.id, shown, store.recent()) == ("", [], [])


def test_edits_of_other_data_than_those_that_were_saved_are_not_taken_back(store):
    """A part may be older than the document, as after a server that was stopped between the two."""
    case = CASES["ot"]
    lab = paged(case)
    case.edits[0](lab)
    document = saved(lab)
    changed, edits = loads(store.part(document, "undo"))
    store.put_parts(document, {"undo": dumps((changed - 1, edits))})
    again = reloaded(case, lab)
    assert content(again) == content(lab)
    assert not again.state.history.can_undo


def test_of_a_history_that_is_too_long_the_newest_edits_are_saved(monkeypatch):
    edits = Edits("now", tuple((f"edit {n}", "x" * 1000) for n in range(20)), ())
    whole = len(packed_edits(1.0, edits))
    monkeypatch.setattr(limits, "MOST_UNDO_BYTES", whole // 3)
    changed, kept = loads(packed_edits(1.0, edits))
    assert (changed, kept.now) == (1.0, "now")
    assert kept.past == edits.past[-5:]
    monkeypatch.setattr(limits, "MOST_UNDO_BYTES", 1)
    assert loads(packed_edits(1.0, edits))[1] == Edits("now", (), ())


@pytest.mark.slow
@pytest.mark.parametrize("back", [False, True])
def test_a_run_that_is_begun_before_the_page_is_drawn_stays(monkeypatch, back):
    case, waiting = CASES["ot"], []
    lab = ran(case)
    monkeypatch.setattr(type(pn.state), "onload", lambda _state, do: waiting.append(do))
    again = reloaded(case, lab)
    if back:
        case.edits[0](again)
        again.undo()
    again.settings.seed += 1
    again.runner.run()
    assert again.runner.wait(120)
    own = results(again, case.learner)
    for do in waiting:
        do()
    assert results(again, case.learner) == own != results(lab, case.learner)
    assert again.state.wanted is None


def test_a_page_that_has_left_a_document_hears_no_more_of_it(store):
    page, session = Document(), SimpleNamespace(destroyed=False, connection_count=1)
    context = SimpleNamespace(session=session, destroyed=False)
    page._session_context = lambda: context
    lab, told = OTLab(), []
    with set_curdoc(page):
        keeper = Keeper(lab, store, lambda *_: None, lambda *shared: told.append(shared))
        keeper.begin()
    other = Keeper(OTLab(), store, lambda *_: None, lambda *_: None)
    assert other.open(keeper.id)
    waiting = page.session_callbacks
    with set_curdoc(page):
        keeper.leave(lambda: None)
        assert told == [(False, False, False)]
        for each in waiting:
            each.callback()
    assert waiting
    assert told == [(False, False, False)]
    other.close()


@pytest.mark.slow
def test_two_pages_of_one_document_say_so_and_the_newer_may_go_on_in_a_copy(case, store):
    older, notice = paged(case), "open in another page too"
    case.edits[0](older)
    older.changed()
    document = saved(older)
    assert notice not in shown_text(older.layout)
    newer = reloaded(case, older)
    assert notice in shown_text(older.layout)
    assert notice in shown_text(newer.layout)
    assert not parts(older.layout, lambda part: getattr(part, "label", "") == "Open a copy")
    press(newer.layout, "Open a copy")
    assert notice not in shown_text(older.layout) + shown_text(newer.layout)
    case.edits[1](newer)
    newer.changed()
    copy = saved(newer)
    assert copy != document == saved(older)
    assert store.summary(copy).called.endswith("(copy)")
    assert store.load(document).values == as_json(older)
    assert store.load(copy).values == as_json(newer) != as_json(older)
    third = reloaded(case, older)
    assert notice in shown_text(older.layout)
    third.close()
    assert notice not in shown_text(older.layout)


def test_a_note_of_which_nothing_changes_stays_with_its_buttons():
    """A page that opens or closes elsewhere would take away the button that is being pressed."""
    notice, place = SharedNotice(), pn.Column("below")
    notice.show(True, True, False)  # before the page is made
    notice.put_above(place, SimpleNamespace(copy=lambda: None, show_saved=lambda: None))
    note, _ = place
    notice.show(True, True, False)
    assert place[0] is note
    notice.show(True, True, True)
    assert "Another page has saved" in shown_text(place)
    notice.show(False, False, False)
    assert [part.object for part in place] == ["below"]
