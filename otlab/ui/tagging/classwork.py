"""The tagging lab's material for a class: the scores of every run, and the accuracy to guess."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.tagging.learners import LEARNERS
from otlab.tagging.scores import SCORES
from otlab.ui.classroom.classwork import Classwork, Guessing, Report
from otlab.ui.tagging.state import TaggingState
from otlab.ui.tagging.tabs.data import learnt_results
from otlab.viz.tagging.page import overview

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.viz.base.page import Section

__all__ = ["TaggingClasswork"]

_COMPARED = {"one_to_one": "1-to-1", "v_measure": "V-measure"}
_GUESSED = "one_to_one"


class TaggingClasswork(Classwork[TaggingState]):
    """Scores of runs against the gold tags."""

    def report(self, state: TaggingState) -> Report | None:
        """Return 1-to-1 accuracy and V-measure of each run of each learner; None without gold tags."""
        values = {
            f"{result.label}, {label}": [
                round(float(view.scores[-1][SCORES.index(name)]), 4) for view in result.views
            ]
            for result in state.results.values()
            if result.views and state.corpus.tags is not None
            for name, label in _COMPARED.items()
        }
        return Report("Scores against the gold tags", "each run", values, hue="em") if values else None

    def guessings(self, state: TaggingState) -> tuple[Guessing, ...]:
        """Return the learners that are ticked, whose accuracy is guessed; nothing without gold tags."""
        if state.corpus.tags is None or not state.learners:
            return ()
        groups = tuple((LEARNERS[name].label, ("1-to-1 accuracy",)) for name in _ticked(state))
        return (Guessing("How many words in 100 will be tagged right?", groups, shares=False),)

    def outcome(self, state: TaggingState, kind: str = "") -> Sequence[Sequence[float]] | None:
        """Return the 1-to-1 accuracy of each learner, a mean over its runs."""
        results = [state.results.get(name) for name in _ticked(state)]
        accuracies = [
            [float(np.mean([view.scores[-1][SCORES.index(_GUESSED)] for view in result.views]))]
            for result in results
            if result is not None and result.views
        ]
        return accuracies if len(accuracies) == len(results) else None

    def sections(self, state: TaggingState) -> list[Section]:
        """Return what the learners have found; nothing before a run."""
        results = learnt_results(state)
        return overview(results) if results else []


def _ticked(state: TaggingState) -> list[str]:
    return [name for name in LEARNERS if name in state.learners]
