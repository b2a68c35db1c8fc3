"""The Gibbs sampler against quadrature, against its own joint distribution, and under load."""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy import stats

from otlab.errors import InputError
from otlab.inference import Job, fit, run
from otlab.inference.diagnostics import assess
from otlab.inference.kernels.draws import truncated_normal
from otlab.ot import Tableau, fit_gibbs, predict, read
from otlab.ot.kernels import gibbs as kernels
from otlab.ot.learners.gibbs import Gibbs, PublishedGibbs
from otlab.ot.learners.priors import NormalPrior
from tests.ot import exact_posterior as exact


def binary(wins, losses):
    """Return a tableau with C1 > C2 `wins` times and C2 > C1 `losses` times."""
    rows = [("x", "a", wins, [0, 1]), ("x", "b", losses, [1, 0])]
    return Tableau.from_rows(rows, ["C1", "C2"], noise=1.0, bound=6.0)


def draws_of(learner, sweeps, seed=1, chains=2, warmup=200):
    tick = fit(learner, steps=sweeps, seed=seed, chains=chains)
    return np.stack([view.draws[warmup:] for view in tick.views])


def agrees(draws, moments, sigmas=4.5):
    """Return whether means and sds are those expected, within so many standard errors."""
    trust = assess(draws)
    pooled = draws.reshape(-1, draws.shape[-1])
    off = np.abs(pooled.mean(0) - moments.mean) * np.sqrt(trust.ess) / moments.sd
    spread = np.abs(pooled.std(0) / moments.sd - 1) * np.sqrt(2 * trust.ess_squares)
    return bool((off < sigmas).all() and (spread < sigmas).all())


# ---- agreement with quadrature

COUNTS = [(2, 2), (7, 3), (9, 1), (50, 50)]


@pytest.mark.parametrize(("wins", "losses"), COUNTS)
def test_two_constraints(wins, losses):
    assert agrees(draws_of(Gibbs(binary(wins, losses)), 12_000), exact.two(wins, losses))


def test_quadrature_gives_the_references():
    # ot.md, section 3: the sd of mu1 - mu2, twice that of mu1.
    for counts, sd in [((2, 2), 0.9009), ((5, 5), 0.5644), ((7, 3), 0.5964), ((50, 50), 0.1774)]:
        assert 2 * exact.two(*counts).sd[0] == pytest.approx(sd, abs=6e-4)
    np.testing.assert_allclose(exact.ilokano(33, 1.2).sd, [0.1033, 0.1263, 0.1385], atol=1e-4)


@pytest.mark.slow
def test_three_constraints():
    assert agrees(draws_of(Gibbs(read("ilokano")), 10_000), exact.ilokano(33, 1.2))


@pytest.mark.slow
def test_three_constraints_few_observations():
    tableau = read("ilokano")
    assert agrees(draws_of(Gibbs(tableau, total=3), 20_000), exact.ilokano(1, 6.0, 241))


@pytest.mark.parametrize("apriori", [(), (("C2", "C1"),)], ids=["free", "ranked"])
@pytest.mark.parametrize("spread", [None, 1.5], ids=["flat", "normal"])
def test_values_bound_and_prior_scale_with_noise(apriori, spread):
    def draws(scale):
        prior = spread and NormalPrior(scale * np.array([0.5, -0.5]), np.full(2, scale * spread))
        learner = Gibbs(binary(7, 3), noise=scale, bound=6 * scale, prior=prior, apriori=apriori)
        return draws_of(learner, 500)

    np.testing.assert_allclose(draws(2.0), 2 * draws(1.0), rtol=1e-10)


def test_draws_are_centred_and_within_the_bound():
    draws = draws_of(Gibbs(read("spanish"), bound=2.5), 4000)
    assert np.abs(draws.sum(axis=-1)).max() < 1e-9
    assert np.abs(draws).max() < 2.5
    assert draws.max() > 2.4


# ---- each formula that the paper prints wrongly is caught by these very checks


def one_sided(rng, mean, sd, low, rate, accept):
    """N(mean, sd^2) above `low`, by an exponential envelope as printed."""
    c = low - mean
    lam = rate(c, sd)
    while True:
        e = rng.exponential(1 / lam)
        if rng.random() < accept(e, c, sd, lam):
            return mean + c + e


