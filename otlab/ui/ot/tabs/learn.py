"""The Learn tab: data, posterior, predictions and the ranking-value line on one page."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.ot.conditions import impossible_rows, known_relations
from otlab.ot.overt import parses_unknown
from otlab.ot.point import BEST, MEDIAN, NOT_CONVERGED, SEVERAL_MODES
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Card
from otlab.ui.components.layout import across, down, with_widths
from otlab.ui.components.placeholders import no_result_yet
from otlab.ui.components.rankings import RankingValues
from otlab.ui.hiding import NOTHING_REPEATED
from otlab.ui.ot.impossible import HEARD_LEARNERS, heard_state, impossible_state
from otlab.ui.ot.state import OTState
from otlab.ui.ot.tabs.grid import ROW_HEIGHT
from otlab.ui.ot.tabs.learn_cards import PosteriorCard, PredictedCard, TableauCard
from otlab.ui.ot.tabs.violations_card import ViolationsCard
from otlab.ui.tab import Tab
from otlab.viz.ot.heard import parses_of
from otlab.viz.ot.leading import first_inputs, inputs_left_out

if TYPE_CHECKING:
    from collections.abc import Set

    import numpy as np

    from otlab.ot.tableau import Tableau

__all__ = ["LearnTab"]

STALE = "from the old table"
DESCRIBE_EVERY = 5.0  # seconds
TOP = 222  # px: three rows of the grid, below heads of one line
LEAST_ROWS, MOST_ROWS = 3, 12  # of the grid that a high window may show beside the tableau
_LEAST_PICTURES = 210  # px
# A longer table takes what the pictures can spare, and gives it back first where the window is low.
_GROWS = ":host { flex: 0 1000 auto !important; }"
_SPARES = ":host { flex: 1 1 238px !important; }"
# At 1280 x 800 the pictures above need the room for their axis.
_LOW_WINDOW = with_widths(
    "@media (max-height: 840px) { @container ot-main (width > NARROW) { "
    ":host { flex-basis: 198px !important; } } }"
)
_ON_PHONES = with_widths("@container ot-main (width <= PHONE) { :host { height: auto !important; } }")


class LearnTab(Tab[OTState]):
    """The Learn tab."""

    title = "Learn"
    repeats = NOTHING_REPEATED
    answers = (
        ("tableau", "Tableau"),
        ("posterior", "Posterior"),
        ("predicted", "Predictions"),
        ("line_card", "Ranking values"),
    )
    depends = ("progress", "settled", "edits", "scale", "adopted", "locks", "pointed")

    def build(self) -> Any:
        """Return the cards in their places."""
        state, palette = self.state, self.lab.palette
        self._refusal: Any = None
        self._judged: Tableau | None = None  # the tableau that it is about
        self._described = 0.0
        noise, bound = state.settings.noise, state.settings.bound
        self.violations = ViolationsCard(state, self._announce)
        self.tableau = TableauCard(state)
        self.posterior = PosteriorCard(state.tableau, palette, no_result_yet())
        self.predicted = PredictedCard(
            state.tableau, palette, no_result_yet("the predictions", "They are drawn beside the data.")
        )
        self.line = RankingValues(first_inputs(state.tableau), state.values, noise=noise, bound=bound)
        self.line.on_move(self._moved)
        self._back = button("Back", self._home, icon="reset", plain=True, visible=False)
        self._other = button("Show the best draw", self._turn, icon="eye", plain=True, visible=False)
        self.line_card = Card(
            "Ranking values",
            self.line,
            remark=self._where(),
            hint="drag a constraint to see what changes",
            action=pn.Row(self._other, self._back, margin=0, styles={"gap": "0"}),
            height=218,
            stylesheets=[_LOW_WINDOW, _ON_PHONES],
        )

        self._top = across(
            self.violations, self.tableau, height=TOP, sizing_mode="stretch_width", stylesheets=[_GROWS]
        )
        self._make_room()
        pictures = across(self.posterior, self.predicted, min_height=_LEAST_PICTURES, stylesheets=[_SPARES])
        return down(self._top, pictures, self.line_card)

    def redraw(self, changed: Set[str]) -> None:
        """Draw the tableau, its settings, and what the learners have so far."""
        if "edits" in changed:
            self.document_changed()
        elif "locks" in changed:
            self.violations.refresh()
        if "pointed" in changed and self.state.pointed:
            row, k = self.state.pointed
            self.state.pointed = ()
            self.violations.grid.point(row, k)
        if "scale" in changed:
            self.scale_changed()
        if "adopted" in changed:
            self.line.show(self.state.values)
            self.tableau.draw()
            self._mark()
        if "settled" in changed:
            self.ended()
        if changed & {"edits", "settled"}:
            self._offer_heard()
        if changed & {"progress", "settled"}:
            self.results_changed()
            if time.monotonic() - self._described > DESCRIBE_EVERY:
                self.describe()

    def results_changed(self) -> None:
        """Draw what the learners have so far."""
        state = self.state
        if state.gibbs is not None and state.gibbs.chains:
            self.posterior.show(
                state.shown_tableau, state.gibbs, None if state.gla is None else state.gla.values
            )
        elif state.has_results:
            self.posterior.show_parameters(state, self._refused())
        if state.has_results:
            self.predicted.show(state.shown_tableau, state.answers, parses_of(state.further_fits))
        if not state.own_values and state.learnt_values is not None:
            self.line.show(state.values)
            self.tableau.show()
        self._mark()

    def _refused(self) -> Any:
        """Return a card with the reason why no ranking fits the run's tableau, made once; else None."""
        document = self.state.document
        ran = None if document.changed_since_run else document.ran
        if ran is not None and parses_unknown(ran):
            if self._judged is not ran:
                self._judged, self._refusal = ran, heard_state(ran, self._learn_heard)
            return None if self.state.has_results else self._refusal
        if ran is None or known_relations(ran) is None:  # the runs lay them out
            return None
        if self._judged is not ran:
            hopeless = bool(impossible_rows(ran))
            self._judged = ran
            self._refusal = impossible_state(ran, self._leave_out, self.tableau.only) if hopeless else None
        return self._refusal

    def ended(self) -> None:
        """Show what a finished or failed run calls for."""
        if not self.state.has_results:
            self.clear(self._refused())
        elif not self.state.own_values:
            self.tableau.draw()  # the order on the page was drawn from other values
        self.describe()

    def describe(self) -> None:
        """Refresh the sentences for those who do not see the pictures."""
        state = self.state
        self._described = time.monotonic()
        if state.gibbs is not None and state.gibbs.chains:
            self.posterior.describe(state.shown_tableau, state.gibbs)
        if state.has_results:
            self.predicted.describe(state.shown_tableau, state.answers, parses_of(state.further_fits))

    def document_changed(self) -> None:
        """Draw the tableau as it is now; results stay, marked."""
        state = self.state
        self.violations.refresh()
        self._make_room()
        self.tableau.show()
        self._load_line()
        if self._refusal is not None and not state.has_results:
            self.clear()
        self._mark()

    def _offer_heard(self) -> None:
        """Before a run, say in the posterior's card that the learners that are ticked cannot learn."""
        state = self.state
        if not state.has_results and state.document.ran is None and parses_unknown(state.tableau):
            self.clear(heard_state(state.tableau, self._learn_heard))

    def _make_room(self) -> None:
        """Let three rows of the grid stand below heads of any height, and more where there is room."""
        least = TOP + self.violations.grid.second_line
        rows = min(self.state.tableau.n_rows, MOST_ROWS)
        height = least + ROW_HEIGHT * max(0, rows - LEAST_ROWS)
        styles = {**self._top.styles, "min-height": f"{least}px"}
        if (self._top.height, self._top.styles) != (height, styles):
            self._top.param.update(height=height, styles=styles)

    def scale_changed(self) -> None:
        """Redraw with the noise and the bound of the settings."""
        self._load_line()
        self.tableau.show()

    def clear(self, instead: Any = None) -> None:
        """Clear pictures of results; `instead` is shown in place of the posterior."""
        if instead is None:
            self._judged = None
        self._refusal = instead
        self.posterior.clear(instead)
        self.predicted.clear()
        self._load_line()
        self._mark()

    def _load_line(self) -> None:
        """Load the current tableau into the ranking line; of a very long one only the first inputs."""
        state = self.state
        self.line.load(first_inputs(state.tableau), state.values, **self._scale())
        self._mark()

    def _announce(self, what: str) -> None:
        self.lab.toast(what, self.state.history.way_back())

    def _leave_out(self) -> None:
        """Set the counts of candidates that can never win to 0, show a message, and run."""
        self._announce(self.state.leave_out_impossible())
        self.lab.runner.run()

    def _learn_heard(self) -> None:
        """Tick learners of overt forms in place of the others, and run."""
        self.lab.runner.enable(HEARD_LEARNERS)
        self.lab.runner.run()

    def _scale(self) -> dict[str, float]:
        settings = self.state.settings
        return {"noise": settings.noise, "bound": settings.bound}

    def _mark(self) -> None:
        state = self.state
        stale = STALE if state.document.changed_since_run and state.has_results else ""
        learnt, own = state.learnt_point, state.own_values
        caveat = "" if own or learnt is None else learnt[1].caveat
        unfinished = "" if state.running else ", ".join(" ".join(pair) for pair in state.caveats().items())
        of_line = stale if learnt is not None and not own else ""
        for card, mark in (
            (self.posterior.card, stale or unfinished),
            (self.predicted.card, stale or unfinished),
            (self.line_card, of_line or caveat),
        ):
            if card.stale != mark:
                card.stale = mark
        self.line_card.remark = self._where()
        self.tableau.say()
        self._back.visible = own and learnt is not None
        if learnt is not None:
            self._back.label = f"Back to the {learnt[1].name}"
        self._other.visible = not own and (state.at_best or caveat in (SEVERAL_MODES, NOT_CONVERGED))
        self._other.label = f"Show the {MEDIAN if state.at_best else BEST}"

    def _where(self) -> str:
        """Return what the ranking values of the line are, and of how many inputs the bars are."""
        state = self.state
        learnt = None if state.own_values else state.learnt_point
        values = state.values_words if learnt is None else learnt[1]._replace(caveat="").words(learnt[0])
        return ", ".join(filter(None, [values, inputs_left_out(state.tableau)]))

    def _turn(self) -> None:
        """Show the best draw in place of the posterior median, or the median again."""
        self.state.at_best = not self.state.at_best
        self._home()

    def _moved(self, values: np.ndarray) -> None:
        self.state.choose(values)
        self._mark()

    def _home(self) -> None:
        self.state.choose(None)
        self.line.show(self.state.values)
        self.tableau.show()
        self._mark()
