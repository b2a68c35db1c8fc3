"""*Read as*: what a reading says of itself, and what its panel shows and passes on, without a browser."""

from __future__ import annotations

import json

import pytest

from otlab.reading import ReadAs
from otlab.ui.components.read_as import ReadAsPanel
from tests.ui import page

COLUMNS = ReadAs(
    "columns",
    "columns by blanks",
    ("word", "tag", "not used"),
    preview=(("He", "PRP", "B-NP"), ("sleeps", "VBZ", "B-VP")),
    note="-DOCSTART- lines are left out",
    roles=("word", "tag"),
)
PLAIN = ReadAs("raw", "plain text", preview=(("He", "PRP", "B-NP"),))
TIERS = ReadAs("textgrid", "TextGrid", ("words", "not used"), heads=("ORT-MAU", "MAU"))


@pytest.fixture
def chosen():
    return []


@pytest.fixture
def panel(chosen):
    return ReadAsPanel(chosen.append)


def test_the_sentence_says_what_each_column_is():
    found = "5 sentences"
    assert COLUMNS.sentence(found) == (
        "Read as columns by blanks: 5 sentences, column 1 is the word, 2 the tag"
    )
    assert TIERS.sentence() == "Read as TextGrid: column ORT-MAU is the words"
    two = ReadAs("sound", "TextGrid", ("phones", "phones"), heads=("A - phones", "B - phones"))
    assert two.sentence() == "Read as TextGrid: columns A - phones to B - phones are the phones"
    assert PLAIN.sentence() == "Read as plain text"
    assert COLUMNS.place("tag") == 2
    assert PLAIN.place("tag") is None


def test_a_reading_comes_back_from_json():
    for reading in (COLUMNS, PLAIN, TIERS):
        assert ReadAs.from_dict(json.loads(json.dumps(reading.to_dict()))) == reading


def test_nothing_is_in_sight_before_a_file_is_open(panel):
    assert not panel.visible
    panel.show([COLUMNS, PLAIN], COLUMNS, "5 sentences")
    assert panel.visible
    assert panel.options == ["columns by blanks", "plain text"]
    assert panel.heads == ["1", "2", "3"]
    assert panel.roles == ["word", "tag", "not used"]
    assert panel.lines[0] == ["He", "PRP", "B-NP"]
    panel.hide()
    assert not panel.visible


def test_another_reading_is_passed_on(panel, chosen):
    panel.show([COLUMNS, PLAIN], COLUMNS, "5 sentences")
    for index in (0, 7, 1):  # the one shown, one that is not there, another
        page.send(panel, {"reading": index})
    assert chosen == [PLAIN]


def test_a_column_gets_another_role_and_each_role_stays_once(panel, chosen):
    panel.show([COLUMNS, PLAIN], COLUMNS, "5 sentences")
    page.send(panel, {"column": 2, "role": "tag"})
    page.send(panel, {"column": 1, "role": "verb"})
    assert [reading.columns for reading in chosen] == [("word", "not used", "tag")]
    panel.show([COLUMNS, PLAIN], chosen[0], "5 sentences")  # in place of the guess
    assert panel.options == ["columns by blanks", "plain text"]
    assert panel.columns == ["word", "not used", "tag"]


def test_a_file_that_is_gone_cannot_be_read_in_another_way(panel, chosen):
    panel.show([], COLUMNS, "5 sentences", locked="open the file again to read it in another way")
    page.send(panel, {"column": 2, "role": "tag"})
    page.send(panel, {"reading": 0})
    assert not chosen
    assert panel.options == ["columns by blanks"]
