"""The lexicon lab's settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import param

from otlab.discovery.joint.learners.joint import JointSettings
from otlab.discovery.learners import MODELS
from otlab.discovery.learners.learner import LexiconSettings
from otlab.discovery.sound.learners.phone_loop import PhoneLoopSettings
from otlab.errors import counted
from otlab.ui.fields import Field, Fold, Seed, like
from otlab.ui.glossary import define

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LexiconLabSettings"]

define("shown learner", "Show", "The learner whose segmentation, words, probabilities and trees are shown.")
define(
    "start of segmentation",
    "Start",
    "Where learning begins decides where it ends: at peaks of branching entropy, or with one probability of "
    "a boundary everywhere.",
)


class LexiconLabSettings(param.Parameterized):
    """The settings of the run panel."""

    shown = param.Selector(
        default="batch", objects={entry.label: name for name, entry in MODELS.items()}, label="Show"
    )
    start = param.Selector(default="peaks", objects={"Peaks": "peaks", "P(boundary)": "geometric"})
    boundary = param.Number(0.5, bounds=(0, 1), inclusive_bounds=(False, False), label="P(boundary)")
    iterations = like(LexiconSettings, "iterations", bounds=(1, 100_000))
    restarts = param.Integer(1, bounds=(1, 100))
    seed = Seed(1)
    edited = param.Number(0.0, bounds=(0, 50), label="Edited phones, %")
    units = like(PhoneLoopSettings, "units", label="Most units")
    components = like(PhoneLoopSettings, "components", label="Gaussians per state")
    rounds = like(JointSettings, "rounds", label="Rounds")
    word_iterations = like(JointSettings, "word_iterations", label="Word iterations")

    fields: ClassVar[Mapping[str, Field]] = {
        "shown": Field("shown learner", learners=tuple(MODELS)),
        "start": Field("start of segmentation", learners=tuple(MODELS)),
        "boundary": Field("start of segmentation", learners=tuple(MODELS)),
        "iterations": Field("iteration"),
    }
    folds: ClassVar[tuple[Fold, ...]] = (
        Fold("Noisy text", ("edited",), lambda s: f"{s.edited:g} %", tuple(MODELS)),
        Fold("Phone loop", ("units", "components"), lambda s: counted(s.units, "unit"), ("units", "joint")),
        Fold("Joint model", ("rounds", "word_iterations"), lambda s: counted(s.rounds, "round"), ("joint",)),
    )
