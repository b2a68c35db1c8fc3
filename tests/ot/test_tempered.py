"""Parallel tempering of latent-parse Gibbs: its moves by brute force, its levels by quadrature, its modes."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from otlab import load_sample
from otlab.errors import InputError
from otlab.inference.diagnostics import assess
from otlab.ot import fit_latent_gibbs, read_text
from otlab.ot.kernels.overt import optimal
from otlab.ot.kernels.tempered import (
    count_misses,
    draw_from_weighted_slots,
    draw_weighted_shift,
    miss_runs,
)
from otlab.ot.learners import LEARNERS
from otlab.ot.learners.priors import NormalPrior, equal_prior
from otlab.ot.learners.tempered import TemperedLatentGibbs, make_ladder, place_levels
from otlab.ot.overt import overt_forms_of
from otlab.ot.probability import predict_many
from tests.ot.test_interpretive import learnt
from tests.ot.test_latent import CASES, quadrature

# a is heard if C1 >> C2 >> C3 (a1) or C3 >> C2 >> C1 (a2): two moves apart
APART = "Input,Output,Overt,Count,C1,C2,C3\nx,a1,a,8,0,1,2\nx,a2,a,0,2,1,0\nx,b1,b,0,0,2,0\nx,b2,b,0,1,0,1\n"
PRIOR = NormalPrior(np.array([0.4, 0.0, -0.4]), np.full(3, 2.0))


def density(tableau, prior, epsilon, points):
    """Return the log density at points, up to a constant, of the level at which a miss costs `epsilon`."""
    forms = overt_forms_of(tableau)
    counts = forms.sums(np.asarray(tableau.frequencies))
    heard = counts > 0
    p = forms.sums(predict_many(tableau, points, 1.0, seed=0))[:, heard]
    with np.errstate(divide="ignore"):
        return np.log(p + epsilon * (1 - p)) @ counts[heard] + norm.logpdf(points, prior.mean, prior.sd).sum(
            1
        )


def weights(tableau, prior, epsilon):
    """Return points of a grid over three ranking values, and their probabilities at a level."""
    grid = np.linspace(-8.5, 8.5, 45)
    points = np.stack(np.meshgrid(grid, grid, grid, indexing="ij"), axis=-1).reshape(-1, 3)
    logs = density(tableau, prior, epsilon, points)
    chances = np.exp(logs - logs.max())
    return points, chances / chances.sum()


def test_slots_are_drawn_by_their_weights():
    edges = np.array([np.inf, 1.0, 0.0, -np.inf])
    allowed, rng = np.array([False, True, False]), np.random.default_rng(1)
    draws = np.array([draw_from_weighted_slots(rng, 0.5, 1.0, edges, allowed, 3, 0.2) for _ in range(20_000)])
    masses = np.diff(norm.cdf([-np.inf, 0.0, 1.0, np.inf], 0.5)) * [0.2, 1.0, 0.2]
    shares = masses / masses.sum()
    found = np.bincount((draws > 0).astype(int) + (draws > 1), minlength=3) / draws.size
    assert np.all(np.abs(found - shares) < 4.5 * np.sqrt(shares * (1 - shares) / draws.size))


def test_misses_along_a_shift_are_those_of_evaluation():
    tableau = read_text(CASES["three parses"])
    learner, rng = TemperedLatentGibbs(tableau, 1.0), np.random.default_rng(3)
    data, observed = learner.data, learner.observed
    left, k = np.empty(9, np.int64), 3
    work = (*(np.empty(9, np.int64) for _ in range(4)), np.empty(k + 1), np.empty(k, np.bool_))
    at, change = np.empty(99), np.empty(99)
    for _ in range(20):
        y = rng.normal(0, 2, (observed.form.size, k))
        for i in range(k):
            n, lowest = miss_runs(data, observed, y, i, work, at, change)
            for shift in rng.normal(0, 4, 10):
                moved, misses, active = y.copy(), 0, 0
                for m, x in enumerate(observed.input_of.tolist()):
                    own = data.active[data.active_start[x] : data.active_start[x + 1]].tolist()
                    if i not in own:
                        continue
                    active += 1
                    moved[m, own.index(i)] += shift
                    rivals = data.rivals[data.rival_start[x] : data.rival_start[x + 1]]
                    row = optimal(rivals, data.violation_start, data.violations, moved[m], len(own), left)
                    misses += learner.observed.of_row[row] != observed.form[m]
                assert misses == lowest + change[:n][at[:n] < shift].sum()
                if active == observed.form.size:
                    assert misses == count_misses(data, observed, moved, left)


@pytest.mark.parametrize("epsilon", [0.0, 0.3])
@pytest.mark.parametrize("normal", [True, False])
def test_a_shift_is_drawn_by_prior_and_misses(normal, epsilon):
    tableau = read_text(CASES["two parses"])
    learner = TemperedLatentGibbs(tableau, 1.0, prior=equal_prior(tableau, 2.0) if normal else None)
    values, rng = np.array([0.5, 0.0, -0.5, 0.0]), np.random.default_rng(1)
    at, change, low, high = np.array([-1.0, 0.5]), np.array([-1.0, 2.0]), -3.0, 2.0
    runs = (at, change, 1, np.empty(9))
    draws = np.array(
        [draw_weighted_shift(rng, values, 0, learner.model, low, high, epsilon, runs) for _ in range(20_000)]
    )
    edges = np.array([low, -1.0, 0.5, high])
    masses = np.diff(norm.cdf(edges, -0.5, 2.0)) if normal else np.diff(edges)
    shares = masses * [epsilon, 1.0, epsilon**2]
    shares /= shares.sum()
    found = np.histogram(draws, edges)[0] / draws.size
    assert np.all(np.abs(found - shares) < 4.5 * np.sqrt(shares * (1 - shares) / draws.size) + 1e-12)


def test_levels_go_from_the_posterior_to_the_prior_and_are_placed_where_exchanges_fail():
    ladder = make_ladder(5, 40)
    before = ladder.epsilon.copy()
    assert before[0] == 0
    assert before[-1] == 1
    assert (np.diff(before) > 0).all()
    ladder.rejected[:], ladder.tried[:] = [9.0, 1.0, 1.0, 1.0], 10.0
    place_levels(ladder, 40)
    assert ladder.epsilon[0] == 0
    assert ladder.epsilon[-1] == 1
    assert (np.diff(ladder.epsilon) > 0).all()
    assert ladder.epsilon[2] < before[1]  # most of the failures were between the first two
    assert not ladder.tried.any()


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_posterior_is_that_of_quadrature(case):
    tableau = read_text(CASES[case])
    mean, _ = quadrature(tableau, 1.0, 2.0)
    fit = learnt("latent-gibbs", tableau, sweeps=6000, noise=1.0, prior_sd=2.0, temperatures=4)
    draws = fit.posterior.pooled("ranking_value")
    error = draws.std(axis=0) / np.sqrt(fit.trust.ess)
    assert np.all(np.abs(draws.mean(axis=0) - (mean - mean.mean())) < 3 * error + 0.01)


@pytest.mark.slow
def test_each_level_has_its_own_distribution():
    tableau = read_text(APART)
    learner, rng = TemperedLatentGibbs(tableau, 1.0, prior=PRIOR, temperatures=4), np.random.default_rng(2)
    state = learner.init(rng)
    epsilon, kept = state.ladder.epsilon.copy(), []
    for sweep in range(6_000):
        state = learner.step(rng, state, 1)
        if sweep >= 500:
            kept.append(state.held[state.ladder.holder].copy())
    for level, draws in enumerate(np.array(kept).transpose(1, 0, 2)):
        points, chances = weights(tableau, PRIOR, epsilon[level])
        for statistic in (lambda v: v[:, 0] > v[:, 2], lambda v: v[:, 1], lambda v: v[:, 0] * v[:, 2]):
            exact, found = chances @ statistic(points), statistic(draws).astype(float)
            error = found.std() / np.sqrt(assess(found[None, :, None]).smallest_ess)
            assert abs(found.mean() - exact) < 4.5 * error + 0.01, level


@pytest.mark.slow
def test_distant_parses_get_the_shares_of_quadrature():
    tableau = read_text(APART)
    points, chances = weights(tableau, PRIOR, 0.0)
    exact = chances[points[:, 0] > points[:, 2]].sum()
    settings = {"sweeps": 8_000, "noise": 1.0, "prior": PRIOR, "seed": 1}
    plain = fit_latent_gibbs(tableau, **settings)
    tempered = fit_latent_gibbs(tableau, temperatures=6, **settings)
    assert plain.trust.smallest_ess < tempered.trust.smallest_ess / 5
    assert tempered.trust.largest_rhat < 1.01
    draws = tempered.posterior.draws["ranking_value"]
    first = (draws[..., 0] > draws[..., 2]).astype(float)
    error = np.sqrt(exact * (1 - exact) / assess(first[..., None]).smallest_ess)
    assert 0.5 < exact < 0.95
    assert abs(first.mean() - exact) < 3 * error


def test_steps_do_not_depend_on_how_they_are_cut():
    tableau = read_text(CASES["both sides"])
    learner = TemperedLatentGibbs(tableau, 1.0, temperatures=3, warmup=60)
    values = []
    for cut in ((120,), (1, 48, 1, 7, 63)):
        rng = np.random.default_rng(5)
        state = learner.init(rng)
        for n in cut:
            state = learner.step(rng, state, n)
        values.append((state.values, state.ladder.epsilon, learner.view(state).draws))
    for one, other in zip(*values, strict=True):
        assert np.array_equal(one, other)
    assert not np.array_equal(values[0][1], make_ladder(3, 5).epsilon)  # placed anew after 50


def test_a_view_of_an_earlier_sweep_keeps_what_is_said_of_exchanges():
    learner = TemperedLatentGibbs(read_text(CASES["both sides"]), 1.0, temperatures=3)
    rng = np.random.default_rng(1)
    view = learner.view(learner.step(rng, learner.init(rng), 30))
    earlier = learner.view_at(view, 10)
    assert earlier.sweep == 10
    assert len(earlier.draws) == 10
    assert earlier.exchanged.shape == (2,)
    assert (earlier.exchanged > 0).all()


def test_what_a_fit_says_of_its_temperatures():
    fit = learnt("latent-gibbs", read_text(CASES["two parses"]), sweeps=400, temperatures=3)
    assert fit.settings["temperatures"] == 3
    assert any("3 temperatures: neighbours exchanged" in remark for remark in fit.remarks)
    assert set(fit.to_dict()) >= {"overt", "parses", "reproduced"}


def test_chains_that_disagree_are_told_of_temperatures():
    frequent = replace(read_text(APART), frequencies=np.array([60.0, 0, 0, 0]))
    fit = fit_latent_gibbs(frequent, sweeps=600, chains=6, noise=1.0, seed=1)
    assert fit.trust.largest_rhat > 1.1
    assert any("choose 12 temperatures or more" in remark for remark in fit.remarks)


def test_one_temperature_is_the_plain_sampler():
    entry, tableau = LEARNERS["latent-gibbs"], load_sample("overt_stress")
    assert type(entry.make(tableau, entry.settings(temperatures=1))).__name__ == "LatentGibbs"
    assert type(entry.make(tableau, entry.settings(temperatures=2))).__name__ == "TemperedLatentGibbs"
    with pytest.raises(InputError, match="give 2 or more"):
        TemperedLatentGibbs(tableau, temperatures=1)
