"""State of the tagging lab: corpus, settings, runs of the estimators, pinned curves.

It holds no plot. The page calls :meth:`TaggingState.take` with the ticks of a run.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import param

from otlab.errors import Fault, InputError, counted
from otlab.inference import run
from otlab.inference.executors import worker_threads
from otlab.tagging.dictionary import TagDictionary
from otlab.tagging.experiments.table1 import WITHOUT_PRIOR
from otlab.tagging.fitted import model_of
from otlab.tagging.hmm.starts import Continued
from otlab.tagging.learners import LEARNERS
from otlab.tagging.learners.fit import make_learner
from otlab.tagging.learners.ihmm import concentrations
from otlab.ui.fields import put_texts, texts_of, values_of
from otlab.ui.runner import LearnerRow
from otlab.ui.tagging.document import CorpusDocument, shared_corpus
from otlab.ui.tagging.matching import Named, carried_names
from otlab.ui.tagging.presets import EXAMPLES
from otlab.ui.tagging.results import Result, Skew, Snapshot, same_words
from otlab.ui.tagging.settings import (
    CONTINUED,
    allowed_of,
    annealing_of,
    estimators_of,
    known_of,
    learner_groups,
    prior_of,
    short_label,
    start_of,
)
from otlab.ui.tagging.table import FinishedRows, Table
from otlab.ui.tagging.tag_amounts import TagAmounts

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from otlab.inference import Run, Tick
    from otlab.sweep.store import FinishedRun
    from otlab.tagging.corpus import Corpus
    from otlab.tagging.experiments.comparison import Comparison
    from otlab.ui.tagging.settings import LearnerGroup, TaggingSettings

    TabResults = tuple[FinishedRows | None, Comparison | None, tuple[FinishedRun, ...] | None]

__all__ = ["TaggingState"]

MOST_UNDONE = 20  # few edits, because each keeps a corpus in memory


class TaggingState(CorpusDocument):
    """One reader's corpus, settings and results.

    Parameters
    ----------
    corpus
        What to start with.

    Attributes
    ----------
    rows_at_once
        Number of rows that share the cores in the next run.
    """

    tab_result_names = (
        "the rows of Table",
        "the comparison of numbers of states",
        "the accuracies by tagged sentences",
    )

    results: dict[str, Result] = param.Dict({}, doc="Results of the current or last run, by row.")
    pinned: list[Skew] = param.List([], item_type=Skew, doc="Curves that the user has pinned.")
    ghost: Skew | None = param.ClassSelector(class_=Skew, doc="The last run's curve.")
    shown: str = param.String("em", doc="The row whose states are shown.")
    selected: int = param.Integer(-1, doc="The state selected in every tab, or -1.")
    name_changes: int = param.Integer(0, doc="Counts changes of the states' names.")
    comparison_changes: int = param.Integer(0, doc="Counts what is known of numbers of states.")
    table_changes: int = param.Integer(0, doc="Counts changes of what the Table tab has.")
    amount_changes: int = param.Integer(0, doc="Counts what is known of numbers of tagged sentences.")
    option_changes: int = param.Integer(0, doc="Counts changes of what is to be compared.")

    settings: TaggingSettings

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(corpus)
        self.history.depth = MOST_UNDONE
        self.table = Table()
        self.amounts = TagAmounts()
        self.choice.settings.param.watch(self._arrange, list(values_of(self.choice.settings)))
        self.rows_at_once = 1
        self.ticks_of: Callable[[str], Iterable[Tick[Any]]] = lambda row: ()  # kept of a run; set by the lab
        self.runs_begun = 0  # by any row, since the page was opened
        self._planned: dict[str, Result] = {}  # of runs that are being made, by row
        self._next: Continued | None = None  # the labels given to continue_from
        self._continued: Continued | None = None  # the labels with which the present run began
        self._names: Mapping[str, dict[int, str]] = {}  # of states of the runs that are about to be shown
        self._named: dict[str, Named] = {}  # the states named last in each row
        self._ended: dict[str, Result] = {}  # results of the whole run while it is replayed
        self.settings.param.update(**EXAMPLES["ewt"].settings)  # as on a page, where a file replaces it
        if corpus.name.startswith("ewt_sample"):
            self.example, self.sample = "ewt", "ewt_sample"
        else:
            self.own_name = corpus.name or "Your text"
            self.settings.param.update(corpus="own")

    def _arrange(self, *_: Any) -> None:
        self.option_changes += 1

    def setting_texts(self) -> dict[str, str]:
        """Return the settings as texts; the corpus is the open one, even if another is about to be loaded."""
        return {**texts_of(self.settings), "corpus": self.sample}

    @property
    def only_copy(self) -> bool:
        """Whether the open data could not be opened again."""
        return bool(self.own_name or self.results)

    # Results.

    @property
    def estimators(self) -> dict[str, str]:
        """The learner that each row runs."""
        return estimators_of(values_of(self.settings))

    @property
    def result(self) -> Result | None:
        """The result of the row shown, else any."""
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
        """Replace the corpus; results and pinned curves are deleted."""
        self._show(shared_corpus(corpus))
        self.pinned, self.ghost, self._named = [], None, {}

    def _show(self, corpus: Corpus) -> None:
        """Show a corpus instead of another one, without results."""
        self.corpus = corpus
        self.clear()
        self.table.put_rows({}, corpus.tokens)
        self.choice.forget()
        self.amounts.forget()
        self.settled += 1

    def score_against(self, corpus: Corpus) -> None:
        """Show a corpus of the same words: the results stay, and are scored against its tags."""
        self._end_replay()
        results = {row: each.against(corpus, self.ticks_of(row)) for row, each in self.results.items()}
        self.table.put_rows({}, corpus.tokens)
        self.choice.forget()
        self.amounts.forget()
        with self.batch():
            self.corpus, self.results = corpus, results
            for result in results.values():
                if result.model is not None:
                    self.table.add(result)
            self.settled += 1

    def copy_document(self) -> Snapshot:
        """Return a copy of the document for Undo."""
        return Snapshot(
            self.corpus,
            self._source,
            self.sample,
            {row: dict(result.names) for row, result in self.results.items()},
            list(self.pinned),
            self.ghost,
            dict(self._named),
            dict(self.read_with),
            self.dictionary,
        )

    def tab_results(self) -> TabResults | None:
        """Return the finished runs of the table, the comparison of numbers of states, runs by known tags."""
        corpus = self.corpus
        found = self.table.finished(), self.choice.finished(corpus), self.amounts.finished(corpus)
        return None if found == (None, None, None) else found

    def put_tab_results(self, results: TabResults | None) -> None:
        """Show them again; documents of earlier versions have no runs by known tags."""
        finished, compared, runs = (*results, None)[:3] if results else (None, None, None)
        if finished is not None:
            self.table.put_finished(finished, self.corpus.tokens)
        if compared is not None:
            self.choice.put_finished(compared, self.corpus)
        if runs is not None:
            self.amounts.put_finished(runs, self.corpus)
        counters = ("table_changes", "comparison_changes", "amount_changes")
        self.param.update(**{name: getattr(self, name) + 1 for name in counters})

    def put_document(self, document: Snapshot) -> None:
        """Restore names, kept curves, and another corpus."""
        self._end_replay()
        if document.corpus is not self.corpus:
            key, self.sample = document.source or "", document.sample
            self._open_source(self._sources.get(key), key)
            if same_words(document.corpus, self.corpus):
                self.score_against(document.corpus)
            else:
                self._show(document.corpus)
            self.ghost = document.ghost
            self.settings.param.update(corpus=document.sample)
        self.pinned, self._named = list(document.pinned), dict(document.named)
        if document.dictionary != self.dictionary:
            self.dictionary = document.dictionary
            if self.dictionary or self.settings.dictionary == "file":
                self.settings.dictionary = "file" if self.dictionary else "none"
        if document.reading is not None:
            self.read_with = document.reading
            put_texts(self.reading, document.reading)
        names = document.names
        if isinstance(names, tuple):
            names = {result.row: own for result, own in names}
        self._names = names
        for row, result in self.results.items():
            result.names.clear()
            result.names.update(names.get(row, {}))
        self.name_changes += 1

    def name_state(self, state: int, name: str) -> None:
        """Name a state of the selected run; an empty name removes its name."""
        result = self.result
        if result is None or name == result.names.get(state, ""):
            return
        self.history.record(f"{result.name(state)} renamed")
        if name:
            result.names[state] = name
        else:
            result.names.pop(state, None)
            if not result.names:
                self._named.pop(result.row, None)
        self.name_changes += 1

    def select(self, state: int) -> None:
        """Select a state in every tab; deselect it if it is selected already."""
        self.selected = -1 if state == self.selected else state

    def look_at(self, row: str) -> None:
        """Show another learner's states and scores."""
        if row != self.shown:
            self.param.update(shown=row, selected=-1)

    def clear(self) -> None:
        """Delete the results; the curve shown last stays as a ghost, names are kept for the next run."""
        self._end_replay()
        self.keep_ghost()
        self._keep_names()
        self.results = {}
        self.selected = -1
        self.settled += 1

    def keep_ghost(self) -> None:
        """Keep showing the curve of the selected run, if it belongs to this corpus."""
        result = self.result
        if result is not None and result.views and result.corpus is self.corpus:
            self.ghost = result.kept_skew

    def _keep_names(self) -> None:
        """Store the names of states for the next run."""
        for row, result in (self._ended or self.results).items():
            if result.names and result.views and result.corpus is self.corpus:
                self._named[row] = Named(result.view.labels, dict(result.names))

    def named(self) -> dict[str, Named]:
        """Return the named states by row, for transfer to the next run."""
        self._keep_names()
        return dict(self._named)

    def expect_names(self, named: dict[str, Named]) -> None:
        """Set names for the states of the next run, which get them if they share most of their tokens."""
        self._named = {row: each for row, each in named.items() if each.labels.size == self.corpus.tokens}

    def carry_names(self) -> tuple[list[Result], int, int]:
        """Transfer the names of the previous run's states to a run that has ended.

        Returns
        -------
        results, carried, lost
            Whose states got names, how many names there are, and how many found no state.
        """
        touched, carried, lost = [], 0, 0
        for row, before in self._named.items():
            result = self.results.get(row)
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
        """Keep showing the curve of the selected run until the corpus changes."""
        result = self.result
        if result is None or not result.views:
            return None
        self.history.record("curve kept")
        kept = result.kept_skew
        same = sum(skew.label.partition(" (")[0] == kept.label for skew in self.pinned)
        kept = replace(kept, label=f"{kept.label} ({same + 1})") if same else kept
        self.pinned = [*self.pinned, kept]
        return self.pinned[-1]

    def continue_from(self, labels: np.ndarray) -> None:
        """Start the next run from these labels instead of the start that is set."""
        self._next = Continued(labels)

    def starting(self, rows: Collection[str] = ()) -> None:
        """Prepare for a new run of some rows.

        Results that the run continues from stay beside it.

        Raises
        ------
        InputError
            If it is to begin with the states shown and there are none.
        """
        self._end_replay()
        if self._next is None and self.settings.start == CONTINUED:
            result = self.result
            if result is None or not result.views or result.corpus is not self.corpus:
                raise InputError(Fault("there are no states to start from", "run another Start first"))
            self._next = Continued(result.view.labels)
        self._continued, self._next = self._next, None
        self.keep_ghost()
        self._keep_names()
        stay = self._continued is not None
        self.results = {name: r for name, r in self.results.items() if stay and name not in rows and r.views}

    def replay(self, ticks: dict[str, Tick[Any]], ended: bool) -> None:
        """Show the results at earlier ticks of the run that has ended, or those of its end."""
        self._ended = self._ended or dict(self.results)
        if ended:
            self._end_replay()
            self.settled += 1
        else:
            earlier = {
                name: self._ended[name].earlier(tick) for name, tick in ticks.items() if name in self._ended
            }
            self.results = {**self._ended, **earlier}
            self.progress += 1

    def _end_replay(self) -> None:
        """Show the results at the end of the run again."""
        if self._ended:
            self.results, self._ended = self._ended, {}

    def rows(self) -> list[LearnerRow]:
        """Return the rows of the run panel."""
        return [self._row(group) for group in learner_groups().values()]

    def _row(self, group: LearnerGroup) -> LearnerRow:
        return LearnerRow(
            group.name,
            group.label,
            group.hue,
            lambda: self._plan(group),
            detail=lambda: self._detail(group.name),
            unit=group.learners[0].unit,
            enabled=group.name in ("em", "vb"),
            begun=lambda run: self._begun(group.name, run),
        )

    def _detail(self, name: str) -> str:
        estimator, values = self.estimators[name], values_of(self.settings)
        prior = f"α {values['emission_prior']:g}, {values['transition_prior']:g}"
        if estimator == "em":
            return counted(values["runs"], "run")
        kind = "MAP" if estimator == "map-em" else LEARNERS[estimator].label.partition(", ")[2]
        if estimator in WITHOUT_PRIOR:
            return kind
        return f"{kind}, {prior}" if kind else prior

    def _plan(self, group: LearnerGroup) -> Callable[[], Run[Any, Any]]:
        """Return a function that makes a run of the variant chosen in a row."""
        name, values, corpus = self.estimators[group.name], values_of(self.settings), self.corpus
        continued = self._continued
        settings = {**values, "estimator": name}
        if continued:
            settings["start"] = CONTINUED
        self._planned[group.name] = Result(
            group.name, short_label(LEARNERS[name]), group.hue, corpus, settings
        )
        known, listed = known_of(settings), self.dictionary
        chains = 1 if continued else values["runs"]
        # All rows together use every core and no more: the page needs time, too.
        threads = max(1, worker_threads() // self.rows_at_once)

        def make() -> Run[Any, Any]:
            learner = make_learner(
                name,
                corpus,
                states=values["states"],
                prior=prior_of(values),
                start=continued or start_of(values),
                precision=values["precision"],
                decode=values["decode"],
                annealing=annealing_of(values),
                allowed=allowed_of(values, corpus, listed),
                learn_priors=values["learn_priors"],
                weight_sd=values["weight_sd"],
                state_priors=values["state_priors"],
                **concentrations(values["new_states"], values["row_concentration"]),
                sticky=values["sticky"],
                discount=values["discount"],
                **({"known": known} if known else {}),
            )
            sweeps, seed = values["iterations"], values["seed"]
            return run(learner, sweeps=sweeps, seed=seed, chains=chains, threads=threads)

        return make

    def _begun(self, name: str, run: Run[Any, Any]) -> None:
        """Prepare the result of a row's run."""
        self.results[name] = result = self._planned.pop(name)
        learner: Any = run.learner
        result.learnt = learner.corpus
        if learner.known_states() is not None and not result.names:
            result.names.update(enumerate(learner.corpus.tagset))
        elif result.settings["dictionary"] == "file" and self.dictionary and not result.names:
            tags = TagDictionary.parse(self.dictionary).tags(learner.corpus)
            result.names.update(enumerate(tags[: result.states]))
        self.runs_begun += 1

    def run_context(self) -> dict[str, dict[str, Any]]:
        """Return what the results of each row are made from, where they are of this corpus."""
        made = {**self._planned, **self.results}
        return {
            row: {
                "label": r.label,
                "hue": r.hue,
                "settings": dict(r.settings),
                "marks": list(r.marks),
                "known": dict(r.known),
            }
            for row, r in made.items()
            if r.corpus is self.corpus
        }

    def rows_shown(self) -> Collection[str]:
        """Return the rows that have a result."""
        return {row for row, result in (self._ended or self.results).items() if result.views}

    def expect_runs(self, context: Any, runs: Mapping[str, Run[Any, Any]]) -> Collection[str]:
        """Prepare results for saved runs; their states keep their names."""
        rows = [row for row in runs if row in (context or {})]
        if rows:
            self._end_replay()
            self.results, self.selected = {}, -1
        for row in rows:
            names = dict(self._names.get(row, {}))
            self._planned[row] = Result(
                row, corpus=self.corpus, names=names, carried=bool(names), **context[row]
            )
        return rows

    def take(self, ticks: dict[str, Tick[Any]]) -> None:
        """Add the ticks of a run, by row."""
        for name, tick in ticks.items():
            if name in self.results:
                self.results[name].take(tick)
        self.progress += 1

    def finish(self, runs: dict[str, Run[Any, Any]]) -> None:
        """Store the taggers of runs that have ended."""
        for name, ended in runs.items():
            result = self.results.get(name)
            if result is not None and result.views and result.model is None:
                self.results[name].model = model_of(ended)
                self.table.add(self.results[name])
