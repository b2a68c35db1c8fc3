"""Pitman-Yor emissions: labels and tables against enumeration, and learnt discounts against quadrature."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from scipy.special import roots_legendre

from otlab.cli.main import main
from otlab.errors import InputError
from otlab.inference import fit, run
from otlab.inference.dirichlet import log_marginal
from otlab.tagging import Corpus, KnownTags, Prior, compare, make_learner, simulate_hmm
from otlab.tagging.hmm.parameters import Counts

PRIOR = Prior(0.3, 0.5)
STATES = 2


@pytest.fixture(scope="module")
def tiny():
    return Corpus(np.array([0, 1, 0, 0, 1, 0], np.int32), np.array([0, 4, 6]), ("a", "b", "c"))


def seatings(words, outcomes, alpha, discount):
    """Return P(words of one state), summed over all ways to sit; arrays of alpha and discount may be given.

    Tables are (word, customers), in the order in which they were opened.
    """
    theta = outcomes * alpha

    def rest(place, tables):
        if place == len(words):
            return 1.0
        word, total = words[place], theta + place
        sums = (theta + discount * len(tables)) / total / outcomes * rest(place + 1, [*tables, (word, 1)])
        for at, (dish, size) in enumerate(tables):
            if dish == word:
                grown = [*tables[:at], (dish, size + 1), *tables[at + 1 :]]
                sums = sums + (size - discount) / total * rest(place + 1, grown)
        return sums

    return rest(0, [])


def words_given(corpus, labels, alpha, discount):
    total = 1.0
    for k in range(STATES):
        words = corpus.words[np.array(labels) == k].tolist()
        total = total * seatings(words, corpus.types, alpha, discount)
    return total


def transitions_of(corpus, labels):
    labels = np.array(labels)
    return Counts.of_labels(corpus.words, labels, corpus.offsets, corpus.types, STATES).transitions


def batches(rows):
    means = np.array(rows, float).reshape(40, len(rows) // 40, -1).mean(1)
    return means.mean(0), means.std(0, ddof=1) / np.sqrt(40)


@pytest.mark.parametrize("discount", [0.0, 0.6])
def test_labels_have_their_enumerated_probabilities(tiny, discount):
    every = list(itertools.product(range(STATES), repeat=tiny.tokens))
    exact = np.array(
        [
            words_given(tiny, labels, PRIOR.emission, discount)
            * math.exp(log_marginal(transitions_of(tiny, labels), np.array(PRIOR.transition)))
            for labels in every
        ]
    )
    exact /= exact.sum()
    learner = make_learner("pitman-yor", tiny, states=STATES, prior=PRIOR, discount=discount)
    rng = np.random.default_rng(2)
    state, codes = learner.step(rng, learner.init(rng), 20), []
    for _ in range(4000):
        state = learner.step(rng, state, 1)
        codes.append(int("".join(map(str, state.labels.tolist())), 2))
    means, errors = batches(np.eye(len(every))[codes])
    rare = np.sqrt(exact / len(codes))
    assert np.all(np.abs(means - exact) < 4.5 * np.maximum(errors, rare))


def test_the_objective_and_the_tagger_are_those_of_a_walk_through_the_text():
    """Each word and table has its probability given those before; the next word has the tagger's."""
    text = simulate_hmm(200, 3, tags=3, types=12)
    learner = make_learner("pitman-yor", text, states=3, prior=PRIOR, discount=0.4)
    rng = np.random.default_rng(5)
    state = learner.step(rng, learner.init(rng), 9)
    total, sizes, tokens, tables = 0.0, {}, np.zeros(3), np.zeros(3)
    by_word = np.zeros((text.types, 3))
    theta = text.types * PRIOR.emission
    for word, k, place in zip(text.words.tolist(), state.labels, state.places.tolist(), strict=True):
        if place in sizes:
            total += math.log((sizes[place] - 0.4) / (theta + tokens[k]))
        else:
            total += math.log((theta + 0.4 * tables[k]) / text.types / (theta + tokens[k]))
            tables[k] += 1
            by_word[word, k] -= 0.4
        sizes[place] = sizes.get(place, 0) + 1
        tokens[k] += 1
        by_word[word, k] += 1
    counts = learner.counts(state)
    total += log_marginal(counts.transitions, np.array(PRIOR.transition))
    assert learner.view(state).objective[-1] == pytest.approx(total, abs=1e-8)
    shares = (by_word + (theta + 0.4 * tables) / text.types) / (tokens + theta)
    assert learner.weights(state).emissions == pytest.approx(shares, abs=1e-12)
    assert shares.sum(0) == pytest.approx(np.ones(3), abs=1e-12)


