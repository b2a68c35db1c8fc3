"""Recent documents on the home page of a server that no other computer can reach."""

from dataclasses import replace
from datetime import datetime
from types import SimpleNamespace

import pytest

from otlab.ui.classroom.exercise import mark_copy
from otlab.ui.documents.store import Saved, Summary, list_documents
from otlab.ui.documents.writer import writer
from otlab.ui.server import serving
from otlab.ui.server.home import home_page, when
from otlab.ui.server.shell import other_documents
from tests.ui.documents.helpers import CASES, paged, reloaded, saved
from tests.ui.documents.test_runs import ran
from tests.ui.page import one, parts, send, sent


def home(store):
    page = home_page(store)
    return page, one(page, "RecentDocuments"), sent(one(page, "AppBar"))


def names(recent):
    return [line["name"] for line in recent.documents]


def test_all_are_listed_newest_first_with_lab_place_and_time(store):
    for n in range(8):
        store.save(Saved(Summary(f"d{n}", "ot_lab", "", f"Table {n}", "Converged", float(n)), {}))
    _, recent, _ = home(store)
    assert names(recent) == [f"Table {n}" for n in range(7, -1, -1)]
    assert recent.documents[0] == {
        "id": "d7",
        "name": "Table 7",
        "lab": "OT",
        "address": "./ot_lab?document=d7",
        "status": "Converged",
        "when": when(7.0, 1e9),
        "changed": 7.0,
        "copy": False,
    }
    assert recent.visible


def test_copies_by_students_are_told_apart_and_no_choice_in_a_lab(store):
    for n in range(3):
        store.save(Saved(Summary(f"d{n}", "ot_lab", "", f"Table {n}", "", float(n)), {}))
    mark_copy(store, "d1", "an exercise")
    list_documents(True)
    try:
        assert [name for _, name in other_documents("ot_lab", "d0")] == ["Table 2"]
    finally:
        list_documents(False)
    page, recent, _ = home(store)
    assert [line["copy"] for line in recent.documents] == [False, True, False]
    send(page, {"kind": "duplicate", "id": "d1"}, "RecentDocuments")
    assert sum(line["copy"] for line in recent.documents) == 2
    send(page, {"kind": "delete", "id": "d1"}, "RecentDocuments")
    assert sum(line["copy"] for line in recent.documents) == 1


def test_what_the_list_does_not_know_changes_no_document(store):
    store.save(Saved(Summary("d", "ot_lab", "", "Table", "", 1.0), {}))
    page, recent, messages = home(store)
    send(page, {"kind": "anything else", "id": "d"}, "RecentDocuments")
    assert (names(recent), store.load("d").summary.called, messages) == (["Table"], "Table", [])


@pytest.mark.slow
def test_a_document_is_renamed_duplicated_deleted_and_brought_back(store):
    lab = paged(CASES["ot"])
    CASES["ot"].edits[0](lab)
    document = saved(lab)
    page, recent, messages = home(store)
    send(page, {"kind": "rename", "id": document, "name": " My table "}, "RecentDocuments")
    assert names(recent) == ["My table"]
    assert lab.bar.called == "My table", "on its open page, too"
    send(page, {"kind": "duplicate", "id": document}, "RecentDocuments")
    assert names(recent) == ["My table (copy)", "My table"]
    copy = recent.documents[0]["id"]
    duplicate = paged(CASES["ot"], document=copy)
    assert duplicate.to_dict() == lab.to_dict()
    assert duplicate.state.history.can_undo
    send(page, {"kind": "delete", "id": document}, "RecentDocuments")
    assert names(recent) == ["My table (copy)"]
    assert messages[-1]["toast"] == "My table is deleted"
    send(page, {"kind": "undo", "key": messages[-1]["key"]}, "AppBar")
    assert names(recent) == ["My table (copy)", "My table"]
    assert reloaded(CASES["ot"], lab).bar.called == "My table"
    for each in (document, copy):
        send(page, {"kind": "delete", "id": each}, "RecentDocuments")
    for left in (["My table (copy)"], ["My table (copy)", "My table"]):
        send(page, {"kind": "keys", "value": "undo"}, "AppBar")
        assert names(recent) == left, "Ctrl Z, the last first"
    told = len(messages)
    for each in (document, copy):
        send(page, {"kind": "delete", "id": each}, "RecentDocuments")
    send(page, {"kind": "undo", "key": messages[told]["key"]}, "AppBar")
    assert names(recent) == ["My table"], "the one that the message is of"
    send(page, {"kind": "keys", "value": "undo"}, "AppBar")
    assert names(recent) == ["My table (copy)", "My table"]
    store.delete(document)
    send(page, {"kind": "rename", "id": document, "name": "gone"}, "RecentDocuments")
    assert names(recent) == ["My table (copy)"], "deleted in another page"
    send(page, {"kind": "delete", "id": copy}, "RecentDocuments")
    assert not recent.visible


