"""Tables checked by formulas: rebuilt samples, falsified cells, columns by name, UCLA's results."""

import numpy as np
import pytest

from otlab import load_sample
from otlab.cli import main
from otlab.errors import InputError
from otlab.ot import read_text
from otlab.ot.analysis.check import check
from otlab.ot.io.read import read_bytes
from otlab.samples import samples
from tests.ot.rebuilt import OTHERS, REBUILT


def test_every_sample_is_rebuilt_or_has_a_reason():
    assert {*REBUILT} | {*OTHERS} >= {sample.name for sample in samples("ot")}
    assert len(REBUILT) >= 8


@pytest.mark.parametrize("name", REBUILT)
def test_a_shipped_tableau_is_rebuilt_from_its_forms(name):
    tableau = load_sample(name)
    found = check(tableau, REBUILT[name])
    assert found.checked == tableau.violations.size
    assert not found.cells


@pytest.mark.parametrize("name", REBUILT)
def test_falsified_cells_are_found_and_no_others(name):
    tableau = load_sample(name)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        size = max(1, round(tableau.violations.size / 200))
        wrong = tableau
        cells = {
            (int(c) // tableau.n_constraints, int(c) % tableau.n_constraints)
            for c in rng.choice(tableau.violations.size, size, replace=False)
        }
        for row, column in cells:
            wrong = wrong.with_cell(
                row, column, int(tableau.violations[row, column] + rng.choice([-1, 1, 2]))
            )
        assert {(cell.row, cell.column) for cell in check(wrong, REBUILT[name]).cells} == cells


def test_heads_that_are_formulas_or_known_are_counted_and_the_others_listed():
    tableau = read_text("Input,Output,Count,NoCoda,*ti,AL,Max-IO\ntat,tat,1,1,0,3,0\ntat,ta,0,1,0,0,1\n")
    found = check(tableau)
    assert [column.formula for column in found.columns] == ["NoCoda", "*ti", "", "Max"]
    assert [(cell.candidate, cell.constraint, cell.typed, cell.counted) for cell in found.cells] == [
        ("ta", "NoCoda", 1, 0)
    ]
    assert check(tableau, {"NoCoda": ""}).columns[0].why == "left out"


def test_a_number_that_is_one_of_the_readings_does_not_disagree():
    for typed, disagree in ((0, False), (1, False), (2, True)):
        tableau = read_text(f"Input,Output,Count,M\ntata,ta,1,{typed}\n")
        assert bool(check(tableau, {"M": "Max /in #_"}).cells) == disagree


def test_what_is_given_wrong_is_told():
    with pytest.raises(InputError, match="no constraint is called 'X'"):
        check(load_sample("dutch_final_devoicing"), {"X": "Max"})
    with pytest.raises(InputError, match="no feature"):
        check(load_sample("dutch_final_devoicing"), {"*VoicedCoda": "*[+vioce]"})


UCLA = (
    "word\tscore\t*[+high]\t*VV\tannotation\nword\tscore\tdefault\tVowel\tannotation\n"
    "word\tscore\t1.5\t2\tannotation\np i t a \t1\t1\t1\treal\np a\t0\t0\t0\treal\np a \t0\t0\t0\treal\n"
)


def test_results_of_the_phonotactic_learner(tmp_path, capsys):
    reading = read_bytes(UCLA.encode(), "results.txt")
    assert reading.tableau.constraints == ("*[+high]", "*VV (tier=Vowel)")
    assert reading.tableau.n_rows == 3
    assert reading.values == {"*[+high]": 1.5, "*VV (tier=Vowel)": 2}
    (tmp_path / "r.txt").write_text(UCLA, encoding="utf-8")
    (tmp_path / "tiers.txt").write_text("Vowel +syllabic : high\n", encoding="utf-8")
    assert main(["check", str(tmp_path / "r.txt"), "--tiers", str(tmp_path / "tiers.txt")]) == 0
    assert "6 cells checked: all agree" in capsys.readouterr().out


def test_the_command_line_says_what_columns_count_and_marks_the_places(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("Input,Output,Frequency,A=B\npada,pada,1,1\npada,pata,1,0\n", encoding="utf-8")
    assert main(["check", str(path), "--as", "A=B=*[+voice,-sonorant]"]) == 0
    assert "2 cells checked: all agree" in capsys.readouterr().out
    path.write_text("Input,Output,Frequency,V\npada,pada,1,3\npada,pata,1,0\n", encoding="utf-8")
    assert main(["check", str(path), "--as", "V = *[+voice,-sonorant]"]) == 2
    assert "no constraint is called 'V '" in capsys.readouterr().err
    assert main(["check", str(path), "--as", "V=*[+voice,-sonorant]"]) == 4
    assert "/pada/ pa‹d›a, V: 3 typed, 1 counted" in capsys.readouterr().out
    assert main(["check", str(path), "--as", "V"]) == 2
    assert "--as 'V' has no =; write COLUMN=FORMULA" in capsys.readouterr().err
    path.write_text("Input,Output,Frequency,V\npada,(pa.da,1,3\npada,pata,1,0\n", encoding="utf-8")
    assert main(["check", str(path), "--as", "V=AFL"]) == 2  # which counts feet
    assert "has a foot that is not closed" in capsys.readouterr().err
