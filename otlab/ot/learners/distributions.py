r"""Base of the samplers that learn more of a constraint's distribution than its ranking value.

Stochastic OT gives every constraint the same normal distribution but for its mean. Lin (2005,
section 9) leaves two extensions open: variances that are learnt, and mixtures. Both have the exact
probabilities of :mod:`otlab.ot.kernels.distributions`, so that the sampler of
:mod:`otlab.ot.learners.exact` draws all parameters at once: the ranking values, centred, under the
prior of that sampler, and those of the extension under proper priors of their own.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from scipy.linalg import block_diag

from otlab.errors import Fault, InputError
from otlab.inference.diagnostics import Trust, assess
from otlab.ot.fitted import log_likelihoods, spread_out, summarised
from otlab.ot.kernels import exact as kernels
from otlab.ot.kernels.distributions import batch_distributed
from otlab.ot.learners.draws import counted_draws, snapshot, trust_and_peaks
from otlab.ot.learners.exact import TunedSampler
from otlab.ot.learners.likelihood import exact_target, zero_sum_basis
from otlab.ot.learners.sampler import GibbsView, RankingSampler
from otlab.ot.probability_plan import plan_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from otlab.inference import Posterior, Run, Tick
    from otlab.ot.fitted import Predicted
    from otlab.ot.kernels.exact import Target
    from otlab.ot.learners.exact import ExactState
    from otlab.ot.learners.settings import Move
    from otlab.ot.tableau import Tableau

__all__ = ["DistributionSampler", "DistributionView", "probabilities"]


def probabilities(tableau: Tableau, parameters: NDArray[np.float64], noise: float) -> NDArray[np.float64]:
    """Return the probability of each candidate under each vector of parameters, float64 (D, rows).

    Parameters
    ----------
    tableau
        Of K constraints.
    parameters : float64 (D, 4 K)
        As :mod:`otlab.ot.kernels.distributions` has them.
    noise
        The evaluation noise that log noises of 0 stand for.

    Raises
    ------
    InputError
        If an input is too large for exact probabilities.
    """
    plan = plan_of(tableau)
    if plan.sampled:
        names = ", ".join(repr(tableau.inputs[k]) for k in plan.sampled)
        what = f"{names}: too many candidates differ in too many ways for exact probabilities"
        raise InputError(Fault(what, "leave some candidates out", file=tableau.name))
    entries = np.empty((len(parameters), plan.n_relations + 2))
    batch_distributed(np.ascontiguousarray(parameters), noise, plan.active, plan.arrays, entries)
    return np.asarray(entries[:, plan.entry] * plan.share)


@dataclass(frozen=True, slots=True)
class DistributionView(GibbsView):
    """Snapshot of one chain.

    Attributes
    ----------
    parameters : ndarray of shape (kept, 4 K)
        Read-only: all parameters, where `draws` has the ranking values.
    """

    parameters: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DistributionSampler(TunedSampler, RankingSampler):
    """A sampler of all parameters of the constraints' distributions.

    Parameters and errors are those of :class:`~otlab.ot.learners.exact.Exact`; every input, observed or
    not, must have exact probabilities.
    """

    move: Move = "hmc"
    name: str = field(default="", init=False)

    variant: ClassVar[str] = "exact"

    def __post_init__(self) -> None:
        super().__post_init__()
        probabilities(self.tableau, np.zeros((0, 4 * self.tableau.n_constraints)), 1.0)
        _ = self.basis, self.target

    @property
    @abstractmethod
    def _sharpness(self) -> NDArray[np.float64]:
        """1 / sd^2 of the normal priors around 0 of log noises, distances and logits, (3 K,)."""

    @property
    @abstractmethod
    def _directions(self) -> NDArray[np.float64]:
        """Orthonormal directions in which these parameters move, (3 K, dimensions)."""

    @cached_property
    def basis(self) -> NDArray[np.float64]:
        """Directions with sum 0 of the ranking values, and those of the other parameters."""
        return np.asarray(block_diag(zero_sum_basis(self.tableau.n_constraints), self._directions))

    @cached_property
    def _plain(self) -> Target:
        """The posterior of the ranking values alone, all else at 0."""
        return exact_target(self.tableau, self.relations, self.settings, self.prior, self.pairs)

    @cached_property
    def target(self) -> Target:
        """The posterior as the kernels take it."""
        plain, wide = self._plain, np.full(3 * self.tableau.n_constraints, np.inf)
        return plain._replace(
            lowest=np.concatenate([plain.lowest, -wide]),
            bound=np.concatenate([plain.bound, wide]),
            centre=np.concatenate([plain.centre, np.zeros(wide.size)]),
            precision=block_diag(plain.precision, np.diag(self._sharpness)),
            distributed=True,
        )

    def init(self, rng: np.random.Generator) -> ExactState:
        """Return scattered ranking values, and nearly the same distribution for all constraints."""
        k, reach = self.tableau.n_constraints, min(3 * self.settings.noise, self.settings.bound / 2)
        values, curvature = self.scattered(rng), np.zeros((k, k))
        kernels.information(self._plain, values, curvature)
        others = np.diag(self._sharpness + 4.0)
        sharpness = block_diag(curvature + np.eye(k) / reach**2, others)
        covariance = np.linalg.inv(self.basis.T @ sharpness @ self.basis)
        directions = self._directions
        scattered = directions @ (0.3 * rng.standard_normal(directions.shape[1]))
        return self.started(np.concatenate([values, scattered]), covariance)

    def view(self, state: ExactState) -> DistributionView:
        """Return the draws so far."""
        drawn = snapshot(state.draws, state.sweep // self.thin)
        k = self.tableau.n_constraints
        return DistributionView(state.sweep, state.values[:k].copy(), drawn[:, :k], drawn)

    def view_at(self, view: GibbsView, sweep: int) -> GibbsView:
        """Return the chain as it was after `sweep` sweeps, or at the draw kept last before that."""
        earlier = RankingSampler.view_at(self, view, sweep)
        parameters = cast("DistributionView", view).parameters[: len(earlier.draws)]
        return DistributionView(earlier.sweep, earlier.values, earlier.draws, parameters)

    def posterior(self, run: Run[Any, GibbsView], tick: Tick[GibbsView]) -> Posterior:
        """Return the draws of a run so far, those of the warm-up left out."""
        posterior = RankingSampler.posterior(self, run, tick)
        views: Any = tick.views
        drawn = counted_draws(
            [view.parameters for view in views], self.thin, run.total, posterior.settings["warmup"]
        )
        k = self.tableau.n_constraints
        if drawn is None:
            drawn = np.zeros((len(views), 1, 4 * k))
            drawn[:, 0, :k] = [view.values for view in views]
        values, log_noises, distances, logits = np.split(drawn, 4, axis=-1)
        sign = np.where(distances < 0, -1.0, 1.0)  # the same mixture, the higher normal first
        parts = (values, log_noises, sign * distances, sign * logits)
        draws = {"ranking_value": values, **self._named(*parts), "parameters": np.concatenate(parts, axis=-1)}
        dims = {name: ("constraint",) for name in draws if name != "parameters"}
        return replace(posterior, draws=draws, dims={**dims, "parameters": ("parameter",)})

    @abstractmethod
    def _named(
        self,
        values: NDArray[np.float64],
        log_noises: NDArray[np.float64],
        distances: NDArray[np.float64],
        logits: NDArray[np.float64],
    ) -> dict[str, NDArray[np.float64]]:
        """Return what is reported of draws (chains, n, K), by name; NaN where a constraint has none.

        Distances are not negative.
        """

    def _others(self, posterior: Posterior) -> dict[str, NDArray[np.float64]]:
        """Return the draws that are reported besides the ranking values."""
        both = ("ranking_value", "parameters")
        return {name: draws for name, draws in posterior.draws.items() if name not in both}

    def _assessed(self, posterior: Posterior) -> tuple[Trust, list[str]]:
        """Return the worst R-hat and ESS of each constraint's parameters, and which have several peaks."""
        trust, peaked = trust_and_peaks(posterior.draws["ranking_value"], self.tableau.constraints)
        rhat, ess, squares = trust.rhat, trust.ess, trust.ess_squares
        for draws in self._others(posterior).values():
            other = assess(np.nan_to_num(draws))
            rhat, ess = np.fmax(rhat, other.rhat), np.fmin(ess, other.ess)
            squares = np.fmin(squares, other.ess_squares)
        return Trust(rhat, ess, squares), peaked

    def _predictions(self, posterior: Posterior) -> tuple[Predicted, float]:
        """Return the predictions of evenly spaced draws, and the log likelihood of the medians."""
        tableau, k, pooled = self.tableau, self.tableau.n_constraints, posterior.pooled("parameters")
        chosen = spread_out(pooled, tableau)
        both = np.vstack([chosen, np.median(pooled, axis=0)])
        probability = probabilities(tableau, both, self.settings.noise)
        scores = log_likelihoods(tableau, probability, self.settings.total)
        return summarised(probability[:-1], scores[:-1], chosen[:, :k]), float(scores[-1])

    def _further(self, posterior: Posterior) -> dict[str, np.ndarray]:
        """Return mean and sd of the parameters that are reported besides the ranking values."""
        found: dict[str, np.ndarray] = {}
        for name, draws in self._others(posterior).items():
            pooled, label = draws.reshape(-1, draws.shape[-1]), name.replace("_", " ")
            found |= {label: pooled.mean(axis=0), f"{label} sd": pooled.std(axis=0)}
        return found
