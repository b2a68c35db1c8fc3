"""Sets of Stochastic OT and MaxEnt: three constraints, two inputs heard five times each."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit

from benchmarks.calibration.ranks import DRAWS, Sampler
from otlab.ot import NormalPrior, read_text
from otlab.ot.kernels.distributions import components
from otlab.ot.learners.exact import Exact
from otlab.ot.learners.gibbs import Gibbs
from otlab.ot.learners.latent import LatentGibbs
from otlab.ot.learners.maxent_bayes import BayesianMaxEnt
from otlab.ot.learners.mixtures import Mixtures
from otlab.ot.learners.unknown_noise import UnknownNoise
from otlab.ot.orders import evaluate, order_of
from tests.ot.test_latent import CASES, heard_from

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["SAMPLERS"]

SD, TIMES, K = 2.0, 5, 3
PRIOR = NormalPrior(np.zeros(K), np.full(K, SD))
ONE_PARSE = "Input,Output,Count,C1,C2,C3\nx,a,4,0,1,1\nx,b,3,1,0,2\nx,c,1,2,0,0\nz,c,2,0,1,0\nz,d,3,1,0,0\n"


def _ranking_values(make: Callable[[Any], Any], text: str, warmup: int, thin: int) -> Any:
    """Return a function for samplers of ranking values under a normal prior."""
    empty = read_text(text)

    def one_set(rng: np.random.Generator) -> tuple[Sequence[float], np.ndarray]:
        values = rng.normal(0, SD, K)
        learner = make(heard_from(empty, values, rng, TIMES))
        state = learner.step(rng, learner.init(rng), warmup + DRAWS * thin)
        return [*(values - values.mean())], state.draws[warmup : warmup + DRAWS * thin : thin]

    return one_set


def _exact(move: Any) -> Callable[[Any], Exact]:
    return lambda data: Exact(data, noise=1.0, prior=PRIOR, move=move, warmup=300)


def _with_distributions(learner_class: Any, draw: Any, shown: Any, warmup: int, thin: int) -> Any:
    """Return a function for samplers of each constraint's own distribution of selection points.

    `draw` draws log noises, distances and logits from their prior, (3 K,); `shown` are the statistics.
    """
    empty = read_text(ONE_PARSE)

    def one_set(rng: np.random.Generator) -> tuple[Sequence[float], np.ndarray]:
        values = rng.normal(0, SD, K)
        parameters = np.concatenate([values - values.mean(), draw(rng)])
        frequencies, normals = np.zeros(empty.n_rows), components(parameters, 1.0)
        for rows in map(empty.rows, range(len(empty.inputs))):
            for _ in range(TIMES):
                place = np.where(rng.random(K) < normals.shares, *normals.means.T)
                order = order_of(place + normals.sds * rng.standard_normal(K))
                frequencies[rows.start + evaluate(empty.violations[rows], order).winners[0]] += 1
        data = replace(empty, frequencies=frequencies)
        learner = learner_class(data, noise=1.0, prior=PRIOR, warmup=300)
        state = learner.step(rng, learner.init(rng), warmup + DRAWS * thin)
        drawn = learner.view(state).parameters[warmup : warmup + DRAWS * thin : thin]
        return shown(parameters), np.array([shown(each) for each in drawn])

    return one_set


def _log_noises(rng: np.random.Generator) -> np.ndarray:
    free = rng.normal(0, 0.5, K)
    return np.concatenate([free - free.mean(), np.zeros(2 * K)])


def _places(rng: np.random.Generator) -> np.ndarray:
    return np.concatenate([np.zeros(K), rng.normal(0, 2.0, K), rng.logistic(0, 1, K)])


def _mixture(parameters: np.ndarray) -> list[float]:
    """Return the ranking values, and the distance of the first constraint's places and the higher share."""
    distance, logit = parameters[2 * K], parameters[3 * K]
    return [*parameters[:K], abs(distance), expit(np.sign(distance) * logit)]


def _weights(rng: np.random.Generator) -> tuple[Sequence[float], np.ndarray]:
    empty, weights = read_text(ONE_PARSE), rng.normal(0, SD, K)
    frequencies = np.zeros(empty.n_rows)
    for rows in map(empty.rows, range(len(empty.inputs))):
        p = np.exp(-empty.violations[rows] @ weights)
        frequencies[rows] = rng.multinomial(TIMES, p / p.sum())
    data, warmup, thin = replace(empty, frequencies=frequencies), 400, 4
    learner = BayesianMaxEnt(data, PRIOR, "free", warmup=300)
    state = learner.step(rng, learner.init(rng), warmup + DRAWS * thin)
    return [*weights], learner.view(state).draws[warmup : warmup + DRAWS * thin : thin]


_VALUES = ("ranking value 1", "ranking value 2", "ranking value 3")
_NOISES = ("log noise 1", "log noise 2", "log noise 3")
_MIXED = ("distance of places 1", "share of the higher 1")
_UNKNOWN = _with_distributions(UnknownNoise, _log_noises, lambda x: [*x[: 2 * K]], 500, 8)
SAMPLERS = (
    Sampler(
        "gibbs",
        _VALUES,
        _ranking_values(lambda data: Gibbs(data, noise=1.0, prior=PRIOR), ONE_PARSE, 100, 12),
    ),
    Sampler("exact-hmc", _VALUES, _ranking_values(_exact("hmc"), ONE_PARSE, 400, 4)),
    Sampler("exact-walk", _VALUES, _ranking_values(_exact("walk"), ONE_PARSE, 600, 20)),
    Sampler(
        "latent-gibbs",
        _VALUES,
        _ranking_values(lambda data: LatentGibbs(data, 1.0, prior=PRIOR), CASES["three parses"], 300, 30),
    ),
    Sampler("unknown-noise", (*_VALUES, *_NOISES), _UNKNOWN),
    Sampler("mixtures", (*_VALUES, *_MIXED), _with_distributions(Mixtures, _places, _mixture, 500, 16)),
    Sampler("maxent-bayes", ("weight 1", "weight 2", "weight 3"), _weights),
)
