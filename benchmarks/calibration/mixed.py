"""Sets of grammars with speakers and items: MaxEnt with many, the two others, which take longer, with few."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import expit
from scipy.stats import norm

from benchmarks.calibration.ranks import DRAWS, Sampler
from otlab.ot import NormalPrior, Tableau
from otlab.ot.groups import Groups
from otlab.ot.learners.hg_mixed import fit_hg_mixed
from otlab.ot.learners.maxent_mixed import fit_maxent_mixed
from otlab.ot.learners.sot_mixed import fit_sot_mixed
from otlab.ot.probability import predict_many

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SAMPLERS"]

EACH = 2  # tokens of a speaker, item and input


class Scene(NamedTuple):
    """How many of each a set has."""

    constraints: int
    speakers: int
    items: int
    inputs: int

    @property
    def names(self) -> tuple[str, ...]:
        """What is ranked."""
        return tuple(f"{name} {k + 1}" for name in ("m", "tau", "omega") for k in range(self.constraints))


MANY, FEW = Scene(6, 12, 8, 6), Scene(3, 6, 4, 4)


def _gaps(bare: Tableau) -> NDArray[np.float64]:
    """Return the violations of each input's second candidate that the first has not, (inputs, K)."""
    return np.asarray(bare.violations[1::2] - bare.violations[0::2], float)


def _maxent(bare: Tableau, theta: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability of the first candidates, (n, inputs)."""
    return np.asarray(expit(theta @ _gaps(bare).T))


def _noisy_hg(bare: Tableau, theta: NDArray[np.float64]) -> NDArray[np.float64]:
    gaps = _gaps(bare)
    sd = np.linalg.norm(gaps, axis=1)
    return np.asarray(norm.cdf(theta @ gaps.T / np.where(sd > 0, sd, 1.0)))


def _stochastic_ot(bare: Tableau, theta: NDArray[np.float64]) -> NDArray[np.float64]:
    return predict_many(bare, theta, 1.0, seed=0)[:, 0::2]


def _planted(
    rng: np.random.Generator, scene: Scene, grammar: Any
) -> tuple[Tableau, list[NDArray[np.float64]]]:
    """Return a set of tokens drawn from the prior of all parameters, and m, tau and omega."""
    k, speakers, items, inputs = scene
    violations = rng.integers(0, 2, (inputs, 2, k))
    rows = [(f"x{r // 2}", f"c{r % 2}", 0, violations[r // 2, r % 2].tolist()) for r in range(2 * inputs)]
    bare = Tableau.from_rows(rows, [f"C{n}" for n in range(k)], noise=1.0)
    m, tau, omega = rng.normal(0, 1, k), *np.abs(rng.normal(0, 1, (2, k)))
    u = tau * rng.standard_normal((speakers, 1, k))
    v = omega * rng.standard_normal((1, items, k))
    first = rng.binomial(EACH, grammar(bare, (m + u + v).reshape(-1, k))).reshape(-1)
    places = np.meshgrid(range(speakers), range(items), range(inputs), indexing="ij")
    g, i, x = (part.reshape(-1) for part in places)
    names = [f"s{n}" for n in g] * 2, [f"w{n}" for n in i] * 2
    groups = Groups.of(*names, [*(2 * x), *(2 * x + 1)], [*first, *(EACH - first)])
    return replace(bare, frequencies=groups.sums(bare.n_rows), groups=groups), [m, tau, omega]


def _speakers_and_items(
    name: str, scene: Scene, grammar: Any, fit: Any, kind: str, **options: Any
) -> Sampler:
    prior = NormalPrior(np.zeros(scene.constraints), np.ones(scene.constraints))

    def one_set(rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        tableau, (m, tau, omega) = _planted(rng, scene, grammar)
        seed = int(rng.integers(2**31))
        result = fit(tableau, prior=prior, sweeps=600, warmup=200, chains=1, seed=seed, threads=1, **options)
        draws = np.hstack([result.posterior.pooled(name) for name in (kind, "tau", "omega")])
        some = draws[np.linspace(0, len(draws) - 1, DRAWS).round().astype(int)]
        mean = m.mean() if kind == "ranking_value" else 0.0  # only differences of ranking values matter
        return np.concatenate([m - mean, tau, omega]), some

    return Sampler(name, scene.names, one_set)


SAMPLERS = (
    _speakers_and_items("maxent-mixed", MANY, _maxent, fit_maxent_mixed, "weight", weights="free"),
    _speakers_and_items("hg-mixed", FEW, _noisy_hg, fit_hg_mixed, "weight", weights="free"),
    _speakers_and_items("sot-mixed", FEW, _stochastic_ot, fit_sot_mixed, "ranking_value"),
)
