"""The Compare tab: learners, models and samplers on the same data.

What each learner predicts of every candidate, the spread of the GLA's runs, the GLA at constant
plasticity, which never settles, over the posterior, models compared
(:mod:`otlab.ui.ot.tabs.models_card`), and whether two samplers agree, which is checked on another thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from otlab.errors import InputError
from otlab.html import element
from otlab.ot.analysis.samplers import agreement, recommend
from otlab.ot.conditions import impossible_rows
from otlab.ui.background import Background
from otlab.ui.components.buttons import button, segmented
from otlab.ui.components.cards import SCROLLING, Card, CardView, Html, observed, stroke, swatch
from otlab.ui.components.layout import across, down
from otlab.ui.components.placeholders import no_result_yet
from otlab.ui.components.row_plot import figure_pane, row_plot
from otlab.ui.ot.impossible import scrolling
from otlab.ui.ot.settings import ranking_prior
from otlab.ui.ot.state import OTState
from otlab.ui.ot.sweep import compared_sweep
from otlab.ui.ot.tabs.drift import drifted
from otlab.ui.ot.tabs.learn import STALE
from otlab.ui.ot.tabs.models_card import ModelsCard
from otlab.ui.ot.tabs.parameters import parameters_html, sampled_pairs
from otlab.ui.sweep.download import sweep_button
from otlab.ui.tab import Tab
from otlab.viz.base.rows import low_row
from otlab.viz.ot.comparison import SPREAD_COLORS, spread_data, spread_element, spread_text
from otlab.viz.ot.heard import as_heard
from otlab.viz.ot.histograms import DrawHistogram
from otlab.viz.ot.leading import leading, left_out
from otlab.viz.ot.posterior import (
    RIDGE_CSS,
    label_width,
    labels_html,
    ridge_colors,
    ridge_data,
    ridge_element,
    ridge_span,
)
from otlab.viz.ot.predicted import HEAD, PREDICTED_CSS, candidates_html, comparison_html, predicted_span
from otlab.viz.ot.ranking import ranked_above_html

if TYPE_CHECKING:
    from collections.abc import Callable, Set

    from otlab.ot.tableau import Tableau
    from otlab.ui.palette import Palette
    from otlab.viz.base.live import Live
    from otlab.viz.ot.predicted import Answers

__all__ = ["SAMPLERS", "CompareTab", "SamplersCard"]


_NO_ROOM = (-4, 0)  # pixels: the table below needs the height in a window of 800
# Height of the row of models before and after a comparison: a verdict on samplers has room in either
_MODELS_INVITED, _MODELS_SHOWN = "148px", "34%"
_HEADS = 3, 4  # lines of text that the heads of the upper and of the lower cards take
_MOST_UNEVEN = 1.5
_WHICH = {"values": "Values", "pairs": "Pairs"}
_VALUES, _PAIRS = "Ranking values and weights", "Ranked above"
_VALUES_CARDS = ("Learn: Posterior", "Learn: Ranking values")  # cards that show the same
_NO_PAIRS = "Run Gibbs or the exact sampler to its end: only draws of ranking values say how often."


class CompareTab(Tab[OTState]):
    """The Compare tab."""

    title = "Compare"
    repeats: ClassVar = {
        "_table_card": ("Learn: Predictions",),
        "_parameters_card": _VALUES_CARDS,
        "spread": _VALUES_CARDS,
        "endless": _VALUES_CARDS,
    }
    depends = ("comparison_changes", "edits", "progress", "scale", "settled")

    def build(self) -> Any:
        """Return the cards in their places."""
        self.table = Html("", PREDICTED_CSS, sizing_mode="stretch_both", styles=SCROLLING)
        sweep = sweep_button(self.state, lambda: compared_sweep(self.state), self.lab.warn, margin=_NO_ROOM)
        self._table_card = Card("Observed and predicted", self.table, remark="per cent", action=sweep)
        self.parameters = Html("", PREDICTED_CSS, sizing_mode="stretch_both", styles=SCROLLING)
        self._which = segmented("Values or pairs", _WHICH)
        self._which.param.watch(lambda _: self._show_parameters(), "value")
        self._parameters_card = Card(_VALUES, self.parameters, action=self._which)
        self.spread = SpreadCard(self.lab.palette)
        self.endless = EndlessCard(self.lab.palette)
        self.models = ModelsCard(self.state)
        self.at_close(self.models.close)
        pictures = across(down(self._table_card, self._parameters_card), down(self.spread, self.endless))
        self.samplers = SamplersCard(self.state, self._run_samplers)
        self._models_row = across(
            self.models, self.samplers, min_height=148, styles={"--ot-card-height": "206px"}
        )
        self._share_width()
        return down(pictures, self._models_row)

    def _share_height(self, tableau: Tableau) -> None:
        """Divide the height between cards with rows for candidates and cards with rows for constraints."""
        upper = _HEADS[0] + tableau.n_rows + len(tableau.inputs)
        weight = min(_MOST_UNEVEN, max(1.0, upper / (_HEADS[1] + tableau.n_constraints)))
        for card in (self._table_card, self.spread.card):
            card.share(weight)
        for card in (self._parameters_card, self.endless.card):
            card.share(1)

    def _share_width(self) -> None:
        """Give the models a low row until they are compared, and most of a high one then."""
        compared = bool(self.state.compared)
        high = _MODELS_SHOWN if compared else _MODELS_INVITED
        self._models_row.styles = {**self._models_row.styles, "flex": f"0 0 {high}"}
        self.models.card.share(2 if compared else 0.7)
        self.samplers.card.share(1)

    def _run_samplers(self) -> None:
        self.lab.runner.enable(SAMPLERS)
        self.lab.runner.run()

    def redraw(self, changed: Set[str]) -> None:
        """Draw what the learners have so far."""
        state = self.state
        if "comparison_changes" in changed:
            self.models.show()
            self._share_width()
        self.models.follow()
        self.samplers.follow()
        if "settled" in changed:
            self.samplers.judge()
        if not state.has_results:
            self.endless.clear()
        tableau, answers = state.shown_tableau, state.answers
        tableau, answers = as_heard(tableau, answers)
        first, theirs = leading(tableau, answers)
        self._share_height(first)
        self.table.show(comparison_html(first, theirs))
        self._table_card.remark = ", ".join(filter(None, ["per cent", left_out(tableau)]))
        if self._which.value == "values" or "settled" in changed:
            self._show_parameters()
        self.spread.show(first, theirs)
        wandering = None if state.endless is None else state.endless.histogram
        draws = state.gibbs.histogram if state.gibbs is not None else DrawHistogram(tableau.n_constraints)
        if draws.n or (wandering is not None and wandering.n):
            self.endless.show(tableau, draws, wandering)
        self._mark()

    def _mark(self) -> None:
        """Say which cards show results of the table as it was before an edit."""
        stale = STALE if self.state.document.changed_since_run and self.state.has_results else ""
        self._table_card.stale = self._parameters_card.stale = stale
        for part in (self.spread, self.endless):
            part.card.stale = stale if part.drawn else ""

    def _show_parameters(self) -> None:
        """Show what was learnt of each constraint, or of each two."""
        if self._which.value == "values":
            self._parameters_card.param.update(title=_VALUES, remark="")
            self.parameters.show(parameters_html(self.state))
            return
        found = sampled_pairs(self.state)
        self._parameters_card.title = _PAIRS
        self._parameters_card.remark = f"{found[0]}, per cent of evaluations" if found else ""
        self.parameters.show(
            ranked_above_html(found[1]) if found else element("p", _NO_PAIRS, class_="small")
        )


class SpreadCard(CardView):
    """Every candidate's probability under each run of the GLA, as a histogram over runs."""

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette
        self._live: Live | None = None
        self._rows = 0
        self._span: tuple[float, float] | None = None
        self._names = Html("", PREDICTED_CSS, width=176, sizing_mode="stretch_height")
        self._empty = no_result_yet("the runs of the GLA", "One run differs from the next.")
        self._place = down(self._empty, styles={"min-height": "0", "overflow": "hidden"})
        self.card = Card(
            "Variation between runs", self._place, legend=[swatch("gla", "GLA runs"), observed()]
        )

    @property
    def drawn(self) -> bool:
        """Whether there is a picture."""
        return self._live is not None

    def show(self, tableau: Tableau, answers: Answers) -> None:
        """Draw the present values of the runs."""
        if answers.gla is None:
            self.clear()
            return
        live = self._live if self._rows == tableau.n_rows else None
        live = live or self._build(tableau.n_rows)
        self._span = predicted_span(answers, self._span)
        for label, columns in spread_data(answers.gla, answers.observed, span=self._span).items():
            live.push(label, **columns)
        live.x_range(*self._span)
        self._names.show(candidates_html(tableau, answers, kind="low"))
        self.card.remark = spread_text(tableau.candidates, answers.gla)

    def clear(self) -> None:
        """Remove the picture."""
        if self._live is not None:
            self._place[:] = [self._empty]
            self._live, self._rows, self._span = None, 0, None
            self.card.remark = ""

    def _build(self, n: int) -> Live:
        self._rows, self._span = n, None
        self._live = self._palette.live(spread_element(n), SPREAD_COLORS)
        self._place[:] = [row_plot(self._names, figure_pane(self._live), rows=n, head=HEAD)]
        return self._live


