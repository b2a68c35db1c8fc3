"""Every download is called after what is open."""

from __future__ import annotations

import pytest

from otlab.ui.fields import put_texts
from otlab.ui.lexicon.lab import LexiconLab
from otlab.ui.mg.lab import MGLab
from otlab.ui.ot.lab import OTLab
from otlab.ui.ot.tabs import downloads as ot_downloads
from otlab.ui.server import warm
from otlab.ui.tagging.lab import TaggingLab
from tests.ui.lexicon.helpers import finished
from tests.ui.page import download
from tests.ui.test_packing import FILES, TAGGED


@pytest.fixture(autouse=True)
def _cold(monkeypatch):
    """Compile nothing behind the tests' back."""
    monkeypatch.setattr(warm.kernels, "start", lambda: None)


def opened(kind):
    lab = kind()
    layout = lab.main()
    name, data = FILES[kind]
    lab.open_file(name, data)
    return lab, layout, next(iter(lab.showings))


@pytest.mark.slow
def test_of_the_grammar_lab():
    _lab, _layout, view = opened(MGLab)
    view.open("Compare")
    view.open("Data")
    data = view.tab("Data")
    assert data.file("mg")[0] == "my_lexicon.mg"
    assert data.file("probabilities")[0] == "my_probabilities.csv"
    assert data.file("forest")[0] == "my_derivation_forest.tex"
    assert download(view.tab("Compare"), "csv")[0] == "my_comparison.csv"


def test_of_the_lexicon_lab():
    lab, _layout, view = opened(LexiconLab)
    finished(lab)
    view.open("Data")
    assert download(view.tab("Data"), "segmented")[0] == "my_segmented.txt"


def test_of_the_ot_lab():
    lab, _layout, _view = opened(OTLab)
    assert {"csv", "otsoft", "xlsx"} <= ot_downloads.FILES.keys()
    names = [ot_downloads.download(lab.state, key)[0] for key in ("csv", "otsoft", "xlsx")]
    assert all(name.startswith("my") for name in names)


def test_of_the_tagging_lab():
    _lab, _layout, view = opened(TaggingLab)
    view.open("Table")
    assert download(view.tab("Table"), "tex")[0] == "my_table_1.tex"


def test_switching_the_tagging_lab_s_corpus_can_be_undone(monkeypatch):
    lab = TaggingLab()
    lab.open_file("my.txt", TAGGED)
    toasts = []
    monkeypatch.setattr(TaggingLab, "toast", lambda _lab, text, undo, *_: toasts.append((text, undo)))
    put_texts(lab.settings, {"corpus": "ewt_sample"})
    assert lab.corpus.name != "my.txt"
    (text, undo) = toasts[0]
    assert text.endswith("is open in place of my.txt")
    undo()
    assert (lab.corpus.name, lab.own_name, lab.settings.corpus) == ("my.txt", "my.txt", "own")
