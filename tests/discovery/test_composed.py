"""The channel behind any grammar: the chart of the composed grammar against enumeration and derivatives."""

from __future__ import annotations

from itertools import product
from math import log

import numpy as np
import pytest

from otlab.discovery.channel.channel import OPERATIONS, corrupt
from otlab.discovery.channel.composed_estep import expect_composed
from otlab.discovery.channel.noisy_estep import expect_noisy
from otlab.discovery.corpus import Corpus
from otlab.discovery.fit import discover
from otlab.discovery.grammar_file import parse_grammar
from otlab.discovery.kernels.layout import Limits
from otlab.discovery.learners.noisy import NoisyVB
from otlab.discovery.parsing.parser import Parser
from otlab.discovery.presets import preset
from otlab.discovery.toy import ToyLanguage, generate
from otlab.inference import fit
from otlab.inference.random import chain_generators
from tests.discovery import naive
from tests.discovery.test_noisy import Perturbed, few_edits

TEXT = "abab\naba\nbab\nab"

COLLOCATION = """\
Utterance -> Collocation+
@Collocation 50 10 0
Collocation -> Word+
@Word 50 10 0
Word -> Phon+
"""

MORPHOLOGY = """\
Utterance -> Word+
@Word 50 10 0
Word -> Stem
Word -> Stem Suffix
@Stem 50 10 0
Stem -> Phon+
@Suffix 20 10 0
Suffix -> 'a'
Suffix -> 'b' 'a'
"""


STORED = {
    "Word": "ab ba b ta pata pat",
    "Collocation": "ab aba tata pata",
    "Stem": "a b ab pa",
    "Suffix": "a ba",
    "Onset": "t p",
    "Nucleus": "a",
    "Coda": "t p",
}


def learnt(grammar, text=TEXT, limits=(2, 1, 1)):
    """A learner of a small text that has stored these strings, its reading, and weights."""
    edits, inserted, deleted = limits
    learner = NoisyVB(
        Corpus.from_text(text),
        parse_grammar(grammar, "test"),
        most_edits=edits,
        most_inserted=inserted,
        most_deleted=deleted,
        warmup=2,
    )
    state = learner.init(chain_generators(1, 1)[0])
    code = {symbol: k for k, symbol in enumerate(learner.corpus.symbols)}
    stored = {
        name: {
            np.array([code[x] for x in string], dtype=np.int32).tobytes(): 2.0 + k
            for k, string in enumerate(strings.split())
            if set(string) <= code.keys()
        }
        for name, strings in STORED.items()
    }
    now = learner.begin_with(state, stored, state.reading.expected_edits).reading
    return learner, now, now.posterior.weights(learner.parser)


class Enumeration:
    """Every analysis of a text that came out, by lists: trees, source strings, edit paths."""

    def __init__(self, learner, now, weights):
        parser = learner.parser
        self.grammar, self.inserted, self.deleted = (
            parser.grammar,
            learner.most_inserted,
            learner.most_deleted,
        )
        self.most_edits, self.symbols = learner.most_edits, learner.corpus.symbols
        operation, insertion, substitution = now.edits.weights()
        self.operation = naive.with_end(dict(zip(OPERATIONS, operation, strict=True)))
        self.insertion = dict(zip(self.symbols, insertion, strict=True))
        self.substitution = {
            (x, y): substitution[i, j] for i, x in enumerate(self.symbols) for j, y in enumerate(self.symbols)
        }
        self.rule = dict(zip(map(str, self.grammar.rules), weights.rule, strict=False))
        self.fresh = dict(zip(parser.adapted, weights.fresh, strict=True))
        self.stored = {
            name: {parser.spell(s): weights.mass[a, s] for s in now.posterior.active[a]}
            for a, name in enumerate(parser.adapted)
        }

    def weigh(self, path):
        return naive.path_weight(path, self.operation, self.insertion, self.substitution)

    def paths(self, source, output):
        return naive.channel_paths(source, output, self.inserted, self.deleted)

    def word_trees(self, symbol, string, bare=False):
        """Every tree of a source string: its weight, and its pieces, looked up or single phones."""
        if string and not bare and string in self.stored.get(symbol, {}):
            yield self.stored[symbol][string], ((string, True),)
        if not string:
            return
        built = self.fresh[symbol] if symbol in self.fresh and not bare else 1.0
        for rule in self.grammar.by_left[symbol]:
            for weight, pieces in self.sequences(rule.right, string):
                yield built * self.rule[str(rule)] * weight, pieces

    def sequences(self, symbols, string):
        if not symbols:
            if not string:
                yield 1.0, ()
            return
        first, rest = symbols[0], symbols[1:]
        for k in range(1, len(string) - len(rest) + 1):
            here = (
                self.word_trees(first, string[:k])
                if isinstance(first, str)
                else [(1.0, ((string[:k], False),))] * (string[:k] == first.phone)
            )
            for weight, pieces in here:
                for more, others in self.sequences(rest, string[k:]):
                    yield weight * more, pieces + others

    def allowed(self, path, pieces):
        """Whether each piece that was looked up has few edits; an insertion belongs to the next phone's."""
        owner = [k for k, (string, _) in enumerate(pieces) for _ in string]
        parts, waiting, source = [[] for _ in pieces], [], 0
        for kind, top, bottom in path:
            if top is None and bottom is None:
                continue
            waiting.append((kind, top, bottom))
            if kind != "insert":
                parts[owner[source]] += waiting
                waiting, source = [], source + 1
        return all(
            few_edits(part, self.most_edits)
            for part, (_, looked_up) in zip(parts, pieces, strict=True)
            if looked_up
        )

    def words_built(self, output):
        """Weight of all words built from rules that come out so."""
        total = 0.0
        longest = len(output) + (len(output) + 1) * self.deleted
        for length in range(1, longest + 1):
            for source in map("".join, product(self.symbols, repeat=length)):
                paths = list(self.paths(source, output))
                for weight, pieces in self.word_trees(self.grammar.word, source, bare=True) if paths else ():
                    total += weight * sum(self.weigh(p) for p in paths if self.allowed(p, pieces))
        return total

    def looked_up(self, symbol, output):
        return sum(
            mass * self.weigh(path)
            for source, mass in self.stored[symbol].items()
            for path in self.paths(source, output)
            if few_edits(path, self.most_edits)
        )

    def weight(self, symbol, output, known=None):
        """Weight of an output below a symbol that is a word or above it."""
        known = {} if known is None else known
        if (symbol, output) not in known:
            if symbol == self.grammar.word:
                total = self.fresh[symbol] * self.words_built(output)
            else:
                total = self.fresh.get(symbol, 1.0) * sum(
                    self.rule[str(rule)] * self.weight_of(rule.right, output, known)
                    for rule in self.grammar.by_left[symbol]
                )
            known[symbol, output] = total + (self.looked_up(symbol, output) if symbol in self.stored else 0.0)
        return known[symbol, output]

    def weight_of(self, symbols, output, known):
        if len(symbols) == 1:
            return self.weight(symbols[0], output, known)
        return sum(
            self.weight(symbols[0], output[:k], known) * self.weight_of(symbols[1:], output[k:], known)
            for k in range(1, len(output) - len(symbols) + 2)
        )


