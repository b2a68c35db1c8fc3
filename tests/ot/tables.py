"""Tables as text and as spreadsheets, read for the tests of formats."""

from __future__ import annotations

import io

import openpyxl
import pytest

from otlab.errors import InputError
from otlab.ot.io.read import read_bytes

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


NOTES = [["Data of 2024"], ["ask Ann about the codas"]]
