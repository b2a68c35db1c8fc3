"""The Rank tab: a ranking under which every winner wins, or the contradictions in the data.

The winner of an input is its most frequent candidate; no learner and no run is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from otlab.html import element
from otlab.ot.analysis.rank import rank
from otlab.ot.analysis.strata import moved, strata_shares
from otlab.ot.analysis.typology import MOST_COUNTED
from otlab.ui.background import Background
from otlab.ui.components.buttons import button, segmented
from otlab.ui.components.cards import Card, Html
from otlab.ui.components.layout import across, down
from otlab.ui.components.rankings import StrataEditor
from otlab.ui.hiding import NOTHING_REPEATED
from otlab.ui.ot.state import OTState
from otlab.ui.ot.tabs.downloads import TABLEAU_FILES, tableaux_file
from otlab.ui.tab import Tab
from otlab.viz.base.names import constraint_text
from otlab.viz.ot.exports import ranked_source
from otlab.viz.ot.hasse import hasse_svg
from otlab.viz.ot.leading import first_inputs, inputs_left_out
from otlab.viz.ot.printed import Strata
from otlab.viz.ot.ranking import RANKING_CSS, bounded_html, needs_html, shares_html, strata_html
from otlab.viz.ot.tableau import TABLEAU_CSS, tableau_html

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from otlab.ot.analysis.rank import Ranking
    from otlab.ot.tableau import Tableau

__all__ = [
    "ALGORITHMS",
    "FILLING",
    "LEFT",
    "RIGHT",
    "RankTab",
    "crucial_html",
    "ranked_tableaux_html",
    "tableaux_card",
    "use_button",
]

ALGORITHMS = {"rcd": "RCD", "bcd": "BCD", "lfcd": "LFCD"}
_NOTES = {
    "rcd": "Recursive constraint demotion: each constraint is ranked as high as possible.",
    "bcd": "Biased constraint demotion: faithfulness is ranked as low as possible.",
    "lfcd": "Low faithfulness constraint demotion: faithfulness low, the most specific constraints first.",
}
_DRAG = " Drag a constraint to try other strata."
_OWN_NOTE = "Your strata. Inside a stratum each order is as likely as any other (Anttila 1997)."
_NEVER, _SHARES = "Candidates that never win", "Shares under your strata"
LEFT: dict[str, Any] = {"width": 300, "sizing_mode": "stretch_height"}
RIGHT: dict[str, Any] = {"styles": {"flex": "1.5 1 0"}}
"""Layout of the columns of lists and of tableaux."""
FILLING: dict[str, Any] = {
    "sizing_mode": "stretch_both",
    "styles": {"overflow": "auto", "min-height": "0"},
}
"""Layout of what fills a card, and scrolls there."""


class RankTab(Tab[OTState]):
    """The Rank tab."""

    title = "Rank"
    repeats = NOTHING_REPEATED
    depends = ("edits", "algorithm", "constraint_changes", "own_strata")

    def build(self) -> Any:
        """Return the cards in their places."""
        state = self.state
        self._ranking = Background()
        self._found: tuple[tuple[int, ...], ...] = ()
        self._strata = Html("", RANKING_CSS, sizing_mode="stretch_width")
        self._editor = StrataEditor(self._moved)
        self._back = button("Back to the algorithm's", lambda: state.set_strata(()), plain=True)
        self._use = use_button(self, lambda: self._found)
        self._needs = Html("", RANKING_CSS, **FILLING)
        self._crucial = Html("", RANKING_CSS, **FILLING)
        self._tableaux = Html("", TABLEAU_CSS, **FILLING)
        self._bounded = Html("", RANKING_CSS, **FILLING)
        switch = segmented("Algorithm", ALGORITHMS, state.algorithm)
        switch.param.watch(lambda event: setattr(state, "algorithm", event.new), "value")
        self._tableaux_card = tableaux_card(self.state, self._tableaux, self._file)
        self._bounded_card = Card(_NEVER, self._bounded, height=240)
        return across(
            down(
                Card(
                    "Strata",
                    down(self._editor, self._strata, self._back, self._use, gap=6, **FILLING),
                    action=switch,
                ),
                Card("What the winners need", self._needs),
                **LEFT,
            ),
            down(
                Card("Crucial rankings", self._crucial, remark="dominating above"),
                self._bounded_card,
            ),
            down(self._tableaux_card, **RIGHT),
        )

    def draw(self) -> None:
        """Rank the present tableau on another thread: a large one takes seconds."""
        tableau, algorithm, apriori = self.state.tableau, self.state.algorithm, self.state.apriori
        self._ranking.do(lambda: rank(tableau, algorithm, apriori=apriori), self._show)

    def _show(self, ranking: Ranking) -> None:
        state, own = self.state, self.state.own_strata
        strata = own or ranking.demotion.strata if ranking.consistent or own else ()
        self._found = strata
        self._editor.visible, self._back.visible = bool(strata), bool(own)
        self._use.visible = bool(strata)
        self._editor.show(ranking.tableau.constraints, strata)
        note = _OWN_NOTE if own else _NOTES[ranking.algorithm] + _DRAG if ranking.consistent else ""
        strata_text = "" if ranking.consistent else strata_html(ranking)
        self._strata.show(strata_text + element("p", note, class_="small"))
        self._needs.show(needs_html(ranking))
        self._crucial.show(crucial_html(ranking))
        first = first_inputs(ranking.tableau)
        if own:
            self._tableaux.show(strata_tableaux_html(first, own))
            shares = strata_shares(first, own) if len(ranking.tableau.constraints) <= MOST_COUNTED else None
            self._bounded.show(shares_html(first, shares))
        else:
            self._tableaux.show(ranked_tableaux_html(ranking, first))
            self._bounded.show(bounded_html(ranking))
        self._bounded_card.title = _SHARES if own else _NEVER
        self._bounded_card.remark = "of the rankings that keep to the strata" if own else ""
        under = "under your strata" if own else "under this ranking"
        self._tableaux_card.remark = inputs_left_out(state.tableau) or under

    def _file(self, key: str) -> tuple[str, bytes]:
        """Return the tableaux that are shown, in one of the formats of the card's menu."""
        state = self.state
        if self._found and state.own_strata:
            strata = Strata.of_numbers(self._found)
            return tableaux_file(state, state.tableau, strata, "the reader's strata", key)
        ranking = rank(state.tableau, state.algorithm, apriori=state.apriori)
        strata = Strata.of_ranking(ranking)
        return tableaux_file(state, state.tableau, strata, ranked_source(ranking), key)

    def _moved(self, constraint: int, to: int, between: bool) -> None:
        self.state.set_strata(moved(self._found, constraint, to, between=between))


