"""Tables as users write them: what is recognised, what is left out, and what other readings there are."""

from __future__ import annotations

import pytest

from otlab import ot
from otlab.errors import DataWarning, InputError
from otlab.ot import from_pandas, read_text, to_csv, to_xlsx
from otlab.ot.analysis.rank import winner_ercs
from otlab.ot.io.read import read_bytes
from tests.ot.tables import csv, faults, parsed, sheet

NEGATIVE = "Input,Output,Count,*Vcd,Ident\nbad,bad,27,-1,0\nbad,pat,73,0,-2\n"
PAIRS = "Input,Winner,Loser,*Vcd,Ident,Max\nbad,pat,bad,W,L,e\n,,pad,W,,\ntag,tag,ta,L,e,W\n"
PAPER = "/bad/\t*Vcd\tIdent\n☞ a. [pat]\t\t*\nb. [bad]\t*!\t\n"


def said(reading):
    return [str(warning) for warning in reading.warnings]


def read_as(text, **options):
    return read_bytes(text.encode(), "t.csv", **options)


# ---- signs


def test_numbers_that_are_all_below_0_are_penalties():
    reading = parsed(NEGATIVE)
    assert reading.tableau.violations.tolist() == [[1, 0], [0, 2]]
    assert ["read as penalties" in words for words in said(reading)] == [True]
    assert [r.options for r in reading.readings] == [{}, {"sign": "as written"}]


def test_the_sign_of_violations_can_be_kept():
    kept = read_as(NEGATIVE, keep_sign=True)
    assert kept.tableau.violations.tolist() == [[-1, 0], [0, -2]]
    assert said(kept) == []
    assert [r.options for r in kept.readings] == [{"sign": "as written"}, {}]
    assert read_text(NEGATIVE, keep_sign=True) == kept.tableau
    assert from_pandas(kept.tableau.to_pandas(), keep_sign=True) == kept.tableau


def test_penalties_rank_as_violations_do():
    tableau = parsed(NEGATIVE).tableau
    assert ot.rank(tableau).strata == (("*Vcd",), ("Ident",))


def test_a_table_of_both_signs_stays_with_a_remark():
    reading = parsed(csv("i,o,1,-1,0", "i,p,1,0,2"))
    assert reading.tableau.violations.tolist() == [[-1, 0], [0, 2]]
    assert said(reading) == [
        "t.txt: 1 number of violations is below 0, others above: all stay as written; look at o of i"
    ]


def test_a_table_of_rewards_comes_back_as_it_was_written(tmp_path):
    kept = read_as(NEGATIVE, keep_sign=True).tableau
    assert "# sign: as written" in to_csv(kept)
    assert parsed(to_csv(kept)).tableau == kept
    to_xlsx(kept, tmp_path / "t.xlsx")
    assert ot.read(tmp_path / "t.xlsx") == kept


# ---- columns


def test_percents_are_relative_frequencies():
    tableau = parsed(csv("i,o,27%,1,0", "i,p,73 %,0,1")).tableau
    assert tableau.frequencies.tolist() == [0.27, 0.73]
    with pytest.raises(InputError, match="total"):
        ot.fit_maxent(tableau)
    assert parsed(csv('i,o,"7,3%",1,0', 'i,p,"92,7%",0,1')).tableau.frequencies.tolist() == [0.073, 0.927]


@pytest.mark.parametrize(
    "head",
    [
        "Input,Output,Probability,Count,Comment,*Vcd,Ident",
        "Input,Output,Probability,Count,Comment,*Vcd,Ident,Gloss",
        "ID,Input,Output,Comment,Count,*Vcd,Ident,Harmony",
        "Input,Comment,Output,*Vcd,Count,Ident,Probability",
    ],
)
def test_columns_without_violations_are_left_out_and_said(head):
    cells = {
        "ID": (1, 2),
        "Input": ("bad", ""),
        "Output": ("bad", "pat"),
        "Count": (27, 73),
        "*Vcd": (1, 0),
        "Ident": ("", "**"),
        "Probability": (".27", ".73"),
        "Comment": ("so says Ann", ""),
        "Gloss": ("bad", ""),
        "Harmony": ("-1.2", "-6.8"),
    }
    names = head.split(",")
    rows = [",".join(str(cells[name][n]) for name in names) for n in (0, 1)]
    reading = parsed(csv(*rows, head=head))
    tableau = reading.tableau
    assert (tableau.inputs, tableau.candidates, tableau.constraints) == (
        ("bad",),
        ("bad", "pat"),
        ("*Vcd", "Ident"),
    )
    assert tableau.frequencies.tolist() == [27, 73]
    assert tableau.violations.tolist() == [[1, 0], [0, 2]]
    left = [name for name in names if name in ("ID", "Probability", "Comment", "Gloss", "Harmony")]
    for name, words in zip(left, said(reading), strict=True):
        assert f"'{name}' holds no violations: the column was left out" in words


