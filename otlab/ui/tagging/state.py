"""What one tagging lab holds: the corpus, the settings, the estimators' runs, pinned curves.

Knows no picture. The page calls :meth:`TaggingState.take` with the ticks of a run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import Fault, InputError
from otlab.inference import run
from otlab.inference.run import worker_threads
from otlab.samples import load_sample
from otlab.tagging import Continued, Corpus, make_learner, simulate_hmm
from otlab.tagging.learners import model_of
from otlab.ui.runner import Lane
from otlab.ui.tagging.results import Result, Skew
from otlab.ui.tagging.settings import (
    CONTINUED,
    ESTIMATORS,
    FAMILIES,
    allowed_of,
    annealing_of,
    lab_settings,
    prior_of,
    start_of,
)
from otlab.ui.tagging.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.inference import Run, Tick

__all__ = ["SIMULATED_SEED", "TaggingState", "open_corpus"]

SIMULATED_SEED = 2007


def open_corpus(name: str) -> Corpus:
    """Return a corpus of the chooser by its value."""
    return simulate_hmm(20_000, SIMULATED_SEED) if name == "simulated" else load_sample(name)


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
        # What each lane runs: the estimator last chosen in it.
        self.estimators = {lane: lane for lane in FAMILIES}
        self.settings.on_change(self._follow)

    def _follow(self, name: str, value: Any) -> None:
        if name == "estimator":
            self.estimators[ESTIMATORS[value][0]] = value

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
        self.pinned, self.ghost = [], None

    def clear(self) -> None:
        """Forget results; the last one shown stays as a ghost."""
        self.keep_ghost()
        self.results = {}
        self.selected = -1

    def keep_ghost(self) -> None:
        """Keep the curve of the run that is looked at, if it belongs to this corpus."""
        result = self.result
        if result is not None and result.views and result.corpus is self.corpus:
            self.ghost = result.kept_skew

    def pin(self) -> Skew | None:
        """Keep the curve of what is looked at until the corpus changes."""
        result = self.result
        if result is None or not result.views:
            return None
        self.pinned.append(result.kept_skew)
        return result.kept_skew

    def continue_from(self, labels: np.ndarray) -> None:
        """Let the next run begin with these labels, whatever the start set."""
        self._next = Continued(labels)

    def starting(self) -> None:
        """Prepare for a new run.

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
        self.results = {}

    def lanes(self) -> list[Lane]:
        """Return the rows of the run panel."""
        return [self._lane(name) for name in FAMILIES]

    def _lane(self, name: str) -> Lane:
        label, hue = FAMILIES[name]
        return Lane(
            name,
            label,
            hue,
            make=lambda: self._run(name),
            detail=lambda: self._detail(name),
            unit="sweep" if name == "gibbs" else "iteration",
            enabled=name != "gibbs",
        )

    def _detail(self, name: str) -> str:
        estimator, values = self.estimators[name], self.settings.values
        prior = f"α {values['emission_prior']:g}, {values['transition_prior']:g}"
        if estimator == "em":
            return f"{values['runs']} run{'s' if values['runs'] > 1 else ''}"
        kind = ESTIMATORS[estimator][1].partition(", ")[2]
        return f"{kind}, {prior}" if kind else prior

    def _run(self, name: str) -> Run[Any, Any]:
        values = self.settings.values
        learner = make_learner(
            self.estimators[name],
            self.corpus,
            states=values["states"],
            prior=prior_of(values),
            start=self._continued or start_of(values),
            precision=values["precision"],
            decode=values["decode"],
            annealing=annealing_of(values),
            allowed=allowed_of(values, self.corpus),
        )
        label, hue = FAMILIES[name]
        settings = {**values, "estimator": self.estimators[name]}
        self.results[name] = Result(name, label, hue, self.corpus, settings)
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
        for name, going in runs.items():
            if name in self.results and self.results[name].views:
                self.results[name].model = model_of(going)
                self.table.add(self.results[name])

    def watch(self, callback: Callable[[str, Any], None]) -> None:
        """Call back on every change of a setting."""
        self.settings.on_change(callback)
