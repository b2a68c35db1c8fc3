r"""What the samplers of ranking values share: their state, their settings, and the fit at the end.

A sampler alternates between two draws (Tanner & Wong 1987; Lin 2005, section 3): the
disharmonies :math:`y \sim N(\mu, \sigma^2)` of each observation given the ranking values,
and the ranking values given all disharmonies. :mod:`otlab.ot.learners.gibbs` has the two
samplers, one that draws from the posterior and one as published.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from otlab.errors import InputError
from otlab.inference import Posterior, check_interrupt
from otlab.inference.fit import versions
from otlab.ot.conditions import check_learnable, relations
from otlab.ot.fitted import Fit, log_likelihood, predict_from_draws, spread_out
from otlab.ot.kernels.gibbs import Model
from otlab.ot.learners.augmentation import feasible_values, lay_out, make_scratch
from otlab.ot.learners.draws import (
    RHAT_APART,
    counted_draws,
    ensure_capacity,
    kept_every,
    snapshot,
    trust_and_peaks,
    usual_warmup,
)
from otlab.ot.settings import resolve_settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.inference import Run, Tick
    from otlab.inference.diagnostics import Trust
    from otlab.ot.conditions import Relation
    from otlab.ot.kernels.gibbs import Layout, Scratch
    from otlab.ot.learners.priors import NormalPrior
    from otlab.ot.settings import Settings
    from otlab.ot.tableau import Tableau

__all__ = ["AugmentedSampler", "GibbsState", "GibbsView", "RankingSampler", "Variant"]

Variant = Literal["fixed", "published"]

# Sites drawn between two looks at the stop button; a few milliseconds.
_SITES_AT_ONCE = 200_000


@dataclass
class GibbsState:
    """One chain: ranking values, disharmonies, the draws so far.

    Attributes
    ----------
    values : ndarray of shape (constraints,)
        Current ranking values; centred unless the prior is normal.
    disharmonies : ndarray
        One vector after another, as `Layout` has them.
    scratch
        Working arrays of the kernels.
    draws : ndarray of shape (capacity, constraints)
        Centred ranking values of every `thin`-th sweep.
    sweep
        Sweeps done.
    drawn
        Observations of the next sweep that are drawn already; 0 unless it was interrupted.
    """

    values: np.ndarray
    disharmonies: np.ndarray
    scratch: Scratch
    draws: np.ndarray
    sweep: int = 0
    drawn: int = 0

    @property
    def numbers(self) -> np.ndarray:
        """What may not become NaN: ranking values."""
        return self.values


@dataclass(frozen=True, slots=True)
class GibbsView:
    """Snapshot of one chain.

    Attributes
    ----------
    sweep
        Sweeps done.
    values : ndarray of shape (constraints,)
        Current ranking values, centred.
    draws : ndarray of shape (kept, constraints)
        Read-only: row j belongs to sweep (j + 1) * thin, those of the warm-up included.
    """

    sweep: int
    values: np.ndarray
    draws: np.ndarray


@dataclass(frozen=True, eq=False)
class RankingSampler(ABC):
    """A sampler of ranking values; parameters and errors are those of the class ``Gibbs``.

    What its states must have is `sweep`, `values` and `draws`, as :class:`GibbsState` has them.
    """

    tableau: Tableau
    noise: float | None = None
    bound: float | None = None
    total: int | None = None
    prior: NormalPrior | None = None
    thin: int = 1
    warmup: int | None = None
    name: str = field(default="gibbs", init=False)

    variant: ClassVar[str]
    remarks: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        if self.thin < 1:
            raise InputError(f"thin {self.thin}: keep every draw (1) or every n-th (n)")
        if self.prior is not None and self.prior.mean.shape != (self.tableau.n_constraints,):
            raise InputError(
                "the prior does not name each constraint once; give one mean and sd per constraint"
            )
        _ = self.relations  # refuses an attested candidate that can never win

    @cached_property
    def settings(self) -> Settings:
        """Noise, bound and total in force."""
        return resolve_settings(self.tableau, self.noise, self.bound, self.total)

    @cached_property
    def relations(self) -> tuple[Relation, ...]:
        """The ordering relations of observed candidates; those that always hold are left out."""
        every = relations(self.tableau, self.settings.total)
        check_learnable(self.tableau, every)
        return tuple(relation for relation in every if relation.count and relation.conjuncts)

    def view(self, state: Any) -> GibbsView:
        """Return the draws so far."""
        draws = snapshot(state.draws, state.sweep // self.thin)
        return GibbsView(state.sweep, state.values - state.values.mean(), draws)

    def finished(self, state: Any) -> bool:
        """Return False: sampling has no end of its own."""
        return False

    def posterior(self, run: Run[Any, GibbsView], tick: Tick[GibbsView]) -> Posterior:
        """Return the draws of a run so far, those of the warm-up left out."""
        warmup = usual_warmup(run.total) if self.warmup is None else self.warmup
        draws = counted_draws([view.draws for view in tick.views], self.thin, run.total, warmup)
        if draws is None:
            draws = np.stack([view.values[None] for view in tick.views])
        return Posterior(
            draws={"ranking_value": draws},
            coords={"constraint": self.tableau.constraints},
            dims={"ranking_value": ("constraint",)},
            learner=self.name,
            seed=run.seed,
            settings=self._settings_of(run, warmup),
            versions=versions(),
        )

    def conclude(self, run: Run[Any, GibbsView], tick: Tick[GibbsView], *, stopped: bool = False) -> Fit:
        """Return the estimates, predictions and warnings of a run so far."""
        posterior = self.posterior(run, tick)
        tableau, settings = self.tableau, self.settings
        trust, peaked = trust_and_peaks(posterior.draws["ranking_value"], tableau.constraints)
        pooled = posterior.pooled("ranking_value")
        median = np.median(pooled, axis=0)
        predicted = predict_from_draws(tableau, spread_out(pooled, tableau), settings.noise, settings.total)
        at_median = log_likelihood(tableau, median, settings.noise, settings.total)
        median_fits = trust.largest_rhat > RHAT_APART or at_median >= predicted.typical_log_likelihood
        return Fit(
            run=run,
            tick=tick,
            stopped=stopped,
            kind="ranking value",
            mean=pooled.mean(axis=0),
            sd=pooled.std(axis=0, ddof=1) if len(pooled) > 1 else np.full(tableau.n_constraints, np.nan),
            median=median,
            predicted=predicted,
            trust=trust,
            multimodal=bool(peaked) or not median_fits,
            peaked=tuple(peaked),
            remarks=(*_warnings(trust, peaked, median_fits), *self.remarks),
            converged=trust.verdict in ("Converged", "Keep running"),
            posterior=posterior,
            used=dict(posterior.settings),
        )

    def _own_settings(self) -> dict[str, Any]:
        """Return the settings that other samplers do not have."""
        return {"variant": self.variant}

    def _settings_of(self, run: Run[Any, Any], warmup: int) -> dict[str, Any]:
        prior = self.prior
        return {
            "noise": self.settings.noise,
            "bound": self.settings.bound if prior is None else None,
            "total": self.settings.total,
            **self._own_settings(),
            "prior": None if prior is None else {"mean": prior.mean.tolist(), "sd": prior.sd.tolist()},
            "sweeps": run.total,
            "warmup": warmup,
            "chains": run.chains,
            "thin": kept_every(self.thin, run.total),
        }


class AugmentedSampler(RankingSampler):
    """A Gibbs sampler that gives every observation disharmonies of its own."""

    @abstractmethod
    def vectors(self, relation: Relation) -> int:
        """Return how many vectors of disharmonies are kept for a relation."""

    @property
    @abstractmethod
    def kernel(self) -> Callable[..., tuple[int, int]]:
        """The kernel that does sweeps, with the arguments of :func:`otlab.ot.kernels.gibbs.sweeps`."""

    @cached_property
    def layout(self) -> Layout:
        """The relations as arrays."""
        return lay_out(self.relations, [self.vectors(relation) for relation in self.relations])

    @cached_property
    def model(self) -> Model:
        """Noise and prior as the kernels take them."""
        if self.prior is None:
            return Model(self.settings.noise, self.settings.bound, np.empty(0), np.empty(0))
        return Model(self.settings.noise, np.inf, self.prior.mean, self.prior.sd**-2.0)

    def init(self, rng: np.random.Generator) -> GibbsState:
        """Return scattered ranking values, and disharmonies in a random consistent order."""
        k = self.tableau.n_constraints
        reach = min(3 * self.settings.noise, self.settings.bound / 2)
        values = rng.uniform(-reach, reach, k)
        vectors = [
            np.tile(self.settings.noise * feasible_values(relation, rng), self.vectors(relation))
            for relation in self.relations
        ]
        return GibbsState(
            values=values - values.mean(),
            disharmonies=np.concatenate([np.empty(0), *vectors]),
            scratch=make_scratch(self.layout, k),
            draws=np.empty((0, k)),
        )

    def step(self, rng: np.random.Generator, state: GibbsState, n: int) -> GibbsState:
        """Do `n` sweeps; a sweep of very many observations in parts, so that it can be stopped."""
        last = state.sweep + n
        state.draws = ensure_capacity(state.draws, state.sweep // self.thin, last // self.thin)
        while True:
            state.sweep, state.drawn = self.kernel(
                rng,
                self.layout,
                self.model,
                state.disharmonies,
                state.values,
                state.scratch,
                state.draws,
                self.thin,
                state.sweep,
                state.drawn,
                last,
                _SITES_AT_ONCE,
            )
            if state.sweep == last:
                return state
            check_interrupt()


def _warnings(trust: Trust, peaked: list[str], median_fits: bool) -> list[str]:
    """Return what to know before using the estimates."""
    messages = []
    if trust.verdict in ("Not converged", "Too early to say"):
        figures = f"R-hat {trust.largest_rhat:.3g}, ESS {trust.smallest_ess:.3g}"
        messages.append(f"not converged ({figures}): run more sweeps before using these numbers")
    if peaked:
        messages.append(f"more than one peak: {', '.join(peaked)}")
    if peaked or not median_fits:
        messages.append("several grammars fit, and the medians are none of them: use the best draw")
    return messages
