"""Every rule of the file formats: what is read, what is refused and where, and what is written."""

from __future__ import annotations

import codecs
import io
import re
import sys
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest
from hypothesis import given, settings

from otlab.errors import DataWarning, InputError, condensed
from otlab.ot import from_pandas, read, read_text, to_csv, to_otsoft, to_xlsx
from otlab.ot.io.read import read_bytes, read_with_warnings
from otlab.samples import samples
from tests.ot.strategies import tableaux

OTSOFT = (
    "\t\t\tOnset\tNoCoda\tMax\r\n"
    "\t\t\tOns\tNoC\t\r\n"
    "VC\t.VC.\t3\t1\t1\t\r\n"
    " \t.V.\t\t1\t\t1\r\n"
    "\r\n"
    "CVC\t.CVC.\t0.5\t\t1\r\n"
)


def parsed(text, file="t.txt"):
    return read_bytes(text.encode() if isinstance(text, str) else text, file)


def faults(content, file="t.csv"):
    with pytest.raises(InputError) as caught:
        parsed(content, file)
    return [str(fault) for fault in caught.value.faults]


def places(content):
    with pytest.raises(InputError) as caught:
        parsed(content, "t.csv")
    return [(fault.line, fault.column) for fault in caught.value.faults]


def sheet(rows, before=()):
    """Return a spreadsheet with these rows, on a second sheet if there are rows `before`."""
    book = openpyxl.Workbook()
    book.worksheets[0].title = "Notes" if before else "Sheet"
    if before:
        book.create_sheet("Tableaux")
    for row in before:
        book.worksheets[0].append(row)
    for row in rows:
        book.worksheets[-1].append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def csv(*rows, head="Input,Output,Frequency,A,B"):
    return "\n".join([head, *rows]) + "\n"


# ---- what is read


