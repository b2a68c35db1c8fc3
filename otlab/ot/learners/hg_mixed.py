"""Noisy HG with speakers and items in it; the model is in :mod:`otlab.ot.learners.mixed`.

Probabilities of two candidates are exact: a normal cdf, as in :mod:`otlab.ot.learners.hg`. Noise that is
added to each penalty (``late``) is that of Normal MaxEnt (Flemming 2021).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np
import param

from otlab.errors import InputError, did_you_mean
from otlab.inference import fit
from otlab.ot.conditions import identical_rows
from otlab.ot.learners.draws import usual_thin
from otlab.ot.learners.hg import NoisyHG, Place
from otlab.ot.learners.maxent_mixed import WeightedSampler, mixed_arguments
from otlab.ot.learners.mixed import MIXED_SWEEPS, MixedSettings, effects_every, mixed_warmup
from otlab.ot.learners.mixed_tokens import of_two
from otlab.ot.learners.settings import CHAINS, NoiseSettings, WeightSettings
from otlab.ot.overt import of_known_parses
from otlab.ot.settings import resolve_settings, with_total

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from otlab.ot.kernels.mixed import Tokens
    from otlab.ot.learners.maxent import Weights
    from otlab.ot.learners.mixed_tokens import Levels
    from otlab.ot.learners.priors import NormalPrior
    from otlab.ot.mixed_fitted import MixedFit
    from otlab.ot.tableau import Tableau

__all__ = ["MixedNoisyHG", "MixedNoisyHGSettings", "fit_hg_mixed", "make_hg_mixed"]


@dataclass(frozen=True, eq=False)
class MixedNoisyHG(WeightedSampler):
    """A sampler of a noisy harmonic grammar of speakers and items.

    Parameters
    ----------
    tableau, levels, spread, thin, warmup, every, prior_of_m, weights
        As for :class:`~otlab.ot.learners.maxent_mixed.WeightedSampler`.
    noise, place
        As for :class:`~otlab.ot.learners.hg.NoisyHG`.
    """

    noise: float | None = None
    place: Place = "constraint"
    name: str = field(default="hg-mixed", init=False)

    @property
    def sd(self) -> float:
        """The evaluation noise in force."""
        return resolve_settings(self.tableau, self.noise).noise

    @property
    def usual_spread(self) -> float:
        """Scale of the prior of tau and omega unless another is given: the noise."""
        return self.sd

    @cached_property
    def tokens(self) -> Tokens:
        """The data as the kernels take them."""
        if self.place not in get_args(Place):
            hint = did_you_mean(self.place, get_args(Place))
            raise InputError(f"noise cannot be added by {self.place!r}; {hint}")
        scales = [self._scale(k) for k in range(len(self.tableau.inputs))]
        return of_two(self.tableau, self.pairs, self.lowest, scales)

    def _scale(self, k: int) -> float:
        """Return the standard deviation of the noise in the difference of an input's first two candidates."""
        classes = identical_rows(self.tableau, k)
        if len(classes) < 2:
            return 1.0
        v = self.tableau.violations[[classes[0][0], classes[1][0]]].astype(float)
        variance = {"constraint": ((v[1] - v[0]) ** 2).sum(), "cell": (v**2).sum(), "late": 2.0}[self.place]
        return self.sd * math.sqrt(variance)

    def probabilities(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each row within its input, (n, rows)."""
        grammar = NoisyHG(self.tableau, self.noise, place=self.place, weights="free")
        return np.array([grammar.probabilities(weights) for weights in self.as_used(theta)])

    def _own_settings(self) -> dict[str, Any]:
        return {"noise": self.sd, "place": self.place, **super()._own_settings()}


class MixedNoisyHGSettings(NoiseSettings, WeightSettings, MixedSettings):
    """Settings of Noisy HG with speakers and items; None means the file's value, else the default."""

    place = param.Selector(
        default="constraint",
        objects=list(get_args(Place)),
        doc="Where noise is added: once per constraint, in each cell, or to each candidate's penalty",
    )


def make_hg_mixed(tableau: Tableau, settings: MixedNoisyHGSettings) -> MixedNoisyHG:
    """Return the sampler with these settings."""
    tableau = with_total(tableau, settings.total)
    own = {"weights": settings.weights, "noise": settings.noise, "place": settings.place}
    return MixedNoisyHG(tableau, **own, **mixed_arguments(tableau, settings))


@of_known_parses
def fit_hg_mixed(
    tableau: Tableau,
    *,
    sweeps: int = MIXED_SWEEPS,
    warmup: int | None = None,
    chains: int = CHAINS,
    seed: int | None = None,
    levels: Levels = "both",
    spread: float | None = None,
    noise: float | None = None,
    place: Place = "constraint",
    prior: NormalPrior | None = None,
    weights: Weights = "nonnegative",
    threads: int | None = None,
) -> MixedFit:
    r"""Return the posterior of a noisy harmonic grammar whose weights differ by speaker and item.

    Parameters
    ----------
    tableau
        With columns of speakers and items, and tokens of inputs with two candidates that differ at most.
    sweeps, warmup, chains, seed, threads, levels, spread, prior, weights
        As for :func:`~otlab.ot.learners.maxent_mixed.fit_maxent_mixed`.
    noise, place
        As for :class:`~otlab.ot.learners.hg.NoisyHG`.

    Raises
    ------
    InputError
        If a setting makes no sense, or an input has more candidates.

    Examples
    --------
    >>> from otlab.ot import read_text
    >>> ana, ben = "Ana,t,t,9,1,0\nAna,t,0,1,0,1", "Ben,t,t,2,1,0\nBen,t,0,8,0,1"
    >>> tableau = read_text(f"Speaker,Input,Output,n,*T,Max\n{ana}\n{ben}")
    >>> fit_hg_mixed(tableau, sweeps=200, seed=1)
    <Fit by hg-mixed: 2 weights from pasted text, seed 1>
    """
    thin, every = usual_thin(sweeps), effects_every(tableau, sweeps, usual_thin(sweeps))
    warmup = mixed_warmup(warmup, sweeps)
    learner = MixedNoisyHG(tableau, levels, spread, thin, warmup, every, prior, weights, noise, place)
    return cast("MixedFit", fit(learner, steps=sweeps, chains=chains, seed=seed, threads=threads))
