r"""Online MaxEnt: the weights of a maximum entropy grammar, learnt one form at a time.

Stochastic gradient ascent (Jaeger 2007): a trial observes a form, draws one from the present
grammar, and moves each weight by the plasticity p times the difference of violations,

.. math:: w_i \leftarrow w_i + p\,(v_{gi} - v_{ci}) - p\,\frac{w_i - m_i}{M s_i^2},

the last term with a normal prior N(m, s^2), M observations in all. Its mean is the gradient of the
batch objective over M, so that with falling plasticity the weights go to those of
``--learner maxent``. OTSoft applies the prior after errors only, and halves it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

import numpy as np

from otlab.inference import fit
from otlab.ot.fitted import Fit, fit_of_weights
from otlab.ot.kernels.harmony import GUMBEL, Pull, weight_trials
from otlab.ot.learners.error_driven import (
    RUNS,
    WEIGHT_TRIALS,
    ErrorDriven,
    WeightRunSettings,
    lay_out,
    per_constraint,
    plasticity_factors,
)
from otlab.ot.learners.maxent import MaxEnt, Weights
from otlab.ot.learners.schedules import schedule
from otlab.ot.learners.settings import PriorSettings
from otlab.ot.overt import of_known_parses
from otlab.ot.settings import resolve_settings, with_total

if TYPE_CHECKING:
    from otlab.inference import Run, Tick
    from otlab.ot.kernels.gla import Record, Stage, Trials
    from otlab.ot.learners.error_driven import TrialState, TrialView
    from otlab.ot.learners.priors import NormalPrior
    from otlab.ot.learners.schedules import Schedule
    from otlab.ot.tableau import Tableau

__all__ = ["OnlineMaxEnt", "OnlineMaxEntSettings", "fit_maxent_online", "make_maxent_online"]


@dataclass(frozen=True, eq=False)
class OnlineMaxEnt(ErrorDriven):
    """Stochastic gradient ascent on the objective of a MaxEnt grammar.

    Parameters
    ----------
    tableau, schedule, initial, plasticity, record_every
        As for :class:`~otlab.ot.learners.error_driven.ErrorDriven`; `noise` plays no role.
    prior
        Where each weight is expected; none if None.
    weights
        ``"nonnegative"`` or ``"free"``.

    Raises
    ------
    InputError
        If a setting makes no sense.
    """

    prior: NormalPrior | None = None
    weights: Weights = "nonnegative"
    name: str = field(default="maxent-online", init=False)

    kind: ClassVar[Literal["ranking value", "weight"]] = "weight"

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.batch  # raises an error for an impossible prior or sign

    @cached_property
    def batch(self) -> MaxEnt:
        """The batch learner of the same grammar."""
        return MaxEnt(self.tableau, prior=self.prior, weights=self.weights)

    @cached_property
    def data(self) -> Trials:
        """The arrays of the tableau for the kernel; all rivals compete."""
        return lay_out(self.tableau)

    @cached_property
    def _pull(self) -> Pull:
        lowest = 0.0 if self.weights == "nonnegative" else -np.inf
        if self.prior is None:
            return Pull(np.empty(0), np.empty(0), lowest)
        return Pull(self.prior.mean, self.prior.sd**-2.0 / self.batch.counts.sum(), lowest)

    def _trials(
        self, rng: np.random.Generator, state: TrialState, stage: Stage, record: Record, n: int
    ) -> tuple[int, float]:
        errors, size = weight_trials(
            rng, self.data, GUMBEL, self._pull, stage, state.values, record, state.size, n
        )
        return errors, size

    def conclude(
        self, run: Run[TrialState, TrialView], tick: Tick[TrialView], *, stopped: bool = False
    ) -> Fit:
        """Return the fit of the runs so far: one grammar per run."""
        weights = np.array([view.values for view in tick.views])
        remarks = []
        if not self.batch.finite_optimum:
            remarks.append("no finite optimum: some weights grow for as long as it runs; give a prior")
        return fit_of_weights(
            run,
            tick,
            weights,
            np.array([self.batch.probabilities(w) for w in weights]),
            total=resolve_settings(self.tableau).total,
            settings=self._settings_of(run, 0.0),
            stopped=stopped,
            remarks=remarks,
        )

    def _own_settings(self) -> dict[str, Any]:
        prior = self.prior
        return {
            "weights": self.weights,
            "prior": None if prior is None else {"mean": prior.mean.tolist(), "sd": prior.sd.tolist()},
        }


class OnlineMaxEntSettings(PriorSettings, WeightRunSettings):
    """Settings of runs of online MaxEnt; None means the file's value, else the default."""


def make_maxent_online(tableau: Tableau, settings: OnlineMaxEntSettings) -> OnlineMaxEnt:
    """Return the learner with these settings."""
    names = tableau.constraints
    tableau = with_total(tableau, settings.total)
    return OnlineMaxEnt(
        tableau,
        None,
        settings.plan(),
        per_constraint(names, "initial_values", settings, np.full(len(names), settings.initial)),
        plasticity_factors(names, settings, np.ones(len(names))),
        prior=settings.normal_prior(tableau),
        weights=settings.weights,
    )


@of_known_parses
def fit_maxent_online(
    tableau: Tableau,
    *,
    trials: int = WEIGHT_TRIALS,
    runs: int = RUNS,
    seed: int | None = None,
    plan: Schedule | str = "otsoft",
    prior: NormalPrior | None = None,
    weights: Weights = "nonnegative",
    threads: int | None = None,
) -> Fit:
    """Return the fit of independent runs of online MaxEnt (Jaeger 2007).

    Parameters
    ----------
    tableau, trials, runs, seed, plan, threads
        As for :func:`~otlab.ot.learners.gla.fit_gla`.
    prior, weights
        As for :class:`OnlineMaxEnt`.

    Raises
    ------
    InputError
        If a setting makes no sense.

    Examples
    --------
    >>> from otlab.ot import read
    >>> fit_maxent_online(read("ilokano"), seed=1)
    <Fit by maxent-online: 3 weights from ilokano_reduplication, seed 1>
    """
    chosen = schedule(plan, trials) if isinstance(plan, str) else plan
    learner = OnlineMaxEnt(tableau, schedule=chosen, prior=prior, weights=weights)
    return cast("Fit", fit(learner, steps=trials, chains=runs, seed=seed, threads=threads))
