"""Grammars of speakers and items against quadrature, today's learners, and planted values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.polynomial import hermite_e
from scipy.interpolate import CubicSpline
from scipy.special import expit, log_ndtr

from otlab.errors import InputError
from otlab.inference import fit, run
from otlab.ot import LEARNERS, NormalPrior, Tableau, fit_exact, fit_maxent_bayes, read
from otlab.ot.groups import Groups
from otlab.ot.kernels.mixed import RANKING, SOFTMAX, likelihoods, pair_density, pair_information
from otlab.ot.kernels.mixed_moves import Approximate, approximate_slope, common_density, common_slope
from otlab.ot.kernels.mixed_normal import Approximation, gather
from otlab.ot.learners.hg_mixed import MixedNoisyHG, fit_hg_mixed
from otlab.ot.learners.maxent_mixed import (
    MixedMaxEnt,
    MixedMaxEntSettings,
    fit_maxent_mixed,
    make_maxent_mixed,
)
from otlab.ot.learners.mixed_tokens import LOGIT, of_two, pairs_of
from otlab.ot.learners.mixed_warmup import regress
from otlab.ot.learners.sot_mixed import MixedStochasticOT, fit_sot_mixed
from otlab.ot.probability_plan import plan_of

SAID = [(9, 1), (2, 8), (6, 4), (10, 0), (5, 5), (1, 9), (7, 3)]  # of the two candidates, by speaker
NODES, WEIGHTS = hermite_e.hermegauss(60)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def with_groups(tableau, speakers, items, rows, counts):
    groups = Groups.of(speakers, items, rows, counts)
    return replace(tableau, frequencies=groups.sums(tableau.n_rows), groups=groups)


def two_candidates(violations, said=SAID, level="speaker"):
    """Return a tableau of one input with two candidates that several speakers, or items, said."""
    rows = [("x", "a", 0, violations[0]), ("x", "b", 0, violations[1])]
    bare = Tableau.from_rows(rows, [f"C{n}" for n in range(len(violations[0]))])
    names = [f"g{n}" for n in range(len(said)) for _ in range(2)]
    nobody = [""] * len(names)
    who = (names, nobody) if level == "speaker" else (nobody, names)
    return with_groups(bare, *who, [0, 1] * len(said), [n for pair in said for n in pair])


def random_tableau(seed=1, candidates=3, k=3):
    """Return two inputs with candidates of random violations, said by four speakers in three items."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"x{x}", f"c{c}", 0, rng.integers(0, 3, k).tolist()) for x in range(2) for c in range(candidates)
    ]
    bare = Tableau.from_rows(rows, [f"C{n}" for n in range(k)])
    cells = [(g, i, r) for g in range(4) for i in range(3) for r in range(len(rows)) if rng.random() < 0.7]
    speakers, items = [f"s{g}" for g, _, _ in cells], [f"w{i}" for _, i, _ in cells]
    counts = rng.integers(0, 5, len(cells))
    return with_groups(bare, speakers, items, [r for *_, r in cells], counts)


def three_ranked():
    """Return an input of which each of three candidates violates one constraint, and an input of two."""
    violations = np.vstack([np.eye(3, dtype=int), [[1, 0, 1], [0, 1, 0]]]).tolist()
    rows = [("x" if r < 3 else "y", f"c{r}", 0, violations[r]) for r in range(5)]
    said = [(g, i, r) for g in "ab" for i in "pqr" for r in range(5)]
    counts = np.random.default_rng(3).integers(0, 5, len(said))
    speakers, items, at = zip(*said, strict=True)
    bare = Tableau.from_rows(rows, ["A", "B", "C"])
    return with_groups(bare, list(speakers), list(items), list(at), counts)


def marginal(log_p, common, spread, said=SAID):
    """Return the log likelihood of a random intercept for arrays of m and tau, by quadrature."""
    x = common[..., None] + spread[..., None] * NODES
    first, second = log_p(x), log_p(-x)
    return sum(np.log(np.exp(a * first + b * second) @ WEIGHTS) for a, b in said)