def test_otsoft_text():
    tableau, warned = parsed(OTSOFT)
    assert tableau.constraints == ("Ons", "NoC", "Max")
    assert tableau.full_names == ("Onset", "NoCoda", "Max")
    assert tableau.inputs == ("VC", "CVC")
    assert tableau.candidates == (".VC.", ".V.", ".CVC.")
    assert tableau.frequencies.tolist() == [3, 0, 0.5]
    assert tableau.violations.tolist() == [[1, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert tableau.name == "t"
    assert warned == ()


def test_otsoft_without_abbreviations():
    tableau, _ = parsed("\t\t\tOnset\tNoCoda\t\t\nVC\t.VC.\t3\t-1\t \n\t.V.\t1\n")
    assert tableau.constraints == ("Onset", "NoCoda")
    assert tableau.violations.tolist() == [[-1, 0], [0, 0]]


def test_second_row_with_a_candidate_and_no_number_is_data():
    tableau, _ = parsed("\t\t\tOnset\tNoCoda\nVC\t.VC.\nVC\t.V.\t1\t1\t\n")
    assert tableau.candidates == (".VC.", ".V.")


def test_second_row_of_numbers_without_candidate_is_abbreviations():
    tableau, _ = parsed("\t\t\tOnset\tNoCoda\n\t\t\t1\t2\nVC\t.VC.\t1\t\t\n")
    assert tableau.constraints == ("1", "2")


def test_maxent_csv_with_repeated_inputs_and_quotes():
    tableau, _ = parsed(
        csv('"a, b",x,1,0,1', '"a, b","say ""x""",2,1,0', head='Input,Output,Frequency,"*R(n,m)",B')
    )
    assert tableau.inputs == ("a, b",)
    assert tableau.candidates == ("x", 'say "x"')
    assert tableau.constraints == ("*R(n,m)", "B")


def test_semicolons_and_a_quoted_line_end():
    tableau, _ = parsed(csv('i;"two\nlines";1;0;1', head="Input;Output;Frequency;A;B"))
    assert tableau.candidates == ("two lines",)


def test_comment_lines():
    text = "# noise: 1\n# bound: 6\n# total: 99\n# title: T\n# source: S\n# note: N\n# whatever\n#\n\n" + csv(
        "i,o,1,0,1"
    )
    tableau, _ = parsed(text + "# trailing remark\n")
    about = (tableau.noise, tableau.bound, tableau.total, tableau.title, tableau.source, tableau.notes)
    assert about == (1.0, 6.0, 99, "T", "S", ("N", "whatever", "trailing remark"))


def test_full_names_from_a_comment_line():
    tableau, _ = parsed("# constraint: A = ALIGN(TE,Word,R)\n" + csv("i,o,1,0,1"))
    assert tableau.full_names == ("ALIGN(TE,Word,R)", "B")


def test_a_word_boundary_is_no_comment():
    tableau, _ = parsed(csv("#ta,ta,1,0,1", ",#ta,2,1,0"))
    assert tableau.inputs == ("#ta",)
    assert tableau.candidates == ("ta", "#ta")


@pytest.mark.parametrize(
    "data",
    [
        OTSOFT.encode(),
        codecs.BOM_UTF8 + OTSOFT.encode(),
        OTSOFT.replace("\r\n", "\n").encode(),
        OTSOFT.replace("\r\n", "\r").encode(),
        OTSOFT.encode("utf-16"),
        codecs.BOM_UTF16_BE + OTSOFT.encode("utf-16-be"),
        OTSOFT.rstrip("\r\n").encode(),
    ],
    ids=["utf-8", "bom", "lf", "cr", "utf-16", "utf-16-be", "no end"],
)
def test_encodings_and_line_ends(data):
    assert read_bytes(data, "t.txt").tableau == parsed(OTSOFT).tableau


def test_windows_1252_where_it_is_no_utf8():
    tableau, _ = read_bytes(csv("mañana,mañanita,1,0,1").encode("cp1252"), "t.csv")
    assert tableau.inputs == ("mañana",)


def test_ipa_in_utf8():
    tableau, _ = parsed(csv("tˈɑ̃ʔɸ,ɐ̯∅,1,0,1"))
    assert tableau.inputs == ("tˈɑ̃ʔɸ",)


@pytest.mark.parametrize(
    ("cell", "n"),
    [
        ("", 0),
        ("2", 2),
        ("2.0", 2),
        ("2.", 2),
        ("*", 1),
        ("***", 3),
        ("*!", 1),
        ("*!*", 2),
        ("-1", -1),
        ("−1", -1),
        (" 1 ", 1),
        ("+3", 3),
    ],
)
def test_ways_to_write_violations(cell, n):
    assert parsed(csv(f"i,o,1,{cell},1", "i,p,1,9,9")).tableau.violations[0, 0] == n


def test_asterisks_in_the_first_row_below_otsofts_header():
    tableau, _ = parsed("\t\t\tOnset\tNoCoda\nVC\t.VC.\t1\t*\t**\n")
    assert tableau.violations.tolist() == [[1, 2]]


@pytest.mark.parametrize(
    ("cell", "frequency"), [("", 0), ("12", 12), (".5", 0.5), ("1e2", 100), ("0.77", 0.77)]
)
def test_ways_to_write_frequencies(cell, frequency):
    assert parsed(csv(f"i,o,{cell},1,1")).tableau.frequencies[0] == frequency


def test_short_rows_are_padded():
    assert parsed(csv("i,o", "i,p,1,1")).tableau.violations.tolist() == [[0, 0], [1, 0]]


def test_a_candidate_given_twice_adds_its_frequencies():
    tableau, warned = parsed(csv("i,o,1,0,1", "i,p,5,1,1", "i,o,2.5,0,1"))
    assert tableau.candidates == ("o", "p")
    assert tableau.frequencies.tolist() == [3.5, 5]
    assert warned == ()


def test_an_input_in_two_blocks_is_merged_with_a_warning():
    tableau, (warning,) = parsed(csv("i,o,1,0,1", "j,o,1,0,1", "i,p,1,1,1"), "t.csv")
    assert tableau.inputs == ("i", "j")
    assert tableau.candidates == ("o", "p", "o")
    assert str(warning).startswith("t.csv:4:1: the input 'i'")


def test_a_row_longer_than_the_header_warns():
    tableau, (warning,) = parsed(csv("i,o,1,0,1,7,8", "i,p,1,1,1,,,"), "t.csv")
    assert tableau.n_constraints == 2
    assert str(warning).startswith("t.csv:2:11: the row is longer than the header: '7'")


def test_candidates_with_equal_violations_warn():
    _, (warning,) = parsed(csv("i,o,1,0,1", "i,p,1,0,1"), "t.csv")
    assert str(warning).startswith(
        "t.csv:3:3: 'p' and 'o' of 'i' have identical violation profiles; they split their"
    )


def test_warnings_are_issued_by_read(tmp_path):
    path = tmp_path / "twins.csv"
    path.write_text(csv("i,o,1,0,1", "i,p,1,0,1"), encoding="utf-8")
    with pytest.warns(DataWarning, match="identical violation profiles"):
        read(path)
    assert len(read_with_warnings(path).warnings) == 1


def test_all_zero_frequencies_are_kept():
    tableau, _ = parsed(csv("i,o,0,0,1", "i,p,,1,1", "j,o,1,0,0"))
    assert np.isnan(tableau.observed()[:2]).all()


def test_pasted_from_a_spreadsheet():
    tableau = read_text("\t\t\t*Complex\tMax\nstap\tstap\t3\t*\t\n\tsap\t1\t\t*!")
    assert tableau.violations.tolist() == [[1, 0], [0, 1]]
    assert tableau.name == "pasted text"


def test_a_bare_quote_in_tabbed_text_is_stress():
    tableau, _ = parsed('\t\t\tA\n"pata\t"pa.ta\t1\t1\n\t"x ""y"""\t1\t0\n')
    assert tableau.inputs == ('"pata',)
    assert tableau.candidates == ('"pa.ta', 'x "y"')


def test_spreadsheet_cells():
    rows = [
        ["# noise: 1"],
        [None, None, None, "Onset", "NoCoda"],
        [None, None, None, "Ons", None],
        ["VC", ".VC.", 3.0, 1.0, "**"],
        [None, ".V.", 0.5, None, 2],
        [None],
        [7, 8, None, None, None],
    ]
    tableau, warned = read_bytes(sheet(rows), "t.xlsx")
    assert tableau.constraints == ("Ons", "NoCoda")
    assert tableau.inputs == ("VC", "7")
    assert tableau.candidates == (".VC.", ".V.", "8")
    assert tableau.violations.tolist() == [[1, 2], [0, 2], [0, 0]]
    assert tableau.noise == 1.0
    assert warned == ()


NOTES = [["Data of 2024"], ["ask Ann about the codas"]]


def test_a_tableau_on_the_second_sheet_is_read_with_a_warning():
    rows = [["Input", "Output", "Frequency", "A"], ["i", "o", 1, 1]]
    tableau, (warning,) = read_bytes(sheet(rows, before=NOTES), "t.xlsx")
    assert tableau.constraints == ("A",)
    assert str(warning) == "t.xlsx: the first sheet, 'Notes', holds no tableau; 'Tableaux' was read"


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
        (b"Constraint,Mu,Sigma\nOns,0,1\n", "holds a mean and a standard deviation for each constraint"),
        (b"\x1f\x8b\x08\0", "is a compressed file, not a tableau; unpack it first"),
        (b"\x89PNG\r\n", "is a picture, not a tableau; load a table"),
    ],
    ids=["pairs", "binary", "sound", "a priori", "bias", "bias head", "gz", "png"],
)
def test_files_of_another_kind_are_refused_in_one_sentence(data, message):
    (fault,) = faults(data)
    assert fault.startswith(f"t.csv: {message}")


