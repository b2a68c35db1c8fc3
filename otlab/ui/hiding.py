"""What an exercise hides until it is revealed: decided here for all tabs, cards, menus and files.

What is hidden is named as the teacher chose it: a card, "Learn: Posterior", or a whole tab, "Compare".
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

__all__ = ["EVERY_CARD", "HIDDEN", "NOTHING_REPEATED", "file_hidden", "part_hidden"]

HIDDEN = "Hidden until your teacher reveals the answer."
EVERY_CARD = ("",)
"""What repeats every card of other tabs that can be hidden."""
NOTHING_REPEATED: Mapping[str, tuple[str, ...]] = MappingProxyType({})
"""That of a tab which shows nothing that cards of other tabs show."""


def part_hidden(hides: Iterable[str], tab: str, card: str = "", repeats: Collection[str] = ()) -> bool:
    """Return whether a card, or a whole tab if `card` is empty, is hidden.

    Parameters
    ----------
    hides
        What the exercise hides.
    tab, card
        Their labels.
    repeats
        Beginnings of the names of cards in other tabs that show the same.

    Examples
    --------
    >>> part_hidden(["Learn: Posterior"], "Learn", "Posterior")
    True
    >>> part_hidden(["Learn: Posterior"], "Compare", repeats=["Learn: Predictions"])
    False
    """
    own = f"{tab}: {card}" if card else tab
    return any(each in (own, tab) or (": " in each and each.startswith(tuple(repeats))) for each in hides)


def file_hidden(hides: Collection[str], key: str, of_data: Collection[str] = ()) -> bool:
    """Return whether a file is hidden: while anything is, every file is that may hold results.

    >>> file_hidden(["Learn: Posterior"], "draws", {"csv"}), file_hidden(["Learn: Posterior"], "csv", {"csv"})
    (True, False)
    """
    return bool(hides) and key not in of_data
