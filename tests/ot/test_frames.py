"""What stands around a table: remarks below it, hidden sheets, bars of Markdown, columns of hands."""

from __future__ import annotations

import io

import openpyxl
import pytest

from otlab.ot.io.read import read_bytes
from tests.ot.tables import csv, faults, parsed

TABLE = csv("i,o,1,1,0", ",p,2,0,2")
HANDS = "{}/bad/\t*Vcd\tIdent\n☞\t{}pat\t\t*\n\t{}bad\t*!\n{}/bag/\t*Vcd\tIdent\n\t{}bag\t*\n☞\t{}pak\t\t*\n"
MARKDOWN = """
| Input | Output | Count | \\*Vcd | Ident |
|:------|--------|------:|------|-------|
| bad   | bad    | 27    | 1    |       |
|       | pat    | 73    | 0    | 2     |
"""


def said(reading):
    return [str(warning) for warning in reading.warnings]


def book(sheets):
    """Return a spreadsheet of a table a sheet, of which the counts differ; hidden if that is below 0."""
    made = openpyxl.Workbook()
    made.remove(made.worksheets[0])
    for title, count in sheets.items():
        sheet = made.create_sheet(title)
        for row in (["Input", "Output", "Count", "A"], ["i", "o", abs(count), 1], ["i", "p", 2, 0]):
            sheet.append(row)
        sheet.sheet_state = "hidden" if count < 0 else "visible"
    made.active = next(n for n, count in enumerate(sheets.values()) if count > 0)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


@pytest.mark.parametrize("notes", ["\nSource: Smith (2001)\n", "\nSource: Smith,,,,\n,,,,\n"])
def test_a_remark_below_the_table_is_left_out(notes):
    reading = parsed(TABLE + notes)
    assert reading.tableau == parsed(TABLE).tableau
    (warning,) = said(reading)
    assert warning.startswith("t.txt:5:1: 'Source: Smith")
    assert warning.endswith("below the table: left out")


def test_what_may_be_a_remark_is_named_and_what_has_a_number_is_refused():
    reading = parsed(TABLE + "\nSource: Smith, 2001\n")
    assert reading.tableau.inputs == ("i", "Source: Smith")
    assert said(reading) == [
        "t.txt:5:1: 'Source: Smith' is read as an input; delete its row if it is a remark"
    ]
    assert ["no candidate in column 2" in fault for fault in faults(TABLE + "Mean,,3,1,2\n")] == [True]
    assert said(parsed(TABLE + "j,q,,,\n")) == []


def test_a_sheet_in_sight_comes_before_a_hidden_one():
    reading = read_bytes(book({"Old": -9, "Now": 5}), "t.xlsx")
    assert reading.tableau.frequencies.tolist() == [5, 2]
    assert said(reading) == ["t.xlsx: more than one sheet holds a tableau: 'Now' was read, not 'Old'"]
    both = read_bytes(book({"One": 3, "Two": 4}), "t.xlsx")
    assert both.tableau.frequencies.tolist() == [3, 2]
    assert said(both) == ["t.xlsx: more than one sheet holds a tableau: 'One' was read, not 'Two'"]
    assert said(read_bytes(book({"One": 3}), "t.xlsx")) == []


def test_a_title_in_another_column_is_named():
    reading = parsed(";The table;;;\n" + TABLE.replace(",", ";"))
    assert said(reading) == ["t.txt:1:2: 'The table' above the header: kept as the title"]


@pytest.mark.parametrize("letters", ["", "\t"])
def test_hands_and_letters_have_columns_of_their_own(letters):
    named = ["a." + letters if letters else "", "b." + letters if letters else ""]
    reading = parsed(HANDS.format("\t" + letters, *named, "\t" + letters, *named))
    tableau = reading.tableau
    assert (tableau.inputs, tableau.candidates) == (("bad", "bag"), ("pat", "bad", "bag", "pak"))
    assert tableau.frequencies.tolist() == [1, 0, 0, 1]
    assert tableau.violations.tolist() == [[0, 1], [1, 0], [1, 0], [0, 1]]
    assert said(reading) == []


def test_a_table_of_markdown_is_read_and_faults_keep_their_places():
    tableau, warnings = parsed(MARKDOWN)
    assert warnings == ()
    assert tableau.constraints == ("*Vcd", "Ident")
    assert tableau.frequencies.tolist() == [27, 73]
    assert tableau.violations.tolist() == [[1, 0], [0, 2]]
    (fault,) = faults(MARKDOWN.replace("73", "many"))
    assert fault.startswith("t.csv:5:19: 'many' is not a frequency")


def test_the_line_that_names_the_separator_for_excel_is_no_title():
    reading = parsed("sep=;\n" + TABLE.replace(",", ";"))
    assert reading.tableau == parsed(TABLE).tableau
    assert said(reading) == []


@pytest.mark.parametrize("dash", ["-", "–", "—"])
def test_a_dash_is_no_violation_and_no_count(dash):
    assert (
        parsed(csv(f"i,o,1,1,{dash}", f"i,p,{dash},{dash},2")).tableau
        == parsed(csv("i,o,1,1,0", "i,p,0,0,2")).tableau
    )


def test_points_that_may_stand_between_thousands_are_named():
    table = csv("i,o,1.234,1,0", "i,p,27,0,2")
    assert said(parsed(table)) == []
    reading = parsed(table.replace(",", ";"))
    assert reading.tableau.frequencies.tolist() == [1.234, 27]
    assert ["write 1234 if that is meant" in words for words in said(reading)] == [True]
    assert said(parsed(table.replace("1.234", "0.234").replace(",", ";"))) == []


@pytest.mark.parametrize("head", ["Predicted", "Observed", "Percent", "Tokens"])
def test_whole_numbers_that_were_predicted_or_counted_are_no_violations(head):
    table = f"Input,Output,Frequency,{head},A,B\ni,o,27,30,1,0\ni,p,73,70,0,2\n"
    tableau, warnings = parsed(table)
    assert tableau.constraints == ("A", "B")
    assert tableau.frequencies.tolist() == [27, 73]
    assert [str(w) for w in warnings] == [
        f"t.txt:1:24: '{head}' holds no violations: the column was left out"
    ]


def test_what_was_observed_is_the_frequency_where_no_column_counts():
    table = "Input,Candidate,Observed,Predicted,A,B\ni,o,27,30,1,0\ni,p,73,70,0,2\n"
    tableau, _ = parsed(table)
    assert tableau.constraints == ("A", "B")
    assert tableau.frequencies.tolist() == [27, 73]
