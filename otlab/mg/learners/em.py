"""Expectation-maximisation (EM) and maximum a posteriori (MAP), to compare VB with.

An iteration sets theta to the expected counts, divided by their sum in the category; MAP adds
alpha - 1 to the counts. EM maximises the likelihood of the model whose evidence VB's ELBO bounds, which is
not conditioned on well-formedness. Not in Portelance et al. (2022).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from otlab.errors import InputError
from otlab.inference.learner import read_only
from otlab.mg.kernels.learn import em
from otlab.mg.learners.corpus_learner import CorpusLearner, advance, blank
from otlab.mg.learners.snapshot import Snapshot, State
from otlab.mg.lexicon import normalise

__all__ = ["EM", "MAP"]


@dataclass(frozen=True)
class EM(CorpusLearner):
    """Maximum likelihood; `alpha` is used for the start only."""

    name: str = field(default="em", init=False)

    def pseudo_counts(self) -> np.ndarray:
        """Return the pseudo-counts added to the expected counts."""
        return np.zeros_like(self.alpha)

    def init(self, rng: np.random.Generator) -> State:
        """Return the mean of the chosen start, with its objective as row 0 of the trace."""
        theta = normalise(self.start_omega(rng), self.corpus.packed.category)
        return self.step(rng, blank(self.corpus, theta), 0)

    def step(self, rng: np.random.Generator, state: State, n: int) -> State:
        """Do `n` iterations."""
        return advance(em, self.corpus, self.pseudo_counts(), state, n, self.tol)

    def view(self, state: State) -> Snapshot:
        """Return estimates, counts and trace."""
        omega = self.alpha + state.count
        return Snapshot(
            omega, state.parameter.copy(), state.count.copy(), state.log_z.copy(), read_only(state.trace)
        )


@dataclass(frozen=True)
class MAP(EM):
    """Maximum a posteriori: the mode of the Dirichlet posterior; `alpha` at least 1."""

    name: str = field(default="map", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.alpha < 1).any():
            raise InputError(
                "MAP needs every pseudo-count to be 1 or more, since below 1 the mode is at 0; use VB"
            )

    def pseudo_counts(self) -> np.ndarray:
        """Return alpha - 1."""
        return self.alpha - 1.0
