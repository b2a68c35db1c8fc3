from __future__ import annotations

import sys
from itertools import product
from math import log

import numpy as np
import pytest

from otlab.discovery.channel.channel import OPERATIONS, corrupt
from otlab.discovery.channel.noisy_estep import expect_noisy
from otlab.discovery.channel.word_ends import end_counts
from otlab.discovery.corpus import Corpus
from otlab.discovery.kernels.layout import Limits
from otlab.discovery.learners.batch import BatchVB
from otlab.discovery.learners.noisy import NoisyVB
from otlab.discovery.presets import preset
from otlab.discovery.scores import score
from otlab.discovery.toy import ToyLanguage, generate
from otlab.inference import fit
from otlab.inference.random import chain_generators
from tests.discovery import naive


def few_edits(path, most):
    """At most a number of edits, and 2 + h // 2 after h phones of the output."""
    edits = heard = 0
    for kind, _, bottom in path:
        if kind != "none":
            if edits == most or edits >= 2 + heard // 2:
                return False
            edits += 1
        heard += bottom is not None
    return True


@pytest.mark.parametrize("most_edits", [0, 1, 2, 3])
def test_expectations_equal_enumeration(most_edits):
    """Every segmentation, every word behind every piece, every edit path with few edits."""
    corpus = Corpus.from_text("abcab\nabac\ncab\nabab")
    learner = NoisyVB(corpus, most_edits=most_edits, warmup=2)
    (rng,) = chain_generators(1, 1)
    state = learner.init(rng)
    state = learner.step(rng, state, 1)
    parser, now = learner.parser, state.reading
    weights = now.posterior.weights(parser)
    operation, insertion, substitution = now.edits.weights()
    spelled = naive.with_end(dict(zip(OPERATIONS, operation, strict=True)))
    by_phone = dict(zip(corpus.symbols, insertion, strict=True))
    by_pair = {
        (x, y): substitution[i, j] for i, x in enumerate(corpus.symbols) for j, y in enumerate(corpus.symbols)
    }
    index = {str(r): k for k, r in enumerate(parser.grammar.rules)}
    rule = {name: weights.rule[k] for name, k in index.items()}
    words = {parser.spell(s): weights.mass[0, s] for s in now.posterior.active[0]}

    def built(piece):
        by_symbol = {x: rule[f"Phon -> '{x}'"] for x in corpus.symbols}
        first = rule["Word -> Phon+"] * rule["Phon+ -> Phon"]
        chain = (weights.fresh[0] * first, rule["Phon+ -> Phon Phon+"])
        return naive.edited_base(piece, by_symbol, chain, (spelled, by_phone, by_pair), 2, 2)

    def heard(piece):
        total = 0.0
        for word, mass in words.items():
            for path in naive.channel_paths(word, piece, 2, 2):
                if few_edits(path, most_edits):
                    total += mass * naive.path_weight(path, spelled, by_phone, by_pair)
        return total

    found, edits, _ = expect_noisy(parser, weights, now.posterior.active, now.edits, 3.0, Limits(most_edits))
    for u in range(len(corpus)):
        z, ends = 0.0, np.zeros(corpus.lengths[u])
        for cut in naive.segmentations("".join(corpus.utterance(u))):
            p = (
                rule["Utterance -> Word+"]
                * rule["Word+ -> Word"]
                * rule["Word+ -> Word Word+"] ** (len(cut) - 1)
            )
            p *= np.prod([built(piece) + heard(piece) for piece in cut])
            z += p
            ends[np.cumsum([len(piece) for piece in cut]) - 1] += p
        assert found.log_z[u] == pytest.approx(log(z), abs=1e-10)
        assert found.ends[corpus.offsets[u] : corpus.offsets[u + 1]] == pytest.approx(ends / z, abs=1e-10)
    assert found.new[0] == pytest.approx(found.rule[index["Word -> Phon+"]] - now.posterior.active[0].size)
    # Every phone that came out was kept, substituted or inserted, beside what read the ends of words.
    made = edits.operation - end_counts(found.ends.sum(), now.edits.weights())
    assert made[:3].sum() == pytest.approx(corpus.phones.size)
    assert made[1] == pytest.approx(edits.substitution.sum())


def test_a_fresh_word_sums_over_all_source_strings():
    """The twin's recursion over arcs equals a list of every string that can come out as the piece."""
    theta = {"a": 0.5, "b": 0.3, "c": 0.1}
    operation = {"none": 0.6, "substitute": 0.2, "insert": 0.1, "delete": 0.07}
    insertion = {"a": 0.2, "b": 0.5, "c": 0.3}
    substitution = {(x, y): 0.1 + 0.3 * (x < y) for x in "abc" for y in "abc"}
    for piece in ("a", "bc"):
        total = 0.0
        for length in range(1, 2 * len(piece) + 2):
            for source in product("abc", repeat=length):
                base = 0.4 * 0.5 ** (length - 1) * np.prod([theta[x] for x in source])
                for path in naive.channel_paths(source, piece, 1, 1):
                    total += base * naive.path_weight(path, operation, insertion, substitution)
        edits = (operation, insertion, substitution)
        assert naive.edited_base(piece, theta, (0.4, 0.5), edits, 1, 1) == pytest.approx(total, rel=1e-12)


class Perturbed:
    """Weights of a channel of which one is a little larger."""

    def __init__(self, edits, part, place, factor):
        self.arrays = edits.weights()
        self.arrays[part][place] *= factor

    def weights(self):
        return self.arrays


