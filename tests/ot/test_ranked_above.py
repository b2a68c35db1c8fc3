"""How probable it is that one constraint is ranked above another, against evaluations drawn one by one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from otlab.errors import InputError
from otlab.ot import fit_exact, fit_gibbs, fit_maxent, fit_mixtures, fit_unknown_noise, ranked_above, read

ILOKANO = read("ilokano")


def selection_points(fit, rng, per_draw=20):
    """Return points of evaluations under the draws, (n, K), by the definition of each model."""
    posterior = fit.posterior

    def of_draws(name):
        return np.repeat(posterior.pooled(name), per_draw, axis=0)

    values = of_draws("ranking_value")
    noise = of_draws("noise") if "noise" in posterior.draws else fit.settings["noise"]
    if "share_higher" in posterior.draws:
        share = of_draws("share_higher")
        chosen = np.where(rng.random(values.shape) < share, of_draws("higher"), of_draws("lower"))
        values = np.where(np.isnan(share), values, chosen)
    return values + noise * rng.standard_normal(values.shape)


FITS = {
    "gibbs": lambda: fit_gibbs(ILOKANO, sweeps=1100, chains=2, seed=1),
    "unknown-noise": lambda: fit_unknown_noise(ILOKANO, sweeps=700, chains=2, seed=1),
    "mixtures": lambda: fit_mixtures(ILOKANO, mixed=("AL",), sweeps=700, chains=2, seed=1),
}


@pytest.mark.parametrize("learner", FITS)
def test_it_is_how_often_evaluations_rank_so(learner):
    fit = FITS[learner]()
    above, points = ranked_above(fit), selection_points(fit, np.random.default_rng(2))
    for a, name in enumerate(above.constraints):
        for b, other in enumerate(above.constraints):
            if a == b:
                assert np.isnan(above.mean[a, b])
                continue
            one, two = (points[:, ILOKANO.constraints.index(n)] for n in (name, other))
            assert above.mean[a, b] == pytest.approx((one > two).mean(), abs=2.5 / np.sqrt(len(points)))
            assert above.low[a, b] <= above.mean[a, b] <= above.high[a, b]


def test_both_orders_of_a_pair_add_up_and_the_highest_is_first():
    above = ranked_above(fit_exact(read("spanish"), sweeps=1500, chains=2, seed=1))
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose((above.mean + above.mean.T)[off], 1.0)
    np.testing.assert_allclose((above.low + above.high.T)[off], 1.0)
    assert above.constraints[:2] == ("A", "M")
    table = above.to_pandas().set_index(["higher", "lower"])
    assert len(table) == 12
    assert table.loc[("A", "M"), "mean"] == above.mean[0, 1]


def test_one_pair_by_hand():
    fit = fit_exact(ILOKANO, sweeps=600, chains=1, seed=3)
    values = fit.posterior.pooled("ranking_value")
    by_hand = norm.cdf((values[:, 1] - values[:, 2]) / np.sqrt(2))
    above = ranked_above(fit)
    a, b = (above.constraints.index(name) for name in ("AL", "I_BR"))
    assert above.mean[a, b] == pytest.approx(by_hand.mean(), abs=1e-12)
    assert [above.low[a, b], above.high[a, b]] == pytest.approx(np.quantile(by_hand, [0.025, 0.975]))


def test_without_draws_of_ranking_values_it_is_refused():
    with pytest.raises(InputError, match="run gibbs or exact"):
        ranked_above(fit_maxent(ILOKANO))
