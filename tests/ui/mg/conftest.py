"""Fixtures of the grammar lab."""

import pytest

from otlab.ui.mg.lab import MGLab


@pytest.fixture
def shown():
    """A lab, its one showing, and the layout that keeps it alive."""
    lab = MGLab()
    showing = lab.main()
    return lab, showing.tab("Induce"), showing
