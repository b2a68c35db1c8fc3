"""The part of the grammar lab's state that theories, candidate items and reading times use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections import Counter

    import numpy as np

    from otlab.mg.lexicon import Lexicon
    from otlab.mg.parsing.grammar import Grammar
    from otlab.ui.history import History
    from otlab.ui.mg.settings import MGSettings

__all__ = ["GrammarState"]


class GrammarState(Protocol):
    """The part of :class:`~otlab.ui.mg.state.MGState` that these read and count in."""

    counts: Counter[tuple[str, ...]]
    settings: MGSettings
    alpha: float | None
    option_changes: int
    comparison_changes: int
    pool_changes: int
    reading_changes: int
    grammar: Grammar
    history: History

    @property
    def lexicon(self) -> Lexicon:
        """The lexicon of the rows, with its pseudo-counts."""

    @property
    def theta(self) -> np.ndarray:
        """Probabilities of its items."""
