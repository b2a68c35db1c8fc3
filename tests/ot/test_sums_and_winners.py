"""Spreadsheets: hidden rows and columns, marks of winners, rows and columns of sums, pairs in a cell."""

from __future__ import annotations

import io

import openpyxl
import pytest

from otlab import ot
from otlab.errors import InputError
from otlab.ot import to_csv
from otlab.ot.analysis.rank import winner_ercs
from otlab.ot.io.read import is_whole_table
from tests.ot.tables import csv, faults, parsed

HEAD = ["Input", "Output", "Frequency", "A", "B"]
ROWS = [["i", "o", 3, 1, 0], ["", "p", 1, 0, 1], ["j", "q", 5, 0, 0], ["", "r", 2, 1, 1]]


def said(reading):
    return [str(warning) for warning in reading.warnings]


def rows_of(tableau):
    names = (tableau.inputs[k] for k in tableau.input_of_row)
    return [*zip(names, tableau.candidates, tableau.frequencies.tolist(), strict=True)]


# ---- hidden rows and columns


def hidden(rows=(), columns=(), table=(HEAD, *ROWS), width=1):
    """Return a spreadsheet in which some rows (from 1) and columns (letters) are hidden."""
    book = openpyxl.Workbook()
    for row in table:
        book.active.append(row)
    for n in rows:
        book.active.row_dimensions[n].hidden = True
    for letter in columns:
        book.active.column_dimensions[letter].hidden = True
        if width > 1:
            book.active.column_dimensions.group(letter, chr(ord(letter) + width - 1), hidden=True)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_hidden_rows_are_left_out_and_said():
    reading = parsed(hidden(rows=[3, 5]), "t.xlsx")
    assert rows_of(reading.tableau) == [("i", "o", 3), ("j", "q", 5)]
    assert said(reading) == [
        "t.xlsx: 2 hidden rows (3, 5) were left out; show them in the spreadsheet to have them read"
    ]


def test_a_row_in_sight_keeps_the_input_of_a_hidden_row():
    reading = parsed(hidden(rows=[2, 4]), "t.xlsx")
    assert rows_of(reading.tableau) == [("i", "p", 1), ("j", "r", 2)]


def test_an_input_in_another_column_is_kept_too():
    table = [
        ["ID", "Input", "Output", "Count", "A"],
        [1, "i", "o", 3, 1],
        [2, "", "p", 1, 0],
        [3, "j", "q", 1, 0],
    ]
    assert rows_of(parsed(hidden(rows=[2], table=table), "t.xlsx").tableau) == [("i", "p", 1), ("j", "q", 1)]


def test_a_hidden_constraint_is_left_out_and_names_and_frequencies_are_read():
    reading = parsed(hidden(columns="CD"), "t.xlsx")
    assert reading.tableau.constraints == ("B",)
    assert reading.tableau.frequencies.tolist() == [3, 1, 5, 2]
    assert "1 hidden column (D) was left out" in said(reading)[0]
    wide = parsed(
        hidden(columns="E", table=[[*HEAD, "C", "D"], ["i", "o", 1, 1, 1, 1, 1]], width=3), "t.xlsx"
    )
    assert wide.tableau.constraints == ("A",)


@pytest.mark.parametrize("name", ["F", "P", "n", "Obs"])
def test_a_hidden_constraint_may_be_called_as_a_frequency_is(name):
    for head in (["Input", "Output", "Frequency"], ["", "", ""], ["Input", "Output", ""]):
        reading = parsed(hidden(columns="D", table=[[*head, name, "B"], *ROWS]), "t.xlsx")
        assert reading.tableau.constraints == ("B",)
        assert "1 hidden column (D) was left out" in said(reading)[0]
    table = [["Input", "Output", "A", "B", name], *([*row[:2], *row[3:], row[2] / 8] for row in ROWS)]
    there = parsed(hidden(columns="E", table=table), "t.xlsx")
    assert there.tableau.frequencies.tolist() == [3 / 8, 1 / 8, 5 / 8, 2 / 8]


def test_a_hidden_head_is_read():
    assert parsed(hidden(rows=[1]), "t.xlsx").tableau.constraints == ("A", "B")