def moments(density, *values):
    """Return mean and sd of values over a grid with this log density."""
    p = np.exp(density - density.max())
    p /= p.sum()
    means = [float((p * value).sum()) for value in values]
    return [(m, float(np.sqrt((p * (value - m) ** 2).sum()))) for m, value in zip(means, values, strict=True)]


def agrees(draws, exact):
    """Assert that mean and sd of draws (chains, n) are those, within 4.5 standard errors."""
    from otlab.inference.diagnostics import assess

    trust = assess(draws[..., None])
    error = 4.5 * exact[1] / np.sqrt(min(trust.ess[0], trust.ess_squares[0]))
    assert draws.mean() == pytest.approx(exact[0], abs=error)
    assert draws.std() == pytest.approx(exact[1], abs=error)
    assert trust.ess[0] > 150


M, TAU = np.meshgrid(np.linspace(-8, 8, 161), np.linspace(0.01, 4.5, 150), indexing="ij")


@pytest.mark.slow
@pytest.mark.parametrize("level", ["speaker", "item"])
def test_a_random_intercept_by_quadrature(level):
    tableau = two_candidates([[0], [1]], level=level)
    prior = NormalPrior(np.array([0.5]), np.array([2.0]))
    density = marginal(lambda x: np.log(expit(x)), M, TAU) - 0.5 * ((M - 0.5) / 2) ** 2 - 0.5 * TAU**2
    found = fit_maxent_mixed(tableau, prior=prior, weights="free", sweeps=8000, seed=3)
    mean, spread = moments(density, M, TAU)
    agrees(found.posterior.draws["weight"][..., 0], mean)
    agrees(found.posterior.draws["tau" if level == "speaker" else "omega"][..., 0], spread)


@pytest.mark.slow
def test_normal_noise_by_quadrature():
    tableau = two_candidates([[0], [1]])
    prior = NormalPrior(np.array([0.0]), np.array([2.0]))
    density = marginal(log_ndtr, M, TAU) - 0.5 * (M / 2) ** 2 - 0.5 * TAU**2
    found = fit_hg_mixed(tableau, prior=prior, weights="free", noise=1.0, sweeps=8000, seed=3)
    for name, exact in zip(("weight", "tau"), moments(density, M, TAU), strict=True):
        agrees(found.posterior.draws[name][..., 0], exact)


@pytest.mark.slow
def test_two_ranking_values_by_quadrature():
    """Of two constraints only the difference counts: its spread is the root of two squares."""
    tableau = two_candidates([[0, 1], [1, 0]])
    found = fit_sot_mixed(tableau, noise=1.0, bound=6.0, sweeps=8000, seed=4)
    d, sd = np.linspace(-11.9, 11.9, 120)[:, None, None], np.linspace(0.01, 4.0, 40)
    root = np.hypot(sd[:, None], sd)
    at = np.linspace(root.min(), root.max(), 60)  # of which the likelihood is a smooth function
    likelihood = marginal(lambda x: log_ndtr(x / np.sqrt(2)), *np.broadcast_arrays(d[..., 0], at))
    density = CubicSpline(at, likelihood, axis=1)(root) - 0.5 * root**2
    half, spread = moments(density, d / 2, sd[:, None])
    agrees(found.posterior.draws["ranking_value"][..., 0], half)
    agrees(found.posterior.draws["tau"][..., 0], spread)


EACH_GRAMMAR = pytest.mark.parametrize(
    "learner",
    [
        MixedMaxEnt(random_tableau(1), weights="free"),
        MixedMaxEnt(random_tableau(2)),
        MixedMaxEnt(random_tableau(5, candidates=2)),
        MixedNoisyHG(random_tableau(3, candidates=2), weights="free", place="cell"),
        MixedStochasticOT(two_candidates([[0, 1, 1], [1, 0, 0]]), noise=1.0),
        MixedStochasticOT(three_ranked(), noise=1.0),
    ],
    ids=["softmax", "nonnegative", "logistic", "probit", "two ranked", "ranking"],
)


