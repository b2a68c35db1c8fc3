from __future__ import annotations

import numpy as np
import pytest

from otlab.discovery.learners.online import OnlineVB
from otlab.discovery.learners.starts import Geometric
from otlab.discovery.presets import preset
from otlab.discovery.scores import score
from otlab.discovery.toy import ToyLanguage, generate
from otlab.inference import fit, run


@pytest.mark.parametrize("name", ["word", "collocation", "syllable"])
def test_results_do_not_depend_on_ticks(toy, name):
    views = [
        run(OnlineVB(toy, preset(name), batch=30), sweeps=8, seed=5, every=e).finish().view for e in (1, 3, 8)
    ]
    for view in views[1:]:
        assert (view.objective == views[0].objective).all()
        assert (view.ends == views[0].ends).all()


@pytest.mark.parametrize("name", ["word", "collocation", "morphology"])
@pytest.mark.slow
def test_grammatons_spell_their_strings(toy, name):
    learner = OnlineVB(toy, preset(name), Geometric(0.5), batch=30, prune_every=4)
    run_ = run(learner, sweeps=10, seed=2)
    run_.finish()
    kept, parser = run_.states[0].grammatons, learner.parser
    rules = parser.grammar.rules
    assert len(kept)

    def spelt(tree):
        out = []
        for value in tree:
            if value < 0:
                out += spelt(kept.tree[-value - 1])
            elif value < len(rules) and parser.chart.arity[value] == 0:
                out.append(rules[value].right[0].phone)
        return out

    for e in range(len(kept)):
        assert "".join(spelt(kept.tree[e])) == parser.spell(kept.string[e])
    used = np.zeros(len(kept))
    for tree in kept.tree:
        for value in tree:
            if value < 0:
                used[-value - 1] += 1
    assert kept.parts == used.tolist()


def test_pruned_grammatons_are_used(toy):
    learner = OnlineVB(toy, preset("word"), batch=30, prune_every=5)
    run_ = run(learner, sweeps=10, seed=2)
    run_.finish()
    state = run_.states[0]
    assert (state.grammatons.uses >= 0.5).all()
    assert any("dropped" in mark.what for mark in state.marks)


def test_expected_uses_follow_the_minibatch(toy):
    """One minibatch of everything at rate 1 gives the mean counts of its samples."""
    learner = OnlineVB(toy, preset("word"), batch=len(toy), samples=20, delay=0.0, decay=1.0)
    run_ = run(learner, sweeps=1, seed=2)
    run_.finish()
    state = run_.states[0]
    words = state.grammatons.uses.sum() + state.new.sum()
    ends = state.ends.sum()
    assert words == pytest.approx(ends, rel=1e-9)


def test_planted_words_are_found():
    corpus = generate(
        ToyLanguage(words=60, utterances=1000, onsets="ptkbdgmnslrwfvzjh", codas="nslrmkt", exponent=0.8)
    )
    learner = OnlineVB(corpus, preset("word"))
    view = fit(learner, steps=6 * learner.steps_per_iteration, seed=1).view
    assert score(corpus, view.ends > 0.5).token.f > 0.7