def test_faults_name_the_cell_of_the_sheet_and_hidden_ones_are_none():
    table = [HEAD, ["i", "o", 1, 0.5, 2.5], ["", "p", 1, 1, 2.5]]
    (fault,) = faults(hidden(rows=[2], columns="D", table=table), "t.xlsx")
    assert fault.startswith("t.xlsx: cell E3: violations are whole numbers, found '2.5'")
    uncomputed = [[*HEAD, "C"], ["i", "o", 1, 1, 0, "=1+1"]]
    assert parsed(hidden(columns="F", table=uncomputed), "t.xlsx").tableau.constraints == ("A", "B")
    with pytest.raises(InputError, match="has no value"):
        parsed(hidden(table=uncomputed), "t.xlsx")


# ---- winners


@pytest.mark.parametrize(
    ("mark", "other"), [("x", ""), ("X", "-"), ("✓", ""), ("yes", "no"), ("1", "0"), ("TRUE", "FALSE")]
)
@pytest.mark.parametrize(
    ("head", "row"),
    [
        ("Input,Output,Winner,A,B", "{0},{1},{2},{3}"),
        ("Input,Output,A,B,Winner", "{0},{1},{3},{2}"),
        ("Input,Output,Frequency,Winner,A,B", "{0},{1},,{2},{3}"),
    ],
)
def test_marks_of_winners_are_counts_of_1(mark, other, head, row):
    cells = [
        ("i", "o", mark, "1,0"),
        ("", "p", other, "0,1"),
        ("j", "q", other, "1,1"),
        ("", "r", mark, "0,0"),
    ]
    reading = parsed(csv(*(row.format(*each) for each in cells), head=head))
    assert rows_of(reading.tableau) == [("i", "o", 1), ("i", "p", 0), ("j", "q", 0), ("j", "r", 1)]
    assert reading.tableau.violations.tolist() == [[1, 0], [0, 1], [1, 1], [0, 0]]
    assert "'Winner' marks the winners: each is read as a count of 1" in said(reading)[0]


def test_counts_in_a_column_of_winners_are_frequencies():
    reading = parsed(csv("i,o,12,1", ",p,30,0", head="Input,Output,Attested,A"))
    assert rows_of(reading.tableau) == [("i", "o", 12.0), ("i", "p", 30.0)]
    assert "'Attested' is read as the frequency" in said(reading)[0]


def test_counts_count_more_than_marks_of_winners():
    text = csv("i,o,7,1,1,0", "i,p,3,0,0,1", head="Input,Output,Frequency,Winner,A,B")
    reading = parsed(text)
    assert reading.tableau.constraints == ("A", "B")
    assert reading.tableau.frequencies.tolist() == [7, 3]
    assert "'Winner' holds no violations: the column was left out" in said(reading)[0]


def test_a_table_without_frequencies_is_read_and_said():
    reading = parsed("Input,Output,*Vcd,Ident\nbad,bad,1,0\n,pat,0,2\n")
    assert reading.tableau.constraints == ("*Vcd", "Ident")
    assert not reading.tableau.frequencies.any()
    assert "there is no column of frequencies: all are 0" in said(reading)[0]
    for fit in (ot.fit_maxent, ot.fit_mle):
        assert "nothing was learnt" in fit(reading.tableau).warnings[0]
    assert "the third column is 'Gewicht'" in faults("Input,Output,Gewicht,A\ni,o,3,1\n")[0]


# ---- sums


@pytest.mark.parametrize("label", ["Total", "Grand Total", "Gesamtergebnis", "TOTAL"])
def test_rows_of_sums_are_left_out_and_said(label):
    rows = ["i,o,3,1,0", ",p,1,0,1", f",{label},4,,", "j,q,5,0,0", f"j {label},,5,,", f"{label},,9,1,1"]
    reading = parsed(csv(*rows))
    assert rows_of(reading.tableau) == [("i", "o", 3), ("i", "p", 1), ("j", "q", 5)]
    assert [words.endswith("is a row of sums: left out") for words in said(reading)] == [True] * 3


def test_a_candidate_called_as_a_sum_is_one_if_its_count_is_no_sum():
    for rows in (["es,es,3,2,1", ",sum,3,0,1"], ["i,o,3,1,0", ",p,1,0,1", ",total,2,1,1"]):
        assert len(parsed(csv(*rows)).tableau.candidates) == len(rows)


def test_counts_below_their_sum_are_the_frequency():
    head = "Input,Output,Ann,Ben,Grand Total,A,B"
    reading = parsed(csv("i,o,3,2,5,1,0", ",p,1,4,5,0,1", "Grand Total,,4,6,10,,", head=head))
    assert rows_of(reading.tableau) == [("i", "o", 5), ("i", "p", 5)]
    assert reading.tableau.constraints == ("A", "B")
    assert "'Grand Total' is read as the frequency, the sum of Ann, Ben" in said(reading)[0]


