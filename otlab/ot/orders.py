r"""Total orders of the constraints: which candidate wins under one, and how probable one is.

At each evaluation a Stochastic OT grammar draws a value :math:`y_i \sim N(\mu_i, \sigma^2)`
for every constraint and ranks the constraints by it [1]_. The order
:math:`o_1 \gg o_2 \gg \dots \gg o_N` has probability

.. math:: P(y_{o_1} > \dots > y_{o_N}) = H_1(\infty), \qquad
          H_k(x) = \int_{-\infty}^{x} \varphi_{o_k}(t)\, H_{k+1}(t)\, dt, \qquad H_{N+1} = 1,

a chain of one-dimensional integrals, done on one grid of Gauss-Legendre panels.

.. [1] P. Boersma and B. Hayes (2001), *Empirical tests of the Gradual Learning Algorithm*,
   Linguistic Inquiry 32, section 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from otlab.ot.tableau import Tableau

__all__ = ["Evaluation", "evaluate", "order_of", "order_probability", "strata_values", "winning_rows"]

STRATA_APART = 5.0  # in noises

_NODES = 12
_TAIL = 8.5  # standard deviations beyond the outermost mean; the mass further out is below 1e-16
_PANEL = 2.0  # widest panel, in standard deviations


@dataclass(frozen=True, eq=False)
class Evaluation:
    """One input's candidates under one order of the constraints.

    Attributes
    ----------
    fatal
        Position in the order, counted from 0, at which each candidate loses; -1 for
        winners. Shape (candidates,).
    allowed
        At that position, the fewest violations among the remaining candidates:
        one more is fatal. 0 for winners. Shape (candidates,).
    """

    fatal: np.ndarray
    allowed: np.ndarray

    @property
    def winners(self) -> tuple[int, ...]:
        """The candidates that never lose; several only if their violations are identical."""
        return tuple(np.flatnonzero(self.fatal < 0).tolist())


def winning_rows(tableau: Tableau, values: np.ndarray) -> np.ndarray:
    """Return the winning row of each input without noise, int64 (inputs,), the first of equal ones."""
    order, starts = order_of(values), tableau.offsets[:-1].tolist()
    blocks = (tableau.violations[tableau.rows(k)] for k in range(len(starts)))
    best = (evaluate(block, order).winners[0] for block in blocks)
    return np.array([row + start for row, start in zip(best, starts, strict=True)], np.int64)


def evaluate(violations: np.ndarray, order: Sequence[int]) -> Evaluation:
    r"""Return the constraint at which each candidate loses under an order of the constraints.

    Parameters
    ----------
    violations
        Counts, shape (candidates, constraints), one candidate or more.
    order
        Constraint indices, highest ranked first.

    Examples
    --------
    bub.wa.ja loses at AL, bwaj.bwa.ja at the second violation of \*C-ONS:

    >>> ilokano = np.array([[1, 0, 1], [2, 0, 0], [0, 1, 0]])    # *C-ONS, AL, I_BR
    >>> result = evaluate(ilokano, order=[1, 0, 2])
    >>> result.fatal.tolist(), result.allowed.tolist(), result.winners
    ([-1, 1, 0], [0, 1, 0], (0,))
    """
    alive = np.ones(len(violations), dtype=bool)
    fatal = np.full(len(violations), -1)
    allowed = np.zeros(len(violations), dtype=np.int64)
    for position, constraint in enumerate(order):
        column = violations[:, constraint]
        best = column[alive].min()
        losers = alive & (column > best)
        fatal[losers], allowed[losers] = position, best
        alive &= ~losers
    return Evaluation(fatal, allowed)


def order_of(values: np.ndarray) -> tuple[int, ...]:
    """Return constraint indices from the highest value to the lowest; ties keep their order.

    >>> order_of(np.array([-0.08, 0.53, -0.45]))
    (1, 0, 2)
    """
    return tuple(np.argsort(-np.asarray(values), kind="stable").tolist())


def order_probability(ranking_values: np.ndarray, order: Sequence[int], noise: float) -> float:
    """Return the probability that an evaluation ranks the constraints in exactly this order.

    Parameters
    ----------
    ranking_values
        Means, shape (constraints,).
    order
        All constraint indices, highest ranked first.
    noise
        Standard deviation of the evaluation noise, above 0.

    Returns
    -------
    float
        In [0, 1]; absolute error below 1e-12. It sums to 1 over all orders.

    Examples
    --------
    >>> round(order_probability(np.zeros(3), (2, 0, 1), noise=2.0), 12) == round(1 / 6, 12)
    True
    """
    means = np.asarray(ranking_values, dtype=np.float64)[list(order)] / noise
    nodes, width = _grid(means.min() - _TAIL, means.max() + _TAIL)
    below, total = np.ones_like(nodes), 1.0
    for mean in means[::-1]:
        density = np.exp(-0.5 * (nodes - mean) ** 2) / np.sqrt(2 * np.pi)
        below, total = _running_integral(density * below, width)
    return min(max(total, 0.0), 1.0)


def _grid(low: float, high: float) -> tuple[np.ndarray, float]:
    """Return nodes, shape (panels, nodes a panel), and the half width of a panel."""
    panels = int(np.ceil((high - low) / _PANEL))
    width = (high - low) / panels / 2
    centres = low + width * (2 * np.arange(panels) + 1)
    return centres[:, None] + width * _rule()[0], width


def _running_integral(values: np.ndarray, width: float) -> tuple[np.ndarray, float]:
    """Return the integral up to each node, and over everything."""
    _, weights, inside = _rule()
    panels = width * values @ weights
    before = np.concatenate([[0.0], np.cumsum(panels)])
    return before[:-1, None] + width * values @ inside.T, float(before[-1])


@cache
def _rule() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return Gauss-Legendre nodes, weights, and the matrix that integrates from -1 to each node."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    degrees = np.eye(_NODES)
    values = np.polynomial.legendre.legval(nodes, degrees).T
    integrals = np.polynomial.legendre.legval(nodes, np.polynomial.legendre.legint(degrees, lbnd=-1.0)).T
    return nodes, weights, integrals @ np.linalg.inv(values)


def strata_values(strata: Sequence[Sequence[int]], noise: float, bound: float) -> NDArray[np.float64]:
    """Return ranking values that stand for strata, centred between the highest and the lowest.

    Parameters
    ----------
    strata
        Constraints by number, the highest stratum first; those of one stratum have the same value.
    noise
        Evaluation noise: strata are five of it apart, and change places once in 5,000 evaluations.
    bound
        Strata are closer where values would go beyond it.

    Examples
    --------
    >>> strata_values([[2], [0, 1]], noise=1.0, bound=6.0)
    array([-2.5, -2.5,  2.5])
    """
    values: NDArray[np.float64] = np.empty(sum(map(len, strata)))
    apart = min(STRATA_APART * noise, 1.8 * bound / max(1, len(strata) - 1))
    for n, stratum in enumerate(strata):
        values[list(stratum)] = -n * apart
    values -= (values.max() + values.min()) / 2
    return values
