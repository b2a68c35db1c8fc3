r"""Samplers of the exact posterior of Stochastic OT, without augmented data.

With exact probabilities the posterior density of the ranking values is known up to a constant,
:math:`\sum_r n_r \ln P_r(\mu)` plus the log prior, and so is its gradient. A sweep costs the same
for any number of observations; the Gibbs sampler draws disharmonies for each of them. Prior and
posterior are those of :class:`~otlab.ot.learners.gibbs.Gibbs`.

* ``hmc``: Hamiltonian Monte Carlo (Neal 2011), with trajectories reflected at the bound;
* ``walk``: a random walk with normal steps (Haario, Saksman & Tamminen 2001).

In the warm-up both learn the posterior's covariance in windows of doubling length, and the size
of their steps by dual averaging (Hoffman & Gelman 2014, section 3.2). Nothing is tuned after it,
so that the draws that count come from one fixed Markov chain.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, cast, get_args

import numpy as np

from otlab.errors import InputError, did_you_mean
from otlab.inference import check_interrupt, fit
from otlab.ot.conditions import observed_relations
from otlab.ot.kernels import exact as kernels
from otlab.ot.learners.draws import ensure_capacity, resolve_warmup, usual_thin
from otlab.ot.learners.likelihood import exact_target, log_posterior, zero_sum_basis
from otlab.ot.learners.sampler import RankingSampler
from otlab.ot.learners.settings import CHAINS, TUNED_SWEEPS, Move, TunedChainSettings
from otlab.ot.overt import parses_unknown
from otlab.ot.overt_fitted import overt_fit_of_draws

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from otlab.inference import Run, Tick
    from otlab.ot.conditions import Relation
    from otlab.ot.fitted import Fit
    from otlab.ot.kernels.exact import Chain, Target
    from otlab.ot.learners.priors import NormalPrior
    from otlab.ot.learners.sampler import GibbsView
    from otlab.ot.tableau import Tableau

__all__ = [
    "Exact",
    "ExactSettings",
    "ExactState",
    "Move",
    "TunedSampler",
    "fit_exact",
    "learn_steps",
    "make_exact",
    "restart_tuning",
]

_WARMUP = 1000
_WORK_AT_ONCE = 200_000  # values of integrands between two checks of the stop button, in thousands


@dataclass
class ExactState:
    """One chain.

    Attributes
    ----------
    chain
        Ranking values and what is tuned, as the kernels take them.
    draws : ndarray of shape (capacity, constraints)
        Centred ranking values of every `thin`-th sweep.
    sweep
        Sweeps done.
    """

    chain: Chain
    draws: NDArray[np.float64]
    sweep: int = 0

    @property
    def values(self) -> NDArray[np.float64]:
        """Current ranking values, centred."""
        return self.chain.values

    @property
    def numbers(self) -> NDArray[np.float64]:
        """Numbers that are checked for NaN: ranking values."""
        return self.values


class TunedSampler(ABC):
    """Chains that move by a density and its gradient, and are tuned in their warm-up."""

    thin: int
    warmup: int | None
    move: Move

    @cached_property
    @abstractmethod
    def target(self) -> Target:
        """The posterior as the kernels take it."""

    @cached_property
    @abstractmethod
    def basis(self) -> NDArray[np.float64]:
        """Orthonormal directions in which the chains move, (K, dimensions)."""

    @cached_property
    def windows(self) -> tuple[int, ...]:
        """Sweeps of the warm-up after which the covariance is learnt; the last one is its end."""
        length = _WARMUP if self.warmup is None else self.warmup
        return tuple(sorted({length // 8, length // 4, length // 2, length - length // 8, length} - {0}))

    def started(self, values: NDArray[np.float64], covariance: NDArray[Any]) -> ExactState:
        """Return a chain at these values, with steps as wide as a covariance of the directions."""
        k = values.size
        density, slope = log_posterior(self.target, values)
        chain = kernels.Chain(
            values=values,
            slope=slope,
            steps=steps_of(self.basis, covariance),
            tuning=np.array([density, 0.0, 0.0, 0.0, 0.0, 0.0]),
            gathered=np.zeros(1),
            mean=np.zeros(k),
            scatter=np.zeros((k, k)),
        )
        restart_tuning(chain)
        return ExactState(chain, np.empty((0, k)))

    def step(self, rng: np.random.Generator, state: ExactState, n: int) -> ExactState:
        """Do `n` sweeps, a few at a time, so that they can be stopped."""
        last = state.sweep + n
        state.draws = ensure_capacity(state.draws, state.sweep // self.thin, last // self.thin)
        kernel = kernels.hamiltonian if self.move == "hmc" else kernels.random_walk
        while state.sweep < last:
            window = next((end for end in self.windows if end > state.sweep), None)
            end = min(last, window or last, state.sweep + self._sweeps_at_once)
            learning = window is not None and self.windows[0] <= state.sweep < self.windows[-2]
            state.sweep = kernel(
                rng,
                self.target,
                state.chain,
                learning,
                window is not None,
                end - state.sweep,
                state.draws,
                self.thin,
                state.sweep,
            )
            if state.sweep == window and learning:
                learn_steps(state.chain, self.basis)
            check_interrupt()
        return state

    @cached_property
    def _sweeps_at_once(self) -> int:
        work = 50 * self.target.plan.constraint.size + self.target.weighted.violations.size
        return max(1, _WORK_AT_ONCE // (1000 + work))


@dataclass(frozen=True, eq=False)
class Exact(TunedSampler, RankingSampler):
    """A sampler that draws ranking values from their exact posterior.

    Parameters
    ----------
    tableau, noise, bound, total, prior, thin, apriori
        As for :class:`~otlab.ot.learners.gibbs.Gibbs`.
    warmup
        Sweeps in which the chain is tuned, left out at the start; 1,000 if None.
    move
        ``"hmc"`` or ``"walk"``.

    Raises
    ------
    InputError
        As :class:`~otlab.ot.learners.gibbs.Gibbs`, and if the probabilities of an observed input
        cannot be computed exactly.
    """

    move: Move = "hmc"
    name: str = field(default="exact", init=False)

    variant: ClassVar[str] = "exact"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.move not in get_args(Move):
            raise InputError(f"there is no move {self.move!r}; {did_you_mean(self.move, get_args(Move))}")
        _ = self.target  # raises an error for inputs that are too large

    @cached_property
    def relations(self) -> tuple[Relation, ...]:
        """The ordering relations of observed candidates; none of overt forms whose parses are not known."""
        return observed_relations(self.tableau, self.settings.total)

    def conclude(self, run: Run[Any, GibbsView], tick: Tick[GibbsView], *, stopped: bool = False) -> Fit:
        """Return the estimates of a run so far, with parses where they are not known."""
        fit = super().conclude(run, tick, stopped=stopped)
        return overt_fit_of_draws(fit) if parses_unknown(self.tableau) else fit

    @cached_property
    def target(self) -> Target:
        """The posterior as the kernels take it."""
        return exact_target(self.tableau, self.relations, self.settings, self.prior, self.pairs)

    @cached_property
    def basis(self) -> NDArray[np.float64]:
        """Directions with sum 0: only differences of ranking values matter."""
        return zero_sum_basis(self.tableau.n_constraints)

    def init(self, rng: np.random.Generator) -> ExactState:
        """Return scattered ranking values, with step sizes from the curvature there."""
        k, reach = self.tableau.n_constraints, min(3 * self.settings.noise, self.settings.bound / 2)
        values, curvature = self.scattered(rng), np.zeros((k, k))
        kernels.information(self.target, values, curvature)
        sharpness = self.basis.T @ curvature @ self.basis + np.eye(k - 1) / reach**2
        return self.started(values, np.linalg.inv(sharpness))

    def _own_settings(self) -> dict[str, Any]:
        return {"move": self.move}


def steps_of(basis: NDArray[np.float64], covariance: NDArray[Any]) -> NDArray[np.float64]:
    """Return a matrix whose square is a covariance of the directions of the basis."""
    return np.ascontiguousarray(basis @ np.linalg.cholesky(covariance))


def learn_steps(chain: Chain, basis: NDArray[np.float64]) -> None:
    """Take the covariance of the window that has ended, and begin the next one."""
    n, k = float(chain.gathered[0]), chain.values.size
    if n >= 2 * k and basis.size:
        covariance = basis.T @ chain.scatter @ basis / (n - 1)
        # A small isotropic part keeps directions open that were not explored yet.
        round_part = np.trace(covariance) / len(covariance) * np.eye(len(covariance))
        share = k / (k + n)
        mixed = (1 - share) * covariance + share * round_part
        if np.all(np.linalg.eigvalsh(mixed) > 0):
            chain.steps[:] = steps_of(basis, mixed)
            restart_tuning(chain)
    chain.gathered[:], chain.mean[:], chain.scatter[:] = 0, 0, 0


def restart_tuning(chain: Chain) -> None:
    """Restart the tuning of the step size, at the usual size for a normal distribution."""
    size = np.log(0.8 if chain.values.size < 8 else 0.5)
    chain.tuning[1:] = size, size, 0.0, 0.0, size


class ExactSettings(TunedChainSettings):
    """Settings of a run of the exact sampler; None means the file's value, else the default."""


