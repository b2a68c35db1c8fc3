"""Densities of a speaker's tokens under strict domination against the integrals of other learners."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from otlab.ot import Tableau
from otlab.ot.groups import Groups
from otlab.ot.kernels.mixed import pair_density
from otlab.ot.kernels.probability import relation_gradients
from otlab.ot.learners.sot_mixed import MixedStochasticOT
from otlab.ot.probability_plan import plan_of


def sampler(constraints, rng, candidates):
    """Return a sampler with one speaker who said once each candidate that can win and lose."""
    rows = [
        (f"x{x}", f"c{c}", 0, rng.integers(0, 3, constraints).tolist())
        for x in range(6)
        for c in range(candidates)
    ]
    bare = Tableau.from_rows(rows, [f"C{k}" for k in range(constraints)])
    said = np.flatnonzero(plan_of(bare).entry >= 2).tolist()
    groups = Groups.of(["s"] * len(said), [""] * len(said), said, [1] * len(said))
    return MixedStochasticOT(replace(bare, frequencies=groups.sums(bare.n_rows), groups=groups))


@pytest.mark.parametrize("constraints", [2, 3, 6, 12, 30])
@pytest.mark.parametrize("spread", [0.5, 3.0, 12.0])
def test_density_and_gradient_are_those_of_the_panels(constraints, spread):
    rng = np.random.default_rng(constraints)
    for candidates in (2, 3):
        learner = sampler(constraints, rng, candidates)
        data = learner.tokens
        assert data.heard.sum() >= 2
        for _ in range(10):
            values = spread * rng.standard_normal(constraints)
            p, slopes = (
                np.empty(data.plan.states.size + 1),
                np.empty((data.plan.states.size + 1, constraints)),
            )
            relation_gradients(values, data.noise, data.active, data.plan, p, slopes)
            heard = np.bincount(data.cell, data.heard, data.plan.states.size - 1)
            said = heard > 0
            slope = np.empty(constraints)
            density = pair_density(data, 0, values.copy(), slope)
            expected = heard[said] @ np.log(p[2:][said])
            rising = (heard[said] / p[2:][said]) @ slopes[2:][said]
            assert density == pytest.approx(expected, rel=1e-8, abs=1e-8)
            assert slope == pytest.approx(rising, rel=1e-6, abs=1e-7)