def use_button(tab: Tab[OTState], strata: Callable[[], Sequence[Sequence[int]]]) -> Any:
    """Return a button that takes strata, by the numbers of their constraints, over to the Learn tab."""

    def use() -> None:
        numbers = strata()
        if sum(map(len, numbers)) == tab.state.tableau.n_constraints:  # else the table has just changed
            tab.state.adopt_strata(numbers)
            tab.showing.go("Learn")

    return button("Use this ranking in Learn", use, icon="check")


def tableaux_card(state: OTState, content: Html, make: Callable[[str], tuple[str, bytes]]) -> Card:
    """Return a card of tableaux, whose menu also saves them for papers."""
    return Card("Tableaux", content, files=TABLEAU_FILES, make=make, state=state)


def crucial_html(ranking: Ranking) -> str:
    """Return the Hasse diagram of a ranking."""
    if not ranking.consistent:
        return element("p", "There is no ranking to draw.", class_="small")
    if not ranking.crucial_rankings:
        needed = (
            "what the winners need can be met in several ways" if ranking.bases.skeletal else "any will do"
        )
        return element("p", f"No two constraints are ranked in one way alone: {needed}.", class_="small")
    reasons = {
        (a, b): f"{constraint_text(a)} ≫ {constraint_text(b)}, or {rival} would win"
        for (a, b), rival in ranking.crucial_rivals.items()
    }
    picture = hasse_svg(ranking.tableau.constraints, ranking.crucial_rankings, reasons=reasons)
    return f'<div class="picture">{picture}</div>'


def ranked_tableaux_html(ranking: Ranking, tableau: Tableau) -> str:
    """Return the tableaux of some inputs, constraints in the order of the strata."""
    if not ranking.consistent:
        return element("p", "There is no ranking to evaluate the candidates with.", class_="ot-note")
    return strata_tableaux_html(tableau, ranking.demotion.strata)


def strata_tableaux_html(tableau: Tableau, strata: Sequence[Sequence[int]]) -> str:
    """Return the tableaux of some inputs under strata, given by the numbers of their constraints."""
    order = [c for stratum in strata for c in stratum]
    return tableau_html(tableau, order, strata=[len(stratum) for stratum in strata])
