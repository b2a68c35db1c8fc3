"""Whether an objective is at rest: that of EM or VB no longer changes, that of a sampler no longer climbs."""

from __future__ import annotations

import numpy as np

__all__ = [
    "AT_REST",
    "NOT_CONVERGED",
    "STILL_CLIMBING",
    "STILL_IMPROVING",
    "TOO_EARLY",
    "WINDOW",
    "climbed",
    "moved",
    "unrest",
]

WINDOW = 10
"""Iterations over which an objective must be stable."""
AT_REST = 5e-3
"""Nats per token by which it may change in that window."""
TOO_EARLY, STILL_IMPROVING, STILL_CLIMBING = "too early to say", "still improving", "still climbing"
NOT_CONVERGED = "not converged"
"""What is wrong with chains that have not met."""


def moved(traces: np.ndarray, tokens: int) -> float:
    """Return the change of an objective over the last iterations, in nats per token; NaN if too few.

    Parameters
    ----------
    traces : ndarray of shape (runs, iterations + 1)
        The objective of each run after each iteration.
    tokens
        The number of tokens.
    """
    if traces.shape[1] <= WINDOW:
        return float("nan")
    return float(np.abs(traces[:, -1] - traces[:, -1 - WINDOW]).max() / max(tokens, 1))


def climbed(traces: np.ndarray, tokens: int) -> float:
    """Return by how much the mean of a trace's last quarter exceeds that before it, in nats per token."""
    quarter = traces.shape[1] // 4
    if quarter < WINDOW:
        return 0.0
    last, before = traces[:, -quarter:], traces[:, -2 * quarter : -quarter]
    return float((last.mean(1) - before.mean(1)).max() / max(tokens, 1))


def unrest(traces: np.ndarray, tokens: int, *, sampler: bool = False) -> str:
    """Return why runs cannot be taken for ended ones; empty if their objective is at rest.

    >>> unrest(np.zeros((1, 5)), 100), unrest(np.arange(20.0)[None], 100), unrest(np.ones((1, 20)), 100)
    ('too early to say', 'still improving', '')
    """
    change = moved(traces, tokens)
    if np.isnan(change):
        return TOO_EARLY
    if sampler:
        return STILL_CLIMBING if climbed(traces, tokens) > AT_REST else ""
    return STILL_IMPROVING if change > AT_REST else ""
