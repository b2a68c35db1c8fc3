"""Tables that the page reads from files and from the clipboard: twins of what Python reads."""

import re

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.ot import read, to_csv, to_otsoft
from otlab.ot.io.cell_parsing import parse_frequency, parse_violations
from otlab.ot.io.heads import head_name
from otlab.ot.io.read import read_bytes, read_pasted
from otlab.ot.learners import LEARNERS
from otlab.web.page import lab_page, tableau_data
from tests.ot.test_heads import COUNTED, PERCENTS, SHARED, table
from tests.ui.browser import Visit, launched, missing
from tests.web.test_page import generated_tableau, sample_tableaux

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing() or "there")]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with launched() as browser:
        visit = Visit(browser, (390, 844))
        path = tmp_path_factory.mktemp("tables") / "otlab.html"
        path.write_text(lab_page(read("ilokano")), encoding="utf-8")
        visit.page.goto(path.as_uri())
        visit.page.locator("html[data-ready]").wait_for()
        yield visit.page
        visit.close()


def read_there(page, texts):
    return page.evaluate("texts => texts.map(text => tableauOf(text, 'mine'))", texts)


def read_here(text):
    """Return the tableau that Python reads; None if it refuses the text."""
    try:
        return tableau_data(read_pasted(text, "mine").tableau)
    except InputError:
        return None


def test_otsoft_files_of_all_samples_are_read_as_in_python(page):
    texts = [to_otsoft(tableau) for tableau in sample_tableaux()]
    texts += [text.replace("\n", "\r\n") for text in texts] + ["\ufeff" + texts[0]]
    for text, there in zip(texts, read_there(page, texts), strict=True):
        assert there["faults"] == []
        assert there["tableau"] == read_here(text)


@pytest.mark.parametrize("named", ["N", "Source", "H", "Comment", "Speaker", "Item", "Overt"])
def test_a_constraint_with_the_full_name_of_another_column_is_read_as_in_python(page, named):
    text = f"\t\t\t{named}\tMax\n\t\t\tA\tB\nx\ta\t3\t0\t1\n\tb\t1\t1\t0\n"
    for each in (text, text.replace("\t", ",")):
        (there,) = read_there(page, [each])
        assert there["faults"] == []
        assert there["tableau"] == read_here(each)


def odd_text(rng):
    """Return a generated table with the liberties of spreadsheets, and now and then a fault."""
    tableau = generated_tableau(rng)
    text = to_otsoft(tableau) if rng.random() < 0.5 else to_csv(tableau)
    lines = text.splitlines()
    delimiter = "\t" if "\t" in lines[0] else ","
    changes = {
        0: lambda cell: "*" * int(rng.integers(1, 4)),
        1: lambda cell: "",
        2: lambda cell: f" {cell} ",
        3: lambda cell: f"{cell}.0",
        4: lambda cell: "*!",
        5: lambda cell: "−1",
        6: lambda cell: "x",
        7: lambda cell: "1.5",
        8: lambda cell: "27 %",
        9: lambda cell: "1 200",
        10: lambda cell: '"a""b"',
    }
    for _ in range(int(rng.integers(0, 3))):
        at = int(rng.integers(0, len(lines)))
        cells = lines[at].split(delimiter)
        n = int(rng.integers(0, len(cells)))
        cells[n] = changes[int(rng.integers(0, len(changes)))](cells[n])
        lines[at] = delimiter.join(cells)
    if rng.random() < 0.2:
        lines.append(lines[-1])
    if rng.random() < 0.2:
        lines.insert(1, "")
    return "\n".join(lines)


def test_generated_tables_are_read_as_in_python_or_refused_as_there(page):
    rng = np.random.default_rng(3)
    texts = [odd_text(rng) for _ in range(500)]
    refused = 0
    for text, there in zip(texts, read_there(page, texts), strict=True):
        here = read_here(text)
        if there["faults"]:
            refused += 1
            assert here is None or "it is not a table with" in there["faults"][0], (text, there["faults"])
        else:
            assert there["tableau"] == here, text
    assert 20 < refused < 250


