"""Stochastic OT with speakers and items in it; the model is in :mod:`otlab.ot.learners.mixed`.

The likelihood is that of exact probabilities (:mod:`otlab.ot.probability`), as in the exact sampler. Ranking
values of each speaker and item are centred where they are shown: only their differences matter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import param

from otlab.inference import fit
from otlab.ot.learners.draws import usual_thin
from otlab.ot.learners.exact import Exact
from otlab.ot.learners.maxent_mixed import mixed_arguments
from otlab.ot.learners.mixed import MIXED_SWEEPS, MixedSampler, MixedSettings, effects_every, mixed_warmup
from otlab.ot.learners.mixed_tokens import ranked
from otlab.ot.learners.settings import CHAINS, NoiseSettings
from otlab.ot.overt import of_known_parses
from otlab.ot.probability import predict_many
from otlab.ot.settings import with_total

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from otlab.ot.kernels.mixed import Tokens
    from otlab.ot.learners.mixed_tokens import Levels
    from otlab.ot.learners.priors import NormalPrior
    from otlab.ot.mixed_fitted import MixedFit
    from otlab.ot.tableau import Tableau

__all__ = ["MixedStochasticOT", "MixedStochasticOTSettings", "fit_sot_mixed", "make_sot_mixed"]


@dataclass(frozen=True, eq=False)
class MixedStochasticOT(MixedSampler):
    """A sampler of ranking values that speakers and items differ in.

    Parameters
    ----------
    tableau, levels, spread, thin, warmup, every
        As for :class:`~otlab.ot.learners.mixed.MixedSampler`.
    prior_of_m
        Uniform within the bound if None.
    noise, bound
        As for :class:`~otlab.ot.learners.exact.Exact`.
    """

    prior_of_m: NormalPrior | None = None
    noise: float | None = None
    bound: float | None = None
    name: str = field(default="sot-mixed", init=False)

    kind = "ranking value"

    @property
    def usual_spread(self) -> float:
        """Scale of the prior of tau and omega unless another is given: the noise."""
        return float(self.simple.settings.noise)

    @cached_property
    def simple(self) -> Exact:
        """The exact sampler on the sums."""
        return Exact(self.tableau, self.noise, self.bound, prior=self.prior_of_m)

    @cached_property
    def tokens(self) -> Tokens:
        """The data as the kernels take them."""
        _ = self.simple.target  # refuses inputs without exact probabilities
        return ranked(self.tableau, self.pairs, self.simple.settings.noise)

    def as_used(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ranking values centred."""
        centred: NDArray[np.float64] = values - values.mean(axis=-1, keepdims=True)
        return centred

    def probabilities(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each row within its input, (n, rows)."""
        return predict_many(self.tableau, theta, self.simple.settings.noise, seed=0)

    def _own_settings(self) -> dict[str, Any]:
        prior, settings = self.prior_of_m, self.simple.settings
        return {
            "noise": settings.noise,
            "bound": settings.bound if prior is None else None,
            "prior": None if prior is None else {"mean": prior.mean.tolist(), "sd": prior.sd.tolist()},
        }


class MixedStochasticOTSettings(NoiseSettings, MixedSettings):
    """Settings of Stochastic OT with speakers and items; None means the file's value, else the default."""

    bound = param.Number(
        None,
        bounds=(0, None),
        inclusive_bounds=(False, False),
        allow_None=True,
        doc="Mean ranking values stay within this distance of 0 (default: the file's, else 6 x noise)",
    )


def make_sot_mixed(tableau: Tableau, settings: MixedStochasticOTSettings) -> MixedStochasticOT:
    """Return the sampler with these settings."""
    tableau = with_total(tableau, settings.total)
    arguments = mixed_arguments(tableau, settings)
    return MixedStochasticOT(tableau, noise=settings.noise, bound=settings.bound, **arguments)


@of_known_parses
def fit_sot_mixed(
    tableau: Tableau,
    *,
    sweeps: int = MIXED_SWEEPS,
    warmup: int | None = None,
    chains: int = CHAINS,
    seed: int | None = None,
    levels: Levels = "both",
    spread: float | None = None,
    noise: float | None = None,
    bound: float | None = None,
    prior: NormalPrior | None = None,
    threads: int | None = None,
) -> MixedFit:
    r"""Return the posterior of ranking values that differ from speaker to speaker and item to item.

    Parameters
    ----------
    tableau
        With columns of speakers and items.
    sweeps, warmup, chains, seed, noise, bound, prior, threads
        As for :func:`~otlab.ot.learners.exact.fit_exact`.
    levels, spread
        As for :class:`~otlab.ot.learners.mixed.MixedSampler`.

    Raises
    ------
    InputError
        As :class:`~otlab.ot.learners.exact.Exact`, and if a setting makes no sense.

    Examples
    --------
    >>> from otlab.ot import read_text
    >>> ana, ben = "Ana,t,t,9,1,0\nAna,t,0,1,0,1", "Ben,t,t,2,1,0\nBen,t,0,8,0,1"
    >>> tableau = read_text(f"Speaker,Input,Output,n,*T,Max\n{ana}\n{ben}")
    >>> fit_sot_mixed(tableau, sweeps=200, seed=1)
    <Fit by sot-mixed: 2 ranking values from pasted text, seed 1>
    """
    thin, every = usual_thin(sweeps), effects_every(tableau, sweeps, usual_thin(sweeps))
    warmup = mixed_warmup(warmup, sweeps)
    learner = MixedStochasticOT(tableau, levels, spread, thin, warmup, every, prior, noise, bound)
    return cast("MixedFit", fit(learner, steps=sweeps, chains=chains, seed=seed, threads=threads))
