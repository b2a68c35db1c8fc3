"""The grammar lab without a browser: its lexicon, parses and what is learnt."""

import json
import re
from pathlib import Path

import numpy as np
import panel as pn
import pytest

from otlab.cli import main
from otlab.mg.learners import LEARNERS
from otlab.mg.learners.cross_check import cross_check
from otlab.mg.learners.fit import induce
from otlab.samples import load_sample
from otlab.ui.mg import state as lab_state
from otlab.ui.mg.lab import MGLab
from otlab.ui.mg.state import MGState
from otlab.viz.base.numbers import value_text
from tests.ui.mg.helpers import rows
from tests.ui.page import component, press, send, sent, shown_text


@pytest.mark.slow
def test_a_run_moves_readings_lexicon_and_elbo(shown):
    lab, view, _ = shown
    before = [r.posterior for r in view.derivation.readings]
    assert before == pytest.approx([0.5, 0.5])
    lab.runner.run()
    assert lab.runner.wait(60)
    assert lab.runner.phase == "done"
    after = [r.posterior for r in view.derivation.readings]
    assert after[0] > 0.7
    assert rows(view)["with :: =d n= n"]["mean"] != pytest.approx(1 / 3)
    assert "Σ ln Z" in "".join(pane.object for pane in view.elbo.card.body.select(pn.pane.HTML))
    assert lab.runner.report.badge.text == "ELBO never fell"
    assert [s.label for s in lab.runner.report.stats] == ["ELBO", "P(well-formed)", "Parsed", "Ambiguous"]


def test_the_lexicon_shows_the_prior_until_something_is_learnt(shown):
    lab, view, _ = shown
    lab.settings.alpha = 0.5
    row = rows(view)["with :: =d n= n"]
    assert row["mean"] == pytest.approx(1 / 3, abs=1e-4)
    assert row["low"] < row["mean"] < row["high"]
    assert (row["alpha"], row["uses"]) == ("0.5", "")
    assert not component(view.lexicon).learnt
    send(view.lexicon, {"kind": "edit", "index": row["index"], "field": "features", "text": "=d n= n -q"})
    assert rows(view)["with :: =d n= n -q"]["alpha"] == ""  # a faulty row has no prior
    lab.undo()
    lab.runner.run()
    assert lab.runner.wait(60)
    assert component(view.lexicon).learnt
    assert rows(view)["with :: =d n= n"]["uses"]


def test_the_lab_learns_what_the_library_learns(shown):
    lab, _, _ = shown
    lab.settings.param.update(restarts=2, iterations=20, seed=5)
    lab.runner.run()
    lab.runner.wait(60)
    found = induce(lab.lexicon, learner="vb", alpha=0.5, iterations=20, init="jitter", restarts=2, seed=5)
    assert np.array_equal(lab.inductions["vb"].snapshot.omega, found.snapshot.omega)


def test_typing_parses_at_each_key(shown):
    _, view, _ = shown
    view.derivation.sentence.value_input = "you see"
    assert "not in the language" in shown_text(view.derivation)
    view.derivation.sentence.value_input = "you see you"
    assert "1 derivation" in shown_text(view.derivation)
    assert view.derivation.derivation.words == ("you", "see", "you")


def test_a_faulty_row_keeps_the_last_good_grammar(shown):
    lab, view, _ = shown
    messages = sent(view.lexicon, "LexiconGrid")
    press(view.lexicon, "Item")
    at = len(lab.state.entries) - 1
    assert messages == [{"added": at}]  # the browser opens its cell
    send(view.lexicon, {"kind": "edit", "index": at, "field": "phon", "text": "who"})
    send(view.lexicon, {"kind": "edit", "index": at, "field": "features", "text": "d -q"})
    assert view.lexicon.rows[at]["fault"].startswith("no item has +q")
    assert "1 row with an error" in view.lexicon.card.remark
    assert len(lab.lexicon) == 12
    send(view.lexicon, {"kind": "edit", "index": at, "field": "features", "text": "d -wh"})
    assert not view.lexicon.rows[at]["fault"]
    assert lab.lexicon.texts[-1] == "who :: d -wh"
    lab.undo()
    assert len(lab.lexicon) == 12


