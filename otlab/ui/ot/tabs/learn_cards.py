"""Cards of the Learn tab: violations, the tableau of one drawn order, posterior, and predictions.

Posterior and predictions are live pictures: their cards build the figures once for a number of rows
and afterwards only replace their data; a table of another shape gets new figures. Labels are columns
beside the figure, with rows of the same height, and scroll with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
from bokeh.models import NoOverlap

from otlab.html import escape
from otlab.ot.learners import LEARNERS
from otlab.ot.learners.gla import drifting
from otlab.ot.orders import order_probability
from otlab.ui.components.buttons import button, segmented
from otlab.ui.components.cards import SCROLLING, Card, CardView, Html, observed, ring, swatch
from otlab.ui.components.layout import down
from otlab.ui.components.row_plot import figure_pane, row_plot
from otlab.ui.ot.impossible import scrolling
from otlab.ui.ot.tabs.downloads import TABLEAU_FILES, tableaux_file
from otlab.ui.ot.tabs.drift import runs_in_sight
from otlab.ui.ot.tabs.parameters import parameters_html, parameters_remark
from otlab.viz.base.numbers import counted_text
from otlab.viz.base.rows import AXIS_HEIGHT, MOST_IN_SIGHT, axis_element, axis_title_html, low_row
from otlab.viz.ot.heard import as_heard, parses_html, parses_text
from otlab.viz.ot.leading import MOST_DRAWN, first_inputs, leading, left_out
from otlab.viz.ot.posterior import (
    RIDGE_CSS,
    TRACE_COLORS,
    label_width,
    labels_html,
    ridge_colors,
    ridge_data,
    ridge_element,
    ridge_span,
    ridge_text,
    traces_data,
    traces_element,
)
from otlab.viz.ot.predicted import (
    HEAD,
    PREDICTED_COLORS,
    PREDICTED_CSS,
    candidates_html,
    candidates_width,
    figures_html,
    per_cent,
    predicted_data,
    predicted_element,
    predicted_span,
    predicted_text,
)
from otlab.viz.ot.printed import Strata
from otlab.viz.ot.tableau import TABLEAU_CSS, drawn_tableau_html

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from otlab.ot.tableau import Tableau
    from otlab.ui.ot.results import GibbsResult
    from otlab.ui.ot.state import OTState
    from otlab.ui.palette import Palette
    from otlab.viz.base.live import Live
    from otlab.viz.base.tokens import Hue
    from otlab.viz.ot.predicted import Answers

__all__ = ["PosteriorCard", "PredictedCard", "TableauCard"]


class TableauCard(CardView):
    """The winners under one order of the constraints, and how often that order is drawn."""

    def __init__(self, state: OTState, **layout: Any) -> None:
        super().__init__()
        self._state = state
        self._picture = Html("", TABLEAU_CSS, sizing_mode="stretch_both", styles={"min-height": "0"})
        again = button("Draw again", self.draw, icon="dice", plain=True)
        self.card = Card(
            "Tableau",
            self._picture,
            action=again,
            files=TABLEAU_FILES,
            make=self._file,
            state=state,
            **layout,
        )
        self._order: tuple[int, ...] = ()
        self._drawn_from = ""
        self._only: int | None = None
        self.draw()

    def draw(self) -> None:
        """Draw another order from the ranking values shown."""
        self._order, self._drawn_from = self._state.draw_order(), self._state.values_from
        self.show()

    def only(self, input: int | None) -> None:
        """Show one input alone, or all again."""
        self._only = input
        self.show()

    def show(self) -> None:
        """Show the tableau as it is now, under the order last drawn where that is still from what is said."""
        state = self._state
        if self._only is not None and self._only >= len(state.tableau.inputs):
            self._only = None
        if len(self._order) != state.tableau.n_constraints or self._drawn_from != state.values_from:
            self._order, self._drawn_from = state.draw_order(), state.values_from
        p = order_probability(state.values, self._order, state.settings.noise)
        shown = first_inputs(state.tableau) if self._only is None else state.tableau
        self._picture.show(drawn_tableau_html(shown, self._order, p, self._only))
        self.say()

    def say(self) -> None:
        """Say in the head which ranking values the order is drawn from."""
        self.card.remark = f"one draw, from {self._state.values_words}"

    def _file(self, key: str) -> tuple[str, bytes]:
        """Return the tableaux under the order shown, in one of the formats of the card's menu."""
        state = self._state
        source = f"one draw, from {state.values_words}"
        return tableaux_file(state, state.tableau, Strata.of_order(self._order), source, key)


