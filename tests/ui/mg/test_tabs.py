"""The grammar lab without a browser: files, and the tabs beside Induce."""

import csv
import json
import threading
from functools import partial

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.mg.io.read import loads
from otlab.mg.learners.comparison import compare
from otlab.mg.learners.pool import induce_lexicon
from otlab.mg.parsing.generation import generate
from otlab.mg.parsing.parse import parse
from otlab.mg.processing.alternatives import alternatives
from otlab.mg.processing.entropy import word_by_word
from otlab.mg.views.exports import to_json
from otlab.samples import load_sample
from otlab.ui.mg.lab import MGLab
from otlab.ui.mg.presets import presets
from otlab.ui.mg.tabs.data import read_lexicon
from otlab.ui.source import Source
from otlab.viz.base.numbers import percent_text
from tests.ui.mg.helpers import rows, tab_of
from tests.ui.page import component, download, messages, press, send, sent, shown_text, waited


def test_a_file_without_a_start_category_is_asked_for_it(shown):
    lab, view, _ = shown
    data = tab_of(view, "Data")
    text = b"g = [(['mary'],[('cat','D')]),(['slept'],[('sel','D'),('cat','V')])]"
    data.zone.take("mg0.py", text)
    data.zone.wait()
    assert "names no start category" in shown_text(data)
    assert len(lab.lexicon) == 12
    press(data, "V")
    data.zone.wait()
    assert lab.lexicon.start == ("V",)
    lab.new()
    lab.open_file("mg0.py", text)
    assert component(view.lexicon).text["categories"] == ["V", "D"]


def test_files_of_the_tree_show_the_view_on_the_page(shown):
    _, view, _ = shown
    data, card = tab_of(view, "Data"), view.derivation
    card.view.value = "bare"
    name, forest = data.file("forest")
    assert name.endswith("_derivation_forest.tex")
    assert b"$<$" in forest
    assert data.file("brackets")[1].startswith(b"[> ")
    messages = sent(card)
    for key in ("forest", "svg"):
        send(card, {"kind": "export", "format": key})
    assert messages[0] == {"copy": forest.decode(), "message": "Bare copied as LaTeX (forest)"}
    assert messages[1]["name"].endswith("_derivation.svg")
    assert b'<svg style="background:var(--ot-surface, #' in data.file("svg")[1], "dark pages show it, too"


@pytest.mark.slow
def test_every_example_opens_on_a_sentence_and_says_what_it_shows(shown):
    lab, view, _ = shown
    for name, example in presets().items():
        lab.choose(name)
        assert view.derivation.sentence.value.strip() not in ("", "ε"), name
        notes = component(view.lexicon).about["notes"]
        assert len(notes) >= 2, "what the lexicon shows, and whose analysis it is"
        derivations = parse(load_sample(example.sample), view.derivation.sentence.value).derivations
        assert (derivations > 0) == (name != "smc_two_wh")


@pytest.mark.slow
def test_every_preset_every_view_and_every_tab(shown):
    lab, view, _ = shown
    for name in presets():
        lab.choose(name)
        for choice in ("derivation", "bare", "x-bar", "steps", "sequence", "movement"):
            view.derivation.view.value = choice
            assert component(view.derivation).state["picture"]
        for tab in ("Parse", "Memory", "Reading times", "Generate", "Lexicon check", "Data"):
            view.showing.go(tab)
        view.showing.go("Induce")


def test_what_is_left_out_of_a_file_is_said_in_the_lab(shown):
    lab, view, _ = shown
    data = tab_of(view, "Data")
    data.zone.take("a.pl", b"[a]::[c].\nshow.\n[a]::[c].\n[x,-k]<<[y].\nstartCategory(c).\n")
    data.zone.wait()
    assert "a.pl was not loaded: 1 problem" in shown_text(data)
    assert "adjunction of this form is not supported: [x,-k]&lt;&lt;[y]" in messages(data)
    data.zone.take("a.pl", b"[a]::[c].\nshow.\n[a]::[c].\nstartCategory(c).\n")
    data.zone.wait()
    assert "a.pl loaded. 1 item. Left out:" in shown_text(data)
    assert "is Prolog code, not a lexical entry" in messages(data)
    left_out = [(r.code, r.line, r.what.split(":")[0]) for r in lab.state.remarks]
    assert left_out == [("W306", None, "line 2 of the file"), ("E201", None, "line 3 of the file")]
    lab.state.edit(0, "phon", "b")
    assert [r.code for r in lab.state.remarks] == ["W306", "E201"]
    assert "line 2 of the file" in shown_text(tab_of(view, "Lexicon check"))


