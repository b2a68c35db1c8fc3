"""Known tags: none, half and all of them, against counts and enumeration."""

from __future__ import annotations

import json

import numpy as np
import pytest

from otlab.cli import main
from otlab.errors import InputError
from otlab.inference import fit, run
from otlab.inference.random import run_seed
from otlab.tagging import (
    LEARNERS,
    Corpus,
    KnownTags,
    Prior,
    fit_em,
    fit_supervised,
    fit_vb,
    make_learner,
    read,
    simulate_hmm,
)
from otlab.tagging.hmm.estep import Expectation
from otlab.tagging.hmm.known import Clamped, known_counts
from otlab.tagging.hmm.parameters import Counts, Weights
from otlab.tagging.scores import SCORES
from tests.tagging import naive
from tests.tagging.strategies import sentences_of

STATES, TYPES = 3, 3
SAMPLERS = [name for name in LEARNERS if name.startswith("gibbs")]
LEARNT = [name for name in LEARNERS if name != "supervised"]
PRIOR = Prior(0.3, 0.5)


@pytest.fixture(scope="module")
def text():
    return simulate_hmm(600, 1, tags=3, types=30)


@pytest.fixture
def half():
    """Return seven tokens of which three have a known tag, a word with and without one among them."""
    tags = np.array([0, -1, -1, 1, -1, -1, 2], np.int32)
    words = np.array([0, 1, 0, 2, 1, 1, 0], np.int32)
    return Corpus(words, np.array([0, 4, 6, 7]), ("a", "b", "c"), tags, ("A", "B", "C"))


def labellings(corpus):
    """Return every labelling that agrees with the tags, shape (labellings, tokens)."""
    choices = [range(STATES) if t < 0 else [t] for t in corpus.tags]
    return np.array(np.meshgrid(*choices)).reshape(len(choices), -1).T


def order_of(name):
    """Return the number of states on which the next one depends, in a learner's model."""
    return 2 if name.endswith("trigram") else 1


def exact_posterior(corpus, order=1):
    paths = labellings(corpus)
    logs = np.array(
        [
            naive.log_joint(
                sentences_of(corpus),
                naive.split(path, corpus.offsets),
                TYPES,
                STATES,
                PRIOR.emission,
                PRIOR.transition,
                order,
            )
            for path in paths
        ]
    )
    return paths, logs


@pytest.mark.parametrize("name", LEARNT)
def test_no_known_tag_changes_no_bit(text, name):
    views = [
        run(make_learner(name, text, states=4, **known), sweeps=5, seed=2).finish().view
        for known in ({}, {"known": KnownTags("0")})
    ]
    assert np.array_equal(views[0].objective, views[1].objective)
    assert np.array_equal(views[0].labels, views[1].labels)


def test_all_tags_known_are_counts_exactly(text):
    counts = Counts.of_labels(text.words, text.tags, text.offsets, text.types, 3)
    em = fit_em(text, states=3, iterations=2, seed=1, known_tags="all")
    assert np.array_equal(em.view.labels, text.tags)
    shares = counts.emissions / counts.per_state
    assert np.allclose(em.model.weights.emissions, shares, rtol=1e-12, atol=1e-15)
    assert np.allclose(em.model.weights.transitions, counts.transition_shares, rtol=1e-12, atol=1e-15)
    vb = fit_vb(text, states=3, iterations=1, seed=1, known_tags="all")
    expected = vb.run.states[0].expected.counts
    assert np.allclose(expected.emissions, counts.emissions, atol=1e-12)
    assert np.allclose(expected.transitions, counts.transitions, atol=1e-9)
    # One labelling is left, so that the bound is the log joint itself.
    exact = naive.log_joint(sentences_of(text), naive.split(text.tags, text.offsets), text.types, 3, 0.1, 0.1)
    assert vb.view.objective[-1] == pytest.approx(-exact, rel=1e-12)


def test_supervised_counts_are_smoothed_relative_frequencies(text):
    counts = Counts.of_labels(text.words, text.tags, text.offsets, text.types, 3)
    weights = fit_supervised(text, known_tags="all", emission_prior=0.5, transition_prior=0.2).model.weights
    expected = (counts.emissions + 0.5) / (counts.per_state + 0.5 * text.types)
    assert np.allclose(weights.emissions, expected, rtol=1e-12)
    rows = (counts.transitions + 0.2) / (counts.transitions.sum(1, keepdims=True) + 0.2 * 4)
    assert np.allclose(weights.transitions, rows, rtol=1e-12)


