"""Calibration of grammars with speakers and items: ranks of planted values among draws of the posterior.

    python -m benchmarks.speakers_calibration [--sets N] [--first N]

Simulation-based calibration (Talts et al. 2018): m, tau and omega are drawn from their priors, tokens from
them (MaxEnt, 6 constraints, 12 speakers, 8 items), and the rank of each value among 99 draws of the
posterior of these tokens is uniform if the sampler is right. A histogram of each in 20 bins is printed, with
the p of its chi-square; all together hold if none is below .001 after Bonferroni. Set n is that of seed n.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit
from scipy.stats import chi2

from otlab.ot import NormalPrior, Tableau
from otlab.ot.groups import Groups
from otlab.ot.learners.maxent_mixed import fit_maxent_mixed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

SETS, BINS, DRAWS, LEAST = 200, 20, 99, 0.001
CONSTRAINTS, SPEAKERS, ITEMS, INPUTS, EACH = 6, 12, 8, 6, 2
NAMES = [f"{name} {k + 1}" for name in ("m", "tau", "omega") for k in range(CONSTRAINTS)]


def planted(seed: int) -> tuple[Tableau, NDArray[np.float64]]:
    """Return a set of tokens drawn from the prior of all parameters, and m, tau and omega."""
    rng = np.random.default_rng(seed)
    violations = rng.integers(0, 2, (INPUTS, 2, CONSTRAINTS))
    m, tau, omega = rng.normal(0, 1, CONSTRAINTS), *np.abs(rng.normal(0, 1, (2, CONSTRAINTS)))
    u = tau * rng.standard_normal((SPEAKERS, CONSTRAINTS))
    v = omega * rng.standard_normal((ITEMS, CONSTRAINTS))
    g, i, x = (
        a.reshape(-1) for a in np.meshgrid(range(SPEAKERS), range(ITEMS), range(INPUTS), indexing="ij")
    )
    advantage = ((violations[x, 1] - violations[x, 0]) * (m + u[g] + v[i])).sum(axis=1)
    first = rng.binomial(EACH, expit(advantage))
    rows = [(f"x{r // 2}", f"c{r % 2}", 0, violations[r // 2, r % 2].tolist()) for r in range(2 * INPUTS)]
    bare = Tableau.from_rows(rows, [f"C{k}" for k in range(CONSTRAINTS)])
    names = [f"s{n}" for n in g] * 2, [f"w{n}" for n in i] * 2
    groups = Groups.of(*names, [*(2 * x), *(2 * x + 1)], [*first, *(EACH - first)])
    tableau = replace(bare, frequencies=groups.sums(bare.n_rows), groups=groups)
    return tableau, np.concatenate([m, tau, omega])


def ranks_of(seeds: Iterable[int]) -> NDArray[np.int64]:
    """Return the rank, 0 to 99, of each planted value of each set, (sets, 3 K)."""
    prior, ranks = NormalPrior(np.zeros(CONSTRAINTS), np.ones(CONSTRAINTS)), []
    for seed in seeds:
        tableau, truth = planted(seed)
        result = fit_maxent_mixed(
            tableau, prior=prior, weights="free", sweeps=600, warmup=200, chains=2, seed=seed
        )
        draws = np.hstack([result.posterior.pooled(name) for name in ("weight", "tau", "omega")])
        some = draws[np.linspace(0, len(draws) - 1, DRAWS).round().astype(int)]
        ranks.append((some < truth).sum(axis=0))
    return np.array(ranks)


def histograms(ranks: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the counts of each value's ranks, (3 K, bins), and the p of uniform ranks by chi-square."""
    counts = np.array([np.bincount(each * BINS // (DRAWS + 1), minlength=BINS) for each in ranks.T])
    expected = len(ranks) / BINS
    statistic = ((counts - expected) ** 2 / expected).sum(axis=1)
    return counts, np.asarray(chi2.sf(statistic, BINS - 1))


def main(argv: list[str] | None = None) -> int:
    """Print the histograms and whether they are uniform; return 1 if not."""
    program = "python -m benchmarks.speakers_calibration"
    parser = argparse.ArgumentParser(prog=program, description=__doc__.split("\n")[0])
    parser.add_argument("--sets", type=int, default=SETS, help="sets to generate (default: %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="seed of the first set (default: %(default)s)")
    args = parser.parse_args(argv)
    begin = time.process_time()
    counts, p = histograms(ranks_of(range(args.first, args.first + args.sets)))
    for name, row, each in zip(NAMES, counts, p, strict=True):
        print(f"{name:8} {' '.join(f'{n:3}' for n in row)}   p {each:.3f}")
    least = p.min() * len(p)
    verdict = "uniform" if least > LEAST else "NOT uniform"
    taken = time.process_time() - begin
    print(
        f"{args.sets} sets: {verdict}; least p {p.min():.4f}, {min(1.0, least):.3f} after Bonferroni; ",
        end="",
    )
    print(f"{taken:.0f} CPU seconds")
    return int(least <= LEAST)


if __name__ == "__main__":
    raise SystemExit(main())
