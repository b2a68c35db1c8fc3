"""The Gibbs posterior against enumeration, a joint-distribution test, and its bookkeeping."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from otlab.inference.dirichlet import log_marginal
from otlab.mg.io.read import loads
from otlab.mg.learners.corpus import parse_corpus
from otlab.mg.learners.cross_check import cross_check
from otlab.mg.learners.draws import DrawStore, KeptDraws, pool, rows_for
from otlab.mg.learners.fit import induce, make_learner
from otlab.mg.learners.symmetry import item_permutations
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.parsing.parse import parse

SIGMAS = 4.5
CLOSED = "@start p\nx y :: p\nx :: =p p\ny :: p\n"  # "x y" is one item, or x with y


class Mixture:
    """The exact posterior: a Dirichlet for every choice of one reading a sentence."""

    def __init__(self, grammar, sentences, alpha):
        number = {t: i for i, t in enumerate(grammar.lexicon.texts)}
        self.index = grammar.lexicon.category_index
        totals = {tuple(np.zeros(len(alpha), int)): 1.0}
        for sentence in sentences:
            readings = [
                np.bincount([number[t] for t in r.derivation.texts], minlength=len(alpha))
                for r in parse(grammar, tuple(sentence)).best(99)
            ]
            longer = {}
            for (counts, ways), uses in itertools.product(totals.items(), readings):
                key = tuple(np.array(counts) + uses)
                longer[key] = longer.get(key, 0.0) + ways
            totals = longer
        groups = [np.flatnonzero(self.index == k) for k in range(self.index.max() + 1)]
        self.counts = np.array(list(totals))
        logs = [sum(log_marginal(c[g], alpha[g]) for g in groups) for c in self.counts.astype(float)]
        weights = np.exp(np.array(logs) - max(logs)) * np.array(list(totals.values()))
        self.weights = weights / weights.sum()
        self.omega = alpha + self.counts

    def rest(self):
        return np.array([np.bincount(self.index, o)[self.index] for o in self.omega]) - self.omega

    def mean(self):
        return self.weights @ (self.omega / (self.omega + self.rest()))

    def cdf(self, item, value):
        return self.weights @ stats.beta.cdf(value, self.omega[:, item], self.rest()[:, item])


def check_against(found, exact):
    """Means within 4.5 standard errors, and each end of an interval where the exact tail has 2.5 %."""
    posterior = found.posterior
    moving = np.isfinite(posterior.trust.ess)
    for i in np.flatnonzero(moving):
        ess = posterior.trust.ess[i]
        sd = posterior.draws.pooled("theta")[:, i].std()
        assert abs(posterior.mean[i] - exact.mean()[i]) < SIGMAS * sd / math.sqrt(ess)
        for end, tail in ((posterior.low[i], 0.025), (posterior.high[i], 0.975)):
            assert abs(exact.cdf(i, end) - tail) < SIGMAS * math.sqrt(0.025 * 0.975 / (0.5 * ess))
    assert posterior.mean[~moving] == pytest.approx(1.0)


@pytest.mark.slow
@pytest.mark.parametrize(("repeats", "mean"), [(1, 0.44), (3, 0.6103)])
def test_the_closed_case(repeats, mean):
    grammar = Grammar(loads(CLOSED))
    corpus = [("x", "y")] * repeats
    exact = Mixture(grammar, corpus, np.ones(3))
    assert exact.mean()[0] == pytest.approx(mean, abs=5e-5)
    found = induce(grammar, corpus, alpha=1.0, learner="gibbs", iterations=4000, restarts=4, seed=1)
    check_against(found, exact)
    assert found.snapshot.theta[0] == pytest.approx(mean, abs=0.01)
    if repeats == 1:
        assert exact.weights.max() == pytest.approx(0.8)
        assert (found.posterior.low[0], found.posterior.high[0]) == pytest.approx((0.030, 0.894), abs=0.02)
    assert not found.warnings


@pytest.mark.slow
def test_gender_induction_against_all_144_choices_of_readings(gender, gender_corpus):
    grammar = Grammar(gender)
    exact = Mixture(grammar, gender_corpus, np.full(12, 0.5))
    assert len(exact.weights) <= 144
    found = induce(grammar, gender_corpus, alpha=0.5, learner="gibbs", iterations=8000, restarts=4, seed=2)
    check_against(found, exact)
    item = gender.texts.index("le :: =n1 d")
    assert exact.cdf(item, found.posterior.low[item]) < 0.05
    assert found.posterior.low[item] < 0.01, "a Dirichlet with the mean counts begins at .06"
    assert "several peaks in the posterior of le :: =n1 d" in found.warnings[0]


@pytest.mark.slow
def test_theta_keeps_its_prior_when_data_are_drawn_anew():
    """Geweke (2004): theta | D, then D | theta, S, theta | D again, then S and D from theta."""
    grammar = Grammar(loads(CLOSED))
    alpha = np.array([2.0, 1.0, 2.0])
    rng = np.random.default_rng(5)
    theta = rng.dirichlet(alpha)
    batches = np.empty((30, 25, 3))
    for batch in batches:
        for row in batch:
            corpus, counts = _drawn(rng, theta, sentences=2)
            learner = make_learner("gibbs", parse_corpus(grammar, corpus), alpha)
            state = learner.init(rng)
            state.count = counts.astype(float)
            theta = row[:] = learner.step(rng, state, 2).parameter
    for power in (1, 2):
        means = (batches**power).mean(axis=1)
        error = means.std(axis=0, ddof=1) / math.sqrt(len(means))
        total = alpha.sum()
        exact = alpha / total if power == 1 else alpha * (alpha + 1) / (total * (total + 1))
        assert (np.abs(means.mean(axis=0) - exact) < SIGMAS * error).all()


def _drawn(rng, theta, sentences):
    """Draw sentences of the closed grammar, and the items that made them."""
    corpus, counts = [], np.zeros(3, int)
    for _ in range(sentences):
        words = []
        while True:
            item = rng.choice(3, p=theta)
            counts[item] += 1
            words += (["x", "y"], ["x"], ["y"])[item]
            if item != 1:
                break
        corpus.append(tuple(words))
    return corpus, counts


def test_vb_stands_beside_the_draws(gender, gender_corpus):
    """Names of genders can be exchanged: draws are relabelled to the genders that VB found."""
    found = induce(gender, gender_corpus, alpha=0.5, iterations=300, init="jitter", seed=3)
    sampled, table = cross_check(found, sweeps=1500, chains=2)
    assert sampled.seed == found.seed
    assert table.vb.tolist() == found.snapshot.theta.tolist()
    raw = sampled.posterior.mean
    le = [gender.texts.index(f"le :: =n{k} d") for k in (1, 2)]
    assert abs(raw[le[0]] - raw[le[1]]) < 0.15, "both labellings together are even"
    assert abs(table.gibbs.iloc[le[0]] - table.gibbs.iloc[le[1]]) > 0.25
    assert np.abs(table.difference).max() < 0.2
    assert table.groupby("category").gibbs.sum().tolist() == pytest.approx([1.0] * len(gender.categories))
    first, second = item_permutations(gender, found.alpha)
    assert first.tolist() == list(range(12))
    assert sorted(second) == list(range(12))
    assert second[le[0]] == le[1]


def test_lexicons_without_exchangeable_names_have_no_relabelling(figure1):
    assert [p.tolist() for p in item_permutations(figure1, figure1.alphas())] == [list(range(len(figure1)))]


def test_chains_are_pooled(gender, gender_corpus):
    one, three = (
        induce(gender, gender_corpus, learner="gibbs", init="jitter", iterations=300, restarts=chains, seed=3)
        for chains in (1, 3)
    )
    theta = three.posterior.draws.draws["theta"]
    assert theta.shape == (3, 270, 12), "the first tenth is warm-up"
    assert (theta[0] == one.posterior.draws.draws["theta"][0]).all()
    assert len({float(chain[-1, 1]) for chain in theta}) == 3
    low, high = np.quantile(theta.reshape(-1, 12), [0.025, 0.975], axis=0)
    assert (three.posterior.low == low).all()
    assert (three.posterior.high == high).all()
    assert set(three.parameters.columns) >= {"low", "high", "rhat", "ess"}
    assert three.parameters.low.tolist() == low.tolist()


def test_chains_that_disagree_are_told_before_peaks(gender):
    def chain(where):
        theta = np.clip(np.random.default_rng(1).normal(where, 0.01, (200, 12)), 0, 1)
        return KeptDraws(theta, theta, theta, 1)

    (warning,) = pool(gender, [chain(0.2), chain(0.8)]).warnings
    assert warning.startswith("the chains disagree (R-hat ")


@pytest.mark.parametrize("sweeps", [1, 127, 300, 5000])
def test_draws_take_bounded_space_and_means_stay_exact(sweeps):
    rng = np.random.default_rng(0)
    store = DrawStore(items=2, capacity=rows_for(100_000))
    values = rng.random((sweeps, 2))
    for value in values:
        store.add(value, value, 10 * value)
    kept = store.kept()
    done = len(kept.theta) * kept.block
    assert len(kept.theta) <= store.capacity == 128
    assert sweeps - kept.block < done <= sweeps
    np.testing.assert_allclose(kept.mean.mean(axis=0), values[:done].mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(kept.counts, 10 * kept.mean, rtol=1e-12)
    assert (kept.theta == values[:done][kept.block - 1 :: kept.block]).all()


def test_rows_handed_out_are_not_written_again():
    store = DrawStore(items=1)
    for value in range(10):
        store.add(*np.full((3, 1), float(value)))
    kept = store.kept()
    before = kept.theta.copy()
    for value in range(3 * store.capacity):
        store.add(*np.full((3, 1), -float(value)))
    assert (kept.theta == before).all()


def test_no_sweep_leaves_the_prior(gender, gender_corpus):
    found = induce(gender, gender_corpus, learner="gibbs", iterations=0, seed=1)
    assert found.posterior.mean.tolist() == gender.prior_mean().tolist()
    assert np.isnan(found.posterior.low).all()
