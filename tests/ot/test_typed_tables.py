"""Tables with what keyboards, spreadsheets and older programs put into them."""

import pytest

from otlab.errors import InputError
from otlab.ot.io.read import read_bytes
from otlab.ot.io.write import to_csv

PLAIN = "Input,Output,Frequency,*Coda,Max\ntat,tat,8,1,0\n,ta,2,0,1\npad,pad,5,1,0\n,pa,3,0,1\n"


def reading(data, name="mine.csv"):
    return read_bytes(data if isinstance(data, bytes) else data.encode(), name)


SAME = {
    "a byte order mark": b"\xef\xbb\xbf" + PLAIN.encode(),
    "UTF-16": b"\xff\xfe" + PLAIN.encode("utf-16-le"),
    "UTF-16, big": b"\xfe\xff" + PLAIN.encode("utf-16-be"),
    "line ends of Windows": PLAIN.replace("\n", "\r\n"),
    "line ends of old Macs": PLAIN.replace("\n", "\r"),
    "line ends of both": PLAIN.replace("\n", "\r\n", 2),
    "blanks that do not break": PLAIN.replace("8", "\u00a08").replace("tat,8", "tat\u00a0,8"),
    "what is not seen": PLAIN.replace("8", "8\u200b").replace("Max", "\ufeffMax\u200e"),
    "empty columns behind": "".join(f"{line},,,\n" for line in PLAIN.splitlines()),
    "empty rows between": PLAIN.replace("\npad", "\n\n,,,,\n \npad"),
    "semicolons": PLAIN.replace(",", ";"),
    "Excel's line of separators": b"\xff\xfe" + f"sep=;\r\n{PLAIN}".replace(",", ";").encode("utf-16-le"),
    "tabs": PLAIN.replace(",", "\t"),
    "bars": PLAIN.replace(",", "|"),
    "bars and rules": PLAIN.replace(",", " | ").replace("\ntat", "\n--- | --- | --: | :-: | ---\ntat", 1),
    "quotation marks": "\n".join('"' + line.replace(",", '","') + '"' for line in PLAIN.splitlines()),
    "row numbers": "\n".join(f"{n or ''},{line}" for n, line in enumerate(PLAIN.splitlines())),
    "heads in capitals": PLAIN.replace("Input,Output,Frequency", " INPUT , OUTPUT ,FREQUENCY "),
}  # fmt: skip


@pytest.mark.parametrize("case", SAME)
def test_it_is_the_same_table_without_a_warning(case):
    found = reading(SAME[case])
    assert to_csv(found.tableau) == PLAIN.replace("\n,", "\ntat,", 1).replace("\n,", "\npad,")
    assert found.warnings == ()


def test_names_that_differ_in_what_is_not_seen_are_one():
    found = reading("Input,Output,Frequency,A\ntat,tat,8,1\nta\u200dt,ta,2,0\n,ã\u200bd,1,2\n,ãd,1,2\n")
    assert found.tableau.inputs == ("tat",)
    assert len(found.tableau.candidates) == 3
    assert [fault.line for fault in found.warnings] == [3, 5]
    assert "is typed with other characters than above, which look the same" in found.warnings[0].what


def test_a_full_width_comma_that_may_end_a_cell_is_named():
    found = reading(PLAIN.replace("tat,8", "tat，8"))
    (warning,) = found.warnings
    assert warning.what == "'tat，8' holds a full-width mark, which separates no cells"
    assert warning.hint == "write , in its place if a cell ends there"
    assert warning.line == 2
    assert reading(PLAIN.replace("tat,8", "ta，t,8")).warnings == ()  # no cell is missing


def test_cells_by_blanks_are_refused_as_such():
    with pytest.raises(InputError) as refused:
        reading(PLAIN.replace(",", " "))
    assert str(refused.value).startswith("mine.csv: the cells are separated by blanks; separate them by tabs")


@pytest.mark.parametrize(
    ("typed", "number"),
    [("1.234,5", 1234.5), ("1.234.567,25", 1234567.25), ("1'234", 1234), ("12’345", 12345), ("1 234", 1234)],
)
def test_marks_of_thousands_that_can_be_nothing_else_are_read(typed, number):
    found = reading(PLAIN.replace(",", ";").replace(";8;", f";{typed};").replace(";2;", ";2,5;"))
    assert list(found.tableau.frequencies) == [number, 2.5, 5, 3]
    assert found.warnings == ()


def test_points_that_may_be_decimals_beside_both_marks_are_refused():
    with pytest.raises(
        InputError, match=r"1\.040 may mean 1040 or a decimal, beside decimal commas as in 1\.234,5"
    ):
        reading(PLAIN.replace(",", ";").replace(";8;", ";1.234,5;").replace(";2;", ";1.040;"))


def test_a_column_of_marks_called_opt_has_the_winners():
    found = reading("Input,Candidate,Opt,A,B\ni,o,x,1,0\n,p,,0,1\n")
    assert list(found.tableau.frequencies) == [1, 0]
    assert "'Opt' marks the winners" in found.warnings[0].what
