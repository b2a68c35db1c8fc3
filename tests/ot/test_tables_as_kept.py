"""Tables as people keep them, in which something could be read wrongly without a word."""

from __future__ import annotations

import io

import openpyxl
import pytest

from tests.ot.tables import csv, faults, parsed, sheet

HEAD = ["Input", "Output", "Frequency", "A", "B"]
ROWS = [["i", "o", 3, 1, 0], ["", "p", 1, 0, 1], ["j", "q", 5, 0, 0], ["", "r", 2, 1, 1]]


def said(reading):
    return [str(warning) for warning in reading.warnings]


# ---- merged cells


def merged(*blocks, table=(HEAD, *ROWS)):
    """Return a spreadsheet in which blocks of cells are merged."""
    book = openpyxl.Workbook()
    for row in table:
        book.active.append(row)
    for block in blocks:
        book.active.merge_cells(block)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


@pytest.mark.parametrize("block", ["C2:C3", "D2:D3", "D2:E2", "C4:E5"])
def test_merged_numbers_are_refused(block):
    (fault,) = faults(merged(block), "t.xlsx")
    first = block.partition(":")[0]
    assert fault.startswith(f"t.xlsx: cell {first}: the cells {block} are merged")


def test_merged_names_titles_and_remarks_are_read():
    table = [["Title"], [*HEAD, "Comment"], *([*row, 7] for row in ROWS)]
    reading = parsed(merged("A1:F1", "A3:A4", "A5:A6", "F3:F4", table=table), "t.xlsx")
    assert reading.tableau.candidates == ("o", "p", "q", "r")
    assert reading.tableau.inputs == ("i", "j")
    assert reading.tableau.frequencies.tolist() == [3, 1, 5, 2]


# ---- a header that is shorter than its rows


def test_violations_without_a_name_are_refused():
    head = "Input\tOutput\tFrequency\tA"
    (fault,) = faults(csv("i\to\t3\t1\t0", "\tp\t1\t\t*", "j\tq\t1", head=head), "t.txt")
    assert fault == (
        "t.txt:2:9: 2 of 3 rows have a number beyond the last name of the header; "
        "name its constraint, or delete the column"
    )
    (fault,) = faults(sheet([HEAD, *([*row, 2] for row in ROWS)]), "t.xlsx")
    assert fault.startswith("t.xlsx: cell F2: 4 of 4 rows have a number beyond the last name")


@pytest.mark.parametrize("beyond", ["cf. Prince", "0.25"])
def test_remarks_and_shares_without_a_name_are_left_out(beyond):
    text = csv(f"i,o,3,1,0,{beyond}", f",p,1,0,1,{beyond}")
    reading = parsed(text.replace(",", "\t"))
    assert reading.tableau.n_constraints == 2
    assert all("the row is longer than the header" in warning for warning in said(reading))


# ---- remarks, thousands, dates, letters


@pytest.mark.parametrize(
    ("last", "read_as"),
    [
        ("\tSource: Smith 2004", "'Source: Smith 2004' is read as a candidate"),
        ("Source:\tSmith", "'Source:' is read as an input"),
        ("see p. 3\tof the book\t\t", "'see p. 3' is read as an input"),
    ],
)
def test_a_last_row_of_words_without_numbers_may_be_a_remark(last, read_as):
    table = csv("i,o,3,1,0", ",p,1,0,1").replace(",", "\t")
    assert said(parsed(table)) == []
    assert said(parsed(table + last)) == [f"t.txt:4:{1 + last.startswith(chr(9))}: {read_as}; {DELETE}"]
    assert said(parsed(table + "a b\tab\n" + "\tb b\t1\t1\n")) == []


DELETE = "delete its row if it is a remark"


def test_points_between_thousands_are_named_between_tabs_too():
    table = "Input\tOutput\tFrequency\tA\ni\to\t1.040\t1\n\tp\t27\t0\n"
    (warning,) = said(parsed(table))
    assert warning == "t.txt:2:5: 1.040 is read as a decimal, a little over 1; write 1040 if that is meant"
    assert said(parsed(table.replace("27", "27.5"))) == []
    assert said(parsed(table.replace("\t", ","))) == []


def test_violations_that_were_dates_are_named():
    (warning,) = said(parsed(csv("i,o,3,45293,0", ",p,1,0,1")))
    assert warning.startswith("t.txt:2:7: 45293 violations: a date that became a number is one like this")
    assert said(parsed(csv("i,o,45293,30000,0", ",p,1,0,1"))) == []


@pytest.mark.parametrize("name", ["F", "p"])
def test_a_third_column_called_by_a_letter_is_named_where_it_may_be_a_constraint(name):
    head = f"Input,Output,{name},A,B"
    (warning,) = said(parsed(csv("i,o,1,1,0", ",p,0,0,1", head=head)))
    assert warning.startswith(f"t.txt:1:14: '{name}' is read as the frequency")
    assert said(parsed(csv("i,o,12,1,0", ",p,0,0,1", head=head))) == []
    assert said(parsed(csv("i,o,.75,1,0", ",p,.25,0,1", head=head))) == []


# ---- Praat


@pytest.mark.parametrize(
    "text",
    [
        '"OTGrammar 2"\n<OptimalityTheory> 0.0\n1\n"A" 100 100 1\n0\n1\n"i" 1 "o" 1\n',
        '\nObject class = "OTGrammar 2"\n\ndecisionStrategy = <OptimalityTheory>\n',
        "<HarmonicGrammar> 0.0 ! leak\n",
        'Object class = "PairDistribution"\n\npairs: size = 1\npairs [1]:\n',
        'pairs: size = 1\npairs [1]:\n    string1 = "i"\n',
    ],
)
def test_files_of_praat_without_their_first_lines_are_refused_as_such(text):
    (fault,) = faults(text, "a.OTGrammar")
    assert fault.startswith(
        "a.OTGrammar: is a file of Praat without its first lines; begin it with File type"
    )
