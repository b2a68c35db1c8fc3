"""Spell-out in the grammar lab: the box, dropped files, what is shown and learnt, Undo, documents."""

import json

import pytest

from otlab.cli import main
from otlab.mg.io.read import loads
from otlab.mg.processing.entropy import word_by_word
from otlab.mg.spellout import SpellOut
from otlab.ui.mg.lab import MGLab
from otlab.ui.source import Source
from tests.ui.page import component, control, press, send, sent

LEXICON = """@start t
mary :: d
fish :: V
-s :: =V d= t
-ed :: =V d= t
ε :: =V d= t
@sentence 1 | mary -s fish
@sentence 1 | mary -ed fish
"""
TABLE = "-s fish -> fishes\n-ed fish -> fish\n"
FISH, FISHES = ("mary", "fish"), ("mary", "fishes")


@pytest.fixture
def fishing():
    lab = MGLab(loads(LEXICON, name="fishing"))
    showing = lab.main()
    return lab, showing.tab("Induce"), showing


def spell(corpus, table):
    press(corpus, "Spell-out")
    send(corpus, {"kind": "apply", "text": table})


def test_a_table_is_typed_beside_the_corpus(fishing):
    lab, view, _ = fishing
    spell(view.corpus, TABLE)
    assert dict(lab.state.counts) == {FISHES: 1, FISH: 1}
    assert lab.state.sentence == FISHES
    assert view.derivation.sentence.value == "mary fishes"
    assert [(r["sentence"], r["readings"]) for r in view.corpus.rows] == [
        ("mary fishes", "1"),
        ("mary fish", "2"),
    ]
    lab.undo()
    assert not lab.lexicon.spell_out
    assert dict(lab.state.counts) == {("mary", "-s", "fish"): 1, ("mary", "-ed", "fish"): 1}
    assert lab.state.sentence == ("mary", "-s", "fish")
    lab.redo()
    assert dict(lab.state.counts) == {FISHES: 1, FISH: 1}
    assert [r["readings"] for r in view.corpus.rows] == ["1", "2"]


def test_readings_that_are_pronounced_alike_show_their_words(fishing):
    _, view, _ = fishing
    spell(view.corpus, TABLE)
    view.derivation.choose(FISH)
    drawn = component(view.derivation).state
    assert sorted(card["detail"] for card in drawn["readings"]) == ["*mary -ed fish*", "*mary fish*"]
    assert "<title>mary fish</title>" in drawn["picture"]
    messages = sent(view.derivation)
    send(view.derivation, {"kind": "export", "format": "forest"})
    assert messages[0]["copy"].endswith("\\emph{mary fish}")


def test_faults_of_a_table_are_told_and_change_nothing(fishing):
    lab, view, _ = fishing
    spell(view.corpus, "-s fish fishes\n-ed fish -> fish\n")
    assert [f["line"] for f in component(view.corpus).text["faults"]] == [1]
    assert component(view.corpus).text["about"]["label"] == "Spell-out"
    assert not lab.lexicon.spell_out
    assert control(view.corpus, "Edit as text").disabled  # the box holds the table
    send(view.corpus, {"kind": "apply", "text": TABLE})
    assert not control(view.corpus, "Edit as text").disabled
    press(view.corpus, "Spell-out")
    assert component(view.corpus).text["text"] == TABLE
    send(view.corpus, {"kind": "apply", "text": "  \n"})  # no table any longer
    assert lab.lexicon.spell_out == SpellOut()
    assert set(lab.state.counts) == {("mary", "-s", "fish"), ("mary", "-ed", "fish")}


def test_the_table_is_part_of_the_lexicon_as_text(fishing):
    lab, view, _ = fishing
    spell(view.corpus, TABLE)
    press(view.lexicon, "Edit as text")
    text = component(view.lexicon).text["text"]
    assert "@spell-out -s fish -> fishes\n" in text
    send(view.lexicon, {"kind": "apply", "text": text.replace("-> fishes", "-> fishs")})
    assert set(lab.state.counts) == {("mary", "fishs"), FISH}
    assert lab.state.sentence == ("mary", "fishs")


def test_documents_and_links_keep_the_table(fishing):
    lab, view, _ = fishing
    spell(view.corpus, TABLE)
    state = lab.state
    written = json.loads(json.dumps(state.written(state.contents())))
    again = MGLab()
    again.state.open_contents(again.state.read_back(written, "fishing"))
    assert again.lexicon.spell_out == lab.lexicon.spell_out
    assert again.state.counts == state.counts
    assert again.state.parsed(FISH).derivations == 2


@pytest.mark.parametrize("tab", ["Data", ""])
def test_a_file_with_a_table_is_opened(fishing, tab):
    lab, view, showing = fishing
    if tab:
        showing.open(tab)
    opener = showing.tab(tab) if tab else lab
    source = Source("table.txt", TABLE.encode())
    opener.show_read(source, opener.read(source, lambda _: None))
    assert lab.lexicon.spell_out.apply(("mary", "-s", "fish")) == FISHES
    showing.open("Induce")
    assert view.derivation.sentence.value == "mary fishes"
    lab.undo()
    assert not lab.lexicon.spell_out
    lexicon = Source("other.txt", LEXICON.encode())
    assert opener.read(lexicon, lambda _: None).start == ("t",)


def test_lab_and_command_line_compute_the_same(fishing, tmp_path, capsys):
    lab, view, _ = fishing
    spell(view.corpus, TABLE)
    (tmp_path / "a.mg").write_text(LEXICON)
    (tmp_path / "table.txt").write_text(TABLE)
    asked = (
        "parse",
        str(tmp_path / "a.mg"),
        "mary fish",
        "--spell-out",
        str(tmp_path / "table.txt"),
        "--json",
    )
    assert main([*asked]) == 0
    (row,) = json.loads(capsys.readouterr().out)["sentences"]
    parsed = lab.state.parsed(FISH)
    assert row["derivations"] == parsed.derivations == 2
    assert row["surprisal"] == word_by_word(parsed).surprisal.tolist()
    assert row["entropy"] == word_by_word(parsed).entropy.tolist()
    assert {b["spelled_from"] for b in row["best"]} == {" ".join(r.derivation.words) for r in parsed.best(9)}


def test_results_belong_to_one_table(fishing):
    lab, view, _ = fishing
    lab.runner.run()
    assert lab.runner.wait(60)
    learnt = lab.state.theta
    spell(view.corpus, TABLE)
    assert lab.state.theta.tolist() != learnt.tolist()  # learnt again: mary fish is ambiguous now
    lab.undo()
    assert lab.state.theta.tolist() == learnt.tolist()


def test_a_lexicon_as_text_brings_its_table_and_its_sentences(fishing):
    lab, view, _ = fishing
    other = "@start t\nfish :: V\nmary :: d\n-s :: =V d= t\n@spell-out -s fish -> fishes\n"
    sentences = "@sentence 1 | mary fishes\n@sentence 0 | fishes mary\n"
    send(view.lexicon, {"kind": "apply", "text": other + sentences})
    assert dict(lab.state.counts) == {FISHES: 1, ("fishes", "mary"): 0}
    assert lab.state.sentence == FISHES
    assert [(row["sentence"], row["readings"]) for row in view.corpus.rows] == [
        ("mary fishes", "1"),
        ("fishes mary", "0"),
    ]
    lab.undo()
    assert dict(lab.state.counts) == {("mary", "-s", "fish"): 1, ("mary", "-ed", "fish"): 1}
