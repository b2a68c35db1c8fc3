"""Small loops over labelled tokens: drawing labels, and counting them against tags."""

from __future__ import annotations

import numpy as np

from otlab.inference.jit import kernel

__all__ = ["count_pairs", "draw_labels"]


@kernel
def draw_labels(rng, words, cumulative, labels):
    """Draw each token's label from its word's row of cumulative weights."""
    states = cumulative.shape[1]
    for i in range(words.size):
        row = cumulative[words[i]]
        u = rng.random() * row[states - 1]
        label = np.searchsorted(row, u, side="right")
        labels[i] = min(label, states - 1)


@kernel
def count_pairs(labels, tags, folds, table):
    """Count tokens by fold, label and tag."""
    for i in range(labels.size):
        table[folds[i], labels[i], tags[i]] += 1