def test_the_content_decides_the_format():
    rows = [["Input", "Output", "Frequency", "A"], ["i", "o", 1, 1]]
    assert read_bytes(sheet(rows), "misnamed.csv").tableau.constraints == ("A",)
    assert parsed("\t\t\tA\ni\to\t1\t1\n", "misnamed.csv").tableau.constraints == ("A",)
    assert parsed(",,,A\ni,o,1,1\n", "grid.csv").tableau.constraints == ("A",)


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": io.BytesIO(csv("i,o,1,0,1").encode())}))
    assert read("-").inputs == ("i",)


def test_names_of_samples_and_files(tmp_path, monkeypatch):
    assert read("ilokano").name == "ilokano_reduplication"
    monkeypatch.chdir(tmp_path)
    Path("ilokano").write_text(csv("mine,o,1,0,1"), encoding="utf-8")
    assert read("ilokano").inputs == ("mine",)
    with pytest.raises(InputError, match="no file or sample is called 'ilocano'"):
        read("ilocano")
    with pytest.raises(InputError, match=r"nowhere\.csv: cannot be read: No such file"):
        read("nowhere.csv")
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path)


# ---- what is refused


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
    "cell", ["-0.5", "1,5", "x", "nan", "inf", "Infinity", "1e400", "0x1", "1_0", "50%", "*"]
)
def test_cells_that_are_no_frequencies(cell):
    assert places(csv(f'i,o,"{cell}",1,1')) == [(2, 5)]


