"""Sets of minimalist grammars with lexical items of unknown probability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.calibration.ranks import DRAWS, Sampler
from otlab.mg.io.read import loads
from otlab.mg.learners.corpus import parse_corpus
from otlab.mg.learners.fit import make_learner
from otlab.mg.parsing.grammar import Grammar
from tests.mg.test_gibbs import CLOSED, _drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SAMPLERS"]


def _items(rng: np.random.Generator) -> tuple[Sequence[float], np.ndarray]:
    """Two sentences of a grammar in which *x y* is one item, or x merged with y."""
    alpha = np.array([2.0, 1.0, 2.0])
    theta = rng.dirichlet(alpha)
    corpus, counts = _drawn(rng, theta, sentences=3)
    learner = make_learner("gibbs", parse_corpus(Grammar(loads(CLOSED)), corpus), alpha)
    state = learner.step(rng, learner.init(rng), 20)
    draws = []
    for _ in range(DRAWS):
        state = learner.step(rng, state, 5)
        draws.append([*state.parameter[:3], state.count[0]])
    return [*theta, float(counts[0])], np.array(draws)


SAMPLERS = (Sampler("mg-gibbs", ("theta 1", "theta 2", "theta 3", "uses of item 1"), _items),)
