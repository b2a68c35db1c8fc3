"""The result of fitting a phone loop: segments, and scores against gold phones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.discovery.sound.decode import agreed_boundaries, decode, frame_units, segment_intervals
from otlab.discovery.sound.scores import Contingency, UnitScores, boundary_ratio, contingency
from otlab.inference.fit import Fitted

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from otlab.discovery.sound.decode import Segment
    from otlab.discovery.sound.speech import Speech
    from otlab.discovery.sound.tiers import Interval
    from otlab.discovery.sound.view import UnitsView

__all__ = ["SoundFitted"]


@dataclass(frozen=True, eq=False, repr=False)
class SoundFitted(Fitted[Any, "UnitsView"]):
    """The result of fitting a phone loop. Properties that concern one chain show the first."""

    @property
    def speech(self) -> Speech:
        """The speech from which units were learnt."""
        learner: Any = self.learner
        speech: Speech = learner.speech
        return speech

    @cached_property
    def segments(self) -> tuple[list[Segment], ...]:
        """The best path through each utterance."""
        return tuple(decode(self.speech, self.view.posterior, u) for u in range(len(self.speech)))

    @property
    def units_used(self) -> int:
        """Number of units on the best paths."""
        return len({segment.unit for each in self.segments for segment in each})

    @cached_property
    def intervals(self) -> tuple[list[Interval], ...]:
        """The segments' times, in seconds from the beginning of each utterance."""
        return tuple(segment_intervals(self.speech, segments) for segments in self.segments)

    @cached_property
    def agreed(self) -> list[list[Interval]]:
        """Unlabelled segments between the boundaries on which more than half of the chains agree."""
        return agreed_boundaries(self.speech, [view.start for view in self.views])

    @property
    def agreed_boundary_f(self) -> float | None:
        """F-score of the agreed boundaries; None without gold phones, or with one chain."""
        gold = self.speech.phones
        return None if gold is None or self.chains < 2 else boundary_ratio(self.agreed, gold).f

    @cached_property
    def contingency(self) -> Contingency | None:
        """Counts of frames by unit and gold phone; None without frames that have one."""
        if self.speech.phones is None:
            return None
        units = np.concatenate([frame_units(segments) for segments in self.segments])
        counts = contingency(self.speech, units, self.view.entries.size)
        return counts if counts.phones else None

    @cached_property
    def scores(self) -> UnitScores | None:
        """Scores against gold phones; None if there are none."""
        table, gold = self.contingency, self.speech.phones
        if table is None or gold is None:
            return None
        return UnitScores(table.nmi, table.nmi_symmetric, table.purity, boundary_ratio(self.intervals, gold))

    def _agreed_score(self) -> dict[str, float]:
        f = self.agreed_boundary_f
        return {} if f is None else {"agreed_boundary_f": f}

    def best(self, rule: Callable[[UnitsView], float] | None = None) -> int:
        """Return the number of the chain for which `rule` is highest; by default, the bound."""
        return super().best(rule or (lambda view: view.bound))

    def summary(self) -> pd.DataFrame:
        """Return a table with one row per chain: seed, steps, bound and units used."""
        table = super().summary()
        table["bound"] = [view.bound for view in self.views]
        table["units_used"] = [view.units_used for view in self.views]
        return table

    def to_dict(self) -> dict[str, Any]:
        """Return objective, units, scores, seed and settings, as values for JSON."""
        view, scores = self.view, self.scores
        note = "there are no gold phones to compare with"
        return {
            **super().to_dict(),
            "objective": view.objective.tolist(),
            "units_used": self.units_used,
            "frames": self.speech.frames,
            "utterances": len(self.speech),
            "lost_weight": view.lost,
            "scores": None if scores is None else {**scores.as_dict(), **self._agreed_score()},
            **({} if scores is not None else {"scores_note": note}),
            "units": [
                {"unit": m, "expected_count": float(view.entries[m]), "weight": float(view.weight[m])}
                for m in np.argsort(-view.entries, kind="stable")
            ],
        }
