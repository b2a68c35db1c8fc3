r"""Predict each speaker, or item, from all others: leave-one-group-out, from draws of a mixed grammar.

.. math:: p(y_g \mid y_{-g}) = \Big( E \big[ 1 / p(y_g \mid m, \tau, v) \big] \Big)^{-1}, \qquad
          p(y_g \mid m, \tau, v) = \int p(y_g \mid m + u + v) \, N(u; 0, \tau^2) \, du

The expectation is over draws of the posterior of all data, smoothed by Pareto (PSIS [1]_); the effect u of
the speaker that is left out is integrated by importance sampling, half of whose points come from its prior
and half from a normal distribution around what was learnt of it. Its words keep their effects v, which the
other speakers tell. Without a level for speakers there is nothing to integrate. Likewise for items.

.. [1] A. Vehtari, A. Gelman and J. Gabry (2017), Practical Bayesian model evaluation using
   leave-one-out cross-validation and WAIC, *Statistics and Computing* 27.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np
from scipy.special import logsumexp

from otlab.errors import InputError, did_you_mean
from otlab.inference.random import fresh_seed
from otlab.inference.run import check_interrupt, report_preparation
from otlab.ot.analysis.leave_one_out import RELIABLE, smoothed
from otlab.ot.kernels.mixed import RANKING, likelihoods
from otlab.ot.learners import LEARNERS
from otlab.ot.learners.mixed_tokens import LEVELS, LevelName, Levels
from otlab.ot.mixed_fitted import SPREADS, MixedFit
from otlab.ot.settings import resolve_settings

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from otlab.ot.kernels.mixed import Tokens
    from otlab.ot.learners.maxent import Weights
    from otlab.ot.learners.mixed import MixedSampler
    from otlab.ot.tableau import Tableau

__all__ = [
    "MIXED_LEARNERS",
    "SWEEPS",
    "GroupsLeftOut",
    "LevelsCompared",
    "compare_levels",
    "leave_one_group_out",
    "levels_compared",
    "levels_words",
]

MIXED_LEARNERS = ("maxent-mixed", "sot-mixed", "hg-mixed")
SWEEPS = 1500
_DRAWS = 400
_WORK = {True: 4_000_000, False: 40_000_000}  # likelihoods of a pair; of stochastic rankings, of others
_FEWEST, _MOST = 16, 128  # points of an integral
_WIDER, _LEAST = 1.2, 0.05  # the proposal's sd, and its least one in units of tau
_ROWS_AT_ONCE = 20_000


@dataclass(frozen=True, eq=False)
class GroupsLeftOut:
    """How well a mixed grammar predicts each speaker, or item, from the others.

    Attributes
    ----------
    levels
        Those of the grammar: ``"both"``, ``"speakers"``, ``"items"`` or ``"none"``.
    level
        What is left out: ``"speaker"`` or ``"item"``.
    names, tokens
        Of the groups.
    elpd, pareto_k : float64 (groups,)
        Log predictive density of all tokens of each; above a Pareto k of 0.7 it is not reliable.
    """

    levels: Levels
    level: LevelName
    names: tuple[str, ...]
    tokens: NDArray[np.float64]
    elpd: NDArray[np.float64]
    pareto_k: NDArray[np.float64]

    @property
    def total(self) -> float:
        """Sum of the log predictive densities."""
        return float(self.elpd.sum())

    @property
    def standard_error(self) -> float:
        """Standard error of the sum, from how much the groups differ."""
        return _error_of_sum(self.elpd)

    @property
    def unreliable(self) -> int:
        """Number of groups with a Pareto k above 0.7."""
        return int((self.pareto_k > RELIABLE).sum())

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each group."""
        import pandas as pd

        columns = {"tokens": self.tokens, "elpd": self.elpd, "pareto_k": self.pareto_k}
        return pd.DataFrame({self.level: list(self.names), **columns})

    def to_dict(self) -> dict[str, Any]:
        """Return it as ``otlab compare --json`` prints it."""
        known = self.pareto_k[~np.isnan(self.pareto_k)]
        return {
            "levels": self.levels,
            "elpd": self.total,
            "elpd_se": self.standard_error,
            "pareto_k": float(known.max()) if known.size else math.nan,
            "unreliable": self.unreliable,
            "groups": self.to_pandas().to_dict("records"),
        }