def test_files_are_taken_or_refused_whole(shown):
    lab, view, _ = shown
    data = tab_of(view, "Data")
    data.zone.take("bad.mg", b"@start c\na :: c d\n")
    data.zone.wait()
    assert "bad.mg was not loaded: 1 problem" in shown_text(data)
    assert len(lab.lexicon) == 12
    data.zone.take("good.mg", b"@start c\na :: c\n")
    data.zone.wait()
    assert lab.lexicon.texts == ("a :: c",)
    for key in ("mg", "csv", "probabilities", "svg", "forest", "qtree", "brackets", "json"):
        assert data.file(key)[1]


def test_theories_are_compared_on_the_corpus(shown):
    lab, view, _ = shown
    tab = tab_of(view, "Compare")
    view.showing.go("Compare")
    tab.task.start()
    assert "there is one theory only" in tab.task.bar.state["fault"]["rows"][0]["what"]
    tab.keep()
    send(view.lexicon, {"kind": "remove", "index": list(rows(view)).index("with :: =d n= n")})
    lab.state.theories.add("Questions", load_sample("figure1_wh"))
    tab.task.start()
    assert waited(tab.task, 60)
    now, before, questions = tab.verdicts
    assert now.figures.parsed == before.figures.parsed == 1.0
    assert questions.figures.parsed < 1.0
    assert "you see the park" in shown_text(tab)
    name, data = download(tab, "csv")
    assert name.endswith("_comparison.csv")
    assert data.decode().count("\n") == 4


def test_the_compare_tab_says_what_the_library_says(shown):
    lab, view, _ = shown
    lexicon = load_sample("attachment_wh")
    other = lexicon.with_items(i for i in lexicon.items if i.text() != "with :: =d n= n")
    lab.state.theories.add("Without", other)
    tab_of(view, "Compare").task.start()
    assert waited(tab_of(view, "Compare").task, 60)
    corpus = list(lab.state.counts.elements())
    found = compare([lexicon, other], corpus, iterations=50, restarts=3, seed=7)
    assert [v.figures for v in tab_of(view, "Compare").verdicts] == found
    assert "best" in shown_text(tab_of(view, "Compare"))
    assert "the same sentences" in shown_text(tab_of(view, "Compare"))


def test_a_theory_that_parses_nothing_is_shown_as_such(shown):
    lab, view, _ = shown
    lab.state.theories.add("Dutch", load_sample("dutch_cross_serial"))
    tab_of(view, "Compare").task.start()
    assert waited(tab_of(view, "Compare").task, 60)
    dutch = tab_of(view, "Compare").verdicts[1].figures
    assert dutch.parsed == 0.0
    assert np.isnan(dutch.elbo)
    lab.state.theories.settings.param.update(sentences="shared")
    tab_of(view, "Compare").task.start()
    assert "fewer than 2 sentences" in tab_of(view, "Compare").task.bar.state["fault"]["rows"][0]["what"]


def test_theories_and_settings_of_tabs_are_part_of_what_the_lab_knows(shown):
    lab, view, _ = shown
    tab = tab_of(view, "Compare")
    view.showing.go("Compare")
    opened = lab.to_dict()
    lab.state.theories.add("Questions", load_sample("figure1_wh"))
    lab.state.theories.settings.held_out = 0.5
    lab.state.pool.settings.threshold = 2.0
    assert not lab.edited, "the lexicon is as it was opened"
    other = MGLab()
    other.from_dict(json.loads(json.dumps(lab.to_dict())))
    (theory,) = other.state.theories.others
    assert (theory.name, theory.lexicon) == ("Questions", lab.state.theories.others[0].lexicon)
    assert (other.state.theories.settings.held_out, other.state.pool.settings.threshold) == (0.5, 2.0)
    assert other.to_dict() == lab.to_dict() != opened
    tab.task.start()
    assert waited(tab.task, 60)
    assert "Questions" in shown_text(tab)
    assert "best" in shown_text(tab)
    second = lab.main()
    second.go("Compare")
    assert "best" in shown_text(second.tab("Compare")), "what was compared is shown wherever the lab is"
    lab.runner.reset()
    assert "Nothing compared yet" in shown_text(tab)
    assert [t.name for t in lab.state.theories.others] == ["Questions"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("alpha", "<b>1"),
        ("alpha", 0),
        ("alpha", "nan"),
        ("category_alpha", {"d": "x"}),
        ("category_alpha", "d"),
    ],
)
def test_pseudo_counts_in_a_link_that_are_none_are_refused_before_they_are_drawn(shown, name, value):
    lab, view, _ = shown
    lab.open_file("own.mg", b"@start v\nMary :: d\nsleeps :: d= v")
    before = lab.to_dict()
    values = json.loads(json.dumps(before))
    values["document"]["lexicon"][name] = value
    with pytest.raises(InputError, match="damaged"):
        lab.from_dict(values)
    view.showing.go("Generate")
    assert lab.to_dict() == before