def differences(function, at, step=1e-5):
    """Return the gradient of each entry of a function's array, by differences."""
    return np.array([(function(at + h) - function(at - h)) / (2 * step) for h in step * np.eye(at.size)]).T


@EACH_GRAMMAR
def test_gradient_and_information_of_a_pair_are_those_of_its_density(learner):
    tokens, k = learner.tokens, learner.tableau.n_constraints
    theta = np.random.default_rng(2).uniform(0.5, 2, k)
    theta[0] = -0.5 if learner.tokens.lowest == 0 else 0.5  # counts as 0

    def density(at, heard=tokens.heard):
        slope = np.empty(k)
        found = pair_density(tokens._replace(heard=heard), 1, at.copy(), slope)
        return np.array([found]), slope

    slope = density(theta)[1]
    np.testing.assert_allclose(slope, differences(lambda at: density(at)[0], theta)[0], rtol=2e-5, atol=2e-5)
    # the information is the curvature for the tokens that the grammar itself expects
    expected = tokens.heard.copy()
    probabilities = learner.probabilities(theta[None])[0]
    for c in range(tokens.cell_start[1], tokens.cell_start[2]):
        rows = expected_of(learner, c, probabilities)
        expected[tokens.count_start[c] : tokens.count_start[c + 1]] = rows
    information = np.empty((k, k))
    pair_information(tokens, 1, theta.copy(), information)
    curvature = differences(lambda at: density(at, expected)[1], theta)
    np.testing.assert_allclose(information, -curvature, rtol=1e-4, atol=1e-4)


def expected_of(learner, c, probabilities):
    """Return the tokens that a grammar expects in a cell."""
    tokens, tableau = learner.tokens, learner.tableau
    at = slice(tokens.count_start[c], tokens.count_start[c + 1])
    if tokens.kind == RANKING:
        rows = np.flatnonzero(plan_of(tableau).entry == tokens.cell[c] + 2)
        return tokens.trials[c] * probabilities[rows[0]]
    rows = tableau.rows(tokens.cell[c])
    return tokens.heard[at].sum() * probabilities[rows]


@EACH_GRAMMAR
@pytest.mark.parametrize("which", [0, 1])
def test_the_slope_of_what_is_common_is_that_of_its_density(learner, which):
    """With every e held fixed, for any approximation of the likelihood."""
    rng, k = np.random.default_rng(7), learner.tableau.n_constraints
    level, prior, groups = learner.both[which], learner.prior, len(learner.pairs.names[which])
    roots = rng.normal(0, 1, (groups, k, k))
    precision, pulls = roots @ roots.transpose(0, 2, 1), rng.normal(0, 2, (groups, k))
    approximate = Approximate(precision, pulls, np.zeros_like(roots), np.empty((groups, k)))
    e, z = level.on * rng.normal(0, 1, (groups, k)), np.zeros((groups, k))
    others = rng.normal(0, 0.3, (learner.pairs.member.shape[1], k))
    density, slopes, slope = np.empty(len(others)), np.empty((len(others), k)), np.empty(2 * k)

    def joint(place):
        return common_density(learner.tokens, prior, level, place, approximate, others, e, z, density, slopes)

    at = np.concatenate([rng.uniform(2.5, 3.5, k), rng.normal(-1, 0.2, k)])
    joint(at)
    common_slope(prior, level, at, approximate, e, z, slopes, slope)
    moved = 2 * k if level.on else k
    found = differences(lambda place: np.array([joint(place)]), at)[0]
    np.testing.assert_allclose(slope[:moved], found[:moved], rtol=1e-4, atol=1e-4)


