from __future__ import annotations

import numpy as np
import pytest

from otlab.discovery.grammar_file import parse_grammar
from otlab.discovery.parsing.estep import expect
from otlab.discovery.parsing.parser import Parser
from otlab.discovery.parsing.trees import TreeSampler, segmentations
from otlab.discovery.presets import preset
from tests.discovery import naive

MIXED = """\
Text -> Phrase+
@Phrase 100 10 0
Phrase -> Word+
Phrase -> 'c' Word 'b'
@Word 100 10 0
Word -> Stem Tail
Word -> Stem
@Stem 100 10 0
Stem -> Phon+
Tail -> 'b'
Tail -> 'c' 'a' 'b'
"""

PHONE_FIRST = """\
Text -> 'b'
Text -> Word+
@Word 100 10 0
Word -> Phon Rest
Rest -> Phon+
"""

GRAMMARS = {
    "word": preset("word"),
    "collocation": preset("collocation"),
    "morphology": preset("morphology"),
    "mixed": parse_grammar(MIXED, "mixed"),
    "phone first": parse_grammar(PHONE_FIRST, "phone first"),
}


def random_weights(parser, seed):
    """Random rule weights, and for each adapted symbol a few random strings."""
    rng = np.random.default_rng(seed)
    weights = parser.no_strings(rng.uniform(0.05, 0.6, size=parser.chart.rules))
    active = []
    for a in range(len(parser.adapted)):
        strings = rng.permutation(len(parser.spans))
        if "Rest" in str(parser.grammar):  # words have two phones or more
            strings = np.array([s for s in strings if len(parser.codes(s)) > 1])
        strings = strings[:4]
        weights.mass[a, strings] = rng.uniform(0.01, 0.3, size=strings.size)
        weights.fresh[a], weights.scale[a] = rng.uniform(0.2, 0.9), rng.uniform(0.5, 1.5)
        active.append(np.sort(strings))
    return weights, active


def by_enumeration(parser, weights, active):
    """The same expectations from every tree of every utterance and grammaton."""
    grammar, corpus = parser.grammar, parser.corpus
    fresh = dict(zip(parser.adapted, weights.fresh, strict=True))
    string = [tuple(corpus.symbols[c] for c in parser.codes(s)) for s in range(len(parser.spans))]
    stored = {
        (name, string[s]): weights.mass[a, s] * weights.scale[a]
        for a, name in enumerate(parser.adapted)
        for s in active[a]
        if weights.mass[a, s]
    }
    items = [(grammar.start, corpus.utterance(u), False) for u in range(len(corpus))]
    items += [(name, string[s], True) for a, name in enumerate(parser.adapted) for s in active[a]]
    return [
        naive.expectations(grammar, symbol, phones, weights.rule, stored, fresh, top)
        for symbol, phones, top in items
    ]


@pytest.mark.parametrize("name", GRAMMARS)
def test_expectations_equal_enumeration(short, name):
    parser = Parser(short, GRAMMARS[name], lattice=False)
    weights, active = random_weights(parser, 1)
    found = expect(parser, weights, active, 3.0, threads=1)
    listed = by_enumeration(parser, weights, active)
    assert [*found.log_z, *np.concatenate(found.own_log_z)] == pytest.approx(
        [item[0] for item in listed], abs=1e-11
    )
    for number, expected in enumerate(found.rule):
        assert expected == pytest.approx(sum(item[1].get(number, 0.0) for item in listed), abs=1e-11)
    for a, name_ in enumerate(parser.adapted):
        built = sum(p for item in listed for (symbol, _), p in item[3].items() if symbol == name_)
        assert found.new[a] == pytest.approx(built, abs=1e-11)
        for s in range(len(parser.spans)):
            key = (name_, tuple(parser.corpus.symbols[c] for c in parser.codes(s)))
            assert found.used[a, s] == pytest.approx(sum(item[2].get(key, 0.0) for item in listed), abs=1e-11)
            assert found.built[a, s] == pytest.approx(
                sum(item[3].get(key, 0.0) for item in listed), abs=1e-11
            )


@pytest.mark.parametrize("name", ["word", "morphology", "phone first"])
def test_boundaries_equal_enumeration(short, name):
    parser = Parser(short, GRAMMARS[name], lattice=False)
    weights, active = random_weights(parser, 2)
    ends = expect(parser, weights, active, 3.0).ends
    listed = by_enumeration(parser, weights, active)
    for u in range(len(short)):
        wanted = [listed[u][4].get(k + 1, 0.0) for k in range(short.lengths[u])]
        assert ends[short.offsets[u] : short.offsets[u + 1]] == pytest.approx(wanted, abs=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["collocation", "mixed"])
def test_boundaries_inside_what_was_looked_up(short, name):
    """Where words hide in grammatons, boundary posteriors are those of sampled trees."""
    parser = Parser(short, GRAMMARS[name], lattice=False)
    weights, active = random_weights(parser, 3)
    ends = expect(parser, weights, active, 3.0).ends
    draws = 1500
    shares = segmentations(parser, weights, draws, np.random.default_rng(4)).mean(axis=0)
    sigma = np.sqrt(np.maximum(ends * (1 - ends), 1e-4) / draws)
    assert (np.abs(shares - ends) < 4.5 * sigma).all()


def test_lattice_equals_chart(toy):
    chart, lattice = (Parser(toy, preset("word"), lattice=x) for x in (False, True))
    assert lattice.lattice is not None
    weights, active = random_weights(chart, 5)
    one, other = (expect(parser, weights, active, 5.0) for parser in (chart, lattice))
    for name in ("rule", "used", "built", "new", "ends", "log_z"):
        np.testing.assert_allclose(getattr(other, name), getattr(one, name), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["word", "collocation"])
def test_same_numbers_for_any_number_of_threads(toy, name):
    parser = Parser(toy, GRAMMARS[name])
    weights, active = random_weights(parser, 6)
    one, other = (expect(parser, weights, active, 5.0, threads=t) for t in (1, 3))
    for field in ("rule", "used", "built", "new", "ends", "log_z"):
        assert (getattr(one, field) == getattr(other, field)).all()


def test_scaling_changes_nothing(toy):
    parser = Parser(toy, preset("word"))
    weights, active = random_weights(parser, 7)
    one, other = (expect(parser, weights, active, unit) for unit in (1.0, 30.0))
    assert one.log_z == pytest.approx(other.log_z, rel=1e-12)
    assert one.rule == pytest.approx(other.rule, rel=1e-9)


def test_only_grammars_that_cut_have_a_lattice(short):
    assert Parser(short, preset("collocation")).lattice is None
    assert Parser(short, parse_grammar("S -> W+\n@W 9 1 0\nW -> Phon+\nW -> 'a' 'b'")).lattice is None


def test_sampled_trees_spell_their_utterance(short):
    parser = Parser(short, GRAMMARS["mixed"])
    weights, _ = random_weights(parser, 8)
    sampler, rng = TreeSampler(parser, weights), np.random.default_rng(9)

    def leaves(node):
        return [node.symbol] if not node.children else [x for child in node.children for x in leaves(child)]

    for u in range(len(short)):
        assert tuple(leaves(sampler.utterance(rng, u))) == short.utterance(u)