@pytest.mark.parametrize(
    ("address", "password", "listed"),
    [
        ("127.0.0.1", "", True),
        ("localhost", "", True),
        ("127.0.0.1", "word", False),
        ("0.0.0.0", "", False),
        ("192.168.1.5", "word", False),
    ],
)
def test_they_are_listed_on_this_computer_alone(store, monkeypatch, address, password, listed):
    store.save(Saved(Summary("d", "ot_lab", "", "Table", "", 1.0), {}))
    served = {}
    monkeypatch.setattr(serving.pn, "serve", lambda pages, **_: served.update(pages))
    monkeypatch.setattr(serving, "load_labs", lambda _: None)
    monkeypatch.setattr(serving.IOLoop, "current", lambda: SimpleNamespace(add_callback=lambda _: None))
    monkeypatch.setattr(serving.sys, "setswitchinterval", lambda _: None)
    monkeypatch.setattr(serving.memory, "limit_arenas", lambda: None)
    serving.serve((), address, 5006, browser=False, password=password)
    assert bool(parts(served["/"](), "RecentDocuments")) == listed
    assert not parts(serving.routes()["/"](), "RecentDocuments"), "as a notebook's or another server's page"


@pytest.mark.slow
def test_the_chooser_of_a_lab_lists_the_other_documents_of_that_lab_where_they_may_be_listed(store):
    for n, route in enumerate(["ot_lab", "mg_lab", "ot_lab"]):
        store.save(Saved(Summary(f"d{n}", route, "", f"Data {n}", "", float(n)), {"lab": route}))
    assert paged(CASES["ot"]).bar.documents == []
    list_documents(True)
    try:
        assert paged(CASES["ot"]).bar.documents == [["d2", "Data 2"], ["d0", "Data 0"]]
        lab = paged(CASES["ot"])
        CASES["ot"].edits[0](lab)
        saved(lab)
        assert reloaded(CASES["ot"], lab).bar.documents == [["d2", "Data 2"], ["d0", "Data 0"]]
    finally:
        list_documents(False)


def test_the_time_is_told_in_words():
    now = datetime(2026, 11, 20, 15, 0).timestamp()  # a Friday

    def shown(*then):
        return when(datetime(*then).timestamp(), now)

    assert shown(2026, 11, 20, 14, 59, 30) == "just now"
    assert shown(2026, 11, 20, 14, 48) == "12 min ago"
    assert shown(2026, 11, 20, 9, 5) == "09:05"
    assert shown(2026, 11, 19, 9, 5) == "yesterday"
    assert shown(2026, 11, 16, 9, 5) == "Monday"
    assert shown(2026, 11, 12, 9, 5) == "12 November"
    assert shown(2025, 11, 12, 9, 5) == "12 November 2025"


@pytest.mark.slow
def test_a_run_is_listed_with_the_verdict_that_comes_after_its_end(store, monkeypatch):
    lab = ran(CASES["ot"])
    early = lab.runner.report
    late = replace(early, badge=replace(early.badge, text="Converged"))
    assert store.recent(1)[0].status == lab.runner.status == "Not converged"
    monkeypatch.setattr("otlab.ui.ot.lab.trust_report", lambda *_: late)
    lab.runner.reassess()  # once the whole run is summed up, on another thread
    writer.flush()
    assert store.recent(1)[0].status == lab.runner.status == "Converged"
