"""Fixtures of the OT lab."""

from __future__ import annotations

import pytest

from otlab.ui.ot.lab import OTLab


@pytest.fixture
def lab():
    made = OTLab("ilokano")
    made.settings.param.update(sweeps=600, runs=5, trials=2000)
    yield made
    made.close()


@pytest.fixture
def shown(lab):
    """A lab with one showing, as on a page."""
    lab.layout = lab.main()
    return lab
