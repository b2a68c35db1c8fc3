"""A folder that cannot be written, a full disk, two servers, a clock that jumps: what a page does."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from otlab.ui.documents import store as stores
from otlab.ui.documents import writer as writer_module
from otlab.ui.documents.keeper import NOT_KEPT
from otlab.ui.documents.store import DocumentStore, new_id
from otlab.ui.documents.writer import writer
from tests.ui.browser import ROOT
from tests.ui.documents.helpers import CASES, paged, reloaded, saved

NOBODY = 65534


@pytest.fixture
def read_only_folder():
    folder = Path(tempfile.mkdtemp(prefix="otlab-read-only-"))
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@contextmanager
def without_privileges():
    """Run as a user who can write no more than the mode of a folder says, as the administrator can."""
    administrator = os.geteuid() == 0
    if administrator:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if administrator:
            os.seteuid(0)


def test_a_folder_that_cannot_be_written_is_told_on_the_page(read_only_folder, monkeypatch, caplog):
    monkeypatch.setenv("OTLAB_DOCUMENTS", str(read_only_folder / "documents.sqlite"))
    with without_privileges():
        assert stores.open_store() is None
    lab = paged(CASES["ot"], document=new_id())
    assert lab.bar.saved == ""
    CASES["ot"].edits[0](lab)
    assert lab.bar.saved == NOT_KEPT
    assert (lab.document, lab.edited) == ("", True)
    assert "documents are not kept" in caplog.text
    assert not list(read_only_folder.iterdir())


@contextmanager
def no_room_beyond(size):
    """Let no file of this process grow beyond this size, as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_page_on_a_full_disk_says_so_and_saves_when_there_is_room(store, monkeypatch):
    monkeypatch.setattr(writer_module, "AGAIN_SECONDS", 3600.0)  # until it is asked for
    lab = paged(CASES["ot"])
    CASES["ot"].edits[0](lab)
    document = saved(lab)
    assert lab.bar.saved == "Saved"
    before = store.load(document).values
    with no_room_beyond(1000):
        CASES["ot"].edits[1](lab)
        writer.flush(document)
        assert lab.bar.saved.startswith("Not saved: ")
        assert store.load(document).values == before
    writer.flush(document)
    assert lab.bar.saved == "Saved"
    assert reloaded(CASES["ot"], lab).tableau == lab.tableau


WRITES = """
import sys
from pathlib import Path
from otlab.ui.documents.store import DocumentStore, Saved, Summary
store = DocumentStore(Path(sys.argv[1]))
for n in range(20):
    for name in (f"{sys.argv[2]} {n}", "both"):
        store.save(Saved(Summary(name, "ot_lab", "", name, "", float(n)), {"by": sys.argv[2], "n": n}))
store.close()
"""


@pytest.mark.slow
def test_two_processes_write_to_one_store_at_once(tmp_path):
    path = tmp_path / "shared.sqlite"
    command = [sys.executable, "-W", "error", "-c", WRITES, str(path)]
    servers = [
        subprocess.Popen([*command, name], cwd=ROOT, stderr=subprocess.PIPE, text=True) for name in "ab"
    ]
    assert [server.communicate(timeout=60)[1] for server in servers] == ["", ""]
    store = DocumentStore(path)
    assert {summary.id for summary in store.recent()} == {"both"} | {
        f"{s} {n}" for s in "ab" for n in range(20)
    }
    assert store.load("both").values["n"] == 19
    store.close()


@pytest.mark.parametrize("jump", [-10 * 86_400.0, 10 * 86_400.0])
def test_edits_after_the_clock_has_jumped_are_saved(store, monkeypatch, jump):
    lab = paged(CASES["ot"])
    CASES["ot"].edits[0](lab)
    saved(lab)
    clock = stores.time.time
    monkeypatch.setattr(stores.time, "time", lambda: clock() + jump)
    CASES["ot"].edits[1](lab)
    saved(lab)
    assert lab.bar.saved == "Saved"
    again = reloaded(CASES["ot"], lab)
    assert again.tableau == lab.tableau
    assert again.state.history.can_undo
