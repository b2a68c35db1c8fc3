"""What one tagging lab holds: the corpus, the settings, the estimators' runs, pinned curves.

Knows no picture. The page calls :meth:`TaggingState.take` with the ticks of a run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import Fault, InputError
from otlab.inference import run
from otlab.inference.run import worker_threads
from otlab.samples import load_sample
from otlab.tagging import LEARNERS, Continued, Corpus, make_learner, simulate_hmm
from otlab.tagging.fitted import model_of
from otlab.ui.runner import Lane
from otlab.ui.tagging.matching import Named, carried_names
from otlab.ui.tagging.results import Result, Skew
from otlab.ui.tagging.settings import (
    CONTINUED,
    allowed_of,
    annealing_of,
    estimators_of,
    lab_settings,
    learner_rows,
    prior_of,
    short_label,
    start_of,
)
from otlab.ui.tagging.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from otlab.inference import Run, Tick
    from otlab.ui.tagging.settings import LearnerRow

__all__ = ["SIMULATED_SEED", "TaggingState", "open_corpus"]

SIMULATED_SEED = 2007


def open_corpus(name: str) -> Corpus:
    """Return a corpus of the chooser by its value."""
    return simulate_hmm(20_000, SIMULATED_SEED) if name == "simulated" else load_sample(name)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A corpus and what was found in it."""

    corpus: Corpus
    results: dict[str, Result]
    pinned: list[Skew]
    ghost: Skew | None
    rows: dict[Any, Any]
    named: dict[str, Named]


