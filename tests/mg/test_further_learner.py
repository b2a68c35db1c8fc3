"""A further learner is one class and one line of the registry: command line, library and lab then have it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import numpy as np
import pytest

from otlab.cli import main
from otlab.inference.registry import LearnerEntry
from otlab.mg.learners import LEARNERS
from otlab.mg.learners.corpus_learner import OptimiserSettings
from otlab.mg.learners.fit import induce
from otlab.mg.learners.vb import VB
from otlab.samples import load_sample
from otlab.ui.mg.lab import MGLab


@dataclass(frozen=True)
class Toy(VB):
    """Variational Bayes under another name."""

    name: str = field(default="toy", init=False)


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setitem(LEARNERS, "toy", LearnerEntry("toy", Toy.make, "Toy", "iteration", OptimiserSettings))


def test_the_command_line_runs_it(toy, capsys):
    found = []
    for name in ("toy", "vb"):
        options = ["--learner", name, "--iterations", "6", "--init", "jitter", "--seed", "2", "--json"]
        assert main(["induce", "attachment_wh", *options]) == 0
        found.append(json.loads(capsys.readouterr().out)["iterations"])
    assert found[0] == found[1]


@pytest.mark.slow
def test_the_lab_runs_it(toy):
    lab = MGLab("attachment_wh")
    try:
        lab.settings.param.update(iterations=6, restarts=1, seed=2)
        lab.runner.enable({"toy"})
        lab.runner.run()
        assert lab.runner.wait(60)
        alone = induce(
            load_sample("attachment_wh"), learner="toy", alpha=0.5, iterations=6, init="jitter", seed=2
        )
        assert np.array_equal(lab.inductions["toy"].snapshot.omega, alone.snapshot.omega)
    finally:
        lab.close()
