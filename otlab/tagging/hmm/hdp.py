r"""The hierarchical Dirichlet process of an infinite hidden Markov model (Teh et al. 2006).

States have weights :math:`\beta` in all rows together, and each row of transitions is drawn around them:

.. math::
    \beta \sim DP(\gamma + 1, (\delta_⋄ + \gamma H)/(\gamma + 1)), \quad
    \theta_⋄ \sim DP(\alpha, \beta), \quad
    \theta_k \sim DP(\alpha, (1 - \rho)\beta + \rho\,\delta_k).

The boundary ⋄ is an outcome of each row, as in the finite taggers; its pseudo-count of 1 beside gamma is a
table that it has from the beginning. With rho > 0 the process is sticky: alpha and rho are Fox et al.'s
(2008) alpha + kappa and kappa / (alpha + kappa). Neither paper has a boundary.

The concentrations are drawn from their posteriors given the tables m of the franchise, by auxiliary
variables: alpha as in Teh et al.'s appendix; rho, with a uniform prior, given the tables that overrode their
dish; gamma, since :math:`P(m \mid \gamma) \propto \gamma^K \Gamma(\gamma + 1)/\Gamma(\gamma + 1 + M)`, given
:math:`\eta \sim \mathrm{Beta}(\gamma + 1, M)` from Gamma(a + K, b - ln eta).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import gammaln

from otlab.errors import InputError
from otlab.inference.run import check_interrupt
from otlab.tagging.kernels.explicit import draw_log_gammas
from otlab.tagging.kernels.ihmm import draw_tables

__all__ = ["Concentration", "Franchise", "Rows", "log_rows", "parse_concentration"]

_TINY = 1e-280  # the least mass of a draw: the logarithm of a gamma variate stays finite


@dataclass(frozen=True)
class Concentration:
    """Gamma prior of a concentration, or a concentration that is kept.

    Attributes
    ----------
    shape, rate
        Of the gamma distribution; its mean, the first value, is their ratio.
    kept
        Whether the first value is never changed.
    """

    shape: float
    rate: float = 1.0
    kept: bool = False

    @property
    def first(self) -> float:
        """The first value."""
        return self.shape / self.rate

    def draw(self, rng: np.random.Generator, shape: float, rate: float) -> float:
        """Draw from the prior times a likelihood of this shape and rate; the first value if it is kept."""
        if self.kept:
            return self.first
        return float(max(rng.gamma(self.shape + shape, 1 / (self.rate + rate)), 1e-9))


def parse_concentration(text: str, option: str) -> Concentration:
    """Return the prior written as ``SHAPE:RATE``, or the concentration written as one number.

    Raises
    ------
    InputError
        If it is neither, or a number is not above 0.

    Examples
    --------
    >>> parse_concentration("2:0.5", "--gamma").first
    4.0
    >>> parse_concentration("3", "--gamma")
    Concentration(shape=3.0, rate=1.0, kept=True)
    """
    shape, colon, rate = str(text).partition(":")
    try:
        values = float(shape), float(rate) if colon else 1.0
    except ValueError:
        values = 0.0, 0.0
    if not all(0 < value < np.inf for value in values):
        raise InputError(
            f"{option} {text}: write shape and rate of a gamma prior (1:0.1), or a number above 0 to keep"
        )
    return Concentration(*values, kept=not colon)


@dataclass
class Rows:
    """Transition probabilities of finitely many states, and what is left for all others.

    Attributes
    ----------
    base : ndarray of shape (states,)
        Weights beta of the states.
    boundary, rest
        Weights of the boundary, and of all other states together.
    inner : ndarray of shape (states + 1, states)
        From each state, and from the boundary (last), to each state.
    last, others : ndarray of shape (states + 1,)
        From each to the boundary, and to all other states together.
    """

    base: np.ndarray
    boundary: float
    rest: float
    inner: np.ndarray
    last: np.ndarray
    others: np.ndarray


def _log_gammas(rng: np.random.Generator, shapes: np.ndarray) -> np.ndarray:
    out = np.empty(shapes.shape)
    draw_log_gammas(rng, np.maximum(shapes, _TINY), 0.0, np.ones((1, 1), bool), False, 0, len(shapes), out)
    return out


def _dirichlet(rng: np.random.Generator, shapes: np.ndarray) -> np.ndarray:
    """Draw a Dirichlet vector for each row."""
    logs = _log_gammas(rng, shapes)
    out: np.ndarray = np.exp(logs - logs.max(1, keepdims=True))
    out /= out.sum(1, keepdims=True)
    return out


@dataclass
class Franchise:
    """Weights of the states, and the concentrations.

    Attributes
    ----------
    gamma, alpha, rho
        As in the module; rho is 0 unless the process is sticky.
    base : ndarray of shape (states + 1,)
        Weights of the states that label tokens, 0 for others; the last is the boundary's.
    """

    gamma: float
    alpha: float
    rho: float
    base: np.ndarray = field(default_factory=lambda: np.zeros(1))

    def masses(self, used: np.ndarray) -> np.ndarray:
        """Return the prior mass of each transition between the used states and the boundary, last."""
        chosen = np.append(used, self.base.size - 1)
        masses = np.tile(self.alpha * (1 - self.rho) * self.base[chosen], (chosen.size, 1))
        masses[-1] = self.alpha * self.base[chosen]
        masses[np.arange(used.size), np.arange(used.size)] += self.alpha * self.rho
        return masses

    def redraw(
        self,
        rng: np.random.Generator,
        transitions: np.ndarray,
        used: np.ndarray,
        priors: tuple[Concentration, Concentration],
    ) -> None:
        """Draw the concentrations and the weights given the transitions of a sample.

        Parameters
        ----------
        rng
            Source of random numbers.
        transitions : ndarray of shape (states + 1, states + 1)
            Counts; see :class:`~otlab.tagging.hmm.parameters.Counts`.
        used : ndarray of int
            The states that label tokens.
        priors
            Of gamma and alpha.
        """
        chosen = np.append(used, self.base.size - 1)
        counts = transitions[np.ix_(chosen, chosen)]
        tables = np.zeros(counts.shape, np.int64)
        draw_tables(rng, counts, self.masses(used), tables)
        # Tables of a state's own row that took the state without asking for a dish (Fox et al.).
        own = np.arange(used.size)
        fresh = (1 - self.rho) * self.base[used]
        taken = rng.binomial(tables[own, own], self.rho / np.maximum(self.rho + fresh, _TINY))
        customers = counts.sum(1)
        left = np.log(rng.beta(self.alpha + 1, customers))
        full = rng.random(customers.size) * (customers + self.alpha) < customers
        self.alpha = priors[1].draw(rng, float(tables.sum() - full.sum()), -float(left.sum()))
        if self.rho > 0:
            self.rho = float(rng.beta(1 + taken.sum(), 1 + tables[:-1].sum() - taken.sum()))
        tables[own, own] -= taken
        dishes = tables.sum(0)
        eta = max(float(rng.beta(self.gamma + 1, dishes.sum())), _TINY)
        self.gamma = priors[0].draw(rng, float(used.size), -np.log(eta))
        shares = _dirichlet(rng, np.append(dishes + (chosen == chosen[-1]), self.gamma)[None])[0]
        self.base = np.zeros(self.base.size)
        self.base[chosen] = shares[:-1]

    def rows(self, rng: np.random.Generator, transitions: np.ndarray, used: np.ndarray) -> Rows:
        """Draw the rows of the used states and the boundary given the transitions of a sample."""
        chosen = np.append(used, self.base.size - 1)
        rest = max(1 - float(self.base.sum()), 0.0)
        row_factors = self.alpha * np.append(np.full(used.size, 1 - self.rho), 1.0)
        shapes = np.column_stack(
            [self.masses(used) + transitions[np.ix_(chosen, chosen)], row_factors * rest]
        )
        theta = _dirichlet(rng, shapes)
        return Rows(
            self.base[used],
            float(self.base[-1]),
            rest,
            theta[:, :-2],
            theta[:, -2].copy(),
            theta[:, -1].copy(),
        )

    def extend(self, rng: np.random.Generator, rows: Rows, least: float) -> None:
        """Break states off the rest until no row leaves as much as `least` to all other states."""
        while rows.others.max() >= least:
            check_interrupt()
            share = float(rng.beta(1, self.gamma))
            new, rows.rest = share * rows.rest, (1 - share) * rows.rest
            factors = self.alpha * np.append(np.full(rows.base.size, 1 - self.rho), 1.0)
            taken = rng.beta(np.maximum(factors * new, _TINY), np.maximum(factors * rows.rest, _TINY))
            column = taken * rows.others
            rows.others -= column
            rows.base = np.append(rows.base, new)
            masses = self.alpha * (1 - self.rho) * np.append(rows.base, [rows.boundary, rows.rest])
            masses[rows.base.size - 1] += self.alpha * self.rho
            own = _dirichlet(rng, masses[None])[0]
            inner = np.column_stack([rows.inner, column])
            rows.inner = np.vstack([inner[:-1], own[:-2], inner[-1:]])
            rows.last = np.insert(rows.last, -1, own[-2])
            rows.others = np.insert(rows.others, -1, own[-1])


def log_rows(franchise: Franchise, transitions: np.ndarray, used: np.ndarray) -> float:
    """Return ln P(transitions) of a sample given the weights and concentrations, rows integrated out."""
    chosen = np.append(used, franchise.base.size - 1)
    counts = transitions[np.ix_(chosen, chosen)]
    masses = np.maximum(franchise.masses(used), _TINY)
    cells = gammaln(counts + masses) - gammaln(masses)
    totals = gammaln(franchise.alpha) - gammaln(franchise.alpha + counts.sum(1))
    return float(cells.sum() + totals.sum())