def test_a_column_of_sums_is_no_constraint_unless_it_is_named_so():
    text = csv("i,o,3,1,0,1", ",p,1,0,2,2", head="Input,Output,Frequency,A,B,Total")
    assert parsed(text).tableau.constraints == ("A", "B")
    named = parsed("# constraint: Total = Total\n" + text).tableau
    assert named.constraints == ("A", "B", "Total")
    assert parsed(to_csv(named)).tableau == named
    assert parsed(csv("i,o,3,1,0", head="Input,Output,Total,A,B")).tableau.frequencies.tolist() == [3]


# ---- winner and loser in one cell


@pytest.mark.parametrize("between", ["~", " ~ ", " ≻ ", ">", " > ", " vs. "])
def test_winner_and_loser_in_one_cell(between):
    text = f"Input,Pair,A,B,C\nbad,pat{between}bad,W,L,e\n,{between}pad,W,,\ntag,tag{between}ta,L,e,W\n"
    reading = parsed(text)
    assert reading.readings[0].format == "pairs"
    assert reading.readings[0].columns == ("input", "winner and loser", *["constraint"] * 3)
    assert reading.tableau.inputs == ("bad: pat ~ bad", "bad: pat ~ pad", "tag")
    conditions = [(erc.winners, erc.losers) for erc in winner_ercs(reading.tableau)]
    assert conditions == [({0}, {1}), ({0}, set()), ({2}, {0})]
    assert ot.rank(reading.tableau).strata == (("C",), ("A",), ("B",))


@pytest.mark.parametrize(
    ("text", "inputs"),
    [
        ("\tA\tB\na~b\tW\tL\na~c\te\tW\n", ("a ~ b", "a ~ c")),
        ("ERC,A,B\na ≻ b,W,L\n", ("a ~ b",)),
        ("/bad/\tA\tB\n☞ a. [pat] ~ b. [bad]\tW\tL\n~ c. [pad]\tW\t\n", ("bad: pat ~ bad", "bad: pat ~ pad")),
    ],
)
def test_pairs_without_a_column_of_inputs(text, inputs):
    tableau = parsed(text).tableau
    assert tableau.inputs == inputs
    assert tableau.constraints == ("A", "B")


def test_a_tilde_in_names_of_candidates_makes_no_pair():
    reading = parsed(csv("i,a~b,3,1,0", ",c~d,1,0,1"))
    assert reading.tableau.candidates == ("a~b", "c~d")


# ---- columns and rows that are no part of a table


@pytest.mark.parametrize("head", ["rid", "Year", "Token number"])
def test_numbers_left_of_the_candidates_are_no_constraint(head):
    reading = parsed(csv("1,bad,bad,27,1,0", "2,bad,pat,73,0,2", head=f"{head},UR,SR,Freq,A,B"))
    assert reading.tableau.constraints == ("A", "B")
    assert f"'{head}' holds no violations: the column was left out" in said(reading)[0]


@pytest.mark.parametrize(
    "head",
    [
        "Surface form,Underlying form,Tokens,A,B",
        "Candidat,Entrée,Fréquence,A,B",
        "Kandidat,Eingabe,Häufigkeit,A,B",
        "Form,UR,Freq,A,B",
        "Output,Stem,n,A,B",
    ],
)
def test_candidates_left_of_their_inputs(head):
    tableau = parsed(csv("bad,/bad/,27,1,0", "pat,/bad/,73,0,2", head=head)).tableau
    assert tableau.inputs == ("/bad/",)
    assert tableau.candidates == ("bad", "pat")


def test_columns_of_a_spreadsheet_for_maxent_are_left_out():
    head = "Input,Output,Frequency,A,B,,Harmony,eHarmony,Z,Predicted probability,O-E"
    reading = parsed(csv("i,o,3,1,0,,-2,.135,.503,.268,2.1", ",p,1,0,1,,-1,.368,.503,.732,-1.9", head=head))
    assert reading.tableau.constraints == ("A", "B")
    assert reading.tableau.violations.tolist() == [[1, 0], [0, 1]]


def test_a_row_of_weights_at_the_end_is_kept_as_values():
    reading = parsed(csv("i,o,3,1,0", ",p,1,0,1", "Weights,,,2.5,1"))
    assert reading.values == {"A": 2.5, "B": 1.0}
    assert reading.tableau.candidates == ("o", "p")


