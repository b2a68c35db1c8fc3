"""Counts by speaker and item: read from tables, kept by edits and documents, written back."""

from __future__ import annotations

import csv
import io
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from otlab.errors import InputError
from otlab.ot import from_pandas, read, read_text, to_csv, to_maxent_ot, to_xlsx
from otlab.ot.groups import Groups, counted_lines
from otlab.ui.ot import cells
from otlab.ui.ot.document import with_rows_in_order

COUNTED = """Speaker,Item,Input,Output,Count,*CC,Max
Ben,west,st,st,3,1,0
Ben,west,st,s,1,0,1
Ana,best,st,st,0,1,0
Ana,best,st,s,4,0,1
Ana,mist,st,st,2,1,0
Ana,mist,st,s,,0,1
"""
TOKENS = """participant,word,UR,SR,*CC,Max
s10,west,st,st,1,0
s9,west,st,s,0,1
s10,west,st,st,1,0
"""


def test_counts_are_kept_by_speaker_and_item_and_summed():
    tableau = read_text(COUNTED)
    assert tableau.candidates == ("st", "s")
    assert tableau.frequencies.tolist() == [5, 5]
    assert tableau.groups.speakers == ("Ana", "Ben")
    assert tableau.groups.items == ("best", "mist", "west")
    lines = {tuple(line) for line in counted_lines(tableau.frequencies, tableau.groups)}
    assert (0, "Ben", "west", 3.0) in lines
    assert (1, "Ana", "mist", 0.0) in lines
    assert len(lines) == 6
    assert repr(tableau.groups) == "<Groups: 2 speakers, 3 items, 10 tokens>"


def test_a_row_a_token_and_synonyms():
    tableau = read_text(TOKENS)
    assert tableau.frequencies.tolist() == [2, 1]
    assert tableau.groups.speakers == ("s9", "s10")
    assert tableau.constraints == ("*CC", "Max")


def test_n_after_the_names_is_a_count_and_elsewhere_a_constraint():
    named = read_text(COUNTED.replace("Count", "n"))
    assert named == read_text(COUNTED)
    assert read_text(TOKENS.replace("*CC,Max", "*CC,n")).constraints == ("*CC", "n")


def test_no_warning_for_an_input_of_several_speakers():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_text(COUNTED)


def test_speakers_alone_and_a_candidate_that_nobody_said():
    tableau = read_text("Input,Output,Speaker,Frequency,C\nx,a,1,2,1\nx,b,,,0\nx,a,2,1,1\n")
    assert tableau.groups.items == ()
    assert tableau.groups.speakers == ("1", "2")
    assert tableau.frequencies.tolist() == [3, 0]
    assert read_text(to_csv(tableau)) == tableau


def test_tokens_of_nobody_are_a_fault():
    with pytest.raises(InputError) as raised:
        read_text("Speaker,Input,Output,Frequency,C\nA,x,a,2,1\n,x,b,1,0\n")
    assert "has a count and no speaker" in str(raised.value)


def test_a_constraint_may_still_be_called_word():
    tableau = read_text("Input,Output,Frequency,Word,C\nx,a,2,1,0\nx,b,1,0,1\n")
    assert tableau.constraints == ("Word", "C")
    assert tableau.groups is None


def test_files_without_speakers_have_no_groups():
    for name in ("ilokano", "spanish", "overt_stress"):
        assert read(name).groups is None


def test_writing_back_loses_nothing(tmp_path):
    for text in (COUNTED, TOKENS):
        tableau = read_text(text)
        assert read_text(to_csv(tableau)) == tableau
        to_xlsx(tableau, tmp_path / "t.xlsx")
        assert read(tmp_path / "t.xlsx") == tableau
        assert from_pandas(tableau.to_pandas()) == tableau
    header, *rows = csv.reader(io.StringIO(to_csv(read_text(COUNTED))))
    assert header == ["Input", "Output", "Speaker", "Item", "Frequency", "*CC", "Max"]
    assert len(rows) == 6
    assert to_maxent_ot(read_text(COUNTED)).splitlines()[1:] == ["st,st,5,1,0", "st,s,5,0,1"]


def test_a_frame_of_tokens():
    frame = pd.DataFrame({"Speaker": [1, 1, 2], "Input": "x", "Output": ["a", "b", "a"], "C": [0, 1, 0]})
    tableau = from_pandas(frame)
    assert tableau.frequencies.tolist() == [2, 1]
    assert tableau.groups.speakers == ("1", "2")


def test_edits_keep_the_counts_with_their_rows():
    tableau = read_text(COUNTED + "Ana,lost,ld,ld,2,1,0\nAna,lost,ld,l,1,0,1\n")
    assert tableau.add_candidate("st", "t").groups.sums(5).tolist() == [5, 5, 0, 2, 1]
    assert tableau.remove_row(0).groups.sums(3).tolist() == [5, 2, 1]
    assert tableau.remove_input("st").groups.items == ("lost",)
    assert with_rows_in_order(tableau, [1, 0, 2, 3]).groups.sums(4).tolist() == [5, 5, 2, 1]
    with pytest.raises(InputError, match="sum over speakers"):
        tableau.with_frequency(0, 7)
    edited, message = cells.typed(tableau, 0, "count", "7")
    assert edited == tableau
    assert "sum over speakers" in message


def test_counts_that_do_not_add_up_are_refused():
    tableau = read_text(COUNTED)
    with pytest.raises(InputError, match="do not add up"):
        replace(tableau, frequencies=np.array([1.0, 2.0]))
    with pytest.raises(InputError, match="do not fit their names"):
        Groups(("a",), (), np.array([1]), np.array([0]), np.array([0]), np.array([1.0]))


def test_other_learners_see_the_sum():
    with_speakers = read_text(COUNTED)
    assert with_speakers.counts().tolist() == replace(with_speakers, groups=None).counts().tolist() == [5, 5]


def test_thousands_of_tokens():
    rng = np.random.default_rng(1)
    rows = [f"s{rng.integers(400)},w{rng.integers(12)},x{n % 9},{'ab'[n % 2]},{n % 2},1" for n in range(6000)]
    text = "Speaker,Item,Input,Output,C,D\n" + "\n".join(rows)
    tableau = read_text(text)
    assert tableau.frequencies.sum() == 6000
    assert len(tableau.groups.speakers) == 400
    assert tableau.n_rows == 18


def test_groups_equal_nothing_else():
    groups = read_text(COUNTED).groups
    assert groups == read_text(COUNTED).groups
    assert groups != "speakers"