def test_states_beyond_the_tags_are_never_used_by_supervised_counts(text):
    fitted = fit_supervised(text, states=6, known_tags="50%")
    assert fitted.view.tokens_per_state[3:].sum() == 0
    assert fitted.view.labels.max() < 3


def test_counts_of_some_tags_are_those_between_known_neighbours(half):
    counts = known_counts(half, half.tags, STATES)
    between, by_word = np.zeros((4, 4)), np.zeros((3, 3))
    between[3, 0] = between[1, 3] = between[3, 2] = between[2, 3] = 1
    by_word[0, 0] = by_word[2, 1] = by_word[0, 2] = 1
    assert np.array_equal(counts.transitions, between)
    assert np.array_equal(counts.emissions, by_word)


def test_the_likelihood_of_a_text_with_some_tags_equals_enumeration(half):
    rng = np.random.default_rng(3)
    theta, phi = rng.dirichlet(np.ones(4), 4), rng.dirichlet(np.ones(3), 3).T
    clamped = Clamped.of(half, half.tags)
    expected = Expectation(clamped.corpus, STATES)(clamped.expand(Weights.of_probabilities(theta, phi)))
    counts = clamped.fold(expected.counts)
    total, between, by_word = 0.0, np.zeros((4, 4)), np.zeros((3, 3))
    for path in labellings(half):
        paths = naive.split(path, half.offsets)
        weight = np.prod(
            [naive.path_weight(*pair, theta, phi) for pair in zip(sentences_of(half), paths, strict=True)]
        )
        by = naive.count(sentences_of(half), paths, TYPES, STATES)
        total, between, by_word = total + weight, between + weight * by[0], by_word + weight * by[1]
    assert expected.log_probability == pytest.approx(np.log(total), rel=1e-12)
    assert np.allclose(counts.transitions, between / total, atol=1e-12)
    assert np.allclose(counts.emissions, by_word / total, atol=1e-12)


def test_the_bound_of_vb_is_below_the_evidence_and_its_log_sum_is_enumerated(half):
    evidence = np.logaddexp.reduce(exact_posterior(half)[1])
    learner = make_learner("vb", half, states=STATES, prior=PRIOR, known=KnownTags("all"))
    ran = run(learner, sweeps=40, seed=4)
    objective = ran.finish().view.objective
    assert evidence - 5 < -objective[-1] < evidence
    assert np.all(np.diff(objective) < 1e-9)
    weights = ran.states[0].weights
    total = sum(
        np.prod(
            [
                naive.path_weight(*pair, weights.transitions, weights.emissions)
                for pair in zip(sentences_of(half), naive.split(path, half.offsets), strict=True)
            ]
        )
        for path in labellings(half)
    )
    assert ran.states[0].expected.log_probability == pytest.approx(np.log(total), rel=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_samplers_of_a_text_with_some_tags_have_its_exact_posterior(half, sampler):
    paths, logs = exact_posterior(half, order_of(sampler))
    share = np.exp(logs - np.logaddexp.reduce(logs))
    free = np.flatnonzero(half.tags < 0)
    exact = np.array([[share[paths[:, i] == k].sum() for k in range(STATES)] for i in free]).ravel()
    learner = make_learner(sampler, half, states=STATES, prior=PRIOR, known=KnownTags("all"))
    rng = np.random.default_rng(7)
    state = learner.init(rng)
    draws = np.empty((4000, exact.size))
    for row in draws:
        learner.sweep(rng, state, 1.0)
        row[:] = (state.labels[free][:, None] == np.arange(STATES)).ravel()
        assert np.array_equal(state.labels[half.tags >= 0], half.tags[half.tags >= 0])
    means = draws.reshape(40, -1, exact.size).mean(1)
    error = means.std(0, ddof=1) / np.sqrt(len(means))
    assert np.all(np.abs(means.mean(0) - exact) < 4.5 * error + 1e-3)
    kept = learner.measured(state)
    again = learner.counts(state)
    assert np.allclose(kept[0][:TYPES, :STATES], again.emissions)
    assert np.allclose(kept[1], again.transitions)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_run_with_known_tags_goes_on_from_a_record(text, name):
    learner = make_learner(name, text, states=4, known=KnownTags("50%"))
    whole = run(learner, sweeps=6, seed=3).finish().view
    first = run(learner, sweeps=6, seed=3)
    first.advance(2)
    assert np.array_equal(first.record().run().finish().view.labels, whole.labels)


@pytest.mark.parametrize("name", LEARNERS)
def test_only_tags_that_are_not_known_are_scored(text, name):
    fitted = fit(make_learner(name, text, states=3, known=KnownTags("all")), steps=2, seed=1)
    assert np.isnan([getattr(fitted.view.final, score) for score in SCORES]).all()
    assert fitted.view.table.sum() == 0
    part = fit(make_learner(name, text, states=3, known=KnownTags("50%", seed=1)), steps=2, seed=1)
    known = part.learner.known_states()
    assert (
        part.view.table.sum() == np.count_nonzero(known < 0) == part.accuracy()["viterbi"].to_dict()["tokens"]
    )
    assert part.model.state_names == text.tagset


def test_a_little_annotation_names_the_states(text):
    supervised = fit_supervised(text, known_tags="20%").accuracy()
    em = fit_em(text, states=3, iterations=30, seed=1, known_tags="20%", init="jitter").accuracy()
    assert min(em["marginal"].all, supervised["marginal"].all) > 0.8
    assert supervised["marginal"].known > supervised["marginal"].unknown


def test_a_start_is_near_the_supervised_tagger(text):
    supervised = fit_supervised(text, known_tags="30%").accuracy()["marginal"].all
    for start in ("dirichlet", "random", "jitter"):
        vb = fit_vb(text, states=3, iterations=0, seed=1, known_tags="30%", init=start)
        assert vb.accuracy()["marginal"].all > supervised - 0.05


def test_sentences_are_chosen_from_the_first_on_or_at_random(text):
    first = KnownTags("5").states(text)
    assert np.array_equal(np.flatnonzero(first >= 0), np.arange(text.offsets[5]))
    drawn = [KnownTags("5", seed=seed).states(text) for seed in (1, 1, 2)]
    assert np.array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])
    assert KnownTags("1000000").count(text.sentences) == text.sentences


