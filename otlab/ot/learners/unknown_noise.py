r"""Stochastic OT with a noise of its own for each constraint, learnt from the data.

Lin (2005, section 9; after Nagy & Reynolds 1997): "the variances of the normal distribution ... may also
be treated as unknown parameters". Multiplying all noises and all ranking values by the same number
changes no probability, so that one number has to be fixed: here the geometric mean of the noises is the
evaluation noise, :math:`\sigma_i = \sigma e^{\lambda_i}`, :math:`\sum_i \lambda_i = 0`. The log noises have
independent normal priors, :math:`\lambda_i \sim N(0, \tau^2)`, under that condition. A single noise for all
cannot be learnt from any data.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import param
from scipy.linalg import block_diag

from otlab.errors import InputError
from otlab.inference import fit
from otlab.ot.learners.distributions import DistributionSampler
from otlab.ot.learners.draws import resolve_warmup, usual_thin
from otlab.ot.learners.likelihood import zero_sum_basis
from otlab.ot.learners.settings import CHAINS, TUNED_SWEEPS, TunedChainSettings
from otlab.ot.overt import of_known_parses

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from otlab.inference import Posterior
    from otlab.ot.fitted import Fit
    from otlab.ot.learners.priors import NormalPrior
    from otlab.ot.learners.settings import Move
    from otlab.ot.tableau import Tableau

__all__ = ["UnknownNoise", "UnknownNoiseSettings", "fit_unknown_noise", "make_unknown_noise"]

SPREAD = 0.5
_AS_PRIOR = 0.9  # share of the prior's sd above which the data say little


@dataclass(frozen=True, eq=False)
class UnknownNoise(DistributionSampler):
    """A sampler of ranking values and noises.

    Parameters
    ----------
    tableau, noise, bound, total, prior, thin, warmup, apriori, move
        As for :class:`~otlab.ot.learners.exact.Exact`; `noise` is the geometric mean of the noises.
    noise_spread
        Standard deviation of the normal prior of each log noise: with 0.5 most noises lie between
        a third and three times the evaluation noise.

    Raises
    ------
    InputError
        As :class:`~otlab.ot.learners.exact.Exact`, and if `noise_spread` is not above 0.
    """

    noise_spread: float = SPREAD
    name: str = field(default="unknown-noise", init=False)

    def __post_init__(self) -> None:
        if not (np.isfinite(self.noise_spread) and self.noise_spread > 0):
            raise InputError(f"the noise spread {self.noise_spread:g} is not above 0; 0.5 is usual")
        super().__post_init__()

    @cached_property
    def _sharpness(self) -> NDArray[np.float64]:
        k = self.tableau.n_constraints
        return np.repeat([self.noise_spread**-2.0, 1.0, 1.0], k)

    @cached_property
    def _directions(self) -> NDArray[np.float64]:
        k = self.tableau.n_constraints
        return np.asarray(block_diag(zero_sum_basis(k), np.empty((2 * k, 0))))

    def _named(
        self,
        values: NDArray[np.float64],
        log_noises: NDArray[np.float64],
        distances: NDArray[np.float64],
        logits: NDArray[np.float64],
    ) -> dict[str, NDArray[np.float64]]:
        return {"noise": self.settings.noise * np.exp(log_noises)}

    def _remarks(self, posterior: Posterior) -> tuple[str, ...]:
        """Return a remark if the noises are as uncertain as before the data."""
        k = self.tableau.n_constraints
        log_noises = np.log(posterior.pooled("noise"))
        prior = self.noise_spread * np.sqrt(1 - 1 / k)
        if k > 1 and (log_noises.std(axis=0) > _AS_PRIOR * prior).all():
            return ("the data say little about the noises: they are as uncertain as the prior makes them",)
        return ()

    def _own_settings(self) -> dict[str, Any]:
        return {"move": self.move, "noise_spread": self.noise_spread}


class UnknownNoiseSettings(TunedChainSettings):
    """Settings of a run; None means the file's value, else the default."""

    noise_spread = param.Number(
        SPREAD,
        bounds=(0, None),
        inclusive_bounds=(False, False),
        doc="Standard deviation of the prior of each log noise, around the evaluation noise",
    )


def make_unknown_noise(tableau: Tableau, settings: UnknownNoiseSettings) -> UnknownNoise:
    """Return the sampler with these settings."""
    return settings.sampler(UnknownNoise, tableau, noise_spread=settings.noise_spread)


@of_known_parses
def fit_unknown_noise(
    tableau: Tableau,
    *,
    sweeps: int = TUNED_SWEEPS,
    warmup: int | None = None,
    chains: int = CHAINS,
    seed: int | None = None,
    noise: float | None = None,
    bound: float | None = None,
    total: int | None = None,
    prior: NormalPrior | None = None,
    apriori: tuple[tuple[str, str], ...] = (),
    move: Move = "hmc",
    noise_spread: float = SPREAD,
    threads: int | None = None,
) -> Fit:
    """Return the posterior of ranking values and noises.

    Parameters
    ----------
    tableau, sweeps, warmup, chains, seed, noise, bound, total, prior, apriori, move, threads
        As for :func:`~otlab.ot.learners.exact.fit_exact`.
    noise_spread
        As for :class:`UnknownNoise`.

    Raises
    ------
    InputError
        As :class:`UnknownNoise`.

    Examples
    --------
    The noises of Ilokano's three constraints have the geometric mean 1, the file's evaluation noise:

    >>> from otlab.ot import read
    >>> fit = fit_unknown_noise(read("ilokano"), sweeps=600, chains=2, seed=1)
    >>> list(fit.parameters.columns)
    ['mean', 'sd', 'median', 'best', 'noise', 'noise sd']
    >>> fit.posterior.draws["noise"].prod(axis=-1).round(6).min()
    np.float64(1.0)
    """
    warmup = resolve_warmup(warmup, sweeps)
    thin = usual_thin(sweeps)
    learner = UnknownNoise(tableau, noise, bound, total, prior, thin, warmup, apriori, move, noise_spread)
    return cast("Fit", fit(learner, steps=sweeps, chains=chains, seed=seed, threads=threads))