def robert_rate(c, s):
    return (c + np.sqrt(c * c + 4 * s * s)) / (2 * s * s)


def printed_rate(c, s):
    return (c + np.sqrt(c + 4 * s * s)) / (2 * s * s)


def robert_accept(e, c, s, lam):
    return np.exp(-((e + c) ** 2) / (2 * s * s) + lam * (e + c) - s * s * lam * lam / 2)


def printed_accept(e, c, s, lam):
    return min(1.0, np.exp((e + c) ** 2 / 2 + lam * (e + c) - s * s * lam * lam / 2))


def as_rejection(e, c, s, lam):
    return 1.0 - robert_accept(e, c, s, lam)


FORMULAS = {
    "corrected": (robert_rate, robert_accept, True),
    "signs missing": (robert_rate, printed_accept, False),
    "acceptance taken for rejection": (robert_rate, as_rejection, False),
}


@pytest.mark.parametrize(("rate", "accept", "right"), FORMULAS.values(), ids=FORMULAS)
def test_truncated_normal_formulas(rate, accept, right):
    rng = np.random.default_rng(5)
    mean, sd, low = 1.0, 2.0, 3.4
    drawn = [one_sided(rng, mean, sd, low, rate, accept) for _ in range(20_000)]
    target = stats.truncnorm((low - mean) / sd, np.inf, mean, sd)
    p = stats.kstest(drawn, target.cdf).pvalue
    assert (p > 1e-4) == right
    assert right or p < 1e-12


def in_kernel_order(rng, a, rate):
    """A standard normal above `a`, proposals and tests drawn as the kernel draws them."""
    lam = rate(a, 1.0)
    while True:
        z = a + rng.standard_exponential() / lam
        if rng.standard_exponential() > 0.5 * (z - lam) ** 2:
            return z


RATES = {"corrected": (robert_rate, True), "no square": (printed_rate, False)}


@pytest.mark.parametrize(("rate", "right"), RATES.values(), ids=RATES)
def test_rate_is_roberts(rate, right):
    """A wrong rate under its own acceptance draws the right law, only with more proposals."""
    ours, theirs = np.random.default_rng(6), np.random.default_rng(6)
    same = [
        truncated_normal(ours, 0.0, 1.0, 3.0, np.inf) == in_kernel_order(theirs, 3.0, rate) for _ in range(50)
    ]
    assert all(same) == right


COVARIANCES = {
    "of the differences": (np.array([[2.0, 1.0], [1.0, 2.0]]), 2 / 3),
    "identity, as printed": (np.eye(2), 3 / 4),
}


@pytest.mark.parametrize(("covariance", "p"), COVARIANCES.values(), ids=COVARIANCES)
def test_covariance_of_section_2(covariance, p):
    """P(max(C1, C2) > C3) at equal means is 2/3; the printed identity gives 3/4."""
    lose = stats.multivariate_normal(np.zeros(2), covariance).cdf(np.zeros(2))
    assert 1 - lose == pytest.approx(p, abs=1e-6)
    tableau = Tableau.from_rows([("x", "a", 1, [0, 0, 1]), ("x", "b", 1, [1, 1, 0])], ["C1", "C2", "C3"])
    ours = predict(tableau, np.zeros(3)).probability[0]
    assert (abs(ours - (1 - lose)) < 1e-6) == (p == 2 / 3)


def averaged(counts, sweeps, choose):
    """A plain two-constraint sampler whose step from augmented data to values is `choose`."""
    rng = np.random.default_rng(8)
    wins, losses = counts
    total, values, kept = wins + losses, np.zeros(2), []
    high_first = np.arange(total) < wins
    y = np.where(high_first[:, None], [1.0, 0.0], [0.0, 1.0])
    for _ in range(sweeps):
        for i in (0, 1):
            other = y[:, 1 - i]
            above = high_first == (i == 0)
            a = np.where(above, other - values[i], -np.inf)
            b = np.where(above, np.inf, other - values[i])
            u = rng.uniform(stats.norm.cdf(a), stats.norm.cdf(b))
            y[:, i] = values[i] + stats.norm.ppf(np.clip(u, 1e-12, 1 - 1e-12))
        values = choose(rng, y.mean(0), np.sqrt(1 / total))
        kept.append(values - values.mean())
    return np.array(kept)[None, 300:]


