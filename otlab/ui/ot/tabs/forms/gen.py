"""The card of the Forms tab that generates candidates, and finds those that were forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from otlab.errors import counted
from otlab.forms.gen import MOST
from otlab.html import Markup, element, escape
from otlab.ot.formatting import slashed
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import SCROLLING, Card, CardView, Html
from otlab.ui.components.layout import down
from otlab.ui.ot.forms.counts import marked_html
from otlab.ui.ot.forms.generate import Added, Found, added_words, adding, judged_by, searching
from otlab.ui.settings_form import SettingsForm
from otlab.ui.task import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from otlab.inference import Tick
    from otlab.ot.analysis.candidates import Forgotten
    from otlab.ot.tableau import Tableau
    from otlab.ui.ot.state import OTState
    from otlab.ui.runner import Runner

__all__ = ["GenCard"]

_ALL = -1
_BESIDE: dict[str, Any] = {"sizing_mode": None, "styles": {"flex": "0 1 auto"}, "brief": True}
_HINT = (
    f"The first four operations apply up to the depth, fewest first; at most {MOST:,} candidates an input."
)
_ABOUT = (
    "New candidates go into the table, with their violations counted; Undo takes them out. Candidates you "
    "forgot, which would beat the winner of their input, are listed here."
)
_CHANGED = "The table was changed meanwhile: press the button again"


class GenCard(CardView):
    """Operations, and what they are asked to make."""

    def __init__(self, state: OTState, toast: Callable[..., None]) -> None:
        super().__init__()
        self._state, self._toast = state, toast
        self.settings = state.gen
        self._form = SettingsForm(self.settings)
        self.input = pmui.Select(
            label="Input", options={}, size="small", sizing_mode="stretch_width", margin=0
        )
        self._added: Added | None = None
        self.found: Found | None = None
        self.generate = Task(
            "Generate", lambda: self._adding(undominated=False), self._take, self._put, **_BESIDE
        )
        self.winners = Task(
            "Add the ones that could win",
            lambda: self._adding(undominated=True),
            self._take,
            self._put,
            primary=False,
            **_BESIDE,
        )
        self.forgotten = Task(
            "Find a candidate I forgot", self._searching, self._take, self._show, primary=False, **_BESIDE
        )
        self.tasks = self.generate, self.winners, self.forgotten
        self._said = Html("", sizing_mode="stretch_width")
        self._list = down(Html(element("p", _ABOUT, class_="small")), gap=4, styles=SCROLLING)
        hint = Html(element("p", _HINT, class_="small"), sizing_mode="stretch_width")
        tasks = pn.Row(
            *self.tasks,
            margin=0,
            sizing_mode="stretch_width",
            styles={"flex-wrap": "wrap", "gap": "4px 8px"},
        )
        body = down(self._form, hint, self.input, tasks, self._said, self._list, gap=8, styles=SCROLLING)
        self.card = Card("Candidates", body, menu=False)

    def draw(self, *, locked: bool) -> None:
        """Offer the inputs of the table as it is now."""
        options = {
            "all inputs": _ALL,
            **{slashed(name): k for k, name in enumerate(self._state.tableau.inputs)},
        }
        if options != self.input.options:
            kept = self.input.value if self.input.value in options.values() else _ALL
            self.input.param.update(options=options, value=kept)
        for task in self.tasks:
            task.bar.visible = not locked

    @property
    def _inputs(self) -> Sequence[int]:
        k = self.input.value
        return range(len(self._state.tableau.inputs)) if k in (None, _ALL) else [int(k)]

    def _adding(self, *, undominated: bool) -> Runner:
        self._added = None
        return adding(self._state.tableau, self._inputs, self.settings, undominated=undominated)

    def _searching(self) -> Runner:
        self.found = None
        return searching(self._state.tableau, self._inputs, self.settings, judged_by(self._state))

    def _take(self, ticks: dict[str, Tick[Any]]) -> None:
        for tick in ticks.values():
            if isinstance(tick.view, Added):
                self._added = tick.view
            else:
                self.found = tick.view

    def _put(self) -> None:
        """Put what was generated into the table, in one edit."""
        added, self._added = self._added, None
        if added is None:
            return
        if added.before is not self._state.tableau:
            self._said.show(element("p", _CHANGED, class_="small", role="status"))
            return
        words = added_words(added)
        self._state.document.put(added.tableau, words)
        self._said.show(element("p", words, class_="small", role="status"))
        if added.new:
            self._toast(words, self._state.history.way_back())

    def _show(self) -> None:
        """List the candidates that beat the winner of their input."""
        found = self.found
        if found is None:
            return
        n = len(found.found)
        result = "none beats its winner" if not n else f"{n} beat{'s' if n == 1 else ''} the winner"
        words = f"{counted(found.looked, 'candidate')} looked at, under {found.judged}: {result}."
        self._said.show(element("p", words, class_="small", role="status"))
        self._list[:] = [self._row(found.before, k, one) for k, one in found.found]

    def _row(self, before: Tableau, k: int, one: Forgotten) -> Any:
        names, source = before.constraints, before.inputs[k]
        marks = ", ".join(
            f"{n} × {name}" for name, n in zip(names, one.violations.tolist(), strict=True) if n
        )
        text = _beats_html(source, one, marks)
        add = button("Add", lambda: self._add(source, one), plain=True, description=f"Add {one.candidate}")
        return pn.Row(
            Html(text, sizing_mode="stretch_width", align="center"),
            add,
            margin=0,
            sizing_mode="stretch_width",
        )

    def _add(self, source: str, one: Forgotten) -> None:
        tableau = self._state.tableau
        k = tableau.inputs.index(source) if source in tableau.inputs else None
        if k is None:
            self._said.show(element("p", _CHANGED, class_="small", role="status"))
        elif one.candidate not in tableau.candidates[tableau.rows(k)]:
            longer = tableau.add_candidate(k, one.candidate)
            self._state.document.put(longer, f"Candidate {one.candidate} added")


def _beats_html(source: str, one: Forgotten, marks: str) -> Markup:
    form = marked_html(one.candidate, [])
    return (
        escape(f"{slashed(source)} → ") + form + escape(f" beats {one.winner} ({marks or 'no violations'})")
    )
