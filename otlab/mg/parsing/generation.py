"""Generate random sentences by drawing Polish sequences top-down and rejecting ill-formed ones.

The share of accepted sequences estimates the well-formed mass W(theta), except for the mass of
sequences that exceed the limits on length.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from otlab.inference.random import fresh_seed
from otlab.mg.derivation import Derivation, derivations
from otlab.mg.features import category_of

if TYPE_CHECKING:
    from otlab.mg.lexicon import LexicalItem, Lexicon

__all__ = ["Generated", "generate"]


@dataclass(frozen=True)
class Generated:
    """Random sentences, and the number of attempts.

    Attributes
    ----------
    derivations
        A derivation for each sentence.
    attempts
        Number of sequences drawn.
    seed
        The root seed; None if a generator was given.
    """

    derivations: tuple[Derivation, ...]
    attempts: int
    seed: int | None

    @property
    def sentences(self) -> list[tuple[str, ...]]:
        """The words of each sentence, as they are pronounced."""
        return [d.spelled for d in self.derivations]

    @property
    def acceptance_rate(self) -> float:
        """Share of the sequences that are accepted."""
        return len(self.derivations) / self.attempts if self.attempts else 0.0


def generate(
    lexicon: Lexicon,
    n: int,
    *,
    theta: np.ndarray | None = None,
    seed: int | np.random.Generator | None = None,
    most_words: int = 20,
    most_items: int = 60,
    most_attempts: int = 100_000,
) -> Generated:
    """Return up to `n` random sentences with their derivations.

    Parameters
    ----------
    lexicon
        The grammar.
    n
        Number of sentences; fewer are returned if `most_attempts` is reached.
    theta : ndarray of shape (items,), optional
        Probabilities of the items; the prior mean if None.
    seed
        Root seed or generator; a fresh seed if None.
    most_words, most_items
        Largest numbers of words and of items; longer sequences are rejected.
    most_attempts
        Largest number of sequences to draw.

    Examples
    --------
    >>> from otlab.samples import load_sample
    >>> [" ".join(d.words) for d in generate(load_sample("figure1_wh"), 3, seed=1).derivations]
    ['what did you see', 'what did you see', 'what did you see']
    """
    number = fresh_seed() if seed is None else seed
    rng = number if isinstance(number, np.random.Generator) else np.random.default_rng(number)
    draw = _Draw(lexicon, lexicon.prior_mean() if theta is None else theta, rng)
    made: list[Derivation] = []
    attempts = 0
    while len(made) < n and attempts < most_attempts:
        attempts += 1
        sequence = draw.sequence(most_items, most_words)
        if sequence:
            found = derivations(sequence, lexicon.start, convention=lexicon.convention)
            made += (replace(d, spell_out=lexicon.spell_out) for d in found)
    return Generated(tuple(made), attempts, None if isinstance(number, np.random.Generator) else number)


class _Draw:
    """Draws Polish sequences from the probabilities of a lexicon."""

    def __init__(self, lexicon: Lexicon, theta: np.ndarray, rng: np.random.Generator) -> None:
        self._rng = rng
        self._start = lexicon.start
        self._items: dict[str, list[LexicalItem]] = defaultdict(list)
        weights: dict[str, list[float]] = defaultdict(list)
        categories = {s: category_of(s) for s in lexicon.sequences}
        for item, weight in zip(lexicon.items, theta.tolist(), strict=True):
            category = categories[item.features]
            self._items[category].append(item)
            weights[category].append(weight)
        self._cumulative = {c: np.cumsum(w) for c, w in weights.items()}

    def sequence(self, most_items: int, most_words: int) -> list[LexicalItem]:
        """Return one Polish sequence; empty if it is too long or needs an item of an empty category."""
        wanted = [self._start[int(self._rng.integers(len(self._start)))]]
        drawn: list[LexicalItem] = []
        words = 0
        while wanted:
            item = self._item(wanted.pop())
            if item is None or len(drawn) == most_items:
                return []
            drawn.append(item)
            words += len(item.words)
            if words > most_words:
                return []
            wanted += [f.name for f in reversed(item.features) if f.selects]
        return drawn

    def _item(self, category: str) -> LexicalItem | None:
        if category not in self._items:
            return None
        cumulative = self._cumulative[category]
        place = int(np.searchsorted(cumulative, self._rng.random() * cumulative[-1], side="right"))
        return self._items[category][min(place, len(cumulative) - 1)]