def projected(rng, mean, sd):
    values = rng.normal(mean, sd)
    return values - values.mean()


STEPS = {
    "projected": (projected, True),
    "no noise": (lambda rng, mean, sd: mean - mean.mean(), False),
    "variance for sd": (lambda rng, mean, sd: projected(rng, mean, sd**2), False),
}


@pytest.mark.parametrize(("choose", "right"), STEPS.values(), ids=STEPS)
@pytest.mark.slow
def test_quadrature_check_sees_a_wrong_step(choose, right):
    assert agrees(averaged((7, 3), 4000, choose), exact.two(7, 3)) == right


# ---- the published variant


@pytest.mark.slow
def test_published_variant_is_too_wide():
    sd = exact.two(50, 50).sd[0]
    fixed = draws_of(Gibbs(binary(50, 50)), 30_000)[..., 0].std() / sd
    published = draws_of(PublishedGibbs(binary(50, 50)), 30_000)[..., 0].std() / sd
    assert 0.98 < fixed < 1.02
    assert 1.18 < published < 1.24


def test_published_variant_has_the_right_centre():
    draws = draws_of(PublishedGibbs(read("ilokano")), 3000)
    assert np.abs(draws.mean((0, 1)) - [-0.0781, 0.5343, -0.4562]).max() < 0.03


def test_published_variant_ends_at_three_observations():
    # Rejection without a guard was seen never to end here (ot.md, section 3).
    draws = draws_of(PublishedGibbs(read("ilokano"), total=3), 5000)
    assert np.isfinite(draws).all()


# ---- constraints that are ranked a priori

PRIOR = NormalPrior(np.array([0.5, 0.0, -1.0]), np.array([1.0, 2.0, 0.7]))
RANKED = {
    "against the data": ((2, 1),),
    "with the data": ((1, 0),),
    "two against the data": ((2, 1), (0, 1)),
}


@pytest.mark.parametrize("prior", [None, PRIOR], ids=["flat", "normal"])
@pytest.mark.parametrize("pairs", RANKED.values(), ids=RANKED)
def test_rankings_a_priori_cut_the_posterior(pairs, prior):
    """Against the quadrature of the ranking values in that order alone."""
    names = ("*C-ONS", "AL", "I_BR")
    apriori = tuple((names[a], names[b]) for a, b in pairs)
    draws = draws_of(Gibbs(read("ilokano"), total=9, prior=prior, apriori=apriori), 12_000)
    for a, b in pairs:
        assert (draws[..., a] > draws[..., b]).all()
    normal = None if prior is None else (prior.mean, prior.sd)
    assert agrees(draws, exact.ilokano(3, 2.5, 121, pairs, normal))


def test_a_ranking_against_all_data_is_kept():
    draws = draws_of(Gibbs(binary(60, 0), apriori=(("C2", "C1"),)), 8000)
    assert (draws[..., 1] > draws[..., 0]).all()
    assert agrees(draws, exact.two(60, 0, apriori=((1, 0),)))


def test_without_data_ranked_constraints_have_the_prior_in_that_order():
    tableau = Tableau.from_rows([("x", "a", 4, [0, 0, 0])], ["A", "B", "C"], noise=1.0, bound=2.0)
    draws = draws_of(Gibbs(tableau, apriori=(("A", "B"), ("B", "C"))), 20_000)
    inside = exact.in_order(exact.plane(2.0, points=801, bound=2.0), ((0, 1), (1, 2)))
    assert agrees(draws, exact.weighted(inside, np.zeros(len(inside))), sigmas=5)


def test_the_published_variant_keeps_rankings_a_priori():
    draws = draws_of(PublishedGibbs(read("ilokano"), apriori=(("I_BR", "AL"),)), 500)
    assert (draws[..., 2] > draws[..., 1]).all()
    assert fit_gibbs(read("ilokano"), sweeps=20, seed=1, apriori=(("I_BR", "AL"),)).settings["apriori"] == [
        ["I_BR", "AL"]
    ]


