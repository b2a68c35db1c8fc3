"""The otlab columns of docs/published_results.md are what otlab finds."""

from __future__ import annotations

import re

import numpy as np
import pytest

from otlab.ot import fit_gla, fit_maxent, predict, read
from otlab.ot.learners.priors import equal_prior
from otlab.ot.settings import with_total
from tests.docs.conftest import DOCS

PAGE = (DOCS / "published_results.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line[:2] == "| "
]
MAXENT = {
    "counts, nonnegative, none": ("nonnegative", None, None),
    "counts, nonnegative, sd 1": ("nonnegative", 1.0, None),
    "counts, free sign, sd 1": ("free", 1.0, None),
    "per cent, free sign, sd 1": ("free", 1.0, 100),
}


def row_of(first, column=-1):
    (found,) = [row for row in ROWS if row[0].startswith(first)]
    return found[column]


def figures(text):
    return [float(number) for number in re.findall(r"-?\d*\.\d+", text)]


@pytest.mark.parametrize("setup", MAXENT)
def test_maxent(setup):
    weights, sd, total = MAXENT[setup]
    spanish = with_total(read("spanish"), total)
    prior = None if sd is None else equal_prior(spanish, sd)
    fit = fit_maxent(spanish, weights=weights, prior=prior, seed=1)
    parts = [part.strip() for part in row_of(setup).split(";")]
    shares = 100 * fit.predicted.at_best[[0, 2, 4]]
    per_cent = [part for part in parts if len(figures(part)) == 3][-1]
    np.testing.assert_allclose(shares, figures(per_cent), atol=0.0051)
    if total is None:
        assert fit.predicted.log_likelihood == pytest.approx(figures(parts[-1])[-1], abs=6e-6)
    if weights == "free":
        np.testing.assert_allclose(fit.mean, figures(parts[0]), atol=5.1e-5)


def test_the_gla_by_praats_schedule():
    (row,) = [row for row in ROWS if row[0].startswith("`japanese") and "praat" in row[1]]
    fit = fit_gla(read("japanese"), trials=400_000, runs=6, plan="praat", seed=1, noise=2.0)
    shares = 100 * fit.predicted.mean[[0, 2, 4]]
    for column in (2, 3):
        np.testing.assert_allclose(shares, figures(row[column]), atol=1.5)


def test_exact_probabilities():
    ilokano, table1 = read("ilokano"), read("lin2005_table1")
    al, base = figures(row_of("Ilokano at a third each"))
    assert predict(ilokano, [0, al, base], 1.0).probability == pytest.approx([1 / 3] * 3, abs=1e-9)
    al, base = figures(row_of("the same, noise 2"))
    assert predict(ilokano, [0, al, base], 2.0).probability == pytest.approx([1 / 3] * 3, abs=1e-9)
    (apart,) = figures(row_of("Lin's Table 1 at .77"))
    shares = predict(table1, [apart, apart, 0], 1.0).probability
    assert shares == pytest.approx([0.77, 0.23], abs=1e-9)
