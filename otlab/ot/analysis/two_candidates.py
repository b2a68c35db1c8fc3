r"""Inputs with two candidates, counted together, and the best grammars of four models.

Of candidates a, b let :math:`d = v_b - v_a` be the violations that a saves. Inputs with the same d are one
*cell*; in each a wins with probability

.. math::
    F(w \cdot d / s), \qquad F, s = \begin{cases}
        \text{logistic}, 1 & \text{MaxEnt} \\
        \Phi, \sigma \|d\| & \text{Noisy HG} \\
        \Phi, \sigma \sqrt 2 & \text{Normal MaxEnt (Flemming 2021)}
    \end{cases}

or, in Stochastic OT, that of :func:`otlab.ot.probability.predict`. The log likelihood of weights is concave,
as ln F is; it is maximised by L-BFGS-B. The covariance is the inverse of the expected information,
:math:`\sum n \, F'^2 / F (1 - F) \, d d^T / s^2`, over the weights that are not held at 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import log_expit, log_ndtr, xlogy

from otlab.errors import Fault, InputError
from otlab.inference.run import check_interrupt, report_preparation
from otlab.ot.conditions import identical_rows, without_impossible
from otlab.ot.learners.maxent import MaxEnt, maximise
from otlab.ot.learners.mle import MLE
from otlab.ot.probability import predict
from otlab.ot.tableau import Tableau

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from otlab.ot.learners.maxent import Weights

__all__ = ["MODELS", "Cells", "FittedCells", "Step", "fit_cells"]

MODELS = {"maxent": "MaxEnt", "hg": "Noisy HG", "normal": "Normal MaxEnt", "sot": "Stochastic OT"}
_NEVER = 1e-12  # a probability below it is 0


@dataclass(frozen=True, eq=False)
class Cells:
    """Inputs with the same difference of two candidates, counted together.

    Attributes
    ----------
    constraints
        Names of the K in which they differ.
    d : int64 (cells, K)
        Violations that the first candidate saves; the first that is not 0 is positive.
    counts : int64 (cells, 2)
        Tokens of the first and of the second candidate.
    inputs
        Names of the inputs of each cell.
    candidates
        The first and the second candidate of the first input of each.
    left_out
        Number of inputs that have no two candidates that differ, or no token.
    """

    constraints: tuple[str, ...]
    d: NDArray[np.int64]
    counts: NDArray[np.int64]
    inputs: tuple[tuple[str, ...], ...]
    candidates: tuple[tuple[str, str], ...]
    left_out: int

    @classmethod
    def of(cls, tableau: Tableau) -> Cells:
        """Return the cells of the inputs of two candidates that have tokens."""
        counts, used = tableau.counts(), 0
        found: dict[tuple[int, ...], tuple[list[str], tuple[str, str], NDArray[np.int64]]] = {}
        for k, name in enumerate(tableau.inputs):
            classes = identical_rows(tableau, k)
            if len(classes) != 2 or not counts[tableau.rows(k)].any():
                continue
            used += 1
            a, b = classes
            d = tableau.violations[b[0]] - tableau.violations[a[0]]
            if d[np.flatnonzero(d)[0]] < 0:
                a, b, d = b, a, -d
            said = tableau.candidates[a[0]], tableau.candidates[b[0]]
            cell = found.setdefault(tuple(d.tolist()), ([], said, np.zeros(2, np.int64)))
            cell[0].append(name)
            cell[2][:] += counts[list(a)].sum(), counts[list(b)].sum()
        if not used:
            what = "no input has two candidates that differ, and tokens of them"
            raise InputError(Fault(what, "logits are of two candidates", file=tableau.name))
        order = sorted(found)
        d = np.array(order, np.int64)
        kept = np.flatnonzero(d.any(axis=0))
        return cls(
            tuple(tableau.constraints[k] for k in kept),
            d[:, kept],
            np.array([found[key][2] for key in order]),
            tuple(tuple(found[key][0]) for key in order),
            tuple(found[key][1] for key in order),
            len(tableau.inputs) - used,
        )

    @cached_property
    def tableau(self) -> Tableau:
        """A tableau with an input for each cell."""
        rows: list[tuple[str, str, float, Sequence[int]]] = []
        for n, (d, (first, second)) in enumerate(zip(self.d, self.counts.tolist(), strict=True)):
            rows.append((str(n), "first", first, np.maximum(-d, 0).tolist()))
            rows.append((str(n), "second", second, np.maximum(d, 0).tolist()))
        return Tableau.from_rows(rows, list(self.constraints))

    @cached_property
    def logits(self) -> NDArray[np.float64]:
        """Observed logit of the first candidate of each cell."""
        logs = np.log(self.counts + 0.5)
        difference: NDArray[np.float64] = logs[:, 0] - logs[:, 1]
        return difference

    @cached_property
    def variances(self) -> NDArray[np.float64]:
        """Variances of the observed logits."""
        sums: NDArray[np.float64] = (1.0 / (self.counts + 0.5)).sum(axis=1)
        return sums

    def named(self, cell: int, sign: int) -> tuple[str, str]:
        """Return the candidates of a cell, the one first whose logit has this sign."""
        first, second = self.candidates[cell]
        return (first, second) if sign > 0 else (second, first)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The neighbouring cells that differ in one constraint only, by constraint."""
        found = []
        for k in range(len(self.constraints)):
            contexts: dict[tuple[int, ...], list[tuple[int, int, int]]] = {}
            for cell, d in enumerate(self.d.tolist()):
                others = [n for i, n in enumerate(d) if i != k]
                sign = -1 if next((n for n in others if n), 1) < 0 else 1
                contexts.setdefault(tuple(sign * n for n in others), []).append((sign * d[k], cell, sign))
            for context in contexts.values():
                ordered = sorted(context)
                pairs = pairwise(ordered)
                found += [
                    Step(k, (low[1], high[1]), (low[2], high[2]), (low[0], high[0])) for low, high in pairs
                ]
        return tuple(found)

    @cached_property
    def differences(self) -> NDArray[np.float64]:
        """What turns logits of cells into differences for each violation, (steps, cells)."""
        matrix = np.zeros((len(self.steps), len(self.d)))
        for row, step in zip(matrix, self.steps, strict=True):
            n = step.saved[1] - step.saved[0]
            row[list(step.cells)] = -step.signs[0] / n, step.signs[1] / n
        return matrix


