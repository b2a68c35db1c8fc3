"""The Rank tab: a ranking under which every winner wins, or what contradicts itself.

The winner of an input is its most frequent candidate; no learner and no run is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from otlab.ot.analysis.rank import rank
from otlab.ui.background import Background
from otlab.ui.components.buttons import segmented
from otlab.ui.components.cards import Card, Html
from otlab.ui.components.layout import across, down
from otlab.ui.ot.state import OTState
from otlab.ui.ot.tabs.leading import first_inputs, inputs_left_out
from otlab.ui.tab import Tab
from otlab.viz.base.html import element
from otlab.viz.ot.hasse import hasse_svg
from otlab.viz.ot.ranking import RANKING_CSS, bounded_html, needs_html, strata_html
from otlab.viz.ot.tableau import TABLEAU_CSS, tableau_html

if TYPE_CHECKING:
    from collections.abc import Set

    from otlab.ot.analysis.rank import Ranking
    from otlab.ot.tableau import Tableau

__all__ = ["ALGORITHMS", "LEFT", "RIGHT", "RankTab", "crucial_html", "ranked_tableaux_html"]

ALGORITHMS = {"rcd": "RCD", "bcd": "BCD", "lfcd": "LFCD"}
_NOTES = {
    "rcd": "Recursive constraint demotion: each constraint stands as high as it can.",
    "bcd": "Biased constraint demotion: faithfulness stands as low as it can.",
    "lfcd": "Low faithfulness constraint demotion: faithfulness stands low, the most specific first.",
}
LEFT: dict[str, Any] = {"width": 300, "sizing_mode": "stretch_height"}
RIGHT: dict[str, Any] = {"styles": {"flex": "1.9 1 0"}}
"""Layout of the columns of lists and of tableaux."""

_SCROLLING: dict[str, Any] = {
    "sizing_mode": "stretch_both",
    "styles": {"overflow": "auto", "min-height": "0"},
}


class RankTab(Tab[OTState]):
    """The Rank tab."""

    title = "Rank"
    depends = ("edits", "algorithm", "constraints_set")

    def build(self) -> Any:
        """Return the cards in their places."""
        state = self.state
        self._ranking = Background()
        self._strata = Html("", RANKING_CSS, **_SCROLLING)
        self._needs = Html("", RANKING_CSS, **_SCROLLING)
        self._crucial = Html("", RANKING_CSS, **_SCROLLING)
        self._tableaux = Html("", TABLEAU_CSS, **_SCROLLING)
        self._bounded = Html("", RANKING_CSS, **_SCROLLING)
        switch = segmented("Algorithm", ALGORITHMS, state.algorithm)
        switch.param.watch(lambda event: setattr(state, "algorithm", event.new), "value")
        self._tableaux_card = Card("Tableaux", self._tableaux)
        return across(
            down(
                Card("Strata", self._strata, action=switch),
                Card("What the winners need", self._needs),
                **LEFT,
            ),
            down(
                Card("Crucial rankings", self._crucial, remark="dominating above"),
                Card("Candidates that never win", self._bounded, height=240),
            ),
            down(self._tableaux_card, **RIGHT),
        )

    def redraw(self, changed: Set[str]) -> None:
        """Rank the tableau as it is now, beside the page: a large one takes seconds."""
        tableau, algorithm, apriori = self.state.tableau, self.state.algorithm, self.state.apriori
        self._ranking.do(lambda: rank(tableau, algorithm, apriori=apriori), self._show)

    def _show(self, ranking: Ranking) -> None:
        note = element("p", _NOTES[ranking.algorithm], class_="small") if ranking.consistent else ""
        self._strata.show(strata_html(ranking) + note)
        self._needs.show(needs_html(ranking))
        self._crucial.show(crucial_html(ranking))
        self._tableaux.show(ranked_tableaux_html(ranking, first_inputs(ranking.tableau)))
        self._tableaux_card.remark = inputs_left_out(ranking.tableau) or "under this ranking"
        self._bounded.show(bounded_html(ranking))


def crucial_html(ranking: Ranking) -> str:
    """Return the Hasse diagram of a ranking."""
    if not ranking.consistent:
        return element("p", "There is no ranking to draw.", class_="small")
    picture = hasse_svg(ranking.tableau.constraints, ranking.crucial_rankings)
    return f'<div class="picture">{picture}</div>'


def ranked_tableaux_html(ranking: Ranking, tableau: Tableau) -> str:
    """Return the tableaux of some inputs, constraints in the order of the strata."""
    if not ranking.consistent:
        return element("p", "There is no ranking to evaluate the candidates with.", class_="ot-note")
    number = ranking.tableau.constraints.index
    order = [number(name) for stratum in ranking.strata for name in stratum]
    return tableau_html(tableau, order, strata=[len(stratum) for stratum in ranking.strata])