@pytest.mark.slow
def test_an_edit_after_a_run_learns_again_at_once(shown):
    lab, view, _ = shown
    lab.runner.run()
    lab.runner.wait(60)
    elbo = lab.state.results["vb"].objective
    at = list(rows(view)).index("you :: d")
    send(view.corpus, {"kind": "count", "index": 5, "text": "40"})
    for text in ("--5", "9" * 5000, "x", ""):  # no counts
        send(view.corpus, {"kind": "count", "index": 5, "text": text})
    assert lab.state.results["vb"].objective < elbo
    lab.settings.param.update(alpha=0.1)
    assert lab.state.alpha == 0.1
    assert "vb" in lab.inductions
    send(view.lexicon, {"kind": "remove", "index": at})
    assert "you :: d" not in lab.lexicon.texts


def test_the_grammar_goes_on_when_the_start_category_is_gone(shown):
    lab, view, _ = shown
    for text in ("ε :: =v c", "ε :: =i +wh c"):
        send(view.lexicon, {"kind": "remove", "index": list(rows(view)).index(text)})
    fault = component(view.lexicon).about["fault"]
    assert fault == "No item has category c, the start category. The previous lexicon still parses."
    assert any(i.category == "c" for i in lab.lexicon.items)


def test_a_lexicon_is_begun_from_nothing(shown):
    """After all rows are deleted the old grammar is not used any longer; the message names c."""
    lab, view, _ = shown
    before = lab.lexicon
    lab.new()
    assert len(lab.lexicon) == 0
    assert "No grammar yet" in component(view.derivation).state["picture"]
    send(view.lexicon, {"kind": "edit", "index": 0, "field": "phon", "text": "mary"})
    send(view.lexicon, {"kind": "edit", "index": 0, "field": "features", "text": "S"})
    assert view.lexicon.card.remark == "1 item"
    assert component(view.lexicon).about["fault"] == "No item has category c, the start category."
    assert component(view.lexicon).about["offered"] == ["S"]
    send(view.lexicon, {"kind": "start", "value": "S"})
    view.derivation.choose(("mary",))
    assert "1 derivation" in shown_text(view.derivation)
    for _ in range(4):
        lab.undo()
    assert lab.lexicon == before
    assert view.derivation.sentence.value.startswith("what did you see")


def test_all_rows_deleted_one_by_one_leave_nothing_that_parses():
    state = MGState()
    state.load(load_sample("figure1_wh"))
    for _ in range(5):
        state.remove_entry(0)
    assert len(state.lexicon) == 0
    assert state.fault == "The lexicon is empty: nothing can be parsed yet."
    assert state.parsed(("what",)).derivations == 0


def test_the_convention_says_how_the_rows_are_read():
    state = MGState()
    state.load(load_sample("figure1_wh"))
    state.set_convention("stabler2011")
    at = [entry.phon for entry in state.entries].index("see")
    assert state.entries[at].features == "d= =d v"
    assert [f.kind for f in state.lexicon.items[at].features] == ["right", "left", "category"]
    state.history.undo()
    assert state.lexicon.convention == "seed"


def test_opening_an_example_can_be_undone(shown):
    lab, view, _ = shown
    send(view.lexicon, {"kind": "edit", "index": 1, "field": "phon", "text": "we"})
    edited = lab.lexicon
    lab.choose("copy_ww")
    lab.undo()
    assert lab.lexicon == edited


def test_a_diagnosis_belongs_to_the_lexicon_shown(shown):
    """aⁿbⁿ and then copying: the message on row 'a' must not mention =b."""
    lab, view, _ = shown
    lab.choose("an_bn")
    first = {r["sentence"]: r["note"] for r in view.corpus.rows}
    lab.choose("copy_ww")
    then = {r["sentence"]: r["note"] for r in view.corpus.rows}
    assert first["a"]
    assert then["a"] != first["a"]


def test_more_readings_than_fit_can_be_paged_through(shown):
    lab, view, _ = shown
    lab.choose("english_pp_attachment")
    sentence = "john saw the man with the hat with the telescope with the man"
    send(view.derivation, {"kind": "say", "text": sentence})
    assert component(view.derivation).state["where"] == "1–6 of 14"
    send(view.derivation, {"kind": "page", "by": 1})
    send(view.derivation, {"kind": "page", "by": 1})
    state = component(view.derivation).state
    assert (state["where"], state["page"], state["pages"]) == ("13–14 of 14", 2, 3)
    assert [r["name"] for r in state["readings"]] == ["13", "14"]
    send(view.derivation, {"kind": "reading", "at": 1})
    assert lab.state.reading == 13
    view.derivation.choose(("john", "slept"))
    assert component(view.derivation).state["pages"] == 0


