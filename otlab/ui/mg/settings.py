"""The grammar lab's settings: those of the run panel, and those of its tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import param

from otlab.mg.learners.corpus_learner import LearnerSettings, OptimiserSettings
from otlab.mg.learners.cross_check import CHAINS, SWEEPS
from otlab.samples import samples
from otlab.ui.fields import Field, Fold, Seed, labelled, like
from otlab.ui.glossary import define

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["GENERATED", "CompareSettings", "MGSettings", "PoolSettings", "ShippedChoice"]

GENERATED = 200

define(
    "alpha",
    "Alpha",
    "The pseudo-count of every item before any sentence is seen; below 1 a few items take all.",
)
define(
    "grammar start",
    "Start of learning",
    "Where learning begins: at the prior, at the prior with a random nudge, or at expected counts.",
)
define("gibbs chains", "Chains", "Independent samplers, whose draws are pooled; R-hat compares them.")
define(
    "grammar restarts", "Restarts", "Independent runs from different random starts; the best ELBO is kept."
)
define(
    "smc",
    "Shortest move constraint",
    "No expression may hold two phrases that wait for the same licensor.",
    "Without it nothing can be learnt.",
)
define("held-out", "Held out", "The share of sentences kept from learning, by which theories are judged.")
define(
    "sparse pseudo-count",
    "Pseudo-count of the candidates",
    "The prior weight of every candidate; well below 1, entries the corpus can do without lose all theirs.",
)
define(
    "pool sentences",
    "Sentences",
    "What is learnt from: the corpus, or random sentences of the lexicon, which may then be found again.",
)
define("survival", "Threshold", "Expected uses in the corpus that an entry needs to survive.")


class MGSettings(param.Parameterized):
    """The settings of the run panel: of VB, EM and MAP, and in a fold those of Gibbs."""

    alpha = like(
        LearnerSettings, "alpha", default=1.0, allow_None=False, bounds=(0, 1000), softbounds=(0.01, 10.0)
    )
    start = param.Selector(
        default="prior",
        objects={"At the prior": "prior", "Randomly": "jitter", "From counts": "counts"},
        label="Initialise",
    )
    restarts = like(OptimiserSettings, "restarts", bounds=(1, 100))
    iterations = like(OptimiserSettings, "iterations", bounds=(1, 100_000))
    seed = Seed()
    chains = param.Integer(CHAINS, bounds=(1, 100))
    sweeps = param.Integer(SWEEPS, bounds=(1, 1_000_000))
    smc = param.Boolean(default=True, label="Shortest move constraint")

    fields: ClassVar[Mapping[str, Field]] = {
        "alpha": Field("alpha", wide=True, slide=("sparse", "uniform")),
        "start": Field("grammar start"),
        "restarts": Field("grammar restarts"),
        "iterations": Field("iteration"),
        "chains": Field("gibbs chains"),
        "sweeps": Field("sweep"),
        "smc": Field("smc", wide=True),
    }
    folds: ClassVar[tuple[Fold, ...]] = (
        Fold("Gibbs", ("chains", "sweeps"), lambda s: f"{s.chains} × {s.sweeps:,}"),
    )


class CompareSettings(param.Parameterized):
    """Settings of the comparison of theories."""

    held_out = param.Number(0.25, bounds=(0, 1), inclusive_bounds=(False, False))
    sentences = param.Selector(
        default="all", objects={"All sentences": "all", "Sentences all parse": "shared"}, label="Score on"
    )

    fields: ClassVar[Mapping[str, Field]] = {"held_out": Field("held-out")}


class ShippedChoice(param.Parameterized):
    """A shipped lexicon to add to a comparison."""

    sample = param.Selector(
        default="",
        objects=labelled({"": "Choose one", **{sample.name: sample.title for sample in samples("mg")}}),
        label="Add a shipped lexicon",
    )

    fields: ClassVar[Mapping[str, Field]] = {"sample": Field(wide=True)}


class PoolSettings(param.Parameterized):
    """Settings of learning a lexicon from candidate items."""

    alpha = param.Number(0.05, bounds=(0, 10), inclusive_bounds=(False, True), label="Pseudo-count")
    restarts = param.Integer(10, bounds=(1, 100), label="Starts")
    iterations = param.Integer(200, bounds=(1, 10_000), label="Learning iterations")
    sentences = param.Selector(
        default="corpus", objects={"The corpus": "corpus", f"{GENERATED} generated": "generated"}
    )
    threshold = param.Number(0.5, bounds=(0, 1e6), inclusive_bounds=(False, True), softbounds=(0.01, 100.0))

    fields: ClassVar[Mapping[str, Field]] = {
        "alpha": Field("sparse pseudo-count"),
        "iterations": Field("iteration"),
        "sentences": Field("pool sentences"),
        "threshold": Field("survival", wide=True, slide=("keep more", "keep fewer")),
    }
