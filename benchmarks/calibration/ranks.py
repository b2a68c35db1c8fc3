"""Ranks of what was planted among draws of the posterior, their histograms, and whether they are uniform."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import chisquare

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["DRAWS", "LEAST_P", "Sampler", "bins_of", "calibrate", "is_right", "p_values", "table"]

DRAWS, BINS = 63, 16
LEAST_P = 0.001


@dataclass(frozen=True)
class Sampler:
    """A sampler to be tested.

    Attributes
    ----------
    name
        On the command line.
    statistics
        What they are called.
    one_set
        Given a random generator, draws one set and returns the planted statistics and those of `DRAWS` draws.
    """

    name: str
    statistics: tuple[str, ...]
    one_set: Callable[[np.random.Generator], tuple[Sequence[float], np.ndarray]]


def calibrate(sampler: Sampler, sets: int, seed: int) -> np.ndarray:
    """Return the ranks of what was planted, (sets, statistics), each 0 to `DRAWS`."""
    ranks = np.empty((sets, len(sampler.statistics)), np.int64)
    for number in range(sets):
        rng = np.random.default_rng([seed, number, *sampler.name.encode()])
        planted, draws = sampler.one_set(rng)
        below, equal = (draws < planted).sum(axis=0), (draws == planted).sum(axis=0)
        ranks[number] = below + rng.integers(0, equal + 1)
    return ranks


def bins_of(ranks: np.ndarray, bins: int = BINS) -> np.ndarray:
    """Return the histogram of one statistic's ranks."""
    return np.bincount(ranks * bins // (DRAWS + 1), minlength=bins)


def p_values(ranks: np.ndarray, bins: int = BINS) -> list[float]:
    """Return p of the chi-square test of uniform ranks, for each statistic."""
    return [float(chisquare(bins_of(column, bins)).pvalue) for column in ranks.T]


def is_right(ranks: np.ndarray) -> bool:
    """Return whether no statistic fails, at `LEAST_P` for all together."""
    return min(p_values(ranks)) > LEAST_P / ranks.shape[1]


def table(sampler: Sampler, ranks: np.ndarray, seconds: float) -> str:
    """Return the rank histograms of a sampler, and the verdict."""
    found = p_values(ranks)
    lines = [f"{sampler.name}: {len(ranks)} sets in {seconds:.0f} CPU seconds"]
    for name, column, p in zip(sampler.statistics, ranks.T, found, strict=True):
        lines.append(f"  {name:24} {' '.join(f'{n:3d}' for n in bins_of(column))}   p = {p:.3f}")
    verdict = "uniform" if is_right(ranks) else "NOT UNIFORM"
    lines.append(f"  {verdict}: least p = {min(found):.4f} of {len(found)}")
    return "\n".join(lines)
