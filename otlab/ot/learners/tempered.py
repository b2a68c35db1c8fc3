r"""Parallel tempering for the Gibbs sampler with latent parses, and the settings of both.

What is heard may have parses under grammars that lie far apart, and a chain that is at one of them seldom
finds the others. With several temperatures each chain has that many states. At level *l* an overt form has
the likelihood :math:`P(o) + \varepsilon_l (1 - P(o))`, as if a share of what is heard were slips: from
:math:`\varepsilon = 0`, the posterior, whose draws are kept, to :math:`\varepsilon = 1`, the prior. States of
neighbouring levels are exchanged so that the target of each level stays what it is
(:mod:`otlab.ot.kernels.tempered`).

In the warm-up the levels are placed anew after 50, 100, 200 and 400 sweeps so that all neighbours
exchange equally often: at equal steps of the sum of rejection rates (Syed, Bouchard-Cote, Deligiannidis &
Doucet 2022, section 5.2), found on the scale :math:`\ln(1 + e M \varepsilon)` for M observations. After it
they stay, and so does the target.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import param

from otlab.errors import InputError, counted
from otlab.inference import check_interrupt, fit
from otlab.ot.kernels.tempered import Ladder, tempered_sweeps
from otlab.ot.learners.draws import check_warmup, ensure_capacity, resolve_warmup, usual_thin
from otlab.ot.learners.latent import LatentGibbs, LatentState
from otlab.ot.learners.sampler import SITES_AT_ONCE, GibbsView
from otlab.ot.learners.settings import CHAINS, ChainSettings
from otlab.ot.orders import winning_rows
from otlab.ot.overt import reproduced

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from otlab.inference import Run, Tick
    from otlab.ot.fitted import Fit
    from otlab.ot.learners.priors import NormalPrior
    from otlab.ot.overt_fitted import OvertFit
    from otlab.ot.tableau import Tableau

__all__ = [
    "LatentGibbsSettings",
    "TemperedLatentGibbs",
    "TemperedState",
    "TemperedView",
    "fit_latent_gibbs",
    "make_latent_gibbs",
]

PLACED_AFTER = (50, 100, 200, 400)
_JUDGED = 25  # draws of a chain whose winners are compared with what was heard
_LEAST = 0.01  # a rejection rate of 0 would let two levels fall together


@dataclass
class TemperedState(LatentState):
    """One chain and its hotter states.

    Attributes
    ----------
    disharmonies : ndarray of shape (levels, observations, constraints)
        Of each state.
    held : ndarray of shape (levels, constraints)
        Ranking values of each state.
    ladder
        The levels, and which state is at each.
    """

    held: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))
    ladder: Ladder = field(default_factory=lambda: make_ladder(2, 1))


@dataclass(frozen=True, slots=True)
class TemperedView(GibbsView):
    """Snapshot of one chain.

    Attributes
    ----------
    exchanged : ndarray of shape (levels - 1,)
        Share of the exchanges tried between neighbouring levels that were made, since the levels were placed.
    arrivals
        How often a state came from the prior to the posterior.
    """

    exchanged: NDArray[np.float64]
    arrivals: int


@dataclass(frozen=True, eq=False)
class TemperedLatentGibbs(LatentGibbs):
    """The Gibbs sampler with latent parses, its chains at several temperatures.

    Parameters
    ----------
    temperatures
        Levels, 2 or more. The levels are placed within the warm-up; without one, they stay as they are.
    others
        As for :class:`~otlab.ot.learners.latent.LatentGibbs`.
    """

    temperatures: int = 12

    def __post_init__(self) -> None:
        if self.temperatures < 2:
            raise InputError(f"temperatures {self.temperatures}: give 2 or more, or use the plain sampler")
        super().__post_init__()

    def init(self, rng: np.random.Generator) -> TemperedState:
        """Return as many states as levels, each of which begins at a parse of its own."""
        states = [super(TemperedLatentGibbs, self).init(rng) for _ in range(self.temperatures)]
        return TemperedState(
            states[0].values.copy(),
            np.array([state.disharmonies for state in states]),
            states[0].scratch,
            states[0].draws,
            held=np.array([state.values for state in states]),
            ladder=make_ladder(self.temperatures, self.observed.form.size),
        )

    def step(self, rng: np.random.Generator, state: LatentState, n: int) -> TemperedState:
        """Do `n` sweeps of all levels."""
        state = cast("TemperedState", state)
        last = state.sweep + n
        state.draws = ensure_capacity(state.draws, state.sweep // self.thin, last // self.thin)
        placing = [sweep for sweep in PLACED_AFTER if sweep <= (self.warmup or 0)]
        at_once = 1 + SITES_AT_ONCE // (2 * state.disharmonies.size + 1)
        while state.sweep < last:
            stop = min([sweep for sweep in placing if sweep > state.sweep] + [last, state.sweep + at_once])
            tempered_sweeps(
                rng,
                self.data,
                self.observed,
                self.model,
                state.ladder,
                state.disharmonies,
                state.held,
                state.scratch,
                state.draws,
                self.thin,
                state.sweep,
                stop,
            )
            state.sweep = stop
            if state.sweep in placing:
                place_levels(state.ladder, self.observed.form.size)
            check_interrupt()
        state.values = state.held[state.ladder.holder[0]].copy()
        return state

    def view(self, state: Any) -> TemperedView:
        """Return the draws so far, and how states were exchanged."""
        plain, ladder = super().view(state), state.ladder
        exchanged = 1 - ladder.rejected / np.maximum(ladder.tried, 1)
        return TemperedView(plain.sweep, plain.values, plain.draws, exchanged, int(ladder.arrivals[0]))

    def view_at(self, view: GibbsView, sweep: int) -> GibbsView:
        """Return the chain as it was after `sweep` sweeps; exchanges are those of the whole chain."""
        plain = super().view_at(view, sweep)
        return replace(view, sweep=plain.sweep, values=plain.values, draws=plain.draws)

    def conclude(self, run: Run[Any, GibbsView], tick: Tick[GibbsView], *, stopped: bool = False) -> OvertFit:
        """Return the estimates of a run so far; what a chain reproduces is the mean over its draws."""
        fit = super().conclude(run, tick, stopped=stopped)
        assert fit.posterior is not None
        shares = []
        for chain in fit.posterior.draws["ranking_value"]:  # medians of several modes may be in none of them
            spread = chain[np.linspace(0, len(chain) - 1, _JUDGED).astype(int)]
            each = [reproduced(self.tableau, winning_rows(self.tableau, point)) for point in spread]
            shares.append(float(np.mean(each)))
        return replace(fit, reproduced=tuple(shares))

    def _mixing(self, fit: Fit, tick: Tick[Any]) -> tuple[str, ...]:
        views = cast("tuple[TemperedView, ...]", tick.views)
        rates = np.array([view.exchanged for view in views])
        passages = sum(view.arrivals for view in views)
        found = (
            f"{self.temperatures} temperatures: neighbours exchanged {rates.min():.0%} to {rates.max():.0%}"
            f" of the time, {counted(passages, 'passage')} from the prior to the posterior"
        )
        return (found, *super()._mixing(fit, tick))

    def _own_settings(self) -> dict[str, Any]:
        return {**super()._own_settings(), "temperatures": self.temperatures}


def _scale(observations: int) -> float:
    """Return the factor on the scale on which levels are placed."""
    return float(np.e * max(observations, 1))


def make_ladder(levels: int, observations: int) -> Ladder:
    """Return levels from the posterior to the prior, at equal steps of ln(1 + e M epsilon)."""
    scale, steps = _scale(observations), np.linspace(0, 1, levels)
    epsilon = np.expm1(steps * np.log1p(scale)) / scale
    epsilon[-1] = 1.0
    pairs, holder = np.zeros(levels - 1), np.arange(levels)
    return Ladder(epsilon, holder, pairs, pairs.copy(), np.zeros(levels, np.int64), np.zeros(1, np.int64))


def place_levels(ladder: Ladder, observations: int) -> None:
    """Move the levels, in place, so that neighbours will exchange equally often; counts begin again."""
    scale = _scale(observations)
    rates = np.maximum(ladder.rejected / np.maximum(ladder.tried, 1), _LEAST)
    barrier = np.concatenate([[0.0], np.cumsum(rates)])
    wanted = np.linspace(0, barrier[-1], barrier.size)
    places = np.interp(wanted, barrier, np.log1p(scale * ladder.epsilon))
    ladder.epsilon[1:-1] = (np.expm1(places) / scale)[1:-1]
    ladder.rejected[:] = ladder.tried[:] = 0.0


class LatentGibbsSettings(ChainSettings):
    """Settings of the Gibbs sampler with latent parses; None means the file's value, else the default."""

    temperatures = param.Integer(
        1,
        bounds=(1, 100),
        doc="Temperatures of each chain, so that it passes between distant parses; 1 is the plain sampler.",
    )


