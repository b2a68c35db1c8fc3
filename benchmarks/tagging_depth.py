"""Trigrams against their floor: three matrix products of a trigram E-step by themselves, cache-resident.

For a token they are, for each of 50 states, 50 x 50 by 50 x 1 three times; here for 256 tokens together.
``python -m benchmarks tagging_depth``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.tagging import STATES, Climber, below, by_turns, corpus
from otlab.inference.blas import one_blas_thread
from otlab.tagging import TrigramEM

if TYPE_CHECKING:
    from benchmarks.measure import Row
    from otlab.tagging import Corpus

__all__ = ["run"]

TOGETHER = 256
ROUNDS = 20
SENTENCES = 2000


def run() -> dict[str, Row]:
    """Return all lines."""
    return trigrams(corpus())


def trigrams(text: Corpus) -> dict[str, Row]:
    """A trigram E-step against its matrix products alone."""
    part = text.first(SENTENCES)
    climber = Climber(TrigramEM(part, STATES))
    shape = (STATES, STATES, TOGETHER)
    right, out = np.random.default_rng(1).random(shape), np.empty(shape)
    left = np.random.default_rng(2).random((STATES,) * 3)

    def products() -> None:
        with one_blas_thread():
            for _ in range(3 * ROUNDS):
                np.matmul(left, right, out=out)

    ours, lower = by_turns(climber.expect, products, repeats=3)
    ours = [s / part.tokens for s in ours]
    lower = [s / (ROUNDS * TOGETHER) for s in lower]
    row = below("floor: three products for each state", "us/token", ours, lower, 2, 1e6)
    return {"tagging_trigram_e_step_vs_gemm_floor": row}
