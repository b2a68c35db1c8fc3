r"""Maximum entropy grammars: the comparison Lin (2005, section 7) makes.

.. math:: P(c \mid x) = \frac{\exp(-w \cdot v_c)}{\sum_{c'} \exp(-w \cdot v_{c'})}, \qquad
          J(w) = \sum_c n_c \ln P(c \mid x) - \sum_i \frac{(w_i - m_i)^2}{2 s_i^2}

Weights are penalties (Goldwater & Johnson 2003; Lin prints scores, with the sign
turned). J is concave, and L-BFGS-B climbs it with every sum of exponentials taken in
logarithms. Without a prior the maximum may lie at infinity: it does iff some direction
d never lowers the likelihood, d.(v_l - v_c) >= 0 for every attested c and rival l, and
sometimes raises it (Albert & Anderson 1984), which a linear programme decides.

The widths are Laplace's: the curvature of J at its maximum. A weight held at 0 by its
bound has none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np
import param
from scipy.optimize import Bounds, linprog, minimize
from scipy.special import logsumexp

from otlab.errors import InputError, did_you_mean
from otlab.inference import check_interrupt, fit
from otlab.ot.fitted import LEVEL, Fit, Predicted, no_trust
from otlab.ot.learners.priors import chosen_prior
from otlab.ot.settings import resolve_settings, with_total

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from otlab.inference import Run, Tick
    from otlab.ot.learners.priors import NormalPrior
    from otlab.ot.tableau import Tableau

__all__ = ["MaxEnt", "MaxEntSettings", "MaxEntState", "MaxEntView", "Weights", "fit_maxent", "make_maxent"]

Weights = Literal["nonnegative", "free"]

ITERATIONS = 10_000
_LAPLACE_DRAWS = 1000
_AT_BOUND = 1e-12


@dataclass
class MaxEntState:
    """The path of the climb, and how far along it the learner is.

    Attributes
    ----------
    path : list of float64 (constraints,)
        Weights after each iteration; the first is the start.
    iteration
        Index into `path`.
    """

    path: list[NDArray[np.float64]]
    iteration: int = 0


@dataclass(frozen=True, slots=True)
class MaxEntView:
    """Snapshot of a climb.

    Attributes
    ----------
    iteration
        Iterations of L-BFGS done.
    weights : float64 (constraints,)
        Penalties; the larger, the worse a violation.
    log_likelihood
        Of the data, in nats.
    objective
        The same less the prior's penalty.
    finite_optimum
        False where the likelihood only nears its supremum as weights grow without end:
        the weights are then where the climb was given up.
    """

    iteration: int
    weights: NDArray[np.float64]
    log_likelihood: float
    objective: float
    finite_optimum: bool


@dataclass(frozen=True, eq=False)
class MaxEnt:
    """A MaxEnt grammar, fitted by L-BFGS.

    The whole climb takes milliseconds, so it is made at the start and its iterations
    are then shown one by one: stepping cannot change where it arrives.

    Parameters
    ----------
    tableau
        Its frequencies are the observations.
    total
        As for :func:`~otlab.ot.settings.resolve_settings`.
    prior
        Where each weight is expected (Gaussian); none if None.
    weights
        ``"nonnegative"``, as in maxent.ot and OTSoft, or ``"free"``, as Lin's Table 8 needs.

    Raises
    ------
    InputError
        If a setting makes no sense.
    """

    tableau: Tableau
    total: int | None = None
    prior: NormalPrior | None = None
    weights: Weights = "nonnegative"
    name: str = field(default="maxent", init=False)

    def __post_init__(self) -> None:
        if self.weights not in get_args(Weights):
            hint = did_you_mean(self.weights, get_args(Weights))
            raise InputError(f"weights cannot be {self.weights!r}; {hint}")
        if self.prior is not None and self.prior.mean.shape != (self.tableau.n_constraints,):
            raise InputError(
                "the prior does not name each constraint once; give one mean and sd a constraint"
            )

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """Observations of each row."""
        total = resolve_settings(self.tableau, total=self.total).total
        return self.tableau.counts(total).astype(float)

    @cached_property
    def finite_optimum(self) -> bool:
        """Whether some finite weights fit best."""
        return self.prior is not None or not _runs_off(self._differences, self.weights == "nonnegative")

    @property
    def _differences(self) -> NDArray[np.float64]:
        """What each rival violates more than each attested candidate, (pairs, constraints)."""
        v, found = self.tableau.violations, [np.empty((0, self.tableau.n_constraints))]
        for k in range(len(self.tableau.inputs)):
            rows = v[self.tableau.rows(k)].astype(float)
            attested = rows[self.counts[self.tableau.rows(k)] > 0]
            found.append((rows[None, :, :] - attested[:, None, :]).reshape(-1, rows.shape[1]))
        return np.unique(np.concatenate(found), axis=0)

    def log_probabilities(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ln P of each row within its input, shape (rows,)."""
        scores = -self.tableau.violations @ weights
        out = np.empty_like(scores)
        for k in range(len(self.tableau.inputs)):
            rows = self.tableau.rows(k)
            out[rows] = scores[rows] - logsumexp(scores[rows])
        return out

    def probabilities(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return P of each row within its input, shape (rows,)."""
        return np.exp(self.log_probabilities(weights))

    def log_likelihood(self, weights: NDArray[np.float64]) -> float:
        """Return the data's log likelihood in nats."""
        attested = self.counts > 0
        return float(self.counts[attested] @ self.log_probabilities(weights)[attested])

    def objective(self, weights: NDArray[np.float64]) -> float:
        """Return J, the log likelihood less the prior's penalty."""
        if self.prior is None:
            return self.log_likelihood(weights)
        pulled = ((weights - self.prior.mean) / self.prior.sd) ** 2
        return self.log_likelihood(weights) - 0.5 * float(pulled.sum())

    def gradient(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return dJ/dw: expected less observed violations, less the prior's pull."""
        excess = self._tokens * self.probabilities(weights) - self.counts
        slope: NDArray[np.float64] = excess @ self.tableau.violations
        if self.prior is not None:
            slope = slope - (weights - self.prior.mean) / self.prior.sd**2
        return slope

    @cached_property
    def _tokens(self) -> NDArray[np.float64]:
        """Observations of each row's input, shape (rows,)."""
        totals = np.add.reduceat(self.counts, self.tableau.offsets[:-1])
        spread: NDArray[np.float64] = totals[self.tableau.input_of_row]
        return spread

    def covariance(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return Laplace's covariance at the optimum, shape (constraints, constraints).

        All NaN without a prior; NaN in the row and column of a weight its bound holds.
        """
        k = self.tableau.n_constraints
        spread = np.full((k, k), np.nan)
        if self.prior is None:
            return spread
        free = np.flatnonzero((weights > _AT_BOUND) | (self.weights == "free"))
        spread[np.ix_(free, free)] = np.linalg.inv(self._curvature(weights)[np.ix_(free, free)])
        return spread

    def _curvature(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Minus the Hessian of J: the covariance of violations, and the prior's precision."""
        p, v = self.probabilities(weights), self.tableau.violations.astype(float)
        means = np.add.reduceat(p[:, None] * v, self.tableau.offsets[:-1], axis=0)
        off = v - means[self.tableau.input_of_row]
        curved: NDArray[np.float64] = (off * (self._tokens * p)[:, None]).T @ off
        return curved if self.prior is None else curved + np.diag(self.prior.sd**-2.0)

    def init(self, rng: np.random.Generator) -> MaxEntState:
        """Make the whole climb, from the prior's means, else from 0."""
        start = np.zeros(self.tableau.n_constraints) if self.prior is None else self.prior.mean.copy()
        floor = 0.0 if self.weights == "nonnegative" else -np.inf
        return MaxEntState(_climb(self.objective, self.gradient, np.maximum(start, floor), floor))

    def step(self, rng: np.random.Generator, state: MaxEntState, n: int) -> MaxEntState:
        """Go `n` iterations along the climb."""
        state.iteration = min(state.iteration + n, len(state.path) - 1)
        return state

    def view(self, state: MaxEntState) -> MaxEntView:
        """Return the weights of the present iteration."""
        w = state.path[state.iteration]
        return MaxEntView(state.iteration, w, self.log_likelihood(w), self.objective(w), self.finite_optimum)

    def finished(self, state: MaxEntState) -> bool:
        """Return whether the top is reached."""
        return state.iteration == len(state.path) - 1

    def conclude(
        self, run: Run[MaxEntState, MaxEntView], tick: Tick[MaxEntView], *, stopped: bool = False
    ) -> Fit:
        """Return the weights of the present iteration and what they predict."""
        view = tick.view
        covariance = self.covariance(view.weights)
        low, high = self._laplace_interval(view.weights, covariance, run.seed)
        at_fit = self.probabilities(view.weights)
        remarks = []
        if not view.finite_optimum:
            remarks.append("no finite optimum: some weights grow without end; give a prior")
        if not tick.finished:
            remarks.append(f"stopped after {view.iteration} iterations")
        likelihood = view.log_likelihood
        return Fit(
            run=run,
            tick=tick,
            stopped=stopped,
            kind="weight",
            mean=view.weights,
            sd=np.sqrt(np.diag(covariance)),
            median=view.weights,
            predicted=Predicted(at_fit, low, high, at_fit, view.weights, likelihood, likelihood),
            trust=no_trust(self.tableau),
            multimodal=False,
            used=self._settings_of(run),
            remarks=tuple(remarks),
            converged=bool(tick.finished and view.finite_optimum),
        )

    def _settings_of(self, run: Run[Any, Any]) -> dict[str, Any]:
        prior = self.prior
        return {
            "weights": self.weights,
            "prior": None if prior is None else {"mean": prior.mean.tolist(), "sd": prior.sd.tolist()},
            "total": resolve_settings(self.tableau, total=self.total).total,
            "sweeps": run.total,
        }

    def _laplace_interval(
        self, weights: np.ndarray, covariance: np.ndarray, seed: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the 95 % interval of each candidate's probability; NaN without a prior.

        Weights are drawn from Laplace's normal distribution. A weight at its bound stays
        there, and draws below a bound are moved onto it.
        """
        rows = self.tableau.n_rows
        if self.prior is None:
            return np.full(rows, np.nan), np.full(rows, np.nan)
        rng = np.random.default_rng(seed)
        # A loose prior leaves directions almost free: rounding may then make the matrix look indefinite.
        draws = rng.multivariate_normal(
            weights, np.nan_to_num(covariance), size=_LAPLACE_DRAWS, check_valid="ignore"
        )
        if self.weights == "nonnegative":
            draws = np.maximum(draws, 0.0)
        probability = np.array([self.probabilities(draw) for draw in draws])
        low, high = np.quantile(probability, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
        return low, high


def _climb(
    objective: Callable[[NDArray[np.float64]], float],
    gradient: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    start: NDArray[np.float64],
    floor: float,
) -> list[NDArray[np.float64]]:
    """Return the weights after every iteration of L-BFGS-B, the start first."""
    path = [start]

    def keep(xk: NDArray[np.float64]) -> None:
        check_interrupt()
        path.append(xk.copy())

    def fall(weights: NDArray[np.float64]) -> float:
        return -objective(weights)

    def slope(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return -gradient(weights)

    result = minimize(
        fall,
        start,
        jac=slope,
        method="L-BFGS-B",
        bounds=Bounds(floor, np.inf),
        callback=keep,
        options={"maxiter": ITERATIONS, "ftol": 1e-14, "gtol": 1e-7, "maxls": 50},
    )
    path.append(np.asarray(result.x, float))
    for weights in path:
        weights.flags.writeable = False
    return path


def _runs_off(differences: NDArray[np.float64], nonnegative: bool) -> bool:
    """Return whether a direction never lowers the likelihood and sometimes raises it."""
    if differences.shape[1] == 0 or not differences.any():
        return False
    best = linprog(
        -differences.sum(axis=0),
        A_ub=-differences,
        b_ub=np.zeros(len(differences)),
        bounds=(0.0 if nonnegative else -1.0, 1.0),
        method="highs",
    )
    return bool(-float(best["fun"]) > 1e-7)


class MaxEntSettings(param.Parameterized):
    """Settings of a MaxEnt fit; None stands for the file's or the usual value."""

    sweeps = param.Integer(ITERATIONS, bounds=(1, None), doc="Most iterations.")
    weights = param.Selector(
        default="nonnegative", objects=["nonnegative", "free"], doc="Sign of the weights"
    )
    prior_sd = param.Number(
        None,
        bounds=(0, None),
        inclusive_bounds=(False, False),
        allow_None=True,
        doc="Standard deviation of a normal prior with mean 0, for every constraint",
    )
    prior = param.Path(
        None,
        check_exists=False,
        allow_None=True,
        doc="File of normal priors: name, mean, sd, one constraint a line",
    )
    total = param.Integer(
        None, bounds=(1, None), allow_None=True, doc="Observations that relative frequencies stand for"
    )

    @property
    def steps(self) -> int:
        """Most iterations."""
        return int(self.sweeps)


def make_maxent(tableau: Tableau, settings: MaxEntSettings) -> MaxEnt:
    """Return the learner with these settings."""
    tableau = with_total(tableau, settings.total)
    prior = chosen_prior(tableau, settings.prior_sd, settings.prior)
    return MaxEnt(tableau, prior=prior, weights=settings.weights)


def fit_maxent(
    tableau: Tableau,
    *,
    weights: Weights = "nonnegative",
    prior: NormalPrior | None = None,
    total: int | None = None,
    iterations: int = ITERATIONS,
    seed: int | None = None,
) -> Fit:
    """Fit a maximum entropy grammar (Goldwater & Johnson 2003).

    Parameters
    ----------
    tableau, total
        Its frequencies are the observations.
    weights
        ``"nonnegative"`` penalties, or ``"free"`` in sign.
    prior
        Gaussian, one mean and sd a constraint; none if None.
    iterations
        The most iterations of L-BFGS.
    seed
        Of the draws behind the intervals.
    """
    learner = MaxEnt(tableau, total, prior, weights)
    return cast("Fit", fit(learner, steps=iterations, seed=seed))
