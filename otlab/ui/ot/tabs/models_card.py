"""The card that compares models on the present table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.errors import InputError
from otlab.ot.analysis.comparison import compare
from otlab.ui.background import Background
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Card, Html
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


class ModelsCard(pn.viewable.Viewer):
    """Models compared at the press of a button; the answer stays until the table changes."""

    def __init__(self, state: OTState) -> None:
        super().__init__()
        self._state = state
        self._work = Background()
        self._of: Tableau | None = None
        self._text = Html(
            element("p", _INVITE, class_="small"),
            PREDICTED_CSS,
            sizing_mode="stretch_both",
            styles={"overflow": "auto"},
        )
        start = button("Compare models", self._start)
        self._card = Card("Models", self._text, action=start)

    def follow(self) -> None:
        """Mark the answer if it is of another table."""
        old = self._of is not None and self._of is not self._state.tableau
        self._card.stale = "of the table before" if old else ""

    def _start(self) -> None:
        state, tableau = self._state, self._state.tableau
        settings = state.settings
        noise, weights, seed = settings.noise, settings.weights, settings.seed
        self._card.remark = "comparing …"

        def work() -> Comparison | InputError:
            try:
                return compare(tableau, noise=noise, weights=weights, seed=seed)
            except InputError as error:
                return error

        self._of = tableau
        self._work.do(work, self._show)

    def _show(self, found: Comparison | InputError) -> None:
        if isinstance(found, InputError):
            self._text.show(element("p", str(found), class_="small"))
            self._card.remark = ""
        else:
            self._text.show(models_html(found))
            self._card.remark = f"{found.observations:,} observations, seed {found.seed}"
        self.follow()

    def __panel__(self) -> Any:
        return self._card