_ENDLESS_INVITE = "Tick Endless GLA and run"
_WANDERED = "The GLA has drifted out of the picture"


def _no_endless_run() -> Any:
    return no_result_yet("the posterior", "Tick Endless GLA too, and its path is drawn over it.")


class EndlessCard(CardView):
    """The GLA at constant plasticity over the posterior: both are distributions, not points."""

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette
        self._live: Live | None = None
        self._names: tuple[str, ...] = ()
        self._span: tuple[float, float] | None = None
        self._labels = Html("", RIDGE_CSS, width=112, sizing_mode="stretch_height")
        self._place = down(_no_endless_run(), styles={"min-height": "0", "overflow": "hidden"})
        legend = [swatch("gibbs", "Gibbs"), stroke("gla-edge", "Endless GLA")]
        self.card = Card("Endless GLA", self._place, legend=legend, remark=_ENDLESS_INVITE)

    @property
    def drawn(self) -> bool:
        """Whether there is a picture."""
        return self._live is not None

    def show(self, tableau: Tableau, draws: DrawHistogram, wandering: DrawHistogram | None) -> None:
        """Draw the posterior, and the path of the GLA."""
        live = self._live if tableau.constraints == self._names else None
        live = live or self._build(tableau)
        far = wandering is not None and wandering.n > 0 and drifted(wandering, draws)
        self._span = ridge_span(draws, outline=None if far else wandering, before=self._span)
        self.card.remark = _WANDERED if far else _ENDLESS_INVITE if wandering is None else ""
        for label, columns in ridge_data(draws, outline=wandering, span=self._span).items():
            live.push(label, **columns)
        live.x_range(*self._span)
        shown = draws if draws.n or wandering is None else wandering
        self._labels.width = label_width(tableau.constraints)
        self._labels.show(labels_html(tableau.constraints, shown, titles=tableau.full_names))

    def clear(self) -> None:
        """Remove the picture."""
        self._place[:] = [_no_endless_run()]
        self._live, self._span, self._names = None, None, ()

    def _build(self, tableau: Tableau) -> Live:
        self._names, self._span = tableau.constraints, None
        self._live = self._palette.live(ridge_element(tableau.n_constraints), ridge_colors())
        parts = self._labels, figure_pane(self._live)
        n = tableau.n_constraints
        self._place[:] = [row_plot(*parts, rows=n, row=low_row(n))]
        return self._live


