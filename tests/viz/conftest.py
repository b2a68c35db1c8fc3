"""Tableaux that the pictures must cope with."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.ot.tableau import Tableau
from tests.viz.markup import HOSTILE, IPA


@pytest.fixture
def ilokano() -> Tableau:
    rows = [
        ("HRED-bwaja", "bu.bwa.ja", 33, [1, 0, 1]),
        ("HRED-bwaja", "bwaj.bwa.ja", 33, [2, 0, 0]),
        ("HRED-bwaja", "bub.wa.ja", 33, [0, 1, 0]),
    ]
    return Tableau.from_rows(rows, ["*C-ONS", "AL", "I_BR"])


@pytest.fixture
def hostile() -> Tableau:
    """Thirty constraints, names with markup and IPA, one input with one candidate and no data."""
    rng = np.random.default_rng(30)
    names = [f"{HOSTILE}{k}" if k % 2 else f"Max_{k}" for k in range(30)]
    rows = [(HOSTILE, f"{IPA}{k}", k + 1.0, rng.integers(0, 9, 30)) for k in range(4)]
    rows += [("x", HOSTILE, 0.0, rng.integers(0, 9, 30))]
    return Tableau.from_rows(rows, names)