@dataclass(frozen=True, eq=False)
class LevelsCompared:
    """Grammars with speakers and items, one of them, and none, by how well they predict each group.

    Attributes
    ----------
    tableau
        What was learnt from.
    level
        What was left out.
    learner, sweeps, seed
        With which the grammars were learnt.
    models
        The grammars, those with most levels first.
    """

    tableau: Tableau
    level: LevelName
    learner: str
    sweeps: int
    seed: int
    models: tuple[GroupsLeftOut, ...]

    @property
    def best(self) -> GroupsLeftOut:
        """The grammar that predicts the groups best."""
        return max(self.models, key=lambda one: one.total)

    def below_best(self, model: GroupsLeftOut) -> tuple[float, float]:
        """Return how much lower a grammar's sum is than the best one's, and the standard error of this."""
        difference = self.best.elpd - model.elpd
        return float(difference.sum()), _error_of_sum(difference)

    def words(self) -> str:
        """Return which levels predict best, in sentences."""
        return levels_words(list(self.models))

    def to_dict(self) -> dict[str, Any]:
        """Return it as ``otlab compare --json`` prints it."""
        about = {"level": self.level, "learner": self.learner, "sweeps": self.sweeps}
        return {**about, "models": [one.to_dict() for one in self.models], "words": self.words()}


def _error_of_sum(terms: NDArray[np.float64]) -> float:
    return math.sqrt(len(terms)) * float(terms.std(ddof=1)) if len(terms) > 1 else math.nan


def leave_one_group_out(
    fit: MixedFit, level: LevelName = "speaker", *, seed: int | None = None
) -> GroupsLeftOut:
    r"""Return how well each speaker, or item, is predicted from all others.

    Parameters
    ----------
    fit
        Of ``maxent-mixed``, ``sot-mixed`` or ``hg-mixed``, with any levels.
    level
        What is left out, ``"speaker"`` or ``"item"``; its effect is integrated over its prior.
    seed
        Of the points of the integrals; the fit's if None.

    Raises
    ------
    InputError
        If the data do not name two or more of them.

    Examples
    --------
    >>> from otlab.ot import read_text
    >>> from otlab.ot.learners.maxent_mixed import fit_maxent_mixed
    >>> ana, ben = "Ana,t,t,9,1,0\nAna,t,0,1,0,1", "Ben,t,t,2,1,0\nBen,t,0,8,0,1"
    >>> tableau = read_text(f"Speaker,Input,Output,n,*T,Max\n{ana}\n{ben}")
    >>> left_out = leave_one_group_out(fit_maxent_mixed(tableau, sweeps=400, seed=1))
    >>> left_out.names, left_out.tokens.tolist()
    (('Ana', 'Ben'), [10.0, 10.0])
    """
    which = LEVELS.index(level)
    learner = cast("MixedSampler", fit.learner)
    whole = replace(learner, levels="both")
    names = whole.pairs.names[which]
    if len(names) < 2:
        raise InputError(_too_few(level))
    draws, chains = _evenly(fit.draws, fit.run.chains)
    points = _points(whole.tokens, len(draws["m"]))
    rng = np.random.default_rng(fit.seed if seed is None else seed)
    logs = np.empty((len(draws["m"]), len(names)))
    for group in range(len(names)):
        report_preparation(level, group, len(names))
        check_interrupt()
        own = np.flatnonzero(whole.pairs.member[which] == group)
        tokens, others = _tokens_of(whole.tokens, own, which)
        on = (len(learner.pairs.names[0]) > 1, len(learner.pairs.names[1]) > 1)
        v = draws[LEVELS[1 - which]][:, others if on[1 - which] else np.zeros_like(others)]
        if on[which]:
            u = draws[level][:, group]
            logs[:, group] = _integrated(rng, tokens, draws["m"], draws[SPREADS[which]], u, v, points)
        else:
            logs[:, group] = _log_likelihoods(tokens, draws["m"], v)
    terms, shapes = smoothed(logs.reshape(chains, -1, len(names)))
    return GroupsLeftOut(learner.levels, level, names, whole.pairs.tokens_of(which), terms, shapes)


def _too_few(level: str) -> str:
    return f"the data name no two {level}s; leaving one out needs a column {level.capitalize()}"


