"""Fixtures of the lexicon lab."""

from __future__ import annotations

import pytest

from otlab.discovery.toy import generate
from otlab.ui.lexicon.lab import LexiconLab
from tests.ui.lexicon.helpers import SMALL


@pytest.fixture
def lab():
    made = LexiconLab(generate(SMALL))
    made.settings.param.update(iterations=6)
    made.page()
    return made
