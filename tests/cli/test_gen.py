"""`otlab gen` counts on the tiers of a file."""

import json

from otlab.cli import main


def test_named_tiers_are_used(tmp_path, capsys):
    tiers = tmp_path / "Projections.txt"
    tiers.write_text("Vowel +syllabic\n", encoding="utf-8")
    formula = "*[+high][-high] (tier=Vowel)"
    out = tmp_path / "made.csv"
    words = ["gen", "kita", "--constraints", formula, "--tiers", str(tiers), "--out", str(out), "--json"]
    assert main(words) == 0
    (found,) = json.loads(capsys.readouterr().out)["inputs"]
    counts = {one["candidate"]: one["violations"] for one in found["candidates"]}
    assert counts["kita"] == [1]
    assert counts["kta"] == [0]
    assert "# tiers: Vowel +syllabic" in out.read_text(encoding="utf-8")


def test_no_constraint_is_refused(capsys):
    assert main(["gen", "pa", "--constraints", " ; "]) == 2
    assert capsys.readouterr().err.startswith("--constraints names none; write formulas")
