"""The tab "Which model?": numbers of states compared on the lab's corpus, live."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from otlab.errors import counted
from otlab.html import element, escape
from otlab.tagging.scores import BASELINES
from otlab.ui.components.cards import Card, Html, stroke
from otlab.ui.components.downloads import csv_button
from otlab.ui.components.layout import across, down, show_in
from otlab.ui.components.placeholders import empty
from otlab.ui.components.row_plot import figure_pane
from otlab.ui.settings_form import SettingsForm
from otlab.ui.tab import Tab
from otlab.ui.tagging.assets import PAGE_CSS, PLOTS_CSS
from otlab.ui.tagging.state import TaggingState
from otlab.ui.task import Task
from otlab.viz.tagging.model_choice import (
    CHOICE_PANELS,
    CURVES_TO_COME,
    choice_colors,
    choice_curves,
    choice_data,
    choice_element,
    chosen_html,
    compared_csv,
    compared_html,
    range_advice,
)
from otlab.viz.tagging.traces import BASELINE_DASHES, ends_html, show_span, trace_span

if TYPE_CHECKING:
    from otlab.inference import Tick
    from otlab.tagging.experiments.comparison import Comparison
    from otlab.ui.runner import Runner
    from otlab.viz.tagging.model_choice import Curve

__all__ = ["ModelChoiceTab"]

_MOST_TICKS = 12
_TAKEN = ("iterations", "emission_prior", "transition_prior", "seed")
_ABOUT = (
    "Low perplexity, AIC, BIC and free energy are better; V-measure is better high, and the only one "
    "that looks at the gold tags."
)
_TO_COME = '<p class="small">A line for each learner and number of states, as they are done.</p>'


class ModelChoiceTab(Tab[TaggingState]):
    """The tab that compares numbers of states."""

    title = "Which model?"
    repeats: ClassVar = {"": ("Watch: Scores",)}
    depends = ("comparison_changes", "corpus")
    at_opening = ("settled",)

    def build(self) -> Any:
        """Return the cards in their places."""
        choice, palette = self.state.choice, self.lab.palette
        self.task = Task("Compare", self._runner, self._take, self._ended, lambda: self.state.choice.plan)
        self.at_close(self.task.close)
        self._how = Html("", PAGE_CSS, sizing_mode="stretch_width")
        self._chosen = Html("", PAGE_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        form = SettingsForm(choice.settings)
        self.state.settings.param.watch(lambda *_: self._show_taken(), list(_TAKEN))
        asked = Card("What to compare", form, self._how, self.task, sizing_mode="stretch_width")
        left = down(asked, Card("Chosen", self._chosen), width=330, sizing_mode="stretch_height")
        self._lives = [palette.live(choice_element(), choice_colors()) for _ in CHOICE_PANELS]
        self._ends = [Html("", PLOTS_CSS, width=96, sizing_mode="stretch_height") for _ in CHOICE_PANELS]
        panels = [
            down(
                Html(f'<div class="panel-name">{escape(panel.title)}</div>', PLOTS_CSS, height=8),
                across(figure_pane(live), ends, gap=0),
                gap=0,
            )
            for panel, live, ends in zip(CHOICE_PANELS, self._lives, self._ends, strict=True)
        ]
        self._panels = down(across(*panels[:2], gap=20), across(*panels[2:], gap=20), gap=12)
        self._nothing = empty(
            "Nothing compared yet",
            "Each number of states is learnt from the whole text, and from all but each fold of it. "
            "Press Compare; results appear one by one.",
            shape=CURVES_TO_COME,
        )
        self._place = down(self._nothing)
        self._save = csv_button(self._file, self.lab.warn, self.state)
        self._card = Card(
            "Which number of states?", self._place, action=self._save, styles={"flex": "1.9 1 0"}
        )
        self._table = Html("", PAGE_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        figures = Card("All figures", self._table, remark="bold: the best of each learner")
        return across(left, down(self._card, figures))

    def draw(self) -> None:
        """Show the settings of the comparison, and draw the results so far."""
        choice = self.state.choice
        self._show_taken()
        compared = choice.compared
        known = compared is not None and bool(compared.rows)
        show_in(self._place, self._panels if known else self._nothing)
        self._save.visible = known
        self._card.legend = self._legend() if known else []
        self._card.remark = _progress_remark(compared) if compared is not None and known else ""
        if compared is None or not known:
            self._chosen.show(f'<p class="small">{_ABOUT}</p>')
            self._table.show(_TO_COME)
            return
        labels = choice.labels()
        for place, curves in enumerate(choice_curves(compared, labels)):
            self._draw(place, curves, compared)
        advice = range_advice(compared, labels)
        hint = element("div", advice, class_="hint") if advice else ""
        self._chosen.show(
            f'{chosen_html(compared, labels)}<p class="small" style="margin:10px 0">{_ABOUT}</p>{hint}'
        )
        self._table.show(compared_html(compared, labels, choice.baselines()))

    def _show_taken(self) -> None:
        """Show which settings of the run panel are used."""
        settings = self.state.settings
        iterations = counted(settings.iterations, "iteration")
        self._how.show(
            f'<p class="small">{iterations}, priors {settings.emission_prior:g} and '
            f"{settings.transition_prior:g}, seed {settings.seed:d}, start and precision: as set at the left."
            "</p>"
        )

    def _runner(self) -> Runner:
        return self.state.choice.runner(self.state.corpus, self.state.settings)

    def _take(self, ticks: dict[str, Tick[Comparison]]) -> None:
        if self.state.choice.take(ticks):
            self.state.comparison_changes += 1

    def _ended(self) -> None:
        self.state.comparison_changes += 1

    def _legend(self) -> list[str]:
        entries = [stroke(f"{hue}-edge", label) for label, hue in self.state.choice.labels().values()]
        return [*entries, element("span", "ring: chosen")]

    def _draw(self, place: int, curves: tuple[Curve, ...], compared: Comparison) -> None:
        """Draw a panel."""
        panel, live = CHOICE_PANELS[place], self._lives[place]
        lines = self._baseline_lines() if panel.criteria[0][0] == "v_measure" else {}
        for label, columns in choice_data(curves, panel.factor, lines).items():
            live.push(label, **columns)
        sizes = compared.settings["states"]
        air = max(0.08 * (sizes[-1] - sizes[0]), 1)
        live.x_range(sizes[0] - air, sizes[-1] + air)
        live.figure.xaxis.ticker.ticks = sizes[:: -(-len(sizes) // _MOST_TICKS)]
        values = [panel.factor * value for curve in curves for value in curve.values]
        values += [value for _, line in lines.values() for value in line]
        span = trace_span([np.array(values)])
        show_span(live, span if curves else None)
        ends = [(curve.end, curve.hue, panel.factor * curve.values[-1]) for curve in curves]
        ends += [(f"{BASELINES[name]} {line[-1]:.2f}", "ink3", line[-1]) for name, (_, line) in lines.items()]
        self._ends[place].show(ends_html("", ends, span, gap=12.0))

    def _baseline_lines(self) -> dict[str, tuple[list[int], list[float]]]:
        """Return numbers of states and V-measure of each baseline."""
        known = self.state.choice.baselines()
        sizes = list(known)
        return {
            name: (sizes, [known[size][name].v_measure for size in sizes])
            for name in BASELINE_DASHES
            if sizes
        }

    def _file(self, _key: str) -> tuple[str, bytes]:
        compared = self.state.choice.compared
        text = "" if compared is None else compared_csv(compared)
        return self.state.file_name("numbers of states", "csv"), text.encode()


def _progress_remark(compared: Comparison) -> str:
    """Return how many of the taggers have finished, unless all have."""
    total = len(compared.settings["states"]) * len(compared.settings["learners"])
    return f"{len(compared.rows)} of {total} so far" if compared.stopped else ""
