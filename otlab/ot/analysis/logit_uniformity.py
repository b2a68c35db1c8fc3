r"""Compare differences of logits between inputs that differ in one constraint, as observed and by model.

Of two candidates a, b let :math:`d = v_b - v_a` be the violations that a saves. For weights w, ranking
values :math:`\mu` and normal noise of standard deviation :math:`\sigma`

.. math::
    \operatorname{logit} P(a) = w \cdot d \quad \text{(MaxEnt)}, \qquad
    P(a) = \Phi\Big(\frac{w \cdot d}{\sigma \|d\|}\Big) \quad \text{(Noisy HG)}, \qquad
    P(a) = \Phi\Big(\frac{w \cdot d}{\sigma \sqrt 2}\Big) \quad \text{(Normal MaxEnt)},

and in Stochastic OT P(a) is the probability that the highest constraint with :math:`d_k \ne 0` has
:math:`d_k > 0`. Take two inputs whose d are the same but for n violations of constraint k. Their logits
differ by :math:`n w_k` under MaxEnt, whatever the other violations are: it is uniform (Flemming 2021 [1]_).
Under the other models the difference depends on this context.

Inputs with the same d are counted together, in a *cell*. The observed logit of counts x, y is
:math:`\ln (x + 1/2) - \ln (y + 1/2)`, with variance :math:`1/(x + 1/2) + 1/(y + 1/2)` (Haldane 1956,
Anscombe 1956). That all contexts of a constraint have one difference for each violation is tested by the
generalised least squares chi-squared of the differences about their common value. Models are fitted by
maximum likelihood to all cells; intervals of what they predict are the delta method's, from the inverse
information; :math:`G^2 = 2 (\ell_{\text{saturated}} - \ell)` tests each model.

.. [1] E. Flemming (2021), Comparing MaxEnt and Noisy Harmonic Grammar, *Glossa* 6(1), 141.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import chdtrc, xlogy

from otlab.errors import Fault, InputError
from otlab.ot.analysis.comparison import aicc, p_value
from otlab.ot.analysis.two_candidates import MODELS, Cells, fit_cells
from otlab.ot.overt import parses_unknown
from otlab.ot.settings import resolve_settings, with_total

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from numpy.typing import NDArray

    from otlab.ot.analysis.two_candidates import FittedCells
    from otlab.ot.learners.maxent import Weights
    from otlab.ot.tableau import Tableau

__all__ = ["MODELS", "Contrast", "LogitUniformity", "Uniformity", "UniformityModel", "logit_uniformity"]

Z95 = 1.959963984540054
REFUTED = 0.05
_ALIKE = 2.0  # differences of AICc up to this do not tell models apart (Burnham & Anderson 2002)


@dataclass(frozen=True)
class Estimate:
    """A difference of logits for each violation, with the ends of its 95 % interval, NaN if there is none."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, value: float, variance: float) -> Estimate:
        """Return the estimate with this variance."""
        half = Z95 * math.sqrt(variance) if variance >= 0 else math.nan
        return cls(value, value - half, value + half)


