"""``otlab predict``: the contract of its JSON, what it prints, and what it refuses."""

from __future__ import annotations

import io
import json
import re
import sys

import pytest

from otlab.cli import main
from otlab.errors import InputError
from otlab.ot.constraint_names import parse_values

ILOKANO = "*C-ONS=0,AL=0.6091403884,I_BR=-0.3764960914"


def run_json(capsys, *argv):
    assert main(["predict", *argv, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_json_as_agreed(capsys):
    result = run_json(capsys, "ilokano", "--values", ILOKANO, "--seed", "7")
    assert {"otlab", "seed", "settings", "seconds", "method", "predictions", "constraints"} <= result.keys()
    assert result["seed"] == 7
    assert result["method"] == "exact"
    assert result["settings"]["noise"] == 1
    assert result["settings"]["values"]["AL"] == 0.6091403884
    assert result["constraints"] == ["*C-ONS", "AL", "I_BR"]
    assert [row["candidate"] for row in result["predictions"]] == ["bu.bwa.ja", "bwaj.bwa.ja", "bub.wa.ja"]
    for row in result["predictions"]:
        assert set(row) == {"input", "candidate", "observed", "probability", "standard_error"}
        assert row["input"] == "HRED-bwaja"
        assert row["observed"] == pytest.approx(1 / 3)
        assert row["probability"] == pytest.approx(1 / 3, abs=1e-9)
        assert row["standard_error"] == 0


def test_noise_overrides_the_file(capsys):
    doubled = "*C-ONS=0,AL=1.2182807767,I_BR=-0.7529921827"
    result = run_json(capsys, "ilokano", "--values", doubled, "--noise", "2")
    assert result["settings"]["noise"] == 2
    assert [row["probability"] for row in result["predictions"]] == pytest.approx([1 / 3] * 3, abs=1e-9)


def test_an_exact_result_has_no_seed_unless_one_was_given(capsys):
    assert run_json(capsys, "ilokano", "--values", ILOKANO)["seed"] is None


def test_observed_is_null_without_data_and_identical_rows_share(capsys, monkeypatch):
    text = b"Input,Output,Frequency,A,B\nx,a,0,1,0\nx,b,,0,1\nx,c,,1,0\n"
    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": io.BytesIO(text)}))
    result = run_json(capsys, "-", "--values", "A=0,B=0")
    assert [row["observed"] for row in result["predictions"]] == [None] * 3
    assert [row["probability"] for row in result["predictions"]] == pytest.approx([0.25, 0.5, 0.25])


@pytest.mark.slow
def test_monte_carlo_reports_its_error(capsys, tmp_path):
    names = [f"C{i}" for i in range(15)]
    rows = [f"x,y{r},1," + ",".join("1" if i == r else "0" for i in range(15)) for r in range(15)]
    path = tmp_path / "wide.csv"
    path.write_text("\n".join(["Input,Output,Frequency," + ",".join(names), *rows]), encoding="utf-8")
    values = ",".join(f"{name}=0" for name in names)
    result = run_json(capsys, str(path), "--values", values, "--seed", "3")
    assert result["method"] == "monte carlo"
    for row in result["predictions"]:
        assert row["standard_error"] == pytest.approx((14 / 225 / 100_000) ** 0.5, rel=0.05)
        assert abs(row["probability"] - 1 / 15) < 4.5 * row["standard_error"]
    again = run_json(capsys, str(path), "--values", values, "--seed", "3")
    assert again["predictions"] == result["predictions"]
    assert main(["predict", str(path), "--values", values]) == 0
    out = capsys.readouterr().out
    assert "standard error" in out
    assert re.search(r"seed \d+\n$", out)
    assert isinstance(run_json(capsys, str(path), "--values", values)["seed"], int)


def test_prints_a_table(capsys):
    assert main(["predict", "ilokano", "--values", ILOKANO]) == 0
    out = capsys.readouterr().out
    assert "bwaj.bwa.ja" in out
    assert out.count("0.3333") == 6
    assert out.endswith("exact, evaluation noise 1\n")


def test_prints_nothing_for_observed_without_data(capsys, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Input,Output,Frequency,A\nx,a,0,1\n", encoding="utf-8")
    assert main(["predict", str(path), "--values", "A=0"]) == 0
    assert "nan" not in capsys.readouterr().out


def test_every_wrong_value_is_named_at_once(capsys):
    assert main(["predict", "spanish", "--values", "A=1,A=2,M=x,Q=1,D=inf"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "--values: the constraint 'A' is given twice; give it one value",
        "--values: the value 'x' of 'M' is no number; write one such as 1.5",
        "--values: no constraint is called 'Q'; choose from A, M, D, B",
        "--values: the value 'inf' of 'D' is no number; write one such as 1.5",
        "--values: no value for B; give every constraint one, as NAME=X",
    ]


@pytest.mark.parametrize(
    "argv",
    [
        ["ilokano"],
        ["ilocano", "--values", "A=1"],
        ["ilokano", "--values", ""],
        ["ilokano", "--values", ILOKANO, "--noise", "0"],
        ["ilokano", "--values", ILOKANO, "--noise", "loud"],
        ["missing.csv", "--values", "A=1"],
    ],
)
def test_wrong_use_ends_with_2(capsys, argv):
    assert main(["predict", *argv]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.strip()


def test_faults_of_the_file_are_one_a_line(capsys, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("Input,Output,Frequency,A\nx,a,-1,0.5\n", encoding="utf-8")
    assert main(["predict", str(path), "--values", "A=0"]) == 2
    assert [line.split(" ")[0] for line in capsys.readouterr().err.splitlines()] == [
        "bad.csv:2:5:",
        "bad.csv:2:8:",
    ]


def test_warnings_go_to_stderr_and_leave_the_json_alone(capsys, tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("Input,Output,Frequency,A\nx,a,1,1,9\ny,b,1,0\nz,c,1,0\n", encoding="utf-8")
    assert main(["predict", str(path), "--values", "A=0", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["predictions"][0]["probability"] == 1
    assert err.startswith("warning: long.csv:2:9: the row is longer than the header")


@pytest.mark.parametrize(
    ("text", "names", "values"),
    [
        ("A=1,B=-2.5e0", ("B", "A"), {"A": 1, "B": -2.5}),
        (" A = 1 , B=2 ,", ("A", "B"), {"A": 1, "B": 2}),
        ("R(n,m)=1,R(t,p)=2", ("R(n,m)", "R(t,p)"), {"R(n,m)": 1, "R(t,p)": 2}),
        ("a=b=1,a=2", ("a", "a=b"), {"a": 2, "a=b": 1}),
        ("A,B=3", ("A,B",), {"A,B": 3}),
    ],
)
def test_names_may_hold_commas_and_equals_signs(text, names, values):
    assert parse_values(text, names, "--values") == values


def test_a_name_without_a_value_is_refused():
    with pytest.raises(InputError, match="the value '' of 'A' is no number"):
        parse_values("A,B=1", ("A", "B"), "--values")


def test_a_row_of_weights_gives_the_values(tmp_path, capsys):
    path = tmp_path / "weighted.csv"
    path.write_text("Input,Output,Count,A,B\nweights,,,1.2,3.4\ni,o,1,1,0\ni,p,3,0,1\n", encoding="utf-8")
    result = run_json(capsys, str(path))
    assert result["settings"]["values"] == result["reading"]["values"] == {"A": 1.2, "B": 3.4}
    given = run_json(capsys, str(path), "--values", "A=1.2,B=3.4")
    assert given["predictions"] == result["predictions"]
    assert main(["predict", str(path)]) == 0
    assert "ranking values are those of its row of weights: A 1.2, B 3.4" in capsys.readouterr().err


def test_without_values_or_weights_the_file_is_named(capsys):
    assert main(["predict", "ilokano"]) == 2
    assert capsys.readouterr().err.startswith("ilokano: there is no ranking value for any constraint; give")


def test_the_sign_can_be_kept(tmp_path, capsys):
    path = tmp_path / "negative.csv"
    path.write_text("Input,Output,Count,A,B\ni,o,1,-1,0\ni,p,3,0,-2\n", encoding="utf-8")
    values = ("--values", "A=3,B=0")
    turned, kept = run_json(capsys, str(path), *values), run_json(capsys, str(path), *values, "--keep-sign")
    assert (turned["reading"]["sign"], kept["reading"]["sign"]) == ("", "as written")
    first, second = (result["predictions"][0]["probability"] for result in (turned, kept))
    assert first + second == pytest.approx(1)
    assert first < 0.5


def test_a_parse_is_not_observed_where_another_may_have_been_meant(capsys):
    values = "WSP=0,FtBin=0,Trochaic=0,Iambic=0,Parse=0,MainRight=0,AFL=0"
    assert main(["predict", "overt_stress", "--values", values, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["predictions"]
    observed = {row["candidate"]: row["observed"] for row in rows if row["input"] == "L L"}
    assert observed["(L1) L"] is None
    assert observed["(L1 L)"] is None
    assert observed["(L L1)"] == 0
