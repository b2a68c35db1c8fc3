"""Table 1, built run by run: scores by estimator, and the same as a sweep.

No Panel in here. Every run that ends anywhere in the lab adds its seeds to its row. Rows asked for are the
plan of a sweep, the one that :func:`table_sweep` gives to ``otlab sweep``, and run by the same loop; its
runs take turns with those of all pages and end with theirs.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import counted
from otlab.inference.pages import idle_page
from otlab.sweep.run import BackgroundSweep
from otlab.sweep.store import MemoryStore
from otlab.sweep.write import Part
from otlab.tagging.experiments.table1 import COLUMNS, WITHOUT_PRIOR, Estimator
from otlab.tagging.hmm.mstep import Prior
from otlab.tagging.learners import LEARNERS
from otlab.tagging.scores import SCORES
from otlab.ui.fields import values_of
from otlab.ui.sweep.names import sweep_settings
from otlab.ui.tagging.corpus_sweep import corpus_plan, corpus_sweep
from otlab.ui.tagging.settings import CONTINUED, TaggingSettings, known_of

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterable, Mapping

    from otlab.sweep.plan import Plan
    from otlab.sweep.store import FinishedRun
    from otlab.tagging.corpus import Corpus
    from otlab.ui.sweep.planned import PlannedSweep
    from otlab.ui.tagging.results import Result

__all__ = ["MOST_SAVED_RUNS", "FinishedRows", "Row", "Table", "grid_rows", "other_settings", "table_sweep"]

MOST_SAVED_RUNS = 2000
"""So many runs, the newest, are saved with a document: about a megabyte."""


@dataclass(frozen=True)
class Row:
    """Runs that may be averaged: same estimator, iterations, kind of start, known tags and other settings.

    Attributes
    ----------
    estimator, iterations, start
        As named.
    known
        Sentences whose tags were learnt from, as the setting has it; empty for none.
    learnt
        Whether the priors were learnt, from those of the estimator on.
    others
        What else is not as usual, in words (:func:`other_settings`).
    """

    estimator: Estimator
    iterations: int
    start: str
    known: str = ""
    learnt: bool = False
    others: str = ""

    @property
    def how(self) -> str:
        """The start and the settings that are not as usual, as they follow the estimator's name."""
        known = f", {self.known} of tags known".replace("%", " %") if self.known else ""
        learnt = ", priors learnt" if self.learnt else ""
        others = f", {self.others}" if self.others else ""
        return f"{_START_NAMES[self.start]}{learnt}{known}{others}"


@dataclass(frozen=True)
class _Asked:
    """Rows asked for: their plan, by the hash of each run its row, root seed and number, and the new rows."""

    plan: Plan
    places: dict[str, tuple[Row, int, int]]
    new: tuple[Row, ...]


@dataclass(frozen=True, eq=False)
class FinishedRows:
    """What a table has, to be saved.

    Attributes
    ----------
    rows
        Scores by row, then by seed and number.
    runs
        Finished runs of the rows asked for.
    """

    rows: dict[Row, dict[Any, np.ndarray]]
    runs: tuple[FinishedRun, ...]


