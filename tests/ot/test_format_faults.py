"""Faults of files of tableaux: what is refused, in which words, and at which place."""

from __future__ import annotations

import codecs
import re

import pandas as pd
import pytest

from otlab.errors import DataWarning, InputError, condensed
from otlab.ot import from_pandas, read
from otlab.ot.io.read import read_bytes
from tests.ot.tables import NOTES, csv, faults, parsed, places, sheet


def test_faults_of_the_second_sheet_name_it():
    rows = [["Input", "Output", "Frequency", "A"], ["i", "o", 1, 0.5]]
    assert faults(sheet(rows, before=NOTES), "t.xlsx")[0].startswith("t.xlsx: cell D2 of sheet 'Tableaux': ")


def test_a_first_sheet_with_a_fault_is_not_passed_over():
    rows = [["Input", "Output", "Frequency", "A"], ["i", "o", 1, 1]]
    assert "found '0.5'" in faults(sheet(rows, before=[rows[0], ["i", "o", 1, 0.5]]), "t.xlsx")[0]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b'File type = "ooTextFile"\nObject class = "PairDistribution"\n\npairs: size = 1\n',
            "holds pairs and their weights (a Praat PairDistribution), and no violations; open its OTGrammar",
        ),
        (
            b"ooBinaryFile\x0bOTGrammar 2",
            "is a binary file of Praat; save it in Praat with 'Save as text file",
        ),
        (b'File type = "ooTextFile"\nObject class = "Sound 2"\n', "is a Praat Sound file, not a tableau"),
        (b"\tOns\tNoC\tMax\nOns\t\tx\t\nNoC\t\t\t\nMax\t\t\t\n", "holds a priori rankings"),
        (b"Ons\t0\t1\nNoC\t3.5\t1\n", "holds a mean and a standard deviation for each constraint"),
        (b"Ons;0,5;1,25\nNoC;3,5;1\n", "holds a mean and a standard deviation for each constraint"),
        (b"Constraint,Mu,Sigma\nOns,0,1\n", "holds a mean and a standard deviation for each constraint"),
        (b"\x1f\x8b\x08\0", "is a compressed file, not a tableau; unpack it first"),
        (b"\x89PNG\r\n", "is a picture, not a tableau; load a table"),
        (b"PK\x03\x04...word/document.xml", "is a Word document, not a tableau; load a table"),
        (b"\n<!DOCTYPE html><html>", "is a web page, not a tableau; load a table"),
    ],
    ids=["pairs", "binary", "sound", "a priori", "bias", "bias;", "bias head", "gz", "png", "docx", "html"],
)
def test_files_of_another_kind_are_refused_in_one_sentence(data, message):
    (fault,) = faults(data)
    assert fault.startswith(f"t.csv: {message}")


def test_all_faults_come_at_once_in_the_order_of_the_file():
    text = csv(",o,1,0,1", "i,o,-1,0,x", "i,,1,0.5,1", "i,p,inf,0,1", head="Input,Output,Frequency,A,A")
    assert faults("# noise: loud\n" + text) == [
        "t.csv:1:1: the noise 'loud' is not a number above 0; write '# noise: 1' or leave the line out",
        "t.csv:2:26: there are two constraints 'A'; rename or remove one",
        "t.csv:3:1: the first candidate has no input; write the input in the first column",
        "t.csv:4:5: '-1' is not a frequency; write a count or a decimal number of at least 0,"
        " or leave it empty for 0",
        "t.csv:4:10: violations are whole numbers, found 'x'; "
        "write how many violations there are, as 2 or **, or leave it empty for 0",
        "t.csv:5:3: the row has no candidate in column 2; write it there, as ∅ if it is silent",
        "t.csv:5:6: violations are whole numbers, found '0.5'; write 0 or 1",
        "t.csv:6:5: 'inf' is not a frequency; write a count or a decimal number of at least 0,"
        " or leave it empty for 0",
    ]


@pytest.mark.parametrize(
    "cell", ["0.5", "1,5", "x", "nan", "inf", "-inf", "1e3", "0x1", "1_0", "٣", "*2", "--1"]
)
def test_cells_that_are_no_violations(cell):
    assert places(csv(f'i,o,1,"{cell}",1')) == [(2, 7)]


@pytest.mark.parametrize(
    "cell", ["-0.5", "1,040", "1,5,2", "x", "nan", "inf", "Infinity", "1e400", "0x1", "1_0", "*"]
)
def test_cells_that_are_no_frequencies(cell):
    assert places(csv(f'i,o,"{cell}",1,1')) == [(2, 5)]


