"""Pages of grammars, taggers and lexicons: small, without requests, with all that was found."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from otlab import discovery, load_sample, mg, tagging
from otlab.errors import InputError
from otlab.html import escape
from otlab.viz.base.page import MOST_BYTES
from otlab.viz.discovery.page import fit_page
from otlab.viz.mg.page import readings_section
from otlab.viz.mg.page import result_page as grammar_page
from otlab.viz.tagging.page import Learnt
from otlab.viz.tagging.page import result_page as tagger_page
from tests.viz.test_page import requests, sections


def marks(text):
    """Return the mark of each section of a page that has one, by its title."""
    heads = re.findall(r'<section[^>]*aria-label="([^"]*)"><header>(.*?)</header>', text)
    found = {title: re.search(r'class="unsettled">([^<]*)<', head) for title, head in heads}
    return {title: mark[1] for title, mark in found.items() if mark}


def text_of(page, text):
    """Return a text of a page's data, which is written once where they have it several times."""
    return text if isinstance(text, str) else data(page)["texts"][text["text"]]


def data(text):
    return json.loads(re.search(r"const DATA = (.*)", text)[1])


def test_every_step_of_every_reading_is_drawn():
    lexicon = load_sample("attachment_wh")
    sentence = mg.parse(lexicon, "you see the park with the telescope")
    nothing = mg.parse(lexicon, "telescope telescope")
    text = grammar_page(lexicon, sentence.theta, [sentence, nothing], made={"VB": {"seed": "7"}})
    assert len(text.encode()) <= MOST_BYTES
    assert requests(text) == []
    (found,) = data(text)["player"][0]["sentences"]
    assert len(found["readings"]) == sentence.derivations == 2
    for reading, drawn in zip(sentence.best(2), found["readings"], strict=True):
        assert len(drawn["steps"]) == len(mg.views.show.steps(reading.derivation)) - 1
        assert all("<svg" in text_of(text, step["svg"]) for step in drawn["steps"])
    assert sections(text) == ["Derivations", "Lexicon", "How it was made"]
    alone = grammar_page(
        lexicon, sentence.theta, [nothing], intervals=(sentence.theta - 0.01, sentence.theta + 0.01)
    )
    assert sections(alone) == ["Lexicon"]
    first = float(sentence.theta.max())
    assert f"<td>{first - 0.01:.2f}–{first + 0.01:.2f}</td>" in alone


def test_a_sentence_of_many_steps_is_shown_as_its_trees(monkeypatch):
    sentence = mg.parse(load_sample("attachment_wh"), "you see the park with the telescope")
    assert readings_section(sentence).live
    monkeypatch.setattr("otlab.viz.mg.page.MOST_CHARACTERS", 0)
    trees = readings_section(sentence)
    assert not trees.live
    assert trees.body.count("<figure") == sentence.derivations == 2
    assert "Reading 2, " in trees.body


def test_a_sentence_of_one_word_has_one_step():
    parse = mg.parse(mg.io.read.loads("@start v\nrain :: v\n"), "rain")
    ((_, shown),) = readings_section(parse).live
    (reading,) = shown["sentences"][0]["readings"]
    assert [step["caption"] for step in reading["steps"]] == ["One lexical item."]
    assert "rain" in reading["steps"][0]["svg"]


def test_sentences_beyond_the_room_are_left_out(monkeypatch):
    monkeypatch.setattr("otlab.viz.mg.page.MOST_CHARACTERS", 20_000)
    lexicon = load_sample("attachment_wh")
    parses = [mg.parse(lexicon, " ".join(words)) for words in lexicon.corpus]
    found = data(grammar_page(lexicon, parses[0].theta, parses))["player"][0]["sentences"]
    assert 0 < len(found) < len(parses)


@pytest.fixture(scope="module")
def tagged():
    corpus = load_sample("ewt").first(300)
    return [fit(corpus, states=6, iterations=4, seed=1) for fit in (tagging.fit_em, tagging.fit_vb)]


def test_a_page_of_taggers_has_skew_scores_and_states(tagged):
    text = tagger_page([Learnt.of(fit) for fit in tagged], link="/tagging_lab?seed=1")
    for name in tagging.BASELINES.values():
        label = escape(name)
        assert f"baseline: {label}" in text  # a row of scores
        assert f">{label}</text>" in text  # a line of the plot
    assert len(text.encode()) <= MOST_BYTES
    assert requests(text) == []
    assert sections(text)[0] == "Tokens per state, largest first"
    assert sections(text)[2:] == [
        "Scores against the gold tags",
        "States of EM",
        "States of VB",
        "How it was made",
        "Open in otlab",
    ]
    biggest = int(tagged[0].view.tokens_per_state.max())
    assert f"<td>{biggest:,}</td>" in text
    assert f"{tagged[0].view.final.one_to_one:.3f}" in text