def test_a_sentence_with_capitals_and_punctuation_is_one_click_away(shown):
    _, view, _ = shown
    view.derivation.sentence.value_input = "What did you see?"
    picture = component(view.derivation).state["picture"]
    assert 'class="form offer" data-say="what did you see"' in picture
    assert "Without capitals and punctuation: press to parse it" in picture
    send(view.derivation, {"kind": "say", "text": "what did you see"})
    assert "1 derivation" in shown_text(view.derivation)
    assert view.derivation.sentence.value == "what did you see"


def test_nothing_is_diagnosed_before_a_sentence_is_typed(shown):
    lab, view, _ = shown
    lab.open_file("mine.mg", b"@start v\nmary :: d\nslept :: d= v\n")
    picture = component(view.derivation).state["picture"]
    assert "Type a sentence" in picture
    assert 'data-say="mary slept"' in picture
    assert "not in the language" not in shown_text(view.derivation)
    assert component(view.lexicon).about["title"] == "mine"


def test_symmetric_starts_are_warned_of():
    lab = MGLab("gender_induction")
    lab.settings.param.update(iterations=30)
    layout = lab.main()
    lab.runner.run()
    lab.runner.wait(60)
    assert lab.runner.report.badge.text == "Symmetric start"
    assert "start from jitter" in lab.runner.report.advice
    lab.settings.param.update(start="jitter", iterations=300)
    lab.runner.run()
    lab.runner.wait(60)
    assert lab.state.results["vb"].objective == pytest.approx(-23.191948, abs=5e-7)
    del layout


def test_without_the_shortest_move_constraint_more_is_derived_and_nothing_learnt():
    lab = MGLab("smc_two_wh")
    layout = lab.main()
    view = next(iter(lab.showings)).tab("Induce")
    assert not view.derivation.readings
    lab.settings.param.update(smc=False)
    view.derivation.choose(("who", "what", "bought"))
    assert view.derivation.readings
    lab.runner.run()
    assert lab.runner.phase in ("idle", "failed")
    assert "shortest move constraint" in str(lab.runner.runner.failures["vb"])
    del layout


def test_steps_replay_the_derivation(shown):
    _, view, _ = shown
    state = component(view.derivation).state
    assert state["steps"].count("move") == 1
    send(view.derivation, {"kind": "step", "at": 0})
    assert component(view.derivation).state["caption"].startswith("Step 1 of 11. Merge: the selects n")
    assert "ot-move" in state["picture"]
    assert "ot-move" not in component(view.derivation).state["picture"]


def test_a_lexicon_and_a_corpus_of_ones_own():
    lexicon = load_sample("noun_compounds")
    lab = MGLab(lexicon, [("stone", "lion"), ("stone", "lion"), ("plan",)])
    assert lab.state.counts == {("stone", "lion"): 2, ("plan",): 1}
    assert lab.lexicon is not None


def test_undo_and_redo_of_the_state():
    state = MGState()
    state.load(load_sample("figure1_wh"))
    state.edit(2, "phon", "we")
    assert state.lexicon.texts[2] == "we :: d"
    state.history.undo()
    assert state.lexicon.texts[2] == "you :: d"
    state.history.redo()
    assert state.lexicon.texts[2] == "we :: d"
    assert not state.history.can_redo


def test_messages_keep_the_case_of_what_was_typed(shown):
    _, view, _ = shown
    send(view.lexicon, {"kind": "edit", "index": 1, "field": "features", "text": "d=n"})
    fault = view.lexicon.rows[1]["fault"]
    assert fault.startswith("'d=n'")
    sheets = Path(lab_state.__file__).parents[1].rglob("*.css")
    assert not [path.name for path in sheets if re.search("first-letter|text-transform", path.read_text())]


def test_alpha_slides_and_is_typed():
    lab = MGLab()
    alpha = next(row for row in lab.runner.form.spec if row["name"] == "alpha")
    assert (alpha["slide"], alpha["ends"]) == ((0.01, 10.0), ("sparse", "uniform"))
    lab.runner.form.type("alpha", "0.037")
    assert lab.settings.alpha == 0.037


@pytest.mark.slow
def test_results_of_the_previous_alpha_are_marked_where_learning_again_takes_long(shown, monkeypatch):
    lab, view, _ = shown
    lab.runner.run()
    lab.runner.wait(60)
    monkeypatch.setattr(lab_state, "LEARN_AGAIN_BELOW", 0)
    lab.settings.param.update(alpha=0.2)
    assert "press Run" in view.elbo.card.stale
    monkeypatch.undo()
    lab.settings.param.update(alpha=0.3)
    assert not view.elbo.card.stale