def make_latent_gibbs(tableau: Tableau, settings: LatentGibbsSettings) -> LatentGibbs:
    """Return the sampler with these settings."""
    if settings.temperatures == 1:
        return settings.sampler(LatentGibbs, tableau)
    warmup = resolve_warmup(settings.warmup, settings.steps)
    return settings.sampler(
        TemperedLatentGibbs, tableau, warmup=warmup, temperatures=int(settings.temperatures)
    )


def fit_latent_gibbs(
    tableau: Tableau,
    *,
    sweeps: int = 20_000,
    warmup: int | None = None,
    chains: int = CHAINS,
    seed: int | None = None,
    noise: float | None = None,
    bound: float | None = None,
    prior: NormalPrior | None = None,
    temperatures: int = 1,
    threads: int | None = None,
) -> Fit:
    """Return the posterior of the ranking values given what was heard, parses summed.

    Parameters
    ----------
    tableau, sweeps, warmup, chains, seed, noise, bound, prior, threads
        As for :func:`~otlab.ot.learners.gibbs.fit_gibbs`.
    temperatures
        Of each chain: with several it passes between distant parses; a sweep is one of all of them.

    Raises
    ------
    InputError
        As :class:`~otlab.ot.learners.latent.LatentGibbs`.

    Examples
    --------
    >>> from otlab.ot import read
    >>> fit = fit_latent_gibbs(read("overt_stress"), sweeps=100, chains=2, seed=1)
    >>> fit.parses[fit.parses.overt == "L L1 L"].probability.round(1).tolist()
    [0.0, 1.0]
    """
    check_warmup(warmup, sweeps)
    thin = usual_thin(sweeps)
    learner = LatentGibbs(tableau, noise, bound, prior=prior, thin=thin, warmup=warmup)
    if temperatures != 1:
        own = {one.name: getattr(learner, one.name) for one in fields(learner) if one.init}
        warmup = resolve_warmup(warmup, sweeps)
        learner = TemperedLatentGibbs(**own | {"warmup": warmup, "temperatures": temperatures})
    return cast("Fit", fit(learner, steps=sweeps, chains=chains, seed=seed, threads=threads))
