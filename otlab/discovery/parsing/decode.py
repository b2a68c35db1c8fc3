"""Choose one segmentation given posteriors, by a threshold or by minimum risk over sampled trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.kernels.segmentations import fewest_wrong_words

if TYPE_CHECKING:
    from otlab.discovery.corpus import Corpus

__all__ = ["minimum_risk", "threshold"]


def threshold(corpus: Corpus, ends: np.ndarray, least: float = 0.5) -> np.ndarray:
    """Return the segmentation with a boundary wherever its posterior is at least `least`.

    Parameters
    ----------
    corpus
        The text.
    ends : ndarray of shape (phones,)
        Posterior that a word ends after each phone.
    least
        Threshold, in (0, 1).
    """
    out: np.ndarray = np.asarray(ends) >= least
    out[corpus.offsets[1:] - 1] = True
    return out


def minimum_risk(corpus: Corpus, samples: np.ndarray) -> np.ndarray:
    """Return the segmentation with the lowest expected number of wrong and missed words.

    The probability p of a word is its share in the samples; the best path maximises the sum of
    (2 p - 1) over its words.

    Parameters
    ----------
    corpus
        The text.
    samples : bool ndarray of shape (samples, phones)
        Sampled segmentations; at least one.
    """
    ends = np.array(samples, dtype=bool)
    ends[:, corpus.offsets[1:] - 1] = True
    out = np.zeros(corpus.phones.size, dtype=bool)
    fewest_wrong_words(corpus.offsets, ends, int(corpus.lengths.max()), out)
    return out