@dataclass
class Table:
    """Scores by estimator, iterations and start, one array a seed.

    Attributes
    ----------
    rows : dict of Row to {seed and chain: ndarray of scores}
        A seed run again replaces itself.
    tokens
        How many tokens the corpus has that the rows are scored on.
    store
        Finished runs of the rows asked for: asked for again, they are not run again.
    faults
        Runs that failed since the last rows were asked for, with the reason.
    page_idle
        Cleared while the page is being drawn; the runs wait then.
    """

    rows: dict[Row, dict[Any, np.ndarray]] = field(default_factory=dict)
    tokens: int = 0
    store: MemoryStore = field(default_factory=MemoryStore)
    faults: list[str] = field(default_factory=list)
    page_idle: threading.Event = field(default_factory=idle_page)
    _waiting: deque[_Asked] = field(default_factory=deque)
    _sweep: BackgroundSweep | None = None
    _asked: _Asked | None = None

    def add(self, result: Result) -> None:
        """Add the scores of a finished run of the lab."""
        values = result.settings
        prior = (
            Prior()
            if values["estimator"] in WITHOUT_PRIOR
            else Prior(values["emission_prior"], values["transition_prior"])
        )
        estimator = Estimator(values["estimator"], values["states"], prior)
        self.tokens = result.corpus.tokens
        self._store(estimator, values, result.views)

    def ask(self, estimators: list[Estimator], corpus: Corpus, settings: dict[str, Any]) -> None:
        """Run estimators, all from the same starts, after those that were asked for before.

        Raises
        ------
        InputError
            If a sweep has no such settings.
        """
        estimators = list(dict.fromkeys(estimators))
        plan = corpus_plan(corpus, lambda data: table_parts(estimators, data, settings))
        rows = [Row(estimator, settings["iterations"], settings["start"]) for estimator in estimators]
        places = [(row, settings["seed"], number) for row in rows for number in range(settings["runs"])]
        hashes = (spec.hash for spec in plan.runs)
        new = tuple(row for row in rows if row not in self.rows)
        self._waiting.append(_Asked(plan, dict(zip(hashes, places, strict=True)), new))
        self.tokens = corpus.tokens
        self.faults.clear()
        self.advance()

    def finished(self) -> FinishedRows | None:
        """Return what there is, to be saved: of many runs the newest; None if there is nothing."""
        if not self.rows:
            return None
        rows: dict[Row, dict[Any, np.ndarray]] = {}
        room = MOST_SAVED_RUNS
        for row, runs in reversed(self.rows.items()):
            newest = list(runs.items())[-room:] if room else []
            rows = {row: dict(newest), **rows} if newest else rows
            room -= len(newest)
        return FinishedRows(rows, tuple(self.store.runs.values())[-MOST_SAVED_RUNS:])

    def put_finished(self, finished: FinishedRows, tokens: int) -> None:
        """Take what :meth:`finished` returned of a corpus of this size."""
        self.put_rows(finished.rows, tokens)
        for run in finished.runs:
            self.store.put(run)

    def put_rows(self, rows: dict[Row, dict[Any, np.ndarray]], tokens: int) -> None:
        """Stop all runs and show these rows, of a corpus of this size, instead of those shown."""
        self.stop()
        self.rows = {row: dict(runs) for row, runs in rows.items()}
        self.tokens = tokens
        self.faults.clear()

    def advance(self) -> bool:
        """Store finished runs and begin with the next rows; return whether any is still running."""
        sweep, asked = self._sweep, self._asked
        if sweep is not None and asked is not None:
            ended = not sweep.alive  # before the runs are taken: a later one is taken next time
            self._take(asked)
            if ended:
                failed = sweep.value.failed if sweep.value is not None else ()
                reasons = (
                    f"{_name_of(asked.places[run.spec.hash][0].estimator)}: {run.reason}" for run in failed
                )
                self.faults += dict.fromkeys(reasons)
                self.faults += [] if sweep.failure is None else [f"the runs stopped: {sweep.failure}"]
                self._sweep = None
        if self._sweep is None and self._waiting:
            self._asked = self._waiting.popleft()
            self._sweep = BackgroundSweep(self._asked.plan, self.store, self.page_idle)
            self._sweep.start()
        return self._sweep is not None

    def stop(self) -> None:
        """Stop all runs; rows stay, and missing runs are done when they are queued again."""
        self._waiting.clear()
        if self._sweep is not None and self._asked is not None:
            self._sweep.stop()
            self._take(self._asked)
        self._sweep = self._asked = None

    @property
    def running(self) -> bool:
        """Whether runs are still to be done."""
        return self._sweep is not None

    @property
    def runs(self) -> int:
        """How many runs the rows have together."""
        return sum(map(len, self.rows.values()))

    @property
    def now(self) -> str:
        """The run in progress, and how many there are, in words; else what failed."""
        if self._sweep is None or self._asked is None:
            return "; ".join(self.faults)
        done = sum(name in self.store.runs for name in self._asked.places)
        more = sum(len(asked.places) for asked in self._waiting)
        text = f"{done} of {counted(len(self._asked.places) + more, 'run')} done"
        for run in self._sweep.runs[:1]:
            learner: Any = run.learner
            prior = getattr(learner, "prior", Prior())
            name = _name_of(Estimator(learner.name, learner.states, prior))
            text = f"{name}: iteration {run.sweep:,} of {run.total:,}, {text}"
        return text

    def summary(self, row: Row) -> tuple[np.ndarray, np.ndarray, int]:
        """Return means, standard deviations (NaN for one run) and the number of runs of a row."""
        scores = np.array(list(self.rows[row].values()))
        columns = [SCORES.index(name) for name, _, _ in COLUMNS]
        shown = scores[:, columns]
        sd = shown.std(0, ddof=1) if len(shown) > 1 else np.full(len(COLUMNS), np.nan)
        return shown.mean(0), sd, len(shown)

    def _take(self, asked: _Asked) -> None:
        """Store the scores of finished runs that have any, in the order in which they were asked for."""
        for name, (row, seed, number) in asked.places.items():
            found = self.store.runs.get(name)
            if found is not None and None not in (values := [found.scores[score] for score in SCORES]):
                self.rows.setdefault(row, {})[seed, number] = np.array(values, float)
        for row in asked.new:
            if row in self.rows:
                self.rows[row] = dict(sorted(self.rows.pop(row).items()))

    def _store(self, estimator: Estimator, settings: dict[str, Any], views: tuple[Any, ...]) -> None:
        if np.isnan(views[0].scores[-1]).any():
            return
        known = known_of(settings)
        learnt = views[0].priors is not None
        amount = known.amount if known else ""
        others = other_settings(settings)
        kind = Row(estimator, settings["iterations"], settings["start"], amount, learnt, others)
        row = self.rows.setdefault(kind, {})
        for chain, view in enumerate(views):
            row[settings["seed"], chain] = view.scores[-1]


