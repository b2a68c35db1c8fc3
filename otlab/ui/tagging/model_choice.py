"""Comparison of numbers of states on the lab's corpus, for the tab "Which model?"; without Panel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otlab.tagging.experiments.comparison import StatesPlan
from otlab.tagging.learners import LEARNERS
from otlab.tagging.scores import baselines
from otlab.ui.fields import values_of
from otlab.ui.tagging.settings import CONTINUED, ModelChoiceSettings, short_label
from otlab.ui.work_runner import WorkRunner

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.inference import Tick
    from otlab.inference.executors import Workers
    from otlab.tagging.corpus import Corpus
    from otlab.tagging.experiments.comparison import Comparison
    from otlab.tagging.scores import Scores
    from otlab.ui.tagging.settings import TaggingSettings

__all__ = ["ModelChoice"]

_TAKEN = (
    "emission_prior",
    "transition_prior",
    "jitter",
    "precision",
    "weight_sd",
    "state_priors",
    "discount",
)


class ModelChoice:
    """A comparison of numbers of states.

    Attributes
    ----------
    settings
        The models compared; other settings are those of the run panel.
    compared
        The results of the last comparison so far; None before the first.
    corpus
        The corpus of the comparison.
    plan
        What was asked for, if it was here; None for results that were saved.
    """

    def __init__(self) -> None:
        self.settings = ModelChoiceSettings()
        self.compared: Comparison | None = None
        self.corpus: Corpus | None = None
        self.plan: StatesPlan | None = None
        self._baselines: dict[int, dict[str, Scores]] = {}

    def runner(self, corpus: Corpus, settings: TaggingSettings) -> WorkRunner:
        """Return what compares, on a corpus and with the settings of the run panel.

        Raises
        ------
        InputError
            If there are not as many sentences as folds, or not as many words as states.
        """
        values, own = values_of(settings), self.settings
        learners = own.learners.split()
        shared = {name: values[name] for name in _TAKEN}
        shared["init"] = "dirichlet" if values["start"] == CONTINUED else values["start"]
        known = {name for learner in learners for name in LEARNERS[learner].settings.param}
        plan = StatesPlan.of(
            corpus,
            own.states,
            learners,
            iterations=values["iterations"],
            chains=own.runs,
            folds=own.held_out,
            seed=values["seed"],
            **{name: value for name, value in shared.items() if name in known},
        )
        self.forget()
        self.corpus, self.plan = corpus, plan

        def work(workers: Workers, report: Callable[[int, Comparison], None]) -> None:
            plan.compare(workers, report)

        return WorkRunner(plan.fits, max(1, plan.iterations), work)

    def take(self, ticks: dict[str, Tick[Comparison]]) -> bool:
        """Store the latest results; return whether there are new ones."""
        known = 0 if self.compared is None else len(self.compared.rows)
        for tick in ticks.values():
            self.compared = tick.view
        return self.compared is not None and len(self.compared.rows) > known

    def finished(self, corpus: Corpus) -> Comparison | None:
        """Return the results so far, to be saved; None if there are none of this corpus."""
        return self.compared if self.corpus is corpus and self.compared and self.compared.rows else None

    def put_finished(self, compared: Comparison, corpus: Corpus) -> None:
        """Restore what :meth:`finished` returned."""
        self.forget()
        self.compared, self.corpus = compared, corpus

    def forget(self) -> None:
        """Delete the comparison, because it starts over or the corpus has changed."""
        self.compared, self.corpus, self.plan, self._baselines = None, None, None, {}

    def labels(self) -> dict[str, tuple[str, str]]:
        """Return label and hue of each learner compared, by name."""
        compared = self.compared
        names = compared.settings["learners"] if compared is not None else ()
        return {name: (short_label(LEARNERS[name]), LEARNERS[name].hue) for name in names}

    def baselines(self) -> dict[int, dict[str, Scores]]:
        """Return the scores of each baseline by number of states compared; none without gold tags."""
        corpus, compared = self.corpus, self.compared
        if corpus is None or corpus.tags is None or compared is None:
            return {}
        sizes = list(dict.fromkeys(row.states for row in compared.rows))
        for size in sizes:
            if size not in self._baselines:
                self._baselines[size] = baselines(corpus, size, compared.seed)
        return {size: self._baselines[size] for size in sorted(sizes)}
