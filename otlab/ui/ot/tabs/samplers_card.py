"""The card that recommends a sampler of the posterior, and says whether two of them agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.errors import InputError
from otlab.ot.analysis.samplers import agreement, recommend
from otlab.ui.background import Background
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Card, Html
from otlab.ui.ot.settings import ranking_prior
from otlab.viz.base.html import element

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.ui.ot.state import OTState

__all__ = ["SAMPLERS", "SamplersCard"]

SAMPLERS = ("gibbs", "exact")
_NOT_BOTH = "Run both to see whether they agree: they sample the same posterior in different ways."


class SamplersCard(pn.viewable.Viewer):
    """Advice in words, and the verdict on two runs.

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
        self._verdict = Html(element("p", _NOT_BOTH, class_="small"), sizing_mode="stretch_width")
        self._card = Card(
            "Samplers",
            self._advice,
            self._verdict,
            action=button("Run both", run_both),
            width=372,
            sizing_mode="stretch_height",
        )

    def follow(self) -> None:
        """Advise anew if the table or a setting changed."""
        state, settings = self._state, self._state.settings
        tableau, noise, bound = state.tableau, settings.noise, settings.bound
        prior = ranking_prior(settings, tableau)
        numbers = () if prior is None else (*prior.mean.tolist(), *prior.sd.tolist())
        asked = (tableau, noise, bound, numbers)
        if asked == self._asked:
            return
        self._asked = asked

        def work() -> str:
            try:
                return recommend(tableau, noise, bound, prior=prior).words
            except InputError as error:
                return str(error)

        self._work.do(work, lambda words: self._advice.show(element("p", words)))

    def judge(self) -> None:
        """Say whether the two samplers agree, if both have run to their end."""
        fits = {} if self._state.going else self._state.fits
        if all(name in fits for name in SAMPLERS):
            self._verdict.show(element("p", agreement(fits["gibbs"], fits["exact"]).words()))
        else:
            self._verdict.show(element("p", _NOT_BOTH, class_="small"))

    def __panel__(self) -> Any:
        return self._card
