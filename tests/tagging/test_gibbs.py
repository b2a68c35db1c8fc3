"""The samplers' conditionals and counts: exact where they can be, and each misprint caught."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.inference import run
from otlab.tagging import (
    BlockedGibbs,
    CollapsedBlockedGibbs,
    CollapsedGibbs,
    Corpus,
    ExplicitGibbs,
    Prior,
    simulate_hmm,
)
from otlab.tagging.kernels.gibbs import WIDTH, sweep
from otlab.tagging.learners.sampling import log_joint
from tests.tagging import naive
from tests.tagging.strategies import sentences_of

TYPES, STATES = 3, 3
PRIOR = Prior(0.3, 0.5)
SAMPLERS = [CollapsedGibbs, ExplicitGibbs, BlockedGibbs, CollapsedBlockedGibbs]


@pytest.fixture
def corpus():
    return Corpus(np.array([0, 1, 0, 2, 1, 1, 0], np.int32), np.array([0, 4, 6, 7]), ("a", "b", "c"))


def labellings(corpus, count):
    rng = np.random.default_rng(0)
    return [rng.integers(0, STATES, corpus.tokens).astype(np.int16) for _ in range(count)]


def neighbours(corpus, labels, i):
    ends = set(corpus.offsets.tolist())
    before = STATES if i in ends else int(labels[i - 1])
    after = STATES if i + 1 in ends else int(labels[i + 1])
    return before, after


def resample(learner, state, low, high):
    """Resample tokens `low` ... `high`; return the last one's conditional, that of its old state last."""
    dtype = state.counts.rows.dtype
    weights = np.empty(state.counts.inverse.size + 1, dtype)
    sweep(
        learner.corpus.words, learner.corpus.offsets, low, high, state.labels, state.counts,
        learner.priors, 1.0, state.seeds, weights, np.empty(WIDTH, dtype),
    )  # fmt: skip
    return weights


def kernel_conditional(learner, labels, i):
    state = learner.begin(np.random.default_rng(1), labels.copy())
    weights = resample(learner, state, i, i + 1)
    weights[labels[i]] = weights[-1]
    return weights[:STATES] / weights[:STATES].sum()


def exact_conditional(corpus, labels, i):
    sentence = int(np.searchsorted(corpus.offsets, i, side="right")) - 1
    paths = naive.split(labels, corpus.offsets)
    t = i - int(corpus.offsets[sentence])
    return naive.conditional_by_enumeration(
        sentences_of(corpus), paths, sentence, t, TYPES, STATES, PRIOR.emission, PRIOR.transition
    )


def test_the_collapsed_conditional_equals_enumeration(corpus):
    learner = CollapsedGibbs(corpus, STATES, prior=PRIOR)
    for labels in labellings(corpus, 100):
        for i in range(corpus.tokens):
            np.testing.assert_allclose(
                kernel_conditional(learner, labels, i), exact_conditional(corpus, labels, i), atol=1e-12
            )


def figure_4(corpus, labels, i, *, outcomes, indicator, mass):
    """The conditional with Figure 4's last factor as chosen; the token is taken out of all counts."""
    a, b = neighbours(corpus, labels, i)
    rest = Corpus(corpus.words, corpus.offsets, corpus.vocabulary)
    between, by_word = naive.count(sentences_of(rest), naive.split(labels, corpus.offsets), TYPES, STATES)
    old, word = int(labels[i]), int(corpus.words[i])
    between[a, old] -= 1
    between[old, b] -= 1
    by_word[word, old] -= 1
    weights = np.empty(STATES)
    for k in range(STATES):
        n = by_word[:, k].sum()
        denominator = n + (outcomes * PRIOR.transition if mass else 0) + (indicator and a == k)
        weights[k] = (by_word[word, k] + PRIOR.emission) / (n + TYPES * PRIOR.emission)
        weights[k] *= between[a, k] + PRIOR.transition
        weights[k] *= (
            (between[k, b] + (a == k == b) + PRIOR.transition) / denominator if denominator else np.inf
        )
    total = weights.sum()
    return weights / total if np.isfinite(total) else np.full(STATES, np.nan)


@pytest.mark.parametrize(
    ("what", "exact"),
    [
        ({"outcomes": STATES + 1, "indicator": False, "mass": True}, True),
        ({"outcomes": STATES + 1, "indicator": True, "mass": True}, False),
        ({"outcomes": STATES, "indicator": False, "mass": True}, False),
        ({"outcomes": STATES + 1, "indicator": True, "mass": False}, False),
    ],
    ids=["corrected", "caption's n with the indicator", "s for K", "as printed"],
)
def test_only_the_corrected_figure_4_is_the_conditional(corpus, what, exact):
    worst = 0.0
    for labels in labellings(corpus, 60):
        for i in range(corpus.tokens):
            difference = np.abs(
                figure_4(corpus, labels, i, **what) - exact_conditional(corpus, labels, i)
            ).max()
            worst = np.inf if np.isnan(difference) else max(worst, difference)
    assert worst < 1e-12 if exact else worst > 0.02


