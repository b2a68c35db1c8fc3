r"""Base class of the samplers of grammars with speakers and items in them.

.. math:: \theta_{g,i,k} = m_k + u_{g,k} + v_{i,k}, \quad u_{g,k} \sim N(0, \tau_k^2), \quad
          v_{i,k} \sim N(0, \omega_k^2), \quad \tau_k, \omega_k \sim N^+(0, s^2)

for speaker g, item i and constraint k. :math:`\theta` are ranking values or weights (those below 0 count as 0
where weights are nonnegative); m has the prior that it has without speakers. Random effects of speakers
and items as in mixed logit models (Zymet 2018 for MaxEnt), with the likelihood of each grammar itself.
:mod:`otlab.ot.kernels.mixed_moves` describes the sampler. A level with one name is left out: without speakers
and items the posterior of m is that of today's learners.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import param

from otlab.errors import InputError, did_you_mean
from otlab.inference import check_interrupt
from otlab.inference.diagnostics import Trust, assess
from otlab.ot.kernels import mixed_moves as kernels
from otlab.ot.kernels.exact import Chain
from otlab.ot.kernels.mixed import RANKING
from otlab.ot.kernels.mixed_normal import Approximation, Current, begin, refresh
from otlab.ot.kernels.mixed_scales import MOST_LOG, others_of
from otlab.ot.learners.draws import (
    check_warmup,
    convergence_warnings,
    counted_draws,
    ensure_capacity,
    kept_every,
    posterior_of,
    snapshot,
)
from otlab.ot.learners.mixed_tokens import LEVELS, Levels, pairs_of
from otlab.ot.learners.mixed_warmup import approximate_covariance, learn_common, regress, windows_of
from otlab.ot.learners.settings import SamplerSettings
from otlab.ot.mixed_fitted import MixedFit, describe, mixed_fit
from otlab.ot.settings import resolve_settings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from otlab.inference import Posterior, Run, Tick
    from otlab.ot.kernels.mixed import Tokens
    from otlab.ot.kernels.mixed_moves import Effects, Level, MixedPrior
    from otlab.ot.learners.exact import Exact
    from otlab.ot.learners.maxent_bayes import BayesianMaxEnt
    from otlab.ot.learners.mixed_tokens import Pairs
    from otlab.ot.tableau import Tableau

__all__ = [
    "MIXED_SWEEPS",
    "MixedSampler",
    "MixedSettings",
    "MixedState",
    "MixedView",
    "effects_every",
    "mixed_warmup",
]

MIXED_SWEEPS = 3_000
_FEWEST_KEPT, _MOST_KEPT, _NUMBERS_KEPT = 50, 250, 2_500_000  # draws of effects of a chain
_WORK_AT_ONCE = 2_000_000
_WARMUP, _WARMUP_SHARE = 1000, 4
_FIRST_STEP = 0.3


def mixed_warmup(warmup: int | None, sweeps: int) -> int:
    """Return the warm-up; if None, a quarter of the sweeps, at most 1,000.

    Raises
    ------
    InputError
        If it leaves no sweep.
    """
    check_warmup(warmup, sweeps)
    return min(_WARMUP, sweeps // _WARMUP_SHARE) if warmup is None else warmup


def effects_every(tableau: Tableau, sweeps: int, thin: int) -> int:
    """Return how many sweeps there are to a draw of the effects that is kept: a multiple of `thin`."""
    groups = tableau.groups
    names = 2 if groups is None else len(groups.speakers) + len(groups.items) + 2
    kept = int(np.clip(_NUMBERS_KEPT // (names * tableau.n_constraints), _FEWEST_KEPT, _MOST_KEPT))
    return thin * max(1, sweeps // (thin * kept))


@dataclass
class MixedState:
    """One chain.

    Attributes
    ----------
    values : ndarray of shape (3 constraints,)
        m, tau and omega.
    speakers, items
        Standardised effects, and what is tuned of their moves.
    approximation, current
        Of the likelihood of each pair of a speaker and an item.
    draws : ndarray of shape (capacity, 3 constraints)
        m, tau and omega of every `thin`-th sweep.
    kept : ndarray of shape (capacity, groups * constraints)
        Effects of all speakers, then of all items, of every `every`-th sweep.
    sweep, astray
        Sweeps done, and trajectories whose energy was lost, after the warm-up.
    """

    values: NDArray[np.float64]
    speakers: Effects
    items: Effects
    approximation: Approximation
    current: Current
    draws: NDArray[np.float64]
    kept: NDArray[np.float64]
    sweep: int = 0
    astray: int = 0

    @property
    def numbers(self) -> NDArray[np.float64]:
        """Numbers that are checked for NaN."""
        return self.values


@dataclass(frozen=True, slots=True)
class MixedView:
    """Snapshot of one chain.

    Attributes
    ----------
    sweep, astray
        As in :class:`MixedState`.
    values : ndarray of shape (constraints,)
        Current m.
    draws : ndarray of shape (n, constraints)
        m of every `thin`-th sweep, the warm-up included.
    spreads : ndarray of shape (n, 2 constraints)
        tau and omega of the same sweeps.
    effects : ndarray of shape (kept, groups * constraints)
        As `kept` in :class:`MixedState`.
    """

    sweep: int
    values: NDArray[np.float64]
    draws: NDArray[np.float64]
    spreads: NDArray[np.float64]
    effects: NDArray[np.float64]
    astray: int


@dataclass(frozen=True, eq=False)
class MixedSampler(ABC):
    """A sampler of a grammar of speakers and items.

    Parameters
    ----------
    tableau
        With counts by speaker and item (:attr:`Tableau.groups <otlab.ot.tableau.Tableau.groups>`).
    levels
        Which of them differ: ``"both"``, ``"speakers"``, ``"items"`` or ``"none"``.
    spread
        Scale s of the half-normal prior of tau and omega; :attr:`usual_spread` if None.
    thin, warmup
        As for :class:`~otlab.ot.learners.exact.Exact`.
    every
        Sweeps to a draw of the effects that is kept, a multiple of `thin`.

    Raises
    ------
    InputError
        If a setting makes no sense.
    """

    tableau: Tableau
    levels: Levels = "both"
    spread: float | None = None
    thin: int = 1
    warmup: int | None = None
    every: int = 1
    name: str = field(default="mixed", init=False)

    kind = "weight"

    def __post_init__(self) -> None:
        if self.levels not in get_args(Levels):
            raise InputError(
                f"there are no levels {self.levels!r}; {did_you_mean(self.levels, get_args(Levels))}"
            )
        if self.spread is not None and not (np.isfinite(self.spread) and self.spread > 0):
            raise InputError(f"the spread {self.spread:g} is no scale of a prior; choose one above 0")
        if self.thin < 1 or self.every % self.thin:
            raise InputError(f"thin {self.thin}, every {self.every}: choose 1 or more, and a multiple of it")
        _ = self.tokens  # refuses data of which there are no exact probabilities

    # ---- what a grammar says

    @property
    @abstractmethod
    def usual_spread(self) -> float:
        """Scale of the prior of tau and omega unless another is given."""

    @cached_property
    @abstractmethod
    def simple(self) -> Exact | BayesianMaxEnt:
        """The sampler of one grammar for the sums: its prior of m, and where to start."""

    @cached_property
    @abstractmethod
    def tokens(self) -> Tokens:
        """The data as the kernels take them."""

    @abstractmethod
    def probabilities(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each row within its input, (n, rows), for values (n, constraints)."""

    @abstractmethod
    def as_used(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values (..., constraints) as they count: centred, or cut at the lowest weight."""

    def _own_settings(self) -> dict[str, Any]:
        return {}

    # ---- the sampler

    @cached_property
    def pairs(self) -> Pairs:
        """The tokens by speaker and item."""
        return pairs_of(self.tableau, self.levels, resolve_settings(self.tableau).total)

    @cached_property
    def both(self) -> tuple[Level, Level]:
        """Speakers and items."""
        speakers, items = (self._level(which) for which in range(2))
        return speakers, items

    def _level(self, which: int) -> Level:
        names, member = self.pairs.names[which], self.pairs.member[which]
        start = np.concatenate([[0], np.cumsum(np.bincount(member, minlength=len(names)))])
        return kernels.Level(len(names) > 1, start, np.argsort(member, kind="stable"))

    @property
    def scale(self) -> float:
        """Scale of the prior of tau and omega."""
        return self.usual_spread if self.spread is None else float(self.spread)

    @cached_property
    def prior(self) -> MixedPrior:
        """The prior as the kernels take it."""
        target, k = self.simple.target, self.tableau.n_constraints
        return kernels.MixedPrior(
            np.concatenate([target.lowest, np.full(k, -MOST_LOG)]),
            np.concatenate([target.bound, np.full(k, MOST_LOG)]),
            target.centre,
            target.precision,
            self.scale,
            self.kind == "ranking value",
        )

    @cached_property
    def bases(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Orthonormal directions of m and ln tau, or ln omega, of each level that is on, (2 K, n)."""
        k, of_m = self.tableau.n_constraints, self.simple.basis
        whole = np.zeros((2 * k, of_m.shape[1] + k))
        whole[:k, : of_m.shape[1]] = of_m
        whole[k:, of_m.shape[1] :] = np.eye(k)
        speakers, items = (whole if level.on else whole[:, : of_m.shape[1]].copy() for level in self.both)
        return speakers, items

    def init(self, rng: np.random.Generator) -> MixedState:
        """Return scattered values, with steps as wide as those of the sums' grammar."""
        k, start = self.tableau.n_constraints, self.simple.init(rng).chain
        values = np.concatenate([start.values, self.scale * rng.uniform(0.2, 1.0, 2 * k)])
        speakers, items = (self._started(rng, which, start) for which in range(2))
        pairs, tokens = self.pairs.member.shape[1], self.tokens
        approximation = Approximation(
            np.zeros((pairs, k, k)),
            np.zeros((pairs, k)),
            np.zeros(1),
            np.zeros((pairs, k)),
            np.zeros((pairs, k)),
            np.zeros((pairs, k, k)),
            np.zeros((pairs, k, k)),
        )
        current = Current(np.zeros(pairs), np.zeros((pairs, k)))
        kept = np.empty((0, sum(map(len, self.pairs.names)) * k))
        state = MixedState(values, speakers, items, approximation, current, np.empty((0, 3 * k)), kept)
        refresh(tokens, self.both, values, (speakers, items), current)
        begin(tokens, self.both, values, (speakers, items), current, approximation)
        for which, effects in enumerate((speakers, items)):
            self._sum_precision(which, effects, approximation)
        return state

    def _started(self, rng: np.random.Generator, which: int, start: Chain) -> Effects:
        """Return effects to start from: scattered, or 0 for a level that is off."""
        k, groups, basis = self.tableau.n_constraints, len(self.pairs.names[which]), self.bases[which]
        z = 0.5 * rng.standard_normal((groups, k)) if self.both[which].on else np.zeros((groups, k))
        steps = 0.3 * basis
        steps[:k, : start.steps.shape[1]] = start.steps
        tuning = np.array([0.0, *np.log([_FIRST_STEP, _FIRST_STEP]), 0.0, 0.0, np.log(_FIRST_STEP)])
        scatter = np.zeros((2 * k, 2 * k))
        chain = Chain(
            np.zeros(2 * k), np.zeros(2 * k), steps, tuning.copy(), np.zeros(1), np.zeros(2 * k), scatter
        )
        return kernels.Effects(z, np.zeros((groups, k, k)), tuning, chain)

    @cached_property
    def windows(self) -> tuple[int, ...]:
        """Sweeps of the warm-up after which its moves are adapted; the last is its end."""
        return windows_of(_WARMUP if self.warmup is None else self.warmup)

    def _learn(self, state: MixedState) -> None:
        """Take what the window that has ended says of the likelihood and of the scales; begin the next."""
        regress(state.approximation)
        both = (state.speakers, state.items)
        for which, effects in enumerate(both):
            self._sum_precision(which, effects, state.approximation)
            if self.bases[which].size:
                others = others_of(self.tokens, self.both, which, state.values, both)
                expected = approximate_covariance(
                    self.prior, self.both[which], effects, state.approximation, others, self.bases[which]
                )
                learn_common(effects.chain, self.bases[which], expected)
            for tuning in (effects.chain.tuning, effects.tuning):
                tuning[1:] = tuning[1], tuning[1], 0.0, 0.0, tuning[1]

    def _sum_precision(self, which: int, effects: Effects, approximation: Approximation) -> None:
        """Sum the precision of each group's pairs."""
        effects.precision[:] = 0
        np.add.at(effects.precision, self.pairs.member[which], approximation.precision)

    def _adapt_anew(self, rng: np.random.Generator, state: MixedState) -> None:
        """Give a chain of an earlier version, which has only its values, moves to go on with."""
        fresh = self.init(rng)
        fresh.speakers.z[:], fresh.items.z[:] = state.speakers.z, state.items.z
        state.speakers, state.items = fresh.speakers, fresh.items
        state.approximation, state.current = fresh.approximation, fresh.current
        refresh(self.tokens, self.both, state.values, (state.speakers, state.items), state.current)

    def step(self, rng: np.random.Generator, state: MixedState, n: int) -> MixedState:
        """Do `n` sweeps, a few at a time, so that they can be stopped."""
        if not state.current.density.size and self.pairs.member.size:
            self._adapt_anew(rng, state)
        last, windows = state.sweep + n, self.windows
        state.draws = ensure_capacity(state.draws, state.sweep // self.thin, last // self.thin)
        state.kept = ensure_capacity(state.kept, state.sweep // self.every, last // self.every)
        record = kernels.Record(state.draws, self.thin, state.kept, self.every)
        while state.sweep < last:
            window = next((end for end in windows if end > state.sweep), None)
            end = min(last, window or last, state.sweep + self._sweeps_at_once)
            learning = window is not None and window != windows[-1]
            effects = (state.speakers, state.items)
            state.sweep, astray = kernels.sweep_mixed(
                rng,
                (self.tokens, self.prior, self.both),
                state.values,
                effects,
                state.approximation,
                state.current,
                learning,
                window is not None,
                end - state.sweep,
                record,
                state.sweep,
            )
            state.astray += 0 if window is not None else astray
            if state.sweep == window and learning:
                self._learn(state)
            check_interrupt()
        return state

    @cached_property
    def _sweeps_at_once(self) -> int:
        data = self.tokens
        work = data.heard.size * self.tableau.n_constraints
        if data.kind == RANKING:
            work += 20_000 * data.member.shape[1]
        return max(1, _WORK_AT_ONCE // (10 * work + 1))

    def view(self, state: MixedState) -> MixedView:
        """Return the draws so far."""
        k, draws = self.tableau.n_constraints, snapshot(state.draws, state.sweep // self.thin)
        kept = snapshot(state.kept, state.sweep // self.every)
        return MixedView(state.sweep, state.values[:k].copy(), draws[:, :k], draws[:, k:], kept, state.astray)

    def finished(self, state: MixedState) -> bool:
        """Return False: sampling can always continue."""
        return False

    # ---- the result

    def posterior(self, run: Run[Any, MixedView], tick: Tick[MixedView]) -> Posterior:
        """Return the draws of m, tau and omega so far, those of the warm-up left out."""
        warmup = mixed_warmup(None, run.total) if self.warmup is None else self.warmup
        quantity = self.kind.replace(" ", "_")
        found = posterior_of(run, tick, quantity, warmup, self._settings_of(run, warmup))
        k, spreads = (
            self.tableau.n_constraints,
            counted_draws([view.spreads for view in tick.views], self.thin, run.total, warmup),
        )
        if spreads is None:
            return found
        named = {"tau": spreads[..., :k], "omega": spreads[..., k:]}
        more = {
            name: draws for (name, draws), level in zip(named.items(), self.both, strict=True) if level.on
        }
        dims = dict.fromkeys(more, ("constraint",))
        return replace(found, draws={**found.draws, **more}, dims={**found.dims, **dims})

    def conclude(self, run: Run[Any, MixedView], tick: Tick[MixedView], *, stopped: bool = False) -> MixedFit:
        """Return the estimates, those of each speaker and item, predictions and warnings of a run so far."""
        posterior = self.posterior(run, tick)
        trust = _worst([assess(draws) for draws in posterior.draws.values()])
        return mixed_fit(
            run,
            tick,
            posterior,
            self._values_of_groups(run, tick),
            stopped=stopped,
            trust=trust,
            remarks=(*convergence_warnings(trust), *describe(self, posterior, _astray(tick))),
        )

    def _values_of_groups(
        self, run: Run[Any, MixedView], tick: Tick[MixedView]
    ) -> dict[str, NDArray[np.float64]]:
        """Return draws of m, tau and omega, (n, K), and of u and v, (n, groups, K), of the same sweeps."""
        k, warmup = (
            self.tableau.n_constraints,
            mixed_warmup(None, run.total) if self.warmup is None else self.warmup,
        )
        step = self.every // self.thin
        views = [(view, len(view.effects)) for view in tick.views]
        common = [np.hstack([view.draws, view.spreads])[step - 1 :: step][:n] for view, n in views]
        each = counted_draws([view.effects for view, _ in views], self.every, run.total, warmup)
        base = counted_draws(common, self.every, run.total, warmup)
        if each is None or base is None:  # nothing is kept yet
            groups = sum(map(len, self.pairs.names))
            each = np.zeros((1, 1, groups * k))
            base = np.concatenate([tick.view.values, np.zeros(2 * k)])[None, None]
        effects = each.reshape(-1, each.shape[-1] // k, k)
        n = len(self.pairs.names[0])
        m, tau, omega = np.split(base.reshape(-1, 3 * k), 3, axis=1)
        return {"m": m, "tau": tau, "omega": omega, LEVELS[0]: effects[:, :n], LEVELS[1]: effects[:, n:]}

    def _settings_of(self, run: Run[Any, Any], warmup: int) -> dict[str, Any]:
        return {
            **self._own_settings(),
            "levels": self.levels,
            "spread": self.scale,
            "total": resolve_settings(self.tableau).total,
            "sweeps": run.total,
            "warmup": warmup,
            "chains": run.chains,
            "thin": kept_every(self.thin, run.total),
        }


def _worst(parts: list[Trust]) -> Trust:
    """Return R-hat and ESS of each constraint where they are worst: of m, tau or omega."""
    rhat = np.array([part.rhat for part in parts])
    ess, squares = (np.array([getattr(part, name) for part in parts]) for name in ("ess", "ess_squares"))
    unknown = np.isnan(rhat).all(axis=0)
    worst = [
        np.where(unknown, np.nan, np.nan_to_num(x, nan=fill))
        for x, fill in ((rhat, -np.inf), (ess, np.inf), (squares, np.inf))
    ]
    return Trust(worst[0].max(axis=0), worst[1].min(axis=0), worst[2].min(axis=0))


def _astray(tick: Tick[MixedView]) -> int:
    return sum(view.astray for view in tick.views)


class MixedSettings(SamplerSettings):
    """What samplers of speakers and items share."""

    sweeps = param.Integer(MIXED_SWEEPS, bounds=(1, None), doc="Sweeps of each chain.")
    warmup = param.Integer(
        None, allow_None=True, doc="First sweeps, which are left out (default: a quarter, at most 1000)"
    )
    levels = param.Selector(
        default="both",
        objects=list(get_args(Levels)),
        doc="Who differs: speakers and items, one of the two, or none",
    )
    spread = param.Number(
        None,
        bounds=(0, None),
        inclusive_bounds=(False, False),
        allow_None=True,
        doc="Scale of the half-normal prior of how much they differ (default: the noise; 1 for maxent-mixed)",
    )
