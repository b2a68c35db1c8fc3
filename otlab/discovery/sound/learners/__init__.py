"""Learners of phone-like units: their data are :class:`~otlab.discovery.sound.speech.Speech`."""

from otlab.discovery.sound.learners.phone_loop import PhoneLoop, PhoneLoopSettings
from otlab.inference.registry import LearnerEntry, registry

__all__ = ["LEARNERS"]

LEARNERS = registry(
    LearnerEntry("units", PhoneLoop.from_settings, "Phone loop", "iteration", PhoneLoopSettings, "vb"),
)