def test_heads_mean_what_they_mean_in_python(page):
    heads = [*PERCENTS, *COUNTED, *SHARED, "Max (%)", "Predicted (%)", "*[%]", "Dep (tokens)", "of %", "%%"]
    assert page.evaluate("heads => heads.map(headName)", heads) == [*map(head_name, heads)]
    texts = [table(head) for head in heads[:-6]]
    for text, there in zip(texts, read_there(page, texts), strict=True):
        assert there["faults"] == []
        assert there["tableau"] == read_here(text)


def test_cells_mean_what_they_mean_in_python(page):
    cells = [
        *(
            "",
            "2",
            "**",
            "*!*",
            "∗∗",
            "!",
            "-1",
            "−3",
            "2.5",
            "2.0",
            "2,00",
            "+4",
            "1_0",
            "nan",
            "99999999999",
            "-",
            "–",
            "— ",
        ),
        *(
            "12",
            ".33",
            "12 000",
            "1,5",
            "27 %",
            "1,040",
            "1,040,000",
            "1e3",
            "%",
            "1 2",
            "-0",
            " 7 ",
            "١",
            "1.234,5",
            "1.234.567,25",
            "1'234",
            "12’345",
            "1.23,5",
        ),
    ]
    assert page.evaluate("cells => cells.map(parsedViolations)", cells) == [*map(parse_violations, cells)]
    for comma in (False, True):
        there = page.evaluate(
            "([cells, comma]) => cells.map(cell => parsedFrequency(cell, comma))", [cells, comma]
        )
        assert there == [parse_frequency(cell, comma=comma) for cell in cells]


@pytest.mark.parametrize(
    "text",
    [
        "Input;Output;Frequency;Max\nbad;bad;0,5;0\nbad;pat;1,040;1\n",
        "UR\tSurface\tn\tMax\tComment\nbad\tbad\t5\t\tgood\n\tpat\t\t*\t\n",
        "\t\t\tMaximality\tDep\n\t\t\tMax\t\n/a/\ta\t1\t\t1\n\tb\t2\t1\n/c/\tc\t1\t1\t1\n/a/\td\t1\t2\t2\n",
        "# title: Mine\n# my own remark\n# note: kept\nInput,Output,Frequency,Max\nx,y,1,-1\nx,z,1,-2\n",
        "# constraint: Percent = Percent\nInput,Output,Frequency,Max,Percent\nx,y,1,1,0\nx,z,1,0,1\n",
        "UR,SR,Observed,Max,Predicted\nbad,bad,5,0,1\n,pat,–,1,0\n",
        "Input,Output,Frequency,A\nx,\"a, \"\"b\"\"\nc\",1,0\nx,z,1\n",
        "Input,Output,Frequency,A,B,Total\ni,o,3,1,0,1\n,p,1,0,1,1\n,Total,4,,\nGrand Total,,4,1,1\n",
        "Input,Output,Frequency,A\nes,es,3,1\n,sum,3,0\n,total,4,2\n",
        "Eingabe;Kandidat;Häufigkeit;A;;B;eHarmony;Harmony\ni;o;3;1;;0;,5;-1\n;p;1;0;;1;,5;-1\n",
        "Input,Output,Frequency,A\ni,o,3,1\n,p,1,0\nInput,Output,Frequency,A\nj,o,3,1\n",
        "Input,Output,Frequency,A\nb\u00e3d,o,3,1\nba\u0303d,o,2,1\n,b\u00e3,1,0\n,ba\u0303,1,0\n",
        "Input,Output,Frequency,Parse,Winner\ni,o,3,1,2\n,p,1,0,1\n",
        "Input,Output,Frequency,Parse,N\n,,,s0,s1\ni,o,3,1,2\n,Total,3,,\n",
        "Input,Output,,A,Percent\ni,o,3,1,.2\n,sum,2,0,-1\n,sum,2,0,-1\n",
        "\t\t\tPercent\tMax\n\t\t\tA\tB\ni\to\t3\t1\t\n\tp\t1\t\t1\n",
    ],
)  # fmt: skip
def test_ways_to_write_a_table(page, text):
    (there,) = read_there(page, [text])
    assert there["faults"] == []
    assert there["tableau"] == read_here(text)


