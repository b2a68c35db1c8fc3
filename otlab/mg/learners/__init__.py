"""The learners of minimalist grammars: each works on a parsed corpus."""

from __future__ import annotations

from otlab.inference.registry import LearnerEntry, registry
from otlab.mg.learners.common import SamplerSettings, StartSettings
from otlab.mg.learners.em import EM, MAP
from otlab.mg.learners.gibbs import Gibbs
from otlab.mg.learners.vb import VB

__all__ = ["LEARNERS"]

LEARNERS = registry(
    LearnerEntry("vb", VB.make, "VB", "iteration", StartSettings, "vb"),
    LearnerEntry("em", EM.make, "EM", "iteration", StartSettings, "em"),
    LearnerEntry("map", MAP.make, "MAP", "iteration", StartSettings, "other"),
    LearnerEntry("gibbs", Gibbs.make, "Gibbs", "sweep", SamplerSettings, "gibbs"),
)