@pytest.mark.slow
def test_an_alpha_moved_during_a_run_is_learnt_with_at_its_end(shown):
    lab, _, _ = shown
    lab.runner.run()
    lab.settings.param.update(alpha=0.1)
    lab.runner.wait(60)
    found = induce(lab.lexicon, alpha=0.1, iterations=50, init="jitter", restarts=3, seed=7)
    assert np.array_equal(lab.inductions["vb"].snapshot.omega, found.snapshot.omega)
    assert not lab.state.stale


def test_reading_entropy_is_shown_for_sentence_and_corpus(shown):
    lab, view, _ = shown
    assert f"{np.log(2):.2f}" in shown_text(view.derivation)
    entropies = {r["sentence"]: r["entropy"] for r in view.corpus.rows}
    assert entropies["what did you see"] == "–"
    assert entropies["you see the park with the telescope"] == "0.69"
    assert lab.state.reading_entropy() == pytest.approx(3 / 17 * np.log(2))


@pytest.mark.slow
def test_map_answers_beside_vb_and_refuses_a_sparse_prior(shown):
    lab, view, _ = shown
    lab.runner.enable(["vb", "map"])
    lab.runner.run()
    assert lab.runner.wait(60)  # runs are prepared on a thread of their own
    assert "MAP needs every pseudo-count to be 1 or more" in str(lab.runner.runner.refused["map"])
    assert set(lab.inductions) == {"vb"}
    lab.settings.param.update(alpha=1.0)
    lab.runner.run()
    assert lab.runner.wait(60)
    assert lab.state.results["map"].theta.shape == lab.state.results["vb"].theta.shape
    assert 'class="map"' in shown_text(view.probabilities)


def test_an_item_the_diagnosis_proposes_is_added(shown):
    lab, view, _ = shown
    view.derivation.sentence.value_input = "what did you see in the garden"
    picture = component(view.derivation).state["picture"]
    assert "data-add" in picture
    item = picture.split('data-add="')[1].split('"')[0]
    send(view.derivation, {"kind": "add", "item": item})
    assert item in lab.lexicon.texts
    assert "not in the language" not in shown_text(view.derivation)


@pytest.mark.slow
def test_trust_is_in_what_was_learnt_again_after_an_edit(shown):
    lab, _, _ = shown
    lab.settings.param.update(sweeps=200)
    lab.runner.enable(["vb", "gibbs"])
    lab.runner.run()
    assert lab.runner.wait(120)
    before = lab.runner.report
    lab.state.edit(4, "features", "d")
    lab.state.edits += 1
    report = lab.runner.report
    assert report.stats[0].value == value_text(lab.state.results["vb"].objective) != before.stats[0].value
    assert "Gibbs differs" not in lab.runner.report.meaning
    lab.settings.alpha = 0.3
    assert lab.runner.report.stats[0].value == value_text(lab.state.results["vb"].objective)