@pytest.mark.slow
def test_a_pool_is_pruned_and_its_survivors_become_the_lexicon(shown):
    lab, view, _ = shown
    tab = tab_of(view, "Learn lexicon")
    view.showing.go("Learn lexicon")
    assert "74 candidates" in shown_text(tab)
    lab.state.pool.settings.param.update(sentences="generated", restarts=2, iterations=60)
    tab.task.start()
    assert waited(tab.task, 60)
    corpus = tab.task.runner.jobs["vb"].run.learner.corpus
    pool = induce_lexicon(lab.state.pool.lexicon, corpus, iterations=60, restarts=2, seed=7)
    assert tuple(lab.state.pool.survivors) == pool.survivors
    assert {i.text() for i in lab.state.pool.survivors} == set(lab.lexicon.texts)
    assert f"{len(lab.state.pool.survivors)} of 74" in shown_text(tab)
    before = len(lab.state.pool.survivors)
    lab.state.pool.settings.param.update(threshold=60.0)
    assert 0 < len(lab.state.pool.survivors) < before
    kept = lab.state.pool.survivors
    tab.adopt()
    assert list(lab.lexicon.items) == kept
    assert "from the old lexicon" in shown_text(tab)
    lab.undo()
    assert len(lab.lexicon) == 12


@pytest.mark.slow
def test_a_pool_that_is_too_large_or_without_sentences_is_refused(shown):
    lab, view, _ = shown
    for words in list(lab.state.counts):
        lab.state.set_count(words, -1)
    tab_of(view, "Learn lexicon").task.start()
    assert "the corpus is empty" in tab_of(view, "Learn lexicon").task.bar.state["fault"]["rows"][0]["what"]
    lab.open_file(
        "w.mg", "\n".join(["@start c", *(f"w{i} :: {'=c ' * (i % 80)}c" for i in range(90))]).encode()
    )
    lab.state.pool.settings.param.update(sentences="generated")
    tab_of(view, "Learn lexicon").task.start()
    waited(tab_of(view, "Learn lexicon").task, 60)
    assert "over 5,000" in tab_of(view, "Learn lexicon").task.bar.state["fault"]["rows"][0]["what"]


def test_a_job_of_a_tab_can_be_cancelled(shown):
    lab, view, _ = shown
    lab.state.pool.settings.param.update(iterations=10_000, restarts=50)
    tab_of(view, "Learn lexicon").task.start()
    assert tab_of(view, "Learn lexicon").task.bar.state["running"]
    tab_of(view, "Learn lexicon").task.cancel()
    assert waited(tab_of(view, "Learn lexicon").task, 20)
    assert tab_of(view, "Learn lexicon").task.bar.state["progress"]["title"] == "Stopped"


def test_a_large_file_is_read_beside_the_page(shown, slow_reading):
    lab, view, _ = shown
    data = tab_of(view, "Data")
    lines = ["@start c", "ε :: =v c", *(f"n{k} :: d\nsee{k} :: =d d= v" for k in range(2500))]
    data.zone.take("large.mg", "\n".join(lines).encode())
    assert data.zone.state["text"] == "Reading large.mg"
    slow_reading.set()
    assert data.zone.wait(30)
    assert len(lab.lexicon) == 5001
    view.showing.go("Induce")
    assert len(view.lexicon.rows) == 250
    assert component(view.lexicon).hidden == 4751
    send(view.lexicon, {"kind": "find", "text": "see249"})
    assert [r["phon"] for r in view.lexicon.rows][:2] == ["see249", "see2490"]
    assert component(view.lexicon).hidden == 0