def test_rankings_a_priori_in_a_circle_are_refused():
    with pytest.raises(InputError, match="go round in a circle"):
        Gibbs(read("ilokano"), apriori=(("AL", "I_BR"), ("I_BR", "AL")))


# ---- the two ways to draw centred values


@pytest.mark.slow
def test_pair_moves_have_the_joint_draws_law():
    """Means outside the box: rejection until inside, against the pair moves alone."""
    rng = np.random.default_rng(3)
    means, sd, bound = np.array([1.1, 0.2, -0.4, -0.9]), 0.5, 1.0
    v = rng.normal(means, sd, (400_000, 4))
    v -= v.mean(1, keepdims=True)
    target = v[(np.abs(v) < bound).all(1)]
    values, kept = np.zeros(4), np.empty((40_000, 4))
    model = kernels.Model(1.0, bound, *(np.empty(0),) * 2, *(np.empty(0, np.int64),) * 2)
    for row in kept:
        kernels.move_pairs(rng, means, sd, model, values)
        row[:] = values
    assert agrees(kept[None], exact.Moments(target.mean(0), target.std(0)), sigmas=5)


def test_no_observation_gives_the_prior():
    tableau = Tableau.from_rows([("x", "a", 4, [0, 0, 0])], ["A", "B", "C"], noise=1.0, bound=2.0)
    draws = draws_of(Gibbs(tableau), 20_000)
    box = np.random.default_rng(1).uniform(-2, 2, (400_000, 2))
    plane = np.column_stack([box, -box.sum(1)])
    inside = plane[np.abs(plane[:, 2]) < 2]
    assert agrees(draws, exact.Moments(np.zeros(3), inside.std(0)), sigmas=5)


def test_inputs_without_data_change_nothing():
    tableau = read("spanish")
    more = tableau.add_input("new")
    assert np.array_equal(draws_of(Gibbs(more), 300), draws_of(Gibbs(tableau), 300))


# ---- joint distribution (Geweke 2004): prior and sampler must give the same (values, data)


@pytest.mark.slow
def test_joint_distribution_under_a_proper_prior():
    """Values from the prior and data from them, against sweeps and data drawn alternately."""
    rng = np.random.default_rng(17)
    prior = NormalPrior(np.array([0.4, 0.0, -0.3]), np.array([0.8, 1.2, 1.0]))
    violations = np.array([[1, 0, 1], [2, 0, 0], [0, 1, 0]])
    size, rounds = 6, 6000

    def winners(values):
        """Candidates that win, one an observation, by brute evaluation."""
        order = np.argsort(-(values + rng.normal(size=(size, 3))), axis=1)
        ordered = violations[:, order].transpose(1, 0, 2)
        return [min(range(3), key=lambda c, o=o: tuple(o[c])) for o in ordered]

    def statistics(values, data):
        share = np.bincount(data, minlength=3) / size
        return [*values, *values**2, *share, values[0] * share[0], values[1] * share[1]]

    forward, backward = [], []
    for _ in range(rounds):
        values = rng.normal(prior.mean, prior.sd)
        forward.append(statistics(values, winners(values)))
    values = rng.normal(prior.mean, prior.sd)
    for _ in range(rounds):
        data = winners(values)
        rows = [("x", str(c), int(n), violations[c]) for c, n in enumerate(np.bincount(data, minlength=3))]
        learner = Gibbs(Tableau.from_rows(rows, ["C", "A", "I"]), noise=1.0, prior=prior)
        state = learner.init(rng)
        state.values[:] = values
        # A start is no draw of the disharmonies: a few sweeps of them at fixed values first.
        for _ in range(6):
            y, sums = state.disharmonies, np.zeros(3)
            kernels.draw_disharmonies(rng, learner.layout, 0, size, y, state.values, 1.0, state.scratch, sums)
        values = learner.step(rng, state, 1).values.copy()
        backward.append(statistics(values, data))
    forward, backward = np.array(forward), np.array(backward)
    ess = assess(backward[None]).ess
    error = np.sqrt(forward.var(0) / rounds + backward.var(0) / ess)
    assert (np.abs(forward.mean(0) - backward.mean(0)) / error).max() < 4.5


