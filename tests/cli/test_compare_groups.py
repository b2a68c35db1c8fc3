"""`otlab compare`: what it prints, and each speaker predicted from the others."""

import json
from itertools import product

import pytest

from otlab.cli import main
from otlab.ot import read_text
from otlab.ot.analysis.leave_group_out import compare_levels

ROWS = "Speaker,Input,Output,n,*Zero\n" + "".join(
    f"{who},t,t,{n},0\n{who},t,0,{10 - n},1\n" for who, n in zip("ABC", (9, 2, 7), strict=True)
)
OPTIONS = ("--models", "maxent", "--no-posterior", "--by", "speaker", "--sweeps", "60", "--seed", "1")


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text(ROWS, encoding="utf-8")
    return str(file)


@pytest.mark.slow
def test_speakers_are_predicted_from_the_others_as_by_the_library(table, capsys):
    assert main(["compare", table, *OPTIONS, "--json"]) == 0
    by = json.loads(capsys.readouterr().out)["by"]
    assert (by["level"], by["learner"], by["sweeps"]) == ("speaker", "maxent-mixed", 60)
    library = compare_levels(read_text(ROWS), "speaker", learner="maxent-mixed", seed=1, sweeps=60)
    assert [model["elpd"] for model in by["models"]] == pytest.approx(
        [one.to_dict()["elpd"] for one in library]
    )
    assert main(["compare", table, *OPTIONS]) == 0
    assert by["words"] in " ".join(capsys.readouterr().out.split())


def test_a_table_without_speakers_is_refused_before_anything_is_fitted(capsys):
    assert main(["compare", "ilokano", "--by", "speaker", "--seed", "1"]) == 2
    assert "speaker" in capsys.readouterr().err.lower()


def test_differences_of_logits_are_printed_and_the_rest_counted(capsys, tmp_path):
    rows = []
    for n, flags in enumerate(product("01", repeat=4)):
        rows.append(f"{n},t,{n + 2},1,{','.join(flags)}")
        rows.append(f"{n},0,{18 - n},0,0,0,0,0")
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["Input,Output,n,*Coda,[a],[b],[c],[d]", *rows]), encoding="utf-8")
    options = ["--models", "maxent", "--no-posterior", "--uniformity", "--seed", "1"]
    assert main(["compare", str(path), *options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["uniformity"]
    assert main(["compare", str(path), *options]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert len(found["contrasts"]) == 4 * 8
    assert "and 12 more; --json has all" in printed
    assert found["words"] in printed


def test_levels_and_leave_one_out_are_printed(table, capsys):
    options = ["--models", "maxent", "--by", "speaker", "--sweeps", "20", "--seed", "1"]
    assert main(["compare", table, *options]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["levels", "elpd", "by", "speaker", "se", "largest", "Pareto", "k"] in lines
    elpd = {
        line[0]: float(line[1]) for line in lines if line[:1] in (["speakers"], ["none"]) and len(line) == 4
    }
    assert elpd["speakers"] > elpd["none"]  # speakers differ: 9, 2 and 7 of 10
    assert "Largest Pareto k of leave-one-out: MaxEnt" in "\n".join(map(" ".join, lines))


def test_models_that_cannot_fit_say_why(capsys):
    command = ["compare", "harmonic_bounding_demo", "--models", "sot,maxent", "--no-posterior", "--seed", "1"]
    assert main(command) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "Stochastic OT: 'bounded' of 'x' is observed but can never win: 'good' bounds it" in printed
    assert "MaxEnt: no finite optimum: some weights grow without end; give a prior" in printed
