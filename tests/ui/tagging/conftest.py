"""Fixtures of the tagging lab."""

from __future__ import annotations

import pytest

from otlab.tagging import simulate_hmm
from otlab.ui.tagging.lab import TaggingLab
from tests.ui.tagging.helpers import view_of


@pytest.fixture(scope="module")
def corpus():
    return simulate_hmm(2500, 7, tags=6, types=300)


@pytest.fixture
def lab(corpus):
    """A lab without a page."""
    made = TaggingLab(corpus)
    made.settings.param.update(iterations=6, runs=2, states=5, emission_prior=0.1, start="dirichlet")
    yield made
    made.close()


@pytest.fixture
def view(lab):
    """The lab's page."""
    lab.layout = lab.main()
    return view_of(lab)
