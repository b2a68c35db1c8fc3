"""What each word may be, and the prefixes that rule it out, against enumeration."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from otlab.mg.io.read import loads
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.parsing.parse import parse
from otlab.mg.processing.alternatives import alternatives
from otlab.samples import load_sample
from tests.mg import naive
from tests.mg.test_entropy import FINITE, probabilities, sequences


def placed(sequence, start):
    """Return the words of a derivation, and each item with the number of words before it (-1: silent)."""
    tagged = [replace(item, words=tuple((n, w) for w in item.words)) for n, item in enumerate(sequence)]
    words = naive.evaluate(tagged, start)
    first = {}
    for at, (n, _) in enumerate(words):
        first.setdefault(n, at)
    return tuple(w for _, w in words), [(first.get(n, -1), item) for n, item in enumerate(sequence)]


def expected_uses(derivations, words):
    """Return how often each item stands at each place, by prefix, and for the sentence that has ended."""
    steps = []
    for k in range(len(words) + 2):
        whole = k == len(words) + 1
        left = [d for d in derivations if (d[0] == words if whole else d[0][:k] == words[:k])]
        uses = defaultdict(float)
        for _, items, p in left:
            for place in items:
                uses[place] += p / sum(p for _, _, p in left)
        steps.append(uses)
    return steps


@pytest.mark.parametrize("name", FINITE)
@pytest.mark.parametrize("seed", [1, 2])
def test_alternatives_are_those_of_all_derivations(name, seed):
    lexicon = loads(FINITE[name])
    theta = probabilities(lexicon, seed)
    derivations = [(*placed(s, lexicon.start), p) for s, p in sequences(lexicon, theta)]
    grammar = Grammar(lexicon)
    sentences = {words for words, _, _ in derivations}
    several = 0
    for words in sentences | {(*w[:-1], "that") for w in sentences if w}:
        steps = expected_uses(derivations, words)
        wanted = {}
        for at in range(-1, len(words)):
            here = [place for place in steps[at + 1] if place[0] == at]
            for place in here if at < 0 or len(here) > 1 else ():
                lives = [k for k, step in enumerate(steps) if k > at and place in step]
                assert lives == list(range(at + 1, lives[-1] + 1))  # what is ruled out stays so
                if at >= 0 or lives[-1] < len(words):
                    wanted[place] = lives[-1], [step[place] for step in steps[at + 1 :]]
        found = alternatives(parse(grammar, words, theta=theta))
        assert {(a.position, a.item) for a in found} == set(wanted)
        for a in found:
            last, uses = wanted[a.position, a.item]
            assert a.maximal == last
            assert a.minimal == (last + 1 if last <= len(words) else None)
            assert np.isnan(a.expected[: a.position + 1]).all()
            assert a.expected[a.position + 1 :] == pytest.approx(uses, abs=1e-9)
        several += len(found)
    assert several


def test_a_relative_clause_is_ruled_out_by_the_verb():
    lexicon = load_sample("english_relative_clauses")
    found = {a.item.text(): a for a in alternatives("the reporter met the senator", lexicon)[:4]}
    relative = found["the :: =r d -nom"]
    assert (relative.maximal, relative.minimal, relative.ruled_out_by) == (2, 3, "met")
    main = found["the :: =n d -nom"]
    assert (main.maximal, main.minimal, main.ruled_out_by) == (6, None, "")


def test_the_end_of_a_sentence_rules_out_what_would_go_on():
    found = alternatives("a", loads("@start c\na :: c\na :: =d c\nb :: d\n"))
    assert [(a.maximal, a.minimal, a.ruled_out_by) for a in found] == [(2, None, ""), (1, 2, "(end)")]


def test_an_impossible_word_rules_out_everything():
    found = alternatives("a a", loads("@start c\na :: c\na :: =d c\nb :: d\n"))
    assert [(a.maximal, a.ruled_out_by) for a in found] == [(1, "a"), (1, "a")]


def test_a_silent_item_that_can_be_used_no_longer_is_ruled_out():
    lexicon = loads("@start c\nε :: =x c\na :: =z x\nε :: =y c\nb :: =z y\nd :: z\n")
    (found,) = alternatives("a d", lexicon)
    assert (found.item.text(), found.position, found.ruled_out_by) == ("ε :: =y c", -1, "a")
    assert found.expected == pytest.approx([0.5, 0, 0, 0])


def test_alternatives_stand_at_the_words_that_are_pronounced():
    lexicon = loads(
        "@start t\nmary :: d\nmary :: d -f\nsee :: V\n-s :: =>V d= t\n-s :: =>V d= u\nε :: =u +f t\n"
        "-ed :: =>V d= t\n@spell-out see -s -> sees\n@spell-out see -ed -> sees\n"
    )
    found = alternatives("mary sees", lexicon)
    assert [(a.item.text(), a.position, a.ruled_out_by) for a in found] == [
        ("mary :: d", 0, ""),
        ("mary :: d -f", 0, ""),
        ("-s :: =>V d= t", 1, ""),
        ("-s :: =>V d= u", 1, ""),
        ("-ed :: =>V d= t", 1, ""),
    ]  # see is in each of them
