"""The registry of the learners of minimalist grammars; each learns from a parsed corpus."""

from __future__ import annotations

from otlab.inference.registry import LearnerEntry, registry
from otlab.mg.learners.corpus_learner import LearnerSettings, OptimiserSettings
from otlab.mg.learners.em import EM, MAP
from otlab.mg.learners.gibbs import Gibbs
from otlab.mg.learners.vb import VB

__all__ = ["LEARNERS"]

LEARNERS = registry(
    LearnerEntry("vb", VB.make, "VB", "iteration", OptimiserSettings, "vb"),
    LearnerEntry("em", EM.make, "EM", "iteration", OptimiserSettings, "em"),
    LearnerEntry("map", MAP.make, "MAP", "iteration", OptimiserSettings, "other"),
    LearnerEntry("gibbs", Gibbs.make, "Gibbs", "sweep", LearnerSettings, "gibbs"),
)