@pytest.mark.slow
def test_reading_counts_lines_and_refuses_hostile_files():
    shares = []
    read_lexicon(Source("large.mg", "\n".join(["@start c", *["a :: c"] * 1200]).encode()), shares.append)
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] == 1
    hostile = ["@start c", "a :: =d =d =d =d =d c", *(f"w{i} :: d -l{i}" for i in range(200))]
    with pytest.raises(InputError, match="more than 60,000 rules"):
        read_lexicon(Source("hostile.mg", "\n".join(hostile).encode()), shares.append)


def test_the_exported_lexicon_has_the_alpha_in_use(shown):
    lab, view, _ = shown
    tab = tab_of(view, "Data")
    assert "@alpha 0.5" in tab.file("mg")[1].decode()
    lab.settings.param.update(alpha=0.25)
    assert "@alpha 0.25" in tab.file("mg")[1].decode()
    assert loads(tab.file("mg")[1].decode()).alphas().tolist() == lab.state.alphas().tolist()
    rows = csv.DictReader(tab.file("csv")[1].decode().splitlines()[2:])
    assert {row["alpha"] for row in rows} == {"0.25"}


@pytest.mark.slow
def test_sentences_are_generated_with_what_was_learnt(shown):
    lab, view, _ = shown
    tab = tab_of(view, "Generate")
    before = percent_text(lab.state.well_formed_mass(), 0)
    assert f" {before}." in tab.rate.object
    lab.runner.run()
    assert lab.runner.wait(60)
    learnt = percent_text(lab.state.well_formed_mass(), 0)
    assert learnt != before
    assert f" {learnt}." in tab.rate.object


@pytest.mark.parametrize("name", ["pasted lexicon", "mine.txt"])
def test_a_prolog_lexicon_without_its_ending_is_told_by_its_looks(name):
    text = b"[mary]::[d].  [slept]::[=d,v].\nstartCategory(v)."
    read = read_lexicon(Source(name, text), lambda share: None)
    assert read.convention == "nondirectional"
    assert len(read) == 2


def test_messages_about_the_last_file_go_while_another_is_read(shown, monkeypatch):
    _, view, _ = shown
    data = tab_of(view, "Data")
    data.zone.take("one.mg", b"@start c\na :: c")
    data.zone.wait()
    assert "1 item." in messages(data)
    let_go = threading.Event()
    monkeypatch.setattr(type(data), "read", lambda *_: let_go.wait(60))
    data.zone.take("slow.mg", b"@start c\na :: c")
    assert "Reading" in str(data.zone.state)
    assert messages(data) == ""
    data.zone.cancel()
    let_go.set()


def test_the_sum_of_surprisals_is_that_of_the_corpus_among_well_formed_sequences(shown):
    lab, view, _ = shown
    view.choose(("you", "see", "you"))
    tab = tab_of(view, "Parse")
    sentence, mass = (
        -lab.state.parsed(lab.state.sentence).log_probability,
        -np.log(lab.state.well_formed_mass()),
    )
    text = tab.table.object
    assert "&lt;span" not in text
    assert f'<td>Sum</td><td></td><td class="num">{sentence - mass:.2f}</td>' in text
    found = word_by_word(lab.state.parsed(lab.state.sentence))
    for value in found.reduction:
        assert f'</div></td><td class="num">{value:.2f}</td>' in text
    assert (
        f'<td class="num">{found.reduction.sum():.2f}</td><td class="num">4</td></tr>' in text
    )  # tenures 1 1 2
    assert f"−log P of the sentence {sentence:.2f}, less −log P(well-formed) {mass:.2f}.</p>" in text


def test_what_each_word_may_be_stands_below_the_words(shown):
    lab, view, _ = shown
    view.choose(("you", "see", "you"))
    tab = tab_of(view, "Parse")
    found = alternatives(lab.state.parsed(lab.state.sentence))
    assert any(a.ruled_out_by for a in found)
    below = tab.table.object.split("What each word may be")[1]
    for a in found:
        fits = f"{a.maximal} {(*a.words, '(end)')[a.maximal - 1]}" if a.maximal else "–"
        value = f'<td class="num">{a.expected[a.position + 1]:.2f}</td>'
        cells = f'{value}<td class="as">{fits}</td><td>{a.ruled_out_by}</td>'
        assert f'<td class="form">{a.item.text().split(":: ")[1]}</td>{cells}' in below


