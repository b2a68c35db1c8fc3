"""Lexicon induction: learn with a sparse prior which entries of a pool the corpus needs.

This goes beyond Portelance et al. (2022). The pool has every word with every feature
sequence of a spoken item, and every silent item. With a small alpha, VB gives expected
counts near 0 to the entries that the corpus does not need.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from otlab.mg.learners.fit import induce
from otlab.mg.lexicon import LexicalItem, Lexicon

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from otlab.mg.learners.induction import Induction

__all__ = ["LexiconInduction", "induce_lexicon", "pool_of"]


@dataclass(frozen=True)
class LexiconInduction:
    """The result of lexicon induction: the surviving entries.

    Attributes
    ----------
    induction
        The result of VB on the whole pool.
    survivors
        The entries with an expected count of at least `threshold`.
    threshold
        The smallest expected count of a survivor.
    """

    induction: Induction
    survivors: tuple[LexicalItem, ...]
    threshold: float

    @property
    def lexicon(self) -> Lexicon:
        """The pool without the entries whose expected count is below the threshold."""
        return self.induction.grammar.lexicon.with_items(self.survivors)

    def precision_and_recall(self, truth: Iterable[LexicalItem]) -> tuple[float, float]:
        """Return the share of survivors that are true, and of true entries that survived.

        True entries that the corpus does not use lower recall: pass only those that it uses.
        """
        true, kept = set(truth), set(self.survivors)
        both = len(true & kept)
        return both / max(1, len(kept)), both / max(1, len(true))


def pool_of(lexicon: Lexicon, words: Iterable[str] | None = None) -> Lexicon:
    """Return the pool: every word with the features of every spoken item, and the silent items.

    Parameters
    ----------
    lexicon
        The lexicon whose feature sequences are taken.
    words
        The words; those of the lexicon if None.
    """
    spoken = [i for i in lexicon.items if i.words]
    frames = dict.fromkeys(i.features for i in spoken)
    forms = dict.fromkeys(i.words for i in spoken) if words is None else dict.fromkeys((w,) for w in words)
    candidates = [LexicalItem(w, f) for f in frames for w in forms]
    return lexicon.with_items([*candidates, *(i for i in lexicon.items if i.silent)])


def induce_lexicon(
    pool: Lexicon,
    corpus: Iterable[Sequence[str]],
    *,
    alpha: float = 0.05,
    iterations: int = 200,
    restarts: int = 10,
    threshold: float = 0.5,
    seed: int | None = None,
    threads: int | None = None,
) -> LexiconInduction:
    r"""Prune a pool of candidate entries by VB with a sparse prior.

    Parameters
    ----------
    pool
        Candidate entries, for example from :func:`pool_of`.
    corpus
        Sentences.
    alpha
        Pseudo-count of every entry; well below 1.
    iterations, restarts, seed, threads
        As for :func:`~otlab.mg.learners.fit.induce`; the starts are jittered.
    threshold
        Expected uses that an entry needs to survive.

    Raises
    ------
    InputError
        If no sentence can be parsed with the pool.

    Examples
    --------
    >>> from otlab.mg import loads
    >>> pool = loads("@start v\nMary :: d\nMary :: d= v\nsleeps :: d\nsleeps :: d= v")
    >>> induce_lexicon(pool, [("Mary", "sleeps")] * 20, seed=1).survivors
    (<Mary :: d>, <sleeps :: d= v>)
    """
    induction = induce(
        pool,
        corpus,
        alpha=alpha,
        iterations=iterations,
        init="jitter",
        restarts=restarts,
        seed=seed,
        threads=threads,
    )
    kept = np.flatnonzero(induction.snapshot.counts >= threshold)
    return LexiconInduction(induction, tuple(pool.items[i] for i in kept), threshold)
