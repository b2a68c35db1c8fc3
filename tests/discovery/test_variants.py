"""Stored words that are variants of others: gains against a naive log probability, and which are moved."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.discovery.channel.channel import Edits
from otlab.discovery.channel.trie import build_trie
from otlab.discovery.channel.variants import Seating, moved
from otlab.discovery.kernels.layout import Limits
from tests.discovery import naive

A, B, C = 0, 1, 2


def no_edits(operation=(0.0, 0.0, 0.0, 0.0)):
    return Edits(np.array(operation), np.zeros(3), np.zeros((3, 3)))


def seating(uses, operation=(600.0, 0.0, 0.0, 0.0)):
    return Seating(
        np.array(uses, dtype=float), np.full(len(uses), -9.0), no_edits(operation), Edits.prior(3), 5.0, 0.3
    )


def test_the_gain_is_the_difference_of_two_log_probabilities():
    """Six uses of word 1 become uses of word 0 with one substitution a -> c and one deletion."""
    state = seating([20, 6, 3])
    change = no_edits((-6.0, 6.0, 0.0, 6.0))
    change.substitution[A, C] = 6.0

    def log_probability(sizes, built, operation, row):
        tables = ["x" * n for n in sizes]
        total = naive.log_seating(tables, 5.0, 0.3) + built * -9.0
        total += naive.log_dirichlet_multinomial(operation, [20, 1, 1, 1])
        return total + naive.log_dirichlet_multinomial(row, [0.1, 0.1])

    before = log_probability([20, 6, 3], 3, [600, 0, 0, 0], [0, 0])
    after = log_probability([26, 3], 2, [594, 6, 0, 6], [0, 6])
    assert state.gain(1, 0, change) == pytest.approx(after - before, abs=1e-9)


def test_frequent_variants_are_moved_and_a_minimal_pair_stays():
    words = [np.array(w) for w in ([A, B, A, B], [A, B, C, B], [B, B, A], [C, B, A])]
    state = seating([100, 2, 90, 80], (1200.0, 0.0, 0.0, 0.0))
    stays = moved(state, words, build_trie(words, 3), Limits())
    assert stays.tolist() == [True, False, True, True]
    assert state.uses.tolist() == [102.0, 0.0, 90.0, 80.0]
    assert state.edits.operation.tolist() == [1198.0, 2.0, 0.0, 0.0]
    assert state.edits.substitution[A, C] == 2.0
