"""Priors that are learnt: slice sampling against quadrature, Minka's fixed point against the optimum."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

from otlab.inference import fit, run
from otlab.inference.dirichlet import log_marginal
from otlab.inference.slice import slice_sample
from otlab.tagging import LEARNERS, Corpus, KnownTags, Prior, make_learner, simulate_hmm
from otlab.tagging.hmm.parameters import Counts
from otlab.tagging.learners.learnt_priors import fixed_point_prior
from tests.tagging import naive

STATES, TYPES = 2, 2
SAMPLERS = [name for name in LEARNERS if name.startswith("gibbs")]
GRID = np.linspace(np.log(1e-7), np.log(1e3), 3001)


def test_slice_sampling_has_the_moments_of_a_gamma():
    rng = np.random.default_rng(1)
    x, draws = 0.5, np.empty(20_000)
    for i in range(draws.size):
        x = slice_sample(rng, lambda v: 2 * np.log(v) - v if v > 0 else -np.inf, x)
        draws[i] = x
    batches = draws.reshape(50, -1)
    for power, exact in ((1, 3.0), (2, 12.0)):
        means = (batches**power).mean(1)
        assert abs(means.mean() - exact) < 4.5 * means.std(ddof=1) / np.sqrt(50)


def test_slice_sampling_ends_where_a_density_is_no_number():
    values = iter([0.0])
    assert slice_sample(np.random.default_rng(1), lambda v: next(values, np.nan), 1.5) == 1.5


def exact_means(corpus, order=1):
    """Return the mean of ln alpha_x and ln alpha_y, and P(y0 = y2), by enumeration and quadrature."""
    alpha = np.exp(GRID)
    prior = GRID - alpha
    sentences = [
        corpus.words[a:b].tolist() for a, b in zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True)
    ]
    totals = np.zeros(4)
    for labels in naive.paths(corpus.tokens, STATES):
        between, by_word = naive.count(sentences, naive.split(labels, corpus.offsets), TYPES, STATES, order)
        parts = []
        for rows in (by_word.T, between.reshape(-1, STATES + 1)):
            width = rows.shape[1]
            logs = sum(
                gammaln(width * alpha)
                - gammaln(row.sum() + width * alpha)
                + sum(gammaln(n + alpha) - gammaln(alpha) for n in row)
                for row in rows
            )
            weight = np.exp(prior + logs)
            parts.append((weight.sum(), (weight * GRID).sum()))
        (x, x_log), (y, y_log) = parts
        totals += [x * y, x_log * y, x * y_log, x * y * (labels[0] == labels[2])]
    return totals[1:] / totals[0]


@pytest.mark.slow
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_samplers_draw_priors_from_their_posterior(sampler):
    corpus = Corpus(np.array([0, 1, 0, 1, 1], np.int32), np.array([0, 4, 5]), ("a", "b"))
    learner = make_learner(sampler, corpus, states=STATES, prior=Prior(0.5, 0.5), learn_priors=True)
    rng = np.random.default_rng(3)
    state = learner.init(rng)
    draws = np.empty((4_000, 3))
    for row in draws:
        state = learner.step(rng, state, 1)
        row[:2] = np.log(state.trace.priors[-1])
        row[2] = state.labels[0] == state.labels[2]
    means = draws.reshape(40, -1, 3).mean(1)
    error = means.std(0, ddof=1) / np.sqrt(40)
    exact = exact_means(corpus, 2 if sampler.endswith("trigram") else 1)
    assert np.all(np.abs(means.mean(0) - exact) < 4.5 * error)


def test_the_fixed_point_ends_at_the_maximum_of_the_marginal():
    rng = np.random.default_rng(2)
    emissions = rng.gamma(0.3, 20, (12, 4))
    transitions = rng.gamma(1.0, 30, (5, 5))
    counts, prior = Counts(transitions, emissions), Prior(1.0, 1.0)
    for _ in range(400):
        prior = fixed_point_prior(counts, prior)
    for rows, found in ((emissions.T, prior.emission), (transitions, prior.transition)):
        best = minimize_scalar(
            lambda v, rows=rows: -log_marginal(rows, np.array(np.exp(v))),
            bounds=(-8, 4),
            method="bounded",
            options={"xatol": 1e-10},
        )
        assert found == pytest.approx(np.exp(best.x), rel=1e-5)


@pytest.mark.parametrize("known", ["none", "30%"])
def test_the_free_energy_never_rises_while_vb_learns_its_priors(known):
    corpus = simulate_hmm(800, 4, tags=4, types=60)
    options = {"states": 6, "known": KnownTags(known)}
    fixed = fit(make_learner("vb", corpus, **options), steps=40, seed=1)
    learnt = fit(make_learner("vb", corpus, learn_priors=True, **options), steps=40, seed=1)
    assert np.all(np.diff(learnt.view.objective) <= 1e-7)
    assert learnt.view.alarm == ""
    assert learnt.view.objective[-1] < fixed.view.objective[-1]
    assert learnt.view.priors.shape == (41, 2)
    assert fixed.view.priors is None
    assert learnt.to_dict()["runs"][0]["priors"][0] == [0.1, 0.1]


def test_map_em_learns_the_prior_that_its_counts_prefer():
    corpus = simulate_hmm(2000, 4, tags=4, types=60)
    learner = make_learner("map-em", corpus, states=4, prior=Prior(2.0, 2.0), learn_priors=True)
    going = run(learner, sweeps=400, seed=1)
    going.advance(400)
    (state,) = going.states
    emission, transition = state.trace.priors[-1]
    again = fixed_point_prior(state.expected.counts, Prior(emission, transition), None)
    assert (again.emission, again.transition) == pytest.approx((emission, transition), rel=1e-3)
    assert (emission, transition) != (2.0, 2.0)
    plain = fit(make_learner("map-em", corpus, states=4, prior=Prior(2.0, 2.0)), steps=1, seed=1)
    first = fit(learner, steps=1, seed=1)
    assert first.view.objective[0] == plain.view.objective[0]


@pytest.mark.parametrize("name", ["vb", *SAMPLERS])
def test_the_text_tells_priors_that_are_far_apart(name):
    corpus = simulate_hmm(3000, 2, tags=4, types=200)
    learner = make_learner(name, corpus, states=4, learn_priors=True, known=KnownTags("all"))
    priors = fit(learner, steps=30, seed=1).view.priors
    counts = Counts.of_labels(corpus.words, corpus.tags, corpus.offsets, corpus.types, 4)
    best = Prior(0.1, 0.1)
    for _ in range(300):
        best = fixed_point_prior(counts, best)
    rough = 0.1 if name == "vb" else 0.7
    assert abs(np.log(priors[-1, 0] / best.emission)) < rough
    assert abs(np.log(priors[-1, 1] / best.transition)) < 2 * rough + 0.3


@pytest.mark.parametrize("name", ["vb", *SAMPLERS])
@pytest.mark.parametrize("precision", ["f64", "f32"])
def test_a_run_that_learns_its_priors_goes_on_from_a_record(name, precision):
    corpus = simulate_hmm(300, 4, tags=3, types=30)
    allowed = np.ones((corpus.types, 4), bool)
    allowed[::2, 3] = False
    learner = make_learner(name, corpus, states=4, learn_priors=True, allowed=allowed, precision=precision)
    whole = run(learner, sweeps=8, seed=3).finish().view
    first = run(learner, sweeps=8, seed=3)
    first.advance(3)
    view = first.record().run().finish().view
    assert np.array_equal(view.priors, whole.priors)
    assert np.array_equal(view.labels, whole.labels)
    assert allowed[corpus.words, view.labels].all()
