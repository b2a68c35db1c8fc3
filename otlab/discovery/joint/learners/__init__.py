"""Learners from sound: units alone, the pipeline, and the joint model."""

from otlab.discovery.joint.learners.joint import Joint, JointSettings, Pipeline, PipelineSettings
from otlab.discovery.sound.learners import LEARNERS as UNITS
from otlab.inference.registry import LearnerEntry, registry

__all__ = ["LEARNERS"]

LEARNERS = registry(
    *UNITS.values(),
    LearnerEntry("pipeline", Pipeline.from_settings, "Pipeline", "iteration", PipelineSettings, "gla"),
    LearnerEntry("joint", Joint.from_settings, "Joint model", "iteration", JointSettings, "gibbs"),
)
"""The learners of ``otlab discover --audio``."""
