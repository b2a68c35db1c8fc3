r"""Gibbs sampler for Stochastic OT: the posterior of the ranking values (Lin 2005).

Every observation :math:`d` gets disharmonies :math:`y \sim N(\mu, \sigma^2)` of its
own that rank the constraints as observed (Tanner & Wong 1987). A sweep draws

.. math:: y_i \mid y_{-i}, \mu, d \sim N(\mu_i, \sigma^2) \text{ on one interval}, \qquad
          \mu \mid y \sim N(\bar y, \sigma^2/M) .

Follows sections 4 and 5 of [1]_ with these departures:

- each observation is augmented once a sweep and keeps its relation. The paper draws
  the relation anew from its frequency (``variant="published"``): its stationary law
  is centred alike but too wide, by a factor between 1 and sqrt 2;
- ranking values are centred by projecting the joint draw, under a uniform prior on
  sum 0, |value| < bound. The paper subtracts the mean from draws truncated one by
  one, which is no posterior, and prints the bound without the absolute value once;
- the envelope of the truncated normal is Robert's (:mod:`otlab.inference.random`);
- a normal prior may say where each constraint is expected ([1]_, section 9).

.. [1] Y. Lin (2005), *Learning Stochastic OT Grammars: A Bayesian approach using Data
   Augmentation and Gibbs Sampling*, ACL.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np
import param

from otlab.errors import InputError, did_you_mean
from otlab.inference import Posterior, check_interrupt, fit
from otlab.inference.fit import versions
from otlab.ot.conditions import check_learnable, relation_arrays, relations
from otlab.ot.fitted import Fit, log_likelihood, predict_from_draws, spread_out
from otlab.ot.kernels import gibbs as kernels
from otlab.ot.learners.augmentation import conjuncts_of, feasible_values, lay_out, make_scratch
from otlab.ot.learners.draws import (
    RHAT_APART,
    check_warmup,
    counted_draws,
    kept_every,
    trust_and_peaks,
    usual_thin,
    usual_warmup,
)
from otlab.ot.learners.history import grown, snapshot
from otlab.ot.learners.priors import NormalPrior, chosen_prior
from otlab.ot.settings import resolve_settings, with_total

if TYPE_CHECKING:
    from otlab.inference import Run, Tick
    from otlab.inference.diagnostics import Trust
    from otlab.ot.conditions import RelationArrays
    from otlab.ot.settings import Settings
    from otlab.ot.tableau import Tableau

__all__ = ["Gibbs", "GibbsSettings", "GibbsState", "GibbsView", "Variant", "fit_gibbs", "make_gibbs"]

Variant = Literal["fixed", "published"]

SWEEPS = 20_000
CHAINS = 4
# Sites drawn between two looks at the stop button; a few milliseconds.
_SITES_AT_ONCE = 200_000


@dataclass
class GibbsState:
    """One chain: ranking values, augmented data, the draws so far.

    Attributes
    ----------
    values : ndarray of shape (constraints,)
        Current ranking values; centred unless the prior is proper.
    augmented : ndarray
        Disharmonies, observation by observation, as `Layout` has them.
    draws : ndarray of shape (room, constraints)
        Centred ranking values of every `thin`-th sweep.
    """

    values: np.ndarray
    augmented: np.ndarray
    scratch: kernels.Scratch
    draws: np.ndarray
    sweep: int = 0


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
        Read-only: row j belongs to sweep (j + 1) * thin; warm-up is not left out.
    """

    sweep: int
    values: np.ndarray
    draws: np.ndarray