def test_no_centring_under_a_proper_prior():
    learner = Gibbs(binary(5, 5), prior=NormalPrior(np.array([3.0, 3.0]), np.array([0.5, 0.5])))
    tick = fit(learner, steps=1000, seed=1)
    states = run(learner, sweeps=1, seed=1).states
    assert abs(learner.step(np.random.default_rng(1), states[0], 500).values.mean() - 3) < 1
    assert np.abs(tick.view.draws.sum(1)).max() < 1e-9


# ---- long runs, and stopping them


def strata(k=20, observed=1):
    """Two strata, 10 constraints above 10, every pair observed as often as given: categorical."""
    half = k // 2
    rows = []
    for top in range(half):
        good, bad = np.zeros(k, int), np.zeros(k, int)
        good[half + top] = 1
        bad[top] = 1
        rows += [(f"x{top}", "good", observed, good), (f"x{top}", "bad", 0, bad)]
    return Tableau.from_rows(rows, [f"C{i}" for i in range(k)], noise=1.0, bound=6.0)


def numbers_used(rng):
    """Return how many 64-bit numbers a Philox generator has drawn."""
    state = rng.bit_generator.state
    return 4 * int(state["state"]["counter"][0]) + int(state["buffer_pos"])


def test_no_sweep_over_categorical_strata_draws_many_more_numbers_than_another():
    # Rejection for |mu| < K took up to 3e5 tries in one sweep here.
    learner, rng = Gibbs(strata()), np.random.Generator(np.random.Philox(1))
    state, used = learner.init(rng), [numbers_used(rng)]
    for _ in range(4000):
        state = learner.step(rng, state, 1)
        used.append(numbers_used(rng))
    assert np.abs(state.values).max() < 6
    assert np.diff(used).max() < 2000  # 20 joint tries of 20 constraints, then 190 pairs once


@pytest.mark.parametrize("sampler", [Gibbs, PublishedGibbs])
@pytest.mark.parametrize("observed", [1, 60_000])
def test_stops_in_mid_sweep(sampler, observed):
    """A sweep of the long case takes seconds; the benchmark ``lab`` times the stop."""
    job = Job(run(sampler(strata(observed=observed)), sweeps=10**9, seed=1)).start()
    deadline = time.monotonic() + 30
    while job.last is None and observed == 1 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.3)
    assert job.state == "running"
    job.cancel()
    assert job.join(5)
    assert job.state == "stopped"


def test_long_sweeps_have_the_short_ones_numbers(monkeypatch):
    for sampler in (Gibbs, PublishedGibbs):
        short = draws_of(sampler(read("spanish")), 40, warmup=0)
        monkeypatch.setattr("otlab.ot.learners.sampler.SITES_AT_ONCE", 7)
        long = draws_of(sampler(read("spanish")), 40, warmup=0)
        monkeypatch.undo()
        assert np.array_equal(short, long)


# ---- settings that make no sense


def test_attested_bounded_candidate_is_refused():
    with pytest.raises(InputError, match=r"'bounded' of 'x'.*'good'"):
        Gibbs(read("harmonic_bounding_demo"))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"thin": 0}, "thin 0"),
        ({"noise": -1.0}, "noise -1"),
        ({"prior": NormalPrior(np.zeros(2), np.ones(2))}, "each constraint once"),
    ],
)
def test_wrong_settings(settings, message):
    with pytest.raises(InputError, match=message):
        Gibbs(read("ilokano"), **settings)


def test_more_observations_than_fit_into_memory_are_refused():
    web = Tableau.from_rows([("i", "o", 1e9, (1, 0)), ("i", "p", 2e9, (0, 1))], ["A", "B"])
    with pytest.raises(InputError, match=r"3,000,000,000 observations.*'exact'"):
        Gibbs(web)
    assert Gibbs(web, total=1000).layout.value_start[-1] == 2000
    assert PublishedGibbs(web).layout.value_start[-1] == 4


def test_unknown_variant():
    with pytest.raises(InputError, match="did you mean published"):
        fit_gibbs(read("ilokano"), variant="publshed")


def test_improper_prior_is_refused():
    with pytest.raises(InputError, match="above 0"):
        NormalPrior(np.zeros(2), np.array([1.0, 0.0]))
