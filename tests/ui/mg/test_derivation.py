"""The derivation card, the corpus and the lexicon of the grammar lab: what a sentence shows and does."""

from pathlib import Path

import numpy as np

from otlab.samples import sample_path
from otlab.ui.mg import state as mg_state
from otlab.ui.mg.lab import MGLab
from tests.ui.page import component, press, send, shown_text
from tests.ui.waiting import until

AMBIGUOUS = ("you", "see", "the", "park", "with", "the", "telescope")


def learnt(lab, *learners, **settings):
    lab.settings.param.update(**settings)
    lab.runner.enable(learners)
    lab.runner.run()
    assert lab.runner.wait(60)
    assert not lab.runner.runner.failures
    return lab


def test_a_sentence_that_em_finds_impossible_says_why_it_has_no_picture(shown):
    """Without *with* in the corpus, EM gives it probability 0: both derivations are left, none is drawn."""
    lab, view, _ = shown
    for words in list(lab.state.counts):
        if "with" in words:
            lab.state.set_count(words, -1)
    learnt(lab, "em", iterations=5)
    view.choose(AMBIGUOUS)
    assert "Every derivation has probability 0" in component(view.derivation).state["picture"]
    assert "2 derivations" in shown_text(view.derivation)
    assert "entropy" not in shown_text(view.derivation)
    lab.state.set_count(AMBIGUOUS, 0)
    view.corpus.refresh()
    (row,) = [row for row in view.corpus.rows if row["sentence"] == " ".join(AMBIGUOUS)]
    assert (row["readings"], row["surprisal"], row["entropy"]) == ("2", "∞", "–")
    lab.state.set_count(AMBIGUOUS, 1)
    learnt(lab, "em")
    assert len(component(view.derivation).state["readings"]) > 0
    assert "probability 0" not in component(view.derivation).state["picture"]


def test_gibbs_beside_em_shows_its_means_and_intervals(shown):
    lab, view, _ = shown
    learnt(lab, "em", "gibbs", iterations=3, sweeps=20, chains=2)
    assert lab.state.checked() is None  # there is no VB that it could be set against
    assert "Gibbs mean" in str(view.probabilities.card.legend)
    assert np.isfinite(lab.state.sampled.mean).all()
    assert 'class="drawn"' in shown_text(view.probabilities)


def test_a_run_that_an_edit_stops_shows_nothing_of_the_old_lexicon(shown):
    lab, _, _ = shown
    lab.settings.param.update(iterations=100_000)
    lab.runner.run()
    until(lambda: lab.runner.tick() or lab.state.results)
    lab.state.add_item("who :: d -wh")
    lab.state.edits += 1
    assert lab.runner.wait(60)
    assert all(len(found.theta) == len(lab.lexicon) == 13 for found in lab.state.results.values())
    assert lab.state.theta.shape == (13,)


def test_a_watched_run_rests_only_while_no_other_run_waits(monkeypatch):
    class Counting:
        def step(self, rng, state, n):
            return state + n

    rested, others = [], iter([True, False, True])
    monkeypatch.setattr(mg_state.time, "sleep", rested.append)
    monkeypatch.setattr(mg_state, "others_wait", lambda: next(others))
    monkeypatch.setattr(mg_state, "check_interrupt", lambda: None)
    assert mg_state.Throttled(Counting(), 0.25).step(None, 0, 3) == 3
    assert rested == [0.25]


def test_no_sentence_is_added_to_the_corpus_before_one_is_typed(shown):
    lab, view, _ = shown
    lab.new()
    press(view.corpus, "Sentence")
    assert not lab.state.counts
    view.derivation.choose(("mary",))
    press(view.corpus, "Sentence")
    assert dict(lab.state.counts) == {("mary",): 1}


def test_a_message_on_a_row_that_is_gone_changes_nothing(shown):
    lab, view, _ = shown
    before = lab.lexicon
    send(view.lexicon, {"kind": "edit", "index": 12, "field": "phon", "text": "x"})
    send(view.lexicon, {"kind": "remove", "index": 500})
    assert lab.lexicon == before
    assert not lab.state.history.can_undo


def test_without_a_start_category_the_page_says_so(shown):
    lab, view, _ = shown
    send(view.lexicon, {"kind": "start", "value": ""})
    fault = component(view.lexicon).about["fault"]
    assert fault == "There is no start category. The previous lexicon still parses."
    assert lab.lexicon.start == ("c",)
    lab.undo()
    assert not component(view.lexicon).about["fault"]


def test_an_enlarged_derivation_goes_back_when_another_tab_is_opened(shown):
    _, view, showing = shown
    view.derivation.turn_large()
    assert view.derivation.enlarge.label == "Back to the lab"
    showing.go("Data")
    assert view.derivation.enlarge.label == "Enlarge the derivation"


def test_only_what_has_several_readings_is_guessed_in_a_class(shown):
    lab, _, _ = shown
    lab.state.sentence = ("you", "see", "you")
    assert lab.classwork.guessings(lab.state) == ()
    assert lab.classwork.report(lab.state) is None  # nothing is learnt yet
    learnt(lab, "vb", iterations=2)
    assert lab.classwork.report(lab.state).values == {"Reading 1": [1.0]}


def test_a_page_that_begins_with_a_file_without_a_start_category_asks_for_it():
    lab = MGLab()
    text = b"g = [(['mary'],[('cat','D')]),(['slept'],[('sel','D'),('cat','V')])]"
    lab.open_file("mg0.py", text)  # before the page is drawn, as when it comes from the home page
    showing = lab.main()
    assert component(showing.tab("Induce").lexicon).text["categories"] == ["V", "D"]
    other = lab.main()
    assert not component(other.tab("Induce").lexicon).opened


def test_what_is_left_out_of_a_file_from_the_home_page_is_said(shown, monkeypatch):
    lab, _, _ = shown
    warnings = []
    monkeypatch.setattr(lab, "warn", warnings.append)
    lab.open_file("a.pl", b"[a]::[c].\nshow.\n[a]::[c].\nstartCategory(c).\n")
    assert lab.lexicon.texts == ("a :: c",)
    assert "is Prolog code, not a lexical entry" in " ".join(warnings)


def test_a_lab_opens_a_lexicon_by_its_path_or_by_its_name():
    path = Path(sample_path("noun_compounds", "mg"))
    assert MGLab(path).lexicon.texts == MGLab("noun_compounds").lexicon.texts