def make_exact(tableau: Tableau, settings: ExactSettings) -> Exact:
    """Return the sampler with these settings."""
    return settings.sampler(Exact, tableau)


def fit_exact(
    tableau: Tableau,
    *,
    sweeps: int = TUNED_SWEEPS,
    warmup: int | None = None,
    chains: int = CHAINS,
    seed: int | None = None,
    noise: float | None = None,
    bound: float | None = None,
    total: int | None = None,
    prior: NormalPrior | None = None,
    apriori: tuple[tuple[str, str], ...] = (),
    move: Move = "hmc",
    threads: int | None = None,
) -> Fit:
    """Return the posterior of the ranking values, sampled by their exact density.

    Parameters
    ----------
    tableau, sweeps, warmup, chains, seed, noise, bound, total, prior, apriori, threads
        As for :func:`~otlab.ot.learners.gibbs.fit_gibbs`; far fewer sweeps do.
    move
        As for :class:`Exact`.

    Raises
    ------
    InputError
        As :class:`Exact`.

    Examples
    --------
    >>> from otlab.ot import read
    >>> fit = fit_exact(read("spanish"), seed=1)
    >>> fit.trust.verdict, fit.predicted.mean.round(1).tolist()
    ('Converged', [0.9, 0.1, 0.5, 0.5, 0.9, 0.1])
    """
    warmup = resolve_warmup(warmup, sweeps)
    thin = usual_thin(sweeps)
    learner = Exact(tableau, noise, bound, total, prior, thin, warmup, apriori, move)
    return cast("Fit", fit(learner, steps=sweeps, chains=chains, seed=seed, threads=threads))
