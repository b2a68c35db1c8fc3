"""The lexicon lab without a browser: state, settings, trial parses, faults."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.discovery.corpus import Corpus
from otlab.discovery.learners import MODELS
from otlab.discovery.learners.sticks import STARVED
from otlab.ui.lexicon.lab import LexiconLab
from otlab.ui.lexicon.state import LexiconState
from otlab.ui.lexicon.trust import steps_report
from tests.ui.lexicon.helpers import data_tab, finished
from tests.ui.page import download, layer, one, send, shown_text


@pytest.mark.slow
@pytest.mark.parametrize("learner", MODELS)
def test_every_learner_runs_and_every_tab_draws(lab, learner):
    lab.runner.enable({learner})
    lab.settings.param.update(edited=10.0 if learner == "noisy" else 0.0)
    finished(lab)
    (view,) = lab.showings
    for tab in ("Trees", "Edits", "Runs", "Data", "Segment"):
        view.go(tab)
    assert lab.state.scores().token.f > 0.1
    assert lab.results[learner].ends.shape == lab.corpus.phones.shape
    assert lab.state.runs.kept[-1].learner == learner


def test_threshold_recuts_and_rescores(lab):
    lab.settings.param.update(iterations=1, start="geometric", boundary=0.5)
    finished(lab)
    cuts, scores = [], []
    for threshold in (0.98, 0.02):
        lab.state.threshold = threshold
        cuts.append(lab.state.cut.sum())
        scores.append(lab.state.scores().boundary.recall)
    assert cuts[0] < cuts[1]
    assert scores[0] < scores[1]


def test_a_word_lists_its_utterances(lab):
    finished(lab)
    word = lab.state.words(1)[0].string
    lab.state.word = word
    cut = lab.state.cut
    assert all(word in lab.corpus.words(int(u), cut) for u in lab.state.order("corpus"))


def test_least_certain_first(lab):
    finished(lab)
    order = lab.state.order("uncertain")
    p = np.clip(lab.state.ends, 1e-6, 1 - 1e-6)
    entropy = -(p * np.log(p) + (1 - p) * np.log(1 - p))
    entropy[lab.corpus.offsets[1:] - 1] = 0
    total = np.add.reduceat(entropy, lab.corpus.offsets[:-1])
    assert (np.diff(total[order]) <= 1e-9).all()


def test_banned_words_are_no_longer_looked_up_and_locked_ones_gain(lab):
    finished(lab)
    word = lab.state.words(1)[0].string
    before = lab.state.ends.copy()
    lab.state.try_word(word, "ban")
    banned = lab.state.ends
    assert not np.array_equal(before, banned)
    lab.state.try_word(word, "ban")
    assert np.array_equal(lab.state.ends, before)
    rare = lab.state.entries[-1].string
    lab.state.try_word(rare, "lock")
    assert lab.state.locked == {rare}
    assert not np.array_equal(lab.state.ends, before)


@pytest.mark.slow
@pytest.mark.parametrize("learner", MODELS)
def test_a_trial_parse_shows_its_own_counts_and_says_that_nothing_is_learnt(lab, learner):
    lab.runner.enable({learner})
    finished(lab)
    (view,) = lab.showings
    learnt = {row.string: row.count for row in lab.state.words(5)}
    word = next(iter(learnt))
    send(view.tab("Segment").words, {"kind": "ban", "string": word}, "WordTable")
    rows = {row["string"]: row for row in one(view.tab("Segment").words, "WordTable").rows}
    tried = {row.string: row.count for row in lab.state.words(5)}
    assert rows[word]["banned"]
    assert tried[word] < 0.7 * learnt[word]
    assert rows[word]["change"].startswith("−")
    others = [string for string in learnt if string != word]
    assert any(abs(tried[string] - learnt[string]) > 0.5 for string in others)
    assert view.tab("Segment").words.card.remark.endswith(" words; trial parse: 1 banned")
    assert "nothing was learnt" in shown_text(view.tab("Segment").words)


def test_a_banned_word_that_the_rules_still_build_is_named(lab):
    """Every other way to cut these utterances has a new word, too."""
    lab.open_corpus(Corpus.from_text("wan tu kat\nkat si\nsi wan kat\nkat\ntu kat\nwan tu si\n"))
    finished(lab)
    (view,) = lab.showings
    words = view.tab("Segment").words
    assert "kat" in {row.string for row in lab.state.words(5)}
    send(words, {"kind": "ban", "string": "kat"}, "WordTable")
    assert "The rules still build from phones what is banned: <i>kat</i> 5×." in shown_text(words)
    send(words, {"kind": "ban", "string": "kat"}, "WordTable")
    send(words, {"kind": "lock", "string": "kat"}, "WordTable")
    assert "still build" not in shown_text(words)


@pytest.mark.slow
def test_bans_stay_for_the_next_run_and_are_parsed_again_after_it(lab):
    finished(lab)
    (view,) = lab.showings
    word = lab.state.words(1)[0].string
    send(view.tab("Segment").words, {"kind": "ban", "string": word}, "WordTable")
    assert "trial parse, not learnt: " + word in download(data_tab(view), "lexicon")[1].decode()
    lab.settings.param.update(iterations=7)
    finished(lab)
    assert lab.state.banned == {word}
    assert lab.state.trying
    assert "1 banned" in view.tab("Segment").words.card.remark
    lab.state.end_trial()
    assert not lab.state.banned
    assert np.array_equal(lab.state.ends, lab.results["batch"].ends)
    assert "nothing was learnt" not in shown_text(view.tab("Segment").words)
    send(view.tab("Segment").words, {"kind": "ban", "string": word}, "WordTable")
    lab.runner.reset()
    assert not lab.state.banned


def test_a_trial_follows_the_learner_that_is_shown(lab):
    lab.runner.enable({"batch", "mcmc"})
    finished(lab)
    word = lab.state.words(1)[0].string
    lab.state.try_word(word, "ban")
    of_batch = lab.state.ends
    lab.settings.param.update(shown="mcmc")
    assert not np.array_equal(lab.state.ends, of_batch)
    assert not np.array_equal(lab.state.ends, lab.results["mcmc"].ends)


def test_a_faulty_grammar_is_shown_and_refused(lab):
    send(lab.runner, {"kind": "text", "value": "S -> Wrod+\n@Word 1 1 2"}, "GrammarBox")
    assert one(lab.runner, "GrammarBox").bad
    assert "Line 2: " in one(lab.runner, "GrammarBox").message
    assert "Grammar:" not in one(lab.runner, "GrammarBox").message
    lab.runner.run()
    fault = one(lab.runner, "RunHead").state["fault"]
    assert fault["title"] == "This grammar cannot be read"
    assert "grammar, line 2, column 11" in [row["place"] for row in fault["rows"]]
    send(lab.runner, {"kind": "preset", "value": "collocation"}, "GrammarBox")
    assert not one(lab.runner, "GrammarBox").bad
    finished(lab)
    assert "Collocation" in lab.results["batch"].entries


def test_results_keep_the_grammar_they_were_learnt_with(lab):
    """Another grammar is written after a run, and during one."""
    finished(lab)
    (view,) = lab.showings
    send(lab.runner, {"kind": "preset", "value": "collocation"}, "GrammarBox")
    assert lab.state.grammar.adapted.keys() == {"Word"}
    assert view.tab("Segment").segmentation.card.stale == "from the old grammar"
    view.go("Trees")
    assert "from the old grammar" in shown_text(view.shown)
    view.go("Segment")
    lab.state.try_word(lab.state.words(1)[0].string, "ban")
    assert lab.state.trying
    lab.settings.param.update(iterations=2_000)
    lab.runner.run()
    send(lab.runner, {"kind": "preset", "value": "word"}, "GrammarBox")
    lab.settings.param.update(edited=10.0)
    lab.runner.stop()
    assert lab.runner.wait(60)
    if lab.results:  # stopped after its first iteration
        assert lab.state.runs.kept[-1].label == "Batch VB, collocation, peaks"
        assert lab.state.runs.kept[-1].grammar_name == "collocation"


@pytest.mark.slow
def test_edits_follow_the_seed(lab):
    lab.settings.param.update(edited=20.0, seed=1)
    one = finished(lab).corpus
    lab.settings.param.update(seed=2)
    other = finished(lab).corpus
    assert one.phones.tolist() != other.phones.tolist()
    lab.settings.param.update(seed=1)
    assert finished(lab).corpus.phones.tolist() == one.phones.tolist()


@pytest.mark.slow
def test_the_edits_say_what_to_do_before_there_are_any(lab):
    (view,) = lab.showings
    view.go("Edits")
    before = shown_text(view.tab("Edits"))
    assert "Tick Noisy VB and press Run" in before
    assert "Words that were said one way and heard another" in before
    lab.settings.param.update(edited=10.0)
    lab.runner.enable({"noisy"})
    finished(lab)
    after = shown_text(view.tab("Edits"))
    assert "Words that were said" not in after
    assert "Tick Noisy VB" not in after
    assert "from the old grammar" not in after
    send(lab.runner, {"kind": "preset", "value": "collocation"}, "GrammarBox")
    assert "from the old grammar" in shown_text(view.tab("Edits"))


def test_trees_say_what_to_do_before_a_run(lab):
    (view,) = lab.showings
    view.go("Trees")
    assert "Press Run to see the trees" in shown_text(view.tab("Trees"))
    finished(lab)
    assert "Press Run" not in shown_text(view.tab("Trees"))
    assert "of 12 times" in shown_text(view.tab("Trees"))


@pytest.mark.slow
def test_a_cell_of_the_edits_shows_its_words(lab):
    lab.runner.enable({"noisy"})
    lab.settings.param.update(edited=20.0, iterations=10)
    finished(lab)
    (view,) = lab.showings
    view.go("Edits")
    tab = view.tab("Edits")
    everything = lab.state.channel_errors()
    assert everything
    spelled = lab.corpus.symbols
    step = next(s for m in everything for s in m.steps if s.kind == "substitute")
    send(tab, {"top": spelled[step.top], "bottom": spelled[step.bottom]}, "EditMap")
    wanted = [m for m in everything if step in m.steps]
    assert [row["times"] for row in one(tab, "ChannelErrorList").rows] == [
        str(len(m.utterances)) for m in wanted
    ]
    assert f"{spelled[step.top]} heard as {spelled[step.bottom]}" in shown_text(tab)
    u = wanted[0].utterances[0]
    send(tab, {"utterance": u}, "ChannelErrorList")
    assert lab.state.utterance == u
    assert u in [row["u"] for row in one(view.tab("Segment").segmentation, "SegmentationRows").shown["rows"]]
    lost = sum(len(m.utterances) for m in everything for s in m.steps if s.kind == "delete")
    assert sum(one(tab, "EditMap").shown["lost"]) == lost


def test_a_starved_base_is_drawn():
    lab = LexiconLab(["da du", "du da da", "da", "du du", "da du da"] * 60)
    lab.settings.param.update(iterations=12)
    lab.page()
    finished(lab)
    (view,) = lab.showings

    def drawn(label):
        return layer(view.tab("Segment").sticks, label).data_source.data.values()

    assert lab.state.view.sticks["Word"].leftover < STARVED
    assert "too little mass left: no new word is built" in [
        text for column in drawn("starved words") for text in column
    ]
    assert all(len(column) == 1 for column in drawn("starved"))
    assert "Too little mass left for new words" in shown_text(view.tab("Segment").sticks)


def test_what_is_left_out_is_named_and_the_rest_goes_on(lab):
    lab.open_file("own.txt", b"abab\n\nabc ab\nab\n\nabab\n")
    assert "own.txt:2: empty line, left out (and 1 more: 5)" in shown_text(lab.runner)
    (view,) = lab.showings
    assert view.tab("Segment").segmentation.card.stale == "with warnings"
    send(
        lab.runner, {"kind": "text", "value": "S -> W+\n@W 9 1 0\nW -> P+\nP -> 'a'\nP -> 'b'"}, "GrammarBox"
    )
    finished(lab)
    assert "no rule for &#39;c&#39;" in shown_text(lab.runner)
    assert "empty line" in shown_text(lab.runner)
    assert lab.results["batch"].ends.any()
    send(lab.runner, {"kind": "text", "value": "S -> S Phon\nS -> Phon"}, "GrammarBox")
    assert "S is left-recursive" in one(lab.runner, "GrammarBox").message
    assert not one(lab.runner, "GrammarBox").bad


@pytest.mark.slow
def test_every_adapted_symbol_has_its_lexicon_and_sticks(lab):
    send(lab.runner, {"kind": "preset", "value": "collocation"}, "GrammarBox")
    finished(lab)
    (view,) = lab.showings
    assert lab.state.looked_at == "Word"
    send(view.tab("Segment").words, {"name": "symbol", "value": "Collocation"}, "Pickers")
    strings = [row.string for row in lab.state.words(10)]
    assert strings == [e.string for e in lab.results["batch"].entries["Collocation"][:10]]
    longest = max(strings, key=len)
    lab.state.word = longest
    cut = lab.state.cut
    for u in lab.state.order("corpus"):
        assert longest in "".join(lab.corpus.words(int(u), cut))
    before = lab.state.ends.copy()
    lab.state.try_word(strings[0], "ban")
    assert not np.array_equal(before, lab.state.ends)
    send(lab.runner, {"kind": "preset", "value": "word"}, "GrammarBox")
    assert lab.state.looked_at == "Collocation"
    assert lab.state.trying
    finished(lab)
    assert lab.state.looked_at == "Word"
    assert not lab.state.banned


def test_a_string_of_several_words_or_of_a_part_of_one_lists_its_utterances(monkeypatch):
    lab = LexiconLab(["ab c", "abc", "a bc", "xx"])
    state = lab.state
    gold = np.array(state.corpus.gold)
    monkeypatch.setattr(LexiconState, "cut", gold)
    state.word = "ab"
    assert state.order("corpus").tolist() == [0]
    state.write_grammar("S -> C+\n@C 9 1 0\nC -> Word+\n@Word 9 1 0\nWord -> Phon+")
    state.look_at("C")
    state.word = "bc"
    assert state.order("corpus").tolist() == [2]
    state.word = "abc"
    assert state.order("corpus").tolist() == [0, 1, 2]


def typed(lab, rules):
    send(lab.runner, {"kind": "text", "value": rules}, "GrammarBox")


def test_keystrokes_in_a_grammar_are_one_step_of_undo_but_not_across_a_run(lab, monkeypatch):
    monkeypatch.setattr("otlab.ui.lexicon.document.TYPING_SECONDS", 1000.0)
    first, learnt = lab.state.grammar_text, "S -> W+\n@W 9 1 0\nW -> Phon+"
    typed(lab, learnt[:-1])
    typed(lab, learnt)
    finished(lab)
    ends = lab.results["batch"].ends
    typed(lab, learnt + " ")
    typed(lab, learnt + " Phon")
    lab.undo()
    assert lab.state.grammar_text == learnt
    assert not lab.state.of_another_grammar
    assert lab.results["batch"].ends is ends
    lab.undo()
    assert lab.state.grammar_text == first
    assert not lab.state.history.can_undo


def test_what_is_typed_right_after_undo_is_an_edit_of_its_own(lab, monkeypatch):
    first = lab.state.grammar_text
    typed(lab, first + "\n# one")
    monkeypatch.setattr("otlab.ui.lexicon.document.TYPING_SECONDS", -1.0)
    typed(lab, first + "\n# two")
    monkeypatch.setattr("otlab.ui.lexicon.document.TYPING_SECONDS", 1000.0)
    lab.undo()
    typed(lab, first + "\n# three")
    assert not lab.state.history.can_redo
    lab.undo()
    assert lab.state.grammar_text == first + "\n# one"


def test_an_emptied_grammar_is_a_fault_and_nothing_runs(lab):
    send(lab.runner, {"kind": "preset", "value": ""}, "GrammarBox")  # own rules: those that are there
    assert one(lab.runner, "GrammarBox").text
    send(lab.runner, {"kind": "text", "value": ""}, "GrammarBox")
    assert "no rule; write one" in one(lab.runner, "GrammarBox").message
    lab.runner.run()
    lab.runner.wait(30)
    assert not lab.results


def test_pages_of_the_segmentation_are_turned_and_put_in_order(lab):
    finished(lab)
    (view,) = lab.showings
    card = view.tab("Segment").segmentation

    def say(**message):
        send(card, message, "SegmentationRows")
        shown = one(card, "SegmentationRows").shown
        return [row["u"] for row in shown["rows"]], shown["place"]

    assert say(kind="room", rows=5) == ([0, 1, 2, 3, 4], "1–5 of 80")
    assert say(kind="turn", by=2) == ([10, 11, 12, 13, 14], "11–15 of 80")
    assert say(kind="turn", by=-9)[1] == "1–5 of 80"
    say(kind="choose", utterance=3)
    assert lab.state.utterance == 3
    say(kind="turn", by=2)
    uncertain = lab.state.order("uncertain").tolist()
    assert say(kind="order", value="uncertain") == (uncertain[:5], "1–5 of 80")
    word = lab.state.words(1)[0].string
    send(view.tab("Segment").words, {"kind": "choose", "string": word}, "WordTable")
    of_word = one(card, "SegmentationRows").shown["place"]
    assert of_word == f"1–5 of {len(lab.state.order('corpus'))}" != "1–5 of 80"
    say(kind="of another version")
    assert lab.state.word == word
    assert say(kind="all") == (uncertain[:5], "1–5 of 80")
    assert lab.state.word == ""
    for chosen in (word, ""):  # pressed again it is no longer chosen
        send(view.tab("Segment").words, {"kind": "choose", "string": word}, "WordTable")
        assert lab.state.word == chosen


def test_a_string_of_a_part_of_words_lists_the_utterances_whose_words_have_it(monkeypatch):
    lab = LexiconLab(["ab c", "abc", "a bc", "xx"])
    monkeypatch.setattr(LexiconState, "cut", np.array(lab.state.corpus.gold))
    lab.state.write_grammar("S -> Word+\n@Word 9 1 0\nWord -> Part+\n@Part 9 1 0\nPart -> Phon+")
    lab.state.look_at("Part")
    lab.state.word = "bc"
    assert lab.state.order("corpus").tolist() == [1, 2]


def test_an_utterance_that_the_grammar_cannot_generate_has_no_tree(lab):
    lab.open_file("own.txt", b"abab\nabc ab\nab\n")
    rules = "S -> W+\n@W 9 1 0\nW -> P+\nP -> 'a'\nP -> 'b'"
    send(lab.runner, {"kind": "text", "value": rules}, "GrammarBox")
    finished(lab)
    (view,) = lab.showings
    view.go("Trees")
    lab.state.utterance = 1
    assert "cannot generate this utterance" in shown_text(view.tab("Trees"))
    lab.state.utterance = 2
    assert "cannot generate" not in shown_text(view.tab("Trees"))


def test_a_run_without_edits_learns_from_the_clean_text_again(lab):
    clean = lab.corpus.phones.copy()
    lab.settings.param.update(edited=30.0, iterations=1)
    assert not np.array_equal(finished(lab).corpus.phones, clean)
    lab.settings.param.update(edited=0.0)
    assert np.array_equal(finished(lab).corpus.phones, clean)


def test_an_elbo_that_fell_is_told():
    fell = np.array([-9.0, -5.0, -6.0])
    assert steps_report(fell, set(), ()).badge.text == "ELBO fell"
    assert steps_report(fell, {2}, ()).badge.text == "ELBO never fell"


def test_without_gold_words_there_is_nothing_to_guess_or_to_compare_in_a_class():
    lab = LexiconLab(["thedog", "thecat", "thedog"])
    lab.settings.param.update(iterations=2)
    lab.page()
    finished(lab)
    assert lab.classwork.guessings(lab.state) == ()
    assert lab.classwork.report(lab.state) is None
    assert lab.classwork.outcome(lab.state) is None


def test_a_phone_lost_or_added_is_named_above_the_words_that_have_it(lab):
    (view,) = lab.showings
    view.go("Edits")
    tab = view.tab("Edits")
    assert lab.state.channel_errors() == []
    lab.runner.enable({"noisy"})
    lab.settings.param.update(edited=20.0, iterations=2)
    finished(lab)
    phone = lab.corpus.symbols[0]
    for cell, kind, title in (((phone, ""), "delete", "lost"), (("", phone), "insert", "added")):
        send(tab, {"top": cell[0], "bottom": cell[1]}, "EditMap")
        assert f"{phone} {title}" in shown_text(tab)
        having = [
            word
            for word in lab.state.channel_errors()
            if any(step.kind == kind and 0 in (step.top, step.bottom) for step in word.steps)
        ]
        assert len(one(tab, "ChannelErrorList").rows) == len(having)
    send(tab, {"top": "", "bottom": phone}, "EditMap")  # pressed again: all words
    assert "Misheard words" in shown_text(tab)
    assert len(one(tab, "ChannelErrorList").rows) == len(lab.state.channel_errors())


PY_CFG = "1 1 S --> Word\n1 1 S --> Word S\nWord --> Ph Ph\n1 1 Ph --> aa\n1 1 Ph --> b\n"


def test_the_remark_on_a_grammar_of_py_cfg_stays_in_sight(lab):
    box = one(lab.runner, "GrammarBox")
    send(lab.runner, {"kind": "text", "value": PY_CFG}, "GrammarBox")
    remark = "Word is adapted with concentration 100 and discount 0, for the grammar gives none"
    assert remark in box.message
    lab.runner.enable({"online"})
    assert remark in box.message
    lab.undo()
    assert remark not in box.message
    lab.redo()
    assert remark in box.message
    send(lab.runner, {"kind": "text", "value": PY_CFG + "1 1\n"}, "GrammarBox")
    assert box.bad
    assert remark not in box.message