def test_expected_counts_are_derivatives_of_the_log_weight():
    """Of operations, inserted phones, substitutes and rules: stored and fresh words together."""
    corpus = Corpus.from_text("abcab\nabac\ncab\nabab")
    learner = NoisyVB(corpus, warmup=2)
    state = learner.init(chain_generators(1, 1)[0])
    parser, now = learner.parser, state.reading
    weights = now.posterior.weights(parser)

    def run(edits, weights=weights):
        expected, counts, _ = expect_noisy(parser, weights, now.posterior.active, edits, 3.0)
        return expected, counts

    expected, counts = run(now.edits)
    step = 1e-6
    places = [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 2), (2, (0, 1)), (2, (2, 0))]
    for part, place in places:
        up, down = (run(Perturbed(now.edits, part, place, f))[0].log_z.sum() for f in (1 + step, 1 - step))
        found = (counts.operation, counts.insertion, counts.substitution)[part][place]
        assert found == pytest.approx((up - down) / (2 * step), abs=1e-5), (part, place)
    for k in range(len(parser.grammar.rules)):
        logs = []
        for factor in (1 + step, 1 - step):
            rule = weights.rule.copy()
            rule[k] *= factor
            logs.append(run(now.edits, weights._replace(rule=rule))[0].log_likelihood)
        assert expected.rule[k] == pytest.approx((logs[0] - logs[1]) / (2 * step), abs=1e-5), k


@pytest.mark.slow
def test_bound_never_falls_between_prunings():
    corpus = corrupt(generate(ToyLanguage(words=15, utterances=150)), 0.1, np.random.default_rng(1)).corpus
    view = fit(NoisyVB(corpus, prune_every=1_000, merge_every=1_000, relearnings=0), steps=12, seed=1).view
    assert (np.diff(view.objective) >= -1e-6 * np.abs(view.objective[:-1])).all()


@pytest.mark.slow
def test_planted_edits_are_recovered_behind_words():
    clean = generate(ToyLanguage(words=20, utterances=500, seed=4))
    damaged = corrupt(clean, 0.1, np.random.default_rng(2))
    without = fit(BatchVB(damaged.corpus, preset("word")), steps=25, seed=1).view
    view = fit(NoisyVB(damaged.corpus), steps=25, seed=1).view
    before, after = (score(damaged.corpus, v.ends > 0.5).token.f for v in (without, view))
    assert after > before + 0.03
    likeliest = view.edits.means()[2].argmax(axis=1)
    assert np.mean(likeliest == damaged.confusion) > 0.7


@pytest.mark.slow
def test_planted_rates_are_recovered_within_a_quarter():
    """All edits together, as a share of all operations; more rates and seeds in the benchmark.

    On this text they came out at .58 of what was planted when the end of a word counted as a phone unedited.
    """
    clean = generate(ToyLanguage(words=30, utterances=400, seed=4))
    damaged = corrupt(clean, 0.2, np.random.default_rng(4))
    edits = fit(NoisyVB(damaged.corpus), steps=40, seed=1).view.edits.operation
    assert edits[1:].sum() / edits.sum() == pytest.approx(damaged.rates[1:].sum(), rel=0.25)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_planted_rates_are_recovered_in_nine_of_ten_texts():
    """Words by Zipf's law; of all phones 6 % substituted and 1.5 % deleted, and before 1.5 % one inserted."""
    ratios = []
    for seed in range(10):
        clean = generate(ToyLanguage(words=30, utterances=600, seed=seed))
        damaged = corrupt(clean, 0.09, np.random.default_rng(seed), (2 / 3, 1 / 6, 1 / 6))
        edits = fit(NoisyVB(damaged.corpus), steps=30, seed=1).view.edits.operation  # settled after 20
        learnt, planted = edits[1:] / edits.sum(), damaged.rates[1:]
        ratios.append([*(learnt / planted), learnt.sum() / planted.sum()])
        kinds = zip(("substituted", "inserted", "deleted", "in all"), ratios[-1], strict=True)
        sys.stdout.write(f"language {seed}: {', '.join(f'{kind} {ratio:.2f}' for kind, ratio in kinds)}\n")
    inside = (np.abs(np.array(ratios) - 1.0) <= 0.25).sum(axis=0)
    sys.stdout.write(f"within a quarter: {inside.tolist()}\n")
    assert inside[0] >= 9
    assert inside[3] >= 9


def test_corruption_keeps_words_and_counts_its_edits():
    clean = generate(ToyLanguage(words=20, utterances=200))
    damaged = corrupt(clean, 0.2, np.random.default_rng(3))
    assert damaged.corpus.gold.sum() == clean.gold.sum()
    assert len(damaged.corpus) == len(clean)
    none, substituted, inserted, deleted = damaged.operations
    assert damaged.corpus.phones.size == clean.phones.size + inserted - deleted
    assert none + substituted + inserted + deleted == clean.phones.size
    assert (damaged.confusion != np.arange(len(clean.symbols))).all()


def test_results_do_not_depend_on_threads():
    corpus = generate(ToyLanguage(words=12, utterances=60))
    views = [fit(NoisyVB(corpus, threads=t), steps=3, seed=1).view for t in (1, 3)]
    assert (views[0].objective == views[1].objective).all()
    assert (views[0].ends == views[1].ends).all()
