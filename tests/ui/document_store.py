"""A store of documents for each test, without a compiler in the background."""

from __future__ import annotations

import pytest

from otlab.ui.documents.store import open_store
from otlab.ui.documents.writer import writer
from otlab.ui.server import warm

__all__ = ["cold", "store"]


@pytest.fixture(autouse=True)
def cold(monkeypatch):
    """Compile nothing in the background."""
    monkeypatch.setattr(warm.kernels, "start", lambda: None)


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    """A store of its own for each test."""
    monkeypatch.setenv("OTLAB_DOCUMENTS", str(tmp_path / "documents.sqlite"))
    made = open_store()
    yield made
    writer.flush()
    made.close()