@pytest.mark.parametrize("amount", ["some", "-1", "120%", "2.5", ""])
def test_other_amounts_are_refused(amount):
    with pytest.raises(InputError, match="--known-tags"):
        KnownTags(amount)


def test_impossible_requests_are_refused(text):
    bare = Corpus.from_sentences([["a", "b"]])
    with pytest.raises(InputError, match="no tags to learn from"):
        make_learner("em", bare, states=2, known=KnownTags("all"))
    with pytest.raises(InputError, match="use --states 3 or more"):
        make_learner("vb", text, states=2, known=KnownTags("all"))
    with pytest.raises(InputError, match="no tag is known"):
        make_learner("supervised", text, states=3, known=KnownTags("none"))
    allowed = np.ones((text.types, 3), bool)
    allowed[text.words[0], text.tags[0]] = False
    with pytest.raises(InputError, match="which it may not have"):
        make_learner("gibbs", text, states=3, known=KnownTags("all"), allowed=allowed)
    with pytest.raises(InputError, match="stand for no tags"):
        fit_em(text, states=3, iterations=1, seed=1).accuracy()


def test_a_file_with_blank_tags_on_the_command_line(tmp_path, capsys):
    path = tmp_path / "text.tsv"
    rows = "the\tDT\ndog\tNN\nbarks\t_\n\na\t_\ncat\tNN\nsleeps\tVB\n\nthe\tDT\ncat\t_\nbarks\tVB\n\n"
    path.write_text(rows * 3, encoding="utf-8")
    options = ["tag", str(path), "--states", "3", "--known-tags", "all", "--seed", "1", "--json"]
    assert main([*options, "--learner", "em"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["runs"][0]["accuracy"]["marginal"]["tokens"] == 0
    options.remove("--json")
    assert main([*options, "--learner", "em"]) == 0
    assert "All tags were known: none is left to score." in capsys.readouterr().out
    options[options.index("all")] = "3"
    assert main([*options, "--learner", "vb", "--learn-priors"]) == 0
    printed = capsys.readouterr().out
    assert "Accuracy on 12 words whose tags were not known" in printed
    assert "priors learnt, emission " in printed
    assert main(["tag", str(path), "--states", "3", "--learner", "supervised", "--seed", "1", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    fitted = fit_supervised(read(path), seed=run_seed(1, 0))
    assert result["runs"][0]["accuracy"]["viterbi"]["all"] == fitted.accuracy()["viterbi"].all
