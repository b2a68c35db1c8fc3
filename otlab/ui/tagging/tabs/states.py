"""The States tab: states in words with examples, transitions between states, merged states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import counted
from otlab.html import Markup, element, table, td, tr
from otlab.tagging.experiments.merge import merge_states
from otlab.ui.background import Background
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Card, Html
from otlab.ui.components.layout import across, down
from otlab.ui.components.placeholders import no_result_yet
from otlab.ui.tab import Tab
from otlab.ui.tagging.assets import PAGE_CSS
from otlab.ui.tagging.components import ConfusionGrid, StateCards, card_rows
from otlab.ui.tagging.state import TaggingState

if TYPE_CHECKING:
    from otlab.tagging.experiments.merge import MergeTree
    from otlab.tagging.view import View
    from otlab.ui.tagging.results import Result

__all__ = ["StatesTab", "transition_rows"]

_MOST = 24  # states in the grid: their numbers have room as heads in a window of 1280 px
_LEAST_SHARE = 0.05
_HOW, _ROW_TO_COLUMN = "click a card to select it, its title to rename it", "row to column"
_TO_MERGE = (
    '<p class="small">After a run: joins the two states that are most alike in words and contexts, again and '
    "again, and lists the scores with fewer and fewer states.</p>"
)


class StatesTab(Tab[TaggingState]):
    """The States tab; it is not updated during a run."""

    title = "States"
    depends = ("settled", "shown", "selected", "name_changes")
    at_opening = ("progress",)

    def build(self) -> Any:
        """Return the cards in their places."""
        self._empty = no_result_yet("the states in words", "They are the same states as on Watch.")
        self.cards = StateCards(self.state.select, self.state.name_state, wide=True)
        self.transitions = ConfusionGrid(
            self.state.select,
            label="Transitions between states",
            nouns=["state", "next state"],
        )
        self._merging = Background()
        self._merged_view: View | None = None  # of the run whose states are merged
        self._merge = button("Merge states", self.merge, align="center", disabled=True)
        self._merged = Html(_TO_MERGE, PAGE_CSS, sizing_mode="stretch_width", styles={"overflow": "auto"})
        self._place = down(self._empty)
        self._no_transitions = no_result_yet("the transitions", "A row says which states follow a state.")
        self._transitions_place = down(self._no_transitions)
        self._states = Card("All states", self._place, remark=_HOW)
        self._follows = Card("Transitions between states", self._transitions_place, remark=_ROW_TO_COLUMN)
        merging = Card("Merged states", self._merged, action=self._merge, height=236, scroll="y-auto")
        right = down(self._follows, merging, styles={"flex": "1 1 0"})
        return across(down(self._states, styles={"flex": "1.5 1 0"}), right)

    def draw(self) -> None:
        """Draw every state."""
        result = self.state.result
        known = result is not None and bool(result.views)
        point = result.point if result is not None and known else ""
        self._states.remark = "; ".join(filter(None, [point, _HOW]))
        self._follows.remark = "; ".join(filter(None, [point, _ROW_TO_COLUMN]))
        self._merge.disabled = not known
        if result is None or not known or result.view is not self._merged_view:
            self._forget_mergers()
        if result is None or not known:
            self._place[:] = [self._empty]
            self._transitions_place[:] = [self._no_transitions]
            return
        if self._place[0] is not self.cards:
            self._place[:] = [self.cards]
            self._transitions_place[:] = [self.transitions]
        order = [int(k) for k in result.portrait.order if result.view.tokens_per_state[k]]
        self.cards.hue = result.hue
        self.cards.cards = card_rows(result, order, words=6, examples=3)
        self.transitions.param.update(data=transition_rows(result), scale=_scale(result))
        self.cards.selected = self.transitions.selected = self.state.selected

    def merge(self) -> None:
        """Merge the states of the selected run, and show the scores after each merger."""
        result = self.state.result
        if result is None or not result.views:
            return
        self._merged.show('<p class="small" role="status">Merging</p>')
        self._merged_view = result.view
        labels = result.view.labels
        self._merging.do(
            lambda: merge_states(result.corpus, labels, result.states),
            lambda tree: self._merged.show(_merge_table(result, tree)),
        )

    def _forget_mergers(self) -> None:
        """Remove the mergers of a run that is no longer shown."""
        if self._merged_view is not None:
            self._merged_view = None
            self._merging.forget()
            self._merged.show(_TO_MERGE)


def transition_rows(result: Result) -> dict[str, Any]:
    """Return the grid of transitions, the boundary last; small shares are left empty."""
    shares = result.view.transitions
    order = [int(k) for k in result.portrait.order[:_MOST] if result.view.tokens_per_state[k]]
    kept = [*order, shares.shape[0] - 1]
    counts = np.rint(shares * np.append(result.view.tokens_per_state, result.corpus.sentences)[:, None])

    def name(k: int) -> str:
        return "boundary" if k == shares.shape[0] - 1 else result.name(k)

    return {
        "columns": [name(k).removeprefix("state ") for k in kept],
        "rows": [
            {
                "state": k if k < shares.shape[0] - 1 else -1,
                "name": name(k),
                "named": k in result.names,
                "match": -1,
                "tokens": int(counts[k].sum()),
                "tag_tokens": counts[:, kept].sum(0).astype(int).tolist(),
                "counts": counts[k, kept].astype(int).tolist(),
                "shares": np.where(shares[k, kept] >= _LEAST_SHARE, shares[k, kept], 0).round(3).tolist(),
            }
            for k in kept
        ],
    }


def _scale(result: Result) -> str:
    """Return what the shares of the grid are of, and how many states it shows."""
    used = result.view.states_used
    left_out = f"below {_LEAST_SHARE:.0%} left empty".replace("%", "\u202f%")
    return f"of what follows the state; {left_out}; {min(_MOST, used)}/{counted(used, 'state')}"


def _merge_table(result: Result, tree: MergeTree) -> Markup:
    """Return scores along the merge tree, and the first states merged, as HTML."""
    used = len(tree.merges) + 1
    counts = sorted({n for n in (used, 45, 40, 35, 30, 25, 20, 15, 12, 10, 6) if n <= used}, reverse=True)
    rows = []
    for n in counts:
        texts = [counted(n, "state")]
        if tree.scores:
            scores = tree.scores[used - n]
            texts += [f"{100 * scores.one_to_one:.1f}", f"{100 * scores.many_to_one:.1f}"]
            texts += [f"{scores.vi:.2f}", f"{scores.v_measure:.3f}"]
        rows.append(tr(map(td, texts)))
    heads = ["Left", *(["1-to-1 %", "Many-to-1 %", "VI", "V"] if tree.scores else [])]
    first = ", ".join(f"{result.name(a)} + {result.name(b)}" for a, b in tree.merges[:4])
    return element("p", f"First merged: {first}", class_="small") + table(heads, rows, kind="scores")
