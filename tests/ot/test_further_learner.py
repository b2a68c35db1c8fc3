"""A further learner is one file (here: this one) and one line of the registry."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import param
import pytest

from otlab import ot
from otlab.cli import main
from otlab.inference.registry import LearnerEntry
from otlab.ot.fitted import fit_of_values
from otlab.ui.ot.lab import OTLab


@dataclass(frozen=True)
class ToyView:
    values: np.ndarray


@dataclass(frozen=True)
class Toy:
    """Ranking values that take random steps of one size."""

    tableau: ot.Tableau
    size: float = 1.0
    name: str = "toy"

    def init(self, rng):
        return np.zeros(self.tableau.n_constraints)

    def step(self, rng, state, n):
        for _ in range(n):
            state = state + rng.normal(0.0, self.size, state.size)
        return state

    def view(self, state):
        return ToyView(state - state.mean())

    def finished(self, state):
        return False

    def conclude(self, run, tick, *, stopped):
        values = np.array([view.values for view in tick.views])
        return fit_of_values(
            run, tick, values, noise=2.0, total=None, settings={"size": self.size}, stopped=stopped
        )


class ToySettings(param.Parameterized):
    sweeps = param.Integer(40, bounds=(1, None), doc="Steps.")
    size = param.Number(1.0, bounds=(0, None), inclusive_bounds=(False, False), doc="Size of a step.")

    @property
    def steps(self):
        return self.sweeps


def make_toy(tableau, settings):
    return Toy(tableau, settings.size)


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(ot.LEARNERS, "toy", LearnerEntry("toy", make_toy, "Toy", "sweep", ToySettings))


def test_the_command_line_runs_it(capsys):
    options = ["--learner", "toy", "--size", "0.5", "--sweeps", "30", "--seed", "3", "--json"]
    assert main(["learn", "ilokano", *options]) == 0
    out = json.loads(capsys.readouterr().out)
    assert (out["learner"], out["settings"]["size"]) == ("toy", 0.5)
    own = ot.LEARNERS["toy"].fit(ot.read("ilokano"), ToySettings(size=0.5, sweeps=30), seed=3)
    assert out["parameters"]["mean"] == own.mean.tolist()
    assert main(["learn", "ilokano", "--learner", "toy", "--size", "0"]) == 2
    assert "--size 0.0: write a number, above 0" in capsys.readouterr().err


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