class Step(NamedTuple):
    """Two cells that differ in constraint `k` only, in the order of the violations saved.

    `signs` are -1 where the logit is that of the cell's second candidate.
    """

    k: int
    cells: tuple[int, int]
    signs: tuple[int, int]
    saved: tuple[int, int]


class FittedCells(NamedTuple):
    """A model's best grammar: values, logits of the cells, their derivative (cells, K), covariance."""

    values: NDArray[np.float64]
    logits: NDArray[np.float64]
    slopes: NDArray[np.float64]
    covariance: NDArray[np.float64]
    log_likelihood: float
    parameters: int
    note: str = ""


class _Link(NamedTuple):
    """A distribution function of a noise that is symmetric, ln F, and its slope f / F."""

    log: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    slope: Callable[[NDArray[np.float64]], NDArray[np.float64]]


def _normal_slope(x: NDArray[np.float64]) -> NDArray[np.float64]:
    slope: NDArray[np.float64] = np.exp(-0.5 * x**2 - 0.5 * math.log(2 * math.pi) - log_ndtr(x))
    return slope


_LOGISTIC = _Link(log_expit, lambda x: np.exp(log_expit(-x)))
_NORMAL = _Link(log_ndtr, _normal_slope)


def _weighted(cells: Cells, weights: Weights, link: _Link, scales: NDArray[np.float64]) -> FittedCells:
    """Return the most likely weights, where the first candidate wins by F(w . d / scale)."""
    x, (first, second) = cells.d / scales[:, None], cells.counts.T.astype(float)

    def objective(w: NDArray[np.float64]) -> float:
        eta = x @ w
        return float(first @ link.log(eta) + second @ link.log(-eta))

    def gradient(w: NDArray[np.float64]) -> NDArray[np.float64]:
        eta = x @ w
        downhill: NDArray[np.float64] = (first * link.slope(eta) - second * link.slope(-eta)) @ x
        return downhill

    lowest = 0.0 if weights == "nonnegative" else -math.inf
    values = maximise(objective, gradient, np.zeros(x.shape[1]), lowest)[-1]
    eta = x @ values
    rise = link.slope(eta) + link.slope(-eta)  # of the logit, by eta
    covariance = np.zeros((values.size, values.size))
    kept = np.ix_(*2 * [np.flatnonzero(values > lowest)])
    information = x.T @ ((first + second) * link.slope(eta) * link.slope(-eta) * x.T).T
    covariance[kept] = np.linalg.pinv(information[kept], rcond=1e-10, hermitian=True)
    note = ""
    if not MaxEnt(cells.tableau, weights=weights).finite_optimum:
        covariance[:] = math.nan
        note = "no finite optimum: some weights grow without end"
    return FittedCells(
        values,
        link.log(eta) - link.log(-eta),
        rise[:, None] * x,
        covariance,
        objective(values),
        int(np.linalg.matrix_rank(cells.d)),
        note,
    )


