from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from otlab.cli.discover import RULE_HELP
from otlab.discovery.fit import discover
from otlab.discovery.learners import MODELS
from otlab.discovery.learners.batch import BatchVB
from otlab.discovery.learners.choose import (
    AGREEMENT,
    CONCENTRATION,
    DISCOUNT,
    RULES,
    SHARED,
    choose,
    description_length,
    with_agreement,
)
from otlab.discovery.learners.starts import Geometric, Peaks
from otlab.discovery.parsing.decode import minimum_risk, threshold
from otlab.discovery.parsing.spans import number_spans
from otlab.discovery.presets import preset
from otlab.discovery.scores import score
from otlab.discovery.toy import ToyLanguage, generate
from otlab.errors import InputError
from otlab.inference import fit
from tests.discovery import naive


@pytest.mark.parametrize("bigram", [True, False])
def test_description_length_equals_its_twin(short, bigram):
    spans = number_spans(short)
    for ends in (short.gold, ~short.gold, np.zeros_like(short.gold)):
        words = [short.words(u, ends) for u in range(len(short))]
        wanted = naive.bigram_code(
            words, len(short.symbols), CONCENTRATION if bigram else None, DISCOUNT, SHARED
        )
        assert description_length(short, spans, ends, bigram=bigram) == pytest.approx(wanted)


def test_bigram_code_prefers_gold_to_wrong_cuts(toy):
    spans = number_spans(toy)
    gold = description_length(toy, spans, toy.gold)
    rng = np.random.default_rng(1)
    assert gold < description_length(toy, spans, np.zeros_like(toy.gold))
    assert gold < description_length(toy, spans, rng.random(toy.phones.size) < 0.4)


def test_the_run_most_like_the_others_agrees_best(short):
    """Two equal segmentations and one that cuts everywhere: the mean token F of all pairs by hand."""
    learner = BatchVB(short, preset("word"))
    (one,) = fit(learner, steps=1, seed=1).candidates
    assert one.agreement is None
    everywhere = np.ones_like(short.gold)
    found = with_agreement([one] * 3, short, [short.gold, everywhere, short.gold])
    f = score(short, everywhere).token.f
    assert f < 1
    assert [c.agreement for c in found] == pytest.approx([(f + 1) / 2, f, (f + 1) / 2])
    assert choose(found, "agreement") == 0


def test_minimum_risk_against_all_segmentations(short):
    rng = np.random.default_rng(2)
    samples = rng.random((7, short.phones.size)) < 0.4
    best = minimum_risk(short, samples)
    for u in range(len(short)):
        a, b = short.offsets[u], short.offsets[u + 1]

        def spans(ends, n=b - a):
            cuts = [0, *(k + 1 for k in range(n - 1) if ends[k]), n]
            return set(pairwise(cuts))

        drawn = [spans(sample[a:b]) for sample in samples]

        def wrong(cut, drawn=drawn):
            return sum(len(cut ^ other) for other in drawn)

        every = [spans([bool(bits >> k & 1) for k in range(b - a)]) for bits in range(2 ** (b - a - 1))]
        assert wrong(spans(best[a:b])) == min(map(wrong, every))


def test_threshold_ends_every_utterance(short):
    assert threshold(short, np.zeros(short.phones.size)).sum() == len(short)


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_chooses_without_gold(toy, rule):
    from dataclasses import replace

    options = {"iterations": 4, "start": (Peaks(), Geometric(0.9)), "restarts": 2, "rule": rule, "seed": 1}
    without_gold, with_gold = (discover(text, **options) for text in (replace(toy, gold=None), toy))
    assert [c.scores for c in without_gold.candidates] == [None, None]
    merits = [c.merit(rule) for c in without_gold.candidates]
    assert without_gold.chosen == int(np.argmax(merits))
    assert all(np.isfinite(merits))
    assert with_gold.chosen == without_gold.chosen
    assert choose(with_gold.candidates, rule) == without_gold.chosen


@pytest.mark.slow
@pytest.mark.parametrize("learner", MODELS)
def test_every_learner_is_fitted_and_decoded(toy, learner):
    made = discover(toy, learner=learner, iterations=2, seed=1)
    assert made.scores.token.f > 0.2
    assert made.lexicon[0].expected_count > 1
    assert made.fitted.summary().loc[0, "seed"] == 1
    if made.fitted.learner.can_draw:
        drawn = discover(toy, learner=learner, iterations=2, seed=1, decoding="minimum-risk")
        assert drawn.scores.token.f > 0.2
    else:
        with pytest.raises(InputError, match="minimum-risk decoding needs"):
            discover(toy, learner=learner, decoding="minimum-risk")


def test_a_small_text_is_decoded_by_its_draws(tmp_path):
    path = tmp_path / "toy.txt"
    small = generate(ToyLanguage(words=5, utterances=12), path)
    assert path.read_text(encoding="utf-8").startswith("# title: Toy language, 5 words\n")
    for grammar in ("word", "collocation"):
        drawn = discover(small, grammar, iterations=3, seed=1, decoding="minimum-risk")
        draws = drawn.fitted.learner.draw_segmentations(drawn.fitted.run.states[0], drawn.fitted.seeds[0])
        assert np.array_equal(drawn.ends, minimum_risk(small, draws))
        assert drawn.scores.token.f > 0.5


def test_a_run_that_is_stopped_before_its_first_step_leaves_the_runs_before(toy, monkeypatch):
    done = []

    def once(*arguments, **options):
        if done:
            raise KeyboardInterrupt
        done.append(fit(*arguments, **options))
        return done[0]

    monkeypatch.setattr("otlab.discovery.fit.fit", once)
    found = discover(toy, iterations=1, restarts=3, seed=1, watch=lambda restart, tick: None)
    assert (found.stopped, len(found.candidates)) == (True, 1)
    for watch in (None, lambda restart, tick: None):
        with pytest.raises(KeyboardInterrupt):
            discover(toy, iterations=1, seed=1, watch=watch)


def test_a_watcher_stops_between_ticks_and_keeps_what_was_found(toy):
    ticks = []

    def watch(restart, tick):
        ticks.append((restart, tick.sweep))
        return restart == 1

    made = discover(toy, iterations=3, restarts=4, seed=1, watch=watch)
    assert made.stopped
    assert [restart for restart, _ in ticks].count(1) == 1
    assert len(made.fits) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learner": "mcmc", "rule": "held-out"}, "needs the batch learner"),
        ({"rule": "gold"}, "no rule is called"),
        ({"learner": "bach"}, "did you mean batch"),
        ({"iterations": 0}, "iterations"),
        ({"sweeps": 3}, "has no option 'sweeps'; write iterations"),
        ({"restarts": 0}, "0 restarts"),
    ],
)
def test_wrong_settings_are_refused(toy, options, message):
    with pytest.raises(InputError, match=message):
        discover(toy, **options)


def test_the_agreement_that_is_told_is_the_recorded_one():
    """What the command line and the lab say beside the rule is what the last campaign found."""
    recorded = json.loads((Path(__file__).parents[2] / "benchmarks/results/discovery.json").read_text())
    for corpus, agreement in AGREEMENT.items():
        rows = recorded[f"restarts, {corpus.lower()}, word"]["rows"]
        rho = spearmanr([-row["bigram"] for row in rows], [row["token_f"] for row in rows]).statistic
        assert agreement == pytest.approx(rho, abs=0.005)
        assert f"{agreement:.2f} on {corpus}".lstrip("0") in RULE_HELP