def test_a_constraint_called_as_a_remark_is_a_constraint_if_it_has_violations():
    tableau = parsed(csv("i,o,3,1,0", "i,p,1,,2", head="Input,Output,Frequency,P,F")).tableau
    assert tableau.constraints == ("P", "F")


def test_probabilities_are_frequencies_where_there_are_no_counts():
    tableau = parsed(csv("i,o,.3,1", "i,p,.7,0", head="Input,Output,Probability,A")).tableau
    assert tableau.frequencies.tolist() == [0.3, 0.7]


def test_faults_of_rearranged_columns_keep_their_places():
    (fault,) = faults(csv("bad,x,bad,27,one", head="Input,Comment,Output,Count,*Vcd"))
    assert fault.startswith("t.csv:2:14: violations are whole numbers, found 'one'")


# ---- a row of weights


@pytest.mark.parametrize("label", ["weights,,", ",Weight:,", ",,w", ",,"])
def test_a_row_of_weights_below_the_header_is_kept_as_values(label):
    reading = parsed(csv(f"{label},1.2,3.4", "bad,bad,27,1,0", "bad,pat,73,0,2"))
    assert reading.values == {"A": 1.2, "B": 3.4}
    assert reading.tableau.candidates == ("bad", "pat")
    assert "a row of weights" in said(reading)[0]


def test_a_row_of_weights_above_the_header_or_below_abbreviations():
    above = parsed("weights,,,1.2,3.4\nInput,Output,Count,A,B\ni,o,1,0,1\n")
    assert above.values == {"A": 1.2, "B": 3.4}
    below = parsed("\t\t\tOnset\tMax\n\t\t\tOns\tM\nweights\t\t\t1\t2\nVC\tVC\t1\t1\t\n")
    assert below.values == {"Ons": 1.0, "M": 2.0}
    assert below.tableau.full_names == ("Onset", "Max")


def test_a_row_of_weights_that_lacks_one_is_left_out_and_said():
    reading = parsed(csv("weights,,,1.2,", "bad,bad,27,1,0"))
    assert reading.values == {}
    assert "it has none for B" in said(reading)[0]


# ---- comparative tableaux


def test_a_comparative_tableau_is_read_as_relations():
    reading = parsed(PAIRS)
    tableau = reading.tableau
    assert tableau.inputs == ("bad: pat ~ bad", "bad: pat ~ pad", "tag")
    assert tableau.frequencies.tolist() == [1, 0, 1, 0, 1, 0]
    assert "comparative tableau" in said(reading)[0]
    assert reading.readings[0].columns == ("input", "winner", "loser", *["constraint"] * 3)
    assert [(erc.winners, erc.losers) for erc in winner_ercs(tableau)] == [
        ({0}, {1}),
        ({0}, set()),
        ({2}, {0}),
    ]
    assert ot.rank(tableau).strata == (("Max",), ("*Vcd",), ("Ident",))


def test_a_comparative_tableau_is_recognised_by_its_cells():
    text = "\t\t\t*Vcd\tIdent\nbad\tpat\tbad\tW\tL\nbad\tpat\tpad\tW\t\n"
    assert parsed(text).readings[0].format == "pairs"


def test_a_loser_that_no_constraint_disprefers_bounds_the_winner():
    tableau = parsed("Input,Winner,Loser,A,B\nx,y,z,L,e\n").tableau
    assert [row["candidate"] for row in ot.rank(tableau).to_dict()["bounded"]] == ["y"]


def test_gibbs_learns_from_winner_loser_pairs():
    fit = ot.fit_gibbs(parsed(PAIRS).tableau, sweeps=2000, chains=1, seed=1)
    high, low = fit.mean[0], fit.mean[1]
    assert high > low


def test_a_cell_that_is_neither_w_nor_l_is_a_fault():
    (fault,) = faults("Input,Winner,Loser,A,B\nx,y,z,W,2\n")
    assert fault.startswith("t.csv:2:9: '2' is neither W, L nor e; write W if the constraint prefers")


# ---- tableaux of a paper


@pytest.mark.parametrize(
    "text",
    [
        PAPER,
        PAPER.replace("☞ a. ", "").replace("b. ", ""),  # the only one without a fatal violation
        "/bad/\t\t*Vcd\tIdent\n☞\tpat\t\t*\n\tbad\t*!\t\n",
        "/bad/\t\t*Vcd\tIdent\na.☞\tpat\t\t*\nb.\tbad\t*!\t\n",
        "bad\t*Vcd\tIdent\n→ pat\t\t*\nbad\t*\t\n",
        "Input: /bad/,*Vcd,Ident\n☞pat,,*\nbad,*!,\n",
    ],
)
def test_a_tableau_pasted_from_a_paper(text):
    reading = parsed(text)
    tableau = reading.tableau
    assert (tableau.inputs, tableau.candidates) == (("bad",), ("pat", "bad"))
    assert tableau.frequencies.tolist() == [1, 0]
    assert tableau.violations.tolist() == [[0, 1], [1, 0]]
    assert reading.readings[0].format == "paper"


