"""A further learner is one file (toy_learner.py) and one line of the registry."""

from __future__ import annotations

import json

import numpy as np
import pytest

from otlab import ot
from otlab.cli import main
from otlab.ui.ot.lab import OTLab
from tests.ot.toy_learner import TOY, ToySettings


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(ot.LEARNERS, "toy", TOY)


def test_the_command_line_runs_it(capsys):
    options = ["--learner", "toy", "--size", "0.5", "--sweeps", "30", "--seed", "3", "--json"]
    assert main(["learn", "ilokano", *options]) == 0
    out = json.loads(capsys.readouterr().out)
    assert (out["learner"], out["settings"]["size"]) == ("toy", 0.5)
    own = ot.LEARNERS["toy"].fit(ot.read("ilokano"), ToySettings(size=0.5, sweeps=30), seed=3)
    assert out["parameters"]["mean"] == own.mean.tolist()
    assert main(["learn", "ilokano", "--learner", "toy", "--size", "0"]) == 2
    assert "--size 0.0: write a number, above 0" in capsys.readouterr().err


@pytest.mark.slow
def test_the_lab_runs_it():
    lab = OTLab("ilokano")
    lab.layout = lab.main()
    further = [name for name in ot.LEARNERS if name not in ("gibbs", "gla", "toy")]
    assert [row.name for row in lab.state.rows()] == ["gibbs", "gla", "endless", *further, "toy"]
    lab.runner.enable(["toy"])
    lab.settings.param.update(size=0.5, sweeps=30, seed=3)
    lab.runner.run()
    assert lab.runner.wait(60)
    assert lab.runner.phase == "done"
    own = ot.LEARNERS["toy"].fit(ot.read("ilokano"), ToySettings(size=0.5, sweeps=30), seed=3)
    np.testing.assert_array_equal(lab.state.fits["toy"].mean, own.mean)
    np.testing.assert_array_equal(lab.state.answers.centres["toy"], own.predicted.mean)
    lab.close()