FIGURE_WIDTH = 54
# In a narrow card, as in a window of 1100 px, the column beside the picture is narrower, for its sake.
_NARROW_NAMES = """
@container ot-card (width < 420px) {
  :host { flex-basis: 104px !important; width: 104px !important; }
  .ot-ruled > div { max-width: 114px; padding-right: 6px; }
  .ot-of { display: none; }
}
"""
_NARROW_FIGURES = """
@container ot-card (width < 420px) { :host { max-width: calc(100% - 196px) !important; } }
"""
# The traces make way for the ridges there, and in a wider one too beside long names.
_BESIDE_LONG = "ot-beside-long"
_ONLY_WIDE = f"""
@container ot-card (width < 420px) {{ :host {{ display: none !important; }} }}
@container ot-card (width < 490px) {{ :host(.{_BESIDE_LONG}) {{ display: none !important; }} }}
"""
_USUAL_LABELS, _WIDE_LABELS = 112, 150
_TRACES_WIDTH = 128
_INSIDE = {"min-height": "0", "overflow": "hidden", "contain": "size"}  # no content makes its card higher
_POSTERIOR = "Posterior of the ranking values"
_PARAMETERS = {"gla": "GLA ranking values", "maxent": "MaxEnt weights"}
_FURTHER = "Ranking values and weights"
_PALE = ".pale { height: 100%; } .pale b { font-weight: 400; color: var(--ot-ink3); }"


def _remark(result: GibbsResult, runs: np.ndarray | None) -> str:
    remark = counted_text(result.histogram.n, "draw") + (", warming up" if result.warming else "")
    if result.two_modes:
        remark += ", two modes"
    if runs is not None and drifting(result.tableau, runs, result.noise):
        remark += "; GLA drifts"
    return remark


def _few_ticks(live: Live, n: int, mantissas: Sequence[float] = (1, 2, 5)) -> None:
    """Let about `n` labels stand on the axis, without touching: those without room are left out.

    Steps between them are `mantissas` times a power of ten.
    """
    for axis in live.figure.xaxis:
        axis.ticker.update(desired_num_ticks=n, mantissas=list(mantissas))
        axis.major_label_policy = NoOverlap(min_distance=6)


def _axis_of(
    live: Live, palette: Palette, n: int, mantissas: Sequence[float] = (1, 2, 5), *hooks: Any
) -> Any:
    """Return a figure's x axis with about `n` labels, to stand apart from it; its own is hidden."""
    axis = palette.live(axis_element(*hooks), {})
    axis.figure.x_range = live.figure.x_range
    _few_ticks(axis, n, mantissas)
    for own in live.figure.xaxis:
        own.visible = False
    axis.figure.update(height=AXIS_HEIGHT, sizing_mode="stretch_width")
    return pn.pane.Bokeh(axis.figure, sizing_mode="stretch_width", height=AXIS_HEIGHT, margin=0)


class _Stage:
    """The content of a card: a picture or a placeholder.

    The picture is on the page from the beginning, hidden: building it takes longer than a
    first histogram may.
    """

    def __init__(self, empty: Any) -> None:
        self._empty = empty
        self._picture: Any = None
        self.place = down(empty, styles=_INSIDE)

    def set_picture(self, picture: Any) -> None:
        picture.visible = False
        self._picture = picture
        self.instead()

    def instead(self, other: Any = None) -> None:
        other = self._empty if other is None else other
        other.visible = True
        self._picture.visible = False
        if self.place.objects != [other, self._picture]:
            self.place[:] = [other, self._picture]

    def show_picture(self) -> None:
        if not self._picture.visible:
            self.place[0].visible = False
            self._picture.visible = True


