"""Calibration of the taggers' samplers: ``python -m benchmarks tagging_calibration [MODEL ...] [--sets N]``.

Simulation-based calibration (Talts et al. 2018): parameters are drawn from their prior and a text from them;
the rank of each true value among draws from the posterior is uniform if the sampler is right. Texts with an
empty sentence, and those of more than 60 words, are drawn again with their parameters, which leaves the
posterior of the others as it is. Printed are the p values of a chi-squared test with ten bins.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import chi2

from otlab.tagging import Concentration, Corpus, Prior, make_learner

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MODELS", "main", "ranks", "uniformity"]

SENTENCES, MOST_WORDS, TYPES, STATES = 6, 60, 4, 3
DRAWS, THIN, WARMUP, BINS = 99, 6, 60, 10
EMISSION = 0.5
CONCENTRATION = Concentration(2.0, 1.0)
END = -1

Set = tuple[list[list[int]], list[list[int]], dict[str, float]]
"""Words and states of each sentence, and the true values by name."""


def _sentences(
    follow: Callable[[int], int], emit: Callable[[int], int]
) -> tuple[list[list[int]], list[list[int]]] | None:
    """Draw the sentences of a text; None if one is empty, or there are too many words."""
    words, states = [], []
    for _ in range(SENTENCES):
        path = [follow(END)]
        while path[-1] != END:
            if sum(map(len, states)) + len(path) > MOST_WORDS:
                return None
            path.append(follow(path[-1]))
        if len(path) == 1:
            return None
        states.append(path[:-1])
    for path in states:
        words.append([emit(k) for k in path])
    return words, states


class _Urn:
    """Words of each state, parameters integrated out: Dirichlet, or Pitman-Yor with a discount."""

    def __init__(self, rng: np.random.Generator, alpha: float, discount: float) -> None:
        self.rng, self.theta, self.discount = rng, TYPES * alpha, discount
        self.tables: dict[int, list[list[int]]] = {}

    def __call__(self, state: int) -> int:
        """Draw a word."""
        tables = self.tables.setdefault(state, [])
        weights = [size - self.discount for _, size in tables]
        weights.append(self.theta + self.discount * len(tables))
        at = _choose(self.rng, weights)
        if at == len(tables):
            tables.append([int(self.rng.integers(TYPES)), 0])
        tables[at][1] += 1
        return tables[at][0]


def _choose(rng: np.random.Generator, weights: list[float]) -> int:
    shares = np.cumsum(weights)
    return int(min(np.searchsorted(shares, rng.random() * shares[-1], "right"), len(weights) - 1))


class _Franchise:
    """Transitions of the infinite HMM, the weights integrated out: the Chinese restaurant franchise."""

    def __init__(self, rng: np.random.Generator, gamma: float, alpha: float, rho: float) -> None:
        self.rng, self.gamma, self.alpha, self.rho = rng, gamma, alpha, rho
        self.customers: dict[int, list[int]] = {}
        self.dishes = {END: 1}

    def __call__(self, state: int) -> int:
        """Draw what follows a state, or the boundary."""
        rng, seen = self.rng, self.customers.setdefault(state, [])
        if rng.random() * (self.alpha + len(seen)) < len(seen):
            dish = seen[int(rng.integers(len(seen)))]
        elif state != END and rng.random() < self.rho:
            dish = state
        else:
            dishes = list(self.dishes)
            at = _choose(rng, [*map(float, self.dishes.values()), self.gamma])
            dish = dishes[at] if at < len(dishes) else len(dishes) - 1
            self.dishes[dish] = self.dishes.get(dish, 0) + 1
        seen.append(dish)
        return dish


def _infinite(rng: np.random.Generator, sticky: bool) -> Set:
    while True:
        gamma, alpha = rng.gamma(CONCENTRATION.shape, 1 / CONCENTRATION.rate, 2)
        rho = float(rng.random()) if sticky else 0.0
        text = _sentences(_Franchise(rng, gamma, alpha, rho), _Urn(rng, EMISSION, 0.0))
        if text:
            used = len({k for path in text[1] for k in path})
            truth = {"gamma": gamma, "alpha": alpha, "states": float(used)}
            return *text, truth | ({"rho": rho} if sticky else {})


def _finite(rng: np.random.Generator, pitman_yor: bool) -> Set:
    while True:
        emission, transition = rng.exponential(1.0, 2)
        discount = float(rng.random()) if pitman_yor else 0.0
        rows = rng.dirichlet(np.full(STATES + 1, transition), size=STATES + 1)

        def follow(state: int, rows: np.ndarray = rows) -> int:
            chosen = _choose(rng, rows[state].tolist())
            return END if chosen == STATES else chosen

        text = _sentences(follow, _Urn(rng, emission, discount))
        if text:
            truth = {"emission_prior": emission, "transition_prior": transition}
            return *text, truth | ({"discount": discount} if pitman_yor else {})


def _infinite_options(sticky: bool) -> dict[str, Any]:
    priors = {"new_states": CONCENTRATION, "row_concentration": CONCENTRATION}
    return {"prior": Prior(EMISSION), "sticky": sticky, **priors}


MODELS: dict[str, tuple[str, Callable[[np.random.Generator], Set], dict[str, Any]]] = {
    "ihmm": ("ihmm", lambda rng: _infinite(rng, False), _infinite_options(False)),
    "ihmm-sticky": ("ihmm", lambda rng: _infinite(rng, True), _infinite_options(True)),
    "gibbs": ("gibbs", lambda rng: _finite(rng, False), {"learn_priors": True}),
    "pitman-yor": ("pitman-yor", lambda rng: _finite(rng, True), {"learn_priors": True}),
}
"""Name -> learner, what draws a set, and the options of the learner."""


def ranks(name: str, sets: int) -> dict[str, np.ndarray]:
    """Return the rank of each true value among 99 draws, for so many sets; ties are broken at random."""
    learner_name, draw, options = MODELS[name]
    found: dict[str, list[int]] = {}
    for seed in range(sets):
        rng = np.random.default_rng([seed, sets])
        words, _, truth = draw(rng)
        offsets = np.cumsum([0, *map(len, words)])
        flat = np.concatenate([np.array(sentence, np.int32) for sentence in words])
        text = Corpus(flat, offsets, tuple(f"w{i}" for i in range(TYPES)))
        learner = make_learner(learner_name, text, states=STATES, **options)
        state = learner.step(rng, learner.init(rng), WARMUP + DRAWS * THIN)
        draws = learner.draws([learner.view(state)])
        for value, true in truth.items():
            some = draws[value][0, WARMUP + THIN - 1 :: THIN]
            lower, equal = int((some < true).sum()), int((some == true).sum())
            found.setdefault(value, []).append(lower + int(rng.integers(equal + 1)))
    return {value: np.array(row) for value, row in found.items()}


def uniformity(row: np.ndarray) -> float:
    """Return the p value of a chi-squared test that ranks from 0 to 99 are uniform."""
    counts = np.bincount(row * BINS // (DRAWS + 1), minlength=BINS)
    expected = row.size / BINS
    return float(chi2.sf(((counts - expected) ** 2 / expected).sum(), BINS - 1))


def main(argv: list[str] | None = None) -> int:
    """Print the p value of each parameter of each model."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks tagging_calibration", description=__doc__.split("\n")[0]
    )
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"of {', '.join(MODELS)}; all if none")
    parser.add_argument("--sets", type=int, default=1000, help="texts of each model")
    args = parser.parse_args(argv)
    unknown = set(args.models) - set(MODELS)
    if unknown:
        parser.error(f"no model is called {', '.join(sorted(unknown))}; choose from {', '.join(MODELS)}")
    for name in args.models or MODELS:
        values = ranks(name, args.sets)
        shown = ", ".join(f"{value} {uniformity(row):.2g}" for value, row in values.items())
        print(f"{name:12s} {args.sets} texts, p of uniform ranks: {shown}", flush=True)
    return 0