def _ranked(cells: Cells, noise: float, seed: int) -> FittedCells:
    """Return the most likely ranking values."""
    possible = without_impossible(cells.tableau)
    values = np.zeros(len(cells.constraints))
    covariance, note, flat = np.full((values.size, values.size), math.nan), "", 0
    if possible.frequencies.any():
        maximum = MLE(possible, noise).init(np.random.default_rng(seed)).maximum
        values, covariance = maximum.values, maximum.covariance
        if len(maximum.groups) > 1:
            note = "the likelihood is highest when groups of constraints are infinitely far apart"
        elif len(maximum.flat):
            note, flat = "other ranking values fit as well", len(maximum.flat)
    if possible is not cells.tableau:
        note, covariance = "a candidate that can never win was observed", np.full_like(covariance, math.nan)

    def probability(at: NDArray[np.float64]) -> NDArray[np.float64]:
        return predict(cells.tableau, at, noise, seed=0).probability.reshape(-1, 2)

    def logits(at: NDArray[np.float64]) -> NDArray[np.float64]:
        p = probability(at)
        p = np.where(p < _NEVER, 0.0, p)
        with np.errstate(divide="ignore"):
            odds: NDArray[np.float64] = np.log(p[:, 0]) - np.log(p[:, 1])
        return odds

    h = 1e-4 * noise
    with np.errstate(invalid="ignore"):
        slopes = np.array([logits(values + h * e) - logits(values - h * e) for e in np.eye(values.size)])
    likelihood = float(xlogy(cells.counts, probability(values)).sum())
    free = max(0, min(values.size - 1 - flat, len(cells.d)))
    return FittedCells(values, logits(values), slopes.T / (2 * h), covariance, likelihood, free, note)


def fit_cells(
    cells: Cells, *, noise: float, weights: Weights = "nonnegative", seed: int = 0
) -> dict[str, FittedCells]:
    """Return the best grammar of each of :data:`MODELS`."""
    length = np.sqrt((cells.d**2).sum(axis=1))
    one, late = np.ones(len(cells.d)), np.full(len(cells.d), noise * math.sqrt(2))
    fits: dict[str, Callable[[], FittedCells]] = {
        "maxent": lambda: _weighted(cells, weights, _LOGISTIC, one),
        "hg": lambda: _weighted(cells, weights, _NORMAL, noise * length),
        "normal": lambda: _weighted(cells, weights, _NORMAL, late),
        "sot": lambda: _ranked(cells, noise, seed),
    }
    fitted = {}
    for done, name in enumerate(MODELS):
        report_preparation("model", done, len(MODELS))
        check_interrupt()
        fitted[name] = fits[name]()
    return fitted
