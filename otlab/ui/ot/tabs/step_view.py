"""The step view: Lin's (2005) Table 4 one conditional draw at a time, and the GLA trial by trial."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import panel_material_ui as pmui
import param
from panel.custom import JSComponent

from otlab.errors import InputError
from otlab.ot.conditions import impossible_rows
from otlab.ui.components import esm
from otlab.ui.components.buttons import button, face, segmented
from otlab.ui.components.cards import Card, Html
from otlab.ui.components.layout import across, down
from otlab.ui.components.theme import BASE
from otlab.ui.ot.impossible import REASONS_CSS, reason_html
from otlab.ui.ot.tabs.step_pictures import gibbs_page, gla_page
from otlab.ui.timers import Repeating
from otlab.viz.ot.steps import STEPS_CSS
from otlab.viz.ot.tableau import TABLEAU_CSS

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.ui.ot.state import OTState
    from otlab.ui.ot.tabs.step_pictures import StepPage
    from otlab.ui.ot.walks import GibbsWalk, GLAWalk

__all__ = ["DrawTable", "StepView"]

_PHASES_CSS = """
ol { display: grid; grid-template-columns: repeat(4, 1fr); gap: 2px; list-style: none; padding: 0;
  margin: 0; border-radius: 8px; overflow: hidden; }
li { padding: 9px 16px; background: var(--ot-inset); color: var(--ot-ink2); white-space: nowrap;
  overflow: hidden; text-overflow: ellipsis; }
li[aria-current] { background: var(--ot-soft); color: var(--ot-accent); font-weight: 600; }
li span { color: var(--ot-ink3); margin-right: 8px; font-weight: 400; }
"""
_WORDS_CSS = "p { font-size: 14px; line-height: 1.55; color: var(--ot-ink2); margin-bottom: 10px; }"


class DrawTable(JSComponent):
    """A table of draws; a click on one goes back to it."""

    content = param.String()

    _esm = esm("draw_table", Path(__file__).parent)
    _stylesheets: ClassVar[list[str]] = [BASE, STEPS_CSS, TABLEAU_CSS]

    def __init__(self, chosen: Callable[[int], None], **params: Any) -> None:
        super().__init__(**{"sizing_mode": "stretch_both", "margin": 0, **params})
        self._chosen = chosen

    def _handle_msg(self, message: dict[str, Any]) -> None:
        self._chosen(int(message["draw"]))


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
        self._head = Card("How the sampler works", self._phases, action=self._which, height=104)
        self._picture_card = Card("", self._picture)
        self._why_card = Card("", self._why, width=376, sizing_mode="stretch_height")
        self._table_card = Card("", self._table)
        self._so_far_card = Card("So far", self._so_far, width=376, sizing_mode="stretch_height")
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
        upper = across(self._picture_card, self._why_card, min_height=300)
        lower = across(self._table_card, self._so_far_card, height=200, sizing_mode="stretch_width")
        return down(self._head, upper, lower, foot)

    # -- walking ----------------------------------------------------------------

    def forward(self) -> None:
        """Make the next draw, or hear the next form."""
        self._move(lambda walk: walk.forward())

    def back(self) -> None:
        """Take the last one back."""
        self._move(lambda walk: walk.back())

    def leap(self) -> None:
        """Go on to the next observation, or to the next error."""
        leap = "next_observation" if self._which.value == "gibbs" else "to_next_error"
        self._move(lambda walk: getattr(walk, leap)())

    def _go_to(self, draw: int) -> None:
        self._move(lambda walk: walk.go_to(draw))

    def play(self) -> None:
        """Make draw after draw, or stop doing so."""
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
        """Start over: the tableau or a setting is another."""
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
        """Show where the walk is."""
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
        """Say why there is nothing to walk through, one reason a paragraph, in place of empty cards."""
        tableau = self._state.tableau
        found = [reason_html(tableau, row, relation) for row, relation in impossible_rows(tableau)]
        hints = ["Set their counts to 0 in the Learn tab, and the walk begins."] if found else []
        said = found or [escape(f"{fault.what}; {fault.hint}.") for fault in error.faults]
        with pn.io.hold():
            self._picture_card.title, self._picture_card.remark = "There is nothing to walk through", ""
            self._picture.show("".join(f"<p>{words}</p>" for words in said + hints))
            self._walkable(False)

    def _walkable(self, yes: bool) -> None:
        for card in (self._why_card, self._table_card, self._so_far_card):
            card.body.visible = yes
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
