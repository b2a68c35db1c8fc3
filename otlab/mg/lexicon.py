"""Lexical items and lexicons.

A minimalist grammar is its lexicon: merge and move are the same for all. A
probabilistic one (Portelance et al. 2022, Definition 3) has for each category a
distribution over the items of that category, with a Dirichlet prior.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import counted
from otlab.mg.features import Convention, Feature, category_of, format_features, parse_features
from otlab.mg.spellout import SpellOut

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from otlab.mg.remarks import Remark

__all__ = ["NOTHING_SPELLED", "SILENT", "ExpectedSentence", "LexicalItem", "Lexicon", "item"]

SILENT = "ε"


@dataclass(frozen=True, slots=True)
class LexicalItem:
    """A word, several words, or silence, with its features.

    Attributes
    ----------
    words
        Empty for a silent item.
    features
        Directions resolved, whatever the convention of the file.
    alpha
        Pseudo-count of its own; None takes the category's or the lexicon's.
    line, columns
        Where it was read: its line, and the column of each feature, from 1.
    """

    words: tuple[str, ...]
    features: tuple[Feature, ...]
    alpha: float | None = None
    line: int | None = field(default=None, compare=False)
    columns: tuple[int, ...] = field(default=(), compare=False)

    @property
    def category(self) -> str:
        """The name of its category feature."""
        return category_of(self.features)

    @property
    def silent(self) -> bool:
        """Whether it is not pronounced."""
        return not self.words

    @property
    def phon(self) -> str:
        """Its words, ``ε`` if there are none."""
        return " ".join(self.words) or SILENT

    def text(self, convention: Convention = "seed") -> str:
        """Return the item as in the file: ``what :: d -wh``."""
        return f"{self.phon} :: {format_features(self.features, convention)}"

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<{self.text()}>"


def item(text: str, convention: Convention = "seed") -> LexicalItem:
    """Return the item written ``word :: features``.

    >>> item("what :: d -wh").category
    'd'
    """
    phon, _, features = text.partition("::")
    words = tuple(phon.split())
    return LexicalItem(() if words in ((SILENT,), ("_",)) else words, parse_features(features, convention))


@dataclass(frozen=True)
class ExpectedSentence:
    """A line ``@sentence N | words``: a sentence with its expected number of derivations.

    Attributes
    ----------
    derivations
        A whole number, or ``inf``.
    """

    derivations: float
    words: tuple[str, ...]


NOTHING_SPELLED = SpellOut()


@dataclass(frozen=True, repr=False)
class Lexicon:
    r"""A minimalist grammar.

    Attributes
    ----------
    items
        In the order of the file, each once.
    start
        Categories of complete sentences; each is chosen with equal probability.
    convention
        How items are written and shown.
    sentences
        What the file says of its own language.
    alpha, category_alpha
        Dirichlet pseudo-counts, for all and by category.
    name, title, source, description
        For display: the file's name, and its comment lines ``# title:``, ``# source:`` and ``# what:``.
    spell_out
        How sequences of words are pronounced; sentences are given and shown so.
    convention_given
        Whether the file names its convention.
    remarks
        What was left out when the file was read: entries that appear twice, code.

    Examples
    --------
    >>> from otlab.mg import loads
    >>> lexicon = loads("@start v\nMary :: d\nsleeps :: d= v")
    >>> print(lexicon)
    Mary :: d
    sleeps :: d= v
    """

    items: tuple[LexicalItem, ...]
    start: tuple[str, ...]
    convention: Convention = "seed"
    sentences: tuple[ExpectedSentence, ...] = ()
    alpha: float = 1.0
    category_alpha: Mapping[str, float] = field(default_factory=dict)
    name: str = ""
    title: str = ""
    source: str = ""
    description: str = ""
    spell_out: SpellOut = NOTHING_SPELLED
    convention_given: bool = field(default=False, compare=False)
    remarks: tuple[Remark, ...] = field(default=(), compare=False)

    @cached_property
    def sequences(self) -> tuple[tuple[Feature, ...], ...]:
        """The different feature sequences, far fewer than items, in the order of their first item."""
        return tuple(dict.fromkeys(i.features for i in self.items))

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """Categories in the order of their first item."""
        return tuple(dict.fromkeys(map(category_of, self.sequences)))

    @cached_property
    def category_index(self) -> np.ndarray:
        """For each item the position of its category in :attr:`categories`."""
        position = {c: k for k, c in enumerate(self.categories)}
        of = {features: position[category_of(features)] for features in self.sequences}
        return np.array([of[i.features] for i in self.items], dtype=np.int32)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Each item as the file writes it."""
        return tuple(i.text(self.convention) for i in self.items)

    @cached_property
    def corpus(self) -> tuple[tuple[str, ...], ...]:
        """The file's own grammatical sentences."""
        return tuple(s.words for s in self.sentences if s.derivations)

    def alphas(self) -> np.ndarray:
        """Return the pseudo-count of each item: its own, its category's, or the lexicon's."""
        return self._alphas.copy()

    @cached_property
    def _alphas(self) -> np.ndarray:
        shared = {s: self.category_alpha.get(category_of(s), self.alpha) for s in self.sequences}
        own = [shared[i.features] if i.alpha is None else i.alpha for i in self.items]
        return np.array(own, dtype=float)

    def prior_mean(self) -> np.ndarray:
        """Return theta = alpha over its sum within the category."""
        return normalise(self.alphas(), self.category_index)

    def with_alpha(self, alpha: float) -> Lexicon:
        """Return the same lexicon with one pseudo-count for all items."""
        items = tuple(replace(i, alpha=None) for i in self.items)
        return replace(self, items=items, alpha=alpha, category_alpha={})

    def with_items(self, items: Iterable[LexicalItem]) -> Lexicon:
        """Return the same lexicon with other items."""
        return replace(self, items=tuple(items))

    def with_spell_out(self, spell_out: SpellOut) -> Lexicon:
        """Return the same lexicon with a table of spell-out; its own sentences are spelled out too."""
        spelled = tuple(replace(s, words=spell_out.apply(s.words)) for s in self.sentences)
        return replace(self, spell_out=spell_out, sentences=spelled)

    def __len__(self) -> int:
        return len(self.items)

    def __str__(self) -> str:
        return "\n".join(self.texts)

    def __repr__(self) -> str:
        called = self.name or "without a name"
        return f"<Lexicon {called}: {counted(len(self), 'item')}, categories {', '.join(self.categories)}>"


def normalise(weights: np.ndarray, category_index: np.ndarray) -> np.ndarray:
    """Return weights divided by their sum within each category."""
    totals = np.bincount(category_index, weights)
    shares: np.ndarray = weights / totals[category_index]
    return shares