def test_the_approximation_of_a_normal_likelihood_is_that_likelihood():
    """Of a gradient that is linear the regression finds P and b, and the gradient of the closed integral."""
    rng, k, pairs = np.random.default_rng(6), 3, 5
    roots = rng.normal(0, 1, (pairs, k, k))
    precision, pull = roots @ roots.transpose(0, 2, 1), rng.normal(0, 1, (pairs, k))
    sums = [np.zeros(shape) for shape in ((pairs, k), (pairs, k), (pairs, k, k), (pairs, k, k))]
    found = Approximation(precision * 1.5, 0 * pull, np.zeros(1), *sums)
    learner = MixedMaxEnt(two_candidates([[0, 1, 1], [1, 0, 0]], SAID[:pairs]), weights="free")
    state = learner.init(rng)
    for _ in range(400):
        state.speakers.z[:] = rng.normal(0, 1, (pairs, k))
        theta = state.values[:k] + state.values[k : 2 * k] * state.speakers.z
        state.current.slope[:] = pull - np.einsum("pij,pj->pi", precision, theta)
        effects = (state.speakers, state.items)
        gather(learner.tokens, learner.both, state.values, effects, state.current, found)
    regress(found)
    np.testing.assert_allclose(found.precision, precision, atol=0.02 * np.abs(precision).max())
    middle = state.values[:k]
    slopes = found.pull - found.precision @ middle
    np.testing.assert_allclose(slopes, pull - precision @ middle, atol=0.1)
    assert not any(array.any() for array in found[2:])

    def integral(at):
        m, spread = at[:k], np.diag(np.exp(at[k:]))
        total = -0.5 * ((np.exp(at[k:]) / learner.prior.spread) ** 2).sum() + at[k:].sum()
        total -= 0.5 * (m - learner.prior.centre) @ learner.prior.precision @ (m - learner.prior.centre)
        for p, b in zip(precision, pull, strict=True):
            sharp = np.eye(k) + spread @ p @ spread
            r = spread @ (b - p @ m)
            total += b @ m - 0.5 * m @ p @ m + 0.5 * r @ np.linalg.solve(sharp, r)
            total -= 0.5 * np.linalg.slogdet(sharp)[1]
        return np.array([total])

    at, slope = rng.normal(0, 0.5, 2 * k), np.empty(2 * k)
    approximate_slope(learner.prior, learner.both[0], at, precision, pull, slope)
    np.testing.assert_allclose(slope, differences(integral, at)[0], rtol=1e-5, atol=1e-5)


def test_two_candidates_are_a_logistic_regression():
    tableau = random_tableau(5, candidates=2)
    learner = MixedMaxEnt(tableau)
    assert learner.tokens.kind == LOGIT
    assert MixedMaxEnt(random_tableau(1)).tokens.kind == SOFTMAX
    rng, k = np.random.default_rng(1), 3
    draws = [rng.normal(1, 1, (5, k)), rng.normal(0, 1, (5, 4, k)), rng.normal(0, 1, (5, 3, k))]
    found = np.empty(5)
    likelihoods(learner.tokens, *draws, found)
    for d in range(5):
        expected = 0.0
        groups = tableau.groups
        for g, i, row, n in zip(groups.speaker, groups.item, groups.row, groups.count, strict=True):
            weights = np.maximum(draws[0][d] + draws[1][d, g] + draws[2][d, i], 0)
            expected += n * learner.simple.grammar.log_probabilities(weights)[row]
        assert found[d] == pytest.approx(expected)