@pytest.mark.slow
def test_gibbs_stands_beside_vb_as_a_check_of_it(shown):
    """Means and intervals of both, R-hat and ESS, as cross_check gives them."""
    lab, view, _ = shown
    lab.settings.param.update(sweeps=400)
    lab.runner.enable(["vb", "gibbs"])
    lab.runner.run()
    assert lab.runner.wait(120)
    sampled = lab.state.sampled
    assert sampled.draws.draws["theta"].shape[0] == 4
    assert 'class="drawn"' in shown_text(view.probabilities)
    assert "Gibbs mean" in str(view.probabilities.card.legend)
    unfinished = sampled.trust.verdict == "Not converged"
    assert view.probabilities.card.stale == ("Gibbs: not converged" if unfinished else "")
    assert view.probabilities.card.remark == ""  # the legend needs the width of the card's head
    assert "Gibbs differs from VB by at most" in lab.runner.report.meaning
    assert f"; R-hat {sampled.trust.largest_rhat:.3f}, ESS " in lab.runner.report.meaning
    found = induce(lab.lexicon, alpha=0.5, iterations=50, init="jitter", restarts=3, seed=7)
    _, table = cross_check(found, sweeps=400)
    assert np.allclose(lab.state.checked()["gibbs"], table["gibbs"])
    assert np.allclose(lab.state.checked()["gibbs_low"], table["gibbs_low"])


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_of_the_lab_finds_what_the_command_line_finds(shown, capsys, name):
    lab, _, _ = shown
    lab.settings.param.update(alpha=1.5, restarts=2, iterations=6, chains=2, sweeps=40, seed=3)
    lab.runner.enable([name])
    lab.runner.run()
    assert lab.runner.wait(60)
    options = ["--alpha", "1.5", "--init", "jitter", "--restarts", "2", "--seed", "3"]
    options += ["--iterations", "40" if name == "gibbs" else "6"]
    assert main(["induce", "attachment_wh", "--learner", name, *options, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    shown_here = lab.inductions[name].to_dict()
    for key in ("seed", "settings", "iterations", "theta", "low", "high", "restarts", "restart_seeds"):
        assert (result["settings"] | shown_here[key] if key == "settings" else shown_here[key]) == result[key]


def test_undo_back_to_another_lexicon_brings_its_alpha_back(shown):
    lab, view, _ = shown
    lab.settings.param.update(alpha=0.25)
    send(view.lexicon, {"kind": "edit", "index": 1, "field": "phon", "text": "we"})
    lab.new()
    assert lab.settings.alpha == 1.0
    lab.undo()
    assert lab.settings.alpha == lab.state.alpha == 0.25
    lab.settings.param.update(alpha=2.0)
    lab.undo()
    assert lab.settings.alpha == 2.0, "an edit within one lexicon leaves alpha alone"


def test_the_alpha_of_the_text_and_of_the_field_agree(shown):
    lab, view, _ = shown
    lab.settings.param.update(alpha=0.25)
    text = lab.state.text()
    assert "@alpha 0.25" in text
    send(view.lexicon, {"kind": "apply", "text": text})
    assert lab.settings.alpha == lab.lexicon.alpha == 0.25
    send(view.lexicon, {"kind": "apply", "text": text.replace("@alpha 0.25", "@alpha 4")})
    assert lab.settings.alpha == 4.0
    assert (lab.state.alphas() == 4.0).all()
    lab.undo()
    assert lab.settings.alpha == 0.25


@pytest.mark.slow
def test_gibbs_alone_is_judged_by_its_chains(shown):
    lab, _, _ = shown
    lab.settings.param.update(sweeps=200)
    lab.runner.enable(["gibbs"])
    lab.runner.run()
    assert lab.runner.wait(120)
    assert [s.label for s in lab.runner.report.stats] == ["Largest R-hat", "Smallest ESS"]
    assert np.allclose(lab.state.intervals()[0], lab.state.sampled.low)


@pytest.mark.slow
def test_the_seed_that_repeats_the_best_start_is_shown(shown):
    lab, view, _ = shown
    lab.runner.run()
    assert lab.runner.wait(60)
    finals = [trace[-1] for trace in lab.state.starts]
    best = int(np.argmax(finals))
    seed = lab.state.start_seed(best)
    assert f"Start {best + 1}, seed {seed}" in shown_text(view.elbo)
    alone = induce(lab.lexicon, alpha=0.5, iterations=50, init="jitter", restarts=1, seed=seed)
    assert alone.snapshot.objective == pytest.approx(finals[best], abs=1e-9)


def test_a_sample_nobody_edited_leaves_nothing_to_undo(shown):
    lab, _, _ = shown
    lab.choose("copy_ww")
    assert not lab.state.history.can_undo


def test_readings_say_what_distinguishes_them(shown):
    _, view, _ = shown
    details = [r["detail"] for r in component(view.derivation).state["readings"]]
    assert sorted(details) == ["*with* attaches to *park*", "*with* attaches to *see*"]
    view.derivation.view.value = "steps"
    picture = component(view.derivation).state["picture"]
    assert ">What happens</th>" in picture
    assert "the :: =n d + telescope :: n ⇒ the telescope : d" in picture.replace("\u00a0", " ")


def test_licensees_have_a_true_minus_in_every_text(shown):
    _, view, _ = shown
    view.derivation.sentence.value_input = "did you see what"
    assert "-wh" not in component(view.derivation).state["picture"].split("data-add")[0]
    assert all("-wh" not in row["note"] for row in view.corpus.rows)


def test_rows_are_checked_again_only_where_undo_changes_them(shown, monkeypatch):
    lab, _, _ = shown
    checked = []
    monkeypatch.setattr("otlab.ui.mg.document.lint", lambda lexicon: checked.append(lexicon) or [])
    before = dict(lab.state.counts)
    lab.state.set_count(("you", "see", "you"), 5)
    lab.undo()
    assert dict(lab.state.counts) == before
    lab.put_edits(lab.state.edits_made())
    assert checked == []
    lab.state.edit(0, "phon", "which")
    lab.undo()
    assert len(checked) == 2
    assert lab.lexicon.texts[0] == "what :: d -wh"
