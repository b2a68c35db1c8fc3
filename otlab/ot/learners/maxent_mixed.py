"""MaxEnt grammars with speakers and items in them; the model is in :mod:`otlab.ot.learners.mixed`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from otlab.inference import fit
from otlab.ot.learners.draws import usual_thin
from otlab.ot.learners.maxent_bayes import BayesianMaxEnt
from otlab.ot.learners.mixed import MIXED_SWEEPS, MixedSampler, MixedSettings, effects_every, mixed_warmup
from otlab.ot.learners.mixed_tokens import weighted
from otlab.ot.learners.settings import CHAINS, WeightSettings
from otlab.ot.overt import of_known_parses
from otlab.ot.settings import with_total

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from otlab.ot.kernels.mixed import Tokens
    from otlab.ot.learners.maxent import Weights
    from otlab.ot.learners.mixed_tokens import Levels
    from otlab.ot.learners.priors import NormalPrior
    from otlab.ot.mixed_fitted import MixedFit
    from otlab.ot.tableau import Tableau

__all__ = ["MixedMaxEnt", "MixedMaxEntSettings", "WeightedSampler", "fit_maxent_mixed", "make_maxent_mixed"]


@dataclass(frozen=True, eq=False)
class WeightedSampler(MixedSampler):
    """A sampler of weights that speakers and items differ in.

    Parameters
    ----------
    tableau, levels, spread, thin, warmup, every
        As for :class:`~otlab.ot.learners.mixed.MixedSampler`.
    prior
        Of m; mean 0 and sd 10 if None.
    weights
        ``"nonnegative"``: m is, and a weight of a speaker or item below 0 counts as 0; or ``"free"``.
    """

    prior_of_m: NormalPrior | None = None
    weights: Weights = "nonnegative"

    kind = "weight"

    @property
    def usual_spread(self) -> float:
        """Scale of the prior of tau and omega unless another is given: 1."""
        return 1.0

    @cached_property
    def simple(self) -> BayesianMaxEnt:
        """Bayesian MaxEnt on the sums."""
        return BayesianMaxEnt(self.tableau, self.prior_of_m, self.weights)

    @property
    def lowest(self) -> float:
        """Weights below it count as it."""
        return 0.0 if self.weights == "nonnegative" else -np.inf

    def as_used(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return weights as they count."""
        return np.maximum(values, self.lowest)

    def _own_settings(self) -> dict[str, Any]:
        prior = cast("NormalPrior", self.simple.grammar.prior)
        return {"weights": self.weights, "prior": {"mean": prior.mean.tolist(), "sd": prior.sd.tolist()}}


@dataclass(frozen=True, eq=False)
class MixedMaxEnt(WeightedSampler):
    """A sampler of a MaxEnt grammar of speakers and items; parameters are those of the base class."""

    name: str = field(default="maxent-mixed", init=False)

    @cached_property
    def tokens(self) -> Tokens:
        """The data as the kernels take them."""
        return weighted(self.tableau, self.pairs, self.lowest)

    def probabilities(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each row within its input, (n, rows)."""
        return self.simple.grammar.probabilities(self.as_used(theta))


class MixedMaxEntSettings(WeightSettings, MixedSettings):
    """Settings of a MaxEnt grammar of speakers and items; None means the file's value, else the default."""


def mixed_arguments(tableau: Tableau, settings: Any) -> dict[str, Any]:
    """Return the arguments of a mixed sampler that all settings have."""
    return {
        "levels": settings.levels,
        "spread": settings.spread,
        "thin": usual_thin(settings.steps),
        "warmup": mixed_warmup(settings.warmup, settings.steps),
        "every": effects_every(tableau, settings.steps, usual_thin(settings.steps)),
        "prior_of_m": settings.normal_prior(tableau),
    }


def make_maxent_mixed(tableau: Tableau, settings: MixedMaxEntSettings) -> MixedMaxEnt:
    """Return the sampler with these settings."""
    tableau = with_total(tableau, settings.total)
    return MixedMaxEnt(tableau, weights=settings.weights, **mixed_arguments(tableau, settings))


@of_known_parses
def fit_maxent_mixed(
    tableau: Tableau,
    *,
    sweeps: int = MIXED_SWEEPS,
    warmup: int | None = None,
    chains: int = CHAINS,
    seed: int | None = None,
    levels: Levels = "both",
    spread: float | None = None,
    prior: NormalPrior | None = None,
    weights: Weights = "nonnegative",
    threads: int | None = None,
) -> MixedFit:
    r"""Return the posterior of a MaxEnt grammar whose weights differ by speaker and item.

    Parameters
    ----------
    tableau
        With columns of speakers and items.
    sweeps, warmup, chains, seed, threads
        As for :func:`~otlab.ot.learners.exact.fit_exact`.
    levels, spread
        As for :class:`~otlab.ot.learners.mixed.MixedSampler`.
    prior, weights
        As for :class:`~otlab.ot.learners.maxent_bayes.BayesianMaxEnt`.

    Raises
    ------
    InputError
        If a setting makes no sense.

    Examples
    --------
    >>> from otlab.ot import read_text
    >>> ana, ben = "Ana,t,t,9,1,0\nAna,t,0,1,0,1", "Ben,t,t,2,1,0\nBen,t,0,8,0,1"
    >>> tableau = read_text(f"Speaker,Input,Output,n,*T,Max\n{ana}\n{ben}")
    >>> fit_maxent_mixed(tableau, sweeps=200, seed=1)
    <Fit by maxent-mixed: 2 weights from pasted text, seed 1>
    """
    thin, every = usual_thin(sweeps), effects_every(tableau, sweeps, usual_thin(sweeps))
    warmup = mixed_warmup(warmup, sweeps)
    learner = MixedMaxEnt(tableau, levels, spread, thin, warmup, every, prior, weights)
    return cast("MixedFit", fit(learner, steps=sweeps, chains=chains, seed=seed, threads=threads))
