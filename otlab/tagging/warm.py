"""Compile the taggers' kernels ahead of the first run."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from otlab.inference import run
from otlab.tagging.experiments.simulate import simulate_hmm
from otlab.tagging.learners import LEARNERS
from otlab.tagging.learners.fit import make_learner

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from otlab.inference import Learner
    from otlab.tagging.view import View

__all__ = ["STEPS"]


def _learn(name: str) -> None:
    """Run a learner for two steps on toy data, in the precision the lab begins with."""
    corpus = simulate_hmm(300, 1, tags=3, types=30)
    learner: Learner[Any, View] = make_learner(name, corpus, states=3, precision="f32")
    run(learner, sweeps=2, seed=1).advance(2)


STEPS: Mapping[str, Callable[[], None]] = {name: partial(_learn, name) for name in LEARNERS}
"""What compiles the kernels of each learner."""
