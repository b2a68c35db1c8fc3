"""A whole learner in one file, shown in docs/guides/add_a_learner.md: values that take random steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import param

from otlab import ot
from otlab.inference.registry import LearnerEntry
from otlab.ot.fitted import fit_of_values


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


TOY = LearnerEntry("toy", make_toy, "Toy", "sweep", ToySettings)