class TaggingState:
    """One reader's corpus, settings and results.

    Parameters
    ----------
    corpus
        What to start with.

    Attributes
    ----------
    results : dict of str to Result
        Of the present or last run, by lane.
    pinned : list of Skew
        Curves the reader keeps; ``ghost`` is the last run's, kept until the next but one.
    shown
        The lane whose states are looked at.
    selected
        The state looked at everywhere, or -1.
    lanes_at_once
        How many lanes share the cores in the next run.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.settings = lab_settings()
        self.results: dict[str, Result] = {}
        self.pinned: list[Skew] = []
        self.ghost: Skew | None = None
        self.table = Table()
        self.shown = "em"
        self.selected = -1
        self.lanes_at_once = 1
        self._next: Continued | None = None  # what continue_from asked for
        self._continued: Continued | None = None  # what the present run began with
        self._named: dict[str, Named] = {}  # the states named last in each lane

    @property
    def estimators(self) -> dict[str, str]:
        """The learner that each lane runs."""
        return estimators_of(self.settings.values)

    @property
    def result(self) -> Result | None:
        """What is looked at: the shown lane's result, else any."""
        if self.shown in self.results:
            return self.results[self.shown]
        return next(iter(self.results.values()), None)

    @property
    def gold(self) -> Skew | None:
        """Tokens per gold tag, biggest first."""
        if self.corpus.tags is None:
            return None
        return Skew("gold", "other", tuple(np.sort(self.corpus.tag_counts)[::-1].tolist()))

    def load(self, corpus: Corpus) -> None:
        """Take another corpus; results and pinned curves are forgotten."""
        self.corpus = corpus
        self.clear()
        self.table.stop()
        self.table.rows.clear()
        self.pinned, self.ghost, self._named = [], None, {}

    def snapshot(self) -> Snapshot:
        """Return the corpus and all that was found in it, to be brought back."""
        return Snapshot(
            self.corpus,
            dict(self.results),
            list(self.pinned),
            self.ghost,
            dict(self.table.rows),
            dict(self._named),
        )

    def bring_back(self, before: Snapshot) -> None:
        """Take a corpus and what was found in it back."""
        self.corpus, self.results = before.corpus, dict(before.results)
        self.pinned, self.ghost, self._named = list(before.pinned), before.ghost, dict(before.named)
        self.table.rows.clear()
        self.table.rows.update(before.rows)

    def clear(self) -> None:
        """Forget results; the last one shown stays as a ghost, names wait for the next run."""
        self.keep_ghost()
        self._keep_names()
        self.results = {}
        self.selected = -1

    def keep_ghost(self) -> None:
        """Keep the curve of the run that is looked at, if it belongs to this corpus."""
        result = self.result
        if result is not None and result.views and result.corpus is self.corpus:
            self.ghost = result.kept_skew

    def _keep_names(self) -> None:
        """Keep the names of states, to be carried over to the next run."""
        for lane, result in self.results.items():
            if result.names and result.views and result.corpus is self.corpus:
                self._named[lane] = Named(result.view.labels, dict(result.names))

    def named(self) -> dict[str, Named]:
        """Return the states that bear names, by lane, as the next run would take them over."""
        self._keep_names()
        return dict(self._named)

    def expect_names(self, named: dict[str, Named]) -> None:
        """Give the states of the next run these names, where they share most of their tokens."""
        self._named = {lane: each for lane, each in named.items() if each.labels.size == self.corpus.tokens}

    def forget_names(self, lane: str) -> None:
        """Let no name of a lane wait for the next run."""
        self._named.pop(lane, None)

    def carry_names(self) -> tuple[list[Result], int, int]:
        """Name the states of a run that has ended as those of the run before.

        Returns
        -------
        results, carried, lost
            Whose states got names, how many names there are, and how many found no state.
        """
        touched, carried, lost = [], 0, 0
        for lane, before in self._named.items():
            result = self.results.get(lane)
            if result is None or not result.views or result.names or result.carried:
                continue
            result.carried = True
            names = carried_names(before, result.view.labels)
            result.names.update(names)
            touched += [result]
            carried += len(names)
            lost += len(before.names) - len(names)
        return touched, carried, lost

    def pin(self) -> Skew | None:
        """Keep the curve of what is looked at until the corpus changes."""
        result = self.result
        if result is None or not result.views:
            return None
        kept = result.kept_skew
        same = sum(skew.label.partition(" (")[0] == kept.label for skew in self.pinned)
        self.pinned.append(replace(kept, label=f"{kept.label} ({same + 1})") if same else kept)
        return self.pinned[-1]

    def continue_from(self, labels: np.ndarray) -> None:
        """Let the next run begin with these labels, whatever the start set."""
        self._next = Continued(labels)

    def starting(self, lanes: Collection[str] = ()) -> None:
        """Prepare for a new run of some lanes.

        What a run goes on from stays beside it.

        Raises
        ------
        InputError
            If it is to begin with the states looked at and there are none.
        """
        if self._next is None and self.settings["start"] == CONTINUED:
            result = self.result
            if result is None or not result.views or result.corpus is not self.corpus:
                raise InputError(Fault("there are no states to start from", "run another Start first"))
            self._next = Continued(result.view.labels)
        self._continued, self._next = self._next, None
        self.keep_ghost()
        self._keep_names()
        stay = self._continued is not None
        self.results = {name: r for name, r in self.results.items() if stay and name not in lanes and r.views}

    def lanes(self) -> list[Lane]:
        """Return the rows of the run panel."""
        return [self._lane(row) for row in learner_rows().values()]

    def _lane(self, row: LearnerRow) -> Lane:
        return Lane(
            row.name,
            row.label,
            row.hue,
            make=lambda: self._run(row),
            detail=lambda: self._detail(row.name),
            unit=row.learners[0].unit,
            enabled=row.name in ("em", "vb"),
        )

    def _detail(self, name: str) -> str:
        estimator, values = self.estimators[name], self.settings.values
        prior = f"α {values['emission_prior']:g}, {values['transition_prior']:g}"
        if estimator == "em":
            return f"{values['runs']} run{'s' if values['runs'] > 1 else ''}"
        kind = "MAP" if estimator == "map-em" else LEARNERS[estimator].label.partition(", ")[2]
        return f"{kind}, {prior}" if kind else prior

    def _run(self, row: LearnerRow) -> Run[Any, Any]:
        name, values = self.estimators[row.name], self.settings.values
        learner = make_learner(
            name,
            self.corpus,
            states=values["states"],
            prior=prior_of(values),
            start=self._continued or start_of(values),
            precision=values["precision"],
            decode=values["decode"],
            annealing=annealing_of(values),
            allowed=allowed_of(values, self.corpus),
        )
        settings = {**values, "estimator": name}
        self.results[row.name] = Result(row.name, short_label(LEARNERS[name]), row.hue, self.corpus, settings)
        if self._continued:
            settings["start"] = CONTINUED
        chains = 1 if self._continued else values["runs"]
        # All lanes together keep every core busy and no more: the page needs its turn, too.
        threads = max(1, worker_threads() // self.lanes_at_once)
        return run(learner, sweeps=values["iterations"], seed=values["seed"], chains=chains, threads=threads)

    def take(self, ticks: dict[str, Tick[Any]]) -> None:
        """Add what the ticks of a run bring, by lane."""
        for name, tick in ticks.items():
            if name in self.results:
                self.results[name].take(tick)

    def finish(self, runs: dict[str, Run[Any, Any]]) -> None:
        """Keep the taggers of runs that have ended."""
        for name, ended in runs.items():
            result = self.results.get(name)
            if result is not None and result.views and result.model is None:
                self.results[name].model = model_of(ended)
                self.table.add(self.results[name])

    def watch(self, callback: Callable[[str, Any], None]) -> None:
        """Call back on every change of a setting."""
        self.settings.on_change(callback)
