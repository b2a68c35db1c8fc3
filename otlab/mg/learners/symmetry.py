"""Detect tied items: entries that exchange places when categories or licensees are renamed.

If names can be exchanged so that the lexicon stays the same, words and pseudo-counts
included, then VB and EM with a symmetric start give the exchanged entries equal counts
in every iteration: they stay at a saddle point. Names are told apart by colour refinement:
two names have the same colour as long as all their entries look alike.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import permutations, product
from math import factorial, prod
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from otlab.mg.lexicon import LexicalItem, Lexicon

__all__ = ["item_permutations", "symmetry_warning", "tied_items"]

_MOST_RENAMINGS = 720

Name = tuple[bool, str]  # category or licensee (two name spaces), and the name
Look = tuple[object, ...]


def tied_items(lexicon: Lexicon, alpha: np.ndarray) -> list[list[int]]:
    """Return the groups of items that differ only in names that can be exchanged.

    Parameters
    ----------
    lexicon
        The grammar.
    alpha : ndarray of shape (items,)
        Pseudo-counts; items with different ones are not tied.

    Examples
    --------
    >>> from otlab.samples import load_sample
    >>> lexicon = load_sample("gender_induction")
    >>> [lexicon.texts[i] for i in tied_items(lexicon, lexicon.alphas())[0]]
    ['le :: =n1 d', 'le :: =n2 d']
    """
    colour = _colours(lexicon, alpha)
    groups: dict[Look, list[int]] = defaultdict(list)
    for i, item in enumerate(lexicon.items):
        groups[_look(item, float(alpha[i]), colour)].append(i)
    return [group for group in groups.values() if len(group) > 1]


def item_permutations(lexicon: Lexicon, alpha: np.ndarray) -> list[np.ndarray]:
    """Return the permutations of items by renamings of categories and licensees.

    Parameters
    ----------
    lexicon, alpha
        As for :func:`tied_items`.

    Returns
    -------
    list of ndarray of shape (items,)
        ``p`` such that item ``i`` plays the part of item ``p[i]``; the identity first. The identity
        alone if there are more than 720 renamings to try.

    Examples
    --------
    >>> from otlab.samples import load_sample
    >>> lexicon = load_sample("gender_induction")
    >>> len(item_permutations(lexicon, lexicon.alphas()))
    2
    """
    classes: dict[int, list[Name]] = defaultdict(list)
    for name, colour in _colours(lexicon, alpha).items():
        classes[colour].append(name)
    groups = [group for group in classes.values() if len(group) > 1]
    if prod(factorial(len(group)) for group in groups) > _MOST_RENAMINGS:
        return [np.arange(len(lexicon))]
    number = {_renamed(item, float(alpha[i]), {}): i for i, item in enumerate(lexicon.items)}
    found = []
    for choice in product(*(permutations(group) for group in groups)):
        renaming = {
            old: new
            for group, names in zip(groups, choice, strict=True)
            for old, new in zip(group, names, strict=True)
        }
        renamed = [
            number.get(_renamed(item, float(alpha[i]), renaming)) for i, item in enumerate(lexicon.items)
        ]
        if None not in renamed:
            found.append(np.array(renamed, dtype=np.int64))
    return found


def _renamed(item: LexicalItem, alpha: float, renaming: dict[Name, Name]) -> Look:
    names = (_name(f.kind, f.name) for f in item.features)
    kinds = (f.kind for f in item.features)
    return (item.words, alpha, tuple(zip(kinds, (renaming.get(n, n) for n in names), strict=True)))


def symmetry_warning(lexicon: Lexicon, alpha: np.ndarray, counts: np.ndarray) -> str | None:
    """Return a warning if tied items have equal counts, else None.

    Parameters
    ----------
    lexicon, alpha
        As for :func:`tied_items`.
    counts : ndarray of shape (items,)
        Expected counts at the start.
    """
    tied = [
        g for g in tied_items(lexicon, alpha) if counts[g[0]] > 0 and np.ptp(counts[g]) <= 1e-9 * counts[g[0]]
    ]
    if not tied:
        return None
    shown = "; ".join(", ".join(lexicon.texts[i] for i in group) for group in tied[:4])
    more = f" and {len(tied) - 4} more groups" if len(tied) > 4 else ""
    return (
        f"symmetric start: tied items {shown}{more} keep equal counts in every iteration; start from jitter"
    )


def _colours(lexicon: Lexicon, alpha: np.ndarray) -> dict[Name, int]:
    names = {_name(f.kind, f.name): 0 for i in lexicon.items for f in i.features}
    colour = {name: int(not name[0] and name[1] in lexicon.start) for name in names}
    while True:
        seen: dict[Name, list[str]] = defaultdict(list)
        for item, pseudo_count in zip(lexicon.items, alpha, strict=True):
            look = _look(item, float(pseudo_count), colour)
            for place, feature in enumerate(item.features):
                seen[_name(feature.kind, feature.name)].append(repr((place, look)))
        palette: dict[Look, int] = {}
        finer = {n: palette.setdefault((colour[n], *sorted(seen[n])), len(palette)) for n in names}
        if len(palette) == len(set(colour.values())):
            return finer
        colour = finer


def _look(item: LexicalItem, alpha: float, colour: dict[Name, int]) -> Look:
    """Return an item with names replaced by their colours."""
    features = tuple((f.kind, colour[_name(f.kind, f.name)]) for f in item.features)
    return (item.words, alpha, features)


def _name(kind: str, name: str) -> Name:
    return kind in ("licensor", "licensee"), name
