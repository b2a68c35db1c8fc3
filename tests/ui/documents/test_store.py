"""The store: one file, any thread, deleted documents come back."""

import sqlite3
import threading
import zlib
from contextlib import closing

import pytest

from otlab.errors import InputError
from otlab.ui.documents import writer as writer_module
from otlab.ui.documents.store import (
    COPIED,
    DocumentStore,
    Saved,
    Summary,
    new_id,
    open_store,
    read_values,
    store_path,
)
from otlab.ui.documents.writer import Writer


def document(name="a", **values):
    return Saved(Summary(name, "ot_lab", "", "Ilokano", "", 1.0), {"example": "x", **values}, {"undo": b"1"})


def test_what_is_saved_is_loaded_by_another_server(store):
    store.save(document(seed=5))
    other = DocumentStore(store.path)
    assert other.load("a") == document(seed=5)
    assert other.load("b") is None
    other.close()


def test_a_later_save_keeps_the_name_and_parts_that_are_not_given(store):
    store.save(document())
    store.rename("a", "  Mine ")
    store.save(Saved(Summary("a", "ot_lab", "", "Spanish", "Converged", 2.0), {"example": "y"}))
    found = store.load("a")
    assert found.summary == Summary("a", "ot_lab", "Mine", "Spanish", "Converged", 2.0)
    assert (found.values, found.parts) == ({"example": "y"}, {"undo": b"1"})


def test_a_document_is_copied_deleted_and_brought_back(store):
    store.save(document())
    copy = store.duplicate("a")
    assert store.load(copy).parts == {"undo": b"1", COPIED: b"1.0"}
    assert store.summary(copy).called == "Ilokano (copy)"
    store.delete("a")
    assert store.load("a") is None
    assert [each.id for each in store.recent(9)] == [copy]
    store.restore("a")
    assert [each.id for each in store.recent(9)] == [copy, "a"]
    with pytest.raises(KeyError):
        store.duplicate("no such document")


def test_documents_deleted_days_ago_are_gone(store, monkeypatch):
    store.save(document())
    monkeypatch.setattr("otlab.ui.documents.store.time.time", lambda: 0.0)
    store.delete("a")
    monkeypatch.undo()
    DocumentStore(store.path).close()
    store.restore("a")
    assert store.load("a") is None


def test_a_document_of_a_later_version_or_a_damaged_one_says_so(store):
    store.save(document())
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("UPDATE documents SET format = 99")
    with pytest.raises(InputError, match="later version"):
        store.load("a")
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("UPDATE documents SET format = 1, content = x'00'")
    with pytest.raises(InputError, match="damaged"):
        store.load("a")
    with pytest.raises(InputError, match="damaged"):
        read_values(zlib.compress(b"[1]"), 1)
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("UPDATE documents SET format = 'one'")
    with pytest.raises(InputError, match="damaged"):
        store.load("a")


def test_a_store_that_stays_locked_is_not_taken_for_a_damaged_one(store):
    store.save(document())
    store._connection.execute("PRAGMA busy_timeout = 0")
    with closing(sqlite3.connect(store.path)) as other:
        store._connection.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN EXCLUSIVE")
        for read in (lambda: store.load("a"), store.recent):
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                read()
        other.rollback()
    assert store.load("a") == document()


def test_a_document_in_a_damaged_part_of_the_file_says_so_and_the_list_is_empty(store):
    store.save(document())
    store._connection.execute("ALTER TABLE documents RENAME COLUMN changed TO unreadable")
    assert store.recent() == []
    with pytest.raises(InputError, match="damaged"):
        store.load("a")


def test_ids_cannot_be_guessed_and_the_file_is_the_users_alone(store):
    assert len({new_id() for _ in range(100)}) == 100
    assert len(new_id()) >= 22  # 128 bits
    assert store.path.stat().st_mode & 0o077 == 0


def test_the_environment_names_the_file_or_keeps_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("OTLAB_DOCUMENTS", "off")
    assert open_store() is None
    monkeypatch.setenv("OTLAB_DOCUMENTS", str(tmp_path / "file" / "documents.sqlite"))
    (tmp_path / "file").write_text("no folder")
    assert open_store() is None
    monkeypatch.delenv("OTLAB_DOCUMENTS")
    assert store_path().name == "documents.sqlite"


def test_the_writer_does_the_newest_order_once_and_goes_on_after_a_failure(caplog):
    writer, done, event = Writer(), [], threading.Event()
    writer.put("a", lambda: done.append("old"), 60)
    writer.put("a", lambda: done.append("new"), 60)
    writer.flush("a")
    writer.flush("a")
    assert done == ["new"]
    writer.put("b", lambda: 1 / 0, 0)
    writer.put("c", event.set, 0)
    assert event.wait(30)
    assert "could not be saved" in caplog.text


def test_what_could_not_be_written_is_written_later_unless_newer_work_waits(monkeypatch):
    monkeypatch.setattr(writer_module, "AGAIN_SECONDS", 3600.0)  # until it is asked for
    writer, full, done = Writer(), [True], []

    def work(name):
        if full:
            raise OSError("disk full")
        done.append(name)

    writer.put("a", lambda: work("first"), 60)
    writer.flush("a")
    writer.flush("a")
    full.clear()
    writer.flush("a")
    assert done == ["first"]
    full.append(True)
    writer.put("a", lambda: (writer.put("a", lambda: work("newer"), 60), work("older")), 60)
    writer.flush("a")
    full.clear()
    writer.flush("a")
    writer.flush("a")
    assert done == ["first", "newer"]