@dataclass(frozen=True, eq=False)
class Contrast:
    """Two groups of inputs that differ in one constraint only.

    Attributes
    ----------
    constraint
        Its name.
    inputs
        Names of the inputs of each, the group with fewer violations saved first.
    candidates
        Of the first input of each group: the candidate whose logit is meant, and the other one.
    saved
        How many violations of the constraint the former saves in each group, beside the other one.
    observed
        Difference of logits for each violation, with its interval.
    predicted
        The same under each model at its best grammar, by name of the model.
    """

    constraint: str
    inputs: tuple[tuple[str, ...], tuple[str, ...]]
    candidates: tuple[tuple[str, str], tuple[str, str]]
    saved: tuple[int, int]
    observed: Estimate
    predicted: dict[str, Estimate]

    def words(self) -> str:
        """Return the two groups of inputs by their names."""
        return " → ".join(
            f"/{names[0]}/" + (f" and {len(names) - 1} more" if names[1:] else "") for names in self.inputs
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as ``otlab compare --json`` prints it."""
        return {
            "constraint": self.constraint,
            "words": self.words(),
            "inputs": [list(names) for names in self.inputs],
            "candidates": [list(pair) for pair in self.candidates],
            "saved": list(self.saved),
            "observed": vars(self.observed),
            "predicted": {name: vars(estimate) for name, estimate in self.predicted.items()},
        }


@dataclass(frozen=True)
class Uniformity:
    """Whether all contexts of one constraint have the same difference of logits.

    Attributes
    ----------
    constraint
        Its name.
    common
        The best common value, for each violation; MaxEnt's weight.
    chi_squared, freedom, chance
        The test that there is one; NaN if there is a single context.
    """

    constraint: str
    common: float
    chi_squared: float
    freedom: int
    chance: float


@dataclass(frozen=True, eq=False)
class UniformityModel:
    """One model, fitted to the inputs of two candidates.

    Attributes
    ----------
    model, label
        Name, as in :data:`MODELS`, and label.
    values : float64 (constraints,)
        Weights or ranking values of the best grammar.
    log_likelihood, aicc
        As in :mod:`otlab.ot.analysis.comparison`.
    parameters
        How many combinations of the values the inputs tell apart.
    deviance, freedom, chance
        G^2 against the saturated model, and its p-value; NaN without freedom.
    note
        A caveat; empty if none.
    """

    model: str
    label: str
    values: NDArray[np.float64]
    log_likelihood: float
    parameters: int
    aicc: float
    deviance: float
    freedom: int
    chance: float
    note: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as ``otlab compare --json`` prints it."""
        return {**vars(self), "values": self.values.tolist()}


@dataclass(frozen=True, eq=False)
class LogitUniformity:
    """Differences of logits as observed and under each model.

    Attributes
    ----------
    tableau
        Whose inputs they are.
    constraints
        Names of those in which two candidates of an input differ.
    contrasts
        All pairs of neighbouring groups of inputs, by constraint.
    uniform
        The test of each constraint that has a contrast.
    models
        In the order of :data:`MODELS`.
    observations, left_out
        Tokens that were used, and inputs whose candidates are not two that differ.
    """

    tableau: Tableau
    constraints: tuple[str, ...]
    contrasts: tuple[Contrast, ...]
    uniform: tuple[Uniformity, ...]
    models: tuple[UniformityModel, ...]
    observations: int
    left_out: int

    def words(self) -> str:
        """Return what the data say of uniformity, and which model they prefer, in sentences."""
        tested = [one for one in self.uniform if one.freedom]
        refuted = [one for one in tested if one.chance < REFUTED]
        if refuted:
            each = ", ".join(f"{one.constraint} ({p_value(one.chance)})" for one in refuted)
            said = f"Differences of logits depend on the context, against MaxEnt: {each}."
        elif tested:
            names = ", ".join(one.constraint for one in tested)
            said = f"Differences of logits are uniform within chance, as under MaxEnt: {names}."
        elif self.contrasts:
            said = "No constraint is seen in two contexts, so that uniformity cannot be tested."
        else:
            said = "No two inputs differ in one constraint only."
        return " ".join(filter(None, [said, self._preferred(), self._left_out()]))

    def _preferred(self) -> str:
        ordered = sorted((one for one in self.models if math.isfinite(one.aicc)), key=lambda one: one.aicc)
        if len(ordered) < 2:
            return ""
        best = ordered[0]
        alike = [one.label for one in ordered[1:] if one.aicc - best.aicc < _ALIKE]
        others = ", ".join(f"{one.label} {one.aicc - best.aicc:.1f}" for one in ordered[1:])
        if alike:
            return f"The data do not tell {best.label} from {', '.join(alike)} (AICc above it: {others})."
        return f"The data prefer {best.label} (AICc above it: {others})."

    def _left_out(self) -> str:
        n = self.left_out
        inputs = "1 input is" if n == 1 else f"{n:,} inputs are"
        return f"{inputs} left out: not two candidates that differ, or no token." if n else ""

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with one row per contrast."""
        import pandas as pd

        rows = []
        for one in self.contrasts:
            row: dict[str, Any] = {"constraint": one.constraint, "inputs": one.words()}
            for name, estimate in {"observed": one.observed, **one.predicted}.items():
                row |= {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
            rows.append(row)
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Return it as ``otlab compare --json`` prints it."""
        return {
            "constraints": list(self.constraints),
            "contrasts": [one.to_dict() for one in self.contrasts],
            "uniform": [vars(one) for one in self.uniform],
            "models": [one.to_dict() for one in self.models],
            "observations": self.observations,
            "left_out": self.left_out,
            "words": self.words(),
        }


def logit_uniformity(
    tableau: Tableau,
    *,
    noise: float | None = None,
    total: int | None = None,
    weights: Weights = "nonnegative",
    seed: int | None = None,
) -> LogitUniformity:
    """Return differences of logits between inputs that differ in one constraint, observed and predicted.

    Parameters
    ----------
    tableau
        Inputs of two candidates that differ, with tokens, are used.
    noise
        Evaluation noise of the models that have one; the tableau's, else 2.
    total
        How many observations the frequencies of each input stand for.
    weights
        Sign of the weights of all models but Stochastic OT.
    seed
        Of the starts of the maximum of Stochastic OT; 0 if None.

    Raises
    ------
    InputError
        If no input has two candidates that differ and tokens, or parses are not known.
    Interrupted
        If the work was stopped.

    Examples
    --------
    >>> from otlab.ot import read
    >>> found = logit_uniformity(read("td_deletion_chicano"))
    >>> for contrast in found.contrasts:
    ...     print(contrast.constraint, round(contrast.observed.value, 2), contrast.words())
    Max-Pre-V 0.68 /west end/ → /west side/
    Max-Final 1.01 /west/ → /west side/
    """
    if parses_unknown(tableau):
        what = "parses are not known, so that no violations of what was heard are"
        raise InputError(Fault(what, "give a table of candidates", file=tableau.name))
    tableau = with_total(tableau, total)
    sd = resolve_settings(tableau, noise).noise
    cells = Cells.of(tableau)
    fitted = fit_cells(cells, noise=sd, weights=weights, seed=0 if seed is None else seed)
    return LogitUniformity(
        tableau,
        cells.constraints,
        _contrasts(cells, fitted),
        tuple(_uniform(cells)),
        tuple(_model(cells, name, one) for name, one in fitted.items()),
        int(cells.counts.sum()),
        cells.left_out,
    )


def _contrasts(cells: Cells, fitted: dict[str, FittedCells]) -> tuple[Contrast, ...]:
    observed = _estimates(cells.differences, cells.logits, np.diag(cells.variances))
    predicted = {
        name: _estimates(cells.differences, one.logits, one.slopes @ one.covariance @ one.slopes.T)
        for name, one in fitted.items()
    }
    found = []
    for n, step in enumerate(cells.steps):
        low, high = step.cells
        named = [cells.named(cell, sign) for cell, sign in zip(step.cells, step.signs, strict=True)]
        found.append(
            Contrast(
                cells.constraints[step.k],
                (cells.inputs[low], cells.inputs[high]),
                (named[0], named[1]),
                step.saved,
                observed[n],
                {name: estimates[n] for name, estimates in predicted.items()},
            )
        )
    return tuple(found)


def _estimates(
    matrix: NDArray[np.float64], logits: NDArray[np.float64], covariance: NDArray[np.float64]
) -> list[Estimate]:
    """Return the differences that `matrix` makes of logits with this covariance."""
    found = []
    for row in matrix:
        own = np.flatnonzero(row)
        part, among = row[own], covariance[np.ix_(own, own)]
        with np.errstate(invalid="ignore"):
            found.append(Estimate.of(float(part @ logits[own]), float(part @ among @ part)))
    return found


def _uniform(cells: Cells) -> Iterator[Uniformity]:
    """Yield the test of each constraint that has contrasts."""
    of_step = np.array([step.k for step in cells.steps], np.int64)
    for k in np.unique(of_step).tolist():
        matrix = cells.differences[of_step == k]
        differences, ones = matrix @ cells.logits, np.ones(len(matrix))
        precision = np.linalg.inv(matrix * cells.variances @ matrix.T)
        common = float(ones @ precision @ differences / (ones @ precision @ ones))
        away = differences - common
        freedom, chi_squared = len(matrix) - 1, float(away @ precision @ away)
        chance = float(chdtrc(freedom, chi_squared)) if freedom else math.nan
        yield Uniformity(cells.constraints[k], common, chi_squared, freedom, chance)


def _model(cells: Cells, name: str, fitted: FittedCells) -> UniformityModel:
    k, n = fitted.parameters, int(cells.counts.sum())
    share = cells.counts / cells.counts.sum(axis=1, keepdims=True)
    deviance = max(0.0, 2 * (float(xlogy(cells.counts, share).sum()) - fitted.log_likelihood))
    freedom = len(cells.d) - k
    return UniformityModel(
        name,
        MODELS[name],
        fitted.values,
        fitted.log_likelihood,
        k,
        aicc(fitted.log_likelihood, k, n),
        deviance,
        freedom,
        float(chdtrc(freedom, deviance)) if freedom > 0 else math.nan,
        fitted.note,
    )
