"""Accuracy by the number of tagged sentences: runs with more and more known tags; without Panel.

The first sentences of the text have known tags; the accuracy is that of all other words (Merialdo, 1994).
Without any tags, each state counts as the tag with which one-to-one accuracy matches it. The runs are the
plan of a sweep, the one that :meth:`TagAmounts.sweep` gives to ``otlab sweep``.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import param

from otlab.errors import Fault, InputError, counted
from otlab.sweep.run import run_plan
from otlab.sweep.store import FinishedRun, MemoryStore
from otlab.sweep.write import Part
from otlab.tagging.learners import LEARNERS
from otlab.ui.fields import Field, values_of
from otlab.ui.sweep.names import sweep_settings
from otlab.ui.tagging.corpus_sweep import corpus_plan, corpus_sweep
from otlab.ui.tagging.settings import CONTINUED, short_label
from otlab.ui.work_runner import WorkRunner
from otlab.viz.sweep import Series

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from otlab.inference import Tick
    from otlab.inference.executors import Workers
    from otlab.sweep.plan import Plan
    from otlab.tagging.corpus import Corpus
    from otlab.ui.sweep.planned import PlannedSweep
    from otlab.ui.tagging.settings import TaggingSettings

__all__ = ["COUNTS", "TagAmounts"]

COUNTS = "supervised"
"""The learner that counts known tags, and learns nothing from other words."""
_OF_EVERY_RUN = ("states", "iterations", "emission_prior", "transition_prior", "jitter", "precision")


class TagAmountSettings(param.Parameterized):
    """How many sentences have known tags, and who learns from them."""

    amounts = param.List(
        default=[0, 20, 50, 100, 200, 500, 1000, 1800], item_type=int, label="Tagged sentences"
    )
    learners = param.Selector(
        default="supervised em vb",
        objects={
            "Supervised, EM and VB": "supervised em vb",
            "Supervised and EM": "supervised em",
            "Supervised and VB": "supervised vb",
            "Supervised, VB and Gibbs": "supervised vb gibbs",
        },
        label="Learners",
    )
    runs = param.Integer(3, bounds=(1, 20), label="Runs of each")

    fields: ClassVar[Mapping[str, Field]] = {
        "amounts": Field(wide=True),
        "learners": Field(wide=True),
        "runs": Field("run"),
    }


class TagAmounts:
    """Runs of several learners with more and more tagged sentences.

    Attributes
    ----------
    settings
        Numbers of tagged sentences, learners, and runs of each; other settings are those of the run panel.
    runs
        Finished runs, in the order of the plan.
    corpus
        The corpus of the runs; None before the first.
    plan
        What was asked for, if it was here; None for runs that were saved.
    """

    def __init__(self) -> None:
        self.settings = TagAmountSettings()
        self.runs: tuple[FinishedRun, ...] = ()
        self.corpus: Corpus | None = None
        self.plan: Plan | None = None

    def amounts(self, corpus: Corpus) -> list[int]:
        """Return the numbers of tagged sentences that leave words to be tagged, in ascending order."""
        return sorted({n for n in self.settings.amounts if n < corpus.sentences})

    def parts(self, corpus: Corpus, settings: Mapping[str, Any], data: str) -> list[Part]:
        """Return the runs as parts of a sweep, given values of the run panel's fields, and their data."""
        start = "dirichlet" if settings["start"] == CONTINUED else settings["start"]
        values = {**{name: settings[name] for name in _OF_EVERY_RUN}, "start": start}
        parts = []
        for learner in self.settings.learners.split():
            known = [str(n) if n else "none" for n in self.amounts(corpus) if n or learner != COUNTS]
            own = {**sweep_settings("tagging", learner, values), "known_tags": known}
            runs = 1 if learner == COUNTS else self.settings.runs
            parts += [Part(learner, data, settings["seed"], runs, own)] if known else []
        return parts

    def runner(self, corpus: Corpus, settings: TaggingSettings) -> WorkRunner:
        """Return what runs them all.

        Raises
        ------
        InputError
            If the text has no tags, or too few sentences, or there are fewer states than tags.
        """
        values = values_of(settings)
        self._check(corpus, values["states"])
        plan = corpus_plan(corpus, lambda data: self.parts(corpus, values, data))
        store = MemoryStore()
        self.forget()
        self.corpus, self.plan = corpus, plan

        def finished() -> tuple[FinishedRun, ...]:
            return tuple(run for spec in plan.runs if (run := store.get(spec)) is not None)

        def work(workers: Workers, report: Callable[[int, Any], None]) -> None:
            found = run_plan(plan, workers, store, lambda done, _: report(done, finished()))
            if found.failed:
                raise InputError(list(dict.fromkeys(Fault(run.reason, "") for run in found.failed)))

        return WorkRunner(len(plan.runs), max(1, values["iterations"]), work)

    def _check(self, corpus: Corpus, states: int) -> None:
        if corpus.tags is None:
            raise InputError(Fault("the text has no tags to learn from", "open a tagged text"))
        if not any(self.amounts(corpus)):
            what = f"no number of tagged sentences is from 1 to {corpus.sentences - 1:,}"
            raise InputError(
                Fault(what, f"the text has {counted(corpus.sentences, 'sentence')}; write smaller numbers")
            )
        if states < len(corpus.tagset):
            few = f"{counted(states, 'state')} {'is' if states == 1 else 'are'} too few"
            what = f"{few} for the {counted(len(corpus.tagset), 'tag')} of the text"
            raise InputError(Fault(what, f"set States to {len(corpus.tagset)} or more"))

    def take(self, ticks: dict[str, Tick[tuple[FinishedRun, ...]]]) -> bool:
        """Store the latest runs; return whether there are new ones."""
        known = len(self.runs)
        for tick in ticks.values():
            self.runs = tick.view
        return len(self.runs) > known

    def finished(self, corpus: Corpus) -> tuple[FinishedRun, ...] | None:
        """Return the runs so far, to be saved; None if there are none of this corpus."""
        return self.runs if self.corpus is corpus and self.runs else None

    def put_finished(self, runs: tuple[FinishedRun, ...], corpus: Corpus) -> None:
        """Restore what :meth:`finished` returned."""
        self.runs, self.corpus, self.plan = runs, corpus, None

    def forget(self) -> None:
        """Delete the runs, because they start over or the corpus has changed."""
        self.runs, self.corpus, self.plan = (), None, None

    def series(self) -> list[Series]:
        """Return the accuracy of each run by its number of tagged sentences, for each learner."""
        learners = dict.fromkeys(run.spec.learner for run in self.runs)
        return [
            Series(
                short_label(LEARNERS[learner]),
                f"{LEARNERS[learner].hue}-edge",
                tuple(
                    (
                        f"{_amount(run):,}",
                        _score(run),
                        f"{counted(_amount(run), 'sentence')}, seed {run.spec.seed}",
                    )
                    for run in self.runs
                    if run.spec.learner == learner
                ),
            )
            for learner in learners
        ]

    def means(self) -> dict[str, dict[int, tuple[float, float, int]]]:
        """Return learner -> tagged sentences -> mean and sd (NaN for one run) of the accuracy, and runs."""
        groups: dict[str, dict[int, list[float]]] = {}
        for run in self.runs:
            groups.setdefault(run.spec.learner, {}).setdefault(_amount(run), []).append(_score(run))
        return {
            learner: {
                n: (float(np.mean(s)), float(np.std(s, ddof=1)) if len(s) > 1 else np.nan, len(s))
                for n, s in sorted(by_amount.items())
            }
            for learner, by_amount in groups.items()
        }

    def words(self) -> list[str]:
        """Return, for each learner, up to how many tagged sentences untagged text helps it."""
        means = self.means()
        counting = means.pop(COUNTS, {})
        return [
            _helped(short_label(LEARNERS[learner]), counting, found)
            for learner, found in means.items()
            if set(found) & set(counting)
        ]

    def to_csv(self) -> str:
        """Return a row for each run: learner, tagged sentences, seed, accuracy."""
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(["learner", "tagged_sentences", "seed", "accuracy"])
        rows.writerows([run.spec.learner, _amount(run), run.spec.seed, _score(run)] for run in self.runs)
        return text.getvalue()

    def sweep(self, corpus: Corpus, file: str, settings: Mapping[str, Any]) -> PlannedSweep:
        """Return the runs as a sweep; `file` names the corpus if it is no shipped one."""
        return corpus_sweep(corpus, file, lambda data: self.parts(corpus, settings, data))


def _amount(run: FinishedRun) -> int:
    known = dict(run.spec.settings)["known_tags"]
    return 0 if known == "none" else int(known)


def _score(run: FinishedRun) -> float:
    return cast("float", run.scores["accuracy" if _amount(run) else "one_to_one"])


def _helped(
    label: str, counting: dict[int, tuple[float, float, int]], found: dict[int, tuple[float, float, int]]
) -> str:
    """Return up to how many tagged sentences a learner is better than counts."""
    shared = sorted(set(found) & set(counting))
    better = [n for n in shared if found[n][0] > counting[n][0]]
    if not better:
        return f"Untagged text makes {label} worse than counting tags alone, at every number tried."
    first_worse = next((n for n in shared if n > better[-1]), None)
    if first_worse is None:
        return f"Untagged text helps {label} up to {counted(better[-1], 'tagged sentence')}, the most tried."
    return (
        f"Untagged text helps {label} up to {counted(better[-1], 'tagged sentence')}; "
        f"from {first_worse:,} on, counting tags alone is better."
    )
