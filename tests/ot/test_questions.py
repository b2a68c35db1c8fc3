"""Which word to ask next: information by hand, and the command."""

import json

import numpy as np
import pytest

from otlab.cli import main
from otlab.errors import InputError
from otlab.ot import read_text, to_csv
from otlab.ot.analysis.questions import questions, with_heard
from tests.ot.test_interpretive import SMALL, stress


def test_information_by_hand():
    tableau = read_text("Input,Output,Count,C\nx,a,0,1\nx,b,0,0\ny,c,0,0\ny,d,0,1\nz,e,1,0\nz,f,0,1\n")
    probabilities = np.array([[0.9, 0.1, 1, 0, 0.5, 0.5], [0.1, 0.9, 1, 0, 0.5, 0.5]])
    found = questions(tableau, probabilities)
    entropy = -(0.9 * np.log2(0.9) + 0.1 * np.log2(0.1))
    assert found.input.tolist() == ["x", "y"]  # z has been heard
    assert found.information.tolist() == pytest.approx([1 - entropy, 0])


def test_parses_of_one_overt_form_are_one_answer():
    tableau = with_heard(read_text(SMALL), {"LH": "L H1"})
    one = np.array([[1, 0, 0, 0.5, 0.5], [0, 1, 0, 0.5, 0.5]], float)
    assert questions(tableau, one).information.tolist() == pytest.approx([0])


def test_what_was_heard_has_to_be_in_the_table():
    with pytest.raises(InputError) as error:
        with_heard(read_text(SMALL), {"LX": "L", "LL": "L2 L"})
    assert len(error.value.faults) == 2


@pytest.mark.slow
def test_the_command(tmp_path, capsys):
    path = tmp_path / "stress.csv"
    to_csv(stress(), path)
    command = ["ask", str(path), "--heard", "L L=L1 L", "--sweeps", "300", "--seed", "1", "--json"]
    assert main(command) == 0
    words = json.loads(capsys.readouterr().out)["words"]
    assert {word["input"] for word in words} == {"L L L", "L L L L"}
    assert words[0]["information"] >= words[1]["information"] >= 0


def test_the_command_prints_the_words_that_tell_most(tmp_path, capsys):
    path = tmp_path / "stress.csv"
    to_csv(stress(), path)
    command = ["ask", str(path), "--learner", "rip", "--sweeps", "30", "--seed", "1"]
    assert main([*command, "--heard", "L L=L1 L"]) == 0
    printed = capsys.readouterr().out
    assert [part in printed for part in ("bits  /L L L/", "bits  /L L L L/")] == [True, True]
    assert "every word" not in printed
    assert main(["ask", "overt_stress", "--sweeps", "20", "--seed", "1"]) == 0
    printed = capsys.readouterr().out
    assert "every word of the file has been heard" in printed
    assert "warning: not converged" in printed
    assert main([*command, "--heard", "L L"]) == 2
    assert "--heard 'L L' is not INPUT=OVERT; write it as" in capsys.readouterr().err
