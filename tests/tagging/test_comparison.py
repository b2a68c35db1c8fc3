"""Numbers of states compared: every figure from its definition, and the true number found."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.inference.background import BackgroundWork
from otlab.tagging import Corpus, TagDictionary, compare, fit_em, fit_vb, simulate_hmm
from otlab.tagging.experiments.comparison import StatesPlan, fold_pairs, free_parameters
from tests.tagging import naive
from tests.ui.waiting import until

TEXT = ["a b c", "c a", "b b a", "a c b", "a d", "b a"]


@pytest.fixture(scope="module")
def small():
    return Corpus.from_sentences([line.split() for line in TEXT])


def test_held_out_perplexity_is_that_of_enumeration(small):
    (row,) = compare(small, [2], "em", iterations=4, folds=2, seed=1).rows
    total = 0.0
    for fold in (0, 1):
        learnt = [line.split() for i, line in enumerate(TEXT) if i % 2 != fold]
        held = [line.split() for i, line in enumerate(TEXT) if i % 2 == fold]
        corpus = Corpus.from_sentences(learnt)
        model = fit_em(corpus, states=2, iterations=4, seed=1).model
        once = sum(np.bincount(corpus.words) == 1)
        mass = (once + 0.5) / (corpus.tokens + 1)
        phi = np.vstack([(1 - mass) * model.weights.emissions, np.full((1, 2), mass)])
        index = {word: i for i, word in enumerate(corpus.vocabulary)}
        sentences = [[index.get(word, len(index)) for word in sentence] for sentence in held]
        total += naive.expected_counts(sentences, model.weights.transitions, phi)[0]
    assert row.perplexity == pytest.approx(math.exp(-total / (small.tokens + small.sentences)), rel=1e-9)


def test_criteria_are_those_of_the_run_on_the_whole_text():
    corpus = simulate_hmm(1500, 3, tags=4, types=60)
    compared = compare(corpus, [3, 2], iterations=5, folds=0, seed=7)
    assert [(row.learner, row.states) for row in compared.rows] == [
        ("em", 2),
        ("em", 3),
        ("vb", 2),
        ("vb", 3),
    ]
    em, vb = compared.rows[1], compared.rows[3]
    run = fit_em(corpus, states=3, iterations=5, seed=7)
    assert em.log_likelihood == pytest.approx(run.view.objective[-1], rel=1e-9)
    free = 3 * 3 + 2 + 3 * (corpus.types - 1)
    assert em.parameters == free
    assert em.aic == pytest.approx(2 * free - 2 * em.log_likelihood)
    assert em.bic == pytest.approx(free * math.log(corpus.tokens) - 2 * em.log_likelihood)
    assert em.v_measure == run.view.final.v_measure
    bayes = fit_vb(corpus, states=3, iterations=5, seed=7)
    assert vb.free_energy == bayes.view.objective[-1]
    assert vb.states_used == bayes.view.states_used
    assert all(math.isnan(value) for value in (em.free_energy, vb.aic, vb.bic, em.perplexity))
    assert compared.chosen()["vb"].keys() == {"free_energy", "v_measure"}


def test_a_dictionary_leaves_fewer_emissions_free():
    assert free_parameters(4, 3) == 9 + 2 + 9
    words = Corpus.from_sentences([[("a", "X"), ("b", "Y"), ("c", "X"), ("d", "Y")]])
    allowed = TagDictionary({"a": ("X",), "b": ("Y",)}).mask(words, 2)
    assert allowed.sum(0).tolist() == [3, 3]
    assert free_parameters(4, 2, allowed) == 4 + 1 + 2 + 2


def test_folds_share_out_all_sentences_with_words_numbered_anew(small):
    sentences = list(small)
    held = []
    for seen, unseen in fold_pairs(small, 4):
        assert set(seen.vocabulary) == {word for sentence in seen for word, _ in sentence}
        assert seen.sentences + unseen.sentences == small.sentences
        held += list(unseen)
    assert sorted(held) == sorted(sentences)


def test_several_chains_are_compared_by_their_best():
    corpus = simulate_hmm(1500, 3, tags=4, types=60)
    (row,) = compare(corpus, [4], "em", iterations=8, chains=3, folds=0, seed=7).rows
    runs = fit_em(corpus, states=4, iterations=8, chains=3, seed=7)
    assert row.log_likelihood == pytest.approx(max(view.objective[-1] for view in runs.views), rel=1e-9)


def test_a_comparison_repeats_whatever_the_threads_and_says_what_repeats_it(small):
    one, two = (
        compare(small, [1, 3], ["vb", "em"], iterations=3, folds=3, seed=5, threads=n, emission_prior=0.02)
        for n in (1, 2)
    )
    assert repr(one.rows) == repr(two.rows)
    assert compare(small, [1], iterations=1, folds=0).seed != compare(small, [1], iterations=1, folds=0).seed
    values = one.to_dict()
    assert values["seed"] == 5
    assert values["settings"] == {
        "learners": ["vb", "em"], "states": [1, 3], "iterations": 3, "chains": 1, "folds": 3,
        "emission_prior": 0.02,
    }  # fmt: skip
    assert one.summary().shape == (4, 10)
    assert list(one.summary()["states"]) == [1, 3, 1, 3]
    assert json.loads(json.dumps(values))["chosen"].keys() == {"vb", "em"}
    assert repr(one) == "<Comparison of 4 taggers, seed 5>"


def test_a_comparison_in_the_background_takes_turns_and_has_the_same_numbers(small):
    plan, seen = StatesPlan.of(small, [1, 2], iterations=2, folds=2, seed=5), []
    assert plan.fits == 12
    work = BackgroundWork(
        lambda workers: plan.compare(workers, lambda *known: seen.append((known[0], len(known[1].rows))))
    )
    work.start()
    assert work.join(60)
    assert work.failure is None
    assert seen == [(n, n // 3) for n in range(1, 13)]
    whole = compare(small, [1, 2], iterations=2, folds=2, seed=5)
    assert repr(work.value.rows) == repr(whole.rows)


def test_a_comparison_in_the_background_is_stopped_within_a_tick(small):
    plan = StatesPlan.of(small, [1, 2], "gibbs", iterations=10**6, folds=2, seed=5)
    work = BackgroundWork(plan.compare)
    work.start()
    until(lambda: any(run.sweep for run in work.runs))
    work.stop()
    assert work.join(60)
    assert not work.alive
    assert work.value is None
    assert work.failure is None


def test_what_fails_in_the_background_is_kept_for_the_page():
    work = BackgroundWork(lambda workers: 1 // 0)
    work.start()
    assert work.join(60)
    assert isinstance(work.failure, ZeroDivisionError)


def test_what_is_chosen_is_the_smallest_value_and_the_largest_v_measure():
    corpus = simulate_hmm(2000, 3, tags=4, types=60)
    compared = compare(corpus, [1, 2, 4], iterations=20, folds=2, seed=7)
    table = compared.summary().set_index(["learner", "states"])
    for learner, chosen in compared.chosen().items():
        for criterion, states in chosen.items():
            values = table.loc[learner][criterion]
            assert states == (values.idxmax() if criterion == "v_measure" else values.idxmin())


def test_it_stops_with_what_it_has(small):
    shares = []
    watched = compare(
        small, [1, 2, 3], "em", iterations=1, folds=0, seed=1, watch=lambda share: shares.append(share)
    )
    assert shares == pytest.approx([1 / 3, 2 / 3, 1])
    assert not watched.stopped
    first = compare(small, [1, 2, 3], "em", iterations=1, folds=0, seed=1, watch=lambda _: True)
    assert first.stopped
    assert repr(first.rows) == repr(watched.rows[:1])

    def interrupt(share):
        raise KeyboardInterrupt

    assert compare(small, [1, 2], "em", iterations=1, folds=0, watch=interrupt).stopped


@pytest.mark.parametrize(
    ("states", "options", "message"),
    [
        ([], {}, "nothing to compare"),
        ([2], {"learners": "vbb"}, "no learner 'vbb'"),
        ([2], {"iterations": -1}, "-1 iterations: there must be 0 or more"),
        ([2], {"chains": 0}, "0 chains: there must be 1 or more"),
        ([2], {"folds": 1}, "1 fold"),
        ([2], {"folds": 7}, "6 sentences"),
        ([2], {"emision_prior": 1}, "no option 'emision_prior'; did you mean emission_prior"),
        ([2], {"emission_prior": -1.0}, "emission_prior"),
        ([2, 0], {}, "--states 0: write a number from 1"),
    ],
)
def test_impossible_comparisons_are_refused(small, states, options, message):
    with pytest.raises(InputError, match=message):
        compare(small, states, **{"iterations": 1, "folds": 0, **options})


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
def test_held_out_perplexity_chooses_a_number_of_states_near_the_true_30(seed):
    corpus = simulate_hmm(50_000, seed, tags=30, types=500, ambiguity=0.02, sharpness=6)
    sizes = range(10, 61, 10)
    compared = compare(corpus, sizes, "em", iterations=40, folds=2, seed=1, precision="f32")
    assert abs(compared.chosen()["em"]["perplexity"] - 30) <= 10