class PosteriorCard(CardView):
    """Histograms, intervals and traces of the ranking values, one row a constraint."""

    def __init__(self, tableau: Tableau, palette: Palette, empty: Any, **layout: Any) -> None:
        super().__init__()
        self._palette = palette
        self._labels = Html("", RIDGE_CSS + _PALE, width=_USUAL_LABELS, sizing_mode="stretch_height")
        self._below_labels = Html("", RIDGE_CSS, width=_USUAL_LABELS)
        self._below_traces = Html("", _ONLY_WIDE, width=_TRACES_WIDTH)
        self._spoken = Html("", width=1, height=1, styles={"position": "absolute"})
        self._lives: tuple[Live, ...] = ()
        self._span: tuple[float, float] | None = None
        self._order: list[int] = []
        self._stage = _Stage(empty)
        self._build(tableau.n_constraints)
        self._parameters = Html("", PREDICTED_CSS, sizing_mode="stretch_width")
        self._listed = scrolling(self._parameters)
        self._both: Any = None
        self.card = Card("", self._stage.place, self._spoken, **layout)
        self._entitle(_POSTERIOR, ("gibbs", "gla"))

    def clear(self, instead: Any = None) -> None:
        """Show a placeholder."""
        self._stage.instead(instead)
        self._entitle(_POSTERIOR, ("gibbs", "gla"))
        self._span, self._order = None, []
        self.card.remark = self.card.stale = ""

    def show_parameters(self, state: OTState, refused: Any = None) -> None:
        """List the GLA's ranking values or MaxEnt's weights, where there is no posterior.

        `refused` stands above them: why no ranking fits.
        """
        every: tuple[Hue, ...] = ("gla", "maxent")
        names = [name for name in every if getattr(state, name) is not None]
        self._entitle(" and ".join(_PARAMETERS[name] for name in names) or _FURTHER)
        self._parameters.show(parameters_html(state))
        self.card.remark = parameters_remark(state)
        self._stage.instead(self._listed if refused is None else self._below(refused))

    def _below(self, refused: Any) -> Any:
        if self._both is None or self._both[0] is not refused[0]:
            self._both = scrolling(*refused, self._parameters)
        return self._both

    def _entitle(self, title: str, hues: Sequence[Hue] = ()) -> None:
        self.card.param.update(title=title, legend=[swatch(hue, LEARNERS[hue].label) for hue in hues])

    def show(self, tableau: Tableau, result: GibbsResult, runs: np.ndarray | None) -> None:
        """Draw what the chains have so far, and where the runs of the GLA are."""
        if tableau.n_constraints != self._rows:
            self._build(tableau.n_constraints)
        histogram = result.histogram
        self._entitle(_POSTERIOR, ("gibbs", "gla"))
        self._sort(result)
        self._span = ridge_span(histogram, runs_in_sight(runs, histogram), before=self._span)
        ridge, traces = self._lives
        layers = ridge_data(histogram, runs, span=self._span, order=self._order)
        for label, columns in layers.items():
            ridge.push(label, **columns)
        ridge.x_range(*self._span)
        for label, columns in traces_data(result.chains, histogram, order=self._order).items():
            traces.push(label, **columns)
        labels = labels_html(tableau.constraints, histogram, self._order, tableau.full_names)
        self._set_label_width(label_width(tableau.constraints))
        self._labels.show(labels if result.readable else f'<div class="pale">{labels}</div>')
        self.card.remark = _remark(result, runs)
        self._stage.show_picture()

    def describe(self, tableau: Tableau, result: GibbsResult) -> None:
        """Update the picture's description for screen readers."""
        sentence = escape(ridge_text(tableau.constraints, result.histogram))
        self._spoken.show(f'<div class="hidden" aria-live="polite">{sentence}</div>')

    def _build(self, n: int) -> None:
        self._rows, self._order = n, []
        ridge = self._palette.live(ridge_element(n), ridge_colors())
        _few_ticks(ridge, 5)
        traces = self._palette.live(traces_element(n), TRACE_COLORS)
        self._lives = (ridge, traces)
        beside = figure_pane(traces, _TRACES_WIDTH)
        traces.figure.stylesheets = [*traces.figure.stylesheets, _ONLY_WIDE]
        foot = self._axis_below(ridge) if n > MOST_IN_SIGHT else ()
        parts = self._labels, figure_pane(ridge), beside
        self._stage.set_picture(row_plot(*parts, rows=n, row=low_row(n), foot=foot))

    def _set_label_width(self, width: int) -> None:
        classes = [_BESIDE_LONG] if width > _WIDE_LABELS else []
        figure = self._lives[1].figure
        if figure.css_classes != classes:
            figure.css_classes = self._below_traces.css_classes = classes
        self._labels.width = self._below_labels.width = width

    def _axis_below(self, ridge: Live) -> Sequence[Any]:
        """Return an axis to stand below the ridges in place of their own, between empty columns."""
        self._below_labels.show(axis_title_html("ranking value"))
        return self._below_labels, _axis_of(ridge, self._palette, 5), self._below_traces

    def _sort(self, result: GibbsResult) -> None:
        """Sort rows by median, the highest on top; only once, so that rows do not jump."""
        settled = len(self._order) > 0 and not result.just_warm
        if not settled or result.warming:
            median = result.histogram.quantiles([0.5])[0]
            self._order = np.argsort(-median, kind="stable").tolist()


_LEAST_PICTURE = 96  # px: of the predictions
_VIEWS = {"heard": "Forms", "parses": "Parses"}
_PREDICTED, _PARSES = "Predicted against observed", "Parses of what was heard"


def _legend_of(answers: Answers | None = None) -> list[str]:
    """Return the legend of the learners that predict something; of the usual ones before a run."""
    hues: tuple[Hue, ...] = ("gibbs", "gla", "maxent")
    usual = [hue for hue in hues if answers is None or hue in answers.learners]
    others = [ring("ink2", "others" if usual else "learners")] if answers and answers.further else []
    return [*(swatch(name, LEARNERS[name].label) for name in usual), *others, observed()]