HEADER = "Input,Output,Frequency,A,B\n"
DOUBTFUL = {
    "a source below": f"{HEADER}i,o,3,1,0\n,p,1,0,1\n\nSource: Hayes 2009\n",
    "two notes below": f"{HEADER}i,o,3,1,0\n,p,1,0,1\nNote 1\nNote 2,,,\n",
    "a note in the column of comments": "Input,Output,Freq,A,Comment\ni,o,3,1,x\n,p,1,0,y\n,,,,see Hayes\n",
    "perhaps a note": f"{HEADER}i,o,3,1,0\n,p,1,0,1\nSource: Hayes, 2009\n",
    "perhaps a note below the candidates": f"{HEADER}i,o,3,1,0\n,p,1,0,1\n,no winner here\n",
    "perhaps a note that stands apart": f"{HEADER}i,o,3,,0\n,p,,,\n\nHayes,2009\n",
    "notes below one candidate": "\t\t\tAlpha\tBeta\n\t\t\tA\tB\ni\to\t3\t1\t0\nSource\n",
    "a point of thousands": f"{HEADER}i,o,1.040,1,0\n,p,27,0,1\n".replace(",", "\t"),
    "of semicolons": f"{HEADER}i,o,1.040,1,0\n,p,2.500,0,1\n".replace(",", ";"),
    "surely decimals": f"{HEADER}i,o,1.040,1,0\n,p,2.5,0,1\n".replace(",", ";"),
    "of commas": f"{HEADER}i,o,1.040,1,0\n,p,27,0,1\n",
    "dates": f"{HEADER}i,o,3,45123,0\n,p,1,0,45000\n,q,1,39999,60000\n",
    "F": "Input,Output,F,A\ni,o,3,1\n,p,1,0\n",
    "p": "Input,Output,p,A\ni,o,,1\n,p,9,0\n",
    "P of many": "Input,Output,P,A\ni,o,30,1\n,p,1,0\n",
    "N": "Input,Output,N,A\ni,o,3,1\n,p,1,0\n",
    "percents": "Input,Output,Percent,A\ni,o,70,1\n,p,30,0\n",
    "percents in other words": "Input,Output,Frequency (%),A\ni,o,70,1\n,p,30,0\n",
    "percents with a total": "# Total: 40\nInput,Output,Percent,A\ni,o,70,1\n,p,30,0\n",
    "percents with their sign": "Input,Output,Percent,A\ni,o,70%,1\n,p,30%,0\n",
    "columns": "Input,Output,Freq,A,Predicted,,Gloss\ni,o,3,1,2.5,,dog\n,p,1,0,1.5,,\n",
    "the header again": f"{HEADER}i,o,3,1,0\n,p,1,0,1\n{HEADER}j,o,3,1,0\n,q,1,0,1\n",
    "sums": f"{HEADER}i,o,3,1,0\n,p,1,0,1\n,Total,4,,\nGrand Total,,4,,\n",
    "an input in two places": f"{HEADER}i,o,3,1,0\nj,o,1,0,1\ni,p,1,0,1\n",
    "rows that are too long": f"{HEADER}i,o,3,1,0,x,y\n,p,1,0,1\n",
    "an abbreviation too many": "\t\t\tAlpha\tBeta\n\t\t\tA\tB\tC\ni\to\t3\t1\t0\n\tp\t1\t\t1\n",
    "candidates alike": f"{HEADER}i,o,3,1,0\n,p,1,1,0\n,q,0,1,0\nj,r,1,1,0\n",
    "names of other characters": f"{HEADER}\u00e3,o,3,1,0\na\u0303,p,1,0,1\n,\u00e3,1,1,1\n,a\u0303,2,1,1\n",
    "rewards": f"{HEADER}i,o,3,-1,0\n,p,1,0,-2\n",
    "rewards that are meant": f"# sign: as written\n{HEADER}i,o,3,-1,0\n,p,1,0,-2\n",
    "a number below 0": f"{HEADER}i,o,3,1,0\n,p,1,0,-2\n",
    "numbers below 0": f"{HEADER}i,o,3,1,0\nj,p,1,-1,-2\n,q,1,1,1\n",
    "a full-width comma": f"{HEADER}i,o，3,1,0\np,p,1,0,1\n",
    "a full-width comma in a name": f"{HEADER}i,o，3,1,0,1\np,p,1,0,1\n",
    "what is not seen": f"{HEADER}tat,o,3\u200b,1,0\n\u200etat,p,1,0,1\nt\u00adat,q,1,1,1\n,ã\u200b,1,2,1\n"
    ",ã,1,2,1\n",
    "bars": f"{HEADER}---,---,--,:-:,---\ni,o,3,1,0\n,p,1,0,1\n".replace(",", "|"),
    "nothing": f"{HEADER}i,o,3,1,0\n,p,1,0,1\n",
}


