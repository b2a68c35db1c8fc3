"""``otlab convert``: between all formats, with messages about what a format cannot hold."""

from __future__ import annotations

import json

import pytest

from otlab.cli import main
from otlab.ot import predict, read, read_praat


def run_json(capsys, *argv):
    assert main(["convert", *map(str, argv), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("ending", [".csv", ".txt", ".xlsx", ".Collection"])
def test_tables_come_back(capsys, tmp_path, ending):
    out = tmp_path / f"out{ending}"
    result = run_json(capsys, "spanish", out)
    assert result["files"] == [str(out)]
    assert read(out).to_pandas().equals(read("spanish").to_pandas())
    lost = "has no place for title, source, notes, noise, bound" in "".join(result["warnings"])
    assert lost is (ending in (".txt", ".Collection"))


def test_an_otgrammar_brings_its_pairs(capsys, tmp_path):
    result = run_json(capsys, "spanish", tmp_path / "out.OTGrammar")
    assert result["files"] == [str(tmp_path / "out.OTGrammar"), str(tmp_path / "out.PairDistribution")]
    assert read(tmp_path / "out.OTGrammar").frequencies.tolist() == read("spanish").frequencies.tolist()


def test_praat_to_praat_keeps_ranking_values_and_spelling(capsys, tmp_path):
    text = '"ooTextFile" "OTGrammar 2" <HarmonicGrammar> 0.5 1 "\\\\s{A}" 7 8 9 0 1 "\\\\ic" 1 "\\\\ic" 0'
    (tmp_path / "a.OTGrammar").write_text(text.replace("\\\\", "\\"), encoding="utf-8")
    run_json(capsys, tmp_path / "a.OTGrammar", tmp_path / "b.OTGrammar")
    assert read_praat(tmp_path / "b.OTGrammar") == read_praat(tmp_path / "a.OTGrammar")


def test_the_format_can_be_named(capsys, tmp_path):
    run_json(capsys, "spanish", tmp_path / "out.txt", "--to", "tabular")
    assert r"\begin{tabular}" in (tmp_path / "out.txt").read_text(encoding="utf-8")
    assert main(["convert", "spanish", str(tmp_path / "x.csv"), "--from", "praat"]) == 2
    assert "spanish: is csv, not praat; leave out --from" in capsys.readouterr().err
    assert main(["convert", "spanish", str(tmp_path / "x.doc")]) == 2
    assert "or name the format with --to" in capsys.readouterr().err
    assert main(["convert", "spanish", str(tmp_path / "none" / "x.csv")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_warnings_of_the_file_are_told(capsys, tmp_path):
    (tmp_path / "a.csv").write_text("Input,Output,Frequency,A\nx,y,1,1\n,z,0,1\n", encoding="utf-8")
    result = run_json(capsys, tmp_path / "a.csv", tmp_path / "b.csv")
    assert "identical violation profiles" in result["warnings"][0]


def test_paper_tableaux_can_be_ordered_by_ranking_values(capsys, tmp_path):
    values = "A=1.2,M=-1,D=0.4,B=-0.6"
    run_json(capsys, "spanish", tmp_path / "out.tex", "--values", values)
    text = (tmp_path / "out.tex").read_text(encoding="utf-8")
    assert r"\const{A} \const{D} \const{B} \const{M} \const*{observed, \%}" in text
    assert f"% constraints in the order of the ranking values {values}" in text
    predicted = predict(read("spanish"), [1.2, -1, 0.4, -0.6]).probability
    assert f"& {100 * predicted[0]:.1f}" in text
    assert main(["convert", "spanish", str(tmp_path / "out.csv"), "--values", values]) == 2
    assert "leave out --values" in capsys.readouterr().err


def test_a_collection_of_praat_stays_one(capsys, tmp_path):
    run_json(capsys, "spanish", tmp_path / "a.Collection")
    run_json(capsys, tmp_path / "a.Collection", tmp_path / "b.Collection")
    first, again = (read_praat(tmp_path / f"{name}.Collection") for name in "ab")
    assert again == first
    assert again.pairs is not None


def test_people_are_told_what_a_format_cannot_hold(capsys, tmp_path):
    (tmp_path / "a.csv").write_text("Input,Output,Frequency,A\nx,y,1,1\n,z,0,1\n", encoding="utf-8")
    assert main(["convert", str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]) == 0
    captured = capsys.readouterr()
    assert captured.out == f"{tmp_path / 'b.csv'} written\n"
    assert "identical violation profiles" in captured.err
    assert main(["convert", "spanish", str(tmp_path / "c.txt")]) == 0
    assert "has no place for title" in capsys.readouterr().out
    assert main(["convert", "overt_stress", str(tmp_path / "d.txt")]) == 0
    assert "overt forms" in capsys.readouterr().out
