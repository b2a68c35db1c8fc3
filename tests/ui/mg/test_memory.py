"""The Memory tab of the grammar lab: metrics of the corpus's sentences, and verdicts on two of them."""

import csv
import io

from otlab.mg.parsing.parse import parse
from otlab.mg.processing.memory import memory_use
from otlab.mg.processing.metrics import ALL_METRICS, Metric, easier, value_shown
from otlab.samples import load_sample
from tests.ui.mg.helpers import tab_of
from tests.ui.page import download, shown_text

SUBJECT = "the reporter who attacked the senator admitted the error"
OBJECT = "the reporter who the senator attacked admitted the error"


def memory_tab(lab, view, example):
    lab.choose(example)
    view.showing.go("Memory")
    return tab_of(view, "Memory")


def test_sentences_are_compared_as_by_the_library(shown):
    lab, view, _ = shown
    tab = memory_tab(lab, view, "english_relative_clauses")
    lexicon = load_sample("english_relative_clauses")
    uses = {s: memory_use(parse(lexicon, s).best(1)[0].derivation) for s in (SUBJECT, OBJECT)}
    _, data = download(tab, "csv")
    rows = {row["sentence"]: row for row in csv.DictReader(io.StringIO(data.decode()))}
    for sentence, use in uses.items():
        assert all(rows[sentence][m.name] == value_shown(m(use)) for m in ALL_METRICS)
    assert "not in the language" in shown_text(tab)
    assert "&lt;p" not in shown_text(tab)
    tab.first.value, tab.second.value = SUBJECT, OBJECT
    verdicts = shown_text(tab).split('class="verdicts"')[1]
    by_the_library = [easier(uses[SUBJECT], uses[OBJECT], [metric]) for metric in ALL_METRICS]
    told = [verdicts.count(f">{side}</td>") for side in "12="]
    assert told == [by_the_library.count(side) for side in (1, -1, 0)]
    assert told[1] > 5 * told[0], "most metrics say that the gap of the object is harder"
    assert f'title="{Metric("MaxS")(uses[SUBJECT])} : {Metric("MaxS")(uses[OBJECT])}"' in verdicts


def test_an_empty_corpus_and_a_single_sentence(shown):
    lab, view, _ = shown
    tab = memory_tab(lab, view, "figure1_wh")
    lab.state.replace_corpus({})
    lab.state.edits += 1
    assert "No sentence to compare yet" in shown_text(tab)
    lab.state.replace_corpus({("what", "did", "you", "see"): 1})
    lab.state.edits += 1
    assert "Two sentences with derivations are needed" in shown_text(tab)
    assert "MaxT" in shown_text(tab)
