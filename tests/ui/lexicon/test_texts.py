"""Texts pasted into the lexicon lab, and what can be downloaded."""

from __future__ import annotations

from functools import partial
from io import BytesIO

import pandas as pd
import pytest

from otlab.discovery.corpus import Corpus
from otlab.html import escape
from otlab.ui.components.cards import Html
from otlab.ui.lexicon.lab import LexiconLab
from tests.ui.lexicon.helpers import data_tab, finished
from tests.ui.page import download, messages, send, sent, shown_text


def test_a_long_pasted_text_is_read_beside_the_page_and_can_be_cancelled(lab, slow_reading):
    (view,) = lab.showings
    view.go("Data")
    zone, before = view.tab("Data").zone, lab.corpus
    text = "\n".join(f"də dɔɡ siz də kæt {'a' * (n % 7)}" for n in range(40_000))
    zone.take("pasted text", text.encode())
    reading = zone.reading
    assert zone.state["text"] == "Reading pasted text"
    send(zone, {"kind": "cancel"})
    slow_reading.set()
    assert reading.wait(30)
    assert reading.result is None
    assert lab.corpus is before
    zone.take("pasted text", text[:3000].encode())
    assert zone.wait(30)
    assert lab.corpus.name == "pasted text"


def test_a_text_in_which_no_word_recurs_says_so(lab):
    lab.open_corpus(Corpus.from_text("lookatthe"))
    finished(lab)
    (view,) = lab.showings
    segment = view.tab("Segment")
    assert not lab.state.entries
    assert "No word is kept yet" in shown_text(segment.words)
    assert "Press Run" not in shown_text(segment.sticks)


def test_pasted_text_without_gold():
    lab = LexiconLab(["thedogbarks", "thecatsleeps", "thedogsleeps", "thecatbarks"] * 6)
    lab.settings.param.update(iterations=4)
    lab.page()
    finished(lab)
    assert lab.state.scores() is None
    assert lab.runner.report.stats[0].value == "–"
    lab.settings.param.update(edited=10.0)
    lab.runner.run()
    assert "blanks between its words" in str(lab.runner.runner.failures[""])


def test_a_text_of_an_older_program_is_read_and_the_page_says_how(lab):
    (view,) = lab.showings
    view.go("Data")
    zone = view.tab("Data").zone
    zone.take("cuento.txt", "niño mañana\nniño\n".encode("latin-1"))
    assert zone.wait(30)
    assert lab.corpus.words(0, lab.corpus.gold) == ["niño", "mañana"]
    (note,) = lab.state.notes
    assert note.startswith("cuento.txt: not UTF-8, read as Windows-1252 (Latin-1)")
    assert escape(note) in shown_text(lab.runner)


def test_a_textgrid_is_no_text_of_phones(lab):
    (view,) = lab.showings
    view.go("Data")
    tab, before = view.tab("Data"), lab.corpus
    tab.zone.take("u000.TextGrid", b'File type = "ooTextFile"\nObject class = "TextGrid"\n')
    assert tab.zone.wait(30)
    assert lab.corpus is before
    assert "Pack it with its recording into a ZIP file" in messages(tab)


def test_what_is_taken_home(lab):
    finished(lab)
    (view,) = lab.showings
    make = partial(download, data_tab(view))
    name, data = make("segmented")
    again = Corpus.from_text(data.decode(), name)
    assert again.phones.size == lab.corpus.phones.size

    def read(key):
        name, data = make(key)
        assert name == f"toy_phones_{key}.csv"
        assert data.decode().startswith("# text: toy_phones.txt\n")
        return pd.read_csv(BytesIO(data), comment="#"), data.decode()

    assert len(read("posteriors")[0]) == lab.corpus.phones.size
    lexicon, header = read("lexicon")
    assert list(lexicon) == ["string", "expected_count", "weight", "sd"]
    for line in (
        "# seed: 1",
        "# learner: Batch VB",
        "# restart: 1 of 1",
        "# threshold: 0.5",
        "# iterations: 6",
    ):
        assert line in header
    assert "# grammar: word: Utterance" in header
    assert read("runs")[0].loc[0, ["text", "learner", "seed"]].tolist() == ["toy_phones.txt", "batch", 1]


def test_another_text_forgets_results(lab):
    finished(lab)
    lab.open_file("own.txt", b"ab ab\nab c\n")
    assert lab.results == {}
    assert lab.corpus.name == "own.txt"
    assert lab.example == ""
    (view,) = lab.showings
    assert "own.txt" in "".join(part.object for part in view.select(Html))
    finished(lab)
    assert download(data_tab(view), "segmented")[0] == "own_segmented.txt"


BLANKS = "k aɪ t # b o l\nk aɪ t\n"


def test_blanks_between_phones_are_no_words_and_the_other_readings_are_offered(lab):
    """The choice comes back by Undo and after a reload; nothing else changes."""
    (view,) = lab.showings
    tab = data_tab(view)
    view.open("Data")
    lab.choose("toy_phones")
    assert not tab.read_as.visible  # of an example nothing need be said
    lab.open_file("own.txt", BLANKS.encode())
    view.open("Data")
    assert lab.corpus.words(0, lab.corpus.gold) == ["kaɪt", "bol"]
    assert tab.read_as.sentence == (
        "Read as phones by blanks, words by #: 2 utterances, 9 phones, 3 gold words"
    )
    assert tab.read_as.options == [
        "phones by blanks, words by #",
        "phones by blanks, no word edges",
        "a phone is a character, words by blanks",
    ]
    assert tab.read_as.lines == [["k aɪ t", "b o l"], ["k aɪ t"]]
    send(tab, {"reading": 1}, "ReadAsPanel")
    assert lab.corpus.gold is None
    assert "#" in lab.corpus.symbols
    assert tab.read_as.sentence.startswith("Read as phones by blanks, no word edges: 2 utterances, 10 phones")
    again = LexiconLab()
    again.from_dict(lab.to_dict())
    assert (again.corpus.form, again.corpus.phones.size) == (lab.corpus.form, 10)
    lab.undo()
    assert lab.corpus.words(0, lab.corpus.gold) == ["kaɪt", "bol"]
    assert tab.read_as.chosen == 0
    again.close()


def test_a_text_given_in_a_notebook_is_recognised_too():
    made = LexiconLab(BLANKS.splitlines())
    assert made.corpus.words(0, made.corpus.gold) == ["kaɪt", "bol"]
    made.close()


@pytest.mark.parametrize("key", ["page", "segmented", "posteriors", "lexicon", "runs"])
def test_a_download_of_results_is_refused_before_there_are_any(lab, monkeypatch, key):
    (view,), warned = lab.showings, []
    monkeypatch.setattr(lab, "warn", warned.append)
    tab = data_tab(view)
    messages_sent = sent(tab, "Downloads")
    send(tab, {"key": key}, "Downloads")
    assert messages_sent == []
    assert warned == ["There is nothing to save before a run on the text has begun"]
    finished(lab)
    name, data = download(tab, key)
    assert name.startswith("toy_phones_")
    assert (b"lol" if key == "segmented" else b"Batch VB" if key != "runs" else b"batch") in data
