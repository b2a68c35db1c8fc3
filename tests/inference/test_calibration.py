"""Short forms of ``python -m benchmarks calibration``, and that it finds samplers that are wrong."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.calibration import DRAWS, SAMPLERS, Sampler, bins_of, calibrate, main, p_values

pytestmark = pytest.mark.slow

BINS, LEAST_P = 4, 6.8e-6  # 4.5 standard errors
SETS = {"hmm-explicit": 40, "adaptor-grammar": 40}


@pytest.mark.parametrize("name", SAMPLERS)
def test_what_is_planted_has_uniform_ranks_among_the_draws(name):
    ranks = calibrate(SAMPLERS[name], SETS.get(name, 64), seed=3)
    found = p_values(ranks, BINS)
    assert min(found) > LEAST_P, [bins_of(column, BINS) for column in ranks.T]


def normal(scale, shift=0.0):
    """A sampler of one value with one noisy observation, with a wrong spread or place."""

    def one_set(rng):
        value = rng.standard_normal()
        seen = value + rng.standard_normal()
        draws = shift + seen / 2 + scale * np.sqrt(0.5) * rng.standard_normal((DRAWS, 1))
        return [value], draws

    return Sampler("normal", ("value",), one_set)


def test_a_sampler_that_is_right_passes_and_one_that_is_wrong_does_not():
    assert p_values(calibrate(normal(1.0), 500, 1), BINS)[0] > LEAST_P
    for wrong in (normal(0.6), normal(1.6), normal(1.0, 0.4)):
        assert p_values(calibrate(wrong, 500, 1), BINS)[0] < LEAST_P


def test_equal_values_have_random_ranks():
    coin = Sampler("coin", ("side",), lambda rng: ([rng.integers(2)], rng.integers(0, 2, (DRAWS, 1))))
    assert p_values(calibrate(coin, 2000, 1))[0] > LEAST_P


def test_the_command_prints_a_histogram_and_a_verdict(capsys):
    assert main(["--sampler", "mg-gibbs", "--sets", "32"]) == 0
    out = capsys.readouterr().out
    assert "mg-gibbs: 32 sets" in out
    assert out.count("p = ") == 5
    assert "  uniform: least p" in out
