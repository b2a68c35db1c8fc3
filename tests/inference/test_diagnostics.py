"""R-hat and effective sample sizes of chains that stand still."""

from __future__ import annotations

import numpy as np

from otlab.inference.diagnostics import assess


def test_a_quantity_that_stands_still_in_each_half_chain_has_no_r_hat_yet():
    draws = np.random.default_rng(1).normal(size=(2, 20, 3))
    alone = assess(draws[..., [1]])
    draws[:, :, 0] = [[0.0], [1.0]]  # each chain at a value of its own
    draws[:, :10, 2], draws[:, 10:, 2] = 0.0, 1.0  # moves between the halves only
    trust = assess(draws)
    assert np.isnan(trust.rhat).tolist() == [True, False, True]
    assert np.isnan(trust.ess).tolist() == [True, False, True]
    assert (trust.rhat[1], trust.ess[1]) == (alone.rhat[0], alone.ess[0])


def test_nothing_is_said_while_all_chains_stand_still():
    draws = np.zeros((2, 20, 1))
    draws[1] = 1.0
    assert assess(draws).verdict == "Too early to say"
