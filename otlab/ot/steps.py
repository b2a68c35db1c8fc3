r"""One conditional draw of the Gibbs sampler, one trial of the GLA, in plain Python.

:func:`draw_sites` draws the disharmonies of one observation (Lin 2005, section 5.2,
Table 4): that of each constraint from

.. math:: N(\mu_i, \sigma^2) \text{ on } (l, h), \quad
          l = \max_{k:\, i \in W_k,\; \max_{W_k \setminus i} y < \max_{L_k} y} \max_{L_k} y, \quad
          h = \min_{k:\, i \in L_k} \max_{W_k} y,

and :func:`trace_trial` says what the next trial of the GLA will do. The numbers are those of
the kernels: the learner's next step gives the same.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from otlab.inference.kernels.draws import truncated_normal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from otlab.ot.conditions import ERC
    from otlab.ot.learners.error_driven import TrialState
    from otlab.ot.learners.gla import GLA

__all__ = ["SiteDraw", "TrialTrace", "draw_sites", "site_interval", "trace_trial"]


@dataclass(frozen=True)
class SiteDraw:
    """The draw of one constraint of one observation.

    Attributes
    ----------
    constraint
        Its number.
    mean, noise
        Of the normal distribution before truncation.
    low, high
        Where it is truncated; infinite if it is not.
    low_by, high_by
        The constraint whose value is that bound; None if there is none.
    before, value
        The value before and after the draw; `value` is None if the draw is still to come.
    """

    constraint: int
    mean: float
    noise: float
    low: float
    high: float
    low_by: int | None
    high_by: int | None
    before: float
    value: float | None


@dataclass(frozen=True, eq=False)
class TrialTrace:
    """One trial of the GLA.

    Attributes
    ----------
    input
        The input's number.
    observed, produced
        Rows: the candidate observed, and the winner under the grammar's own ranking.
    disharmony : ndarray of shape (constraints,)
        Ranking value plus noise; NaN if the input's candidates do not differ on the constraint,
        so that nothing is drawn.
    order : tuple of int
        The constraints that were drawn, highest first.
    before, after : ndarray of shape (constraints,)
        Ranking values, not centred.
    step
        The plasticity of this trial, relative to its stage's first; 0 without an error.
    """

    input: int
    observed: int
    produced: int
    disharmony: np.ndarray
    order: tuple[int, ...]
    before: np.ndarray
    after: np.ndarray
    step: float

    @property
    def error(self) -> bool:
        """Whether the grammar's own winner differs from the candidate observed."""
        return self.observed != self.produced


def site_interval(
    conjuncts: Sequence[ERC], constraint: int, y: np.ndarray
) -> tuple[float, float, int | None, int | None]:
    """Return the interval of a constraint's value, and the constraints that bound it.

    Parameters
    ----------
    conjuncts
        Each of them must hold: the highest winner above the highest loser.
    constraint
        Its number.
    y : ndarray of shape (constraints,)
        Values that observe the conjuncts.

    Returns
    -------
    low, high, low_by, high_by

    Examples
    --------
    ``max(C1, C2) > C3`` with C1 = 1, C2 = -1, C3 = 0: C1 must stay above C3.

    >>> from otlab.ot import ERC
    >>> site_interval([ERC(frozenset({0, 1}), frozenset({2}))], 0, np.array([1.0, -1.0, 0.0]))
    (0.0, inf, 2, None)
    """
    low, high, low_by, high_by = -np.inf, np.inf, None, None
    for erc in conjuncts:
        if constraint in erc.winners:
            rival, by = _best(y, erc.losers)
            others, _ = _best(y, erc.winners - {constraint})
            if others < rival and rival > low:
                low, low_by = rival, by
        elif constraint in erc.losers:
            best, by = _best(y, erc.winners)
            if best < high:
                high, high_by = best, by
    return low, high, low_by, high_by


def _best(y: np.ndarray, constraints: Iterable[int]) -> tuple[float, int | None]:
    """Return the highest value among these constraints, and the constraint that has it."""
    best, by = -np.inf, None
    for i in sorted(constraints):
        if y[i] > best:
            best, by = float(y[i]), i
    return best, by


def draw_sites(
    rng: np.random.Generator,
    conjuncts: Sequence[ERC],
    sites: Sequence[int],
    y: np.ndarray,
    ranking_values: Sequence[float] | np.ndarray,
    noise: float,
) -> tuple[SiteDraw, ...]:
    """Draw each site once from its full conditional, in order.

    Parameters
    ----------
    rng
        Advanced by the draws.
    conjuncts
        As for :func:`site_interval`.
    sites
        The constraints to draw, by number.
    y : ndarray of shape (constraints,)
        Values that observe the conjuncts; changed in place.
    ranking_values, noise
        Means and standard deviation.
    """
    draws = []
    for i in sites:
        low, high, low_by, high_by = site_interval(conjuncts, i, y)
        mean, before = float(ranking_values[i]), float(y[i])
        y[i] = truncated_normal(rng, mean, noise, low, high)
        draws.append(SiteDraw(i, mean, noise, low, high, low_by, high_by, before, float(y[i])))
    return tuple(draws)


def trace_trial(learner: GLA, rng: np.random.Generator, state: TrialState) -> TrialTrace:
    """Return the steps of the next trial; neither `rng` nor `state` is changed."""
    (rng, state), following = copy.deepcopy((rng, state)), copy.deepcopy((rng, state))
    tableau, data, stages = learner.tableau, learner.data, learner.stages
    stage = stages.number(state.trial)
    u = rng.random() * data.observed.size
    entry = int(u) if u - int(u) < data.chance[int(u)] else int(data.alias[int(u)])
    observed = int(data.observed[entry])
    k = int(data.input_of[observed])
    active = data.active[data.active_start[k] : data.active_start[k + 1]]
    disharmony = np.full(state.values.size, np.nan)
    for i in active:
        disharmony[i] = state.values[i] + stages.noise[stage, i] * rng.standard_normal()
    order = active[np.argsort(-disharmony[active], kind="stable")]
    rivals = data.rivals[data.rival_start[k] : data.rival_start[k + 1]]
    produced = _winner(tableau.violations, [observed, *rivals.tolist()], order.tolist())
    before = state.values.copy()
    after, step = before, 0.0
    if produced != observed:
        step = 1.0 if state.trial in stages.begins else state.size
        if stages.spread > 0:
            step *= 1.0 + stages.spread * rng.standard_normal()
        after = learner.step(*following, 1).values
    return TrialTrace(
        k, observed, produced, disharmony, tuple(int(i) for i in order), before, after, float(step)
    )


def _winner(violations: np.ndarray, rows: Sequence[int], order: Sequence[int]) -> int:
    """Return the row that wins under an order of the constraints; the first of identical ones."""
    remaining = list(rows)
    for constraint in order:
        fewest = min(violations[row, constraint] for row in remaining)
        remaining = [row for row in remaining if violations[row, constraint] == fewest]
    return remaining[0]
