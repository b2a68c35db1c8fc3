r"""Maximum entropy grammars, with which Lin (2005, section 7) compares Stochastic OT.

.. math:: P(c \mid x) = \frac{\exp(-w \cdot v_c)}{\sum_{c'} \exp(-w \cdot v_{c'})}, \qquad
          J(w) = \sum_c n_c \ln P(c \mid x) - \sum_i \frac{(w_i - m_i)^2}{2 s_i^2}

Weights are penalties (Goldwater & Johnson 2003; Lin prints scores, with the opposite
sign). J is concave and is maximised by L-BFGS-B, then by Newton's method until the gradient is
below 1e-10; sums of exponentials are computed in logarithms. Without a prior the maximum may
be at infinity: it is iff some direction d never lowers the likelihood, d.(v_l - v_c) >= 0 for
every attested c and rival l, and sometimes raises it (Albert & Anderson 1984), which a linear
programme decides.

Standard deviations come from Laplace's approximation, the curvature of J at its maximum. A
weight held at 0 by its bound has none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np
import param
from scipy.optimize import Bounds, linprog, minimize

from otlab.errors import InputError, counted, did_you_mean
from otlab.inference import check_interrupt, fit
from otlab.ot.fitted import LEVEL, Fit, Predicted, no_trust
from otlab.ot.learners.settings import PriorSettings, TotalSettings, WeightSettings
from otlab.ot.overt import of_known_parses
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
_MOST_AT_ONCE = 50_000  # number of probabilities that fit a cache
_FLAT, _STILL = 1e-10, 1e-6  # curvature against the largest, and parts of a direction, that count as 0
_CHOOSE = "a prior would choose among them"
_AT_BOUND = 1e-12
_NEWTON_STEPS = 20
_GRADIENT = 1e-10
_ROUNDING = 1e-14


@dataclass
class MaxEntState:
    """The weights after each iteration, and the current iteration.

    Attributes
    ----------
    path : list of float64 (constraints,)
        Weights after each iteration; the first is the start.
    iteration
        Index into `path`.
    """

    path: list[NDArray[np.float64]]
    iteration: int = 0

    @property
    def numbers(self) -> NDArray[np.float64]:
        """Numbers that are checked for NaN: the latest weights."""
        return self.path[-1]


@dataclass(frozen=True, slots=True)
class MaxEntView:
    """Snapshot of the optimisation.

    Attributes
    ----------
    iteration
        Iterations of L-BFGS done.
    weights : float64 (constraints,)
        Penalties; the larger, the worse a violation.
    log_likelihood
        Of the data, in nats.
    objective
        The log likelihood less the prior's penalty.
    finite_optimum
        False if the likelihood only approaches its supremum as weights grow without end:
        the weights are then those at which the optimisation stopped.
    """

    iteration: int
    weights: NDArray[np.float64]
    log_likelihood: float
    objective: float
    finite_optimum: bool


@dataclass(frozen=True, eq=False)
class MaxEnt:
    """A MaxEnt grammar, fitted by L-BFGS.

    The whole optimisation takes milliseconds, so `init` does it and `step` goes along its
    iterations: the result cannot depend on the steps.

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
        """Whether finite weights maximise the objective."""
        return self.prior is not None or not _improves_without_end(
            self._differences, self.weights == "nonnegative"
        )

    @property
    def _differences(self) -> NDArray[np.float64]:
        """Violations of each rival less those of each attested candidate, (pairs, constraints)."""
        v, differences = self.tableau.violations, [np.empty((0, self.tableau.n_constraints))]
        for k in range(len(self.tableau.inputs)):
            rows = v[self.tableau.rows(k)].astype(float)
            attested = rows[self.counts[self.tableau.rows(k)] > 0]
            differences.append((rows[None, :, :] - attested[:, None, :]).reshape(-1, rows.shape[1]))
        return np.unique(np.concatenate(differences), axis=0)

    def log_probabilities(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ln P of each row within its input, (rows,); of many weights (n, constraints), (n, rows)."""
        scores: NDArray[np.float64] = -weights @ self._violations.T
        scores -= np.maximum.reduceat(scores, self._starts, axis=-1)[..., self._input_of_row]
        sums = np.add.reduceat(np.exp(scores), self._starts, axis=-1)
        scores -= np.log(sums)[..., self._input_of_row]
        return scores

    def probabilities(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return P of each row within its input; shapes as for :meth:`log_probabilities`."""
        return np.exp(self.log_probabilities(weights))

    def log_likelihood(self, weights: NDArray[np.float64]) -> float:
        """Return the data's log likelihood in nats."""
        attested = self.counts > 0
        return float(self.counts[attested] @ self.log_probabilities(weights)[attested])

    def objective(self, weights: NDArray[np.float64]) -> float:
        """Return J, the log likelihood less the prior's penalty."""
        if self.prior is None:
            return self.log_likelihood(weights)
        squares = ((weights - self.prior.mean) / self.prior.sd) ** 2
        return self.log_likelihood(weights) - 0.5 * float(squares.sum())

    def gradient(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return dJ/dw: expected less observed violations, less the gradient of the prior's penalty."""
        excess = self._tokens * self.probabilities(weights) - self.counts
        slope: NDArray[np.float64] = excess @ self._violations
        if self.prior is not None:
            slope = slope - (weights - self.prior.mean) / self.prior.sd**2
        return slope

    @cached_property
    def _violations(self) -> NDArray[np.float64]:
        return self.tableau.violations.astype(float)

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        return self.tableau.offsets[:-1]

    @cached_property
    def _input_of_row(self) -> NDArray[np.int64]:
        return self.tableau.input_of_row

    @cached_property
    def _tokens(self) -> NDArray[np.float64]:
        """Observations of each row's input, shape (rows,)."""
        totals = np.add.reduceat(self.counts, self.tableau.offsets[:-1])
        per_row: NDArray[np.float64] = totals[self.tableau.input_of_row]
        return per_row

    def covariance(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return Laplace's covariance at the optimum, shape (constraints, constraints).

        All NaN without a prior; NaN in the row and column of a weight at its bound.
        """
        k = self.tableau.n_constraints
        covariance = np.full((k, k), np.nan)
        if self.prior is None:
            return covariance
        free = np.flatnonzero((weights > _AT_BOUND) | (self.weights == "free"))
        covariance[np.ix_(free, free)] = np.linalg.inv(self.curvature(weights)[np.ix_(free, free)])
        return covariance

    def curvature(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return minus the Hessian of J: the covariance of violations plus the prior's precision."""
        p, v = self.probabilities(weights), self._violations
        means = np.add.reduceat(p[:, None] * v, self._starts, axis=0)
        centred = v - means[self._input_of_row]
        curvature: NDArray[np.float64] = (centred * (self._tokens * p)[:, None]).T @ centred
        return curvature if self.prior is None else curvature + np.diag(self.prior.sd**-2.0)

    def ridge(self, weights: NDArray[np.float64]) -> tuple[int, ...]:
        """Return the constraints whose weights may be others with the same probabilities of all candidates.

        Those that move in a direction in which the curvature is 0 and no weight falls below its bound, as
        when each candidate of an input has as many violations: all weights may be larger by one number.
        """
        if self.prior is not None:
            return ()
        values, vectors = np.linalg.eigh(self.curvature(weights))
        flat = vectors[:, values <= _FLAT * max(values[-1], 1.0)]
        flat = np.where(np.abs(flat) < _STILL, 0.0, flat)
        kept = flat[(weights <= _AT_BOUND) & flat.any(axis=1) & (self.weights != "free")]
        moved = np.flatnonzero(flat.any(axis=1))
        return tuple(c for c in moved.tolist() if not len(kept) or _moves(flat[c], kept))

    def init(self, rng: np.random.Generator) -> MaxEntState:
        """Return the whole optimisation, from the prior's means or from 0."""
        start = np.zeros(self.tableau.n_constraints) if self.prior is None else self.prior.mean.copy()
        lowest = 0.0 if self.weights == "nonnegative" else -np.inf
        path = maximise(self.objective, self.gradient, np.maximum(start, lowest), lowest)
        if self.finite_optimum:
            path += self._newton(path[-1], lowest)
        for weights in path:
            weights.flags.writeable = False
        return MaxEntState(path)

    def _newton(self, weights: NDArray[np.float64], lowest: float) -> list[NDArray[np.float64]]:
        """Return the weights after each of a few steps of Newton's method, which end at the optimum."""
        path: list[NDArray[np.float64]] = []
        reached = self.objective(weights)
        for _ in range(_NEWTON_STEPS):
            slope = self.gradient(weights)
            free = np.flatnonzero((weights > lowest) | (slope > 0))
            if not free.size or np.abs(slope[free]).max() < _GRADIENT:
                break
            curvature = self.curvature(weights)[np.ix_(free, free)]
            move = np.linalg.lstsq(curvature, slope[free], rcond=None)[0]
            after = weights.copy()
            after[free] = np.maximum(weights[free] + move, lowest)
            objective = self.objective(after)
            if not objective >= reached - _ROUNDING * (1 + abs(reached)):
                break
            weights, reached = after, objective
            path.append(weights)
        return path

    def step(self, rng: np.random.Generator, state: MaxEntState, n: int) -> MaxEntState:
        """Do `n` iterations."""
        state.iteration = min(state.iteration + n, len(state.path) - 1)
        return state

    def view(self, state: MaxEntState) -> MaxEntView:
        """Return the weights of the current iteration."""
        w = state.path[state.iteration]
        return MaxEntView(state.iteration, w, self.log_likelihood(w), self.objective(w), self.finite_optimum)

    def finished(self, state: MaxEntState) -> bool:
        """Return whether this is the last iteration."""
        return state.iteration == len(state.path) - 1

    def conclude(
        self, run: Run[MaxEntState, MaxEntView], tick: Tick[MaxEntView], *, stopped: bool = False
    ) -> Fit:
        """Return the fit at the current iteration."""
        view = tick.view
        covariance = self.covariance(view.weights)
        low, high = self._laplace_interval(view.weights, covariance, run.seed)
        at_fit = self.probabilities(view.weights)
        remarks = []
        if not view.finite_optimum:
            remarks.append("no finite optimum: some weights grow without end; give a prior")
        elif moved := self.ridge(view.weights) if tick.finished else ():
            names = ", ".join(self.tableau.constraints[c] for c in moved)
            remarks.append(f"other weights fit as well: they differ from these in {names}; {_CHOOSE}")
        if not tick.finished:
            remarks.append(f"stopped after {counted(view.iteration, 'iteration')}")
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
        # A wide prior leaves some directions almost free: rounding may then make the matrix indefinite.
        draws = rng.multivariate_normal(
            weights, np.nan_to_num(covariance), size=_LAPLACE_DRAWS, check_valid="ignore"
        )
        if self.weights == "nonnegative":
            draws = np.maximum(draws, 0.0)
        at_once = max(1, _MOST_AT_ONCE // rows)
        parts = [self.probabilities(draws[i : i + at_once]) for i in range(0, len(draws), at_once)]
        probability = np.concatenate(parts)
        low, high = np.quantile(probability, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
        return low, high


def maximise(
    objective: Callable[[NDArray[np.float64]], float],
    gradient: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    start: NDArray[np.float64],
    lowest: float,
) -> list[NDArray[np.float64]]:
    """Return the weights after every iteration of L-BFGS-B, the start first."""
    path = [start]

    def keep(xk: NDArray[np.float64]) -> None:
        check_interrupt()
        path.append(xk.copy())

    def loss(weights: NDArray[np.float64]) -> float:
        return -objective(weights)

    def loss_gradient(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return -gradient(weights)

    result = minimize(
        loss,
        start,
        jac=loss_gradient,
        method="L-BFGS-B",
        bounds=Bounds(lowest, np.inf),
        callback=keep,
        options={"maxiter": ITERATIONS, "ftol": 1e-14, "gtol": 1e-7, "maxls": 50},
    )
    path.append(np.asarray(result.x, float))
    return path


def _moves(row: NDArray[np.float64], kept: NDArray[np.float64]) -> bool:
    """Return whether a weight changes in a sum of directions in which no weight that is at its bound falls.

    Parameters
    ----------
    row : float64 (directions,)
        How much the weight changes in each direction.
    kept : float64 (weights, directions)
        How much those at their bounds do.
    """
    none = np.zeros(len(kept))
    least = (linprog(sign * row, -kept, none, bounds=(-1.0, 1.0)).fun for sign in (1.0, -1.0))
    return any(change is not None and change < -_STILL for change in least)


def _improves_without_end(differences: NDArray[np.float64], nonnegative: bool) -> bool:
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


class MaxEntSettings(WeightSettings, PriorSettings, TotalSettings):
    """Settings of a MaxEnt fit; None means the file's value, else the default."""

    sweeps = param.Integer(ITERATIONS, bounds=(1, None), doc="Largest number of iterations.")

    @property
    def steps(self) -> int:
        """Most iterations."""
        return int(self.sweeps)


def make_maxent(tableau: Tableau, settings: MaxEntSettings) -> MaxEnt:
    """Return the learner with these settings."""
    tableau = with_total(tableau, settings.total)
    prior = settings.normal_prior(tableau)
    return MaxEnt(tableau, prior=prior, weights=settings.weights)


@of_known_parses
def fit_maxent(
    tableau: Tableau,
    *,
    weights: Weights = "nonnegative",
    prior: NormalPrior | None = None,
    total: int | None = None,
    iterations: int = ITERATIONS,
    seed: int | None = None,
) -> Fit:
    """Return the fit of a maximum entropy grammar (Goldwater & Johnson 2003).

    Parameters
    ----------
    tableau, total
        Its frequencies are the observations.
    weights
        ``"nonnegative"`` penalties, or ``"free"`` in sign.
    prior
        Gaussian, one mean and sd per constraint; none if None.
    iterations
        Most iterations of L-BFGS.
    seed
        Of the draws behind the intervals.

    Examples
    --------
    >>> from otlab.ot import read
    >>> fit = fit_maxent(read("td_deletion_chicano"), seed=1)
    >>> fit.parameters["mean"].round(1)
    constraint
    *Ct          0.5
    Max-Pre-V    0.7
    Max-Final    1.0
    Max          0.0
    Name: mean, dtype: float64
    """
    learner = MaxEnt(tableau, total, prior, weights)
    return cast("Fit", fit(learner, steps=iterations, seed=seed))