def test_sections_of_taggers_say_whose_runs_are_not_at_rest_and_which_run_they_show(tagged):
    learnt = [Learnt.of(fit) for fit in tagged]
    text = tagger_page(learnt)
    early = "EM: too early to say; VB: too early to say"
    assert marks(text) == {
        "Tokens per state, largest first": early,
        "1-to-1 accuracy by iteration": early,
        "Scores against the gold tags": early,
        "States of EM": "too early to say",
        "States of VB": "too early to say",
    }
    (seed,) = tagged[0].seeds
    assert f"the run, seed {seed}" in text
    corpus = learnt[0].corpus
    at_rest = tagging.fit_em(corpus, states=2, iterations=200, seed=1)
    assert marks(tagger_page([Learnt.of(at_rest)])) == {}
    drawn = Learnt.of(tagging.fit_gibbs(corpus, states=2, iterations=4, chains=2, seed=1))
    text = tagger_page([drawn])
    assert f"last sample of run 1 of 2, seed {drawn.seeds[0]}" in text
    assert "of a sampler&#39;s last samples" in text


def test_a_text_without_tags_has_no_scores_but_states(tmp_path):
    (tmp_path / "raw.txt").write_text("the dog barks\na dog sleeps\nthe cat sleeps\n", encoding="utf-8")
    corpus = tagging.read(tmp_path / "raw.txt")
    text = tagger_page([Learnt.of(tagging.fit_em(corpus, states=9, iterations=30, seed=1))])
    assert "gold tags" not in text.lower()
    assert "baseline:" not in text
    used = re.findall(r'<th scope="row">state \d+</th><td>(\d+)</td>', text)
    assert 0 < len(used) <= 9
    assert "0" not in used  # a state without words has no row


def test_without_a_tagger_there_is_no_page():
    with pytest.raises(InputError, match="before a run has ended"):
        tagger_page([])


def test_a_page_of_words_has_every_probability_of_a_boundary():
    fit = discovery.discover(load_sample("toy_phones"), seed=1, iterations=5).fitted
    text = fit_page(fit)
    assert len(text.encode()) <= MOST_BYTES
    assert requests(text) == []
    corpus, ends = fit.learner.corpus, fit.view.ends
    shown = data(text)["segments"][0]["utterances"]
    for u, row in enumerate(shown):
        assert tuple(row["phones"]) == corpus.utterance(u)
        within = slice(corpus.offsets[u], corpus.offsets[u + 1] - 1)
        np.testing.assert_allclose(row["p"], ends[within], atol=5.1e-4)
        assert row["gold"] == corpus.gold[within].tolist()
    assert all(entry.string in text for entry in fit.lexicon()[:20])


def test_a_page_of_words_without_gold_shows_what_was_found_alone():
    corpus = discovery.Corpus.from_text("thedogbarks\nthecatsleeps\nthedogsleeps\n")
    fit = discovery.discover(corpus, learner="utterances", seed=1).fitted
    text = fit_page(fit)
    assert all("gold" not in row for row in data(text)["segments"][0]["utterances"])
    assert "boundary found" in text
    assert "boundary missed" not in text
    assert marks(text) == {}  # a baseline is as good as it gets


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "point"),
    [
        ("vb", "posterior mean of VB"),
        ("em", "EM estimate"),
        ("map", "MAP estimate"),
        ("gibbs", "mean of Gibbs draws"),
    ],
)
def test_a_lexicon_says_which_point_its_probabilities_are(learner, point):
    lexicon = load_sample("attachment_wh")
    found = mg.induce(lexicon, learner=learner, alpha=1.0, iterations=12, restarts=2, seed=1)
    several = "" if learner == "gibbs" else ", best of 2 restarts"
    assert found.point == point + several
    text = grammar_page(lexicon, found.snapshot.theta, [], point=found.point, mark=found.unsettled)
    assert f"Probability in its category, {point}" in text
    assert marks(text).get("Lexicon", "") == found.unsettled
    assert mg.induce(lexicon, learner=learner, alpha=1.0, iterations=2, restarts=2, seed=1).unsettled


def test_words_of_a_sampler_are_those_of_its_last_sample():
    corpus = load_sample("toy_phones")
    drawn = fit_page(discovery.discover(corpus, learner="mcmc", seed=1, iterations=5).fitted)
    assert marks(drawn) == dict.fromkeys(("Segmentation", "Words", "Objective"), "too early to say")
    assert "last sample" in drawn
    assert ">Uses<" in drawn
    settled = fit_page(discovery.discover(corpus, seed=1, iterations=30).fitted)
    assert marks(settled) == {}
    assert ">Expected uses<" in settled
