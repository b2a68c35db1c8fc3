"""The card of the Compare tab that compares models: by token, speaker or item left out, and by logits.

Each comparison is done on another thread when a button is pressed, says how far it is, and can be cancelled;
the state keeps it until another table is opened. It has the numbers of ``otlab compare`` with this seed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import panel as pn
import panel_material_ui as pmui

from otlab.errors import InputError, Interrupted, OtlabError, counted
from otlab.html import element
from otlab.inference import Preparation
from otlab.ot.analysis.comparison import Comparison, compare
from otlab.ot.analysis.leave_group_out import MIXED_LEARNERS, LevelsCompared, levels_compared
from otlab.ot.analysis.logit_uniformity import logit_uniformity
from otlab.ot.learners import LEARNERS
from otlab.ui.background import Background
from otlab.ui.components.buttons import button, segmented
from otlab.ui.components.cards import SCROLLING, Card, CardView, Html
from otlab.ui.timers import Repeating, page_idle
from otlab.viz.ot.comparison import levels_html, models_html
from otlab.viz.ot.logits import logits_html
from otlab.viz.ot.speakers import SPEAKERS_CSS

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.html import Markup
    from otlab.inference import Run
    from otlab.ot.learners.mixed_tokens import LevelName
    from otlab.ui.ot.compared import Compared
    from otlab.ui.ot.state import OTState

__all__ = ["ModelsCard"]

_LABELS = {"token": "Tokens", "speaker": "Speakers", "item": "Items", "logits": "Logits"}
_ALONE = "Models"  # what tokens are called where nothing else can be left out
_STARTS = {
    "token": "Compare models",
    "speaker": "Leave out speakers",
    "item": "Leave out items",
    "logits": "Compare logits",
}
_GROUPS = (
    "How well each {level} is predicted from all others, by grammars in which speakers and items differ, one"
    " of the two, and neither. The effect of the {level} left out is integrated."
)
_INVITES = {
    "token": "Which model fits, and what none of their grammars fits.",
    "speaker": _GROUPS.format(level="speaker"),
    "item": _GROUPS.format(level="item"),
    "logits": "Under MaxEnt a violation changes the logit by its weight in every context; under Noisy HG,"
    " Normal MaxEnt and Stochastic OT it depends on the context. Which do inputs of two candidates show?",
}
_LOOK_MS = 200
_MOST_FOLDS = 5


class ModelsCard(CardView):
    """Models compared when a button is pressed, on another thread."""

    def __init__(self, state: OTState) -> None:
        super().__init__()
        self._state = state
        self._background = Background()
        self._work: Preparation[Compared] | None = None
        self._runs: list[Run[Any, Any]] = []  # those that the work has begun
        self._looks = Repeating(self._look, _LOOK_MS)
        self._text = Html("", SPEAKERS_CSS, sizing_mode="stretch_both", styles=SCROLLING)
        self._kind = segmented("What is left out", self._kinds(), margin=(0, 8, 0, 0))
        self._kind.param.watch(lambda _: self._turn(), "value")
        labels = {LEARNERS[name].label: name for name in MIXED_LEARNERS}
        self._learner = pmui.Select(
            label="Learner", options=labels, width=190, size="small", height=40, margin=(4, 0, 6, 0)
        )
        self._starts = {kind: button(label, self.start) for kind, label in _STARTS.items()}
        self._held_out = button("With inputs held out", lambda: self.start(held_out=True), plain=True)
        self._cancel = button("Cancel", self.cancel, visible=False)
        buttons = (self._held_out, *self._starts.values(), self._cancel)
        self.card = Card("Models", self._learner, self._text, action=pn.Row(self._kind, *buttons, margin=0))
        self._show_buttons()

    def _kinds(self) -> dict[str, str]:
        """Return what can be compared of this table, with the labels."""
        groups = self._state.tableau.groups
        names = {} if groups is None else {"speaker": groups.speakers, "item": groups.items}
        levels = {level: _LABELS[level] for level, of in names.items() if len(of) > 1}
        return {"token": _LABELS["token"] if levels else _ALONE, **levels, "logits": _LABELS["logits"]}

    @property
    def _folds(self) -> int:
        """Parts that the inputs with data are divided into; 0 if there are not two."""
        tableau = self._state.tableau
        inputs = int((np.add.reduceat(tableau.frequencies, tableau.offsets[:-1]) > 0).sum())
        return min(_MOST_FOLDS, inputs) if inputs > 1 else 0

    def _show_buttons(self) -> None:
        """Show the buttons of what is chosen; while something is compared, Cancel alone."""
        kind, idle = self._kind.value, self._work is None
        for name, start in self._starts.items():
            start.visible = idle and name == kind
        self._held_out.visible = idle and kind == "token" and self._folds > 0
        self._learner.visible = idle and kind in ("speaker", "item")
        self._kind.visible = idle
        self._cancel.visible = not idle

    def _turn(self) -> None:
        self._show_buttons()
        self.show()
        self.follow()

    def follow(self) -> None:
        """Offer what the table has, and mark the result if it belongs to another table."""
        kinds = self._kinds()
        pairs = [list(pair) for pair in kinds.items()]
        if self._kind.options != pairs:
            self._kind.options = pairs
            if self._kind.value not in kinds:
                self._kind.value = "token"
        self._show_buttons()
        found = self._state.compared.get(self._kind.value)
        old = found is not None and found.tableau != self._state.tableau
        self.card.stale = "of the table before" if old else ""

    def show(self) -> None:
        """Show the comparison that the state has; without one, what the buttons do."""
        compared, kind = self._state.compared, self._kind.value
        if not compared:
            self.cancel("")  # it is of a table that is no longer open
        found = compared.get(kind)
        self._text.show(element("p", _INVITES[kind], class_="small") if found is None else _html(found))
        if self._work is None:
            self.card.remark = "" if found is None else _remark(found)

    def start(self, *, held_out: bool = False) -> None:
        """Compare on the present table, with the settings of the run panel.

        With `held_out` each part of the inputs is also predicted from the others.
        """
        kind = self._kind.value
        work: Preparation[Compared] = Preparation(self._made(kind, held_out), page_idle())

        def finish() -> Compared | OtlabError:
            try:
                return work.finish()
            except (InputError, Interrupted) as error:
                return error

        self._work, self._runs = work, []
        work.before_step = self._follow_run
        self.card.remark = "comparing …"
        self._show_buttons()
        self._looks.start()
        self._background.do(finish, lambda found: self._take(kind, found))

    def _made(self, kind: str, held_out: bool) -> Callable[[], Compared]:
        """Return the work of a kind, with the settings of the run panel as they are now."""
        tableau, settings = self._state.tableau, self._state.settings
        options: Any = {"noise": settings.noise, "weights": settings.weights, "seed": settings.seed}
        if kind == "token":
            options["folds"] = self._folds if held_out else 0
            return lambda: compare(tableau, **options)
        if kind == "logits":
            return lambda: logit_uniformity(tableau, **options)
        options["learner"] = self._learner.value
        return lambda: levels_compared(tableau, cast("LevelName", kind), **options)

    def cancel(self, remark: str = "cancelled") -> None:
        """End the comparison; what the card showed before stays."""
        self.close()
        self._ended(remark)

    def close(self) -> None:
        """Stop the comparison silently; called when the page is closed."""
        if self._work is not None:
            self._work.interrupt()
        self._background.forget()
        self._looks.stop()

    def _follow_run(self, run: Run[Any, Any]) -> None:
        """Keep the runs that the work steps; called on its thread."""
        if not self._runs or self._runs[-1] is not run:
            self._runs = [*self._runs, run]

    def _look(self) -> None:
        """Show the progress."""
        if self._work is None or self._work.done is None:
            return
        runs = self._runs
        if self._kind.value in ("speaker", "item") and runs and not runs[-1].finished:
            at = f"sweep {runs[-1].sweep:,} of {runs[-1].total:,}"
            self.card.remark = f"comparing, grammar {len(runs)}, {at} …"
            return
        what, done, total = self._work.done
        self.card.remark = f"comparing, {what} {done + 1} of {total} …"

    def _take(self, kind: str, found: Compared | OtlabError) -> None:
        self._ended("cancelled" if isinstance(found, Interrupted) else "")
        if isinstance(found, InputError):
            self._text.show(element("p", str(found), class_="small"))
        elif not isinstance(found, OtlabError):
            self._state.put_compared(kind, found)

    def _ended(self, remark: str) -> None:
        self._work = None
        self._looks.stop()
        self.card.remark = remark
        self._show_buttons()


def _html(found: Compared) -> Markup:
    if isinstance(found, Comparison):
        return models_html(found)
    return levels_html(found) if isinstance(found, LevelsCompared) else logits_html(found)


def _remark(found: Compared) -> str:
    if isinstance(found, LevelsCompared):
        return f"{LEARNERS[found.learner].label}, {counted(found.sweeps, 'sweep')}, seed {found.seed}"
    tokens = counted(found.observations, "observation")
    return f"{tokens}, seed {found.seed}" if isinstance(found, Comparison) else tokens