def test_a_comma_that_may_mean_two_things_is_told_once_for_the_whole_file():
    (one,) = faults(csv('i,o,"1,040",1,1', "i,p,3,0,1"))
    assert one == "t.csv:2:5: 1,040 may mean 1040 or 1.040; write 1040, or 1.040 for a decimal"
    many = "".join(f"i;o{n};{n},250;1;1\n" for n in range(1, 9))
    (fault,) = faults(f"Input;Output;Frequency;A;B\n{many}")
    assert fault.startswith("t.csv:2:6: 8 frequencies such as 1,250 may mean 1250 or 1.250; write 1250, or")
    (mixed,) = faults("\t\t\tA\ni\to\t0,5\t1\n\tp\t1.250\t0\n")
    assert mixed.startswith("t.csv:3:4: 1.250 may mean 1250 or a decimal, beside decimal commas as in 0,5;")


def test_decimal_commas_between_cells_that_are_separated_by_commas_are_told_once():
    (fault,) = faults(csv("i,o,0,5,1,0", "i,p,1,0,1", "i,q,12,25,0,0"))
    assert fault == (
        "t.csv:2:5: 2 of 3 rows have one number too many; if 0,5 is one number, write 0.5"
        " or separate the cells by semicolons or tabs"
    )


def test_a_decimal_comma_makes_no_whole_number():
    assert faults(csv('i,o,1,"1,5",1'))[0].endswith("violations are whole numbers, found '1,5'; write 1 or 2")
    assert faults(csv("i,o,1,-0.5,1"))[0].endswith("write -1 or 0")


def test_numbers_out_of_range():
    assert "stay within 2,147,483,647" in faults(csv(f"i,o,1,{10**30},1"))[0]
    assert "stay within 2,147,483,647" in faults(csv(f"i,o,1,{'9' * 5000},1"))[0]
    assert "not a frequency; stay within 1,000,000,000,000,000" in faults(csv("i,o,1e300,1,1"))[0]


def test_a_third_column_that_is_no_frequency_is_refused():
    (fault,) = faults(csv("i,o,1,0", head="Input,Output,C1,C2"))
    assert fault.startswith("t.csv:1:14: the third column is 'C1', not the frequency")


def test_percents_beside_other_numbers_are_refused_once():
    (fault,) = faults(csv("i,o,27%,1,1", "i,p,73,0,1", "i,q,3,0,0"))
    assert fault.startswith("t.csv:3:5: 73 is no percent, unlike 27%; write % after all frequencies or after")


def test_a_misspelt_number_in_the_first_row_is_not_taken_for_a_name():
    assert faults("\t\t\tOnset\tNoCoda\nVC\t.VC.\t1\tl\t0\n", "t.txt") == [
        "t.txt:2:11: violations are whole numbers, found 'l'; "
        "write how many violations there are, as 2 or **, or leave it empty for 0"
    ]


def test_same_candidate_other_violations():
    (fault,) = faults(csv("i,o,1,0,1", "i,o,1,1,1"))
    assert fault.startswith("t.csv:3:3: the candidate 'o' has other violations than in line 2")


def test_an_open_quote_is_reported_at_its_first_line_with_the_rest():
    messages = faults(csv("i,o,1,0,1", 'i,"p,1,1,0', "i,q,1,x,0"))
    assert messages[0].startswith("t.csv:3:3: the quote is not closed; close it")
    assert any("found 'x'" in fault and fault.startswith("t.csv:4:7: ") for fault in messages)


def test_a_nameless_constraint_between_others():
    assert faults(csv("i,o,1,0,1,2", head="Input,Output,Frequency,A,,B"))[0].startswith(
        "t.csv:1:26: constraint 2 has no name"
    )


def test_no_header():
    assert "not names of constraints" in faults("i,o,1,0,1\ni,p,2,1,0\n")[0]
    assert "names no constraint" in faults("Input,Output,Frequency\ni,o,1\n")[0]
    assert "names no constraint" in faults("just some words\n")[0]


def test_header_alone():
    assert faults(csv())[0].startswith("t.csv:1:1: the header is followed by no candidates")
    assert faults("# title: x\n") == ["t.csv: holds no tableau; write a header and rows"]


@pytest.mark.parametrize(
    "line", ["noise: 0", "noise: -1", "noise: nan", "bound: x", "bound:", "total: 0", "total: 1.5"]
)
def test_settings_that_cannot_be(line):
    assert places(f"# {line}\n" + csv("i,o,1,0,1")) == [(1, 1)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "t.csv: is empty"),
        (b" \r\n\t\n", "t.csv: is empty"),
        (codecs.BOM_UTF8, "t.csv: is empty"),
        (b"# a\nInput,Output,Frequency,A\nx,\0y,1,1\n", "t.csv:3:3: holds a NUL byte"),
        (b"Input,Output\0,Frequency,A\n", "t.csv:1:13: holds a NUL byte"),
        (b"Input,Output,Frequency,A\n\x81,o,1,1\n", "t.csv: is neither UTF-8 nor Windows-1252"),
        ("Input,Output,Frequency,A\nñ,ñ".encode()[:-1], "t.csv: ends inside a character: it is cut off"),
        (codecs.BOM_UTF16_LE + b"a\0b", "t.csv: ends inside a character: it is cut off"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1",
            "t.csv: is a document of the old .xls or .doc kind, not a tableau; save a spreadsheet as .xlsx",
        ),
        (b"PK\x03\x04 and nothing else", "t.csv: is cut off or no spreadsheet"),
        (sheet([["Input", "Output", "Frequency", "A"]])[:2000], "t.csv: is cut off or no spreadsheet"),
        (sheet([]), "t.csv: holds no tableau"),
    ],
)
def test_files_that_are_no_tableaux(data, message):
    (fault,) = faults(data)
    assert fault.startswith(message)


