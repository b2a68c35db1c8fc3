"""Lexicons and corpora that several tests use."""

from __future__ import annotations

import pytest

from otlab.mg.lexicon import Lexicon
from otlab.samples import load_sample


@pytest.fixture
def figure1() -> Lexicon:
    return load_sample("figure1_wh")


@pytest.fixture
def figure1_corpus() -> list[list[str]]:
    return [s.split() for s in 3 * ["what did you see"] + ["what did see you"]]


@pytest.fixture
def gender() -> Lexicon:
    return load_sample("gender_induction")


@pytest.fixture
def gender_corpus() -> list[list[str]]:
    return [s.split() for s in 3 * ["le soleil"] + 2 * ["le jour"] + 3 * ["la lune"] + 2 * ["la mer"]]
