"""Gibbs sampler with latent parses: quadrature, slots, and the Gibbs sampler where parses are unique."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chisquare, kstest, norm

from otlab import load_sample
from otlab.errors import InputError
from otlab.ot import read_text
from otlab.ot.kernels.latent import (
    allowed_by_candidates,
    allowed_by_states,
    draw_from_slots,
    find_slots,
    intersect,
    normal_mass,
)
from otlab.ot.learners.interpretive import lay_out_states
from otlab.ot.learners.latent import LatentGibbs
from otlab.ot.learners.priors import equal_prior
from otlab.ot.orders import evaluate, order_of
from otlab.ot.overt import overt_forms_of
from otlab.ot.probability import predict_many
from tests.ot.test_interpretive import SMALL, learnt, stress

CASES = {
    "two parses": SMALL.replace("L L1,2,1", "L L1,0,1"),
    "three parses": (
        "Input,Output,Overt,Count,C1,C2,C3\nx,a1,a,4,0,1,1\nx,a2,a,0,1,0,1\nx,a3,a,0,1,1,0\nx,b,b,3,0,0,2\n"
        "z,c,c,2,0,1,0\nz,d,d,3,1,0,0\n"
    ),
    "both sides": (
        "Input,Output,Overt,Count,C1,C2,C3\nx,a1,a,3,0,2,1\nx,a2,a,0,2,0,1\nx,b1,b,2,1,1,0\nx,b2,b,0,0,1,2\n"
    ),
}


def test_an_interval_is_drawn_from_by_its_probability():
    edges = np.array([np.inf, 2.0, 1.0, 0.0, -1.0, -np.inf])
    allowed = np.array([False, True, True, False, True])
    rng = np.random.default_rng(1)
    draws = np.array([draw_from_slots(rng, 0.3, 1.5, edges, allowed, 5) for _ in range(20_000)])
    inside = ((draws > 0) & (draws < 2)) | (draws < -1)
    assert inside.all()
    upper, lower = normal_mass(0.0, 2.0, 0.3, 1.5), normal_mass(-np.inf, -1.0, 0.3, 1.5)
    assert upper == pytest.approx(norm.cdf(2, 0.3, 1.5) - norm.cdf(0, 0.3, 1.5))
    share = upper / (upper + lower)
    assert abs((draws > 0).mean() - share) < 4.5 * np.sqrt(share * (1 - share) / draws.size)
    below = draws[draws < -1]
    assert kstest(below, lambda x: norm.cdf(x, 0.3, 1.5) / norm.cdf(-1, 0.3, 1.5)).pvalue > 1e-4


def test_far_from_the_mean_the_nearest_interval_is_taken():
    edges, allowed = np.array([np.inf, 500.0, -900.0, -np.inf]), np.array([True, False, True])
    assert draw_from_slots(np.random.default_rng(1), 0.0, 1.0, edges, allowed, 3) > 500


def quadrature(tableau, noise, sd):
    """Return mean and sd of each ranking value under a normal prior, by a grid over three values."""
    grid = np.linspace(-4 * sd, 4 * sd, 33)
    points = np.stack(np.meshgrid(grid, grid, grid, indexing="ij"), axis=-1).reshape(-1, 3)
    forms = overt_forms_of(tableau)
    counts = forms.sums(np.asarray(tableau.frequencies))
    with np.errstate(divide="ignore"):
        logs = np.log(forms.sums(predict_many(tableau, points, noise, seed=0)))
    heard = counts > 0
    density = np.exp(logs[:, heard] @ counts[heard] - (points**2).sum(axis=1) / (2 * sd**2))
    density /= density.sum()
    mean = density @ points
    return mean, np.sqrt(density @ (points - mean) ** 2)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_posterior_is_that_of_quadrature(case):
    tableau = read_text(CASES[case])
    mean, sd = quadrature(tableau, 1.0, 2.0)
    fit = learnt("latent-gibbs", tableau, sweeps=6000, noise=1.0, prior_sd=2.0)
    draws = fit.posterior.pooled("ranking_value")
    centred = mean - mean.mean()  # draws are kept centred
    error = draws.std(axis=0) / np.sqrt(fit.trust.ess)
    assert np.all(np.abs(draws.mean(axis=0) - centred) < 4.5 * error + 0.01)
    assert np.all(draws.std(axis=0) < 1.2 * sd)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ilokano_reduplication", "spanish_diminutive"])
def test_with_unique_parses_it_is_the_gibbs_sampler(name):
    tableau = load_sample(name)
    ours, gibbs = (learnt(one, tableau, sweeps=8000) for one in ("latent-gibbs", "gibbs"))
    error = np.hypot(ours.sd / np.sqrt(ours.trust.ess), gibbs.sd / np.sqrt(gibbs.trust.ess))
    assert np.all(np.abs(ours.mean - gibbs.mean) < 4.5 * error)
    spread = np.hypot(
        ours.sd / np.sqrt(2 * ours.trust.ess_squares), gibbs.sd / np.sqrt(2 * gibbs.trust.ess_squares)
    )
    assert np.all(np.abs(ours.sd - gibbs.sd) < 4.5 * spread)


def test_each_start_sounds_as_what_was_heard():
    tableau = stress()
    learner = LatentGibbs(tableau)
    forms = overt_forms_of(tableau)
    for seed in range(3):
        state = learner.init(np.random.default_rng(seed))
        for m, form in enumerate(learner.observed.form.tolist()):
            x = learner.observed.input_of[m]
            data = learner.data
            active = data.active[data.active_start[x] : data.active_start[x + 1]]
            order = np.argsort(-state.disharmonies[m, : active.size])
            rivals = data.rivals[data.rival_start[x] : data.rival_start[x + 1]]
            best = min(rivals.tolist(), key=lambda row: data.marks[row][active[order]].tolist())
            assert forms.of_row[best] == form


def test_an_overt_form_without_a_parse_that_can_win_is_refused():
    with pytest.raises(InputError, match="'L L1' of 'LL' is observed but none of its parses can win"):
        LatentGibbs(read_text(SMALL))


def test_what_a_fit_says_of_overt_forms():
    fit = learnt("latent-gibbs", read_text(CASES["two parses"]), sweeps=1000)
    assert set(fit.to_dict()) >= {"overt", "parses", "reproduced"}
    assert len(fit.reproduced) == 4


def heard_from(tableau, values, rng, times):
    """Return the tableau with counts of what a grammar (noise 1) says, at the first parse of each form."""
    forms, frequencies = overt_forms_of(tableau), np.zeros(tableau.n_rows)
    first = np.unique(forms.of_row, return_index=True)[1]
    for k in range(len(tableau.inputs)):
        rows = tableau.rows(k)
        for _ in range(times):
            order = order_of(values + rng.standard_normal(values.size))
            winner = rows.start + evaluate(tableau.violations[rows], order).winners[0]
            frequencies[first[forms.of_row[winner]]] += 1
    return replace(tableau, frequencies=frequencies)


@pytest.mark.slow
@pytest.mark.parametrize(("case", "thin"), [("three parses", 6), ("both sides", 24)])  # autocorrelation < .1
def test_values_drawn_from_the_prior_have_uniform_ranks_among_the_draws(case, thin):
    # Simulation-based calibration (Talts et al. 2018): 64 ranks in 8 bins
    tableau, rng, sd = read_text(CASES[case]), np.random.default_rng(7), 2.0
    ranks, sets, kept, warmup = [], 320, 63, 100
    for _ in range(sets):
        values = rng.normal(0, sd, 3)
        data = heard_from(tableau, values, rng, 5)
        learner = LatentGibbs(data, 1.0, prior=equal_prior(data, sd))
        state = learner.step(rng, learner.init(rng), warmup + kept * thin)
        draws = state.draws[warmup : warmup + kept * thin : thin]
        both = np.vstack([values - values.mean(), draws])
        logs = np.log(predict_many(data, both, 1.0, seed=0)[:, 0] + 1e-300)  # of a parse, which is not heard
        ranks.append((np.column_stack([both[1:], logs[1:]]) < [*both[0], logs[0]]).sum(axis=0))
    for statistic in np.array(ranks).T:
        bins = np.bincount(statistic // 8, minlength=8)
        assert chisquare(bins).pvalue > 6.8e-6, bins  # 4.5 standard errors


@pytest.mark.slow
def test_chains_of_a_language_meet():
    fit = learnt("latent-gibbs", load_sample("overt_stress"), sweeps=1000, chains=2)
    assert fit.trust.largest_rhat < 1.05  # 6.9 after 11,000 sweeps with y given mu alone
    assert fit.trust.smallest_ess > 100


def test_intervals_are_cut_to_the_allowed_slots():
    lows, highs = np.array([4.0, -5.0, 0.0, 0.0]), np.array([10.0, 2.0, 0.0, 0.0])
    edges, allowed = np.array([np.inf, 7.0, 1.0, -2.0, -np.inf]), np.array([True, False, True, True])
    both = np.empty(4), np.empty(4)
    n = intersect(lows, highs, 2, edges, allowed, 4, 1.0, both)
    assert list(zip(lows[:n].tolist(), highs[:n].tolist(), strict=True)) == [(6.0, 10.0), (-5.0, 0.0)]


def test_slots_by_stored_sets_are_those_by_candidates():
    learner, rng = LatentGibbs(stress()), np.random.default_rng(3)
    data, observed = learner.data, learner.observed
    few = lay_out_states(data, 15)
    k, most = learner.tableau.n_constraints, int(np.diff(data.rival_start).max())
    work = (*(np.empty(max(k, most), np.int64) for _ in range(4)), np.empty(k + 1), np.empty(k, np.bool_))
    seen = set()
    for m, form in enumerate(observed.form.tolist()):
        x = int(observed.input_of[m])
        count = int(data.active_start[x + 1] - data.active_start[x])
        for a in range(count):
            y = rng.normal(0, 2, k)
            assert find_slots(data, observed, form, x, a, y, work) == count
            ours = work[5][:count].copy()
            allowed_by_candidates(data, observed.of_row, form, x, a, work)
            assert np.array_equal(ours, work[5][:count])
            stored = observed._replace(states=few)
            seen.add(allowed_by_states(data, stored, form, x, a, work[0], work[5]))
            find_slots(data, stored, form, x, a, y, work)
            assert np.array_equal(ours, work[5][:count])
    assert seen == {True, False}
