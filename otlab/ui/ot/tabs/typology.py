"""The Typology tab: the languages that the rankings of the constraints generate, one of them in full.

Frequencies play no part. Languages are searched beside the page; a table that changes meanwhile
ends the search.
"""

from __future__ import annotations

from dataclasses import replace
from math import factorial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import panel as pn
import param
from panel.custom import JSComponent

from otlab.errors import InputError
from otlab.html import escape
from otlab.ot.analysis.rank import rank
from otlab.ot.analysis.typology import typology
from otlab.ot.formatting import slashed
from otlab.ui.background import Background
from otlab.ui.components import esm, stylesheet
from otlab.ui.components.buttons import segmented
from otlab.ui.components.cards import Card, Html
from otlab.ui.components.layout import across, down
from otlab.ui.hiding import NOTHING_REPEATED
from otlab.ui.ot.state import OTState
from otlab.ui.ot.tabs.downloads import tableaux_file
from otlab.ui.ot.tabs.rank import (
    FILLING,
    LEFT,
    RIGHT,
    crucial_html,
    ranked_tableaux_html,
    tableaux_card,
    use_button,
)
from otlab.ui.tab import Tab
from otlab.viz.base.numbers import count_text, counted_text
from otlab.viz.ot.leading import first_inputs, inputs_left_out
from otlab.viz.ot.printed import Strata
from otlab.viz.ot.ranking import RANKING_CSS, strata_html, t_orders_html
from otlab.viz.ot.tableau import TABLEAU_CSS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otlab.ot.analysis.typology import Typology
    from otlab.ot.tableau import Tableau

    Pairs = tuple[tuple[str, str], ...]

__all__ = ["MOST_LANGUAGES", "TypologyTab", "language_tableau"]

MOST_LANGUAGES = 2_000
_MOST_COLUMNS = 6  # inputs with a column of their own
_WIDEST = 160  # px: a column
_WHICH = {"all": "All rankings", "mine": "With my rankings"}
_PLAIN = ("No.", "Rankings")  # columns that are not searched
_SEARCH = {"type": "input", "func": "like", "placeholder": "find"}


_LIST = "ot-typology"


class ListKeys(JSComponent):
    """Select a row of the list of languages by the arrow keys."""

    list = param.String(_LIST, doc="CSS class of the list")

    _esm = esm("list_keys", Path(__file__).parent, icons=())


class TypologyTab(Tab[OTState]):
    """The Typology tab."""

    title = "Typology"
    repeats = NOTHING_REPEATED
    needs_run = False
    depends = ("edits", "language", "constraint_changes")

    def build(self) -> Any:
        """Return the cards in their places."""
        self._searching = Background()
        self._search = 0  # counts searches: an older one ends when a newer one begins
        self._typology: Typology | None = None
        self._strata: tuple[tuple[int, ...], ...] = ()
        self._searched: tuple[Tableau, Pairs] | None = None
        self._which = segmented("Rankings", _WHICH, "all")
        self._which.param.watch(lambda _: self._begin_if_new(), "value")
        self._list: pn.widgets.Tabulator | None = None
        self._place = down()
        self._crucial = Html("", RANKING_CSS, **FILLING)
        self._words = Html("", RANKING_CSS, **FILLING)
        self._tableaux = Html("", TABLEAU_CSS, **FILLING)
        self._orders = Html("", RANKING_CSS, **FILLING)
        self._languages = Card("Languages", self._which, self._place, ListKeys(width=0, height=0, margin=0))
        self._tableaux_card = tableaux_card(self.state, self._tableaux, self._file)
        self._use = use_button(self, lambda: self._strata)
        self._strata_card = Card("Strata", self._words, self._use, height=240)
        return across(
            down(self._languages, **LEFT),
            down(
                Card("Crucial rankings", self._crucial, remark="dominating above"),
                self._strata_card,
            ),
            down(
                self._tableaux_card,
                Card("Implications", self._orders, remark="T-order: true in every language", height=240),
                **RIGHT,
            ),
        )

    def draw(self) -> None:
        """Search the languages of a changed table, or show another language."""
        if not self._begin_if_new() and self._typology is not None:
            self._show_language(self._typology)

    def close(self) -> None:
        """Stop the search; called when the page is closed."""
        self._search = -1

    def _begin_if_new(self) -> bool:
        """Search again if the table or the a priori rankings have changed; return whether they have."""
        apriori = self.state.apriori if self._which.value == "mine" else ()
        wanted = (self.state.tableau, apriori)
        before = self._searched
        if before is not None and before[0] is wanted[0] and before[1] == apriori:
            return False
        self._searched, self._typology = wanted, None
        self._begin(*wanted)
        return True

    def _begin(self, table: Tableau, apriori: Pairs) -> None:
        self._search += 1
        mine = self._search
        self._languages.remark = "searching …"

        def search() -> Typology | InputError:
            try:
                result = typology(
                    table,
                    apriori=apriori,
                    max_languages=MOST_LANGUAGES,
                    watch=lambda _: self._search != mine,
                )
                _ = result.counts  # here, beside the page
                return result
            except InputError as error:
                return error

        self._searching.do(search, self._show)

    def _show(self, found: Typology | InputError) -> None:
        if isinstance(found, InputError):
            self._languages.remark = str(found)
            self._place[:], self._list, self._strata = [], None, ()
            for pane in (self._crucial, self._words, self._tableaux, self._orders):
                pane.show("")
            self._tableaux_card.remark = self._strata_card.remark = ""
            return
        self._typology = found
        size = count_text(len(found)) + ("" if found.complete else " or more")
        unset = self._which.value == "mine" and not found.apriori
        hint = ", for none of yours are set (Data, Always above)" if unset else ""
        self._languages.remark = f"{size} from {_rankings_text(found)}{hint}"
        self._list = _language_list(found)
        self._list.param.watch(self._chosen, "selection")
        self._place[:] = [self._list]
        self._orders.show(t_orders_html(found))
        if self.state.language < len(found):
            self._show_language(found)
        else:
            self.state.language = 0

    def _chosen(self, event: Any) -> None:
        if event.new:
            self.state.language = event.new[0]

    def _file(self, key: str) -> tuple[str, bytes]:
        """Return the tableaux of the language that is shown, in one of the formats of the card's menu."""
        if self._typology is None:
            return tableaux_file(self.state, self.state.tableau, None, "the strata by RCD", key)
        n = min(self.state.language, len(self._typology) - 1)
        ranking = rank(language_tableau(self._typology, n), apriori=self._typology.apriori)
        source = f"language {n + 1} of the typology"
        return tableaux_file(self.state, ranking.tableau, Strata.of_ranking(ranking), source, key)

    def _show_language(self, found: Typology) -> None:
        n = self.state.language if self.state.language < len(found) else 0
        if self._list is not None and self._list.selection != [n]:
            self._list.selection = [n]
        ranking = rank(language_tableau(found, n), apriori=found.apriori)
        self._strata = ranking.demotion.strata
        self._crucial.show(crucial_html(ranking))
        self._words.show(strata_html(ranking))
        self._tableaux.show(ranked_tableaux_html(ranking, first_inputs(ranking.tableau)))
        self._tableaux_card.remark = inputs_left_out(ranking.tableau) or f"of language {n + 1}"
        self._strata_card.remark = f"language {n + 1}{_share_text(found, n)}"


