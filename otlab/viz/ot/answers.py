"""Predictions of each learner, and their texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from otlab.ot.learners import LEARNERS
from otlab.viz.base.numbers import DASH, interval_text, percent_text, value_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Answers"]


@dataclass(frozen=True, eq=False)
class Answers:
    """Observed frequencies and predictions of each learner; probabilities in [0, 1], one per row.

    Attributes
    ----------
    observed
        Relative frequency within the input, shape (rows,); NaN for an input without data.
    gibbs
        Mean and ends of the interval of the posterior's predictions, shape (3, rows), or None.
    gla
        Prediction of each finished run, shape (runs, rows), or None.
    maxent
        Prediction, shape (rows,), or None.
    further
        Predictions of other learners, by name, shape (rows,).
    """

    observed: np.ndarray
    gibbs: np.ndarray | None = None
    gla: np.ndarray | None = None
    maxent: np.ndarray | None = None
    further: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def centres(self) -> dict[str, np.ndarray]:
        """The best single prediction of each learner that has one, by name, shape (rows,)."""
        centres = {}
        if self.gibbs is not None:
            centres["gibbs"] = self.gibbs[0]
        if self.gla is not None and len(self.gla):
            centres["gla"] = self.gla.mean(axis=0)
        if self.maxent is not None:
            centres["maxent"] = self.maxent
        return centres | dict(self.further)

    @property
    def learners(self) -> tuple[str, ...]:
        """Learners with a prediction, in the order of their columns."""
        return tuple(self.centres)

    def figures(self, learner: str) -> list[tuple[str, str]]:
        """Return the percentage of each row and its uncertainty: an interval, ± sd over runs, or nothing."""
        spreads = {"gibbs": self._intervals, "gla": self._deviations}.get(learner, self._nothing)()
        centre = self.centres[learner]
        return [(value_text(100 * float(p), 1), s) for p, s in zip(centre, spreads, strict=True)]

    def observed_texts(self) -> list[str]:
        """Return the observed frequency of each row as a percentage, a dash without data."""
        return [DASH if np.isnan(p) else value_text(100 * float(p), 1) for p in self.observed]

    def sentence(self, candidates: Sequence[str]) -> str:
        """Return a sentence about the candidate with the largest error of each learner."""
        if not self.learners:
            return "No predictions yet."
        if not np.isfinite(self.observed).any():
            return "There are no observations to compare with."
        sentences = []
        for learner, centre in self.centres.items():
            row = int(np.nanargmax(np.abs(centre - self.observed)))
            figures = f"{percent_text(float(centre[row]))} against {percent_text(float(self.observed[row]))}"
            sentences.append(f"{LEARNERS[learner].label} is furthest off for {candidates[row]}, {figures}")
        return "; ".join(sentences) + "."

    def _intervals(self) -> list[str]:
        return (
            []
            if self.gibbs is None
            else [interval_text(low, high) for low, high in self.gibbs[1:].T.tolist()]
        )

    def _deviations(self) -> list[str]:
        if self.gla is None or len(self.gla) < 2:
            return self._nothing()
        return [f"±\u2009{value_text(100 * sd, 1)}" for sd in self.gla.std(axis=0, ddof=1).tolist()]

    def _nothing(self) -> list[str]:
        return [""] * len(self.observed)
