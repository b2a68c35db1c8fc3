"""Simulation-based calibration of the samplers: what is learnt has uniform ranks among its draws."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.tagging_calibration import DRAWS, MODELS, main, ranks, uniformity

SETS = {"pitman-yor": 40}  # it is the slowest


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_ranks_of_what_was_drawn_from_the_prior_are_uniform(name):
    """With p > .001 after Bonferroni; `python -m benchmarks tagging_calibration` takes more texts."""
    sets = SETS.get(name, 60)
    found = ranks(name, sets)
    for value, row in found.items():
        assert row.size == sets
        assert uniformity(row) > 0.001 / len(found), (value, np.bincount(row // 10))


def test_ranks_that_lean_to_one_side_are_told_apart():
    rng = np.random.default_rng(1)
    assert uniformity(rng.integers(0, DRAWS + 1, 300)) > 1e-6
    assert uniformity((DRAWS * rng.random(300) ** 1.5).astype(int)) < 1e-6


def test_the_command_prints_a_p_value_for_each_parameter(capsys):
    assert main(["gibbs", "--sets", "2"]) == 0
    printed = capsys.readouterr().out
    assert "gibbs" in printed
    assert "emission_prior" in printed
    assert "transition_prior" in printed
    with pytest.raises(SystemExit):
        main(["nothing"])
