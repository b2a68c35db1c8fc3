"""Gold times are read from tables, TextGrids and lists, and their faults are named by line."""

import numpy as np
import pytest

from otlab.discovery.sound.speech import read_speech
from otlab.discovery.sound.tiers import (
    Interval,
    parse_ctm,
    parse_list,
    parse_table,
    parse_textgrid,
    units_list,
)
from otlab.errors import DataWarning, InputError

LONG = '''File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 0.5
tiers? <exists>
size = 3
item []:
    item [1]:
        class = "IntervalTier"
        name = "phones"
        xmin = 0
        xmax = 0.5
        intervals: size = 2
        intervals [1]:
            xmin = 0
            xmax = 0.2
            text = "a ""2"""
        intervals [2]:
            xmin = 0.2
            xmax = 0.5
            text = "b"
    item [2]:
        class = "TextTier"
        name = "clicks"
        xmin = 0
        xmax = 0.5
        points: size = 1
        points [1]:
            number = 0.1
            mark = "x"
    item [3]:
        class = "IntervalTier"
        name = "words"
        xmin = 0
        xmax = 0.5
        intervals: size = 2
        intervals [1]:
            xmin = 0
            xmax = 0.1
            text = ""
        intervals [2]:
            xmin = 0.1
            xmax = 0.5
            text = "ab"
'''
SHORT = '"ooTextFile"\n"TextGrid"\n0\n0.5\n<exists>\n1\n"IntervalTier"\n"phones"\n0\n0.5\n1\n0\n0.5\n"a"\n'


@pytest.fixture
def folder(tmp_path):
    """Two utterances of features, half a second each."""
    for name in ("u1", "u2"):
        np.save(tmp_path / f"{name}.npy", np.random.default_rng(1).normal(size=(50, 3)))
    return tmp_path


def test_a_textgrid_in_both_formats():
    tiers = parse_textgrid(LONG)
    assert list(tiers) == ["phones", "words"]
    assert tiers["phones"] == [Interval(0.0, 0.2, 'a "2"'), Interval(0.2, 0.5, "b")]
    assert parse_textgrid(SHORT) == {"phones": [Interval(0.0, 0.5, "a")]}


@pytest.mark.parametrize("text", ["", "hello", LONG[:-40], LONG.replace("xmax = 0.2\n", "xmax = -1\n", 1)])
def test_a_faulty_textgrid_is_refused(text):
    with pytest.raises(InputError, match=r"u\.TextGrid: "):
        parse_textgrid(text, "u.TextGrid")


def test_a_table_written_is_read_back():
    rows = [("u1", Interval(0.0, 0.25, "12")), ("u2", Interval(0.1, 0.2, "ə"))]
    assert parse_table(units_list(rows)) == rows
    assert parse_table("u1\t0\t.25\ta") == [("u1", Interval(0.0, 0.25, "a"))]


def test_lists_of_one_recording_and_of_a_folder():
    assert parse_list("0 1600 h#\n1600 3200 sh", "u1.phn", "u1", 16000) == [
        ("u1", Interval(0.0, 0.1, "h#")),
        ("u1", Interval(0.1, 0.2, "sh")),
    ]
    assert parse_list("u1 0.5 0.75 a", "english.phn", "english", 0) == [("u1", Interval(0.5, 0.75, "a"))]


def test_every_faulty_line_is_named():
    with pytest.raises(InputError) as caught:
        parse_table("utt\tstart\tend\tlabel\nu1\t0.5\t0.2\ta\nu1\tx\t1\tb\nu1\t0\t1\tc", "phones.tsv")
    assert [fault.line for fault in caught.value.faults] == [2, 3]
    assert "phones.tsv:2: ends at 0.2 and starts at 0.5" in str(caught.value)


def test_every_faulty_line_of_a_ctm_file_is_named():
    with pytest.raises(InputError) as caught:
        parse_ctm("u1 1 0.25 dog\n;; a comment\nu1 1 -1 0.5 dog 0.98\nu1 1 0.25 0.5 dog\n", "w.ctm")
    assert [str(fault) for fault in caught.value.faults] == [
        "w.ctm:1: no times here; write file, channel, start, duration and label",
        "w.ctm:3: starts at -1 and lasts 0.5 s; write times of at least 0",
    ]


def test_a_list_of_one_recording_may_be_in_seconds():
    assert parse_list("0 0.1 h#\n0.1 0.25 sh", "u1.phn", "u1", 16000) == [
        ("u1", Interval(0.0, 0.1, "h#")),
        ("u1", Interval(0.1, 0.25, "sh")),
    ]
    assert parse_list("0 1600 h#", "u1.phn", "u1", 0) == []  # samples of a recording that is not there


def test_gold_of_all_three_kinds_reaches_the_utterances(folder):
    (folder / "phones.tsv").write_text("u1\t0\t0.2\ta\nu1\t0.2\t0.5\tb\n")
    (folder / "u2.TextGrid").write_text(LONG)
    speech = read_speech(folder)
    assert [[i.label for i in tier] for tier in speech.phones] == [["a", "b"], ['a "2"', "b"]]
    assert [[i.label for i in tier] for tier in speech.words] == [[], ["ab"]]
    (folder / "phones.tsv").unlink()
    (folder / "all.wrd").write_text("u1 0.0 0.5 dog\n")
    assert [i.label for i in read_speech(folder).words[0]] == ["dog"]


def test_gold_without_sound_is_named(folder):
    (folder / "phones.tsv").write_text("u1\t0\t0.2\ta\nnobody\t0\t1\tb\n")
    with pytest.warns(DataWarning, match="gold without sound, left out: nobody"):
        assert [len(tier) for tier in read_speech(folder).phones] == [1, 0]


def test_without_gold_there_is_none(folder):
    speech = read_speech(folder)
    assert speech.phones is None
    assert speech.words is None
