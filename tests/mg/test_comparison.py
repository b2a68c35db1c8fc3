"""Theories of grammar compared: coverage, prediction, and which figures are comparable."""

import math

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.mg.learners.comparison import compare, prepare, shared_sentences, split
from otlab.mg.learners.pool import pool_of
from otlab.mg.parsing.generation import generate
from otlab.mg.parsing.parse import parse
from otlab.samples import load_sample


@pytest.fixture(scope="module")
def theories():
    """King and queen, the same without *which*, and forty sentences of the first."""
    right = load_sample("stabler_king")
    wrong = right.with_items([i for i in right.items if i.text() != "which :: =N D -wh"])
    return right, wrong, generate(right, 80, seed=1, most_words=9).sentences


@pytest.mark.slow
def test_the_right_theory_parses_more(theories):
    right, wrong, corpus = theories
    one, other = compare([right, wrong], corpus, iterations=20, restarts=2, seed=3)
    assert one.parsed == one.held_out_parsed == 1.0
    assert other.parsed < 1.0
    assert one.held_out_log_z < 0
    assert 0 < one.well_formed_mass < other.well_formed_mass


def test_held_out_sentences_are_weighed_one_by_one(theories):
    right, _, corpus = theories
    train, test = split(corpus, 0.25, 3)
    assert sorted([*train, *test]) == sorted(corpus)
    assert len(test) == 20
    (found,) = compare([right], corpus, iterations=20, restarts=2, seed=3)
    trial = prepare(right, train, test)
    learner = trial.learner()
    state = learner.step(np.random.default_rng(0), learner.init(np.random.default_rng(0)), 20)
    theta = learner.view(state).theta
    total = sum(parse(right, words, theta=theta).log_probability for words in test)
    assert trial.judge(learner.view(state)).held_out_log_z == pytest.approx(
        total / sum(map(len, test)), rel=1e-12
    )
    assert found.elbo == pytest.approx(learner.view(state).objective, rel=1e-6)


def test_the_better_frame_predicts_better():
    """The same sentences are parsed; a theory with needless entries loses probability on them."""
    lean = load_sample("english_pp_attachment")
    corpus = generate(lean, 60, seed=5, most_words=8).sentences
    one, other = compare([lean, pool_of(lean)], corpus, alpha=1.0, iterations=30, restarts=2, seed=1)
    assert one.parsed == other.parsed == 1.0
    assert one.elbo > other.elbo
    assert one.held_out_log_z > other.held_out_log_z


def test_a_theory_without_any_parse(theories):
    right, _, corpus = theories
    _, other = compare([right, load_sample("dyck")], corpus, iterations=5, restarts=1)
    assert other.parsed == other.held_out_parsed == 0.0
    assert math.isnan(other.elbo)
    assert math.isnan(other.held_out_log_z)


def test_shared_sentences(theories):
    right, wrong, corpus = theories
    shared = shared_sentences([right, wrong], corpus)
    assert 0 < len(shared) < len(corpus)
    assert all("which" not in words for words in shared)
    assert shared_sentences([right, load_sample("dyck")], corpus) == []
    one, other = compare([right, wrong], shared, iterations=20, restarts=2, seed=3)
    assert one.parsed == other.parsed == 1.0


@pytest.mark.parametrize(
    ("corpus", "share"), [([("a",)], 0.5), ([("a",), ("b",)], 0.0), ([("a",), ("b",)], 1.0)]
)
def test_a_corpus_that_cannot_be_split(corpus, share):
    with pytest.raises(InputError, match="at least 2 sentences and a held-out share between 0 and 1"):
        split(corpus, share)
