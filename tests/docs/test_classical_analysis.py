"""The tables of docs/classical_analysis.md are those that otlab finds."""

from __future__ import annotations

import re
from dataclasses import replace
from math import factorial

import numpy as np
import pytest

from otlab.ot import rank, read, typology
from otlab.ot.io.praat import parse_praat
from otlab.ot.io.praat_tableau import praat_reading
from otlab.ot.orders import evaluate
from otlab.samples import samples
from tests.docs.conftest import DOCS

PAGE = (DOCS / "classical_analysis.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line[:2] == "| "
]


def strata_text(ranking):
    return " > ".join(", ".join(stratum) for stratum in ranking.strata) or "none"


def test_every_sample_is_told():
    found = []
    for sample in samples("ot"):
        tableau = read(sample.name)
        k, languages = tableau.n_constraints, len(typology(tableau))
        row = [f"`{sample.name}`", str(k), strata_text(rank(tableau)), str(languages), f"{factorial(k):,}"]
        found.append(row)
    assert found == [row for row in ROWS if row[0].startswith("`")]


@pytest.mark.peer
@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("NoCoda", ["Create NoCoda grammar"]),
        ("place assimilation", ["Create place assimilation grammar"]),
        ("tongue root, Wolof", ["Create tongue-root grammar...", "Five", "Wolof"]),
    ],
)
def test_praats_grammars(name, command, tmp_path):
    from parselmouth.praat import call

    call(*command).save(str(tmp_path / "grammar"))
    grammar, _ = parse_praat((tmp_path / "grammar").read_bytes(), "grammar")
    tableau = praat_reading(grammar).tableau
    values = np.array(list(grammar.ranking_values.values()))
    frequencies = np.zeros(tableau.n_rows)
    for k in range(len(tableau.inputs)):
        rows = tableau.rows(k)
        winner = evaluate(tableau.violations[rows], np.argsort(-values)).winners[0]
        frequencies[rows.start + winner] = 1
    tableau = replace(tableau, frequencies=frequencies)
    order = sorted(grammar.ranking_values.items(), key=lambda pair: -pair[1])
    shown = ", ".join(f"{constraint} {value:g}" for constraint, value in order)
    languages = str(len(typology(tableau)))
    found = [name, shown, strata_text(rank(tableau)), languages, f"{factorial(len(values)):,}"]
    assert found in ROWS


def test_the_page_is_linked():
    assert "classical_analysis.md" in (DOCS / "README.md").read_text(encoding="utf-8")
    assert re.search(r"^# ", PAGE)
