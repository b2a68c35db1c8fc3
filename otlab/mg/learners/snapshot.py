"""State of a learner over a parsed corpus, and the snapshot of it that other threads may read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betaincinv

if TYPE_CHECKING:
    from otlab.mg.learners.draws import DrawStore, KeptDraws

__all__ = ["Snapshot", "State", "dirichlet_intervals"]


@dataclass
class State:
    """State of a learner.

    Attributes
    ----------
    parameter : ndarray of shape (items,)
        Dirichlet parameters omega (VB), probabilities theta (EM, Gibbs).
    count : ndarray of shape (items,)
        Expected counts at `parameter`; those of the present derivations (Gibbs).
    log_z : ndarray of shape (sentences,)
    trace : ndarray of shape (iterations + 1, 3)
        Objective, sum of ln Z, and the objective's other part.
    settled : bool
        Whether the objective stopped rising.
    store : DrawStore, optional
        Gibbs: draws of all sweeps but the start.
    """

    parameter: np.ndarray
    count: np.ndarray
    log_z: np.ndarray
    trace: np.ndarray
    settled: bool = False
    store: DrawStore | None = None

    @property
    def numbers(self) -> np.ndarray:
        """The array that a run checks for NaN: the parameters of the items."""
        return self.parameter


@dataclass(frozen=True)
class Snapshot:
    """Frozen snapshot of a :class:`State`, for plots and tables.

    Attributes
    ----------
    omega : ndarray of shape (items,)
        Dirichlet parameters of VB's posterior; for EM and Gibbs, prior plus mean counts, which is
        no posterior: Gibbs has `draws`.
    theta : ndarray of shape (items,)
        Probabilities: the posterior mean, for EM the estimate.
    counts : ndarray of shape (items,)
        Expected counts; for Gibbs their mean over sweeps, the first tenth left out.
    log_z : ndarray of shape (sentences,)
        ln Z of each parsed sentence at the last E-step.
    trace : ndarray of shape (iterations + 1, 3)
        ELBO, sum of ln Z, and KL of each iteration. EM: log likelihood or log
        posterior, and minus the log prior; Gibbs: ln P(derivations | alpha), and 0.
    draws : KeptDraws, optional
        Gibbs: the chain's draws.
    """

    omega: np.ndarray
    theta: np.ndarray
    counts: np.ndarray
    log_z: np.ndarray
    trace: np.ndarray
    draws: KeptDraws | None = None

    @property
    def objective(self) -> float:
        """The last ELBO, log likelihood or log joint."""
        return float(self.trace[-1, 0])


def dirichlet_intervals(
    omega: np.ndarray, groups: np.ndarray, level: float = 0.95
) -> tuple[np.ndarray, np.ndarray]:
    """Return the central interval of each probability under its Dirichlet, whose margins are Betas.

    Parameters
    ----------
    omega : ndarray of shape (items,)
        Parameters of all Dirichlets, one after another.
    groups : int ndarray of shape (items,)
        The Dirichlet that each item belongs to. An item alone in its group has probability 1.
    level
        Mass of the interval, between 0 and 1.
    """
    rest = np.bincount(groups, omega)[groups] - omega
    alone = np.bincount(groups)[groups] == 1
    tails = (1 - level) / 2, (1 + level) / 2
    low, high = (betaincinv(omega, np.maximum(rest, 1e-9), tail) for tail in tails)
    return np.where(alone, 1.0, low), np.where(alone, 1.0, high)