def test_so_many_theories_are_compared_and_no_more(shown):
    lab, view, _ = shown
    tab = tab_of(view, "Compare")
    for _ in range(6):
        tab.keep()
    assert [theory.name for theory in lab.state.theories.others] == [f"Version {n}" for n in range(1, 6)]
    assert "6 theories are compared at most" in shown_text(tab)
    press(tab, "Remove Version 5")
    tab.keep()
    assert "at most" not in shown_text(tab)


def test_theories_are_compared_on_the_sentences_that_all_of_them_parse(shown):
    lab, view, _ = shown
    tab = tab_of(view, "Compare")
    lexicon = lab.lexicon
    without = lexicon.with_items(i for i in lexicon.items if "with" not in i.words)
    lab.state.theories.add("Without with", without)
    lab.state.theories.settings.sentences = "shared"
    lab.settings.param.update(iterations=2, restarts=1)
    tab.task.start()
    assert waited(tab.task, 60)
    assert [verdict.figures.parsed for verdict in tab.verdicts] == [1.0, 1.0]
    assert lab.state.theories.differences() == []
    (_, sentences) = lab.state.theories.planned(lab.state.theories.all)
    assert all("with" not in words for words in sentences)


def test_a_pool_has_the_words_of_the_corpus_that_the_lexicon_lacks(shown):
    lab, view, showing = shown
    showing.go("Learn lexicon")
    tab = tab_of(view, "Learn lexicon")
    press(tab, "Use survivors as the lexicon")  # there are none yet
    assert len(lab.lexicon) == 12
    for words in list(lab.state.counts):
        lab.state.set_count(words, -1)
    lab.state.set_count(("you", "see", "mary"), 2)
    lab.state.pool.settings.param.update(iterations=2, restarts=1)
    tab.task.start()
    assert waited(tab.task, 60)
    frames = {item.features for item in lab.lexicon.items if item.words}
    assert {i.features for i in lab.state.pool.lexicon.items if i.words == ("mary",)} == frames


def test_sentences_that_no_random_sequence_derives_are_not_generated(shown, monkeypatch):
    lab, view, _ = shown
    monkeypatch.setattr("otlab.ui.mg.pool.generate", partial(generate, most_attempts=1000))
    stranded = "@start c\na :: =d c\nb :: d -k\nx :: =q +k q\ny :: q\n"  # nothing under c licenses -k
    lab.open_file("stranded.mg", stranded.encode())
    lab.state.pool.settings.sentences = "generated"
    tab = tab_of(view, "Learn lexicon")
    tab.task.start()
    assert waited(tab.task, 60)
    fault = tab.task.bar.state["fault"]["rows"][0]["what"]
    assert fault == "no random sequence derives a sentence; use the corpus"


def test_tabs_beside_the_derivation_follow_the_sentence(shown):
    _, view, showing = shown
    showing.go("Parse")
    tab = tab_of(view, "Parse")
    view.choose(("you", "see", "you"))
    assert "<td>Sum</td>" in tab.table.object
    view.choose(("you", *["see", "you"] * 19, "see"))  # 40 words: no sentence, but parsed
    assert tab.table.object.count(">see</td><td") == 20
    view.choose(("you", *["see", "you"] * 20))
    assert "This sentence has 41 words. Word by word is shown for up to 40: the page" in tab.table.object


def test_an_empty_lexicon_generates_nothing(shown):
    lab, view, showing = shown
    lab.new()
    showing.go("Generate")
    rate = tab_of(view, "Generate").rate
    assert "The lexicon has no item yet." in rate.object
    lab.undo()
    assert "of sampled sequences were well-formed and have up to 14 words; " in rate.object


def test_word_by_word_asks_for_a_sentence_where_there_is_none(shown):
    lab, view, _ = shown
    tab = tab_of(view, "Parse")
    view.choose(())
    assert "(end)" not in tab.table.object
    assert "Type a sentence" in tab.table.object
    lab.lexicon = loads("@start c\nε :: c")  # the empty sentence is one of these grammars
    assert "(end)" in tab.table.object


def test_a_derivation_is_downloaded_as_json(shown):
    _, view, _ = shown
    name, data = download(tab_of(view, "Data"), "json")
    assert name.endswith("_derivation.json")
    assert json.loads(data) == json.loads(to_json(view.derivation.derivation))