SAMPLERS = ("gibbs", "exact")
_NOT_BOTH = "Run both to see whether they agree."


_NEVER = (
    "No ranking fits these data, so no sampler can learn from them: {} observed candidate can never win. "
    "Learn says why, and leaves it out.",
    "No ranking fits these data, so no sampler can learn from them: {} observed candidates can never win. "
    "Learn says why, and leaves them out.",
)


class SamplersCard(CardView):
    """Advice on the learners, and the verdict on two samplers.

    Parameters
    ----------
    state
        The lab's.
    run_both
        Runs Gibbs and the exact sampler, and nothing else.
    """

    def __init__(self, state: OTState, run_both: Callable[[], None]) -> None:
        super().__init__()
        self._state = state
        self._work = Background()
        self._asked: tuple[Any, ...] = ()
        self._advice = Html("", sizing_mode="stretch_width")
        self._verdict = Html("", sizing_mode="stretch_width")
        self.card = Card(
            "Samplers",
            scrolling(self._advice, self._verdict),
            hint=_NOT_BOTH,
            action=button("Run both", run_both),
        )

    def follow(self) -> None:
        """Update the advice if the table or a setting changed."""
        state, settings = self._state, self._state.settings
        tableau, noise, bound = state.tableau, settings.noise, settings.bound
        prior = ranking_prior(settings, tableau)
        numbers = () if prior is None else (*prior.mean.tolist(), *prior.sd.tolist())
        apriori = state.apriori
        asked = (tableau, noise, bound, numbers, apriori)
        if asked == self._asked:
            return
        self._asked = asked

        def work() -> str:
            try:
                return recommend(tableau, noise, bound, prior=prior, apriori=apriori).words
            except InputError as error:
                never = len(impossible_rows(tableau))
                return _NEVER[never > 1].format(never) if never else str(error)

        self._work.do(work, lambda words: self._advice.show(element("p", words)))

    def judge(self) -> None:
        """Show whether the two samplers agree, if both have finished."""
        fits = {} if self._state.running else self._state.fits
        if all(name in fits for name in SAMPLERS):
            self._verdict.show(element("p", agreement(fits["gibbs"], fits["exact"]).words()))
            self.card.hint = ""
        else:
            self._verdict.show("")
            self.card.hint = _NOT_BOTH
