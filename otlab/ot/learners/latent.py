r"""Gibbs sampler for Stochastic OT from overt forms: the posterior of the ranking values with latent parses.

Lin's (2005) augmentation is kept: every observation has disharmonies :math:`y \sim N(\mu, \sigma^2)`, here
under which the *winner sounds as what was heard*. A sweep draws each :math:`y_k` from its normal distribution
on the union of the slots between the other constraints in which that is so, then the ranking values as in
:mod:`otlab.ot.learners.gibbs`, then each value together with its disharmonies. Parses are summed over,
neither drawn nor enumerated. Where every overt form has one parse, the posterior is that of the Gibbs
sampler.

A chain starts from ranking values learnt by 5,000 trials of RRIP from a random start, so that chains begin at
different parses. Posteriors may have several modes, between which single chains seldom move: R-hat tells, and
:mod:`otlab.ot.learners.tempered` makes them move.
Candidates that can never win are left out; of candidates with equal violations the first one wins.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from otlab.inference import check_interrupt
from otlab.ot.kernels.gibbs import Model, Scratch
from otlab.ot.kernels.gla import Record, Rule, Stage
from otlab.ot.kernels.latent import Observed, latent_sweeps
from otlab.ot.kernels.overt import RRIP, overt_trials
from otlab.ot.kernels.update_rules import SYMMETRIC_ALL
from otlab.ot.learners.draws import ensure_capacity
from otlab.ot.learners.interpretive import InterpretiveGLA
from otlab.ot.learners.sampler import SITES_AT_ONCE, RankingSampler
from otlab.ot.overt import check_parses_can_win, overt_forms_of
from otlab.ot.overt_fitted import overt_fit_of_draws

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from otlab.inference import Run, Tick
    from otlab.ot.fitted import Fit
    from otlab.ot.kernels.gla import Trials
    from otlab.ot.learners.sampler import GibbsView
    from otlab.ot.overt_fitted import OvertFit

__all__ = ["LatentGibbs", "LatentState"]

START_TRIALS = 5_000
_APART = 1.1


@dataclass
class LatentState:
    """One chain: ranking values, disharmonies, the draws so far.

    Attributes
    ----------
    values : ndarray of shape (constraints,)
        Current ranking values; centred unless the prior is normal.
    disharmonies : ndarray of shape (observations, constraints)
        Of each observation, the active constraints of its input first.
    scratch
        Working arrays.
    draws, sweep, drawn
        As in :class:`~otlab.ot.learners.sampler.GibbsState`.
    """

    values: np.ndarray
    disharmonies: np.ndarray
    scratch: Scratch
    draws: np.ndarray
    sweep: int = 0
    drawn: int = 0

    @property
    def numbers(self) -> np.ndarray:
        """Numbers that are checked for NaN: ranking values."""
        return self.values


@dataclass(frozen=True, eq=False)
class LatentGibbs(RankingSampler):
    """The Gibbs sampler with latent parses; parameters and errors are those of the class ``Gibbs``."""

    name: str = field(default="latent-gibbs", init=False)

    variant: ClassVar[str] = "latent parses"

    @cached_property
    def relations(self) -> tuple[Any, ...]:
        """None: which candidate was meant is not known. Refuses an overt form that no ranking gives."""
        check_parses_can_win(self.tableau, self._trials.can_win)
        return ()

    @cached_property
    def _trials(self) -> InterpretiveGLA:
        """The learner that finds where chains start; it has the data as arrays, too."""
        return InterpretiveGLA(self.tableau, self.noise, how="rrip", initial=0.0)

    @property
    def data(self) -> Trials:
        """Candidates that can win, and their violations."""
        return self._trials.data

    @cached_property
    def observed(self) -> Observed:
        """The observations, one after another."""
        forms = overt_forms_of(self.tableau)
        counts = forms.sums(self.tableau.counts(self.settings.total).astype(float)).astype(np.int64)
        heard = np.repeat(np.arange(counts.size), counts)
        return Observed(heard, forms.input_of[heard], forms.of_row, self._trials.states)

    @cached_property
    def model(self) -> Model:
        """Noise and prior as the kernels take them."""
        higher, lower = np.array(self.pairs, np.int64).reshape(-1, 2).T.copy()
        if self.prior is None:
            return Model(self.settings.noise, self.settings.bound, np.empty(0), np.empty(0), higher, lower)
        return Model(self.settings.noise, np.inf, self.prior.mean, self.prior.sd**-2.0, higher, lower)

    def init(self, rng: np.random.Generator) -> LatentState:
        """Return ranking values learnt by RRIP, and disharmonies under which each form is heard."""
        k, values = self.tableau.n_constraints, self.scattered(rng)
        none = np.empty(0, np.int64)
        stage = Stage(np.full(k, 0.5), np.full(k, 0.5), np.full(k, self.settings.noise), 1.0, 0.0)
        rule = Rule(SYMMETRIC_ALL, none, none, 0.0)
        learnt = values.copy()
        nothing = Record(np.empty((0, k)), START_TRIALS + 1, START_TRIALS + 1)
        trials = self._trials
        overt_trials(rng, trials.data, trials.heard, RRIP, 1, rule, stage, learnt, nothing, 1.0, START_TRIALS)
        learnt -= learnt.mean()
        if self.prior is None:  # within the bound
            learnt *= min(1.0, 0.9 * self.settings.bound / max(np.abs(learnt).max(), 1e-9))
        if not self.pairs:
            values = learnt
        starts = {form: self._start(form, learnt) for form in np.unique(self.observed.form).tolist()}
        disharmonies = np.zeros((self.observed.form.size, k))
        for m, form in enumerate(self.observed.form.tolist()):
            disharmonies[m, : starts[form].size] = starts[form]
        scratch = Scratch(
            np.empty(0), np.empty(0), np.empty(0), np.empty(k), np.zeros(k), np.zeros(0, np.int64)
        )
        return LatentState(values, disharmonies, scratch, np.empty((0, k)))

    def _start(self, form: int, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return disharmonies of an input's active constraints under which a parse of this form wins.

        Of the orders in which the best parse wins, the one that follows the ranking values most closely.
        """
        data, heard = self.data, self._trials.heard
        parses = heard.parses[heard.start[form] : heard.start[form + 1]]
        x = int(data.input_of[parses[0]])
        active = data.active[data.active_start[x] : data.active_start[x + 1]]
        rivals = data.rivals[data.rival_start[x] : data.rival_start[x + 1]]
        marks, by_value = data.marks[:, active], np.argsort(-values[active], kind="stable")
        parse = min(parses.tolist(), key=lambda row: marks[row][by_value].tolist())
        left, unranked, order = rivals[rivals != parse], [*by_value.tolist()], []
        while unranked:
            best = next(a for a in unranked if (marks[left, a] >= marks[parse, a]).all())
            order.append(best)
            unranked.remove(best)
            left = left[marks[left, best] == marks[parse, best]]
        heights = np.empty(active.size)
        heights[order] = self.settings.noise * np.arange(active.size, 0, -1) / 2
        shifted: NDArray[np.float64] = heights - heights.mean() + values[active].mean()
        return shifted

    def step(self, rng: np.random.Generator, state: LatentState, n: int) -> LatentState:
        """Do `n` sweeps; a sweep of very many observations in parts, so that it can be stopped."""
        last = state.sweep + n
        state.draws = ensure_capacity(state.draws, state.sweep // self.thin, last // self.thin)
        while True:
            state.sweep, state.drawn = latent_sweeps(
                rng,
                self.data,
                self.observed,
                self.model,
                state.disharmonies,
                state.values,
                state.scratch,
                state.draws,
                self.thin,
                (state.sweep, state.drawn),
                last,
                SITES_AT_ONCE,
            )
            if state.sweep == last:
                return state
            check_interrupt()

    def conclude(self, run: Run[Any, GibbsView], tick: Tick[GibbsView], *, stopped: bool = False) -> OvertFit:
        """Return the estimates of a run so far, with overt forms and parses."""
        fit = overt_fit_of_draws(super().conclude(run, tick, stopped=stopped))
        return replace(fit, remarks=(*fit.remarks, *self._mixing(fit, tick)))

    def _mixing(self, fit: Fit, tick: Tick[Any]) -> tuple[str, ...]:
        """Return what to do about chains that remain at different parses."""
        if not fit.trust.largest_rhat > _APART:
            return ()
        return ("chains may stay at different parses of what is heard: choose 12 temperatures or more",)