def test_the_log_joint_equals_its_formula(corpus):
    for labels in labellings(corpus, 20):
        learner = CollapsedGibbs(corpus, STATES, prior=PRIOR)
        state = learner.begin(np.random.default_rng(1), labels)
        paths = naive.split(labels, corpus.offsets)
        formula = naive.log_joint(
            sentences_of(corpus), paths, TYPES, STATES, PRIOR.emission, PRIOR.transition
        )
        assert log_joint(learner.counts(state), PRIOR) == pytest.approx(formula, rel=1e-12)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_trace_of_log_joints_is_that_of_the_samples(sampler):
    corpus = simulate_hmm(800, 2, tags=5, types=120)
    learner = sampler(corpus, 4, prior=Prior(0.2, 0.05))
    rng = np.random.default_rng(3)
    state = learner.init(rng)
    for _ in range(3):
        state = learner.step(rng, state, 2)
        assert state.trace.objective[-1] == pytest.approx(
            log_joint(learner.counts(state), learner.prior), rel=1e-12
        )
    assert len(state.trace.objective) == 7


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_kept_counts_equal_recounts(precision):
    corpus = simulate_hmm(2000, 2, tags=6, types=300)
    for states in (3, 16, 50, 70):
        learner = CollapsedGibbs(corpus, states, prior=Prior(1e-4, 0.1), precision=precision)
        rng = np.random.default_rng(3)
        state = learner.step(rng, learner.init(rng), 5)
        counts = learner.counts(state)
        emissions, transitions, per_state = learner.measured(state)
        assert np.array_equal(emissions[:, :states], counts.emissions)
        assert np.array_equal(transitions, counts.transitions)
        assert np.array_equal(per_state, counts.per_state)
        assert not emissions[:, states:].any()


def test_the_blocked_samplers_counts_equal_recounts():
    corpus = simulate_hmm(800, 2, tags=5, types=120)
    learner = CollapsedBlockedGibbs(corpus, 4)
    rng = np.random.default_rng(3)
    state = learner.step(rng, learner.init(rng), 5)
    counts = learner.counts(state)
    np.testing.assert_allclose(state.counts.emissions, counts.emissions, atol=1e-9)
    np.testing.assert_allclose(state.counts.transitions, counts.transitions, atol=1e-9)
    assert 0 < state.accepted <= state.proposed


@pytest.mark.parametrize("sampler", [ExplicitGibbs, BlockedGibbs])
def test_threads_do_not_change_a_sample(sampler):
    corpus = simulate_hmm(3000, 2, tags=5, types=120)
    one, two = (run(sampler(corpus, 4, threads=n), sweeps=4, seed=9) for n in (1, 2))
    assert np.array_equal(one.advance(4).view.labels, two.advance(4).view.labels)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_dictionary_is_obeyed(sampler):
    corpus = simulate_hmm(1500, 2, tags=5, types=100)
    allowed = np.random.default_rng(4).random((corpus.types, 4)) < 0.4
    allowed[np.arange(corpus.types), np.arange(corpus.types) % 3] = True
    allowed[:, 3] = False
    learner = sampler(corpus, 4, allowed=allowed)
    rng = np.random.default_rng(3)
    state = learner.step(rng, learner.init(rng), 4)
    assert allowed[corpus.words, state.labels].all()
    joint = log_joint(learner.counts(state), learner.prior, allowed)
    assert state.trace.objective[-1] == pytest.approx(joint, rel=1e-12)


STATISTICS = {
    "y0 = y2": (lambda y: y[0] == y[2], 0.62315),
    "y4 = y5": (lambda y: y[4] == y[5], 0.37875),
    "y1 = y4": (lambda y: y[1] == y[4], 0.44314),
    "y0 = y1 = y2": (lambda y: y[0] == y[1] == y[2], 0.15397),
}


@pytest.mark.slow
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_exact_posterior_of_seven_tokens(corpus, sampler):
    learner = sampler(corpus, STATES, prior=PRIOR)
    rng = np.random.default_rng(11)
    state = learner.init(rng)
    draws = np.empty((40_000 if sampler is CollapsedGibbs else 12_000, len(STATISTICS)))
    for row in draws:
        learner.sweep(rng, state, 1.0)
        row[:] = [statistic(state.labels) for statistic, _ in STATISTICS.values()]
    means = draws.reshape(40, -1, len(STATISTICS)).mean(1)
    error = means.std(0, ddof=1) / np.sqrt(len(means))
    exact = np.array([value for _, value in STATISTICS.values()])
    assert np.all(np.abs(means.mean(0) - exact) < 4.5 * error + 5e-6)


@pytest.mark.parametrize("states", [3, 50, 70])
def test_a_sweep_draws_what_its_plain_twin_draws(states):
    corpus = simulate_hmm(400, 2, tags=5, types=40)
    learner = CollapsedGibbs(corpus, states, prior=PRIOR)
    rng = np.random.default_rng(3)
    # Few labels, so that neighbours are often alike: the corrected cases.
    state = learner.begin(rng, rng.integers(0, 2, corpus.tokens).astype(np.int16))
    labels, seeds = state.labels.tolist(), [int(seed) for seed in state.seeds]
    priors = PRIOR.emission, PRIOR.transition
    naive.collapsed_sweep(corpus.words, corpus.offsets, labels, corpus.types, states, *priors, seeds)
    # In two parts, cut within a sentence: where it is cut makes no difference.
    for low, high in ((0, 123), (123, corpus.tokens)):
        resample(learner, state, low, high)
    assert state.labels.tolist() == labels
    assert len(set(labels)) > 2


def test_a_sweep_steps_over_empty_sentences():
    corpus = Corpus(np.array([0, 1, 0], np.int32), np.array([0, 0, 2, 2, 2, 3, 3]), ("a", "b"))
    learner = CollapsedGibbs(corpus, STATES, prior=PRIOR)
    state = learner.begin(np.random.default_rng(1), np.array([0, 1, 2], np.int16))
    resample(learner, state, 0, 3)
    again = learner.begin(np.random.default_rng(1), state.labels.copy())
    assert np.array_equal(state.counts.rows, again.counts.rows)
    assert np.array_equal(state.counts.out_of, again.counts.out_of)