@dataclass(frozen=True, eq=False)
class Gibbs:
    """Data augmentation, one site at a time.

    Parameters
    ----------
    tableau
        Its frequencies are the observations.
    noise, bound, total
        As for :func:`~otlab.ot.settings.resolve_settings`. The bound holds where there
        is no `prior`.
    prior
        Where each constraint is expected; uniform within the bound if None.
    variant
        ``"fixed"``, or ``"published"`` for the relations drawn anew as the paper has it.
    thin
        Sweeps per kept draw.
    warmup
        Sweeps at the start that do not count; a tenth, at most 1,000, if None.

    Raises
    ------
    InputError
        If an attested candidate can never win, or a setting makes no sense.
    """

    tableau: Tableau
    noise: float | None = None
    bound: float | None = None
    total: int | None = None
    prior: NormalPrior | None = None
    variant: Variant = "fixed"
    thin: int = 1
    warmup: int | None = None
    name: str = field(default="gibbs", init=False)

    def __post_init__(self) -> None:
        if self.variant not in get_args(Variant):
            hint = did_you_mean(self.variant, get_args(Variant))
            raise InputError(f"there is no variant {self.variant!r} of the Gibbs sampler; {hint}")
        if self.thin < 1:
            raise InputError(f"thin {self.thin}: keep every draw (1) or every n-th (n)")
        if self.prior is not None and self.prior.mean.shape != (self.tableau.n_constraints,):
            raise InputError(
                "the prior does not name each constraint once; give one mean and sd a constraint"
            )
        _ = self.arrays  # an attested candidate that can never win is refused at once

    @cached_property
    def settings(self) -> Settings:
        """Noise, bound and total in force."""
        return resolve_settings(self.tableau, self.noise, self.bound, self.total)

    @cached_property
    def arrays(self) -> RelationArrays:
        """What must hold for each observation."""
        every = relations(self.tableau, self.settings.total)
        check_learnable(self.tableau, every)
        return relation_arrays(every, self.tableau.n_constraints)

    @cached_property
    def layout(self) -> kernels.Layout:
        """Where the kernels find sites and conjuncts."""
        return lay_out(self.arrays)

    @cached_property
    def model(self) -> kernels.Model:
        """Noise and prior as the kernels take them."""
        if self.prior is None:
            return kernels.Model(self.settings.noise, self.settings.bound, np.empty(0), np.empty(0))
        return kernels.Model(self.settings.noise, np.inf, self.prior.mean, self.prior.sd**-2.0)

    def init(self, rng: np.random.Generator) -> GibbsState:
        """Start from scattered ranking values and a random consistent order of each relation."""
        k = self.tableau.n_constraints
        reach = min(3 * self.settings.noise, self.settings.bound / 2)
        values = rng.uniform(-reach, reach, k)
        return GibbsState(
            values=values - values.mean(),
            augmented=self._first_disharmonies(rng),
            scratch=make_scratch(self.layout, k),
            draws=np.empty((0, k)),
        )

    def _first_disharmonies(self, rng: np.random.Generator) -> np.ndarray:
        blocks = [np.empty(0)]
        for r, conjuncts in enumerate(conjuncts_of(self.arrays)):
            sites = self.layout.site_constraint[
                self.layout.site_start[r] : self.layout.site_start[r + 1]
            ].tolist()
            values = self.settings.noise * feasible_values(conjuncts, sites, rng)
            copies = 1 if self.variant == "published" else int(self.layout.counts[r])
            blocks.append(np.tile(values, copies))
        return np.concatenate(blocks)

    def step(self, rng: np.random.Generator, state: GibbsState, n: int) -> GibbsState:
        """Do `n` sweeps; a sweep of many observations in parts, so that it can be stopped."""
        kept = state.sweep // self.thin
        state.draws = grown(state.draws, kept, (state.sweep + n) // self.thin)
        if self.layout.value_start[-1] * self._tries <= _SITES_AT_ONCE:
            self._short_sweeps(rng, state, n)
        else:
            for _ in range(n):
                self._long_sweep(rng, state)
        return state

    @property
    def _tries(self) -> int:
        """Most draws a site may take in one sweep."""
        return kernels.PROPOSALS if self.variant == "published" else 1

    def _short_sweeps(self, rng: np.random.Generator, state: GibbsState, n: int) -> None:
        sweep = kernels.sweep_published if self.variant == "published" else kernels.sweep_fixed
        own = (state.augmented, state.values, state.scratch, state.draws)
        sweep(rng, self.layout, self.model, *own, state.sweep, n, self.thin)
        state.sweep += n

    def _long_sweep(self, rng: np.random.Generator, state: GibbsState) -> None:
        """Do what the sweep kernels do, with the same numbers, a part at a time."""
        layout, model, scratch = self.layout, self.model, state.scratch
        scratch.sums[:] = 0.0
        augment = self._augment_afresh if self.variant == "published" else self._augment_all
        counts = augment(rng, state)
        kernels.add_free(rng, layout, counts, state.values, model.noise, scratch.sums)
        kernels.draw_values(rng, int(layout.counts.sum()), model, state.values, scratch)
        state.sweep += 1
        kernels.record(state.sweep, self.thin, state.values, state.draws)

    def _augment_all(self, rng: np.random.Generator, state: GibbsState) -> np.ndarray:
        """Augment each observation once; return how many of each relation there are."""
        layout, noise, scratch = self.layout, self.model.noise, state.scratch
        for r, count in enumerate(layout.counts.tolist()):
            own = state.augmented[layout.value_start[r] : layout.value_start[r + 1]]
            size = own.size // count
            for first, last in _parts(count, size):
                check_interrupt()
                part = own[first * size : last * size]
                kernels.augment(rng, layout, r, r + 1, part, state.values, noise, scratch, scratch.sums)
        return layout.counts

    def _augment_afresh(self, rng: np.random.Generator, state: GibbsState) -> np.ndarray:
        """Draw how many of each relation there are, and fresh disharmonies; return how many."""
        layout, noise = self.layout, self.model.noise
        counts = np.zeros_like(layout.counts)
        kernels.draw_counts(rng, int(layout.counts.sum()), layout.counts, counts)
        for r, count in enumerate(counts.tolist()):
            own = state.augmented[layout.site_start[r] : layout.site_start[r + 1]]
            for first, last in _parts(count, own.size * kernels.PROPOSALS):
                check_interrupt()
                kernels.resample(rng, layout, r, last - first, own, state.values, noise, state.scratch)
        return counts

    def view(self, state: GibbsState) -> GibbsView:
        """Return the draws so far."""
        draws = snapshot(state.draws, state.sweep // self.thin)
        return GibbsView(state.sweep, state.values - state.values.mean(), draws)

    def finished(self, state: GibbsState) -> bool:
        """Return False: a sampler never is."""
        return False

    def posterior(self, run: Run[GibbsState, GibbsView], tick: Tick[GibbsView]) -> Posterior:
        """Return the draws of a run that count so far."""
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

    def conclude(
        self, run: Run[GibbsState, GibbsView], tick: Tick[GibbsView], *, stopped: bool = False
    ) -> Fit:
        """Return the estimates, predictions and warnings of a run so far."""
        posterior = self.posterior(run, tick)
        tableau, settings = self.tableau, self.settings
        trust, peaked = trust_and_peaks(posterior.draws["ranking_value"], tableau.constraints)
        pooled = posterior.pooled("ranking_value")
        median = np.median(pooled, axis=0)
        predicted = predict_from_draws(tableau, spread_out(pooled, tableau), settings.noise, settings.total)
        at_median = log_likelihood(tableau, median, settings.noise, settings.total)
        fitting = trust.largest_rhat > RHAT_APART or at_median >= predicted.typical_log_likelihood
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
            multimodal=bool(peaked) or not fitting,
            peaked=tuple(peaked),
            remarks=tuple(_warnings(self.variant, trust, peaked, fitting)),
            converged=trust.verdict in ("Converged", "Keep running"),
            posterior=posterior,
            used=dict(posterior.settings),
        )

    def _settings_of(self, run: Run[Any, Any], warmup: int) -> dict[str, Any]:
        prior = self.prior
        return {
            "noise": self.settings.noise,
            "bound": self.settings.bound if prior is None else None,
            "total": self.settings.total,
            "variant": self.variant,
            "prior": None if prior is None else {"mean": prior.mean.tolist(), "sd": prior.sd.tolist()},
            "sweeps": run.total,
            "warmup": warmup,
            "chains": run.chains,
            "thin": kept_every(self.thin, run.total),
        }


def _warnings(variant: Variant, trust: Trust, peaked: list[str], fitting: bool) -> list[str]:
    messages = []
    if trust.verdict in ("Not converged", "Too early to say"):
        figures = f"R-hat {trust.largest_rhat:.3g}, ESS {trust.smallest_ess:.3g}"
        messages.append(f"not converged ({figures}): run more sweeps before using these numbers")
    if peaked:
        messages.append(f"more than one peak: {', '.join(peaked)}")
    if peaked or not fitting:
        messages.append("several grammars fit, and the medians are none of them: use the best draw")
    if variant == "published":
        messages.append("as published: relations are drawn anew each sweep, intervals come out too wide")
    return messages


def _parts(count: int, draws: int) -> list[tuple[int, int]]:
    """Cut `count` observations of so many draws each into parts of a few milliseconds."""
    size = max(1, _SITES_AT_ONCE // draws)
    return [(first, min(first + size, count)) for first in range(0, count, size)]


class GibbsSettings(param.Parameterized):
    """Settings of a run of the Gibbs sampler; None stands for the file's or the usual value."""

    sweeps = param.Integer(SWEEPS, bounds=(1, None), doc="Sweeps of each chain.")
    warmup = param.Integer(
        None, allow_None=True, doc="Sweeps that do not count (default: a tenth, at most 1000)"
    )
    chains = param.Integer(CHAINS, bounds=(1, None), doc="Independent chains.")
    noise = param.Number(
        None,
        bounds=(0, None),
        inclusive_bounds=(False, False),
        allow_None=True,
        doc="Evaluation noise (default: the file's, else 2)",
    )
    bound = param.Number(
        None,
        bounds=(0, None),
        inclusive_bounds=(False, False),
        allow_None=True,
        doc="Ranking values stay within this distance of 0 (default: the file's, else 6 x noise)",
    )
    total = param.Integer(
        None, bounds=(1, None), allow_None=True, doc="Observations that relative frequencies stand for"
    )
    prior_sd = param.Number(
        None,
        bounds=(0, None),
        inclusive_bounds=(False, False),
        allow_None=True,
        doc="Standard deviation of a normal prior with mean 0, for every constraint",
    )
    prior = param.Path(
        None,
        check_exists=False,
        allow_None=True,
        doc="File of normal priors: name, mean, sd, one constraint a line",
    )
    variant = param.Selector(
        default="fixed", objects=["fixed", "published"], doc="Fixed counts, or as the paper has it"
    )

    @property
    def steps(self) -> int:
        """Sweeps of each chain."""
        return int(self.sweeps)


def make_gibbs(tableau: Tableau, settings: GibbsSettings) -> Gibbs:
    """Return the sampler with these settings."""
    check_warmup(settings.warmup, settings.steps)
    tableau = with_total(tableau, settings.total)
    prior = chosen_prior(tableau, settings.prior_sd, settings.prior)
    return Gibbs(
        tableau,
        settings.noise,
        settings.bound,
        prior=prior,
        variant=settings.variant,
        thin=usual_thin(settings.steps),
        warmup=settings.warmup,
    )


def fit_gibbs(
    tableau: Tableau,
    *,
    sweeps: int = SWEEPS,
    warmup: int | None = None,
    chains: int = CHAINS,
    seed: int | None = None,
    noise: float | None = None,
    bound: float | None = None,
    total: int | None = None,
    prior: NormalPrior | None = None,
    variant: Variant = "fixed",
    threads: int | None = None,
) -> Fit:
    """Sample the posterior of the ranking values (Lin 2005).

    Parameters
    ----------
    tableau
        Its frequencies are the observations.
    sweeps, warmup
        Sweeps a chain, of which the first `warmup` are left out (a tenth, at most 1,000).
    chains, threads
        Independent chains, and threads to run them on; the numbers do not depend on threads.
    seed
        A fresh one if None; kept in the fit.
    noise, bound, total
        As for :func:`~otlab.ot.settings.resolve_settings`.
    prior, variant
        As for :class:`Gibbs`.

    Raises
    ------
    InputError
        If an attested candidate can never win, or a setting makes no sense.

    Examples
    --------
    >>> from otlab.ot import read
    >>> fit_gibbs(read("ilokano"), sweeps=2000, seed=1).parameters["median"].round(1)
    constraint
    *C-ONS   -0.1
    AL        0.5
    I_BR     -0.4
    Name: median, dtype: float64
    """
    check_warmup(warmup, sweeps)
    learner = Gibbs(tableau, noise, bound, total, prior, variant, usual_thin(sweeps), warmup)
    return cast("Fit", fit(learner, steps=sweeps, chains=chains, seed=seed, threads=threads))
