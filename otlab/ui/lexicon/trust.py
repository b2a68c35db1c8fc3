"""The badge of the run panel of the lexicon lab: whether an objective rose, and what that means."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.learners.noisy import OTHER_OBJECTIVE
from otlab.ui.components.badge import Badge, Stat, TrustReport, badge

if TYPE_CHECKING:
    from otlab.discovery.learners.view import DiscoveryView

__all__ = ["steps_report", "text_report"]

_FALL = 1e-6
_EARLIER = (
    "This run began in an earlier version of otlab, which computed the ELBO of mishearings otherwise: the "
    "jump before iteration {} is that of the formula, not of the words."
)
_NOT_THE_WORDS = "An ELBO that never fell shows that VB works, not that its units are those of the language."


def text_report(view: DiscoveryView, learner: str, stats: tuple[Stat, ...]) -> TrustReport:
    """Return the badge of words learnt from text, whose objective should rise except at marks."""
    if learner == "mcmc":
        return TrustReport(Badge("Sampling noise remains"), stats)
    if learner == "online":
        return TrustReport(Badge("Bound estimated, not exact"), stats)
    report = steps_report(view.objective, {mark.iteration for mark in view.marks}, stats)
    other = next((mark.iteration for mark in view.marks if mark.what == OTHER_OBJECTIVE), None)
    if other is None:
        return report
    return replace(report, meaning=f"{_EARLIER.format(other)} {report.meaning}".rstrip())


def steps_report(objective: np.ndarray, explained: set[int], stats: tuple[Stat, ...]) -> TrustReport:
    """Return the badge of an objective that may fall only at the given iterations."""
    fallen = np.flatnonzero(np.diff(objective) < -_FALL * np.abs(objective[:-1])) + 1
    if set(fallen.tolist()) - explained:
        return TrustReport(Badge("ELBO fell", "bad"), stats)
    return TrustReport(badge("ELBO never fell"), stats, meaning=_NOT_THE_WORDS)