def test_several_tableaux_of_a_paper_with_constraints_in_another_order():
    text = PAPER + "/tag/\tIdent\tMax\t*Vcd\n[tak]\t*!\n☞ [tag]\t\t\t*\n"
    tableau = parsed(text).tableau
    assert tableau.constraints == ("*Vcd", "Ident", "Max")
    assert tableau.violations.tolist() == [[0, 1, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0]]
    assert tableau.frequencies.tolist() == [1, 0, 0, 1]


def test_a_paper_tableau_without_a_winner_says_so():
    reading = parsed("/bad/\t*Vcd\tIdent\n[pat]\t\t*\n[bad]\t*\t\n")
    assert "no candidate of 'bad' is marked as the winner; mark it with ☞" in said(reading)[0]


def test_a_hand_in_a_table_without_counts_marks_the_winner():
    reading = parsed(csv("bad,☞ pat,,0,1", ",bad,,1,0"))
    assert reading.tableau.candidates == ("pat", "bad")
    assert reading.tableau.frequencies.tolist() == [1, 0]
    assert "the pointing hand marks the winner" in said(reading)[0]


# ---- titles


def test_a_spreadsheet_with_titles_above_the_header():
    rows = [
        ["Finnish, second part"],
        ["typed by Ann"],
        ["Input", "Output", "Count", "A"],
        ["i", "o", 1, 1],
        ["", "p", 0, 2],
    ]
    reading = read_bytes(sheet(rows), "t.xlsx")
    assert reading.tableau.constraints == ("A",)
    assert reading.tableau.title == "Finnish, second part"
    assert said(reading) == [
        "t.xlsx: cell A1: 'Finnish, second part' above the header: kept as the title",
        "t.xlsx: cell A2: 'typed by Ann' above the header: left out",
    ]


def test_titles_with_commas_above_a_table_with_tabs():
    text = "Data of 2024, revised, from Ann\n\nInput\tOutput\tCount\tA\ni\to\t1\t1\n\tp\t0\t2\n"
    assert parsed(text).tableau.constraints == ("A",)


# ---- the format that is asked for


def test_a_format_that_is_asked_for_is_not_guessed():
    assert parsed(PAPER).readings[1].format == "table"
    with pytest.raises(InputError):
        read_as(PAPER, format="table")


def test_pasted_text_names_row_and_column():
    with pytest.raises(InputError) as caught:
        read_text("Input\tOutput\tFreq\tA\ni\to\tten\t1\n\tp\t1\tmany\n")
    places = [str(fault).split(":")[:2] for fault in caught.value.faults]
    assert places == [["pasted text", " row 2, Freq"], ["pasted text", " row 3, A"]]


def test_warnings_are_issued():
    with pytest.warns(DataWarning, match="read as penalties"):
        read_text(NEGATIVE)


def test_rankings_in_a_circle_name_their_file(tmp_path):
    path = tmp_path / "circle.txt"
    path.write_text("\tA\tM\nA\t\tx\nM\tx\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"^circle\.txt: "):
        ot.read_apriori(path, ot.read("spanish"))


LEVELS = """UR,SR,p,HR,C1,C2
"[L L]"
,[L L1],0
,,,"[(L L1)]",0,1
,[L1 L],1
,,,"[(L1) L]",1,0
,,,"[(L1 L)]",0,2
"[L H]"
,[L H1],0.25
,,,[(L H1)],0,0
,[L1 H],0.75
,,,[(L1 H)],1,1
"""


def test_a_line_for_each_input_overt_form_and_parse():
    tableau, warned = read_bytes(LEVELS.encode(), "t.csv")
    assert not warned
    assert tableau.inputs == ("[L L]", "[L H]")
    assert tableau.candidates == ("[(L L1)]", "[(L1) L]", "[(L1 L)]", "[(L H1)]", "[(L1 H)]")
    assert tableau.overt == ("[L L1]", "[L1 L]", "[L1 L]", "[L H1]", "[L1 H]")
    assert tableau.frequencies.tolist() == [0, 1, 0, 0.25, 0.75]
    assert tableau.violations.tolist() == [[0, 1], [1, 0], [0, 2], [0, 0], [1, 1]]


def test_an_overt_form_that_was_heard_and_has_no_parse_is_told():
    text = LEVELS.replace(',,,"[(L1) L]",1,0\n,,,"[(L1 L)]",0,2\n', "")
    _, warned = read_bytes(text.encode(), "t.csv")
    assert any("'[L1 L]' has the share 1 and no parse" in str(one) for one in warned)


def test_overt_forms_survive_a_spreadsheet(tmp_path):
    tableau = read_bytes(LEVELS.encode(), "t.csv").tableau
    to_xlsx(tableau, tmp_path / "t.xlsx")
    again = read_bytes((tmp_path / "t.xlsx").read_bytes(), "t.xlsx").tableau
    assert (again.overt, again.frequencies.tolist()) == (tableau.overt, tableau.frequencies.tolist())
    assert again.violations.tolist() == tableau.violations.tolist()