def test_equal_faults_are_reported_together():
    rows = [f"i,o{n},1,{n}.5,0" for n in range(3497)]
    with pytest.raises(InputError) as caught:
        parsed(csv(*rows, "i,p,-1,0,0"), "t.csv")
    assert len(caught.value.faults) == 3498
    assert [str(fault) for fault in condensed(caught.value.faults)] == [
        "t.csv:2:8: 3,497 cells are not whole numbers, first in line 2:"
        " violations are whole numbers, found '0.5'; write 0 or 1",
        "t.csv:3499:5: '-1' is not a frequency; write a count or a decimal number of at least 0,"
        " or leave it empty for 0",
    ]


def test_equal_faults_of_a_spreadsheet_name_the_first_cell():
    rows = [["Input", "Output", "Frequency", "A"], *(["i", f"o{n}", 1, 0.5] for n in range(7))]
    with pytest.raises(InputError) as caught:
        read_bytes(sheet(rows), "t.xlsx")
    (fault,) = condensed(caught.value.faults)
    assert str(fault).startswith("t.xlsx: 7 cells are not whole numbers, first in cell D2: ")


def test_warnings_of_one_kind_are_reported_together(tmp_path):
    path = tmp_path / "twins.csv"
    path.write_text(csv(*(f"i,o{n},1,0,1" for n in range(62))), encoding="utf-8")
    with pytest.warns(DataWarning, match="61 candidates have the violation profile of another") as caught:
        read(path)
    assert len(caught) == 1
    assert str(caught[0].message).count("they split their probability") == 1


def test_names_are_quoted_as_written_in_the_file():
    _, (warning,) = parsed("\t\t\tA\nk\\a'.loi\tx\\e`\t1\t0\n\ty\t1\t0\n")
    assert warning.what.startswith("'y' and 'x\\e`' of 'k\\a'.loi' have")


def test_accents_that_would_make_two_names_one_are_refused(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("\t\t\tA\nx\t\\a'\t1\t0\n\tá\t1\t1\n", encoding="utf-8")
    with pytest.raises(InputError, match="'á' appears twice"):
        read(path, accents=True)


def test_a_table_of_something_else_is_refused_in_one_sentence():
    text = "name,city,born,hobby\n" + "Ann,Bonn,June,chess\n" * 20
    assert faults(text) == [
        "t.csv:2: this is not a tableau: 20 of 20 rows have no candidate, or words for numbers;"
        " each row holds an input, a candidate, a frequency and one number per constraint"
    ]


def test_a_letter_is_refused_in_one_sentence():
    text = "Dear all,\n\nenclosed, as promised, are the\nnotes of Friday.\n\nYours,\nA. B.\n"
    assert [fault.partition(";")[0] for fault in faults(text)] == [
        "t.csv:3: this is not a tableau: 4 of 4 rows have no candidate, or words for numbers"
    ]


def test_a_zip_that_is_no_spreadsheet(tmp_path):
    import zipfile

    path = tmp_path / "t.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme", "hello")
    assert faults(path.read_bytes()) == [
        "t.csv: is cut off or no spreadsheet; open it in a spreadsheet program and save it as .xlsx"
    ]


def test_faults_of_a_spreadsheet_name_the_cell():
    import datetime

    data = sheet(
        [
            ["Input", "Output", "Frequency", "A"],
            ["i", datetime.date(2026, 2, 1), 1, 0.5],
            ["i", "o", -1, "=1+1"],
        ]
    )
    messages = faults(data, "t.xlsx")
    assert {re.match(r"t\.xlsx: cell (\w+):", fault).group(1) for fault in messages} == {
        "B2",
        "D2",
        "C3",
        "D3",
    }
    assert any("is a date" in fault for fault in messages)
    assert any("the formula =1+1 has no value" in fault for fault in messages)


def test_faults_of_a_frame_name_row_and_column():
    frame = pd.DataFrame({"Input": ["i", None], "Output": ["o", "p"], "Frequency": [1, -2.0], "A": [0.5, 1]})
    with pytest.raises(InputError) as caught:
        from_pandas(frame, "mine")
    assert {str(fault).partition(";")[0] for fault in caught.value.faults} == {
        "mine: row 1, column 'A': violations are whole numbers, found '0.5'",
        "mine: row 2, column 'Frequency': '-2' is not a frequency",
    }