_START_NAMES = {"dirichlet": "", "jitter": ", jitter", "random": ", random", "continued": ", continued"}
_OTHERS = {
    "state_priors": "priors of states {}",
    "weight_sd": "sd of weights {:g}",
    "new_states": "gamma {}",
    "row_concentration": "alpha {}",
    "sticky": "sticky",
    "discount": "discount {:g}",
    "decode": "Viterbi",
}


def other_settings(values: Mapping[str, Any]) -> str:
    """Return in words what a run has that the rows of the paper, and a learner's usual run, have not.

    Parameters
    ----------
    values
        Its ``estimator``, and values of the run panel's fields. Fields of other learners do not count.

    >>> other_settings({"estimator": "pitman-yor", "discount": 0.2, "weight_sd": 9.0})
    'discount 0.2'
    """
    usual = values_of(TaggingSettings())
    used = LEARNERS[values["estimator"]].settings.param
    found = [
        text.format(values[name])
        for name, text in _OTHERS.items()
        if name in used and values.get(name, usual[name]) != usual[name]
    ]
    if values.get("dictionary", "none") != "none":
        seen = f", words seen {values['seen']:,} times" if values["seen"] > 1 else ""
        found.append(f"{_DICTIONARIES[values['dictionary']]}{seen}")
    if values.get("temperature", 1) != 1:
        found.append(f"from T = {values['temperature']:g} over {values['cooling']:,}, {values['shape']}")
    if values.get("start") == "jitter" and values["jitter"] != usual["jitter"]:
        found.append(f"noise {values['jitter']:g}")
    return ", ".join(found)


_DICTIONARIES = {"gold": "gold dictionary", "file": "dictionary of a file"}


def _name_of(estimator: Estimator) -> str:
    return f"{estimator.label} ({estimator.states})"


def grid_rows(
    learners: Iterable[str],
    states: Iterable[int],
    emission_priors: Iterable[float],
    transition_priors: Iterable[float],
) -> list[Estimator]:
    """Return every estimator of a grid, in the order of its axes; EM, which has no prior, once a size.

    >>> [row.label for row in grid_rows(["em", "vb"], [50], [0.1], [0.1, 0.01])]
    ['EM', 'VB(0.1, 0.1)', 'VB(0.1, 0.01)']
    """
    rows = (
        Estimator(learner, size, Prior() if learner in WITHOUT_PRIOR else Prior(emission, transition))
        for learner, size, emission, transition in product(
            learners, states, emission_priors, transition_priors
        )
    )
    return list(dict.fromkeys(rows))


def table_parts(estimators: Iterable[Estimator], data: str, settings: Mapping[str, Any]) -> list[Part]:
    """Return the runs of these rows as parts of a sweep, with the settings of the lab.

    Parameters
    ----------
    estimators, data
        The rows, and the corpus by its name in the specification.
    settings
        Values of the run panel's fields.
    """
    start = "dirichlet" if settings["start"] == CONTINUED else settings["start"]
    shared = {**{name: settings[name] for name in _OF_EVERY_ROW}, "start": start}
    parts = []
    for estimator in estimators:
        own = {
            "states": estimator.states,
            "emission_prior": estimator.prior.emission,
            "transition_prior": estimator.prior.transition,
        }
        values = sweep_settings("tagging", estimator.learner, {**own, **shared})
        parts.append(Part(estimator.learner, data, settings["seed"], settings["runs"], values))
    return parts


def table_sweep(
    estimators: Iterable[Estimator], corpus: Corpus, file: str, settings: Mapping[str, Any]
) -> PlannedSweep:
    """Return the sweep with these rows, on the corpus and with the settings of the lab.

    Parameters
    ----------
    estimators, corpus, settings
        The rows, the corpus as it is open, and values of the run panel's fields.
    file
        The name of its file, if it is no shipped one.
    """
    return corpus_sweep(
        corpus, file, lambda data: table_parts(estimators, data, settings), _left_out(settings)
    )


def _left_out(settings: Mapping[str, Any]) -> list[str]:
    """Return what the rows of the table do without, where it is set in the lab."""
    usual = {
        "decode": ("marginal", "decode: each word is given its most probable state"),
        "dictionary": ("none", "tag dictionary: every word may have all states"),
        "known_tags": ("none", "known tags: supervised counts learn from the first 90 % of sentences"),
        "learn_priors": (False, "priors that are learnt: each row has those of its name"),
        "temperature": (1, "annealing"),
    }
    found = [what for name, (value, what) in usual.items() if settings[name] != value]
    first = values_of(TaggingSettings())
    if any(settings[name] != first[name] for name in _OTHERS if name not in usual):
        found.append("what one learner alone has: its rows have the usual values")
    if settings["start"] == CONTINUED:
        found.append("start from the states shown: starts are drawn as Dirichlet rows")
    return [f"Left out, as in the rows of the table: {what}." for what in found]


_OF_EVERY_ROW = ("iterations", "jitter", "precision")
