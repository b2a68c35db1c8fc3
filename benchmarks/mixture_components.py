"""Mixtures by EM and BIC against peaks of the density: which of them finds how many grammars fit the data.

    python -m benchmarks.mixture_components

A posterior is called multimodal where the density of a ranking value, or of a difference of two, has
several peaks (:mod:`otlab.inference.modes`), or where the medians predict worse than typical draws.
Another rule is a Gaussian mixture by EM with 1 to 4 components chosen by BIC. Here both look at 2,000
draws of each difference, on three posteriors with known shapes and on generated draws with two peaks.

Draws of Lin's Table 1 are independent: ranking values uniform within the bounds, accepted in
proportion to their exact likelihood. Those of Ilokano and Spanish are every 38th of the exact sampler's.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from sklearn.mixture import GaussianMixture

from otlab import ot
from otlab.inference.modes import peaks
from otlab.ot.fitted import log_likelihoods

DRAWS = 2_000
BOUND = 6.0
COMPONENTS = (1, 2, 3, 4)


def main() -> None:
    """Print a line for each difference of two ranking values."""
    print(f"{'posterior':22} {'difference':16} {'P(> 0)':>6} {'peaks':>5} {'mixture':>7}  BIC of 1 to 4")
    for name in ("lin2005_table1", "ilokano_reduplication", "spanish_diminutive"):
        tableau = ot.read(name)
        draws = _independent(tableau) if name == "lin2005_table1" else _sampled(tableau)
        for a, b in combinations(range(len(tableau.constraints)), 2):
            names = f"{tableau.constraints[a]} - {tableau.constraints[b]}"
            print(_line(name, names, draws[:, a] - draws[:, b]))
    rng = np.random.default_rng(1)
    print(
        _line("generated, two peaks", "0 and 5, sd 1", rng.normal(size=DRAWS) + 5 * (rng.random(DRAWS) < 0.3))
    )


def _independent(tableau: ot.Tableau) -> np.ndarray:
    """Return independent draws from the posterior of three centred ranking values, by rejection."""
    rng = np.random.default_rng(1)
    found: list[np.ndarray] = []
    counts = tableau.counts()
    highest = float(counts @ np.log(counts / counts.sum()))  # no grammar is more likely than the frequencies
    while sum(map(len, found)) < DRAWS:
        two = rng.uniform(-BOUND, BOUND, (20_000, 2))
        rows = np.column_stack([two, -two.sum(axis=1)])
        rows = rows[np.abs(rows[:, 2]) < BOUND]
        accepted = np.log(rng.random(len(rows))) < _log_likelihoods(tableau, rows) - highest
        found.append(rows[accepted])
    return np.concatenate(found)[:DRAWS]


def _log_likelihoods(tableau: ot.Tableau, rows: np.ndarray) -> np.ndarray:
    return log_likelihoods(tableau, ot.predict_many(tableau, rows, noise=1.0))


def _sampled(tableau: ot.Tableau) -> np.ndarray:
    fit = ot.fit_exact(tableau, noise=1.0, bound=BOUND, sweeps=20_000, seed=1)
    draws = fit.posterior.pooled("ranking_value")
    return draws[:: len(draws) // DRAWS][:DRAWS]


def _line(posterior: str, difference: str, draws: np.ndarray) -> str:
    """Return peaks and components of one quantity as a line of the table."""
    column = draws[:, None]
    fits = [GaussianMixture(k, n_init=5, random_state=1).fit(column) for k in COMPONENTS]
    bic = np.array([fit.bic(column) for fit in fits])
    above = ", ".join(f"{value:.0f}" for value in bic - bic.min())
    count = COMPONENTS[int(bic.argmin())]
    return (
        f"{posterior:22} {difference:16} {np.mean(draws > 0):6.2f} {len(peaks(draws)):5} {count:7}  {above}"
    )


if __name__ == "__main__":
    main()