class PredictedCard(CardView):
    """Every learner's probability of each candidate beside the data."""

    def __init__(self, tableau: Tableau, palette: Palette, empty: Any, **layout: Any) -> None:
        super().__init__()
        self._palette = palette
        self._names = Html("", PREDICTED_CSS + _NARROW_NAMES, width=120, sizing_mode="stretch_height")
        self._figures = Html("", PREDICTED_CSS + _NARROW_FIGURES, width=60, sizing_mode="stretch_height")
        # As high as their row, like the columns above: else Panel gives them a least width, too.
        title, high = axis_title_html("probability"), {"sizing_mode": "stretch_height"}
        self._below_names = Html(title, PREDICTED_CSS + _NARROW_NAMES, width=120, **high)
        self._below_figures = Html("", PREDICTED_CSS + _NARROW_FIGURES, width=60, **high)
        self._spoken = Html("", width=1, height=1, styles={"position": "absolute"})
        self._span: tuple[float, float] | None = None
        self._stage = _Stage(empty)
        self._live = self._build(min(tableau.n_rows, MOST_DRAWN))
        self._parses = Html("", PREDICTED_CSS, sizing_mode="stretch_both", styles=SCROLLING)
        self.which = segmented("Forms or parses", _VIEWS, visible=False)
        self.which.param.watch(lambda _: self._turn(), "value")
        self._last: tuple[Tableau, Answers, Mapping[str, pd.DataFrame]] | None = None
        inside = self._stage.place, self._spoken
        self.card = Card(_PREDICTED, *inside, legend=_legend_of(), action=self.which, **layout)

    def clear(self, instead: Any = None) -> None:
        """Show a placeholder."""
        self._stage.instead(instead)
        self._span = self._last = None
        self.which.visible = False
        self.card.param.update(stale="", title=_PREDICTED, legend=_legend_of())

    def show(self, tableau: Tableau, answers: Answers, parses: Mapping[str, pd.DataFrame]) -> None:
        """Draw what the learners predict now; of a very long table, for its first candidates.

        Where parses are not known it is of overt forms, or the `parses` of those that were heard, by learner.
        """
        self._last = tableau, answers, parses
        self.which.visible = bool(parses)
        of_parses = bool(parses) and self.which.value == "parses"
        legend, title = ([], _PARSES) if of_parses else (_legend_of(answers), _PREDICTED)
        if (self.card.title, self.card.legend) != (title, legend):
            self.card.param.update(title=title, legend=legend)
        if of_parses:
            self.card.remark = "per cent, given what was heard"
            self._parses.show(parses_html(parses))
            self._stage.instead(self._parses)
            return
        tableau, answers = as_heard(tableau, answers)
        self.card.remark = left_out(tableau)
        tableau, answers = leading(tableau, answers)
        if tableau.n_rows != self._rows:
            self._live = self._build(tableau.n_rows)
        self._span = predicted_span(answers, self._span)
        for label, columns in predicted_data(answers, span=self._span).items():
            self._live.push(label, **columns)
        self._live.x_range(*self._span)
        self._names.show(candidates_html(tableau, answers))
        self._figures.show(figures_html(answers))
        self._figures.width = self._below_figures.width = FIGURE_WIDTH * len(answers.learners) + 6
        self._names.width = self._below_names.width = candidates_width(tableau)
        beside = {"max-width": f"calc(100% - {self._names.width + _LEAST_PICTURE}px)", "overflow-x": "auto"}
        if self._figures.styles != beside:  # figures of many learners scroll
            self._figures.styles = self._below_figures.styles = beside
        self._stage.show_picture()

    def _turn(self) -> None:
        if self._last is not None:
            self.show(*self._last)

    def describe(self, tableau: Tableau, answers: Answers, parses: Mapping[str, pd.DataFrame]) -> None:
        """Update the picture's description for screen readers."""
        said = predicted_text(*as_heard(tableau, answers)), parses_text(parses)
        sentence = escape(" ".join(filter(None, said)))
        self._spoken.show(f'<div class="hidden" aria-live="polite">{sentence}</div>')

    def _build(self, n: int) -> Live:
        self._rows, self._span = n, None
        live = self._palette.live(predicted_element(n), PREDICTED_COLORS)
        ticks = 3, (1, 2.5, 5)
        _few_ticks(live, *ticks)
        foot = self._below_names, _axis_of(live, self._palette, *ticks, per_cent), self._below_figures
        parts = self._names, figure_pane(live), self._figures
        self._stage.set_picture(row_plot(*parts, rows=n, head=HEAD, foot=foot, axis=False))
        return live
