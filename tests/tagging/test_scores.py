"""Scores of states against tags, against their definitions and other programs."""

from __future__ import annotations

import itertools
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from otlab.tagging import SCORES, Corpus, score
from otlab.tagging.scores import Scorer, greedy_matching

tables = arrays(
    np.int64, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=st.integers(0, 30)
).filter(lambda table: table.sum() > 0)


def test_a_table_by_hand():
    found = score(np.array([[6, 2], [1, 1], [0, 2]]))
    assert found.one_to_one == pytest.approx(8 / 12)
    assert found.many_to_one == pytest.approx((6 + 1 + 2) / 12)
    h_joint = -sum(p * np.log2(p) for p in np.array([6, 2, 1, 1, 2]) / 12)
    h_y = -sum(p * np.log2(p) for p in np.array([8, 2, 2]) / 12)
    h_t = -sum(p * np.log2(p) for p in np.array([7, 5]) / 12)
    assert found.h_t_given_y == pytest.approx(h_joint - h_y)
    assert found.h_y_given_t == pytest.approx(h_joint - h_t)
    assert found.vi == pytest.approx(2 * h_joint - h_y - h_t)
    assert found.v_measure == pytest.approx(2 * (h_y + h_t - h_joint) / (h_y + h_t))


def test_greedy_may_be_below_the_optimum():
    found = score(np.array([[5, 4], [4, 0]]))
    assert found.one_to_one == 5 / 13
    assert found.one_to_one_optimal == 8 / 13


def test_ties_go_to_the_lowest_state_and_tag():
    assert greedy_matching(np.array([[3, 3], [3, 3]])) == [(0, 0), (1, 1)]


@given(tables)
def test_the_optimum_is_the_best_assignment(table):
    states, tags = table.shape
    wide = np.zeros((max(states, tags),) * 2, int)
    wide[:states, :tags] = table
    best = max(wide[np.arange(len(wide)), list(p)].sum() for p in itertools.permutations(range(len(wide))))
    found = score(table)
    assert found.one_to_one_optimal == pytest.approx(best / table.sum())
    assert found.one_to_one <= found.one_to_one_optimal + 1e-12 <= found.many_to_one + 2e-12


@given(tables)
def test_v_measure_is_scikit_learns(table):
    metrics = pytest.importorskip("sklearn.metrics")
    states, tags = np.nonzero(table)
    y, t = np.repeat(states, table[table > 0]), np.repeat(tags, table[table > 0])
    expected = metrics.v_measure_score(t, y) if len(set(y)) > 1 or len(set(t)) > 1 else 0.0
    assert score(table).v_measure == pytest.approx(expected, abs=1e-9)


@settings(deadline=None)
@given(tables, st.randoms())
def test_names_of_states_do_not_matter(table, random):
    order = list(range(table.shape[0]))
    random.shuffle(order)
    one, other = astuple(score(table)), astuple(score(table[order]))
    # Ties between equal cells are broken by state number: greedy 1-to-1 may differ then.
    unique = len(set(table[table > 0].tolist())) == np.count_nonzero(table)
    start = 0 if unique else 1
    np.testing.assert_allclose(one[start:], other[start:], atol=1e-9)


def test_cross_validation_learns_the_map_on_other_sentences():
    # State 0 is N in even sentences and V in odd ones: a map learnt on one half misses the other.
    corpus = Corpus.from_sentences([[("a", "N"), ("b", "D")], [("a", "V"), ("b", "D")]] * 3)
    labels = np.tile([0, 1], 6).astype(np.int16)
    found = score(Scorer(corpus, 2).table(labels))
    assert found.many_to_one == pytest.approx(0.75)
    assert found.many_to_one_crossvalidated == pytest.approx(0.5)


def test_labels_beyond_the_states_get_rows_of_their_own():
    corpus = Corpus.from_sentences([[("a", "X"), ("b", "Y")]] * 2)
    table = Scorer(corpus, 2).table(np.array([0, 5, 0, 5], np.int16))
    assert table.shape == (2, 6, 2)
    assert table.sum(0)[5].tolist() == [0, 2]


def test_a_state_unseen_in_the_other_half_scores_nothing():
    corpus = Corpus.from_sentences([[("a", "N")], [("b", "N")]])
    found = score(Scorer(corpus, 2).table(np.array([0, 1], np.int16)))
    assert found.many_to_one == 1
    assert found.many_to_one_crossvalidated == 0


def test_gold_tags_are_scored_perfect():
    corpus = Corpus.from_sentences([[("a", "N"), ("b", "V"), ("c", "D")], [("a", "N"), ("b", "V")]])
    row = dict(zip(SCORES, Scorer(corpus, 5).row(corpus.tags.astype(np.int16)), strict=True))
    assert row["one_to_one"] == row["one_to_one_optimal"] == row["many_to_one"] == 1
    assert row["vi"] == 0
    assert row["v_measure"] == pytest.approx(1)


def test_little_information_is_scored_too():
    assert score(np.array([[19, 0], [0, 1]])).v_measure == pytest.approx(1)


def test_tokens_without_a_tag_are_scored_nowhere():
    text = [[("a", "N"), ("b", None), ("a", "N")], [("c", "V"), ("b", None)], [("c", "V")]]
    corpus = Corpus.from_sentences(text)
    table = Scorer(corpus, 3).table(np.array([0, 2, 0, 1, 2, 1], np.int16))
    assert table.tolist() == [[[2, 0], [0, 1], [0, 0]], [[0, 0], [0, 1], [0, 0]]]


def test_a_text_without_tags_has_no_scores():
    assert np.isnan(Scorer(Corpus.from_sentences([["a", "b"]]), 2).row(np.array([0, 1], np.int16))).all()
