"""Choose one segmentation from posteriors: by a threshold, or by minimum risk over sampled trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.kernels.segmentations import fewest_wrong_words

if TYPE_CHECKING:
    from otlab.discovery.corpus import Corpus

__all__ = ["minimum_risk", "threshold"]


def threshold(corpus: Corpus, ends: np.ndarray, least: float = 0.5) -> np.ndarray:
    """Cut wherever the posterior of a boundary is at least `least`.

    Parameters
    ----------
    corpus
        The text.
    ends : ndarray of shape (phones,)
        Posterior that a word ends after each phone.
    least
        In (0, 1).
    """
    out: np.ndarray = np.asarray(ends) >= least
    out[corpus.offsets[1:] - 1] = True
    return out


def minimum_risk(corpus: Corpus, samples: np.ndarray) -> np.ndarray:
    """Return the segmentation with the fewest expected wrong and missed words.

    Each span's probability of being a word is its share of the samples; the best path
    maximises the sum of (2 p - 1) over its words.

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
