r"""MaxEnt from overt forms: the marginal likelihood of what is heard (Pater, Staubs, Jesney & Smith 2012).

The probability of an overt form is the sum over its parses z,

.. math:: P(o) = \sum_{z \in o} \frac{\exp(-w \cdot v_z)}{Z}, \qquad
          \frac{\partial \ln P(o)}{\partial w} = \mathrm{E}[v] - \mathrm{E}[v \mid o] ,

and the objective is the log likelihood of all overt forms, less the penalty of a normal prior. It has several
optima: L-BFGS-B starts from the prior's means and from random weights, and the best end is kept, or the first
one that gives every input as heard. Where every overt form has one parse this is MaxEnt.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import param

from otlab.errors import InputError
from otlab.inference import fit
from otlab.ot.given import check_tableau
from otlab.ot.learners.maxent import (
    ITERATIONS,
    MaxEnt,
    MaxEntSettings,
    MaxEntState,
    MaxEntView,
    make_maxent,
    maximise,
)
from otlab.ot.overt import overt_forms_of, reproduced_by_weights
from otlab.ot.overt_fitted import overt_fit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from otlab.inference import Run, Tick
    from otlab.ot.fitted import Fit
    from otlab.ot.learners.maxent import Weights
    from otlab.ot.learners.priors import NormalPrior
    from otlab.ot.overt import OvertForms
    from otlab.ot.tableau import Tableau

__all__ = ["MaxEntOvert", "MaxEntOvertSettings", "fit_maxent_overt", "make_maxent_overt"]

STARTS = 6
SPREAD = 5.0
"""Mean of the random weights that an optimisation starts from."""


@dataclass(frozen=True, eq=False)
class MaxEntOvert(MaxEnt):
    """A MaxEnt grammar fitted to overt forms.

    Parameters
    ----------
    tableau, total, prior, weights
        As for :class:`~otlab.ot.learners.maxent.MaxEnt`; the frequencies of
        the parses of an overt form are added up.
    starts
        Optimisations: the first from the prior's means (else 0), the others from random weights.
    until_reproduced
        Whether to keep the first end at which the candidate of least penalty of every input
        sounds as heard, instead of the best of all; the best where no end does.

    Raises
    ------
    InputError
        If a setting makes no sense.
    """

    starts: int = STARTS
    until_reproduced: bool = False
    name: str = field(default="maxent-overt", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.starts < 1:
            raise InputError(f"starts {self.starts}: give 1 or more")

    @property
    def finite_optimum(self) -> bool:
        """Whether a prior keeps the weights finite; without one that is seen at the end (:meth:`view`)."""
        return self.prior is not None

    @cached_property
    def forms(self) -> OvertForms:
        """The overt forms."""
        return overt_forms_of(self.tableau)

    @cached_property
    def _heard(self) -> NDArray[np.float64]:
        """Observations of each overt form."""
        return self.forms.sums(self.counts)

    @cached_property
    def _order(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows ordered by overt form, and where each form begins."""
        order = np.argsort(self.forms.of_row, kind="stable")
        return order, np.searchsorted(self.forms.of_row[order], np.arange(len(self.forms.names)))

    def overt_log_probabilities(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ln P of each overt form within its input, float64 (forms,)."""
        order, starts = self._order
        logs = self.log_probabilities(weights)[order]
        found: NDArray[np.float64] = np.logaddexp.reduceat(logs, starts)
        return found

    def parse_counts(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the expected number of observations of each row, float64 (rows,)."""
        overt = self.overt_log_probabilities(weights)
        shares = np.exp(self.log_probabilities(weights) - overt[self.forms.of_row])
        counts: NDArray[np.float64] = self._heard[self.forms.of_row] * shares
        return counts

    def log_likelihood(self, weights: NDArray[np.float64]) -> float:
        """Return the log likelihood of the overt forms in nats."""
        heard = self._heard > 0
        return float(self._heard[heard] @ self.overt_log_probabilities(weights)[heard])

    def gradient(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return dJ/dw: expected violations less those of the parses, less the prior's slope."""
        excess = self._tokens * self.probabilities(weights) - self.parse_counts(weights)
        slope: NDArray[np.float64] = excess @ self._violations
        if self.prior is not None:
            slope = slope - (weights - self.prior.mean) / self.prior.sd**2
        return slope

    def curvature(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return minus the Hessian of J: covariances of violations, less those among the parses."""
        whole, counts, v = super().curvature(weights), self.parse_counts(weights), self._violations
        order, starts = self._order
        totals = np.add.reduceat(counts[order], starts)
        sums = np.add.reduceat((counts[:, None] * v)[order], starts, axis=0)
        means = np.divide(sums, totals[:, None], out=np.zeros_like(sums), where=totals[:, None] > 0)
        centred = v - means[self.forms.of_row]
        curvature: NDArray[np.float64] = whole - (centred * counts[:, None]).T @ centred
        return curvature

    def init(self, rng: np.random.Generator) -> MaxEntState:
        """Return the optimisation that is kept, the whole way to its end."""
        check_tableau(self.tableau)
        k = self.tableau.n_constraints
        lowest = 0.0 if self.weights == "nonnegative" else -np.inf
        first = np.zeros(k) if self.prior is None else self.prior.mean.copy()
        begins = [first, *(rng.exponential(SPREAD, k) for _ in range(self.starts - 1))]
        paths = []
        for start in begins:
            path = maximise(self.objective, self.gradient, np.maximum(start, lowest), lowest)
            if self.until_reproduced and self.reproduced(path[-1]) == 1:
                paths = [path]
                break
            paths.append(path)
        best = max(paths, key=lambda path: self.objective(path[-1]))
        for weights in best:
            weights.flags.writeable = False
        return MaxEntState(best)

    def view(self, state: MaxEntState) -> MaxEntView:
        """Return the weights of the current iteration."""
        view, w = super().view(state), state.path[-1]
        grows = self.prior is None and w.any() and self.objective(1.5 * w) >= self.objective(w)
        return replace(view, finite_optimum=not grows)

    def conclude(
        self, run: Run[MaxEntState, MaxEntView], tick: Tick[MaxEntView], *, stopped: bool = False
    ) -> Fit:
        """Return the fit at the current iteration, with overt forms and parses."""
        plain = super().conclude(run, tick, stopped=stopped)
        weights = tick.view.weights
        share = self.reproduced(weights)
        return overt_fit(plain, weights[None], share=[share], probabilities=self.probabilities(weights)[None])

    def random_optimum(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return the weights at which an optimisation from random ones ends."""
        lowest = 0.0 if self.weights == "nonnegative" else -np.inf
        start = rng.exponential(SPREAD, self.tableau.n_constraints)
        return maximise(self.objective, self.gradient, start, lowest)[-1]

    def reproduced(self, weights: NDArray[np.float64]) -> float:
        """Return the share of inputs whose overt form the candidate of least penalty has."""
        return reproduced_by_weights(self.tableau, weights)

    def _settings_of(self, run: Run[Any, Any]) -> dict[str, Any]:
        own = {"starts": self.starts, "until_reproduced": self.until_reproduced}
        return {**super()._settings_of(run), **own}


class MaxEntOvertSettings(MaxEntSettings):
    """Settings of a MaxEnt fit to overt forms; None means the file's value, else the default."""

    starts = param.Integer(STARTS, bounds=(1, None), doc="Optimisations from different weights.")
    until_reproduced = param.Boolean(
        False, doc="Keep the first optimum that gives every input as heard, instead of the best of all starts"
    )


def make_maxent_overt(tableau: Tableau, settings: MaxEntOvertSettings) -> MaxEntOvert:
    """Return the learner with these settings."""
    plain = make_maxent(tableau, settings)
    own = {"starts": settings.starts, "until_reproduced": settings.until_reproduced}
    return MaxEntOvert(plain.tableau, prior=plain.prior, weights=plain.weights, **own)


def fit_maxent_overt(
    tableau: Tableau,
    *,
    seed: int | None = None,
    total: int | None = None,
    prior: NormalPrior | None = None,
    weights: Weights = "nonnegative",
    starts: int = STARTS,
    until_reproduced: bool = False,
) -> Fit:
    """Return the MaxEnt grammar that makes what was heard most probable, parses summed.

    Parameters
    ----------
    tableau, total, prior, weights, starts, until_reproduced
        As for :class:`MaxEntOvert`.
    seed
        Of the random starts; a fresh one if None.

    Raises
    ------
    InputError
        As :class:`MaxEntOvert`.

    Examples
    --------
    >>> from otlab.ot import read
    >>> from otlab.ot.learners.priors import equal_prior
    >>> tableau = read("overt_stress")
    >>> fit_maxent_overt(tableau, prior=equal_prior(tableau, 10.0), seed=1).reproduced
    (1.0,)
    """
    learner = MaxEntOvert(tableau, total, prior, weights, starts, until_reproduced)
    return cast("Fit", fit(learner, steps=ITERATIONS, seed=seed))
