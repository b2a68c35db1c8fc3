"""Fixtures of the grammar lab."""

import pytest

from otlab.ui.mg import state as lab_state
from otlab.ui.mg.lab import MGLab


@pytest.fixture(autouse=True)
def in_haste(monkeypatch):
    """No pauses between iterations, because no page is drawn."""
    monkeypatch.setattr(lab_state, "WATCHED_SECONDS", 0.1)


@pytest.fixture
def shown():
    """A lab, its one showing, and the layout that keeps it alive."""
    lab = MGLab()
    showing = lab.main()
    return lab, showing.tab("Induce"), showing