@pytest.mark.parametrize("case", DOUBTFUL)
def test_what_python_warns_of_the_page_says(page, case):
    """The same lines and the same words, apart from quotation marks; the hints are the page's own."""
    text = DOUBTFUL[case]
    here = read_bytes(text.encode(), "mine.csv")
    (there,) = read_there(page, [text])
    assert there["faults"] == []
    assert there["tableau"] == tableau_data(here.tableau)
    said = [(each["line"], re.sub("[\u2068\u2069]", "", each["what"])) for each in there["remarks"]]
    assert sorted(said) == sorted((fault.line or 0, fault.what.replace("'", "")) for fault in here.warnings)


def test_generated_tables_are_remarked_on_as_in_python(page):
    rng = np.random.default_rng(5)
    texts = [odd_text(rng) for _ in range(300)]
    compared = 0
    for text, there in zip(texts, read_there(page, texts), strict=True):
        if there["faults"]:
            continue
        said = [(each["line"], re.sub("[\u2068\u2069]", "", each["what"])) for each in there["remarks"]]
        here = read_bytes(text.encode(), "mine.csv").warnings
        assert sorted(said) == sorted((fault.line or 0, fault.what.replace("'", "")) for fault in here), text
        compared += bool(here)
    assert compared > 20


def test_many_remarks_of_a_kind_are_one(page):
    rows = "".join(f"i{n},o,3,{40_000 + n},0\n,p,1,0,1\n" for n in range(12))
    (words,) = page.evaluate("text => remarksInWords(tableauOf(text, 'mine').remarks)", HEADER + rows)
    assert words.startswith("line 2: 40000 violations: a date that became a number")
    assert words.endswith("(and 11 more like this)")


SECOND = {
    "below": f"{HEADER}i,o,3,1,0\n,p,1,0,1\n\nInput,Output,Frequency,C\nj,o,3,1\n",
    "below a title": f"{HEADER}i,o,3,1,0\n,p,1,0,1\nTable 2\n,,,Gamma,Delta\n,,,C,D\nj,o,3,1,0\n",
    "with another order": f"{HEADER}i,o,3,1,0\n,p,1,0,1\nInput,Output,Frequency,B,A\nj,o,3,1,0\n",
    "of UR and SR": f"{HEADER}i,o,3,1,0\n,p,1,0,1\nUR,SR,n,Onset\nj,o,3,1\n".replace(",", "\t"),
    "beside": "Input,Output,Frequency,A,,UR,SR,Freq,B\ni,o,3,1,,j,o,3,1\n,p,1,0,,,q,1,0\n",
}


@pytest.mark.parametrize("case", SECOND)
def test_a_second_table_is_refused_in_one_sentence(page, case):
    (there,) = read_there(page, [SECOND[case]])
    with pytest.raises(InputError) as refused:
        read_bytes(SECOND[case].encode(), "mine.csv")
    (fault,) = refused.value.faults
    assert fault.what.startswith("a second table begins here")
    (said,) = there["faults"]
    assert said.startswith(f"line {fault.line}: a second table begins")


@pytest.mark.parametrize(
    "text",
    [
        "Input,Output,Speaker,Frequency,A\nx,y,s,1,0\n",
        "Input,Output,Frequency,A\nweights,,,2.5\nx,y,1,0\n",
        "Input,Winner,Loser,A\nbad,pat,bad,W\n",
        "/bad/,*Vcd,Ident\n☞ pat,,*\nbad,*!,\n",
        "Input,Output,Frequency,A,Winner\ni,o,,1,x\n,p,,0,\n",
        "Input,Output,Winner,A\ni,o,x,1\n,p,,0\n",
        "Input,Output,Frequency,A,B\ni,o,3,1,0\n,p,1,0,1\nweights,,,2.5,1\n",
        "Input,Pair,A,B\ni,o ~ p,W,L\n",
        "Output,Input,Frequency,A\ni,o,3,1\np,o,1,0\n",
        "Input,Output,,A,Percent\ni,o,,1,20\n,p,,0,80\n",
        "Input,Output,Frequency,Hidden,A\ni,o,3,(o),1\n,o,3,o,0\n",
    ],
)
def test_what_the_command_reads_is_left_to_it(page, text):
    (there,) = read_there(page, [text])
    assert "the command otlab page reads other tables" in there["faults"][0]
    assert read_pasted(text, "mine").tableau.constraints


