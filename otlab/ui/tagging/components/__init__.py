"""The lab's own components in the browser: the confusion grid, the state cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import param

from otlab.html import direction
from otlab.ui.components.component import Component, FillingComponent

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.tagging.corpus import Corpus
    from otlab.ui.tagging.results import Result

__all__ = ["ConfusionGrid", "StateCards", "card_rows", "confusion_rows"]


class ConfusionGrid(FillingComponent):
    """A grid of shares with rows to select, a colour scale, and the numbers of the square pointed at.

    It sends the number of the state that was clicked.
    """

    data = param.Dict(default={"rows": [], "columns": []})
    selected = param.Integer(-1)
    label = param.String("States against gold tags")
    every = param.Boolean(default=False, doc="Whether squares keep their size and the grid scrolls.")
    scale = param.String("of the state", doc="What the shares are of, beside the colour scale.")
    nouns = param.List(default=["state", "tag"], doc="What a row and a column are called.")

    script = "confusion"


class StateCards(Component):
    """Cards of states in words.

    Parameters
    ----------
    select, name
        Called with the state clicked, and with a state and its new name.
    """

    cards = param.List()
    selected = param.Integer(-1)
    hue = param.String("em")
    wide = param.Boolean(default=False)

    script = "state_cards"

    def __init__(
        self, select: Callable[[int], None], name: Callable[[int, str], None], **params: Any
    ) -> None:
        super().__init__(**{"sizing_mode": "stretch_both", "margin": 0, **params})
        self._select, self._name = select, name

    def _handle_msg(self, message: dict[str, Any]) -> None:
        if message["kind"] == "name":
            self._name(message["state"], message["name"])
        else:
            self._select(message["state"])


def confusion_rows(
    result: Result, corpus: Corpus, *, by_tag: bool, rows: int | None, columns: int | None
) -> dict[str, Any]:
    """Return the rows of the grid: states in the order of their tags, so that matches form a diagonal.

    Parameters
    ----------
    by_tag
        Shares of the tag's tokens instead of the state's.
    rows, columns
        Number of states and tags shown, the most frequent; None for all.
    """
    table, matching = result.view.table, result.portrait.matching
    tags = table.shape[1] if columns is None else min(columns, table.shape[1])
    kept = [int(k) for k in result.portrait.order[:rows] if result.view.tokens_per_state[k]]
    order = sorted(kept, key=lambda k: (matching.get(k, 10**6), -int(result.view.tokens_per_state[k])))
    of_tag, of_state = table.sum(0), table.sum(1)
    return {
        "columns": list(corpus.tagset[:tags]),
        "rows": [
            {
                "state": k,
                "name": result.name(k),
                "named": k in result.names,
                "match": matching.get(k, -1),
                "tokens": int(of_state[k]),
                "tag_tokens": of_tag[:tags].tolist(),
                "counts": table[k, :tags].tolist(),
                "shares": (table[k, :tags] / (of_tag[:tags] if by_tag else max(of_state[k], 1)))
                .round(3)
                .tolist(),
            }
            for k in order
        ],
    }


def card_rows(
    result: Result, states: list[int], *, words: int = 4, examples: int = 0
) -> list[dict[str, Any]]:
    """Return the contents of the cards of some states."""
    rows = []
    for state in states:
        card = result.portrait.card(state, words)
        rows.append(
            {
                "state": state,
                "name": result.name(state),
                "named": state in result.names,
                "tokens": card.tokens,
                "words": card.words,
                "lift": card.lift,
                "tags": card.tags,
                "before": _neighbours(result, card.before, short=not examples),
                "after": _neighbours(result, card.after, short=not examples),
                "examples": _examples(result, state, examples),
            }
        )
    return rows


def _examples(result: Result, state: int, count: int) -> list[tuple[str, str, str, str]]:
    """Return tokens of a state in context, and the direction in which each is read."""
    found = result.portrait.examples(state, count) if count else []
    return [(*parts, direction(" ".join(parts).split())) for parts in found]


def _neighbours(result: Result, states: list[int], *, short: bool) -> list[str]:
    """Return the names of neighbouring states: the numbers of five, or the first in words."""
    named = ["boundary" if k < 0 else result.name(k).removeprefix("state ") for k in states]
    return named[:1] if short else named
