"""Bootstrap intervals against the binomial, and priors with low faithfulness or variances."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.ot import bootstrap, read
from otlab.ot.analysis.bootstrap import resampled
from otlab.ot.learners.gibbs import GibbsSettings, make_gibbs
from otlab.ot.learners.maxent import MaxEntSettings, make_maxent

TABLE, DUTCH = read("lin2005_table1"), read("dutch_final_devoicing")


@pytest.mark.slow
def test_a_share_varies_as_the_binomial_does():
    found = bootstrap(TABLE, "maxent", replicates=120, seed=3, weights="free")
    exact = math.sqrt(0.77 * 0.23 / 100)
    assert found.predictions["sd"].iloc[0] == pytest.approx(exact, rel=4.5 / math.sqrt(240))
    assert found.predictions["low"].iloc[0] == pytest.approx(0.77 - 1.96 * exact, abs=0.035)
    assert found.predictions["high"].iloc[0] == pytest.approx(0.77 + 1.96 * exact, abs=0.035)
    assert found.parameters.index.tolist() == list(TABLE.constraints)
    again = bootstrap(TABLE, "maxent", replicates=5, seed=3, weights="free")
    np.testing.assert_array_equal(found.values[:5], again.values)


def test_stochastic_ot_has_intervals_too():
    found = bootstrap(TABLE, "mle", replicates=20, seed=1)
    assert found.values.shape == (20, 3)
    assert 0.02 < found.predictions["sd"].iloc[0] < 0.08


def test_inputs_keep_their_numbers_of_observations():
    spanish = read("spanish")
    drawn = resampled(spanish, np.random.default_rng(1))
    np.testing.assert_array_equal(np.add.reduceat(drawn.frequencies, spanish.offsets[:-1]), 10)
    assert drawn.frequencies[1] == 0
    silent = replace(
        spanish, frequencies=np.where(np.arange(spanish.n_rows) < spanish.offsets[1], 0, spanish.frequencies)
    )
    again = resampled(silent, np.random.default_rng(1))
    assert not again.frequencies[: spanish.offsets[1]].any()  # an input without data stays one


def test_how_far_the_samples_are_is_told():
    told = []
    bootstrap(TABLE, replicates=4, seed=1, watch=told.append)
    assert told == [0.25, 0.5, 0.75, 1.0]


def test_what_makes_no_sense_is_refused():
    with pytest.raises(InputError, match="no learner is called 'maxnet'; did you mean maxent"):
        bootstrap(TABLE, "maxnet")
    with pytest.raises(InputError, match="bootstrap of maxent has no option 'noise'"):
        bootstrap(TABLE, "maxent", noise=1.0)
    with pytest.raises(InputError, match="draw 2 or more"):
        bootstrap(TABLE, replicates=1)


def test_faithfulness_is_low_by_one_setting():
    prior = make_gibbs(DUTCH, GibbsSettings(prior_sd=2.0, faithfulness_low=3.0)).prior
    assert prior.mean.tolist() == [3.0, -3.0, 3.0]
    assert prior.sd.tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(InputError, match="give its standard deviation"):
        make_gibbs(DUTCH, GibbsSettings(faithfulness_low=3.0))
    with pytest.raises(InputError, match="--prior has means of its own"):
        make_gibbs(DUTCH, GibbsSettings(faithfulness_low=3.0, prior="bias.txt"))


def test_the_third_column_may_hold_variances(tmp_path):
    path = tmp_path / "bias.txt"
    path.write_text("C1\t0\t4\nC2\t0\t9\nC3\t1\t16\n")
    by_sd = make_maxent(TABLE, MaxEntSettings(prior=path)).prior
    by_variance = make_maxent(TABLE, MaxEntSettings(prior=path, prior_variances=True)).prior
    assert by_sd.sd.tolist() == [4, 9, 16]
    assert by_variance.sd.tolist() == [2, 3, 4]
