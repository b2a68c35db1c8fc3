from __future__ import annotations

from math import log

import numpy as np
import pytest

from otlab.discovery.channel.channel import OPERATIONS, corrupt
from otlab.discovery.channel.noisy_estep import expect_noisy
from otlab.discovery.corpus import Corpus
from otlab.discovery.kernels.layout import Limits
from otlab.discovery.learners.batch import BatchVB
from otlab.discovery.learners.noisy import NoisyVB
from otlab.discovery.presets import preset
from otlab.discovery.scores import score
from otlab.discovery.toy import ToyLanguage, generate
from otlab.errors import InputError
from otlab.inference import fit
from otlab.inference.random import chain_generators
from tests.discovery import naive


def few_edits(path, most):
    """At most so many edits, and 1 + h // 3 while h phones have been heard."""
    edits = heard = 0
    for kind, _, bottom in path:
        if kind != "none":
            if edits == most or edits > heard // 3:
                return False
            edits += 1
        heard += bottom is not None
    return True


@pytest.mark.parametrize("most_edits", [0, 1, 2])
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
    spelled = dict(zip(OPERATIONS, operation, strict=True))
    by_phone = dict(zip(corpus.symbols, insertion, strict=True))
    by_pair = {
        (x, y): substitution[i, j] for i, x in enumerate(corpus.symbols) for j, y in enumerate(corpus.symbols)
    }
    rule = {str(r): weights.rule[k] for k, r in enumerate(parser.grammar.rules)}
    words = {parser.spell(s): weights.mass[0, s] for s in now.posterior.active[0]}

    def built(piece):
        p = weights.fresh[0] * rule["Word -> Phon+"] * spelled["none"] ** (len(piece) + 1)
        p *= rule["Phon+ -> Phon"] * rule["Phon+ -> Phon Phon+"] ** (len(piece) - 1)
        return p * np.prod([rule[f"Phon -> '{x}'"] for x in piece])

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
    # Every phone that came out was kept, substituted or inserted; every word has an end marker.
    kept = edits.operation[0] - found.ends.sum()
    assert kept + edits.operation[1] + edits.operation[2] == pytest.approx(corpus.phones.size)


def test_bound_never_falls_between_prunings():
    corpus = corrupt(generate(ToyLanguage(words=15, utterances=150)), 0.1, np.random.default_rng(1)).corpus
    view = fit(NoisyVB(corpus, prune_every=1_000, relearnings=0), steps=12, seed=1).view
    assert (np.diff(view.objective) >= -1e-6 * np.abs(view.objective[:-1])).all()


def test_planted_edits_are_recovered_behind_words():
    clean = generate(ToyLanguage(words=20, utterances=500, seed=4))
    damaged = corrupt(clean, 0.1, np.random.default_rng(2))
    without = fit(BatchVB(damaged.corpus, preset("word")), steps=25, seed=1).view
    view = fit(NoisyVB(damaged.corpus), steps=25, seed=1).view
    before, after = (score(damaged.corpus, v.ends > 0.5).token.f for v in (without, view))
    assert after > before + 0.03
    likeliest = view.edits.means()[2].argmax(axis=1)
    assert np.mean(likeliest == damaged.confusion) > 0.7


def test_corruption_keeps_words_and_counts_its_edits():
    clean = generate(ToyLanguage(words=20, utterances=200))
    damaged = corrupt(clean, 0.2, np.random.default_rng(3))
    assert damaged.corpus.gold.sum() == clean.gold.sum()
    assert len(damaged.corpus) == len(clean)
    none, substituted, inserted, deleted = damaged.operations
    assert damaged.corpus.phones.size == clean.phones.size + inserted - deleted
    assert none + substituted + inserted + deleted == clean.phones.size
    assert (damaged.confusion != np.arange(len(clean.symbols))).all()


def test_only_grammars_that_cut():
    with pytest.raises(InputError, match="does more than cut"):
        NoisyVB(Corpus.from_text("abab\nab"), preset("collocation")).init(np.random.default_rng(1))


def test_results_do_not_depend_on_threads():
    corpus = generate(ToyLanguage(words=12, utterances=60))
    views = [fit(NoisyVB(corpus, threads=t), steps=3, seed=1).view for t in (1, 3)]
    assert (views[0].objective == views[1].objective).all()
    assert (views[0].ends == views[1].ends).all()