def test_a_decimal_comma_is_understood_but_not_guessed():
    assert faults(csv('i,o,"1,5",1,1'))[0].endswith("decimal comma in 1,5; write 1.5")
    assert faults(csv('i,o,1,"1,5",1'))[0].endswith("violations are whole numbers, found '1,5'; write 1 or 2")
    assert faults(csv("i,o,1,-0.5,1"))[0].endswith("write -1 or 0")


def test_numbers_out_of_range():
    assert "stay within 2,147,483,647" in faults(csv(f"i,o,1,{10**30},1"))[0]
    assert "stay within 2,147,483,647" in faults(csv(f"i,o,1,{'9' * 5000},1"))[0]
    assert "not a frequency" in faults(csv("i,o,1e300,1,1"))[0]


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


def test_columns_in_another_order():
    (fault,) = faults(csv("i,o,1,0", head="Input,Output,C1,Frequency"))
    assert fault.startswith("t.csv:1:14: the third column is 'C1', not the frequency")


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
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "t.csv: is a spreadsheet of the old .xls kind"),
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


def test_names_are_quoted_as_written_in_the_file():
    _, (warning,) = parsed("\t\t\tA\nk\\a'.loi\tx\\e`\t1\t0\n\ty\t1\t0\n")
    assert warning.what.startswith("'y' and 'x\\e`' of 'k\\a'.loi' have")


@pytest.mark.parametrize(
    ("typed", "read_as"),
    [
        (r"k\a'.loi.den", "ká.loi.den"),
        (r"\a'.vant.gar.d\i`s", "á.vant.gar.dìs"),
        (r'\c,\o^\u"\n~', "çôüñ"),
        (r"a\b", r"a\b"),
        (r"\va", r"\va"),
        ("don't", "don't"),
    ],
)
def test_backslash_accents_are_read_only_where_asked_for(typed, read_as, tmp_path):
    path = tmp_path / "t.txt"
    path.write_text(f"\t\t\tA\nx\t{typed}\t1\t0\n\ty\t1\t1\n", encoding="utf-8")
    assert read(path).candidates[0] == typed
    assert read(path, accents=True).candidates[0] == read_as


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


# ---- write, then read


@pytest.mark.parametrize("sample", samples("ot"), ids=lambda sample: sample.name)
def test_samples_come_back_from_every_format(sample, tmp_path):
    with warnings.catch_warnings(action="ignore", category=DataWarning):
        _check_round_trips(read(sample.path), tmp_path)


@settings(max_examples=25)
@given(tableaux(plain=False))
def test_write_then_read_is_identity(tableau):
    with (
        tempfile.TemporaryDirectory() as folder,
        warnings.catch_warnings(action="ignore", category=DataWarning),
    ):
        _check_round_trips(tableau, Path(folder))


def _check_round_trips(tableau, folder):
    to_csv(tableau, folder / "t.csv")
    to_otsoft(tableau, folder / "t.txt")
    to_xlsx(tableau, folder / "t.xlsx")
    bare = replace(tableau, title="", source="", notes=(), noise=None, bound=None, total=None)
    assert read(folder / "t.csv") == tableau
    assert read(folder / "t.xlsx") == tableau
    assert read(folder / "t.txt") == bare
    assert read_text(to_csv(tableau)) == tableau
    named = replace(bare, full_names=tableau.constraints)
    assert from_pandas(tableau.to_pandas()) == named


def test_otsoft_text_as_the_program_writes_it():
    tableau, _ = parsed(OTSOFT)
    assert to_otsoft(tableau) == (
        "\t\t\tOnset\tNoCoda\tMax\n\t\t\tOns\tNoC\tMax\n"
        "VC\t.VC.\t3\t1\t1\t\n\t.V.\t\t1\t\t1\nCVC\t.CVC.\t0.5\t\t1\t\n"
    )


def test_csv_as_the_samples_are_written():
    text = (
        "# title: T\n# total: 99\n# noise: 1\n# bound: 6\n# source: S\n# note: N\n# constraint: C1 = First\n"
        "Input,Output,Frequency,C1,C2\nx,y1,77,0,1\nx,y2,0.5,1,0\n"
    )
    assert to_csv(read_text(text)) == text
