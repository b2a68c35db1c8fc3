"""*Read as* in the tagging lab: how a file was read, the other ways, and what stays of the choice."""

from __future__ import annotations

import pytest

from otlab.ui.source import Source
from otlab.ui.tagging.lab import TaggingLab
from tests.ui import page
from tests.ui.page import messages
from tests.ui.tagging.helpers import view_of

CONLL = b"EU NNP B-NP\nsends VBZ B-VP\n. . O\n\nAnn NNP B-NP\nsings VBZ B-VP\n"
WORDS = [("le", "DET"), ("chat", "NOUN"), ("dort", "VERB")]
NO_XPOS = "".join(f"{n}\t{w}\t_\t{t}\t_\t_\t_\t_\t_\t_\n" for n, (w, t) in enumerate(WORDS, 1)).encode()


@pytest.fixture
def lab():
    lab = TaggingLab()
    lab.layout = lab.main()
    view_of(lab).go("Data")
    yield lab
    lab.close()


def opened(lab, name, data):
    tab = view_of(lab).tab("Data")
    tab.zone.open(Source(name, data))
    assert tab.zone.wait()
    return tab


@pytest.mark.slow
def test_nothing_is_said_of_an_example(lab):
    reading = lab.corpus.reading
    panel = view_of(lab).tab("Data").read_as
    assert panel.visible is (reading is not None)


@pytest.mark.slow
def test_another_reading_and_other_columns_are_one_choice_and_undo_brings_them_back(lab):
    tab = opened(lab, "eng.txt", CONLL)
    panel = tab.read_as
    assert panel.sentence == "Read as columns by blanks: 2 sentences, column 1 is the word, 2 the tag"
    assert panel.lines[0] == ["EU", "NNP", "B-NP"]
    assert not panel.locked
    page.send(panel, {"column": 2, "role": "tag"})
    assert tab.zone.wait()
    assert set(lab.corpus.tagset) == {"B-NP", "B-VP", "O"}
    assert panel.columns == ["word", "not used", "tag"]
    page.send(panel, {"reading": panel.options.index("plain text")})
    assert tab.zone.wait()
    assert lab.corpus.tags is None
    assert lab.corpus.tokens == 15
    tab.options.lowercase = True  # the choice stays
    assert tab.zone.wait()
    assert panel.sentence == "Read as plain text: 5 sentences"
    for expected in ("plain text", "columns by blanks", "columns by blanks"):
        lab.undo()
        assert lab.corpus.reading.label == expected
        assert panel.sentence.startswith(f"Read as {expected}")
    assert panel.columns == ["word", "tag", "not used"]


def test_a_column_that_is_the_word_cannot_be_taken_away(lab):
    tab = opened(lab, "eng.txt", CONLL)
    page.send(tab.read_as, {"column": 0, "role": "not used"})
    assert tab.zone.wait()
    assert lab.corpus.reading.columns == ("word", "tag", "not used")
    assert tab.read_as.columns == ["word", "tag", "not used"]


def test_the_other_tags_of_a_treebank_are_one_click_away(lab):
    tab = opened(lab, "fr.conllu", NO_XPOS)
    assert lab.corpus.tags is None
    assert "There is no XPOS here:" in messages(tab)
    page.press(tab.messages, "Use UPOS")
    assert tab.zone.wait()
    assert lab.corpus.tagset == ("DET", "NOUN", "VERB")
    assert "There is no" not in messages(tab)
    assert tab.options.column == "upos"
    assert "UPOS the tag" in tab.read_as.sentence


def test_a_transcript_is_read_with_its_tags_or_without(lab):
    text = (
        "@UTF8\n@Begin\n*CHI:\tmy [/] my dog .\n%mor:\tdet|my n|dog .\n*CHI:\tgo up .\n%mor:\tv|go .\n@End\n"
    )
    tab = opened(lab, "eve.cha", text.encode())
    panel = tab.read_as
    assert panel.sentence == "Read as CHAT transcript, tags of %mor: 1 sentence"
    assert panel.lines[0] == ["my · det", "dog · n", ". · ."]
    assert set(lab.corpus.tagset) == {"det", "n", "."}
    assert "line 5, whose words and tags on %mor do not pair (2 words and 1 tag)" in panel.note
    page.send(panel, {"reading": panel.options.index("CHAT transcript, words without tags")})
    assert tab.zone.wait()
    assert lab.corpus.tags is None
    assert lab.corpus.sentences == 2


@pytest.mark.slow
def test_the_choice_comes_back_with_a_document(lab):
    tab = opened(lab, "eng.txt", CONLL)
    page.send(tab.read_as, {"column": 2, "role": "tag"})
    assert tab.zone.wait()
    again = TaggingLab()
    again.layout = again.main()
    again.from_dict(lab.to_dict())
    view_of(again).go("Data")
    panel = view_of(again).tab("Data").read_as
    assert panel.columns == ["word", "not used", "tag"]
    assert panel.sentence == tab.read_as.sentence
    assert panel.locked == "Open the file again to read it in another way"  # a link carries no file
    again.close()


def test_a_file_dropped_on_the_home_page_says_what_it_was_taken_for(lab, monkeypatch):
    toasts = []
    monkeypatch.setattr(lab, "toast", lambda text, *_: toasts.append(text))
    lab.open_file("eng.txt", CONLL)
    assert toasts == ["eng.txt read as columns by blanks: 5 words, 5 different"]


def test_a_notebook_starts_from_the_settings_of_the_page(lab, tmp_path):
    path = tmp_path / "fr.conllu"
    path.write_bytes(NO_XPOS)
    lab.open_file(path.name, path.read_bytes())
    notebook = TaggingLab(str(path))
    assert notebook.settings.param.values() | {"name": ""} == lab.settings.param.values() | {"name": ""}
    assert (notebook.settings.emission_prior, notebook.settings.start) == (0.015, "jitter")
    notebook.close()


def test_the_offer_of_other_tags_goes_with_its_file(lab):
    tab = opened(lab, "eng.txt", CONLL)
    for leave in (lab.undo, lambda: lab.choose("ewt"), lambda: lab.choose("simulated")):
        tab = opened(lab, "fr.conllu", NO_XPOS)
        assert "There is no XPOS here:" in messages(tab)
        leave()
        assert lab.corpus.name != "fr.conllu"
        assert "There is no XPOS here:" not in messages(tab)
