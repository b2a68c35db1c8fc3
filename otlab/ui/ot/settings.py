"""The OT lab's settings: one noise, one bound and one sample size for every learner."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import param

from otlab.errors import counted
from otlab.ot.learners import LEARNERS
from otlab.ot.learners.gibbs import GibbsSettings
from otlab.ot.learners.gla import GLASettings
from otlab.ot.learners.maxent import MaxEntSettings
from otlab.ot.learners.priors import chosen_prior
from otlab.ot.settings import resolve_settings
from otlab.ui.fields import Field, Fold, Seed, label_of, like, text_of
from otlab.ui.glossary import define
from otlab.ui.ot.constraint_settings import COLUMNS, ConstraintSettings, apriori_pairs, own_prior
from otlab.ui.sweep.names import OF_LEARNER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from otlab.inference.registry import LearnerEntry
    from otlab.ot.learners.priors import NormalPrior
    from otlab.ot.tableau import Tableau

__all__ = [
    "OTSettings",
    "defaults_for",
    "lab_prior",
    "lab_settings",
    "learner_settings",
    "ranking_prior",
]

WIDE_WEIGHT_SD = 100.0
"""Of weights without a prior of their own where other weights have one."""

# The lab has no field for these parameters of a learner; for the others of another name see OF_LEARNER.
_NONE = ("prior", "prior_variances", "warmup", "initial", "gap")
_OF_WEIGHTS = ("faithfulness_low", "initial_values", "plasticities")
_WITHOUT: dict[str, tuple[str, ...]] = {
    "gibbs": _NONE,
    "gla": _NONE,
    "maxent": (*_NONE, *_OF_WEIGHTS, "sweeps"),
    "exact": _NONE,
    "mle": (*_NONE, "sweeps"),
    "hg": (*_NONE, *_OF_WEIGHTS),
    "maxent-online": (*_NONE, *_OF_WEIGHTS),
    "maxent-bayes": (*_NONE, *_OF_WEIGHTS),
    "edcd": ("sweeps",),
    "unknown-noise": _NONE,
    "mixtures": _NONE,
    "latent-gibbs": _NONE,
    "rip": _NONE,
    "rrip": _NONE,
    "eip": _NONE,
    "hg-overt": (*_NONE, *_OF_WEIGHTS),
    "maxent-mixed": (*_NONE, *_OF_WEIGHTS),
    "sot-mixed": _NONE,
    "hg-mixed": (*_NONE, *_OF_WEIGHTS),
    "maxent-overt": (*_NONE, *_OF_WEIGHTS, "sweeps"),
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
    "Choose Fixed counts: it samples the posterior. As published, the counts are redrawn in each sweep, "
    "and intervals come out too wide; it is there to compare with the paper.",
)
define(
    "largest spread",
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
    "faithfulness low",
    "Faithfulness low by",
    "With a normal prior: how far below 0 it expects faithfulness constraints, and the others above 0.",
)
define(
    "weight sd",
    "Weight prior sd",
    "The standard deviation of the normal prior on every weight. Empty: no prior, and weights may grow "
    "without end.",
)
define(
    "update rule",
    "Update rule",
    "How an error of the GLA moves the ranking values; Praat's twelve rules, and Magri's.",
)
define("runs", "Runs", "Independent runs of the GLA; one run differs from the next.")


def _prior_summary(settings: OTSettings) -> str:
    if settings.prior == "flat":
        return label_of(settings, "prior")
    return f"Normal, sd {text_of(settings, 'prior_sd')}"


def _weights_summary(settings: OTSettings) -> str:
    prior = "no prior" if settings.weight_sd is None else f"sd {text_of(settings, 'weight_sd')}"
    return f"{label_of(settings, 'weights')}, {prior}"


_SUMMARIES: Mapping[str, Callable[[Any], str]] = {
    "exact": lambda s: {"hmc": "HMC", "walk": "Random walk"}[s.move],
    "mle": lambda s: counted(s.starts, "start"),
    "hg": lambda s: {"constraint": "Noise by constraint", "cell": "Noise by cell", "late": "Late noise"}[
        s.place
    ],
    "unknown-noise": lambda s: f"log sd {text_of(s, 'noise_spread')}",
    "mixtures": lambda s: s.mixed or "All constraints",
    "latent-gibbs": lambda s: f"{s.temperatures} temperature{'s' * (s.temperatures > 1)}",
}
"""Summaries of the folds of further learners, by name; other folds show their first setting."""


class OTSettings(ConstraintSettings):
    """The settings of the run panel.

    Noise, bound and sample size follow the tableau. The GLA has 40 runs of 100,000 trials here and
    10 of 1,000,000 on the command line: many short runs show its spread within seconds.
    """

    sweeps = like(GibbsSettings, "sweeps", bounds=(1, 100_000_000))
    seed = Seed()
    chains = like(GibbsSettings, "chains", bounds=(1, 64))
    total = like(GibbsSettings, "total", bounds=(1, 9_999_999), label="Sample size M")
    noise = like(GibbsSettings, "noise", default=2.0, allow_None=False, label="Noise σ")
    bound = like(GibbsSettings, "bound", default=12.0, allow_None=False, label="Bound K")
    prior = param.Selector(default="flat", objects={"Flat, centred": "flat", "Normal at 0": "normal"})
    prior_sd = like(GibbsSettings, "prior_sd", default=10.0, allow_None=False)
    faithfulness_low = like(GibbsSettings, "faithfulness_low", label="Faithfulness low by")
    variant = param.Selector(
        default="fixed", objects={"Fixed counts": "fixed", "As published": "published"}, label="Sampler"
    )
    schedule = param.Selector(
        default="otsoft",
        objects={
            "OTSoft, 4 stages": "otsoft",
            "Praat, 4 stages": "praat",
            "Geometric": "geometric",
            "Lin 2005, note 13": "lin",
        },
    )
    rule = like(GLASettings, "rule", label="Update rule")
    markedness_plasticity = like(GLASettings, "markedness_plasticity", label="Markedness factor")
    faithfulness_plasticity = like(GLASettings, "faithfulness_plasticity", label="Faithfulness factor")
    runs = like(GLASettings, "runs", default=40, bounds=(1, 400))
    trials = param.Integer(100_000, bounds=(1, 1_000_000_000))
    plasticity = param.Number(
        0.1, bounds=(0, None), inclusive_bounds=(False, True), label="Plasticity (endless GLA)"
    )
    weights = param.Selector(
        default="nonnegative", objects={"Nonnegative": "nonnegative", "Free sign": "free"}
    )
    weight_sd = like(MaxEntSettings, "prior_sd", label="Weight prior sd")

    fields: ClassVar[Mapping[str, Field]] = {
        "sweeps": Field("sweep"),
        "chains": Field("chain"),
        "total": Field("sample size", none="as counted"),
        "variant": Field("variant", wide=True),
        "schedule": Field("schedule", wide=True),
        "rule": Field("update rule", wide=True),
        "trials": Field("trial"),
        "plasticity": Field("plasticity", wide=True),
        **dict.fromkeys((*COLUMNS, "apriori"), Field(elsewhere=True)),
    }
    folds: ClassVar[tuple[Fold, ...]] = (
        Fold("Priors", ("prior", "prior_sd", "faithfulness_low", "variant"), _prior_summary),
        Fold(
            "GLA",
            (
                "schedule",
                "rule",
                "markedness_plasticity",
                "faithfulness_plasticity",
                "runs",
                "trials",
                "plasticity",
            ),
            partial(label_of, name="schedule"),
        ),
        Fold("MaxEnt", ("weights", "weight_sd"), _weights_summary),
    )


def lab_settings() -> OTSettings:
    """Return the settings at their defaults, with a fold for each further learner of the registry."""
    parameters: dict[str, Any] = {}
    folds = []
    for entry in LEARNERS.values():
        known = {"name", "", *OTSettings.param, *parameters}
        own = {_lab_name(entry.name, name): name for name in entry.settings.param}
        own = {lab: name for lab, name in own.items() if lab not in known}
        names = list(own)
        if names:
            parameters |= {lab: like(entry.settings, name) for lab, name in own.items()}
            summary = _SUMMARIES.get(entry.name, partial(label_of, name=names[0]))
            folds.append(Fold(entry.label, tuple(names), summary, (entry.name,)))
    made: type[OTSettings] = type(
        "OTSettings", (OTSettings,), {**parameters, "folds": (*OTSettings.folds, *folds)}
    )
    return made()


def _lab_name(learner: str, name: str) -> str:
    """Return the lab's name for a learner's parameter; empty where it has none."""
    if name in _WITHOUT.get(learner, ()):
        return ""
    return OF_LEARNER.get(("ot", learner), {}).get(name, name)


def learner_settings(entry: LearnerEntry, lab: OTSettings, tableau: Tableau) -> param.Parameterized:
    """Return a learner's settings with the values of the lab's; its defaults where the lab has none."""
    settings = entry.settings()
    for name in set(entry.settings.param) - {"name", "apriori"}:
        own = _lab_name(entry.name, name)
        if own in lab.param:
            flat = own in ("prior_sd", "faithfulness_low") and lab.prior == "flat"
            setattr(settings, name, settings.param[name].default if flat else getattr(lab, own))
    if "apriori" in settings.param:
        settings.apriori = apriori_pairs(lab, tableau.constraints) or None
    if "prior" in settings.param:
        prior = lab_prior(lab, tableau, weights="weights" in settings.param)
        if prior is not None:
            settings.param.update(prior=prior, prior_sd=None)
    return settings


def lab_prior(
    lab: OTSettings, tableau: Tableau, *, weights: bool = False
) -> dict[str, tuple[float, float]] | None:
    """Return the prior mean and sd of each ranking value or weight; None if no constraint has its own."""
    if weights:
        return own_prior(lab, tableau, "weight", lab.weight_sd or WIDE_WEIGHT_SD)
    low = lab.faithfulness_low if lab.prior == "normal" else 0.0
    return own_prior(lab, tableau, "prior", lab.prior_sd, low)


def ranking_prior(lab: OTSettings, tableau: Tableau) -> NormalPrior | None:
    """Return the normal prior of the ranking values; None if it is flat."""
    own = lab_prior(lab, tableau)
    if own is not None or lab.prior == "flat":
        return chosen_prior(tableau, None, own)
    return chosen_prior(tableau, lab.prior_sd, None, faithfulness_low=lab.faithfulness_low)


def defaults_for(tableau: Tableau) -> dict[str, float | int | None]:
    """Return the settings that follow a tableau: noise, bound, sample size."""
    settings = resolve_settings(tableau)
    return {"noise": settings.noise, "bound": settings.bound, "total": tableau.total}
