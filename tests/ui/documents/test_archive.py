"""A document as one file: saved from the Data tab, opened there and from the home page as a new document."""

from __future__ import annotations

import io
import json
import zipfile
from base64 import b64decode, b64encode
from pathlib import Path

import pytest

from otlab.errors import InputError
from otlab.ui.data_tab import DataTab
from otlab.ui.documents.archive import read_archive, write_archive
from otlab.ui.documents.store import Saved, Summary
from otlab.ui.server.home import home_page
from tests.ui.documents.helpers import CASES, paged, saved
from tests.ui.documents.test_runs import ran, results
from tests.ui.page import messages, one, send, sent
from tests.ui.waiting import until

FORMAT_1 = Path(__file__).parent / "format_1.otlab"


def data_tab(lab):
    """Return the Data tab of a lab's page, opened."""
    (showing,) = lab.showings
    (title,) = [kind.title for kind in lab.tabs if issubclass(kind, DataTab)]
    showing.go(title)
    return showing.tab(title)


def file_of(lab):
    """Return name and content of what "Save as file" saves."""
    name, make = lab.document_file()
    return name, make()


def plain(lab):
    return json.loads(json.dumps(lab.to_plain()()))


def changed(data, **manifest):
    """Return a file with another manifest."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "manifest.json":
                content = json.dumps({**json.loads(content), **manifest}).encode()
            new.writestr(name, content)
    return stream.getvalue()


@pytest.mark.slow
def test_a_saved_file_opens_as_a_new_document_with_its_results_and_history(case, store):
    lab = paged(case)
    for edit in case.edits:
        edit(lab)
    learner = case.learner if case.learner != "gibbs" else "gla"  # which learns from any table
    lab.runner.enable([learner])
    lab.settings.param.update(**case.short)
    lab.runner.run()
    assert lab.runner.wait(120)
    lab.changed()
    document = saved(lab)
    name, data = file_of(lab)
    assert name.endswith(".otlab")
    other = paged(case)
    tab = data_tab(other)
    tab.zone.take(name, data)
    assert tab.zone.wait()
    assert other.document not in ("", document)
    assert plain(other) == plain(lab)
    assert results(other, learner) == results(lab, learner)
    assert other.state.history.can_undo
    other.undo()
    lab.undo()
    assert plain(other) == plain(lab)
    assert store.load(document) is not None


@pytest.mark.slow
def test_the_button_saves_what_a_fresh_page_shows_and_the_home_page_opens_it(store):
    lab = paged(CASES["ot"], example="spanish_diminutive", seed="7")
    saving = data_tab(lab).saving
    messages = sent(saving)
    send(saving, {"key": "document"})
    until(lambda: messages)
    assert messages[0]["name"] == "spanish_diminutive.otlab"
    data = b64decode(messages[0]["data"])
    page = home_page(store)
    opened = sent(one(page, "DropZone"))
    send(page, {"name": "mine.otlab", "data": b64encode(data).decode()}, "DropZone")
    key = opened[0]["open"].removeprefix("./ot_lab?file=")
    other = paged(CASES["ot"], file=key)
    assert other.document
    assert (other.example, other.settings.seed) == ("spanish_diminutive", 7)
    send(page, {"name": "mine.otlab", "data": b64encode(b"PK").decode()}, "DropZone")
    assert "mine.otlab is not a document of otlab, or is damaged" in one(page, "DropZone").message


def test_the_bar_saves_the_same_file_where_a_link_cannot_hold_it(case):
    lab = paged(case)
    case.edits[0](lab)
    messages = sent(lab.bar)
    send(lab.bar, {"kind": "file"})
    until(lambda: messages)
    name, data = file_of(lab)
    assert messages[0]["name"] == name
    assert read_archive(b64decode(messages[0]["data"])).values == read_archive(data).values


@pytest.mark.slow
def test_without_a_store_the_file_replaces_what_is_open_and_undo_brings_it_back(monkeypatch):
    _, data = file_of(ran(CASES["ot"]))
    monkeypatch.setenv("OTLAB_DOCUMENTS", "off")
    lab = paged(CASES["ot"], example="spanish_diminutive")
    lab.open_file("mine.otlab", data)
    assert lab.example == "ilokano_reduplication"
    send(lab.bar, {"kind": "undo", "key": lab.sent[-1]["key"]})
    assert lab.example == "spanish_diminutive"


def test_a_file_of_another_lab_of_a_later_version_or_a_damaged_one_says_so(store):
    lab = paged(CASES["ot"])
    _, data = file_of(lab)
    tab = data_tab(lab)
    before, kept = plain(lab), store.recent(9)
    for content, words in (
        (changed(data, lab="mg_lab"), "belongs to another lab"),
        (changed(data, format=3, otlab="9.0"), "saved by a later version of otlab (9.0)"),
        (changed(data, parts={"parts/7": "undo"}), "damaged"),
        (data[:-30], "damaged"),
        (b"no zip", "damaged"),
    ):
        tab.zone.take("mine.otlab", content)
        assert tab.zone.wait()
        assert words in messages(tab)
        assert (plain(lab), lab.document, store.recent(9)) == (before, "", kept)


@pytest.mark.slow
def test_a_file_of_format_1_opens(store):
    lab = paged(CASES["ot"])
    lab.open_file("format_1.otlab", FORMAT_1.read_bytes())
    assert lab.bar.called == "Ilokano, three for one"
    assert lab.edited
    assert lab.tableau.frequencies[0] == 3
    assert (lab.settings.seed, lab.settings.sweeps, lab.settings.chains) == (77, 200, 2)
    assert lab.runner.phase == "done"
    assert lab.state.history.can_undo


def test_what_is_written_is_read():
    summary = Summary("", "ot_lab", "Größe", "Ilokano", "Done", 1.5)
    document = Saved(summary, {"a": [1, "ɲ"]}, {"run x": b"\0"})
    assert read_archive(write_archive(document)) == document
    for damaged in (
        changed(write_archive(document), changed="yesterday"),
        write_archive(Saved(summary, ["a"], {})),
    ):
        with pytest.raises(InputError, match="damaged"):
            read_archive(damaged)