@pytest.mark.slow
def test_without_levels_the_posterior_is_that_of_one_grammar():
    spanish = read("spanish")
    pairs = [
        (fit_maxent_mixed(spanish, seed=1, sweeps=4000), fit_maxent_bayes(spanish, seed=2)),
        (fit_sot_mixed(spanish, seed=1, sweeps=4000), fit_exact(spanish, seed=2)),
    ]
    for mixed, simple in pairs:
        assert set(mixed.posterior.draws) == set(simple.posterior.draws)
        error = np.hypot(mixed.sd / np.sqrt(mixed.trust.ess), simple.sd / np.sqrt(simple.trust.ess))
        assert (np.abs(mixed.mean - simple.mean) < 4.5 * error).all()
        assert mixed.speakers.empty
        np.testing.assert_allclose(mixed.predicted.mean, simple.predicted.mean, atol=0.03)
        np.testing.assert_allclose(mixed.predicted.mean, mixed.typical)


def test_one_speaker_is_one_grammar():
    alone = two_candidates([[0], [1]], [(30, 10)])
    found = fit_maxent_mixed(alone, seed=1, sweeps=3000)
    simple = fit_maxent_bayes(replace(alone, groups=None), seed=2)
    error = 4.5 * simple.sd / np.sqrt(min(found.trust.smallest_ess, simple.trust.smallest_ess))
    assert (np.abs(found.mean - simple.mean) < error).all()
    assert "tau" not in found.posterior.draws


def test_the_table_of_speakers_shrinks_and_names_everyone():
    found = fit_maxent_mixed(two_candidates([[0], [1]]), weights="free", seed=1, sweeps=2000)
    table = found.speakers.set_index("speaker")
    assert table["tokens"].tolist() == [10.0] * 7
    assert list(table.index) == [f"g{n}" for n in range(7)]
    raw = np.array([np.log((a + 1e-3) / (b + 1e-3)) for a, b in SAID])
    order = np.argsort(raw)
    assert (np.diff(table["mean"].to_numpy()[order]) >= -0.25).all()
    assert np.ptp(table["mean"]) < np.ptp(raw)
    assert (table["low"] < table["mean"]).all()
    assert (table["mean"] < table["high"]).all()
    assert found.items.empty
    assert {"tau", "tau sd"} <= set(found.parameters)
    assert len(found.to_dict()["speakers"]) == 7


def test_arviz_has_the_effects_of_each_speaker_and_item_by_name():
    tableau = random_tableau()
    fit = fit_maxent_mixed(tableau, sweeps=60, warmup=20, chains=2, seed=1)
    tree = fit.to_inferencedata()
    effects = tree["effects"]
    assert effects["speaker_effect"].dims == ("chain", "draw", "speaker", "constraint")
    assert effects["item_effect"].dims == ("chain", "draw", "item", "constraint")
    assert effects["speaker"].to_numpy().tolist() == list(tableau.groups.speakers)
    assert effects["constraint"].to_numpy().tolist() == list(tableau.constraints)
    assert effects.sizes["chain"] == tree["posterior"].sizes["chain"] == 2
    pooled = effects["item_effect"].to_numpy()
    assert pooled.reshape(-1, *pooled.shape[2:]) == pytest.approx(fit.draws["item"])


def test_arviz_has_no_effects_where_nobody_is_named():
    one = Tableau.from_rows([("x", "a", 3, (1, 0)), ("x", "b", 2, (0, 1))], ["A", "B"])
    tree = fit_maxent_mixed(one, sweeps=40, warmup=20, chains=2, seed=1).to_inferencedata()
    assert list(tree.children) == ["posterior"]


@pytest.mark.slow
def test_a_new_speaker_is_not_the_average_one():
    extreme = [(20, 0), (0, 20), (20, 0), (20, 0), (1, 19), (19, 1), (20, 0), (20, 0)]
    found = fit_maxent_mixed(
        two_candidates([[0], [1]], extreme), weights="free", seed=1, sweeps=2000, spread=3
    )
    assert found.typical[0] > found.predicted.mean[0] + 0.03
    assert found.predicted.high[0] - found.predicted.low[0] > 0.8
    assert "typical" in found.predictions