@pytest.mark.parametrize("head", ["Overt", "overt form", "Heard"])
def test_overt_forms_are_refused_by_name_and_the_lab_has_learners_of_them(page, head):
    (there,) = read_there(page, [f"Input,Output,{head},Frequency,A\nx,y,s,1,0\nx,z,s,,1\n"])
    (fault,) = there["faults"]
    assert "overt forms" in fault
    for learner in ("maxent-overt", "eip"):
        assert learner in fault
        assert learner in LEARNERS


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Input;Output;Frequency;A\ni;o;3;1;2\n;p;1;0;*\n", "line 2: 2 stands beyond the last name"),
    ],
)
def test_what_could_be_read_wrongly_is_refused_as_in_python(page, text, what):
    (there,) = read_there(page, [text])
    assert what in there["faults"][0]
    assert read_here(text) is None


def paste(page, label, text):
    """Paste a text into a field, or into the page."""
    page.evaluate(
        """([label, text]) => {
          const data = new DataTransfer()
          data.setData("text/plain", text)
          const host = label ? document.querySelector(`[aria-label="${label}"]`) : document.body
          const pasting = { clipboardData: data, bubbles: true, cancelable: true }
          host.dispatchEvent(new ClipboardEvent("paste", pasting))
        }""",
        [label, text],
    )


def test_blocks_and_tables_are_pasted(page):
    field = page.get_by_label
    paste(page, "Count of bu.bwa.ja", "5\t*\t\n7\t\t2\r\n")
    assert [field(f"Count of {name}", exact=True).input_value() for name in ("bu.bwa.ja", "bwaj.bwa.ja")] == [
        "5",
        "7",
    ]
    assert field("*C-ONS of bu.bwa.ja", exact=True).input_value() == "1"
    assert field("AL of bwaj.bwa.ja", exact=True).input_value() == "2"
    paste(page, "Candidate 3 of HRED-bwaja", "a\t1\nb\t2\nשלום" + "ŋ" * 200 + "\t3")
    assert field("Candidate 5 of HRED-bwaja", exact=True).input_value() == "שלום" + "ŋ" * 200
    page.get_by_role("button", name="Undo").click()
    assert field("Candidate 3 of HRED-bwaja", exact=True).input_value() == "bub.wa.ja"
    paste(page, "AL of bu.bwa.ja", "1\t2\t3\n")
    page.get_by_text("The block has 1 more column than the table").wait_for()
    paste(page, "AL of bu.bwa.ja", "1\tx\n")
    page.get_by_text("is no number").wait_for()
    paste(page, "AL of bu.bwa.ja", to_otsoft(read("spanish")))
    page.get_by_role("heading", name="Pasted table").wait_for()
    assert field("Candidate 1 of uba", exact=True).input_value() == "ubita"
    page.get_by_role("button", name="Undo").click()
    paste(page, "", f"http://127.0.0.1:5006/ot_lab?example={read('tagalog').name}&seed=9")
    page.get_by_role("heading", name=read("tagalog").title).wait_for()
    assert field("Seed", exact=True).input_value() == "9"


def test_a_file_that_is_read_says_what_may_not_be_meant(page):
    text = f"{HEADER}é,o,3,1,0\n,p,1,0,1\n\nSource: Hayes 2009\n"
    page.locator("input[type=file]").first.set_input_files(
        {"name": "mine.csv", "mimeType": "text/csv", "buffer": text.encode("cp1252")}
    )
    said = page.get_by_text("below the table: left out")
    said.wait_for()
    assert "line 5: Source: Hayes 2009 below the table: left out" in said.inner_text()
    assert "not UTF-8, read as Windows-1252 (Latin-1); if its letters are wrong" in said.inner_text()
