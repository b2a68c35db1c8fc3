"""What other moves would bring to Lin's Gibbs sampler: effective draws for each 1,000 sweeps.

    python -m benchmarks.gibbs_moves

Four chains on Ilokano (M = 99, normal prior with sd 3 on each ranking value) and Spanish (M = 30,
sd 1), noise 1, in plain NumPy over all observations at once. A sweep draws every selection point and
then the ranking values; the variants differ from the first in one thing:

- order: the constraints' selection points are drawn in a new order at each sweep;
- slice: a selection point is drawn by one slice step (Neal 2003) in place of the truncated normal;
- expansion: after each sweep, all selection points and ranking values are multiplied by one number,
  drawn from its conditional distribution, which changes no order (Liu & Wu 1999);
- joint: the selection points of an observation are drawn at once given that its candidate wins; here
  by drawing until it does, which has the distribution that inverting the exact recursion would have.
"""

from __future__ import annotations

import time

import numpy as np
from scipy.special import ndtr, ndtri

from otlab import ot
from otlab.inference.diagnostics import assess
from otlab.ot.conditions import relations

SWEEPS, WARMUP, CHAINS = 20_000, 2_000, 4
VARIANTS = ("systematic", "order", "slice", "expansion", "joint")


class Moves:
    """A Gibbs sampler over the observations of a tableau, with noise 1.

    Parameters
    ----------
    tableau, total
        Data, and the number of observations if they are frequencies.
    prior_sd
        Of a normal prior with mean 0 on each ranking value.
    variant
        One of :data:`VARIANTS`.
    """

    def __init__(self, tableau: ot.Tableau, total: int | None, prior_sd: float, variant: str) -> None:
        self.n = len(tableau.constraints)
        self.prior_sd, self.variant = prior_sd, variant
        groups = [relation for relation in relations(tableau, total) if relation.count]
        ends = np.cumsum([relation.count for relation in groups])
        self.groups = [
            (
                slice(end - relation.count, end),
                [(sorted(c.winners), sorted(c.losers)) for c in relation.conjuncts],
            )
            for relation, end in zip(groups, ends, strict=True)
        ]
        self.total = int(ends[-1])

    def draws(self, seed: int) -> np.ndarray:
        """Return the ranking values of one chain, centred; float64 (sweeps, constraints)."""
        rng = np.random.default_rng(seed)
        values = rng.normal(size=self.n)
        points = self.joint(rng, np.zeros(self.n))
        out = np.empty((SWEEPS, self.n))
        for sweep in range(SWEEPS):
            if self.variant == "joint":
                points = self.joint(rng, values)
            else:
                order = rng.permutation(self.n) if self.variant == "order" else range(self.n)
                for i in order:
                    self.draw_points(rng, points, values[i], i)
            precision = self.total + self.prior_sd**-2
            values = points.sum(axis=0) / precision + rng.normal(size=self.n) / np.sqrt(precision)
            if self.variant == "expansion":
                scale = self.scale(rng, points, values)
                points, values = scale * points, scale * values
            out[sweep] = values - values.mean()
        return out[WARMUP:]

    def draw_points(self, rng: np.random.Generator, points: np.ndarray, mean: float, i: int) -> None:
        """Draw the selection points of constraint `i` given all others."""
        low, high = np.full(self.total, -np.inf), np.full(self.total, np.inf)
        for rows, conditions in self.groups:
            y = points[rows]
            for winners, losers in conditions:
                if i in winners:
                    needed = y[:, losers].max(axis=1)
                    rest = [j for j in winners if j != i]
                    if rest:
                        needed = np.where(y[:, rest].max(axis=1) < needed, needed, -np.inf)
                    np.maximum(low[rows], needed, out=low[rows])
                elif i in losers:
                    np.minimum(high[rows], y[:, winners].max(axis=1), out=high[rows])
        if self.variant == "slice":
            level = (points[:, i] - mean) ** 2 + 2 * rng.exponential(size=self.total)
            reach = np.sqrt(level)
            low, high = np.maximum(low, mean - reach), np.minimum(high, mean + reach)
            points[:, i] = rng.uniform(low, high)
            return
        a, b = ndtr(low - mean), ndtr(high - mean)
        drawn = mean + ndtri(rng.uniform(a, b))
        points[:, i] = np.clip(np.where(np.isfinite(drawn), drawn, points[:, i]), low, high)

    def joint(self, rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
        """Draw all selection points at once, each observation until its candidate wins."""
        points = np.empty((self.total, self.n))
        for rows, conditions in self.groups:
            left = np.arange(rows.start, rows.stop)
            while left.size:
                y = values + rng.normal(size=(left.size, self.n))
                wins = np.ones(left.size, dtype=bool)
                for winners, losers in conditions:
                    wins &= y[:, winners].max(axis=1) > y[:, losers].max(axis=1)
                points[left[wins]] = y[wins]
                left = left[~wins]
        return points

    def scale(self, rng: np.random.Generator, points: np.ndarray, values: np.ndarray) -> float:
        """Draw the common factor: its square is Gamma(d / 2) over half the squared distances."""
        squares = float(((points - values) ** 2).sum() + (values**2).sum() / self.prior_sd**2)
        return float(np.sqrt(rng.gamma((points.size + self.n) / 2) * 2 / squares))


def main() -> None:
    """Print a line for each dataset and variant."""
    print(f"{'data':10} {'variant':11} {'ESS/1,000 sweeps':>20} {'of squares':>11} {'means':28} {'CPU s':>6}")
    for name, total, prior_sd in (("ilokano", 99, 3.0), ("spanish", None, 1.0)):
        tableau = ot.read(name)
        for variant in VARIANTS:
            begin = time.process_time()
            moves = Moves(tableau, total, prior_sd, variant)
            draws = np.array([moves.draws(seed) for seed in range(CHAINS)])
            spent = time.process_time() - begin
            trust = assess(draws)
            per = 1000 / (CHAINS * (SWEEPS - WARMUP))
            means = " ".join(f"{mean:6.3f}" for mean in draws.mean(axis=(0, 1)))
            print(
                f"{name:10} {variant:11} {per * trust.ess.min():20.1f} {per * trust.ess_squares.min():11.1f} "
                f"{means:28} {spent:6.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