@pytest.mark.slow
@pytest.mark.parametrize("grammar", [COLLOCATION, MORPHOLOGY], ids=["collocation", "morphology"])
@pytest.mark.parametrize("limits", [(2, 1, 1), (1, 1, 0), (0, 0, 0)], ids=str)
def test_log_weights_equal_enumeration(grammar, limits):
    """Every tree of every source string, with every edit path."""
    text = "aba\nbab\nab" if limits[2] else TEXT
    learner, now, weights = learnt(grammar, text, limits)
    assert all(strings.size for strings in now.posterior.active)
    found, _, _ = expect_noisy(learner.parser, weights, now.posterior.active, now.edits, 3.0, Limits(*limits))
    twin, known = Enumeration(learner, now, weights), {}
    for u in range(len(learner.corpus)):
        wanted = log(twin.weight("Utterance", "".join(learner.corpus.utterance(u)), known))
        assert found.log_z[u] == pytest.approx(wanted, abs=1e-10)


SYLLABLE = """\
Utterance -> Word+
@Word 50 10 0
Word -> Syllable+
Syllable -> Onset Rhyme
Syllable -> Rhyme
Rhyme -> Nucleus Coda
Rhyme -> Nucleus
@Onset 20 10 0
Onset -> Consonant+
@Nucleus 20 10 0
Nucleus -> Vowel+
@Coda 20 10 0
Coda -> Consonant+
"""


@pytest.mark.parametrize(
    "grammar", [COLLOCATION, MORPHOLOGY, SYLLABLE], ids=["collocation", "morphology", "syllable"]
)
@pytest.mark.slow
def test_expected_counts_are_derivatives_of_the_log_weight(grammar):
    """Of rules, stored strings, strings built from rules, and all kinds of edits."""
    learner, now, weights = learnt(grammar, "tata pat\npata ta\ntap pata\ntat tata", (2, 2, 2))
    parser, step = learner.parser, 1e-6

    def run(edits=now.edits, weights=weights):
        expected, counts, _ = expect_noisy(parser, weights, now.posterior.active, edits, 3.0)
        return expected, counts

    def slope(change):
        up, down = (run(**change(1.0 + sign * step))[0].log_likelihood for sign in (1, -1))
        return (up - down) / (2 * step)

    assert all(strings.size for strings in now.posterior.active)
    expected, counts = run()
    places = [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 2), (2, (0, 1)), (2, (2, 0))]
    for part, place in places:
        found = (counts.operation, counts.insertion, counts.substitution)[part][place]
        wanted = slope(lambda f, k=part, p=place: {"edits": Perturbed(now.edits, k, p, f)})
        assert found == pytest.approx(wanted, abs=1e-5), (part, place)

    def changed(name, place, factor):
        array = getattr(weights, name).copy()
        array[place] *= factor
        return {"weights": weights._replace(**{name: array})}

    for k in range(len(parser.grammar.rules)):
        wanted = slope(lambda f, k=k: changed("rule", k, f))
        assert expected.rule[k] == pytest.approx(wanted, abs=1e-5), str(parser.grammar.rules[k])
    for a, strings in enumerate(now.posterior.active):
        wanted = slope(lambda f, a=a: changed("fresh", a, f))
        assert expected.new[a] == pytest.approx(wanted, abs=1e-5), parser.adapted[a]
        for s in strings[:4]:
            wanted = slope(lambda f, p=(a, s): changed("mass", p, f))
            assert expected.used[a, s] == pytest.approx(wanted, abs=1e-5), parser.spell(s)


