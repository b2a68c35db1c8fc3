"""The tagging lab before its first result, and with a text without gold tags: what is refused or left out."""

from __future__ import annotations

import pytest

from otlab.tagging import Corpus
from otlab.ui.tagging.components import StateCards
from otlab.ui.tagging.lab import TaggingLab
from tests.ui.page import control, download, one, parts, press, send, sent, shown_text, waited
from tests.ui.tagging.helpers import finished, view_of

UNTAGGED = Corpus.from_sentences([["the", "dog", "barks"], ["a", "cat", "sees", "a", "dog"]] * 8)


@pytest.fixture
def untagged():
    """A lab with a text without tags, and its page."""
    lab = TaggingLab(UNTAGGED)
    lab.settings.param.update(iterations=3, runs=2, states=3, emission_prior=0.1, start="dirichlet")
    lab.layout = lab.main()
    yield lab, view_of(lab)
    lab.close()


@pytest.mark.parametrize("label", ["Keep curve", "Continue as VB"])
def test_no_curve_is_kept_and_nothing_goes_on_before_a_run(lab, view, label):
    button = control(lab.layout, label)
    assert button.disabled
    press(lab.layout, label)  # as a browser could nevertheless
    assert lab.state.pinned == []
    assert lab.runner.phase == "idle"
    assert not lab.state.history.can_undo
    finished(lab)
    assert not button.disabled


def test_no_states_are_merged_before_a_run(lab, view):
    view.go("States")
    tab = view.tab("States")
    tab.merge()
    assert "After a run: joins the two states" in shown_text(tab)


@pytest.mark.parametrize("key", ["page", "labels", "model"])
def test_results_are_refused_before_there_are_any(lab, view, monkeypatch, key):
    warned = []
    monkeypatch.setattr(lab, "warn", warned.append)
    view.go("Data")
    tab = view.tab("Data")
    messages = sent(tab, "Downloads")
    send(tab, {"key": key}, "Downloads")
    assert (messages, warned) == ([], ["There is nothing to download before a run has ended"])
    finished(lab)
    assert download(tab, "labels")[1]


def test_another_option_of_reading_waits_for_a_file(lab, view):
    view.go("Data")
    before = lab.corpus
    view.tab("Data").options.lowercase = True
    assert lab.corpus is before
    assert not view.tab("Data").zone.state.get("text", "").startswith("Reading")


def test_the_run_panel_offers_ones_own_text_by_going_to_the_data_tab():
    lab = TaggingLab("ewt")
    lab.layout = lab.main()
    before = lab.corpus
    assert not parts(view_of(lab).shown, "FileZone")
    lab.settings.corpus = "own"
    assert "Drop a corpus here, or choose one" in [
        zone.label for zone in parts(view_of(lab).shown, "FileZone")
    ]
    assert lab.corpus is before
    lab.close()


def test_a_state_is_selected_by_its_card(lab, view):
    finished(lab)
    cards = one(view.tab("Watch"), StateCards)
    state = cards.cards[1]["state"]
    for selected in (state, -1):
        send(cards, {"kind": "select", "state": state})
        assert lab.state.selected == selected
    send(cards, {"kind": "name", "state": state, "name": "verbs"})
    assert lab.state.result.names == {state: "verbs"}
    steps = lab.state.history.last
    lab.state.select(state)
    send(cards, {"kind": "name", "state": state, "name": "verbs"})  # the same name is no edit
    assert lab.state.history.last == steps
    lab.undo()
    assert lab.state.result.names == {}


def test_mergers_of_a_text_without_tags_have_no_scores(untagged):
    lab, view = untagged
    finished(lab)
    view.go("States")
    view.tab("States").merge()
    text = shown_text(view.tab("States"))
    assert "First merged" in text
    assert "<th>Left</th>" in text.replace(' scope="col"', "")
    assert "1-to-1 %" not in text


def test_without_gold_tags_there_are_no_baselines_and_nothing_is_guessed(untagged):
    lab, view = untagged
    assert lab.classwork.guessings(lab.state) == ()
    finished(lab)
    assert lab.state.result.baselines == {}
    assert lab.classwork.report(lab.state) is None
    lab.state.choice.settings.param.update(states=[2, 3], held_out=0, runs=1)
    view.go("Which model?")
    tab = view.tab("Which model?")
    tab.task.start()
    assert waited(tab.task, 60)
    assert len(lab.state.choice.compared.rows) == 4
    assert lab.state.choice.baselines() == {}


def test_what_is_guessed_is_the_accuracy_of_the_learners_that_are_ticked(lab):
    (guessing,) = lab.classwork.guessings(lab.state)
    assert [label for label, _ in guessing.groups] == ["EM", "VB"]
    lab.runner.enable(set())
    assert lab.classwork.guessings(lab.state) == ()
