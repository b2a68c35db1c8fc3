"""The tab "Known tags": accuracy by the number of tagged sentences on the lab's corpus, live."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from otlab.errors import counted
from otlab.html import element, escape, joined, table, td, tr
from otlab.tagging.learners import LEARNERS
from otlab.ui.components.cards import Card, Html, stroke
from otlab.ui.components.downloads import csv_button
from otlab.ui.components.layout import across, down, show_in
from otlab.ui.components.placeholders import empty
from otlab.ui.fields import values_of
from otlab.ui.settings_form import SettingsForm
from otlab.ui.sweep.download import sweep_button
from otlab.ui.tab import Tab
from otlab.ui.tagging.assets import PAGE_CSS
from otlab.ui.tagging.settings import short_label
from otlab.ui.tagging.state import TaggingState
from otlab.ui.task import Task
from otlab.viz.sweep import score_svg
from otlab.viz.tagging.model_choice import CURVES_TO_COME

if TYPE_CHECKING:
    from otlab.inference import Tick
    from otlab.ui.runner import Runner
    from otlab.ui.sweep.planned import PlannedSweep

__all__ = ["KnownTagsTab"]

_WIDTH = 600  # pixels; a wider card centres the picture

_ABOUT = (
    "Tags of the first sentences are known; the accuracy is that of all other words. The supervised tagger "
    "counts in the tagged sentences only; the others start there and learn from the whole text. At 0, each "
    "state counts as the tag that one-to-one accuracy gives it."
)


class KnownTagsTab(Tab[TaggingState]):
    """The tab that asks what tagged sentences are worth."""

    title = "Known tags"
    repeats: ClassVar = {"": ("Watch: Scores",)}
    depends = ("amount_changes", "corpus")
    at_opening = ("settled",)

    def build(self) -> Any:
        """Return the cards in their places."""
        self.task = Task("Run", self._runner, self._take, self._ended, lambda: self.state.amounts.plan)
        self.at_close(self.task.close)
        self._words = Html("", PAGE_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        self._how = Html("", PAGE_CSS, sizing_mode="stretch_width")
        self.state.settings.param.watch(lambda *_: self._show_taken(), ["states", "iterations", "seed"])
        form = SettingsForm(self.state.amounts.settings)
        sweep = sweep_button(self.state, self._sweep, self.lab.warn)
        asked = Card(
            "Tagged sentences", form, self._how, self.task, action=sweep, sizing_mode="stretch_width"
        )
        left = down(
            asked, Card("Does untagged text help?", self._words), width=330, sizing_mode="stretch_height"
        )
        self._picture = Html("", PAGE_CSS, sizing_mode="stretch_both")
        self._nothing = empty(
            "Nothing run yet",
            "How good is a tagger that knows the tags of 20 sentences, of 200, of 1,000? Press Run; runs "
            "appear one by one.",
            shape=CURVES_TO_COME,
        )
        self._place = down(self._nothing)
        self._save = csv_button(self._file, self.lab.warn, self.state)
        self._card = Card(
            "Accuracy by tagged sentences", self._place, action=self._save, styles={"flex": "1.6 1 0"}
        )
        self._table = Html("", PAGE_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        figures = Card("All figures", self._table, remark="mean (sd) over runs; bold: the best learner")
        return across(left, down(self._card, figures))

    def draw(self) -> None:
        """Show the settings taken from the run panel, and the runs so far."""
        amounts = self.state.amounts
        self._show_taken()
        series = amounts.series()
        self._save.visible = bool(series)
        show_in(self._place, self._picture if series else self._nothing)
        self._card.legend = [stroke(one.token, one.label) for one in series]
        self._card.remark = "a dot a run" if series else ""
        if series:
            self._picture.show(
                score_svg(series, "tagged sentences", "accuracy", width=_WIDTH, height=340, bands=True)
            )
        style = "margin:0 0 10px"
        said = joined(element("p", text, class_="small", style=style) for text in [*amounts.words(), _ABOUT])
        self._words.show(said)
        self._table.show(self._figures() if series else f'<p class="small">{escape(_TO_COME)}</p>')

    def _figures(self) -> str:
        """Return a table with a row for each number of tagged sentences and a column for each learner."""
        means = self.state.amounts.means()
        rows = []
        for amount in sorted({n for found in means.values() for n in found}):
            known = {learner: found[amount] for learner, found in means.items() if amount in found}
            best = max(known, key=lambda learner: known[learner][0])
            cells = [_cell(known.get(learner), learner == best) for learner in means]
            rows.append(tr([td(f"{amount:,}"), *cells]))
        heads = ["Tagged sentences", *(short_label(LEARNERS[learner]) for learner in means)]
        return table(heads, rows, label="Accuracy by tagged sentences", kind="scores")

    def _show_taken(self) -> None:
        """Show which settings of the run panel are used."""
        settings, corpus = self.state.settings, self.state.corpus
        states, iterations = counted(settings.states, "state"), counted(settings.iterations, "iteration")
        self._how.show(
            f'<p class="small">{states}, {iterations}, priors, seed {settings.seed:d}, start: as set at the '
            f"left. The text has {counted(corpus.sentences, 'sentence')}.</p>"
        )

    def _runner(self) -> Runner:
        return self.state.amounts.runner(self.state.corpus, self.state.settings)

    def _take(self, ticks: dict[str, Tick[Any]]) -> None:
        if self.state.amounts.take(ticks):
            self.state.amount_changes += 1

    def _ended(self) -> None:
        self.state.amount_changes += 1

    def _sweep(self) -> PlannedSweep:
        """Return the runs as a sweep, to be run here or on a cluster."""
        corpus = self.state.corpus
        file = self.state.file_name("corpus", "txt" if corpus.tags is None else "tsv")
        return self.state.amounts.sweep(corpus, file, values_of(self.state.settings))

    def _file(self, _key: str) -> tuple[str, bytes]:
        return self.state.file_name("known tags", "csv"), self.state.amounts.to_csv().encode()


def _cell(found: tuple[float, float, int] | None, best: bool) -> Any:
    if found is None:
        return td("–")
    mean, sd, _ = found
    return td(f"{mean:.3f}" if math.isnan(sd) else f"{mean:.3f} ({sd:.3f})", "best" if best else "")


_TO_COME = "A row for each number of tagged sentences."
