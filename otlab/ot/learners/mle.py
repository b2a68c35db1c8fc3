r"""Maximum likelihood of Stochastic OT, and maximum a posteriori, from exact probabilities.

Maximises :math:`\sum_r n_r \ln P_r(\mu)` over centred ranking values, less
:math:`\sum_i (\mu_i - m_i)^2 / 2 s_i^2` with a normal prior, by L-BFGS from several starts with the
exact gradient. The function is not concave, and its maximum need be neither finite nor single:

* **at infinity**: the likelihood still rises, or stays as high, when some constraints move up
  without end away from the others. This is tried at each gap between the values found. What
  is reported then is the limit: groups of constraints, one categorically above the other;
* **a ridge**: other values not far away fit as well. The curvature at the maximum then has
  directions, besides the common level of all values, in which it is 0.

Rankings that are given beforehand are kept by the ranking values, as in :mod:`otlab.ot.learners.gibbs`:
the maximum is then that of the values in this order, by sequential quadratic programming (Kraft 1988). If the
data prefer another order it is where the two values are equal.

Standard deviations come from Laplace's approximation, the inverse curvature at the maximum;
there are none at infinity, on a ridge, or where a ranking is kept against the data.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import param
from scipy.linalg import null_space
from scipy.optimize import minimize, nnls

from otlab.errors import InputError, counted
from otlab.inference import check_interrupt, fit
from otlab.ot.conditions import observed_relations
from otlab.ot.constraint_names import numbered_pairs
from otlab.ot.fitted import LEVEL, Fit, Predicted, log_likelihood, no_trust
from otlab.ot.io.apriori import chosen_apriori
from otlab.ot.learners.likelihood import exact_target, log_posterior, zero_sum_basis
from otlab.ot.learners.sampler import put_in_order
from otlab.ot.learners.settings import APrioriSettings, NoiseSettings, PriorSettings, TotalSettings
from otlab.ot.overt import parses_unknown
from otlab.ot.overt_fitted import overt_fit
from otlab.ot.probability import predict, predict_many
from otlab.ot.settings import resolve_settings, with_total

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from otlab.inference import Run, Tick
    from otlab.ot.conditions import Relation
    from otlab.ot.kernels.exact import Target
    from otlab.ot.learners.priors import NormalPrior
    from otlab.ot.settings import Settings
    from otlab.ot.tableau import Tableau

__all__ = ["MLE", "MLESettings", "MLEState", "MLEView", "Maximum", "fit_mle", "make_mle"]

STARTS = 8
ITERATIONS = 2_000
_APART = 30.0  # in units of the noise: constraints this far apart never exchange ranks
_SAME = 1e-7  # log likelihoods that differ less are equal, in nats for each nat
_FLAT = 1e-6  # curvature, as a share of the largest, below which a direction is flat
_CLOSE = 1e-4  # in noises: values this close are equal
_PULL = 1e-4  # slope, in nats for each noise, below which the data prefer no order
_DRAWS = 1000


@dataclass(frozen=True, eq=False)
class Maximum:
    """The maximum of the log posterior, with notes on ridges and limits at infinity.

    Attributes
    ----------
    values : float64 (constraints,)
        Centred; groups that are to be infinitely far apart are 30 noises apart.
    objective
        The log likelihood there, with the prior's penalty.
    groups : tuple of tuple of int
        The constraints, by number, in groups each of which is categorically above the next;
        a single group if the maximum is finite.
    flat : float64 (directions, constraints)
        Directions in which the curvature is 0: those of a ridge. None at infinity.
    covariance : float64 (constraints, constraints)
        Laplace's; all NaN at infinity, on a ridge, or where a ranking is kept against the data.
    kept : tuple of (int, int)
        The constraints, by number, whose values are equal because the data prefer the second above the
        first, and the ranking given beforehand the first above the second.
    """

    values: NDArray[np.float64]
    objective: float
    groups: tuple[tuple[int, ...], ...]
    flat: NDArray[np.float64]
    covariance: NDArray[np.float64]
    kept: tuple[tuple[int, int], ...] = ()


@dataclass
class MLEState:
    """The values after each iteration of the best start, the maximum, and the current iteration."""

    path: list[NDArray[np.float64]]
    maximum: Maximum
    iteration: int = 0

    @property
    def numbers(self) -> NDArray[np.float64]:
        """Numbers that are checked for NaN: the latest ranking values."""
        return self.path[-1]


@dataclass(frozen=True, slots=True)
class MLEView:
    """Snapshot of the optimisation.

    Attributes
    ----------
    iteration
        Iterations of L-BFGS from the best start.
    values : float64 (constraints,)
        Ranking values, centred.
    objective
        Their log likelihood, with the prior's penalty.
    ended
        Whether this is the maximum.
    """

    iteration: int
    values: NDArray[np.float64]
    objective: float
    ended: bool


@dataclass(frozen=True, eq=False)
class MLE:
    """The most likely Stochastic OT grammar.

    The optimisation takes milliseconds, so `init` does it and `step` goes along its iterations:
    the result cannot depend on the steps.

    Parameters
    ----------
    tableau
        Its frequencies are the observations.
    noise, total
        As for :func:`~otlab.ot.settings.resolve_settings`. There is no bound.
    prior
        Where each constraint is expected; none if None.
    starts
        Where the optimisation begins: at equal values, and at this number less one of random
        ones.
    apriori
        Pairs of constraints by name, the higher one first: its ranking value is at least as high.

    Raises
    ------
    InputError
        If an attested candidate can never win, a setting makes no sense, or the probabilities
        of an observed input cannot be computed exactly.
    """

    tableau: Tableau
    noise: float | None = None
    total: int | None = None
    prior: NormalPrior | None = None
    starts: int = STARTS
    apriori: tuple[tuple[str, str], ...] = ()
    name: str = field(default="mle", init=False)

    def __post_init__(self) -> None:
        if self.starts < 1:
            raise InputError(f"{self.starts} starts: give 1 or more")
        if self.prior is not None and self.prior.mean.shape != (self.tableau.n_constraints,):
            raise InputError(
                "the prior does not name each constraint once; give one mean and sd per constraint"
            )
        _ = self.target

    @cached_property
    def settings(self) -> Settings:
        """Noise and total in force."""
        return resolve_settings(self.tableau, self.noise, None, self.total)

    @cached_property
    def relations(self) -> tuple[Relation, ...]:
        """The ordering relations of observed candidates; none of overt forms whose parses are not known."""
        return observed_relations(self.tableau, self.settings.total)

    @cached_property
    def target(self) -> Target:
        """The log posterior as the kernels take it."""
        return exact_target(self.tableau, self.relations, self.settings, self.prior, self.pairs)

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The constraints that are ranked a priori, by number: the first of a pair above the second."""
        return numbered_pairs(self.tableau, self.apriori)

    def objective(self, values: NDArray[np.float64]) -> float:
        """Return the log likelihood of ranking values, with the prior's penalty."""
        return log_posterior(self.target, values)[0]

    def init(self, rng: np.random.Generator) -> MLEState:
        """Return the whole optimisation."""
        k, reach = self.tableau.n_constraints, 3 * self.settings.noise
        starts = [np.zeros(k), *(rng.uniform(-reach, reach, (self.starts - 1, k)))]
        for start in starts:
            put_in_order(start, self.pairs)
        paths = [_climb(self.target, start) for start in starts]
        best = max(paths, key=lambda path: round(self.objective(path[-1]), 7))
        return MLEState(best, self._examine(best[-1]))

    def _examine(self, values: NDArray[np.float64]) -> Maximum:
        """Return the maximum, moved to its limit if that is at infinity."""
        groups = [tuple(range(values.size))]
        if self.prior is None and self.target.weights.any():
            values, groups = self._separate(values)
        objective, kept = self.objective(values), self._kept(values)
        basis = _directions(values.size, kept)
        unknown = np.full((values.size, values.size), np.nan)
        flat = np.empty((0, values.size))
        if len(groups) == 1 and basis.size:
            sharpness, directions = np.linalg.eigh(basis.T @ self._curvature(values) @ basis)
            level = sharpness < _FLAT * max(1.0 / self.settings.noise**2, sharpness.max())
            flat = (basis @ directions[:, level]).T
            if not (level.any() or kept):
                unknown = basis @ (directions / sharpness) @ directions.T @ basis.T
        return Maximum(values, objective, tuple(groups), flat, unknown, kept)

    def _kept(self, values: NDArray[np.float64]) -> tuple[tuple[int, int], ...]:
        """Return the pairs whose values are equal and that the data would rank the other way round."""
        close = _CLOSE * self.settings.noise
        equal = [(a, b) for a, b in self.pairs if values[a] - values[b] < close]
        if not equal:
            return ()
        pulls, _ = nnls(_gaps(values.size, equal).T, -log_posterior(self.target, values)[1])
        strong = pulls * self.settings.noise > _PULL
        return tuple(pair for pair, pulled in zip(equal, strong, strict=True) if pulled)

    def _separate(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], list[tuple[int, ...]]]:
        """Move constraints apart where this does not lower the likelihood; return values and groups.

        A constraint whose violations are equal within each input is nowhere: it makes no group.
        """
        order = np.argsort(-values, kind="stable")
        violations, first = self.tableau.violations, self.tableau.offsets[:-1]
        spread = np.maximum.reduceat(violations, first) - np.minimum.reduceat(violations, first)
        differs: NDArray[np.bool_] = np.asarray(spread.max(axis=0) > 0)
        least = self.objective(values)
        least -= _SAME * (1.0 + abs(least))
        cuts = []
        for cut in range(1, values.size):
            if not (differs[order[:cut]].any() and differs[order[cut:]].any()):
                continue
            apart = values.copy()
            apart[order[:cut]] += _APART * self.settings.noise
            in_order = all(apart[a] >= apart[b] for a, b in self.pairs)
            if in_order and self.objective(apart) >= least:
                values = apart
                cuts.append(cut)
        values = _climb(self.target, values)[-1] if cuts else values
        groups = [tuple(sorted(part.tolist())) for part in np.split(order, cuts)]
        return values - values.mean(), groups

    def _curvature(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return minus the Hessian, by central differences of the exact gradient."""
        h = 1e-4 * self.settings.noise
        columns = [
            log_posterior(self.target, values - shift)[1] - log_posterior(self.target, values + shift)[1]
            for shift in h * np.eye(values.size)
        ]
        curvature = np.array(columns) / (2 * h)
        return 0.5 * (curvature + curvature.T)

    def step(self, rng: np.random.Generator, state: MLEState, n: int) -> MLEState:
        """Do `n` iterations."""
        state.iteration = min(state.iteration + n, len(state.path))
        return state

    def view(self, state: MLEState) -> MLEView:
        """Return the values of the current iteration; after the last one, the maximum."""
        if self.finished(state):
            return MLEView(state.iteration, state.maximum.values.copy(), state.maximum.objective, True)
        values = state.path[state.iteration]
        return MLEView(state.iteration, values.copy(), self.objective(values), False)

    def finished(self, state: MLEState) -> bool:
        """Return whether the path has ended."""
        return state.iteration >= len(state.path)

    def conclude(self, run: Run[MLEState, MLEView], tick: Tick[MLEView], *, stopped: bool = False) -> Fit:
        """Return the values, their predictions, and notes on the maximum."""
        view = max(tick.views, key=lambda view: round(view.objective, 7))
        maximum = self._examine(view.values)
        values, noise = view.values, self.settings.noise
        variances = np.diag(maximum.covariance)
        if view.ended:
            remarks = self._remarks(maximum)
        else:
            remarks = [f"stopped after {counted(view.iteration, 'iteration')}, before the maximum"]
        fit = Fit(
            run=run,
            tick=tick,
            stopped=stopped,
            kind="ranking value",
            mean=values,
            sd=np.sqrt(np.where(variances > 0, variances, np.nan)),
            median=values,
            predicted=self._predicted(values, maximum.covariance, noise),
            trust=no_trust(self.tableau),
            multimodal=False,
            used=self._settings_of(run),
            remarks=tuple(remarks),
            converged=view.ended,
        )
        return overt_fit(fit, values[None], [values]) if parses_unknown(self.tableau) else fit

    def _predicted(
        self, values: NDArray[np.float64], covariance: NDArray[np.float64], noise: float
    ) -> Predicted:
        """Return the predictions at the maximum, with Laplace's interval if there is one."""
        tableau = self.tableau
        at_best = predict(tableau, values, noise, seed=0).probability
        low = high = np.full(tableau.n_rows, np.nan)
        if np.isfinite(covariance).all():
            rng = np.random.default_rng(0)
            draws = rng.multivariate_normal(values, covariance, _DRAWS, method="eigh")
            tail = (1 - LEVEL) / 2
            low, high = np.quantile(predict_many(tableau, draws, noise, seed=0), [tail, 1 - tail], axis=0)
        top = log_likelihood(tableau, values, noise, self.settings.total)
        return Predicted(at_best, low, high, at_best, values, top, top)

    def _remarks(self, maximum: Maximum) -> list[str]:
        """Return the warnings about a maximum at infinity, on a ridge, or in an order against the data."""
        against = ", ".join(" >> ".join(self._named(pair)) for pair in maximum.kept)
        remarks = [f"the data prefer the other order ({against}): these values are equal"] if against else []
        if len(maximum.groups) > 1:
            names = " >> ".join(", ".join(self._named(group)) for group in maximum.groups)
            return [
                *remarks,
                f"the likelihood is highest when groups of constraints are infinitely far apart ({names}):"
                " differences within a group count, those between groups are only large",
            ]
        if len(maximum.flat):
            moved = np.flatnonzero(np.abs(maximum.flat).max(axis=0) > 1e-3)
            return [
                *remarks,
                "other ranking values fit as well (a ridge): they differ from these in"
                f" {', '.join(self._named(moved.tolist()))}; a prior would choose among them",
            ]
        return remarks

    def _named(self, constraints: Sequence[int]) -> list[str]:
        return [self.tableau.constraints[c] for c in constraints]

    def _settings_of(self, run: Run[Any, Any]) -> dict[str, Any]:
        prior = self.prior
        return {
            "noise": self.settings.noise,
            "total": self.settings.total,
            "prior": None if prior is None else {"mean": prior.mean.tolist(), "sd": prior.sd.tolist()},
            "starts": self.starts,
            "apriori": [list(pair) for pair in self.apriori],
            "sweeps": run.total,
        }


def _gaps(n: int, pairs: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    """Return a matrix, (pairs, n), that maps values to the gap of each pair."""
    unit = np.eye(n)
    return np.array([unit[a] - unit[b] for a, b in pairs]).reshape(-1, n)


def _directions(n: int, equal: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    """Return an orthonormal basis of the changes that keep sum 0, and the values of these pairs equal."""
    basis = zero_sum_basis(n)
    return basis @ null_space(_gaps(n, equal) @ basis) if equal else basis


def _climb(target: Target, start: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return the centred values after each iteration, from the start on.

    By L-BFGS, or by sequential quadratic programming where constraints are ranked a priori.
    """
    basis = zero_sum_basis(start.size)
    path = [start - start.mean()]
    if start.size == 1:
        return path

    def downhill(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        check_interrupt()
        density, slope = log_posterior(target, basis @ x)
        return (-density, -(slope @ basis)) if np.isfinite(density) else (1e300, np.zeros(x.size))

    pairs = list(zip(target.higher.tolist(), target.lower.tolist(), strict=True))
    if pairs:
        gaps = _gaps(start.size, pairs) @ basis
        how: dict[str, Any] = {
            "method": "SLSQP",
            "constraints": {"type": "ineq", "fun": lambda x: gaps @ x, "jac": lambda _: gaps},
            "options": {"maxiter": ITERATIONS, "ftol": 1e-15},
        }
    else:
        most = {"maxiter": ITERATIONS, "maxfun": 20 * ITERATIONS, "ftol": 1e-15, "gtol": 1e-9, "maxls": 50}
        how = {"method": "L-BFGS-B", "options": most}
    minimize(downhill, basis.T @ path[0], jac=True, callback=lambda x: path.append(basis @ x), **how)
    put_in_order(path[-1], pairs)  # equal values may differ by a rounding error
    return path


class MLESettings(APrioriSettings, NoiseSettings, PriorSettings, TotalSettings):
    """Settings of the most likely grammar; None means the file's value, else the default."""

    sweeps = param.Integer(ITERATIONS, bounds=(1, None), doc="Largest number of iterations.")
    starts = param.Integer(STARTS, bounds=(1, None), doc="Number of starts of the optimisation.")

    @property
    def steps(self) -> int:
        """Iterations at most."""
        return int(self.sweeps)


def make_mle(tableau: Tableau, settings: MLESettings) -> MLE:
    """Return the learner with these settings."""
    tableau = with_total(tableau, settings.total)
    prior = settings.normal_prior(tableau)
    apriori = chosen_apriori(settings.apriori, tableau)
    return MLE(tableau, settings.noise, None, prior, settings.starts, apriori)


def fit_mle(
    tableau: Tableau,
    *,
    seed: int | None = None,
    noise: float | None = None,
    total: int | None = None,
    prior: NormalPrior | None = None,
    starts: int = STARTS,
    apriori: tuple[tuple[str, str], ...] = (),
) -> Fit:
    """Return the most likely Stochastic OT grammar, or the most probable one with a prior.

    Parameters
    ----------
    tableau, noise, total, prior, starts, apriori
        As for :class:`MLE`.
    seed
        Of the random starts; a fresh one if None.

    Raises
    ------
    InputError
        As :class:`MLE`.

    Examples
    --------
    >>> from otlab.ot import read
    >>> fit = fit_mle(read("ilokano"), seed=1)
    >>> fit.mean.round(3).tolist(), fit.predicted.at_best.round(3).tolist()
    ([-0.078, 0.532, -0.454], [0.333, 0.333, 0.333])
    >>> print(fit_mle(read("spanish"), seed=1).warnings[0])
    the likelihood is highest when groups of constraints are infinitely far apart (A, M >> D, B): ...
    """
    learner = MLE(tableau, noise, total, prior, starts, apriori)
    return cast("Fit", fit(learner, steps=ITERATIONS, seed=seed))
