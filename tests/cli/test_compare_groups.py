"""`otlab compare --by`: each speaker predicted from the others."""

import json

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
