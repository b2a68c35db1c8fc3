"""The card that compares models on the present table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.errors import InputError, Interrupted, OtlabError
from otlab.inference import Preparation
from otlab.ot.analysis.comparison import compare
from otlab.ui.background import Background
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Card, Html
from otlab.ui.timers import Repeating, page_idle
from otlab.viz.base.html import element
from otlab.viz.ot.models import models_html
from otlab.viz.ot.predicted import PREDICTED_CSS

if TYPE_CHECKING:
    from otlab.ot.analysis.comparison import Comparison
    from otlab.ot.tableau import Tableau
    from otlab.ui.ot.state import OTState

__all__ = ["ModelsCard"]

_INVITE = (
    "Stochastic OT, MaxEnt, Noisy HG and partial orders on the same data: how likely each makes them at its "
    "best, what that costs in parameters, and which candidates none of its grammars fits."
)
_LOOK_MS = 200


class ModelsCard(pn.viewable.Viewer):
    """Models compared at the press of a button; the answer stays until the table changes."""

    def __init__(self, state: OTState) -> None:
        super().__init__()
        self._state = state
        self._background = Background()
        self._work: Preparation[Comparison] | None = None
        self._looks = Repeating(self._look, _LOOK_MS)
        self._of: Tableau | None = None
        self._text = Html(
            element("p", _INVITE, class_="small"),
            PREDICTED_CSS,
            sizing_mode="stretch_both",
            styles={"overflow": "auto"},
        )
        self._start = button("Compare models", self.start)
        self._cancel = button("Cancel", self.cancel, visible=False)
        self._card = Card("Models", self._text, action=pn.Row(self._start, self._cancel, margin=0))

    def follow(self) -> None:
        """Mark the answer if it is of another table."""
        old = self._of is not None and self._of is not self._state.tableau
        self._card.stale = "of the table before" if old else ""

    def start(self) -> None:
        """Compare the models on the present table, with the settings of the run panel."""
        tableau, settings = self._state.tableau, self._state.settings
        noise, weights, seed = settings.noise, settings.weights, settings.seed
        work = Preparation(lambda: compare(tableau, noise=noise, weights=weights, seed=seed), page_idle())

        def finish() -> Comparison | OtlabError:
            try:
                return work.finish()
            except (InputError, Interrupted) as error:
                return error

        self._work = work
        self._card.remark = "comparing …"
        self._start.visible, self._cancel.visible = False, True
        self._looks.start()
        self._background.do(finish, lambda found: self._show(found, tableau))

    def cancel(self) -> None:
        """End the comparison; what the card showed before stays."""
        self.close()
        self._ended("cancelled")

    def close(self) -> None:
        """End the comparison without a word: the page is gone."""
        if self._work is not None:
            self._work.interrupt()
        self._background.forget()
        self._looks.stop()

    def _look(self) -> None:
        """Say how far it is."""
        if self._work is not None and self._work.done is not None:
            what, done, total = self._work.done
            self._card.remark = f"comparing, {what} {done + 1} of {total} …"

    def _show(self, found: Comparison | OtlabError, tableau: Tableau) -> None:
        if isinstance(found, Interrupted):
            self._ended("cancelled")
        elif isinstance(found, OtlabError):
            self._ended("")
            self._text.show(element("p", str(found), class_="small"))
        else:
            self._ended(f"{found.observations:,} observations, seed {found.seed}")
            self._text.show(models_html(found))
            self._of = tableau
        self.follow()

    def _ended(self, remark: str) -> None:
        self._work = None
        self._looks.stop()
        self._card.remark = remark
        self._start.visible, self._cancel.visible = True, False

    def __panel__(self) -> Any:
        return self._card
