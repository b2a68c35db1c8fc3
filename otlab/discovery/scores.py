"""Scores of a segmentation: precision, recall and F of tokens, boundaries and lexicon.

A *token* is right when both its edges are right and nothing is cut inside; a *boundary*
is the place between two phones, scored without the utterance's own edges and, as a
second figure, with them; the *lexicon* is the set of word types. Precision is over
what was found, recall over gold, F their harmonic mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from otlab.discovery.corpus import Corpus

__all__ = ["Ratio", "Scores", "score", "word_edges"]


@dataclass(frozen=True)
class Ratio:
    """Precision, recall and F.

    >>> Ratio(found=4, gold=2, right=2)
    Ratio(p=0.500, r=1.000, f=0.667)
    """

    found: int
    gold: int
    right: int

    @property
    def precision(self) -> float:
        """Right over found; 0 if nothing was found."""
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """Right over gold; 0 if there is no gold."""
        return self.right / self.gold if self.gold else 0.0

    @property
    def f(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.right / (self.found + self.gold) if self.found + self.gold else 0.0

    def __repr__(self) -> str:
        return f"Ratio(p={self.precision:.3f}, r={self.recall:.3f}, f={self.f:.3f})"


@dataclass(frozen=True)
class Scores:
    """All scores of one segmentation against gold."""

    token: Ratio
    boundary: Ratio
    boundary_with_edges: Ratio
    lexicon: Ratio

    def as_dict(self) -> dict[str, float]:
        """Return the figures by the names of the command line's contract."""
        named = {"token": self.token, "boundary": self.boundary, "lexicon": self.lexicon}
        flat = {
            f"{name}_{short}": value
            for name, ratio in named.items()
            for short, value in (("p", ratio.precision), ("r", ratio.recall), ("f", ratio.f))
        }
        return {**flat, "boundary_f_with_edges": self.boundary_with_edges.f}


def score(corpus: Corpus, ends: np.ndarray) -> Scores | None:
    r"""Score a segmentation.

    Parameters
    ----------
    corpus
        With gold.
    ends : bool ndarray of shape (phones,)
        Whether a word ends after this phone. The last phone of an utterance always
        ends one, whatever stands here.

    Returns
    -------
    Scores or None
        None if the corpus has no gold.

    Examples
    --------
    >>> from otlab.discovery import Corpus
    >>> corpus = Corpus.from_text("the dog\nthe cat")
    >>> score(corpus, corpus.gold).token.f
    1.0
    """
    if corpus.gold is None:
        return None
    last = corpus.offsets[1:] - 1
    inside = np.ones(corpus.phones.size, dtype=bool)
    inside[last] = False
    found, gold = (_edges(corpus, e) for e in (ends, corpus.gold))
    boundary = Ratio(*(int(np.count_nonzero(e & inside)) for e in (found, gold, found & gold)))
    edges = 2 * len(corpus)
    both = Ratio(boundary.found + edges, boundary.gold + edges, boundary.right + edges)
    return Scores(_tokens(found, gold), boundary, both, _overlap(_types(corpus, found), _types(corpus, gold)))


def word_edges(corpus: Corpus, ends: np.ndarray) -> tuple[list[int], list[int]]:
    """Return the first phone of each word, and of the next, in the flat array."""
    stops = np.flatnonzero(_edges(corpus, ends)) + 1
    starts = np.concatenate([[0], stops[:-1]])
    return starts.tolist(), stops.tolist()


def _edges(corpus: Corpus, ends: np.ndarray) -> np.ndarray:
    out = np.array(ends, dtype=bool)
    out[corpus.offsets[1:] - 1] = True
    return out


def _tokens(found: np.ndarray, gold: np.ndarray) -> Ratio:
    """Count words with both edges in both, and no cut between them in either."""
    both = np.flatnonzero(found & gold)
    cuts = np.stack([np.cumsum(found)[both], np.cumsum(gold)[both]])
    right = (np.diff(cuts, prepend=0, axis=1) == 1).all(axis=0)
    return Ratio(int(found.sum()), int(gold.sum()), int(right.sum()))


def _types(corpus: Corpus, ends: np.ndarray) -> set[bytes]:
    starts, stops = word_edges(corpus, ends)
    return {corpus.phones[a:b].tobytes() for a, b in zip(starts, stops, strict=True)}


def _overlap(found: set[bytes], gold: set[bytes]) -> Ratio:
    return Ratio(len(found), len(gold), len(found & gold))
