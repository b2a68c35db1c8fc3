"""The OT lab's fields: one noise, one bound and one sample size for every learner."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import param

from otlab.ot.learners import LEARNERS
from otlab.ot.settings import resolve_settings
from otlab.ui.fields import Choice, Field, Fold, Integer, Real, Seed, Settings, Switch, Text
from otlab.ui.glossary import define

if TYPE_CHECKING:
    from otlab.inference.registry import LearnerEntry
    from otlab.ot.tableau import Tableau

__all__ = ["AsCounted", "defaults_for", "lab_settings", "learner_settings"]

# The field of a learner's parameter, where it is not the one of the same name; "" for none.
_FIELD_OF = {
    "gibbs": {"prior": ""},
    "gla": {"sweeps": "trials"},
    "maxent": {"sweeps": "", "prior": "", "prior_sd": "weight_sd"},
}

SCHEDULES = {
    "otsoft": "OTSoft, 4 stages",
    "praat": "Praat, 4 stages",
    "geometric": "Geometric",
    "lin": "Lin 2005, note 13",
}

define(
    "weights",
    "Weights",
    "Nonnegative weights are penalties only; free ones may also reward, as in Lin's Table 8.",
)
define("schedule", "Schedule", "How plasticity falls from trial to trial.")
define(
    "variant",
    "Sampler",
    "Choose Fixed counts: it samples the posterior. As published, the counts are drawn anew each sweep, "
    "and intervals come out too wide; it is there to compare with the paper.",
)
define(
    "spread",
    "Largest spread",
    "The standard deviation over runs of the candidate probability that varies most.",
)
define("log likelihood", "Log likelihood", "The log probability of all observations, in nats.")
define(
    "prior sd",
    "Prior sd",
    "The standard deviation of the normal prior on every ranking value; smaller keeps them closer to 0.",
)
define(
    "weight sd",
    "Weight prior sd",
    "The standard deviation of the normal prior on every weight. Empty: no prior, and weights may grow "
    "without end.",
)
define("runs", "Runs", "Independent runs of the GLA; one run differs from the next.")


@dataclass(frozen=True)
class AsCounted(Integer):
    """A sample size, or nothing where the frequencies are counts."""

    def parse(self, text: str) -> int | None:  # type: ignore[override]  # an empty field is a value here
        """Read a whole number, or an empty field."""
        return None if text.strip() in ("", "as counted") else super().parse(text)

    def show(self, value: int | None) -> str:
        """Return it with thousands commas."""
        return "as counted" if value is None else super().show(value)


def lab_settings() -> Settings:
    """Return the fields of the run panel, at their defaults."""
    rows: list[Field | Fold] = [
        Integer("sweeps", "Sweeps", 20_000, low=1, high=100_000_000, term="sweep"),
        Seed(),
        Integer("chains", "Chains", 4, low=1, high=64, term="chain"),
        AsCounted("total", "Sample size M", None, low=1, high=9_999_999, term="sample size"),
        Real("noise", "Noise σ", 2.0, above=0.0, term="noise"),
        Real("bound", "Bound K", 12.0, above=0.0, term="bound"),
        Fold("Priors", [_PRIOR, _PRIOR_SD, _VARIANT], summary=_prior_summary),
        Fold(
            "GLA schedule",
            [_SCHEDULE, _RUNS, _TRIALS, _PLASTICITY],
            summary=lambda s: s.label("schedule"),
        ),
        Fold("MaxEnt", [_WEIGHTS, _WEIGHT_SD], summary=_weights_summary),
    ]
    return Settings([*rows, *_further_folds(rows)])


def learner_settings(entry: LearnerEntry, form: Settings) -> param.Parameterized:
    """Return a learner's settings with the values of the form; its defaults where there is no field."""
    settings = entry.settings()
    for name in entry.settings.param:
        field = name if name != "name" else ""
        field = _FIELD_OF.get(entry.name, {}).get(field, field)
        if field in form.fields:
            flat = field == "prior_sd" and form["prior"] == "flat"
            setattr(settings, name, None if flat else form[field])
    return settings


def _further_folds(rows: list[Field | Fold]) -> list[Fold]:
    """Return a fold for each learner with settings that no field of `rows` holds."""
    taken = {field.name for row in rows for field in (row.fields if isinstance(row, Fold) else [row])}
    folds = []
    for entry in LEARNERS.values():
        if entry.name not in _FIELD_OF:
            names = [name for name in entry.settings.param if name not in {"name", *taken}]
            fields = [_field(name, entry.settings.param[name]) for name in names]
            taken.update(names)
            if fields:
                folds.append(Fold(entry.label, fields, summary=partial(Settings.label, name=names[0])))
    return folds


def _field(name: str, parameter: Any) -> Field:
    """Return the field of one parameter."""
    label, default = parameter.label, parameter.default
    low, high = getattr(parameter, "bounds", None) or (None, None)
    if isinstance(parameter, param.Integer) and default is not None:
        return Integer(name, label, default, low=low or 0, high=high or 2**63 - 1)
    if isinstance(parameter, param.Boolean):
        return Switch(name, label, default)
    if isinstance(parameter, param.Number):
        low_is_in, high_is_in = parameter.inclusive_bounds
        limits: dict[str, float] = {}
        if low is not None:
            limits["low" if low_is_in else "above"] = low
        if high is not None:
            limits["high" if high_is_in else "below"] = high
        return Real(name, label, default, optional=parameter.allow_None, **limits)  # type: ignore[arg-type]
    if isinstance(parameter, param.Selector):
        return Choice(name, label, default, {value: str(value) for value in parameter.objects})
    return Text(name, label, default)


def defaults_for(tableau: Tableau) -> dict[str, float | int | None]:
    """Return the values of the fields that follow a tableau: noise, bound, sample size."""
    settings = resolve_settings(tableau)
    return {"noise": settings.noise, "bound": settings.bound, "total": tableau.total}


_PRIOR = Choice("prior", "Prior", "flat", {"flat": "Flat, centred", "normal": "Normal at 0"}, term="prior")
_PRIOR_SD = Real("prior_sd", "Prior sd", 10.0, above=0.0, term="prior sd")
_VARIANT = Choice(
    "variant",
    "Sampler",
    "fixed",
    {"fixed": "Fixed counts", "published": "As published"},
    term="variant",
    wide=True,
)
_SCHEDULE = Choice("schedule", "Schedule", "otsoft", SCHEDULES, term="schedule", wide=True)
_RUNS = Integer("runs", "Runs", 40, low=1, high=400, term="runs")
_TRIALS = Integer("trials", "Trials", 100_000, low=1, high=1_000_000_000, term="trial")
_PLASTICITY = Real("plasticity", "Plasticity (endless GLA)", 0.1, above=0.0, term="plasticity", wide=True)
_WEIGHTS = Choice(
    "weights", "Weights", "nonnegative", {"nonnegative": "Nonnegative", "free": "Free sign"}, term="weights"
)
_WEIGHT_SD = Real("weight_sd", "Weight prior sd", None, above=0.0, optional=True, term="weight sd")


def _prior_summary(settings: Settings) -> str:
    if settings["prior"] == "flat":
        return settings.label("prior")
    return f"Normal, sd {settings.label('prior_sd')}"


def _weights_summary(settings: Settings) -> str:
    prior = "no prior" if settings["weight_sd"] is None else f"sd {settings.label('weight_sd')}"
    return f"{settings.label('weights')}, {prior}"
