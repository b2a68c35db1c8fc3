"""The grammar lab without a browser: what its state and its cards say."""

import numpy as np
import pytest

from otlab.mg.induction import induce
from otlab.samples import load_sample
from otlab.ui.mg.lab import MGLab
from otlab.ui.mg.presets import presets
from otlab.ui.mg.state import MGState


@pytest.fixture
def shown():
    """A lab, its one showing, and the layout that keeps it alive."""
    lab = MGLab()
    layout = lab.main()
    return lab, next(iter(lab._views)), layout


def rows(view):
    return {f"{r['phon']} :: {r['features']}": r for r in view.lexicon._grid.rows}


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
    assert "Σ ln Z" in view.elbo.card.remark
    assert lab.runner.report.badge.text == "ELBO never fell"
    assert [s.label for s in lab.runner.report.stats] == ["ELBO", "Well-formed", "Parsed", "Ambiguous"]


def test_the_lab_learns_what_the_library_learns(shown):
    lab, _, _ = shown
    lab.settings.set(restarts=2, iterations=20, seed=5)
    lab.runner.run()
    lab.runner.wait(60)
    found = induce(lab.lexicon, learner="vb", alpha=0.5, iterations=20, init="jitter", restarts=2, seed=5)
    assert np.array_equal(lab.posterior["vb"].omega, found.snapshot.omega)


def test_typing_parses_at_each_key(shown):
    _, view, _ = shown
    view.derivation.sentence.value_input = "you see"
    assert "not in the language" in view.derivation._badge.object
    view.derivation.sentence.value_input = "you see you"
    assert "1 derivation" in view.derivation._badge.object
    assert view.derivation.derivation.words == ("you", "see", "you")


def test_a_faulty_row_keeps_the_last_good_grammar(shown):
    lab, view, _ = shown
    view.lexicon._add()
    at = len(lab.state.entries) - 1
    view.lexicon._heard({"kind": "edit", "index": at, "field": "phon", "text": "who"})
    view.lexicon._heard({"kind": "edit", "index": at, "field": "features", "text": "d -q"})
    assert view.lexicon._grid.rows[at]["fault"].startswith("no item has +q")
    assert "1 to mend" in view.lexicon.card.remark
    assert len(lab.lexicon) == 12
    view.lexicon._heard({"kind": "edit", "index": at, "field": "features", "text": "d -wh"})
    assert not view.lexicon._grid.rows[at]["fault"]
    assert lab.lexicon.texts[-1] == "who :: d -wh"
    view._go_back()
    assert len(lab.lexicon) == 12


def test_an_edit_after_a_run_learns_again_at_once(shown):
    lab, view, _ = shown
    lab.runner.run()
    lab.runner.wait(60)
    elbo = lab.posterior["vb"].objective
    at = list(rows(view)).index("you :: d")
    view.corpus._heard({"kind": "count", "index": 5, "text": "40"})
    assert lab.posterior["vb"].objective < elbo
    lab.settings.set(alpha=0.1)
    assert lab.state.alpha == 0.1
    assert "vb" in lab.posterior
    view.lexicon._heard({"kind": "remove", "index": at})
    assert "you :: d" not in lab.lexicon.texts


def test_the_grammar_goes_on_when_the_start_category_is_gone(shown):
    lab, view, _ = shown
    for text in ("ε :: =v c", "ε :: =i +wh c"):
        view.lexicon._heard({"kind": "remove", "index": list(rows(view)).index(text)})
    assert "last good grammar" in view.lexicon.card.remark
    assert any(i.category == "c" for i in lab.lexicon.items)


def test_symmetric_starts_are_warned_of():
    lab = MGLab("gender_induction")
    lab.settings.set(iterations=30)
    layout = lab.main()
    lab.runner.run()
    lab.runner.wait(60)
    assert lab.runner.report.badge.text == "Symmetric start"
    assert "start from jitter" in lab.runner.report.advice
    lab.settings.set(start="jitter", iterations=300)
    lab.runner.run()
    lab.runner.wait(60)
    assert lab.posterior["vb"].objective == pytest.approx(-23.191948, abs=5e-7)
    del layout


def test_without_the_shortest_move_constraint_more_is_derived_and_nothing_learnt():
    lab = MGLab("smc_two_wh")
    layout = lab.main()
    view = next(iter(lab._views))
    assert not view.derivation.readings
    lab.settings.set(smc=False)
    view.derivation.choose(("who", "what", "bought"))
    lab.runner.run()
    assert lab.runner.phase in ("idle", "failed")
    assert "shortest move constraint" in str(lab.runner.runner.failures["vb"])
    del layout


def test_steps_replay_the_derivation(shown):
    _, view, _ = shown
    state = view.derivation._picture.state
    assert state["steps"].count("move") == 1
    view.derivation._heard({"kind": "step", "at": 0})
    assert view.derivation._picture.state["said"].startswith("Step 1 of 11. MERGE")
    assert "ot-move" in state["picture"]
    assert "ot-move" not in view.derivation._picture.state["picture"]


def test_every_preset_every_view_and_every_tab(shown):
    lab, view, _ = shown
    for name in presets():
        lab.choose(name)
        for choice in ("derivation", "bare", "x-bar", "steps", "sequence", "movement"):
            view.derivation.view.value = choice
            assert view.derivation._picture.state["picture"]
        for tab in ("Parse", "Generate", "Lexicon check", "Data"):
            view._go(tab)
        view._go("Induce")


def test_files_are_taken_or_refused_whole(shown):
    lab, view, _ = shown
    data = view._others["Data"]
    data.take("bad.mg", b"@start c\na :: c d\n")
    assert "1 fault in bad.mg" in "".join(p.object for p in data._said.select() if hasattr(p, "object"))
    assert len(lab.lexicon) == 12
    data.take("good.mg", b"@start c\na :: c\n")
    assert lab.lexicon.texts == ("a :: c",)
    for key in ("mg", "csv", "probabilities", "svg", "forest", "qtree", "brackets", "json"):
        assert data.content(key)


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
    state.undo()
    assert state.lexicon.texts[2] == "you :: d"
    state.redo()
    assert state.lexicon.texts[2] == "we :: d"
    assert not state.can_redo
