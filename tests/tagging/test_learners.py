"""Properties of all learners, and of each estimator."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otlab.errors import InputError, Interrupted
from otlab.inference import Learner, check_interrupt, fit, run
from otlab.inference.digest import digest
from otlab.tagging import (
    EM,
    LEARNERS,
    VB,
    Annealing,
    Continued,
    Corpus,
    DirichletRows,
    Jitter,
    MapEM,
    Prior,
    RandomLabels,
    TagDictionary,
    fit_em,
    fit_gibbs,
    fit_vb,
    make_learner,
    simulate_hmm,
)
from otlab.tagging.hmm.mstep import LEAST_SHARE, bayes_weights, share_weights
from otlab.tagging.hmm.parameters import Counts
from tests.tagging.strategies import corpora

UNSUPERVISED = [name for name in LEARNERS if name != "supervised"]
STARTS = [DirichletRows(), Jitter(), RandomLabels()]


@pytest.fixture(scope="module")
def corpus():
    return simulate_hmm(2500, 7, tags=6, types=300)


@pytest.mark.parametrize("name", UNSUPERVISED)
class TestEveryLearner:
    def learner(self, name, corpus, **more):
        return make_learner(name, corpus, states=5, **more)

    def test_it_is_one(self, name, corpus):
        learner = self.learner(name, corpus)
        assert isinstance(learner, Learner)
        assert learner.name == name

    def test_row_0_is_the_start_and_no_row_is_thinned(self, name, corpus):
        view = fit(self.learner(name, corpus), steps=6, seed=1).view
        assert view.objective.shape == (7,)
        assert view.scores.shape == (7, 8)
        assert view.iteration == 6
        assert np.isfinite(view.objective).all()
        assert view.tokens_per_state.sum() == view.table.sum() == corpus.tokens
        np.testing.assert_allclose(view.transitions.sum(1)[view.transitions.any(1)], 1)

    def test_numbers_do_not_depend_on_ticks(self, name, corpus):
        views = [
            run(self.learner(name, corpus), sweeps=6, seed=2, every=every).finish().view
            for every in (1, 2, 6)
        ]
        for view in views[1:]:
            assert np.array_equal(view.objective, views[0].objective)
            assert np.array_equal(view.labels, views[0].labels)

    def test_it_goes_on_from_a_record(self, name, corpus):
        straight = fit(self.learner(name, corpus), steps=5, seed=3).view
        half = run(self.learner(name, corpus), sweeps=5, seed=3)
        half.advance(2)
        resumed = pickle.loads(pickle.dumps(half.record())).run().finish().view
        assert np.array_equal(straight.objective, resumed.objective)
        assert np.array_equal(straight.labels, resumed.labels)

    def test_a_view_stays_as_it_is_while_the_run_goes_on(self, name, corpus):
        run_ = run(self.learner(name, corpus), sweeps=4, seed=3)
        view = run_.advance(1).view
        before = pickle.dumps(view)
        run_.advance(3)
        assert pickle.dumps(view) == before

    def test_stop_reaches_it(self, name, corpus):
        run_ = run(self.learner(name, corpus), sweeps=5, seed=3)
        run_.advance(1)
        run_.interrupt()
        with pytest.raises(Interrupted):
            run_.advance(1)

    @pytest.mark.parametrize("precision", ["f32", "f64"])
    def test_the_same_start_for_all(self, name, corpus, precision):
        start = make_learner(name, corpus, states=5, precision=precision).start
        first = start.counts(np.random.default_rng(8), corpus, 5, None)
        again = DirichletRows().counts(np.random.default_rng(8), corpus, 5, None)
        assert np.array_equal(first.emissions, again.emissions)

    @pytest.mark.parametrize("start", STARTS, ids=lambda s: type(s).__name__)
    def test_it_learns_from_any_start(self, name, corpus, start):
        view = fit(self.learner(name, corpus, start=start), steps=15, seed=4).view
        better = view.objective[-1] - view.objective[0]
        assert (better < 0) if name.startswith("vb") else (better > 0)

    def test_it_uses_no_gold_tags(self, name, corpus):
        blind = Corpus(corpus.words, corpus.offsets, corpus.vocabulary)
        seen = fit(self.learner(name, corpus), steps=3, seed=5).view
        unseen = fit(self.learner(name, blind), steps=3, seed=5).view
        assert np.array_equal(seen.labels, unseen.labels)
        assert np.isnan(unseen.scores).all()

    def test_it_is_hashed_by_value(self, name, corpus):
        assert digest(self.learner(name, corpus)) == digest(self.learner(name, corpus, threads=2))
        assert digest(self.learner(name, corpus)) != digest(self.learner(name, corpus, start=Jitter()))

    def test_one_state_takes_everything(self, name, corpus):
        if name.startswith("ihmm"):
            return  # it may found others
        view = fit(make_learner(name, corpus, states=1), steps=2, seed=1).view
        assert view.tokens_per_state.tolist() == [corpus.tokens]
        assert view.final.v_measure == 0

    def test_annealing_comes_down(self, name, corpus):
        learner = self.learner(name, corpus, annealing=Annealing(3, 4))
        view = fit(learner, steps=8, seed=1).view
        assert np.isfinite(view.objective[4:]).all()
        assert not view.alarm


def test_the_likelihood_never_falls(corpus):
    for start in STARTS:
        trace = fit_em(corpus, states=6, start=start, iterations=40, seed=1).view
        assert np.diff(trace.objective).min() >= -1e-9 * abs(trace.objective[-1])
        assert not trace.alarm


@pytest.mark.parametrize("prior", [Prior(0.1, 0.1), Prior(1e-4, 1e-4), Prior(0.1, 1e-4), Prior(1e-4, 2.0)])
def test_the_free_energy_never_rises(corpus, prior):
    for start in STARTS:
        trace = fit_vb(corpus, states=6, prior=prior, start=start, iterations=40, seed=1).view
        assert np.diff(trace.objective).max() <= 1e-9 * abs(trace.objective[-1])
        assert not trace.alarm


@settings(max_examples=25, deadline=None)
@given(corpora(), st.floats(1e-3, 3), st.floats(1e-3, 3), st.integers(1, 3))
def test_the_free_energy_never_rises_on_any_corpus(corpus, emission, transition, states):
    trace = fit_vb(corpus, states=states, prior=Prior(emission, transition), iterations=12, seed=1).view
    assert np.diff(trace.objective).max() <= 1e-9 * max(1, np.abs(trace.objective).max())


def test_a_rise_is_reported(corpus, monkeypatch):
    energies = iter([100.0, 90.0, 95.0])
    monkeypatch.setattr(VB, "objective", lambda *_: next(energies))
    view = fit_vb(corpus, states=3, iterations=2, seed=1).view
    assert "free energy rose by 5 nats at iteration 2" in view.alarm


def test_rounding_near_a_likelihood_of_1_is_no_fall():
    """With a state for each word the log likelihood is 0, save for the rounding of each token."""
    corpus = Corpus.from_sentences([["the", "dog", "barks"]])
    for start in STARTS:
        view = fit_em(corpus, states=50, start=start, iterations=100, precision="f32", seed=2005).view
        assert abs(view.objective[-1]) < 1e-5
        assert not view.alarm


def test_no_free_energy_while_annealing(corpus):
    view = fit_vb(corpus, states=3, annealing=Annealing(2, 3), iterations=5, seed=1).view
    assert np.isnan(view.objective[:3]).all()
    assert np.isfinite(view.objective[3:]).all()


def test_permuted_states_give_permuted_results(corpus):
    rng = np.random.default_rng(1)
    counts = DirichletRows().counts(rng, corpus, 4, None)
    turn = np.array([2, 0, 3, 1])
    full = np.append(turn, 4)
    turned = Counts(counts.transitions[np.ix_(full, full)], np.ascontiguousarray(counts.emissions[:, turn]))

    def climb(start):
        class Given:
            def counts(self, *_):
                return start

        return run(EM(corpus, 4, start=Given()), sweeps=5, seed=1).finish().view

    one, other = climb(counts), climb(turned)
    np.testing.assert_allclose(one.objective, other.objective, rtol=1e-10)
    np.testing.assert_allclose(one.scores, other.scores, atol=1e-9)
    assert np.array_equal(one.tokens_per_state[turn], other.tokens_per_state)


def test_vb_is_em_less_a_half_on_large_counts():
    counts = Counts(np.full((3, 3), 4e6), np.array([[1e6, 3e6], [5e6, 2e6]]))
    weights, _ = bayes_weights(counts, Prior(1e-9, 1e-9), "f64")
    shifted = Counts(counts.transitions, counts.emissions - 0.5)
    ratio = weights.emissions / (shifted.emissions / (counts.per_state - 0.5))
    np.testing.assert_allclose(ratio, 1, atol=1e-12)
    shares = share_weights(counts, "f64").emissions
    np.testing.assert_allclose(weights.emissions, shares, atol=1e-6)


def test_map_em_with_alpha_1_is_em(corpus):
    plain = fit(EM(corpus, 4), steps=4, seed=2).view
    mapped = fit(MapEM(corpus, 4, prior=Prior(1, 1)), steps=4, seed=2).view
    np.testing.assert_allclose(mapped.objective, plain.objective, rtol=1e-12)


def test_map_em_clips_to_exact_zeros(corpus):
    learner = MapEM(corpus, 4, prior=Prior(0.1, 0.1))
    run_ = run(learner, sweeps=10, seed=2)
    run_.finish()
    assert (learner.weights(run_.states[0]).emission == 0).mean() > 0.2


def test_em_goes_on_from_vb_and_gibbs_from_em(corpus):
    first = fit_vb(corpus, states=5, iterations=10, seed=1).view
    second = run(EM(corpus, 5, start=Continued(first.labels)), sweeps=1, seed=1).finish().view
    assert np.mean(second.labels == first.labels) > 0.7
    third = fit_gibbs(corpus, states=5, start=Continued(second.labels), iterations=0, seed=1).view
    assert np.array_equal(third.labels, second.labels)


@pytest.mark.parametrize("name", ["em", "vb", "map-em"])
def test_a_dictionary_is_obeyed(corpus, name):
    allowed = TagDictionary.of(corpus, least=3).mask(corpus, len(corpus.tagset))
    view = fit(make_learner(name, corpus, states=len(corpus.tagset), allowed=allowed), steps=8, seed=1).view
    assert allowed[corpus.words, view.labels].all()
    assert not view.alarm
    assert view.final.one_to_one > 0.6


def test_viterbi_decoding_differs_from_the_marginals(corpus):
    one = fit_em(corpus, states=5, iterations=3, seed=1).view.labels
    other = fit_em(corpus, states=5, iterations=3, seed=1, decode="viterbi").view.labels
    assert 0.5 < np.mean(one == other) < 1


@pytest.mark.parametrize("name", ["em", "vb"])
def test_both_precisions_tell_the_same_story(corpus, name):
    exact, fast = (
        fit(make_learner(name, corpus, states=5, precision=p), steps=5, seed=1).view for p in ("f64", "f32")
    )
    np.testing.assert_allclose(fast.objective, exact.objective, rtol=1e-5)


@pytest.mark.parametrize(
    "wrong",
    [
        {"states": 0},
        {"precision": "f16"},
        {"decode": "best"},
        {"allowed": np.ones((2, 2), bool)},
    ],
)
def test_wrong_settings_are_input_errors(corpus, wrong):
    with pytest.raises(InputError):
        EM(corpus, **{"states": 3, **wrong})


@pytest.mark.parametrize(
    "make",
    [
        lambda: Prior(0, 1),
        lambda: Prior(1, float("nan")),
        lambda: Jitter(0),
        lambda: DirichletRows(-1),
        lambda: Annealing(0.5, 3),
        lambda: Annealing(2, 3, "cubic"),
        lambda: make_learner("baum", None),
    ],
)
def test_wrong_values_are_input_errors(make):
    with pytest.raises(InputError):
        make()


def test_labels_of_another_corpus_are_refused(corpus):
    with pytest.raises(InputError, match="another corpus"):
        fit_em(corpus, states=3, start=Continued(np.zeros(3, np.int16)), iterations=1, seed=1)


def test_a_long_sweep_asks_often_enough_to_stop(monkeypatch):
    calls = []
    monkeypatch.setattr(
        "otlab.tagging.hmm.estep.check_interrupt", lambda: calls.append(1) or check_interrupt()
    )
    big = simulate_hmm(40_000, 1, tags=4, types=50)
    fit_em(big, states=3, iterations=0, seed=1)
    assert len(calls) >= big.tokens / 5000


def test_the_two_precisions_climb_to_one_optimum():
    text = simulate_hmm(4000, 1, tags=12, types=400)
    fast, exact = (
        fit(EM(text, 12, precision=precision), steps=100, seed=1).view for precision in ("f32", "f64")
    )
    np.testing.assert_allclose(fast.objective, exact.objective, rtol=1e-6)


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_no_share_of_em_becomes_0_by_rounding(precision):
    emissions, transitions = np.full((3, 2), 1e-300), np.full((3, 3), 1e-300)
    emissions[:2, 0] = emissions[2, 1] = transitions[:, 0] = 1
    weights = share_weights(Counts(transitions, emissions), precision)
    assert (weights.emission.min(1) == weights.emission.dtype.type(LEAST_SHARE)).all()
    assert (weights.transitions[:, 1] == LEAST_SHARE).all()
    assert weights.transitions[-1, -1] == 0
    barred = np.array([[True, False], [True, True], [True, True]])
    assert share_weights(Counts(transitions, emissions), precision, allowed=barred).emission[0, 1] == 0
    assert (weights.emission.max(1) == 1).all()
    clipped = share_weights(Counts(transitions, emissions), precision, prior=Prior(0.5, 0.5))
    assert (clipped.emission.min(1) == 0).all()