def test_a_header_that_is_there_again_and_the_end_of_ot_help_are_left_out():
    head = "Input,Output,Frequency,A,B"
    reading = parsed(csv("i,o,3,1,0", ",p,1,0,1", "", head, "j,q,1,1,1"))
    assert reading.tableau.inputs == ("i", "j")
    assert "'Input' is the header again: left out" in said(reading)[0]
    reading = parsed("\t\t\tA\ni\to\t1\t1\n\tp\t\t0\n[end of tableaux]\n[minimal weight]\t\t1\t1\n")
    assert reading.tableau.candidates == ("o", "p")
    assert "'[end of tableaux]' and what is below it were left out" in said(reading)[0]


def test_hidden_forms_beside_outputs_are_parses():
    head = "input,output,hidden,probability,Iamb,Trochee"
    rows = ["kata,KAta,(KAta),1,1,0", "kata,kaTA,(kaTA),0,0,1", "kata,KAta,(KA)ta,1,0,1"]
    tableau = parsed(csv(*rows, head=head)).tableau
    assert tableau.candidates == ("(KAta)", "(kaTA)", "(KA)ta")
    assert tableau.overt == ("KAta", "kaTA", "KAta")
    assert parsed(csv("i,o,3,1", ",p,1,0", head="Input,Output,Frequency,Parse")).tableau.constraints == (
        "Parse",
    )


def test_letters_that_look_the_same_are_the_same():
    composed, apart = "b\u00e3d", "ba\u0303d"
    reading = parsed(csv(f"{composed},{composed},3,1,0", f"{apart},{apart},2,1,0", f"{apart},p,1,0,1"))
    assert rows_of(reading.tableau) == [(composed, composed, 5), (composed, "p", 1)]
    assert "is typed with other characters than above, which look the same" in said(reading)[0]
    assert parsed(csv(f"{apart},{apart},3,1,0")).tableau.candidates == (apart,)


def test_a_row_of_groups_above_the_header_is_left_out():
    groups = [None, None, None, "Markedness", None, "Faithfulness"]
    table = [groups, [*HEAD, "C"], ["i", "o", 3, 1, 0, 0], [None, "p", 1, 0, 1, 1]]
    reading = parsed(hidden(table=table), "t.xlsx")
    assert reading.tableau.constraints == ("A", "B", "C")
    assert reading.tableau.full_names == ("A", "B", "C")
    assert "'Markedness' above the header: left out" in said(reading)[0]
    whole = [[None, None, None, "Onset", "NoCoda"], HEAD, ["i", "o", 3, 1, 0], [None, "p", 1, 0, 1]]
    assert parsed(hidden(table=whole), "t.xlsx").tableau.full_names == ("Onset", "NoCoda")


def test_whole_percents_are_said_to_be_read_as_counts():
    text = csv("i,o,70,1,0", ",p,30,0,1", head="Input,Output,Percent,A,B")
    (words,) = said(parsed(text))
    assert "'Percent' is read as counts, as of 100 observations an input; give the true number" in words
    assert said(parsed("# total: 40\n" + text)) == []
    assert said(parsed(text.replace("70", "70%").replace("30", "30%"))) == []


def test_pasted_pairs_are_a_whole_table_and_blocks_are_not():
    assert is_whole_table("\tA\tB\na ~ b\tW\tL\n")
    assert is_whole_table("Input\tWinner\tLoser\tA\nx\ty\tz\tW\n")
    assert not is_whole_table("x\ty\t3\t1\nx\tz\t1\t0\n")
    assert not is_whole_table("1\t0\n*\t\n")


@pytest.mark.parametrize("heads", [",,", "Input,Output,Frequency"])
@pytest.mark.parametrize("name", ["Parse", "Comment", "Hidden", "N"])
def test_abbreviations_below_a_name_are_no_words_of_a_column(heads, name):
    text = f"{heads},{name},Max\n,,,Prs,M\nx,a,3,1,0\n,b,1,0,2\n"
    assert parsed(text).tableau.constraints == ("Prs", "M")
    empty = f"{heads},Parse,Max\nx,a,3,,0\n,b,1,,2\n"
    assert parsed(empty).tableau.constraints == ("Parse", "Max")


def test_a_third_column_without_a_head_has_the_frequencies():
    reading = parsed(csv("x,a,3,1,.7", ",b,1,0,.3", head="Input,Output,,A,Percent"))
    assert reading.tableau.frequencies.tolist() == [3, 1]
    assert reading.tableau.constraints == ("A",)