def test_few_tokens_are_named():
    found = fit_maxent_mixed(two_candidates([[0], [1]], [(1, 0), (0, 1), (1, 1)]), seed=1, sweeps=400)
    assert any("too few tokens to tell speakers apart" in remark for remark in found.warnings)
    alone = fit_maxent_mixed(read("ilokano"), seed=1, sweeps=200)
    assert any("name no speakers" in remark for remark in alone.warnings)


def test_normal_noise_needs_two_candidates():
    with pytest.raises(InputError, match="more than two candidates differ"):
        MixedNoisyHG(random_tableau(1))
    pairs = pairs_of(random_tableau(3, candidates=2), "both", None)
    assert of_two(random_tableau(3, candidates=2), pairs, 0.0, [1.0, 1.0]).cell.size


@pytest.mark.parametrize("name", ["maxent-mixed", "sot-mixed", "hg-mixed"])
def test_numbers_depend_on_the_seed_alone(name):
    entry, tableau = LEARNERS[name], random_tableau(3, candidates=2)
    if name == "sot-mixed":
        tableau = two_candidates([[0, 1], [1, 0]])
    learner = entry.make(tableau, entry.settings(sweeps=40, warmup=20))
    ended = [fit(learner, steps=40, chains=2, seed=5, threads=threads) for threads in (1, 2)]
    np.testing.assert_array_equal(ended[0].mean, ended[1].mean)
    rng, state = np.random.default_rng(1), None
    states = []
    for cuts in ((7, 13, 20), (40,)):
        rng = np.random.default_rng(1)
        state = learner.init(rng)
        for n in cuts:
            state = learner.step(rng, state, n)
        states.append(state.values)
    np.testing.assert_array_equal(*states)
    assert next(iter(run(learner, sweeps=40, seed=5))).views[0].draws.shape[1] == tableau.n_constraints


def test_settings():
    tableau = two_candidates([[0], [1]])
    made = make_maxent_mixed(tableau, MixedMaxEntSettings(levels="none", spread=0.5, prior_sd=2.0))
    assert not any(level.on for level in made.both)
    assert made.scale == 0.5
    assert made.simple.grammar.prior.sd.tolist() == [2.0]
    assert MixedStochasticOT(two_candidates([[0, 1], [1, 0]]), noise=3.0).scale == 3.0
    with pytest.raises(InputError, match="no levels 'speaker'"):
        MixedMaxEnt(tableau, levels="speaker")
    with pytest.raises(InputError, match="no scale of a prior"):
        MixedMaxEnt(tableau, spread=0.0)
    with pytest.raises(InputError, match="thin 0, every 1: choose 1 or more, and a multiple of it"):
        MixedMaxEnt(tableau, thin=0)


def lexicon(seed, words=40, rate=0.7, spread=1.5, tokens=25):
    """Return tokens of words whose rates vary about a mean, and the mean rate of the lexicon."""
    rng = np.random.default_rng(seed)
    rates = expit(np.log(rate / (1 - rate)) + spread * rng.standard_normal(words))
    said = [(int(n), tokens - int(n)) for n in rng.binomial(tokens, rates)]
    return two_candidates([[0], [1]], said, level="item"), np.mean([a / tokens for a, _ in said])


@pytest.mark.slow
def test_a_new_word_follows_the_lexicon():
    """With a constraint for each word a grammar does not learn the rate (Zymet 2018); here it does."""
    near = 0
    for seed in range(10):
        tableau, mean = lexicon(seed)
        found = fit_maxent_mixed(tableau, weights="free", seed=seed, sweeps=2500, spread=2.0)
        draws = found.posterior
        spread = draws.pooled("omega") * np.random.default_rng(seed).standard_normal(
            draws.pooled("omega").shape
        )
        integrated = expit(draws.pooled("weight") + spread).mean()
        assert found.predicted.mean[0] == pytest.approx(integrated, abs=0.04)
        near += abs(integrated - mean) < 0.02
    assert near >= 9
