from __future__ import annotations

import pytest

from otlab.discovery.corpus import Corpus
from otlab.discovery.toy import ToyLanguage, generate

SHORT = "ab ab\nab c\nc ab ab\nabc\nb\nc c"


@pytest.fixture(scope="session")
def short():
    """A few short utterances with repeats."""
    return Corpus.from_text(SHORT)


@pytest.fixture(scope="session")
def toy():
    """A toy language small enough for every test."""
    return generate(ToyLanguage(words=12, utterances=120))
