"""Every rule of the file formats: what is read, and what is written."""

from __future__ import annotations

import codecs
import io
import sys
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from otlab.errors import DataWarning, InputError
from otlab.ot import Tableau, from_pandas, read, read_bias, read_text, to_csv, to_otsoft, to_xlsx
from otlab.ot.io.bias import write_bias
from otlab.ot.io.heads import RESULTS, head_name
from otlab.ot.io.read import format_name, read_bytes, read_with_warnings
from otlab.samples import samples
from tests.ot.strategies import tableaux
from tests.ot.tables import NOTES, OTSOFT, csv, parsed, sheet


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
    tableau, _ = parsed("\t\t\tOnset\tNoCoda\t\t\nVC\t.VC.\t3\t2\t \n\t.V.\t1\n")
    assert tableau.constraints == ("Onset", "NoCoda")
    assert tableau.violations.tolist() == [[2, 0], [0, 0]]


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
    tableau, (warning,) = read_bytes(csv("mañana,mañanita,1,0,1").encode("cp1252"), "t.csv")
    assert tableau.inputs == ("mañana",)
    assert str(warning).startswith(
        "t.csv: not UTF-8, read as Windows-1252 (Latin-1); if its letters are wrong"
    )


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


@pytest.mark.parametrize(
    ("separator", "file"), [(";", "t.csv"), ("\t", "t.txt"), (";", "t.txt")], ids=["csv", "tabs", "text"]
)
def test_decimal_commas_as_european_spreadsheets_write_them(separator, file):
    """Three decimals are read as such beside a number that can be nothing else."""
    rows = ["Input;Output;Frequency;Max;Dep", "pa;pa;0,5;1,0;", ";ba;33,333;0;2", ";a;12;0;*"]
    rows.append("ta;ta;1 040,5;0;1")
    tableau, warned = parsed("\r\n".join(rows).replace(";", separator), file)
    assert tableau.frequencies.tolist() == [0.5, 33.333, 12, 1040.5]
    assert tableau.violations.tolist() == [[1, 0], [0, 2], [0, 1], [0, 1]]
    assert warned == ()


def test_a_quoted_decimal_comma_between_commas_is_read():
    assert parsed(csv('i,o,"0,5",1,1'), "t.csv").tableau.frequencies.tolist() == [0.5]


def test_a_bias_file_may_have_decimal_commas(tmp_path):
    path = tmp_path / "bias.txt"
    path.write_text("Onset\t0,5\t1,25\nMax\t-2\t.5\n", encoding="utf-8")
    assert read_bias(path) == {"Onset": (0.5, 1.25), "Max": (-2, 0.5)}


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


def test_a_tableau_on_the_second_sheet_is_read_with_a_warning():
    rows = [["Input", "Output", "Frequency", "A"], ["i", "o", 1, 1]]
    tableau, (warning,) = read_bytes(sheet(rows, before=NOTES), "t.xlsx")
    assert tableau.constraints == ("A",)
    assert str(warning) == "t.xlsx: the first sheet, 'Notes', holds no tableau; 'Tableaux' was read"


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
    about = {"title": "", "source": "", "notes": (), "noise": None, "bound": None, "total": None}
    bare = replace(tableau, **about, formulas=None)  # OTSoft and frames have no place for these
    assert read(folder / "t.csv") == tableau
    assert read(folder / "t.xlsx") == tableau
    assert read(folder / "t.txt") == replace(bare, overt=(), groups=None)
    assert read_text(to_csv(tableau)) == tableau
    named = replace(bare, full_names=tableau.constraints)
    if not RESULTS & {head_name(name) for name in tableau.constraints}:  # which no line of a frame can name
        assert from_pandas(tableau.to_pandas()) == named


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_a_constraint_may_be_called_as_a_column_of_results_is(name, tmp_path):
    rows = [("x", "y", 3, (1, 0)), ("x", "z", 1, (0, 2))]
    _check_round_trips(Tableau.from_rows(rows, [name.title(), "Max"]), tmp_path)


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


def test_means_and_sds_are_written_as_maxent_ot_has_them(tmp_path):
    bias = {"*Coda": (0.0, 1.0), "Max, V": (-2.0, 0.5)}
    text = write_bias(bias, "maxent.ot")
    assert text == 'Constraint,Mu,Sigma\n*Coda,0,1\n"Max, V",-2,0.5\n'
    (tmp_path / "bias.csv").write_text(text, encoding="utf-8")
    assert read_bias(tmp_path / "bias.csv") == bias


def test_standard_input_counts_as_a_table():
    assert [format_name(name) for name in ("-", "spanish")] == ["csv", "csv"]


@pytest.mark.parametrize("full", ["N", "Source", "H", "Comment"])
def test_a_constraint_with_the_name_of_another_column_stays_one(full, tmp_path):
    rows = [("x", "a", 3, [0]), ("x", "b", 0, [0])]
    tableau = replace(Tableau.from_rows(rows, ["C"]), full_names=(full,))
    to_xlsx(tableau, tmp_path / "t.xlsx")
    to_otsoft(tableau, tmp_path / "t.txt")
    with warnings.catch_warnings(action="ignore", category=DataWarning):
        assert read(tmp_path / "t.xlsx") == read(tmp_path / "t.txt") == tableau
