"""Two tables in one file: one clear refusal, which says where the second one begins."""

import io

import openpyxl
import pytest

from otlab.errors import InputError
from otlab.ot.io.read import read_bytes

HEAD = "Input,Output,Frequency,*Coda,Max\n"
FIRST = f"{HEAD}tat,tat,8,1,0\n,ta,2,0,1\n"


def refused(text, name="mine.csv"):
    with pytest.raises(InputError) as caught:
        read_bytes(text if isinstance(text, bytes) else text.encode(), name)
    return caught.value.faults


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        (f"{FIRST}\n\nInput,Output,Frequency,Onset\nat,at,3,1\n,tat,4,\n", 6, 1),
        (f"{FIRST}Table 2\nUR,SR,n,Onset,Dep\nat,at,3,1,0\n", 5, 1),
        (f"{FIRST}Input,Output,Frequency,Max,*Coda\nat,at,3,1,0\n", 4, 1),
        (f"# title: x\n{FIRST},,,Onset,Dep\n,,,On,D\nat,at,3,1,0\n", 5, 4),
        (f"{FIRST}Gloss,Input,Output,Count,Onset\nx,at,at,3,1\n", 4, 1),
        ("Input,Winner,Loser,A,B\nbad,pat,bad,W,L\n\nInput,Winner,Loser,C,D\nbad,pat,bad,W,L\n", 4, 1),
    ],
)
def test_the_second_header_is_named_and_nothing_else(text, line, column):
    (fault,) = refused(text)
    assert fault.what.startswith("a second table begins here, with the header ")
    assert (fault.line, fault.column) == (line, column)
    assert fault.hint.startswith("save it in a file or sheet of its own")


def test_faults_of_the_first_table_are_named_too():
    faults = refused(f"{HEAD}tat,tat,eight,1,0\nInput,Output,Frequency,Onset\nat,at,three,1\n")
    assert [fault.line for fault in faults] == [2, 3]


def test_tables_beside_each_other():
    header = "Input,Output,Frequency,*Coda,Max,,Input,Output,Frequency,Onset"
    (fault,) = refused(f"{header}\ntat,tat,8,1,0,,at,at,3,1\n,ta,2,0,1,,,tat,4,0\n")
    assert fault.what == "a second table begins here, beside the first one"
    assert (fault.line, fault.column) == (1, header.rindex("Input") + 1)


def test_in_a_spreadsheet_the_cell_is_named():
    book = openpyxl.Workbook()
    for text in (FIRST, "\n", "Input,Output,Frequency,Onset,Dep\nat,at,3,1,0\n"):
        for line in text.splitlines():
            cells = (int(cell) if cell.isdigit() else cell or None for cell in line.split(","))
            book.active.append([*cells])
    out = io.BytesIO()
    book.save(out)
    (fault,) = refused(out.getvalue(), "mine.xlsx")
    assert "A5" in str(fault)
    assert "a second table begins here" in str(fault)


@pytest.mark.parametrize(
    "text",
    [
        f"{FIRST}{HEAD}at,at,3,1,0\n",  # the header again
        f"{HEAD},,,C,M\ntat,tat,8,1,0\n,ta,2,0,1\n",  # abbreviations
        f"{HEAD}input,output,8,1,0\n,candidate,2,0,1\n",  # words that are heads, too
        f"{FIRST}frequency,count,3,,\n",
        f"{FIRST}input,output,,,\n",
    ],
)
def test_what_is_no_second_table_is_read(text):
    assert read_bytes(text.encode(), "mine.csv").tableau.constraints[-1] in ("Max", "M")


def test_a_row_without_names_is_still_refused_by_its_cells():
    faults = refused(f"{FIRST},,,x,\nat,at,1,0,1\n")
    assert "second table" not in str(faults[0])