def _evenly(draws: dict[str, NDArray[np.float64]], chains: int) -> tuple[dict[str, NDArray[np.float64]], int]:
    """Return evenly spaced draws of each chain, at most 400 in all, and the number of chains."""
    n = len(draws["m"])
    chains = chains if n % chains == 0 else 1
    length = n // chains
    some = np.linspace(0, length - 1, min(length, max(1, _DRAWS // chains))).round().astype(np.int64)
    chosen = (length * np.arange(chains)[:, None] + some).reshape(-1)
    return {name: values[chosen] for name, values in draws.items()}, chains


def _points(tokens: Tokens, draws: int) -> int:
    """Return the number of points of an integral, even."""
    affordable = _WORK[tokens.kind == RANKING] // (draws * max(1, tokens.member.shape[1]))
    return 2 * (int(np.clip(affordable, _FEWEST, _MOST)) // 2)


def _tokens_of(tokens: Tokens, pairs: NDArray[np.int64], which: int) -> tuple[Tokens, NDArray[np.int64]]:
    """Return the tokens of some pairs, of one group, and the groups of the other level that they have."""
    cells = _ranges(tokens.cell_start, pairs)
    counts = _ranges(tokens.count_start, cells)
    others, place = np.unique(tokens.member[1 - which, pairs], return_inverse=True)
    part = tokens._replace(
        member=np.array([np.zeros_like(pairs), place.reshape(-1)]),
        cell_start=_starts(np.diff(tokens.cell_start)[pairs]),
        cell=tokens.cell[cells],
        count_start=_starts(np.diff(tokens.count_start)[cells]),
        heard=tokens.heard[counts],
    )
    return part, others


def _ranges(start: NDArray[np.int64], which: NDArray[np.int64]) -> NDArray[np.int64]:
    ranges = [np.arange(start[k], start[k + 1]) for k in which]
    return np.concatenate(ranges) if ranges else np.empty(0, np.int64)


def _starts(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _log_likelihoods(
    tokens: Tokens, common: NDArray[np.float64], others: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the log likelihood of the tokens of one group for values (n, K) and the others' (n, o, K)."""
    out = np.empty(len(common))
    none = np.zeros((len(common), 1, common.shape[1]))
    likelihoods(tokens, np.ascontiguousarray(common), none, np.ascontiguousarray(others), out)
    return out


def _integrated(
    rng: np.random.Generator,
    tokens: Tokens,
    m: NDArray[np.float64],
    tau: NDArray[np.float64],
    learnt: NDArray[np.float64],
    others: NDArray[np.float64],
    points: int,
) -> NDArray[np.float64]:
    """Return the log likelihood of a group under each draw, its effect integrated over its prior, (n,).

    `learnt` are draws of the effect, (n, K). A half of the points is drawn from the prior, the other from a
    normal distribution around these; each is weighted by the prior over the mean of the two densities.
    """
    n, k = m.shape
    centre = learnt.mean(axis=0)
    spread = _WIDER**2 * np.cov(learnt.T).reshape(k, k) + np.diag((_LEAST * tau.mean(axis=0)) ** 2 + 1e-12)
    root = np.linalg.cholesky(spread)
    z, half = rng.standard_normal((points, k)), points // 2
    out = np.empty(n)
    at_once = max(1, _ROWS_AT_ONCE // points)
    for start in range(0, n, at_once):
        rows = slice(start, start + at_once)
        scale = np.maximum(tau[rows, None], 1e-9)
        u = np.where(np.arange(points)[:, None] < half, scale * z, centre + z @ root.T)
        prior = -0.5 * ((u / scale) ** 2).sum(axis=2) - np.log(scale).sum(axis=2)
        away = np.linalg.solve(root, (u - centre).reshape(-1, k).T)
        near = (-0.5 * (away**2).sum(axis=0)).reshape(prior.shape) - np.log(np.diag(root)).sum()
        theta = (m[rows, None] + u).reshape(-1, k)
        logs = _log_likelihoods(tokens, theta, np.repeat(others[rows], points, axis=0))
        weighted = logs.reshape(prior.shape) + prior - (np.logaddexp(prior, near) - math.log(2))
        out[rows] = logsumexp(weighted, axis=1) - math.log(points)
    return out


def compare_levels(
    tableau: Tableau,
    level: LevelName = "speaker",
    *,
    learner: str = "maxent-mixed",
    seed: int | None = None,
    **settings: Any,
) -> list[GroupsLeftOut]:
    """Return how well each speaker, or item, is predicted with speakers and items, one of them, and none.

    Parameters
    ----------
    tableau
        With columns of speakers and items.
    level
        What is left out.
    learner
        One of :data:`MIXED_LEARNERS`.
    seed
        Root seed; a fresh one if None.
    settings
        Of the learner; 1,500 sweeps unless they say otherwise.

    Raises
    ------
    InputError
        As :func:`leave_one_group_out`, and if there is no such learner.
    """
    if learner not in MIXED_LEARNERS:
        raise InputError(f"{learner!r} has no speakers; {did_you_mean(learner, MIXED_LEARNERS)}")
    if level not in LEVELS:
        raise InputError(f"{level!r} is no level; {did_you_mean(level, LEVELS)}")
    groups = tableau.groups
    sizes = (0, 0) if groups is None else (len(groups.speakers), len(groups.items))
    if sizes[LEVELS.index(level)] < 2:
        raise InputError(_too_few(level))
    seed = fresh_seed() if seed is None else seed
    entry = LEARNERS[learner]
    differ = dict(zip(("speakers", "items"), (size > 1 for size in sizes), strict=True))
    wanted = {
        "both": all(differ.values()),
        "speakers": differ["speakers"],
        "items": differ["items"],
        "none": True,
    }
    found: list[GroupsLeftOut] = []
    for levels in get_args(Levels):
        if wanted[levels]:
            report_preparation("grammar", len(found), sum(wanted.values()))
            check_interrupt()
            chosen = entry.settings(**{"sweeps": SWEEPS, **settings, "levels": levels})
            fit = cast("MixedFit", entry.fit(tableau, chosen, seed=seed))
            found.append(leave_one_group_out(fit, level))
    return found


def levels_compared(
    tableau: Tableau,
    level: LevelName = "speaker",
    *,
    learner: str = "maxent-mixed",
    sweeps: int = SWEEPS,
    total: int | None = None,
    noise: float | None = None,
    weights: Weights = "nonnegative",
    prior_sd: float | None = None,
    seed: int | None = None,
) -> LevelsCompared:
    """Return the comparison of :func:`compare_levels` with the settings that models share.

    Parameters
    ----------
    tableau, level, learner, seed
        As for :func:`compare_levels`.
    sweeps
        Of the learner.
    total, noise, weights
        As for :func:`otlab.ot.analysis.comparison.compare`; a learner takes those that it has.
    prior_sd
        Standard deviation of a normal prior around 0, in units of the noise for ranking values.

    Raises
    ------
    InputError
        As :func:`compare_levels`.
    """
    seed = fresh_seed() if seed is None else seed
    settings: dict[str, Any] = {"total": total, "sweeps": sweeps, "noise": noise, "weights": weights}
    if prior_sd is not None:
        unit = resolve_settings(tableau, noise).noise if learner == "sot-mixed" else 1.0
        settings["prior_sd"] = prior_sd * unit
    if learner in MIXED_LEARNERS:
        known = LEARNERS[learner].settings.param
        settings = {name: value for name, value in settings.items() if name in known}
    found = compare_levels(tableau, level, learner=learner, seed=seed, **settings)
    return LevelsCompared(tableau, level, learner, sweeps, seed, tuple(found))


def levels_words(compared: list[GroupsLeftOut]) -> str:
    """Return which levels predict best, and by how much, in sentences."""
    ordered = sorted(compared, key=lambda one: -one.total)
    best, sentences = ordered[0], []
    for other in ordered[1:]:
        difference = best.elpd - other.elpd
        sentences.append(
            f"{difference.sum():.1f} lower (se {_error_of_sum(difference):.1f}) with {_NAMES[other.levels]}"
        )
    said = f"Each {best.level} is predicted best from the others by grammars with {_NAMES[best.levels]}"
    said += f"; elpd is {', '.join(sentences)}." if sentences else "."
    unsure = [
        f"with {_NAMES[one.levels]} {one.unreliable} {best.level}{'s' if one.unreliable > 1 else ''}"
        for one in compared
        if one.unreliable
    ]
    if unsure:
        said += f" Not reliable (Pareto k above {RELIABLE:g}): {', '.join(unsure)}."
    return said


_NAMES = {
    "both": "speakers and items",
    "speakers": "speakers",
    "items": "items",
    "none": "neither speakers nor items",
}
