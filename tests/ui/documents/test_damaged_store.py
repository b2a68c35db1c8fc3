"""A store that is damaged, full or shared, or whose clock jumps: what can be read is read, new work kept."""

from __future__ import annotations

import sqlite3
import time
from contextlib import suppress
from random import Random

import pytest

from otlab.errors import InputError
from otlab.ui.documents import store as stores
from otlab.ui.documents.store import DocumentStore, Saved, Summary, new_id


def document(name="a", size=3000, changed=1000.0):
    values = {"example": "ilokano", "text": name * size}
    return Saved(Summary(name, "ot_lab", "", name, "", changed), values, {"undo": name.encode() * size})


@pytest.fixture
def whole(tmp_path):
    """The bytes of a store of twenty documents."""
    made = DocumentStore(tmp_path / "whole.sqlite")
    for n in range(20):
        made.save(document(f"document {n} "))
    made.close()
    return made.path.read_bytes()


def use(path):
    """Do what pages do with a store; return how many documents could be read."""
    store = stores._opened.__wrapped__(path)
    assert store is not None
    read = 0
    for n in range(20):
        name = f"document {n} "
        store.part(name, "undo")
        store.part_sizes(name, "")
        store.summary(name)
        with suppress(InputError):
            read += store.load(name) is not None
    store.recent()
    store.names("")
    with suppress(sqlite3.Error):  # the page says that it could not be saved
        store.save(document("new"))
    store.close()
    return read


@pytest.mark.parametrize("seed", range(12))
def test_flipped_bytes_cost_documents_and_nothing_else(tmp_path, whole, seed):
    rng, data = Random(seed), bytearray(whole)
    for _ in range(rng.choice((1, 10, 200))):
        data[rng.randrange(len(data))] = rng.randrange(256)
    path = tmp_path / "flipped.sqlite"
    path.write_bytes(data)
    use(path)


@pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 0.5, 0.9, 0.999])
def test_a_store_that_is_cut_off_costs_documents_and_nothing_else(tmp_path, whole, share):
    path = tmp_path / "cut.sqlite"
    path.write_bytes(whole[: int(len(whole) * share)])
    use(path)


def test_a_file_that_is_no_store_is_set_aside_and_work_goes_on(tmp_path, whole, caplog):
    path = tmp_path / "mine.sqlite"
    path.write_bytes(b"x" * 100 + whole[100:])
    store = stores._opened.__wrapped__(path)
    store.save(document("new"))
    assert store.load("new").values["text"].startswith("new")
    store.close()
    (aside,) = tmp_path.glob("mine.damaged-*.sqlite")
    assert aside.read_bytes()[100:] == whole[100:], "it may be repaired"
    assert "is damaged" in caplog.text


def test_a_full_disk_keeps_what_was_saved(tmp_path):
    store = DocumentStore(tmp_path / "full.sqlite")
    store.save(document("a"))
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    random = "".join(new_id() for _ in range(20_000))
    with pytest.raises(sqlite3.OperationalError, match="full"):
        store.save(Saved(Summary("b", "ot_lab"), {"text": random}))
    assert store.load("b") is None
    assert store.load("a").values == document("a").values
    store._connection.execute("PRAGMA max_page_count = 1000000")
    store.save(Saved(Summary("b", "ot_lab"), {"text": random}))
    assert store.load("b").values["text"] == random
    store.close()


def test_two_servers_write_to_one_store(tmp_path):
    one, other = (DocumentStore(tmp_path / "shared.sqlite") for _ in range(2))
    for n in range(30):
        (one if n % 2 else other).save(document(f"document {n}"))
        (other if n % 2 else one).save(document("both", changed=float(n)))
    assert {summary.id for summary in one.recent()} == {summary.id for summary in other.recent()}
    assert len(one.recent()) == 31
    assert one.load("both").summary.changed == 29.0
    one.close()
    other.close()


@pytest.mark.parametrize("jump", [-10 * 86_400.0, 10 * 86_400.0])
def test_a_clock_that_jumps_loses_no_document(tmp_path, monkeypatch, jump):
    store = DocumentStore(tmp_path / "clock.sqlite")
    store.save(document("a", changed=time.time()))
    now = time.time()
    monkeypatch.setattr(stores.time, "time", lambda: now + jump)
    store.save(document("b", changed=now + jump))
    store.close()
    store = DocumentStore(tmp_path / "clock.sqlite")
    assert {summary.id for summary in store.recent()} == {"a", "b"}
    store.close()
