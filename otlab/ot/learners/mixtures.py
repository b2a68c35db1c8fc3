r"""Stochastic OT with constraints that are mixtures of two normal distributions.

Lin (2005, section 9): "constraints may be parameterized as mixture distributions, which represent
other approaches to using OT for modeling linguistic variation (Anttila 1997)". A mixed constraint
has two places in the ranking: with probability :math:`\pi_i` its selection point is normal around the
higher one, else around the lower one, with the evaluation noise around both. Its ranking value is the
mean of the mixture.

Priors: the distance of the two places is half normal with standard deviation :math:`\tau \sigma`, the
share of the higher place uniform between 0 and 1, and the ranking values as without mixtures. The sampler
moves a distance of either sign, which exchanges the two places; in the draws the higher one is
always called so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import param
from scipy.special import expit

from otlab.errors import InputError
from otlab.inference import fit
from otlab.ot.constraint_names import constraint_number, parse_names
from otlab.ot.learners.distributions import DistributionSampler
from otlab.ot.learners.draws import resolve_warmup, usual_thin
from otlab.ot.learners.settings import CHAINS, TUNED_SWEEPS, TunedChainSettings
from otlab.ot.overt import of_known_parses

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from otlab.ot.fitted import Fit
    from otlab.ot.learners.priors import NormalPrior
    from otlab.ot.learners.settings import Move
    from otlab.ot.tableau import Tableau

__all__ = ["Mixtures", "MixturesSettings", "fit_mixtures", "make_mixtures"]

DISTANCE_SD = 2.0


@dataclass(frozen=True, eq=False)
class Mixtures(DistributionSampler):
    """A sampler of ranking values, and of the two places of mixed constraints.

    Parameters
    ----------
    tableau, noise, bound, total, prior, thin, warmup, apriori, move
        As for :class:`~otlab.ot.learners.exact.Exact`.
    mixed
        The constraints that are mixtures, by name; all if empty.
    distance_sd
        Prior standard deviation of the distance of the two places, in evaluation noises.

    Raises
    ------
    InputError
        As :class:`~otlab.ot.learners.exact.Exact`, and if a constraint is unknown or `distance_sd` is
        not above 0.
    """

    mixed: tuple[str, ...] = ()
    distance_sd: float = DISTANCE_SD
    name: str = field(default="mixtures", init=False)

    def __post_init__(self) -> None:
        if not (np.isfinite(self.distance_sd) and self.distance_sd > 0):
            raise InputError(f"the distance sd {self.distance_sd:g} is not above 0; 2 is usual")
        super().__post_init__()

    @cached_property
    def _mixed(self) -> list[int]:
        numbers = {constraint_number(self.tableau, name) for name in self.mixed}
        return sorted(numbers) or list(range(self.tableau.n_constraints))

    @cached_property
    def _sharpness(self) -> NDArray[np.float64]:
        k = self.tableau.n_constraints
        return np.repeat([1.0, (self.distance_sd * self.settings.noise) ** -2.0, 0.0], k)

    @cached_property
    def _directions(self) -> NDArray[np.float64]:
        k = self.tableau.n_constraints
        unit = np.eye(3 * k)
        return unit[:, [k + i for i in self._mixed] + [2 * k + i for i in self._mixed]]

    def _named(
        self,
        values: NDArray[np.float64],
        log_noises: NDArray[np.float64],
        distances: NDArray[np.float64],
        logits: NDArray[np.float64],
    ) -> dict[str, NDArray[np.float64]]:
        share = expit(logits)
        named = {
            "lower": values - share * distances,
            "higher": values + (1 - share) * distances,
            "share_higher": share,
        }
        plain = np.delete(np.arange(values.shape[-1]), self._mixed)
        for draws in named.values():
            draws[..., plain] = np.nan
        return named

    def _own_settings(self) -> dict[str, Any]:
        names = [self.tableau.constraints[i] for i in self._mixed]
        return {"move": self.move, "mixed": names, "distance_sd": self.distance_sd}


class MixturesSettings(TunedChainSettings):
    """Settings of a run; None means the file's value, else the default."""

    mixed = param.String(
        "",
        label="Mixed constraints",
        doc="Constraints that have two places, with commas between (default: all)",
    )
    distance_sd = param.Number(
        DISTANCE_SD,
        bounds=(0, None),
        inclusive_bounds=(False, False),
        label="Distance sd",
        doc="Prior standard deviation of the distance of the two places, in noises",
    )


def make_mixtures(tableau: Tableau, settings: MixturesSettings) -> Mixtures:
    """Return the sampler with these settings."""
    mixed = parse_names(settings.mixed, tableau.constraints)
    return settings.sampler(Mixtures, tableau, mixed=mixed, distance_sd=settings.distance_sd)


@of_known_parses
def fit_mixtures(
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
    mixed: tuple[str, ...] = (),
    distance_sd: float = DISTANCE_SD,
    threads: int | None = None,
) -> Fit:
    """Return the posterior of ranking values and of the two places of mixed constraints.

    Parameters
    ----------
    tableau, sweeps, warmup, chains, seed, noise, bound, total, prior, apriori, move, threads
        As for :func:`~otlab.ot.learners.exact.fit_exact`.
    mixed, distance_sd
        As for :class:`Mixtures`.

    Raises
    ------
    InputError
        As :class:`Mixtures`.

    Examples
    --------
    >>> from otlab.ot import read
    >>> fit = fit_mixtures(read("ilokano"), mixed=("AL",), sweeps=600, chains=2, seed=1)
    >>> fit.parameters.loc["AL", "lower"] < fit.parameters.loc["AL", "higher"]
    np.True_
    """
    warmup = resolve_warmup(warmup, sweeps)
    thin = usual_thin(sweeps)
    learner = Mixtures(tableau, noise, bound, total, prior, thin, warmup, apriori, move, mixed, distance_sd)
    return cast("Fit", fit(learner, steps=sweeps, chains=chains, seed=seed, threads=threads))