def language_tableau(found: Typology, n: int) -> Tableau:
    """Return the tableau in which the winners of language `n`, and they alone, were observed."""
    frequencies = np.zeros(found.tableau.n_rows)
    frequencies[found.winners[n]] = 1.0
    return replace(found.tableau, frequencies=frequencies, groups=None)


def _rankings_text(found: Typology) -> str:
    """Return the number of rankings: all, or those that respect the user's own."""
    if not found.apriori:
        return counted_text(factorial(found.tableau.n_constraints), "ranking")
    if found.counts is None or not found.complete:
        return "rankings that keep to yours"
    return f"{counted_text(int(found.counts.sum()), 'ranking')} that keep to yours"


def _share_text(found: Typology, n: int) -> str:
    """Return how many rankings make a language, after a comma; nothing where they are not counted."""
    if found.counts is None:
        return ""
    total = counted_text(int(found.counts.sum()), "ranking") if found.complete else "more rankings"
    return f", {count_text(int(found.counts[n]))} of {total}"


def _language_list(found: Typology) -> pn.widgets.Tabulator:
    """Return a table of the languages; a click selects one, a field above each column finds some."""
    frame = _frame(found)
    return pn.widgets.Tabulator(
        frame,
        titles={name: str(escape(name)) for name in frame.columns},  # headings are HTML there
        theme="simple",
        layout="fit_columns",
        show_index=False,
        editors=dict.fromkeys(frame.columns),  # a cell that could be edited takes Tab, and loses the focus
        disabled=True,
        sortable=False,
        selectable=1,
        margin=0,
        row_height=30,
        widths={"No.": 42, "Rankings": _rankings_width(frame)},
        text_align={"Rankings": "right"},
        configuration={
            "columns": [{"field": name, "minWidth": _room(name, frame[name])} for name in map(str, frame)]
        },
        header_filters={name: _SEARCH for name in frame.columns if name not in _PLAIN},
        css_classes=["ot-languages", _LIST],
        stylesheets=[stylesheet("languages")],
        sizing_mode="stretch_both",
    )


def _rankings_width(frame: pd.DataFrame) -> int:
    """Return the width of the column of numbers of rankings, px: the longest stands whole."""
    longest = max(map(len, frame.get("Rankings", [])), default=0)
    return max(74, 20 + 8 * longest)


def _room(name: str, cells: Iterable[str]) -> int:
    """Return the least width of a column, px: its forms stand whole, if they are not very long."""
    return min(20 + 9 * max(map(len, [name, *cells])), _WIDEST) if name not in _PLAIN else 42


def _frame(found: Typology) -> pd.DataFrame:
    """Return a row per language: its number, and the winners of the first inputs."""
    tableau = found.tableau
    columns: dict[str, Any] = {"No.": [str(n + 1) for n in range(len(found))]}
    for k, name in enumerate(tableau.inputs[:_MOST_COLUMNS]):
        columns[slashed(name)] = [tableau.candidates[row] for row in found.winners[:, k]]
    if found.counts is not None:
        columns["Rankings"] = [count_text(count) for count in found.counts.tolist()]
    return pd.DataFrame(columns)