@pytest.mark.slow
def test_prior_and_discount_are_drawn_from_their_posterior(tiny):
    """Means of ln alpha_x and of d by quadrature over both, summed over all labels, with alpha_y too."""
    logs = np.linspace(np.log(1e-7), np.log(60.0), 400)
    nodes, shares = roots_legendre(24)
    log_alpha, discount = np.meshgrid(logs, (nodes + 1) / 2, indexing="ij")
    weight = np.exp(log_alpha - np.exp(log_alpha)) * shares
    grid = np.linspace(np.log(1e-7), np.log(1e3), 1500)
    total, sums = 0.0, np.zeros(3)
    for labels in itertools.product(range(STATES), repeat=tiny.tokens):
        words = words_given(tiny, labels, np.exp(log_alpha), discount) * weight
        counts = transitions_of(tiny, labels)
        rows = np.array([log_marginal(counts, np.array(value)) for value in np.exp(grid)])
        between = np.exp(grid - np.exp(grid) + rows).sum()
        total += words.sum() * between
        same = float(labels[0] == labels[2])
        sums += between * np.array([(words * log_alpha).sum(), (words * discount).sum(), same * words.sum()])
    learner = make_learner("pitman-yor", tiny, states=STATES, prior=PRIOR, learn_priors=True)
    rng = np.random.default_rng(3)
    state, rows = learner.step(rng, learner.init(rng), 20), []
    for _ in range(6000):
        state = learner.step(rng, state, 1)
        now = state.trace.priors[-1][0], state.discounts[-1]
        rows.append([np.log(now[0]), now[1], state.labels[0] == state.labels[2]])
    means, errors = batches(rows)
    assert np.all(np.abs(means - sums / total) < 4.5 * errors)


def test_a_text_with_many_rare_words_asks_for_a_discount():
    """Words drawn with discount 0.7, and with none, in two states that are known."""
    found = []
    for discount in (0.7, 0.0):
        rng, sentences = np.random.default_rng(1), []
        tables = [[], []]
        for _ in range(1500):
            k = int(rng.integers(2))
            sizes = np.array([*(size - discount for _, size in tables[k]), 5 + discount * len(tables[k])])
            at = int(rng.choice(sizes.size, p=sizes / sizes.sum()))
            if at == len(tables[k]):
                tables[k].append([f"w{len(tables[k])}", 0])
            tables[k][at][1] += 1
            sentences.append([(f"{tables[k][at][0]}of{k}", f"T{k}")])
        text = Corpus.from_sentences(sentences)
        learner = make_learner("pitman-yor", text, states=2, learn_priors=True, known=KnownTags("all"))
        fitted = fit(learner, steps=120, seed=1)
        draws = fitted.learner.draws(fitted.views)["discount"]
        assert draws.shape == (1, 120)
        found.append(draws[0, 60:].mean())
    assert 0.5 < found[0] < 0.9
    assert found[1] < 0.35


@pytest.mark.parametrize("options", [{}, {"learn_priors": True}, {"precision": "f32"}])
def test_runs_go_on_from_a_record_with_a_dictionary_and_known_tags(options):
    text = simulate_hmm(500, 1, tags=4, types=40)
    allowed = np.ones((text.types, 4), bool)
    for word, tag in zip(text.words, text.tags, strict=True):
        allowed[word, (tag + 1) % 4] = False
    for word, tag in zip(text.words, text.tags, strict=True):
        allowed[word, tag] = True
    learner = make_learner(
        "pitman-yor", text, states=4, allowed=allowed, known=KnownTags("30%"), discount=0.3, **options
    )
    whole = run(learner, sweeps=10, seed=3).finish()
    labels, known = whole.views[0].labels, learner.known_states()
    assert np.array_equal(labels[known >= 0], known[known >= 0])
    assert allowed[text.words, labels].all()
    first = run(learner, sweeps=10, seed=3)
    first.advance(4)
    again = first.record().run().finish().views[0]
    assert np.array_equal(again.labels, labels)
    assert np.array_equal(again.objective, whole.views[0].objective)


def test_discounts_out_of_range_are_refused_and_others_are_options(tmp_path, capsys):
    text = simulate_hmm(200, 1, tags=3, types=20)
    with pytest.raises(InputError, match="--discount 1: write a number from 0 to below 1"):
        make_learner("pitman-yor", text, states=2, discount=1.0)
    found = compare(text, [2, 3], ["pitman-yor"], iterations=3, folds=2, seed=1, discount=0.3)
    assert [row.states for row in found.rows] == [2, 3]
    path = tmp_path / "text.txt"
    path.write_text("the/DT dog/NN barks/VBZ\na/DT cat/NN sleeps/VBZ\n" * 5, encoding="utf-8")
    command = [
        "tag",
        str(path),
        "--learner",
        "pitman-yor",
        "--states",
        "3",
        "--iterations",
        "5",
        "--seed",
        "1",
    ]
    assert main([*command, "--discount", "0.25", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)["runs"][0]
    assert row["discounts"] == [0.25] * 6
