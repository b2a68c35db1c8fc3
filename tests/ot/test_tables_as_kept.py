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
