"""Entropy reduction: enumeration on finite lexicons, closed forms on silent loops, telescoping surprisals."""

import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from otlab.errors import InputError
from otlab.mg.io.read import loads
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.parsing.parse import parse
from otlab.mg.parsing.prefix import parse_prefixes, prefix_log_probabilities
from otlab.mg.processing.entropy import word_by_word
from tests.mg import naive
from tests.mg.strategies import lexicons

FINITE = {
    "a moved object": "@start c\n :: =v +wh c\n :: =v c\nsaw :: =d d= v\nwho :: d -wh\nann :: d\nbob :: d\n"
    "of late :: =d d= v\n",
    "silent items and homonyms": "@start c q\na :: c\n :: =x c\na :: x\na b :: x\n :: x\n"
    "b :: =x x= q\na :: q\n",
    "relative clauses": "@start c\n :: =v c\nslept :: d= v\nmet :: =d d= v\nann :: d\nthe :: =r d\n"
    "that :: =s +rel r\n :: =t s\nsaw :: =o p= t\nsaw :: =p o= t\nboy :: o -rel\nbob :: p\nbob :: o -rel\n",
}


def probabilities(lexicon, seed):
    theta = np.random.default_rng(seed).dirichlet(np.ones(len(lexicon)))
    return theta / np.bincount(lexicon.category_index, theta)[lexicon.category_index]


def sequences(lexicon, theta):
    """Yield the Polish sequence and probability of every derivation of a finite lexicon."""
    number = {item: n for n, item in enumerate(lexicon.items)}
    by_category = defaultdict(list)
    for item in lexicon.items:
        by_category[item.category].append(item)

    def extend(done, wanted):
        assert len(done) < 20, "the lexicon is not finite"
        if not wanted:
            yield tuple(done)
            return
        for item in by_category[wanted[0]]:
            yield from extend([*done, item], [f.name for f in item.features if f.selects] + wanted[1:])

    for start in lexicon.start:
        for sequence in extend([], [start]):
            try:
                naive.evaluate(sequence, lexicon.start)
            except naive.IllFormed:
                continue
            yield sequence, math.prod(theta[number[item]] for item in sequence) / len(lexicon.start)


def enumerated(lexicon, theta):
    """Return yield and probability of every derivation of a finite lexicon."""
    return [(naive.evaluate(s, lexicon.start), p) for s, p in sequences(lexicon, theta)]


def entropy(masses):
    p = np.array(masses) / sum(masses)
    return float(-(p @ np.log(p)))


@pytest.mark.parametrize("name", FINITE)
@pytest.mark.parametrize("seed", [1, 2])
def test_entropy_is_that_of_all_derivations(name, seed):
    lexicon = loads(FINITE[name])
    theta = probabilities(lexicon, seed)
    derivations = enumerated(lexicon, theta)
    assert len(derivations) > 4
    grammar = Grammar(lexicon)
    for words in {w for w, _ in derivations}:
        found = word_by_word(parse(grammar, words, theta=theta))
        expected = [entropy([p for w, p in derivations if w[:k] == words[:k]]) for k in range(len(words) + 1)]
        expected.append(entropy([p for w, p in derivations if w == words]))
        assert found.entropy == pytest.approx(expected, abs=1e-9)
        assert found.reduction == pytest.approx(np.maximum(-np.diff(expected), 0), abs=1e-9)


def test_a_silent_loop_has_the_entropy_of_a_geometric_distribution():
    lexicon = loads("@start c\na :: c\n :: =c c\nb :: =c c\n")
    a, e, b = theta = np.array([0.5, 0.2, 0.3])
    grammar = Grammar(lexicon)
    step = -float(theta @ np.log(theta))
    # Before the first word: each item is drawn from the three, on average 1 / a times.
    loop = -(e * math.log(e) + (1 - e) * math.log(1 - e)) / (1 - e)
    for sentence, expected in {
        "a": [step / a, loop, loop],
        "b a": [step / a, loop + step / a, 2 * loop, 2 * loop],
        "b b a": [step / a, loop + step / a, 2 * loop + step / a, 3 * loop, 3 * loop],
    }.items():
        found = word_by_word(parse(grammar, tuple(sentence.split()), theta=theta))
        assert found.entropy == pytest.approx(expected, abs=1e-9)
    assert b == 0.3


def test_the_entropy_is_infinite_where_the_expected_length_is():
    lexicon = loads("@start n\na :: n\nb :: =n n\nc :: =n n= n\n")
    grammar = Grammar(lexicon)
    # Each item selects one more on average: derivations end, but have infinitely many items on average.
    found = word_by_word(parse(grammar, ("a", "c", "a"), theta=np.full(3, 1 / 3)))
    assert found.entropy.tolist() == [np.inf, np.inf, np.inf, np.inf, 0]
    assert np.isnan(found.reduction).tolist() == [True, True, True, False]
    assert found.reduction[-1] == np.inf
    theta = np.array([0.35, 0.33, 0.32])
    step = -float(theta @ np.log(theta))  # and 1 / (1 - .33 - 2 * .32) items
    assert word_by_word(parse(grammar, ("a",), theta=theta)).entropy[0] == pytest.approx(
        step / 0.03, rel=1e-9
    )


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(lexicons(), st.integers(0, 10**6), st.lists(st.sampled_from("ab"), max_size=3))
def test_surprisals_telescope_to_the_prefix(lexicon, seed, words):
    theta = probabilities(lexicon, seed)
    grammar = Grammar(lexicon)
    parsed = parse(grammar, tuple(words), theta=theta)
    try:
        found = word_by_word(parsed)
    except InputError:  # a loop of mass 1
        assume(False)
    logs = prefix_log_probabilities(grammar, tuple(words), theta)
    for k in range(1, len(words) + 1):
        if np.isfinite(logs[k]):
            assert found.surprisal[:k].sum() == pytest.approx(logs[0] - logs[k], abs=1e-9)
            assert found.entropy[k] >= 0
        else:
            assert not np.isfinite(found.surprisal[:k].sum())
            assert np.isnan(found.entropy[k])
    if np.isfinite(parsed.log_probability):
        assert found.surprisal.sum() == pytest.approx(logs[0] - parsed.log_probability, abs=1e-9)


def test_an_impossible_word_has_no_entropy(figure1):
    found = word_by_word("what you see", figure1)
    assert np.isnan(found.entropy).tolist() == [False, False, True, True, True]
    assert np.isnan(found.reduction).tolist() == [False, True, True, True]


def test_prefixes_count_derivations(figure1):
    prefixes = parse_prefixes(Grammar(figure1), ("what",))
    assert [prefix.forest.derivations for prefix in prefixes] == [2, 2]
