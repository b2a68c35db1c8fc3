"""The Table tab as a sweep: the same runs, with a sample and with a text of one's own."""

from __future__ import annotations

import time

import pytest

from otlab.sweep import read_plan
from otlab.tagging import SCORES, Corpus
from otlab.tagging.corpus import Normalize
from otlab.ui.tagging.lab import TaggingLab
from tests.ui.sweep.helpers import run_download, unpacked
from tests.ui.tagging.helpers import view_of

PLAIN = [["the", "dog", "barks"], ["a", "cat", "sees", "a", "dog"], ["#", "the", "cat"]]


def table_of(lab, **choice):
    """The Table tab of a lab, with a grid of rows chosen."""
    lab.layout = lab.main()
    view = view_of(lab)
    view.go("Table")
    tab = view.tab("Table")
    tab.choice.group = "grid"
    tab.grid.param.update(**{"learners": "em vb", "states": [3], "emission": [0.5], **choice})
    return tab


def rows_run(lab, tab):
    """The scores of the rows chosen, run by run."""
    tab.start()
    while lab.state.table.advance():
        time.sleep(0.01)
    return [scores.tolist() for row in lab.state.table.rows.values() for scores in row.values()]


@pytest.mark.slow
@pytest.mark.parametrize("start", ["jitter", "dirichlet"])
def test_rows_of_ones_own_text_are_the_same_runs(lab, tmp_path, start):
    lab.settings.param.update(iterations=3, runs=2, start=start, emission_prior=0.2)
    tab = table_of(lab)
    shown = rows_run(lab, tab)
    runs = run_download(tab, tmp_path)
    assert [[run.scores[name] for name in SCORES] for run in runs] == shown
    assert len(shown) == 4


@pytest.mark.slow
def test_rows_of_the_shipped_sample_are_the_same_runs_and_no_file_is_added(tmp_path):
    lab = TaggingLab("ewt")
    lab.settings.param.update(iterations=1, runs=2)
    tab = table_of(lab, learners="vb")
    shown = rows_run(lab, tab)
    runs = run_download(tab, tmp_path)
    assert {run.spec.data for run in runs} == {"ewt_sample"}
    assert [[run.scores[name] for name in SCORES] for run in runs] == shown
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.toml"]
    lab.close()


@pytest.mark.parametrize("tagged", [True, False])
def test_the_text_comes_along_as_it_was_read(tmp_path, tagged):
    sentences = [[(word, f"T{len(word)}") for word in s] for s in PLAIN] if tagged else PLAIN
    corpus = Corpus.from_sentences(sentences, "my text.tsv", Normalize(digits=True, least=2))
    lab = TaggingLab(corpus)
    _, names = unpacked(table_of(lab), tmp_path)
    assert names == ["sweep.toml", f"my_text_corpus.{'tsv' if tagged else 'txt'}"]
    (read,) = read_plan(tmp_path / "sweep.toml").data.values()
    assert list(read) == list(corpus)
    assert read.vocabulary == corpus.vocabulary
    assert read.words.tolist() == corpus.words.tolist()
    lab.close()


def test_settings_that_rows_do_without_are_named(lab, tmp_path):
    tab = table_of(lab)
    text, _ = unpacked(tab, tmp_path)
    assert "Left out" not in text
    assert "# Run it: otlab sweep sweep.toml\n# Written by otlab " in text
    lab.settings.param.update(decode="viterbi", dictionary="gold", temperature=3, start="continued")
    text, _ = unpacked(tab, tmp_path)
    assert [line.split(":")[1].split()[0] for line in text.splitlines() if "Left out" in line] == [
        "decode", "tag", "annealing.", "start",
    ]  # fmt: skip
    assert 'init = "dirichlet"' in text
