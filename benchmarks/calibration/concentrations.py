"""Sets of taggers that learn their priors: the infinite HMM, symmetric priors, and a discount.

Parameters are drawn from their prior and a text of six sentences from them. Texts with an empty sentence,
and those of more than 60 words, are drawn again with their parameters, which leaves the posterior of the
others as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.calibration.ranks import DRAWS, Sampler
from otlab.tagging import Concentration, Corpus, Prior, make_learner

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["SAMPLERS"]

SENTENCES, MOST_WORDS, TYPES, STATES = 6, 60, 4, 3
THIN, WARMUP = 6, 60
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


def _learner(
    name: str, draw: Callable[[np.random.Generator], Set], values: Sequence[str], **options: Any
) -> Any:
    """Return a function for a learner with these options, whose draws of `values` are ranked."""

    def one_set(rng: np.random.Generator) -> tuple[Sequence[float], np.ndarray]:
        words, _, truth = draw(rng)
        offsets = np.cumsum([0, *map(len, words)])
        flat = np.concatenate([np.array(sentence, np.int32) for sentence in words])
        text = Corpus(flat, offsets, tuple(f"w{i}" for i in range(TYPES)))
        learner = make_learner(name, text, states=STATES, **options)
        state = learner.step(rng, learner.init(rng), WARMUP + DRAWS * THIN)
        draws = learner.draws([learner.view(state)])
        kept = [draws[value][0, WARMUP + THIN - 1 :: THIN] for value in values]
        return [truth[value] for value in values], np.column_stack(kept)

    return one_set


_INFINITE, _PRIORS = ("gamma", "alpha", "states"), ("emission_prior", "transition_prior")


def _infinite_hmm(name: str, learner: str, sticky: bool) -> Sampler:
    values = (*_INFINITE, "rho") if sticky else _INFINITE
    options = _infinite_options(sticky)
    return Sampler(name, values, _learner(learner, lambda rng: _infinite(rng, sticky), values, **options))


def _finite_hmm(name: str, learner: str, pitman_yor: bool) -> Sampler:
    values = (*_PRIORS, "discount") if pitman_yor else _PRIORS
    options = {"learn_priors": True}
    return Sampler(name, values, _learner(learner, lambda rng: _finite(rng, pitman_yor), values, **options))


SAMPLERS = (
    _infinite_hmm("ihmm", "ihmm", sticky=False),
    _infinite_hmm("ihmm-sticky", "ihmm", sticky=True),
    _infinite_hmm("ihmm-beam", "ihmm-beam", sticky=False),
    _infinite_hmm("ihmm-beam-sticky", "ihmm-beam", sticky=True),
    _finite_hmm("hmm-learnt-priors", "gibbs", pitman_yor=False),
    _finite_hmm("pitman-yor", "pitman-yor", pitman_yor=True),
)
