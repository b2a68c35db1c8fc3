"""Parameters that the settings of several learners share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import param

from otlab.ot.io.apriori import chosen_apriori
from otlab.ot.learners.draws import check_warmup, resolve_warmup, usual_thin
from otlab.ot.learners.priors import chosen_prior
from otlab.ot.settings import with_total

if TYPE_CHECKING:
    from otlab.ot.learners.priors import NormalPrior
    from otlab.ot.tableau import Tableau

__all__ = [
    "APrioriSettings",
    "ChainSettings",
    "FileOr",
    "NoiseSettings",
    "PriorSettings",
    "SamplerSettings",
    "TotalSettings",
    "TunedChainSettings",
    "TunedSettings",
    "WeightSettings",
]

Sampler = TypeVar("Sampler")
Move = Literal["hmc", "walk"]

TUNED_SWEEPS = 5_000
CHAINS = 4


class FileOr(param.Path):
    """A file, or what such a file says: a mapping or a tuple."""

    def __init__(self, default: Any = None, **params: Any) -> None:
        super().__init__(default, check_exists=False, allow_None=True, **params)

    def _validate(self, val: Any) -> None:
        if not isinstance(val, Mapping | tuple):
            super()._validate(val)

    def _resolve(self, path: Any) -> Any:
        return path if isinstance(path, Mapping | tuple) else super()._resolve(path)


class TotalSettings(param.Parameterized):
    """The total of a fit; None means the file's."""

    total = param.Integer(
        None, bounds=(1, None), allow_None=True, doc="Observations that relative frequencies stand for"
    )


class NoiseSettings(param.Parameterized):
    """The evaluation noise of a fit; None means the file's, else the default."""

    noise = param.Number(
        None,
        bounds=(0, None),
        inclusive_bounds=(False, False),
        allow_None=True,
        doc="Evaluation noise (default: the file's, else 2)",
    )


class WeightSettings(param.Parameterized):
    """The sign of the weights of a fit."""

    weights = param.Selector(
        default="nonnegative", objects=["nonnegative", "free"], doc="Sign of the weights"
    )


class PriorSettings(param.Parameterized):
    """The normal prior of a fit; None means none."""

    prior_sd = param.Number(
        None,
        bounds=(0, None),
        inclusive_bounds=(False, False),
        allow_None=True,
        doc="Standard deviation of a normal prior with mean 0, for every constraint",
    )
    prior = FileOr(
        doc="File of normal priors: name, mean, sd, one constraint a line",
    )
    prior_variances = param.Boolean(
        False, doc="The third column of --prior holds variances, as in the MaxEnt Grammar Tool"
    )
    faithfulness_low = param.Number(
        0.0,
        bounds=(0, None),
        doc="With --prior-sd: how far prior means are below 0 (faithfulness constraints), or above (others)",
    )

    def normal_prior(self, tableau: Tableau) -> NormalPrior | None:
        """Return the prior that the settings ask for; None if they ask for none."""
        return chosen_prior(
            tableau,
            self.prior_sd,
            self.prior,
            variances=self.prior_variances,
            faithfulness_low=self.faithfulness_low,
        )


class SamplerSettings(PriorSettings, TotalSettings):
    """What samplers share."""

    sweeps = param.Integer(20_000, bounds=(1, None), doc="Sweeps of each chain.")
    warmup = param.Integer(
        None, allow_None=True, doc="First sweeps, which are left out (default: a tenth, at most 1000)"
    )
    chains = param.Integer(CHAINS, bounds=(1, None), doc="Independent chains.")

    @property
    def steps(self) -> int:
        """Sweeps of each chain."""
        return int(self.sweeps)


class APrioriSettings(param.Parameterized):
    """The rankings that are given before any data; None means none."""

    apriori = FileOr(doc="OTSoft file of constraints that are ranked a priori")


class ChainSettings(APrioriSettings, NoiseSettings, SamplerSettings):
    """What samplers of ranking values share; None means the file's value, else the default."""

    bound = param.Number(
        None,
        bounds=(0, None),
        inclusive_bounds=(False, False),
        allow_None=True,
        doc="Ranking values stay within this distance of 0 (default: the file's, else 6 x noise)",
    )

    def sampler(self, make: Callable[..., Sampler], tableau: Tableau, **own: Any) -> Sampler:
        """Return the sampler of a class with these settings, and with those that are its own."""
        check_warmup(self.warmup, self.steps)
        tableau = with_total(tableau, self.total)
        return make(
            tableau,
            self.noise,
            self.bound,
            prior=self.normal_prior(tableau),
            thin=usual_thin(self.steps),
            apriori=chosen_apriori(self.apriori, tableau),
            **({"warmup": self.warmup} | own),
        )


class TunedSettings(SamplerSettings):
    """What samplers that are tuned in their warm-up share."""

    sweeps = param.Integer(TUNED_SWEEPS, bounds=(1, None), doc="Sweeps of each chain.")
    move = param.Selector(
        default="hmc", objects=["hmc", "walk"], doc="Hamiltonian Monte Carlo, or a random walk"
    )


class TunedChainSettings(TunedSettings, ChainSettings):
    """What samplers of ranking values by exact probabilities share."""

    def sampler(self, make: Callable[..., Sampler], tableau: Tableau, **own: Any) -> Sampler:
        """Return the sampler of a class with these settings, and with those that are its own."""
        warmup = resolve_warmup(self.warmup, self.steps)
        return super().sampler(make, tableau, warmup=warmup, move=self.move, **own)