def test_the_chart_repeats_the_segmentations_of_the_word_grammar():
    """Two algorithms for one model return the same values."""
    corpus = corrupt(generate(ToyLanguage(words=8, utterances=25)), 0.1, np.random.default_rng(3)).corpus
    learner = NoisyVB(corpus, warmup=3)
    (rng,) = chain_generators(1, 1)
    now = learner.step(rng, learner.init(rng), 1).reading
    weights, active = now.posterior.weights(learner.parser), now.posterior.active
    one, edits, best = expect_noisy(learner.parser, weights, active, now.edits, 3.0)
    chart = Parser(corpus, preset("word"), lattice=False)
    other, again, sources = expect_composed(chart, weights, active, now.edits, 3.0, Limits())
    assert other.log_z == pytest.approx(one.log_z, abs=1e-9)
    for name in ("rule", "used", "new", "ends"):
        assert getattr(other, name) == pytest.approx(getattr(one, name), abs=1e-8), name
    for name in ("operation", "insertion", "substitution"):
        assert getattr(again, name) == pytest.approx(getattr(edits, name), abs=1e-8), name
    sure = (one.ends > 0.9) & (sources >= 0)
    assert sure.sum() > 30
    assert np.mean(best[sure] == sources[sure]) > 0.95


def test_words_inside_a_collocation_with_edits():
    """A stored collocation that came out with an edit has its words' edges where the edit leaves them."""
    text = "\n".join(["ab cd"] * 20 + ["ab xcd", "axb cd", "ab d", "b cd", "ab cx"])
    learner = NoisyVB(Corpus.from_text(text), preset("collocation"), relearnings=0)
    (rng,) = chain_generators(1, 1)
    state = learner.init(rng)
    parser = learner.parser
    words = {"Word": {"ab": 30.0, "cd": 30.0}, "Collocation": {"abcd": 60.0}}
    number = {symbol: k for k, symbol in enumerate(learner.corpus.symbols)}
    spelt = {
        name: {np.array([number[x] for x in s], dtype=np.int32).tobytes(): n for s, n in strings.items()}
        for name, strings in words.items()
    }
    now = learner.begin_with(state, spelt, state.reading.expected_edits).reading
    corpus = learner.corpus
    for u in range(20, 25):
        ends = now.expected.ends[corpus.offsets[u] : corpus.offsets[u + 1]]
        gold = np.array(corpus.gold[corpus.offsets[u] : corpus.offsets[u + 1]], dtype=bool)
        assert ((ends > 0.5) == gold).all(), (corpus.utterance(u), ends)
    assert parser.lattice is None


@pytest.mark.slow
@pytest.mark.parametrize("grammar", ["collocation", "morphology", "syllable"])
def test_bound_never_falls_between_prunings(grammar):
    corpus = corrupt(generate(ToyLanguage(words=12, utterances=60)), 0.1, np.random.default_rng(1)).corpus
    learner = NoisyVB(corpus, preset(grammar), prune_every=1_000, merge_every=1_000, relearnings=0)
    view = fit(learner, steps=6, seed=1).view
    assert (np.diff(view.objective) >= -1e-6 * np.abs(view.objective[:-1])).all()


@pytest.mark.slow
def test_planted_edits_are_recovered_behind_collocations():
    clean = generate(ToyLanguage(words=20, utterances=300, seed=4))
    damaged = corrupt(clean, 0.1, np.random.default_rng(2))
    found = discover(damaged.corpus, "collocation", "noisy", iterations=20, seed=1)
    without = discover(damaged.corpus, "collocation", "batch", iterations=20, seed=1)
    assert found.scores.token.f > without.scores.token.f
    likeliest = found.view.edits.means()[2].argmax(axis=1)
    assert np.mean(likeliest == damaged.confusion) > 0.5


@pytest.mark.slow
def test_results_do_not_depend_on_threads():
    corpus = generate(ToyLanguage(words=12, utterances=40))
    views = [fit(NoisyVB(corpus, preset("morphology"), threads=t), steps=3, seed=1).view for t in (1, 3)]
    assert (views[0].objective == views[1].objective).all()
    assert (views[0].ends == views[1].ends).all()
