"""Draws, their summaries and whether to trust them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from otlab.inference import Posterior
from otlab.inference.diagnostics import assess

RNG = np.random.default_rng(4)
GOOD = RNG.normal([0.0, 5.0], [1.0, 2.0], size=(4, 1000, 2))


def posterior(draws):
    return Posterior({"value": draws}, {"constraint": ("A", "B")}, {"value": ("constraint",)}, "gibbs", 1)


def test_summary_of_independent_draws():
    table = posterior(GOOD).summary("value")
    assert list(table.index) == ["A", "B"]
    pooled = GOOD.reshape(-1, 2)
    np.testing.assert_allclose(table["mean"], pooled.mean(0))
    np.testing.assert_allclose(table["low"], np.quantile(pooled, 0.025, axis=0))
    assert (table["rhat"] < 1.01).all()
    # Standard deviation of an ESS estimate here is below 5 %.
    assert (abs(table["ess"] / 4000 - 1) < 0.25).all()


def test_autocorrelation_lowers_the_effective_sample_size():
    rho, noise = 0.9, RNG.normal(size=(4, 4000))
    chain = np.empty_like(noise)
    chain[:, 0] = noise[:, 0] / np.sqrt(1 - rho**2)
    for t in range(1, chain.shape[1]):
        chain[:, t] = rho * chain[:, t - 1] + noise[:, t]
    expected = chain.size * (1 - rho) / (1 + rho)
    assert assess(chain[..., None]).ess[0] == pytest.approx(expected, rel=0.35)


@pytest.mark.parametrize(
    ("draws", "verdict"),
    [
        (GOOD, "Converged"),
        (GOOD[:, :60], "Keep running"),
        (GOOD + np.arange(4)[:, None, None], "Not converged"),
        (GOOD[:, :20], "Not converged"),
        (GOOD[:, :5], "Too early to say"),
        (np.zeros((4, 100, 2)), "Too early to say"),
        (np.zeros((4, 100, 0)), "Too early to say"),
    ],
)
def test_the_badge(draws, verdict):
    assert assess(draws).verdict == verdict


def test_a_constant_beside_a_moving_quantity_is_left_out():
    draws = GOOD.copy()
    draws[..., 1] = 3.0
    trust = assess(draws)
    assert np.isnan(trust.rhat[1])
    assert trust.verdict == "Converged"


def test_inferencedata_keeps_names():
    tree = posterior(GOOD).to_inferencedata()
    assert tree["posterior"]["value"].dims == ("chain", "draw", "constraint")
    assert list(tree["posterior"]["constraint"].values) == ["A", "B"]


def test_netcdf_keeps_draws_seed_settings_and_versions(tmp_path):
    import xarray

    (tmp_path / "draws.nc").write_bytes(posterior(GOOD).to_netcdf())
    with xarray.open_datatree(tmp_path / "draws.nc", engine="h5netcdf") as tree:
        group = tree["posterior"]
        assert group.attrs["seed"] == posterior(GOOD).seed
        assert json.loads(group.attrs["settings"]) == dict(posterior(GOOD).settings)
        assert json.loads(group.attrs["versions"]) == dict(posterior(GOOD).versions)
        (name,) = posterior(GOOD).draws
        np.testing.assert_array_equal(group[name].to_numpy(), posterior(GOOD).draws[name])
