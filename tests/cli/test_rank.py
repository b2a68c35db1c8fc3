"""``otlab rank``: the contract of its JSON, what it prints, and what it refuses."""

from __future__ import annotations

import contextlib
import json

import pytest

from otlab import samples
from otlab.cli import main
from otlab.ot import read
from otlab.ot.analysis.rank import rank
from otlab.ot.analysis.report import ranking_report
from otlab.viz.ot.ranking import needs_html


def run_json(capsys, *argv):
    assert main(["rank", *argv, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("name", [sample.name for sample in samples.samples("ot")])
def test_every_sample(capsys, name):
    result = run_json(capsys, name)
    ranked = [constraint for stratum in result["strata"] for constraint in stratum]
    if result["consistent"]:
        assert sorted(ranked) == sorted(result["constraints"])
        assert result["culprit"] is None
    else:
        assert ranked == result["hasse"] == result["skeletal_basis"] == []
        assert result["culprit"]["ercs"]
        assert result["culprit"]["words"]


def test_json_as_agreed(capsys):
    result = run_json(capsys, "lin2005_table2")
    assert result["strata"] == [["C3", "C5"], ["C1"], ["C2", "C4"]]
    assert result["bounded"] == [{"input": "x1", "candidate": "y13", "by": ["y14"], "kind": "simple"}]
    assert result["hasse"] == [["C1", "C2"], ["C1", "C4"], ["C3", "C2"], ["C3", "C4"]]
    assert {"prefer_winner": ["C3", "C5"], "prefer_loser": ["C1"]} in result["skeletal_basis"]
    assert result["winners"] == {"x1": "y11", "x2": "y21"}


def test_a_culprit_names_candidates(capsys):
    culprit = run_json(capsys, "inconsistent_demo")["culprit"]
    assert culprit["ercs"][0] == {
        "input": "x1",
        "winner": "a",
        "loser": "b",
        "prefer_winner": ["A"],
        "prefer_loser": ["B"],
    }


def test_algorithms_and_rankings_given_beforehand(capsys, tmp_path):
    low = run_json(capsys, "cv_syllable_typology", "--algorithm", "bcd")
    assert low["strata"] == [["Onset", "NoCoda"], ["Fill-Nuc"], ["Parse"], ["Fill-Ons"]]
    assert low["faithfulness"] == ["Parse", "Fill-Ons", "Fill-Nuc"]
    assert main(["rank", "cv_syllable_typology", "--algorithm", "bcd"]) == 0
    said = "ranked as low as possible, as faithfulness constraints: Parse, Fill-Ons, Fill-Nuc"
    assert said in capsys.readouterr().out
    named = run_json(
        capsys, "cv", "--algorithm", "lfcd", "--faithfulness", "Parse", "--faithfulness", "Onset"
    )
    assert named["faithfulness"] == ["Onset", "Parse"]
    path = tmp_path / "apriori.csv"
    path.write_text(",A,D\nD,x,\n", encoding="utf-8")
    result = run_json(capsys, "spanish", "--apriori", str(path))
    assert not result["consistent"]
    assert {"prefer_winner": ["D"], "prefer_loser": ["A"]} in result["culprit"]["ercs"]
    path.write_text(",A,D\nD,x,\nA,,x\n", encoding="utf-8")
    assert main(["rank", "spanish", "--apriori", str(path)]) == 2
    assert "go round in a circle" in capsys.readouterr().err


def test_what_it_prints(capsys):
    assert main(["rank", "spanish"]) == 0
    printed = capsys.readouterr().out
    assert "      2  M, B" in printed
    assert "  A >> M and B" in printed
    assert main(["rank", "harmonic_bounding_demo"]) == 0
    printed = capsys.readouterr().out
    assert "No ranking does this: /x/: bounded beats good, though no constraint prefers it" in printed


def test_typology_as_agreed(capsys):
    result = run_json(capsys, "dutch_final_devoicing", "--typology")
    found = result["typology"]
    assert (found["languages"], found["rankings_total"], found["complete"]) == (3, 6, True)
    assert found["patterns"][1]["winners"] == {"bed": "bet"}
    assert sorted(found["patterns"][1]["ranking"]) == sorted(result["constraints"])
    assert result["t_orders"] == []
    assert ["at+ma", "apma", "an+pa", "ampa"] not in run_json(capsys, "nasal", "--typology")["t_orders"]
    few = run_json(capsys, "cv", "--typology", "--max-languages", "4")["typology"]
    assert (few["languages"], few["complete"], len(few["patterns"])) == (4, False, 4)
    assert main(["rank", "cv", "--typology", "--max-languages", "0"]) == 2
    assert "choose 1 or more" in capsys.readouterr().err


def test_the_typology_stops_at_ctrl_c(capsys, monkeypatch):
    from otlab.cli import rank as command

    @contextlib.contextmanager
    def interrupted(console, label):
        def stop(share):
            raise KeyboardInterrupt

        yield stop

    monkeypatch.setattr(command, "share_bar", interrupted)
    assert main(["rank", "cv", "--typology", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["typology"]["languages"] == 9


def test_t_orders_are_printed(capsys):
    assert main(["rank", "td_deletion_chicano", "--typology"]) == 0
    printed = capsys.readouterr().out
    assert "5 languages of 24 rankings:" in printed
    assert "  if /west end/ is wes end, then /west side/ is wes side" in printed


def test_a_hasse_diagram_is_written(capsys, tmp_path):
    path = tmp_path / "order.svg"
    assert main(["rank", "lin2005_table2", "--hasse", str(path)]) == 0
    drawn = path.read_text(encoding="utf-8")
    assert drawn.startswith("<svg")
    assert "C3 or C5 &gt;&gt; C1" in drawn
    assert main(["rank", "cv", "--hasse", str(tmp_path / "no" / "order.svg")]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert main(["rank", "cv", "--hasse", str(tmp_path / "order.png")]) == 2
    assert "order.png: the diagram is drawn as SVG; let the name end in .svg" in capsys.readouterr().err
    assert main(["rank", "inconsistent", "--hasse", str(tmp_path / "none.svg")]) == 0
    assert "none.svg: not written, for there is no ranking to draw" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["order.svg"]


def test_where_every_constraint_is_needed_none_is_said_to_be_left_out(capsys, tmp_path):
    (tmp_path / "one.csv").write_text("Input,Output,Frequency,A\nx,a,1,0\nx,b,0,1\n", encoding="utf-8")
    report = tmp_path / "report.txt"
    assert main(["rank", str(tmp_path / "one.csv"), "--report", str(report)]) == 0
    printed = capsys.readouterr().out
    assert "no ranking at all" in printed
    assert "left out" not in printed
    assert report.read_text(encoding="utf-8") == ranking_report(rank(read(tmp_path / "one.csv")))


def test_equally_frequent_candidates_are_told(capsys, tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"{name},o,5,1,0\n{name},p,5,0,1\n" for name in "ijkl")
    path.write_text(f"Input,Output,Frequency,A,B\n{rows}m,o,2,1,0\nm,p,1,0,1\n")
    assert main(["rank", str(path)]) == 0
    said = "equally frequent candidates of /i/, /j/, /k/ and 1 more: the first one is taken as the winner"
    assert said in capsys.readouterr().out
    assert run_json(capsys, str(path))["tied"] == ["i", "j", "k", "l"]


def test_a_table_without_frequencies_has_no_winners(capsys, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Input,Output,Frequency,A,B\ni,o,,1,0\n,p,,0,1\n")
    assert main(["rank", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "no candidate has a frequency, so there are no winners and any ranking will do" in printed
    assert "can be left out" not in printed
    assert "there are no winners" in needs_html(rank(read(path)))


def test_candidates_that_bound_another_alone_or_together_are_told_apart(capsys, tmp_path):
    path = tmp_path / "t.csv"
    rows = "i,win,1,0,0,0", ",alone,0,1,0,0", ",last,0,1,1,0", ",c,0,0,0,1"
    path.write_text("\n".join(("Input,Output,Frequency,A,B,C", *rows)) + "\n")
    assert main(["rank", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "alone of /i/ can never win: win bounds it" in printed
    assert "last of /i/ can never win: win and alone each bound it" in printed
