"""The step view: Lin's (2005) Table 4 one conditional draw at a time, and the GLA trial by trial.

`gibbs_page` and `gla_page` return what the view shows of a learner as HTML, `StepView` plays and goes
back, `StepsTab` is the tab, which a button opens and closes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param

from otlab.errors import InputError, sentence_case
from otlab.html import escape
from otlab.ot.conditions import impossible_rows
from otlab.ui.components.badge import Badge
from otlab.ui.components.buttons import button, face, segmented
from otlab.ui.components.cards import Card, Html
from otlab.ui.components.component import FillingComponent
from otlab.ui.components.layout import across, down
from otlab.ui.ot.impossible import REASONS_CSS, reason_html
from otlab.ui.ot.state import OTState
from otlab.ui.ot.tabs.switches import TabSwitch
from otlab.ui.tab import Tab
from otlab.ui.timers import Repeating
from otlab.viz.base.names import constraint_html, form_html, input_html
from otlab.viz.base.numbers import count_text, counted_text, value_text
from otlab.viz.ot.steps import STEPS_CSS, Shift, draw_svg, draws_html, relations_html, shifts_svg
from otlab.viz.ot.tableau import TABLEAU_CSS, tableau_html

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.ot.steps import SiteDraw, TrialTrace
    from otlab.ot.tableau import Tableau
    from otlab.ui.ot.step_through import GibbsWalk, GLAWalk

__all__ = ["DrawTable", "StepPage", "StepSwitch", "StepView", "StepsTab", "gibbs_page", "gla_page"]


@dataclass(frozen=True)
class StepPage:
    """One step of a walk; every field is HTML or plain text."""

    phases: str
    title: str
    remark: str
    picture: str
    why_title: str
    why: str
    table_title: str
    table: str
    so_far: str
    where: str


def gibbs_page(tableau: Tableau, walk: GibbsWalk) -> StepPage:
    """Return the present draw: its bounds, its reasons, and the draws before it."""
    names = tableau.constraints
    relation, total = walk.relation, len(walk.observations)
    current = max(walk.made - 1, 0)
    shown = [draw if k < walk.made else replace(draw, value=None) for k, draw in enumerate(walk.draws)]
    draw = shown[current]
    conjuncts = [(e.winners, e.losers, tableau.candidates[e.rival]) for e in relation.conjuncts]
    where = f"Observation <b>{walk.observation + 1}</b> of {total} &nbsp;&nbsp; Sweep <b>{walk.sweep:d}</b>"
    return StepPage(
        phases=_phases(_GIBBS_PHASES, _gibbs_phase(walk), total),
        title=constraint_html(names[draw.constraint]) + _CUT_OFF,
        remark="hollow dashed: its value before",
        picture=draw_svg(names, draw, _others(walk, current)),
        why_title="Why there is a bound",
        why=relations_html(names, tableau.candidates[relation.row], conjuncts),
        table_title="Draws for this observation",
        table=draws_html(names, shown, current),
        so_far=_gibbs_so_far(tableau, walk, draw),
        where=where,
    )


def gla_page(tableau: Tableau, walk: GLAWalk) -> StepPage:
    """Return the present trial: the observed and the produced form, and the ranking values that moved."""
    trial = walk.trial
    if trial is None:
        return _before_gla()
    before, after = trial.before - trial.before.mean(), trial.after - trial.before.mean()
    shifts = [Shift(k, float(a), float(b)) for k, (a, b) in enumerate(zip(before, after, strict=True))]
    return StepPage(
        phases=_phases(_GLA_PHASES, 3 if trial.error else 2),
        title="Ranking values before and after this trial",
        remark="centred; hollow dashed: before",
        picture=shifts_svg(tableau.constraints, shifts),
        why_title="What happened",
        why=_heard(tableau, trial),
        table_title="The learner's own tableau, in this trial's order",
        table=tableau_html(tableau, _full_order(tableau, trial), trial.input),
        so_far=f"<p>{count_text(walk.errors)} of {counted_text(walk.at, 'trial')} moved ranking values.</p>"
        f"<p>Plasticity decides how far; it falls by the schedule of the run panel.</p>",
        where=f"Trial <b>{count_text(walk.at)}</b>",
    )


_CUT_OFF = ", drawn from a normal cut off at its bound"
_GIBBS_PHASES = (
    "Take one observation",
    "Draw a ranking that fits it",
    "Repeat for all {n}",
    "Draw the ranking values",
)
_GLA_PHASES = ("Hear a form", "Draw a ranking", "Produce a form", "Adjust the ranking values")


def _phases(phases: tuple[str, ...], current: int, n: int = 0) -> str:
    marks = [" aria-current=step" if k == current else "" for k in range(len(phases))]
    rows = [
        f"<li{mark}><span>{k}</span>{phase.format(n=count_text(n))}</li>"
        for k, (phase, mark) in enumerate(zip(phases, marks, strict=True), start=1)
    ]
    return f"<ol>{''.join(rows)}</ol>"


def _gibbs_phase(walk: GibbsWalk) -> int:
    if walk.made == 0:
        return 0
    last = walk.observation + 1 == len(walk.observations)
    return (3 if last else 2) if walk.done else 1


def _others(walk: GibbsWalk, current: int) -> list[tuple[int, float]]:
    """Return the other constraints' values as they are at this draw: new before it, old after."""
    new = {draw.constraint: draw.value for draw in walk.draws[:current] if draw.value is not None}
    others = [draw for k, draw in enumerate(walk.draws) if k != current]
    return [(draw.constraint, new.get(draw.constraint, draw.before)) for draw in others]


