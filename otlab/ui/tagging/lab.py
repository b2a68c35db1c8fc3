"""The tagging lab: watch EM, VB and Gibbs find hidden states, and the skew they give them.

::

    lab = TaggingLab("ewt")        # a notebook cell shows it; lab.page() is the page a server sends
    lab.corpus, lab.results["vb"].view, lab.results["vb"].model
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.errors import counted
from otlab.samples import sample_path
from otlab.tagging.corpus import Corpus
from otlab.tagging.io.read import read
from otlab.ui.background import Background
from otlab.ui.components.badge import Badge, TrustReport
from otlab.ui.components.buttons import button, segmented
from otlab.ui.components.cards import Html
from otlab.ui.fields import values_of
from otlab.ui.lab import Lab
from otlab.ui.run_panel import RunPanel
from otlab.ui.tab import Part
from otlab.ui.tagging.assets import PAGE_CSS
from otlab.ui.tagging.classwork import TaggingClasswork
from otlab.ui.tagging.results import score_by_max_marginal
from otlab.ui.tagging.settings import CORPORA
from otlab.ui.tagging.state import TaggingState
from otlab.ui.tagging.tabs.data import DataTab, read_corpus, read_message
from otlab.ui.tagging.tabs.known_tags import KnownTagsTab
from otlab.ui.tagging.tabs.model_choice import ModelChoiceTab
from otlab.ui.tagging.tabs.priors import PriorsTab
from otlab.ui.tagging.tabs.sentences import SentencesTab
from otlab.ui.tagging.tabs.states import StatesTab
from otlab.ui.tagging.tabs.table import TableTab
from otlab.ui.tagging.tabs.watch import WatchTab
from otlab.ui.tagging.trust import stats, trust_report
from otlab.viz.tagging.prior import prior_advice, prior_is_usual

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.tagging.scores import Scores
    from otlab.ui.source import Source
    from otlab.ui.tagging.results import Result

__all__ = ["RunActions", "TaggingLab"]

ICONS_BELOW = 1240  # px, of a tab: beside eight tabs and the names of three learners


class RunActions(Part[TaggingState]):
    """Controls that show another learner, keep the curve of a run, or continue from its states by VB."""

    depends = ("progress", "settled", "shown", "pinned")

    def build(self) -> Any:
        """Return the controls in a row."""
        self._which = segmented("Estimator shown", {"em": "EM"}, "em", align="center", visible=False)
        self._which.param.watch(lambda event: self.state.look_at(event.new), "value")
        look: dict[str, Any] = {"align": "center", "icon_below": ICONS_BELOW}
        self._pin = button("Keep curve", self._keep, icon="plus", **look)
        self._continue = button("Continue as VB", self._continue_as_vb, icon="forward", **look)
        parts = (self._which, self._pin, self._continue)
        return pn.Row(*parts, margin=0, align="center", styles={"gap": "8px"})

    def draw(self) -> None:
        """Offer the results that can be shown, kept and continued."""
        results = self.state.results
        options = [[row, results[row].label] for row in self.lab.runner.runner.rows if row in results]
        if self._which.options != options:
            self._which.param.update(options=options, visible=len(options) > 1)
        result = self.state.result
        if result is not None:
            self._which.value = result.row
        ready = result is not None and bool(result.views) and not self.lab.runner.runner.alive
        self._continue.disabled = not (ready and result is not None and result.row != "vb")
        self._pin.disabled = result is None or not result.views

    def _keep(self) -> None:
        kept = self.state.pin()
        if kept is not None:
            self.lab.toast(f"The curve of {kept.label} is kept", self.lab.undo)

    def _continue_as_vb(self) -> None:
        result = self.state.result
        if result is None or not result.views:
            return
        self.state.continue_from(result.view.labels)
        runner = self.lab.runner
        ticked = set(runner.runner.enabled)
        runner.enable({"vb"})
        runner.run()
        runner.enable(ticked)


class TaggingLab(Lab):
    """One reader's tagging lab.

    Parameters
    ----------
    corpus
        A corpus, a file, or a shipped sample by name or a unique beginning of it.

    Raises
    ------
    InputError
        If the file has faults, or there is no such sample.
    """

    title, route = "Tagging", "tagging_lab"
    state: TaggingState
    classwork = TaggingClasswork()
    tabs = (WatchTab, StatesTab, TableTab, ModelChoiceTab, KnownTagsTab, SentencesTab, PriorsTab, DataTab)
    actions = (RunActions,)

    def __init__(self, corpus: Corpus | str | Path = "ewt") -> None:
        super().__init__(TaggingState(corpus if isinstance(corpus, Corpus) else _found(corpus)))
        self._hint = Html("", PAGE_CSS, sizing_mode="stretch_width")
        self.runner: RunPanel = self.connect(
            RunPanel(
                self.state.rows(),
                self.settings,
                on_start=self._starting,
                on_ticks=self.state.take,
                on_end=self._ended,
                on_reset=self.state.clear,
                on_replay_ticks=self.state.replay,
                trust=self._trust,
                placeholder=TrustReport(Badge("Too early to say"), stats(None)),
                title="Learners",
                extra=[self._hint],
            )
        )
        self._scoring = Background()
        self.state.ticks_of = lambda row: self.runner.runner.histories.get(row, ())
        self.state.param.watch(lambda _: self._corpus_changed(), "corpus")
        self.state.param.watch(lambda _: self.runner.reassess(), "shown")
        self.state.param.watch(
            lambda *_: self.changed(),
            ["name_changes", "option_changes", "comparison_changes", "table_changes", "amount_changes"],
        )
        self.settings.param.watch(self._settings_changed, list(values_of(self.settings)))
        self._advise()

    @property
    def corpus(self) -> Corpus:
        """The present corpus; setting it shows another one, which can be undone."""
        return self.state.corpus

    @corpus.setter
    def corpus(self, corpus: Corpus) -> None:
        self.open_corpus(corpus)

    @property
    def results(self) -> dict[str, Result]:
        """The present or last run's results by estimator: em, vb, gibbs."""
        return self.state.results

    @property
    def source(self) -> Source | None:
        """The file that is open."""
        return self.state.source

    def read(self, source: Source, progress: Callable[[float], None]) -> tuple[Corpus, str]:
        """Return the corpus of a file, and a remark on how it was read or ""."""
        return read_corpus(source, progress)

    def show_read(self, source: Source, result: tuple[Corpus, str]) -> None:
        """Show a corpus that was read, and say what its file was taken for."""
        corpus, remark = result
        self.open_corpus(corpus, source, message=read_message(corpus))
        if remark:
            self.warn(f"{corpus.name}: {remark}")

    def open_corpus(self, corpus: Corpus, source: Source | None = None, *, message: str = "") -> None:
        """Show any corpus, and remember the file it was read from; this can be undone.

        `message` is the toast's text; by default it names the corpus that is closed.
        """
        self.open_own(
            corpus.name or "Your text", lambda: self.state.open_own(corpus, source), message=message
        )

    def document_changed(self, *, opened: bool) -> None:
        """Update the advice for the corpus and the verdict on the results."""
        self._advise()
        self.runner.reassess()

    def restored_message(self) -> str:
        """Return the toast after data were restored from the browser."""
        if self.own_name or not self.state.named():
            return super().restored_message()
        return "Names of states are kept: the next run takes them over"

    def close(self) -> None:
        """End every job; called when the page is closed."""
        self.state.table.stop()
        super().close()

    # Callbacks of the run panel.

    def _starting(self) -> None:
        enabled = self.runner.runner.enabled
        self.state.starting(enabled)
        self.state.rows_at_once = max(1, len(enabled))
        if self.state.shown not in enabled and enabled:
            self.state.shown = next(name for name in self.runner.runner.rows if name in enabled)

    def _ended(self, how: str) -> None:
        if how == "done":
            self.state.finish({name: job.run for name, job in self.runner.runner.jobs.items()})
        self._carry_names()
        self.state.settled += 1
        self._score_twice()

    def _carry_names(self) -> None:
        """Transfer the names of the previous run's states to a run that has ended."""
        results, carried, lost = self.state.carry_names()

        def undo() -> None:
            for result in results:
                result.names.clear()
            self.state.name_changes += 1

        left = f"; {lost} found no state with half of its tokens" if lost else ""
        if carried:
            message = f"{counted(carried, 'name')} carried over from the last run, by shared tokens"
            self.toast(message + left, undo)
        elif lost:
            self.warn(f"Names of the last run not carried over{left}")

    def _score_twice(self) -> None:
        """Score the most probable states of a finished sample's parameters as well."""
        result = self.results.get("gibbs")
        if result is None or result.model is None:
            return
        model = result.model

        def keep(scores: Scores | None) -> None:
            result.max_marginal = scores
            self.runner.reassess()

        self._scoring.do(lambda: score_by_max_marginal(result, model), keep)

    def _trust(self) -> TrustReport | None:
        result = self.state.result
        if result is None or not result.views:
            return None
        return trust_report(result)

    def _corpus_changed(self) -> None:
        """Delete the run of another text; one of the same words is scored again."""
        if all(result.corpus is not self.corpus for result in self.results.values()):
            self.runner.clear()
        elif not self.runner.runner.alive:
            self._score_twice()

    def _settings_changed(self, *events: Any) -> None:
        corpus = self.state.settings.corpus
        if "corpus" in {event.name for event in events} and corpus != self.state.sample:
            if corpus == "own":
                self.go("Data")
            else:
                message = f"{CORPORA[corpus]} is open in place of {self.corpus.name or 'your text'}"
                load = partial(self.state.open_sample, corpus)
                self._open("", "", load, message=message if self.state.only_copy else "")
        self._advise()

    def _advise(self) -> None:
        """Show advice on the effect of the prior on VB, where it is surprising."""
        corpus, settings = self.corpus, self.state.settings
        sizes = corpus.types, corpus.tokens, settings.states, settings.emission_prior
        self._hint.visible = not prior_is_usual(*sizes)
        self._hint.show(f'<div class="hint"><b>Hint for VB.</b> {prior_advice(*sizes)}</div>')


def _found(name: str | Path) -> Corpus:
    path = Path(name)
    return read(path if path.is_file() else sample_path(str(name), "tagging"))
