"""The part of the grammar lab's state that theories, candidate items and reading times use."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import param

from otlab.ui.state import State

if TYPE_CHECKING:
    import numpy as np

    from otlab.mg.lexicon import Lexicon
    from otlab.mg.parsing.grammar import Grammar
    from otlab.ui.mg.settings import MGSettings

__all__ = ["GrammarState"]


class GrammarState(State):
    """The sentences and the grammar that these read, and what they count in."""

    counts: Counter[tuple[str, ...]] = param.ClassSelector(
        class_=Counter, default=Counter(), doc="How often each sentence occurs."
    )
    alpha: float | None = param.Number(None, allow_None=True, doc="One pseudo-count for all items, if any.")
    option_changes: int = param.Integer(0, doc="Counts changes of the theories, and of the settings of tabs.")
    comparison_changes: int = param.Integer(0, doc="Counts changes of the comparison of theories.")
    pool_changes: int = param.Integer(0, doc="Counts changes of the lexicon learnt from candidate items.")
    reading_changes: int = param.Integer(0, doc="Counts changes of reading times and their predictions.")

    settings: MGSettings
    grammar: Grammar

    @property
    def lexicon(self) -> Lexicon:
        """The last good lexicon."""
        return self.grammar.lexicon

    @property
    def theta(self) -> np.ndarray:
        """The probabilities of its items."""
        raise NotImplementedError