def _gibbs_so_far(tableau: Tableau, walk: GibbsWalk, draw: SiteDraw) -> str:
    m, sd = walk.sample_size, value_text(draw.noise / math.sqrt(walk.sample_size))
    name = constraint_html(tableau.constraints[draw.constraint])
    done = walk.observation + walk.done
    badge = Badge(f"{count_text(done)} of {count_text(len(walk.observations))} drawn").html()
    return (
        f"<p>The mean of all {counted_text(m, 'draw')} for {name} will be the centre of its next "
        f"ranking value, with standard deviation {draw.noise:g}\u202f/\u202f√{m}\u00a0=\u00a0{sd}.</p>{badge}"
    )


def _heard(tableau: Tableau, trial: TrialTrace) -> str:
    heard, produced = (form_html(tableau.candidates[row]) for row in (trial.observed, trial.produced))
    heading = f"<p>For {input_html(tableau.inputs[trial.input])} the learner heard {heard}."
    if not trial.error:
        return f"{heading} Its own ranking gives the same form, so nothing moves.</p>"
    return (
        f"{heading} Its own ranking gives {produced}.</p><p>Constraints that {heard} violates more go down, "
        f"those that {produced} violates more go up.</p>"
    )


def _full_order(tableau: Tableau, trial: TrialTrace) -> tuple[int, ...]:
    """Return the order drawn; constraints that do not matter for this input come last."""
    rest = [k for k in np.argsort(-trial.before, kind="stable").tolist() if k not in trial.order]
    return (*trial.order, *rest)


def _before_gla() -> StepPage:
    return StepPage(
        phases=_phases(_GLA_PHASES, 0),
        title="Ranking values before and after each trial",
        remark="",
        picture="<p class='small'>Press Next trial: the learner hears its first form.</p>",
        why_title="What happened",
        why="<p>Nothing yet.</p>",
        table_title="The learner's own tableau",
        table="",
        so_far="<p>All constraints start from one ranking value.</p>",
        where="Trial <b>0</b>",
    )


_PHASES_CSS = """
ol { display: grid; grid-template-columns: repeat(4, 1fr); gap: 2px; list-style: none; padding: 0;
  margin: 0; border-radius: 8px; overflow: hidden; }
li { padding: 9px 16px; background: var(--ot-inset); color: var(--ot-ink2); white-space: nowrap;
  overflow: hidden; text-overflow: ellipsis; }
li[aria-current] { background: var(--ot-soft); color: var(--ot-accent); font-weight: 600; }
li span { color: var(--ot-ink3); margin-right: 8px; font-weight: 400; }
"""
_WORDS_CSS = "p { font-size: 14px; line-height: 1.55; color: var(--ot-ink2); margin-bottom: 10px; }"


class DrawTable(FillingComponent):
    """A table of draws; sends the number of the one that was clicked."""

    content = param.String()

    script = "draw_table"
    sheets = (STEPS_CSS, TABLEAU_CSS)


