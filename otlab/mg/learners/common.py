"""What VB, EM and Gibbs over a parsed corpus have in common: data, starts, states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from scipy.special import betaincinv

from otlab.errors import InputError
from otlab.mg.kernels.learn import em
from otlab.mg.lexicon import normalise
from otlab.mg.parsing.forest import too_heavy

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.mg.learners.corpus import ParsedCorpus
    from otlab.mg.learners.draws import DrawStore, KeptDraws

__all__ = ["INITS", "CorpusLearner", "Init", "Snapshot", "State", "advance", "dirichlet_intervals"]

Init = Literal["prior", "jitter", "counts"]
INITS: tuple[Init, ...] = get_args(Init)
# Enough to leave a saddle point, too little to fall into a far basin: on the gender
# sample 200 of 200 starts find the classes with 0.1, 196 with 1.
JITTER = 0.1


@dataclass
class State:
    """Where a learner is.

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


@dataclass(frozen=True)
class Snapshot:
    """What plots and printouts need of a :class:`State`.

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
    """Return the central interval of each probability of some Dirichlets: margins are Betas.

    Parameters
    ----------
    omega : ndarray of shape (items,)
        Parameters of all the Dirichlets.
    groups : int ndarray of shape (items,)
        Which one each belongs to. An item alone in its group has probability 1.
    level
        Mass of the interval, between 0 and 1.
    """
    rest = np.bincount(groups, omega)[groups] - omega
    alone = np.bincount(groups)[groups] == 1
    tails = (1 - level) / 2, (1 + level) / 2
    low, high = (betaincinv(omega, np.maximum(rest, 1e-9), tail) for tail in tails)
    return np.where(alone, 1.0, low), np.where(alone, 1.0, high)


@dataclass(frozen=True)
class CorpusLearner:
    """Data and hyperparameters.

    Parameters
    ----------
    corpus
        The parsed sentences.
    alpha : ndarray of shape (items,)
        Dirichlet pseudo-counts.
    start_at : {"prior", "jitter", "counts"}
        Start at alpha; at alpha plus randomly shared counts, a tenth of one an item;
        at alpha plus the expected counts at the prior mean.
    tol
        Finished when an iteration raises the objective by no more than this; 0: never.

    Raises
    ------
    InputError
        If no sentence has a derivation, or the start is not known.
    """

    corpus: ParsedCorpus
    alpha: np.ndarray
    start_at: Init = "prior"
    tol: float = 0.0

    def __post_init__(self) -> None:
        if self.start_at not in INITS:
            raise InputError(f"the start {self.start_at!r} is not known; choose from {', '.join(INITS)}")
        if not self.corpus.sentences:
            raise InputError(
                "no sentence of the corpus has a derivation, so nothing can be learnt; see 'otlab parse'"
            )

    def finished(self, state: State) -> bool:
        """Return whether the objective has settled within `tol`."""
        return state.settled

    def start_omega(self, rng: np.random.Generator) -> np.ndarray:
        """Return the Dirichlet parameters of the chosen start."""
        category = self.corpus.packed.category
        if self.start_at == "jitter":
            noise = normalise(rng.standard_exponential(len(self.alpha)), category)
            jittered: np.ndarray = self.alpha + JITTER * np.bincount(category)[category] * noise
            return jittered
        if self.start_at == "counts":
            counted: np.ndarray = self.alpha + self._counts_at_prior_mean()
            return counted
        return self.alpha.copy()

    def _counts_at_prior_mean(self) -> np.ndarray:
        state = blank(self.corpus, normalise(self.alpha, self.corpus.packed.category))
        return advance(em, self.corpus, np.zeros_like(self.alpha), state, 0, 0.0).count


def blank(corpus: ParsedCorpus, parameter: np.ndarray) -> State:
    """Return a state of which nothing has been evaluated."""
    return State(parameter, np.zeros_like(parameter), np.zeros(len(corpus.sentences)), np.zeros((0, 3)))


def advance(
    kernel: Callable[..., int], corpus: ParsedCorpus, prior: np.ndarray, state: State, n: int, tol: float
) -> State:
    """Do `n` iterations of the VB or EM kernel; a blank state is evaluated first.

    Raises
    ------
    InputError
        If the sums over a silent loop do not settle.
    """
    start = not len(state.trace)
    rows = np.empty((n + 1, 3))
    if not start:
        rows[0] = state.trace[-1]
    work = working_space(corpus, len(prior))
    did = kernel(corpus.packed, prior, state.parameter, state.count, state.log_z, work, rows, n, start, tol)
    if did < 0:
        raise too_heavy()
    state.settled = tol > 0 and did > 0 and bool(rows[did, 0] - rows[did - 1, 0] <= tol)
    state.trace = np.concatenate([state.trace, rows[0 if start else 1 : did + 1]])
    return state


def working_space(corpus: ParsedCorpus, items: int) -> tuple[np.ndarray, ...]:
    """Return the arrays a kernel scribbles on: score, mass, slot weights and counts, sums, ln theta."""
    packed = corpus.packed
    nodes, widest = int(packed.node_ptr[-1]), packed.widest
    sizes = (nodes, nodes, widest, widest, int(packed.category.max()) + 1, items)
    return tuple(np.empty(n) for n in sizes)
