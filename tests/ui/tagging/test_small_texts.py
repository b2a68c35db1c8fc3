"""The tagging lab with texts of few words, without tags, or with very long words."""

from __future__ import annotations

import pytest

from otlab.tagging import Corpus
from otlab.ui.tagging.lab import TaggingLab
from tests.ui.page import control, figures, shown_text
from tests.ui.tagging.helpers import finished, view_of


@pytest.fixture
def small():
    """A lab with one sentence without tags and more states than words, and its page."""
    lab = TaggingLab(Corpus.from_sentences([["the", "dog", "barks"]]))
    lab.settings.param.update(iterations=20, runs=2, states=12)
    lab.layout = lab.main()
    yield lab, view_of(lab)
    lab.close()


def test_only_states_with_words_have_a_card(small):
    lab, view = small
    finished(lab)
    cards = view.tab("Watch").cards.cards
    assert len(cards) == lab.state.result.view.states_used < 4
    assert all(card["tokens"] for card in cards)


def test_the_fit_of_a_small_text_is_in_nats(small):
    lab, view = small
    lab.runner.enable({"em", "vb", "gibbs"})
    finished(lab)
    text = shown_text(view.tab("Watch").traces)
    assert "EM: log likelihood, nats; must rise<" in text
    assert "VB: ELBO (−free energy), nats; must rise<" in text
    assert "Gibbs: log joint, nats<" in text
    ends = lab.results["vb"].objectives[:, -1]
    assert f"VB {-ends.mean():,.1f}".replace("-", "−") in text


def test_sentences_without_tags_say_what_is_below_a_word(small):
    lab, view = small
    finished(lab)
    view.go("Sentences")
    tab = view.tab("Sentences")
    assert "Below each word: its state." in shown_text(tab)
    assert not control(tab, "Sentences").visible  # without tags nothing disagrees


def test_seconds_have_their_unit_on_the_axis(lab, view):
    finished(lab)
    traces = view.tab("Watch").traces
    (last,) = [figure for figure in figures(traces) if figure.xaxis[0].visible]
    assert last.xaxis[0].formatter.format == "%g"
    control(traces, "Time axis").value = "Seconds"
    assert last.xaxis[0].formatter.format == "%g\u202fs"


def test_two_learners_of_a_tagged_text_can_be_ordered_by_disagreement(lab, view):
    finished(lab)
    view.go("Sentences")
    assert control(view.tab("Sentences"), "Sentences").visible


def test_the_table_says_what_its_entropies_are(lab, view):
    view.go("Table")
    text = shown_text(view.tab("Table"))
    assert "VI = H(T|Y) + H(Y|T), in bits" in text
    assert "Press Run at the left: each of its runs is listed here." in text