class StepView:
    """One showing of the step view.

    Parameters
    ----------
    state
        Whose tableau and settings are walked through.
    """

    def __init__(self, state: OTState) -> None:
        self._state = state
        self._walks: dict[str, GibbsWalk | GLAWalk] = {}
        self._playing = Repeating(self.forward)
        self._which = segmented("Learner walked through", {"gibbs": "Gibbs", "gla": "GLA"})
        self._which.param.watch(lambda _: self._switch(), "value")
        fill = {"sizing_mode": "stretch_both"}
        self._phases = Html("", _PHASES_CSS, sizing_mode="stretch_width")
        self._picture = Html("", STEPS_CSS + REASONS_CSS, **fill)
        self._why = Html("", STEPS_CSS + _WORDS_CSS, styles={"overflow": "auto"}, **fill)
        self._table = DrawTable(self._go_to, styles={"overflow": "auto"})
        self._so_far = Html("", STEPS_CSS + _WORDS_CSS, styles={"overflow": "auto"}, **fill)
        self._where = Html("", sizing_mode="stretch_width", align="center")
        self._head = Card("How the sampler works", self._phases, action=self._which, height=98)
        self._picture_card = Card("", self._picture)
        self._why_card = Card("", self._why, width=376, sizing_mode="stretch_height")
        self._table_card = Card("", self._table)
        self._so_far_card = Card("So far", self._so_far, width=376, sizing_mode="stretch_height")
        self._lower = across(self._table_card, self._so_far_card, height=190, sizing_mode="stretch_width")
        self._build_controls()
        self.show()

    def _build_controls(self) -> None:
        self._back = button("Back", self.back, icon="undo", align="center")
        self._next = button("Next draw", self.forward, icon="step", primary=True, align="center")
        self._leap = button("Next observation", self.leap, align="center")
        self._play = button("Play", self.play, icon="run", align="center")
        self._speed = pmui.IntSlider(
            label="Speed", start=1, end=8, value=3, width=170, size="small", margin=(0, 12), align="center"
        )
        self._speed.param.watch(lambda _: self._restart(), "value")

    def layout(self) -> Any:
        """Return the cards in their places."""
        controls = across(
            self._back,
            self._next,
            self._leap,
            self._play,
            self._speed,
            self._where,
            gap=10,
            sizing_mode="stretch_width",
        )
        foot = Card("", controls, height=64)
        foot.body[:] = [controls]
        upper = across(self._picture_card, self._why_card, min_height=284)
        return down(self._head, upper, self._lower, foot)

    # -- walking ----------------------------------------------------------------

    def forward(self) -> None:
        """Make the next draw, or the next trial."""
        self._move(lambda walk: walk.forward())

    def back(self) -> None:
        """Undo the last one."""
        self._move(lambda walk: walk.back())

    def leap(self) -> None:
        """Move to the next observation, or to the next error."""
        leap = "next_observation" if self._which.value == "gibbs" else "to_next_error"
        self._move(lambda walk: getattr(walk, leap)())

    def _go_to(self, message: dict[str, Any]) -> None:
        self._move(lambda walk: walk.go_to(int(message["draw"])))

    def play(self) -> None:
        """Start or stop making draws automatically."""
        if self._playing.running:
            self.halt()
            return
        self._playing.start(1000 // self._speed.value)
        self._play.param.update(**face("Pause", "pause"))

    def halt(self) -> None:
        """Stop playing."""
        self._playing.stop()
        self._play.param.update(**face("Play", "run"))

    def _switch(self) -> None:
        """Show the other learner's walk; playing stops."""
        self.halt()
        self.show()

    def _restart(self) -> None:
        if self._playing.running:
            self.halt()
            self.play()

    def forget(self) -> None:
        """Start over: the tableau or a setting has changed."""
        self.halt()
        self._walks.clear()
        self.show()

    def _move(self, step: Callable[[Any], None]) -> None:
        try:
            step(self._walk())
        except InputError:
            self.halt()
        self.show()

    def _walk(self) -> Any:
        name = self._which.value
        if name not in self._walks:
            self._walks[name] = self._state.walk(name)
        return self._walks[name]

    # -- showing ----------------------------------------------------------------

    def show(self) -> None:
        """Show the present draw or trial."""
        gibbs = self._which.value == "gibbs"
        self._head.title = "How the sampler works" if gibbs else "How the GLA learns"
        self._next.label = "Next draw" if gibbs else "Next trial"
        self._leap.label = "Next observation" if gibbs else "Next error"
        try:
            walk = self._walk()
        except InputError as error:
            self._refuse(error)
            return
        tableau = self._state.tableau
        self._put(gibbs_page(tableau, walk) if gibbs else gla_page(tableau, walk))

    def _refuse(self, error: InputError) -> None:
        """Show in place of empty cards why there are no steps, one paragraph per reason."""
        tableau = self._state.tableau
        impossible = [reason_html(tableau, row, relation) for row, relation in impossible_rows(tableau)]
        counts = "its count" if len(impossible) == 1 else "their counts"
        hints = [f"Set {counts} to 0 in the Learn tab, and the walk begins."] if impossible else []
        reasons = impossible or [escape(f"{sentence_case(fault.message)}.") for fault in error.faults]
        with pn.io.hold():
            self._picture_card.title, self._picture_card.remark = "There is nothing to walk through", ""
            self._picture.show("".join(f"<p>{words}</p>" for words in reasons + hints))
            self._walkable(False)

    def _walkable(self, yes: bool) -> None:
        self._why_card.body.visible = self._lower.visible = yes
        for control in (self._back, self._next, self._leap, self._play):
            control.disabled = not yes
        self._phases.visible = self._where.visible = yes

    def _put(self, page: StepPage) -> None:
        with pn.io.hold():
            self._walkable(True)
            self._phases.show(page.phases)
            self._picture_card.title, self._picture_card.remark = page.title, page.remark
            self._picture.show(page.picture)
            self._why_card.title = page.why_title
            self._why.show(page.why)
            self._table_card.title = page.table_title
            self._table.content = page.table
            self._so_far.show(page.so_far)
            self._where.show(f'<div class="small num" role="status">{page.where}</div>')


class StepsTab(Tab[OTState]):
    """The sampler one draw at a time, the GLA trial by trial."""

    title = "Step view"
    listed = False
    depends = ("edits", "scale")

    def build(self) -> Any:
        """Return the cards in their places."""
        self.steps = StepView(self.state)
        return self.steps.layout()

    def draw(self) -> None:
        """Start over: the tableau or a setting has changed."""
        self.steps.forget()

    def leave(self) -> None:
        """Stop playing."""
        self.steps.halt()


class StepSwitch(TabSwitch):
    """The button that opens the step view, or returns to the tab before it."""

    tab = StepsTab.title
    label = "Step view"
