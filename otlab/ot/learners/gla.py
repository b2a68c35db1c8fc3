r"""Gradual Learning Algorithm (Boersma & Hayes 2001), with the update rules of Praat and Magri's.

A trial observes a candidate c of an input, drawn by its frequency, evaluates the input under
:math:`y_i \sim N(\mu_i, \sigma^2)` and, if the grammar's own winner g differs, moves

.. math:: \mu_i \leftarrow \mu_i + p \text{ if } v_{gi} > v_{ci}, \qquad
          \mu_i \leftarrow \mu_i - p \text{ if } v_{gi} < v_{ci} .

The step is one plasticity, whatever the size of the difference; this is the rule
``symmetric-all``, and :mod:`otlab.ot.kernels.update_rules` has the others. After an error, pairs
of constraints that are ranked a priori are put in order again by lowering the lower one.

A candidate that can never win may be observed: it is an error at each trial, as in Praat and
OTSoft, and the fit says so. With variable data the mean
of the values, and the distance to constraints that only ever prefer losers, may drift without
end while predictions settle: values are shown centred, and :func:`drifting` says which of
them drift. At constant plasticity the values form a Markov chain that never settles (Lin
2005, section 8); its spread is not a posterior, it scales with the plasticity.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import param

from otlab.errors import InputError, did_you_mean
from otlab.inference import fit
from otlab.ot.conditions import impossible_words, relations
from otlab.ot.constraint_names import faithfulness, numbered_pairs
from otlab.ot.fitted import Fit, fit_of_values
from otlab.ot.io.apriori import chosen_apriori
from otlab.ot.kernels.gla import Rule, trials
from otlab.ot.kernels.update_rules import RULES
from otlab.ot.learners.error_driven import (
    RUNS,
    ErrorDriven,
    ScheduleSettings,
    lay_out,
    per_constraint,
    plasticity_factors,
)
from otlab.ot.learners.schedules import Schedule, schedule
from otlab.ot.learners.settings import APrioriSettings, NoiseSettings
from otlab.ot.overt import of_known_parses
from otlab.ot.settings import resolve_settings, with_total

if TYPE_CHECKING:
    from otlab.inference import Run, Tick
    from otlab.ot.conditions import Relation
    from otlab.ot.kernels.gla import Record, Stage, Trials
    from otlab.ot.learners.error_driven import TrialState, TrialView
    from otlab.ot.tableau import Tableau

__all__ = ["GLA", "GLASettings", "drifting", "fit_gla", "make_gla"]

INITIAL = 100.0
TRIALS = 1_000_000
DRIFT_IN_NOISE = 20.0


@dataclass(frozen=True, eq=False)
class GLA(ErrorDriven):
    """The Gradual Learning Algorithm.

    Parameters
    ----------
    tableau, noise, schedule, initial, plasticity, record_every
        As for :class:`~otlab.ot.learners.error_driven.ErrorDriven`.
    rule
        One of :data:`~otlab.ot.kernels.update_rules.RULES`: how an error moves the values.
    apriori
        Pairs of constraints by name, the higher one first, that are ranked before anything is
        learnt.
    gap
        How far apart the constraints of `apriori` are kept: 0 in Praat, 20 in OTSoft.

    Raises
    ------
    InputError
        If a setting makes no sense.
    """

    initial: float | tuple[float, ...] = INITIAL
    rule: str = "symmetric-all"
    apriori: tuple[tuple[str, str], ...] = ()
    gap: float = 0.0
    name: str = field(default="gla", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rule not in RULES:
            raise InputError(f"there is no update rule {self.rule!r}; {did_you_mean(self.rule, RULES)}")
        if not (np.isfinite(self.gap) and self.gap >= 0):
            raise InputError(f"a gap of {self.gap:g} between constraints; give 0 or more")
        _ = self._relations, self._rule  # raises if a priori rankings contain a cycle

    @cached_property
    def _relations(self) -> tuple[Relation, ...]:
        return relations(self.tableau)

    @cached_property
    def data(self) -> Trials:
        """The arrays of the tableau for the kernel."""
        return lay_out(self.tableau, self._relations)

    @cached_property
    def _rule(self) -> Rule:
        """The update rule and a priori rankings as the kernel takes them."""
        pairs = numbered_pairs(self.tableau, self.apriori)
        higher, lower = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
        return Rule(RULES.index(self.rule), higher, lower, float(self.gap))

    def init(self, rng: np.random.Generator) -> TrialState:
        """Return the initial ranking values, a priori rankings observed."""
        state = super().init(rng)
        values = state.values
        for _ in values:
            for higher, lower in zip(self._rule.higher, self._rule.lower, strict=True):
                values[lower] = min(values[lower], values[higher] - self.gap)
        return state

    def _trials(
        self, rng: np.random.Generator, state: TrialState, stage: Stage, record: Record, n: int
    ) -> tuple[int, float]:
        errors, size = trials(rng, self.data, self._rule, stage, state.values, record, state.size, n)
        return errors, size

    def conclude(
        self, run: Run[TrialState, TrialView], tick: Tick[TrialView], *, stopped: bool = False
    ) -> Fit:
        """Return the fit of the runs so far: one grammar per run."""
        settings = resolve_settings(self.tableau, self.noise)
        values = np.array([view.values for view in tick.views])
        drifted = drifting(self.tableau, values, settings.noise)
        remarks = self._impossible()
        if drifted:
            remarks.append(
                f"{', '.join(drifted)} do not settle: no ranking values fit these data exactly, so they"
                " drift for as long as the GLA runs; only the predictions settle"
            )
        return fit_of_values(
            run,
            tick,
            values,
            noise=settings.noise,
            total=settings.total,
            settings=self._settings_of(run, settings.noise),
            stopped=stopped,
            remarks=remarks,
        )

    def _impossible(self) -> list[str]:
        """Return remarks on what was observed and can never win."""
        return [
            f"{words}; the GLA predicts 0 for it, and the log likelihood is that of the other observations"
            for words in impossible_words(self.tableau, self._relations)
        ]

    def _own_settings(self) -> dict[str, Any]:
        return {"rule": self.rule, "apriori": [list(pair) for pair in self.apriori], "gap": self.gap}


def drifting(tableau: Tableau, values: np.ndarray, noise: float) -> list[str]:
    """Return the constraints that drifted away: more than 20 times the noise from the centre.

    Parameters
    ----------
    tableau
        Names the constraints.
    values : ndarray of shape (runs, constraints)
        Centred ranking values at the end of each run.
    noise
        Evaluation noise.
    """
    far = np.abs(np.median(values, axis=0)) > DRIFT_IN_NOISE * noise
    return [name for name, drifted in zip(tableau.constraints, far, strict=True) if drifted]


class GLASettings(APrioriSettings, NoiseSettings, ScheduleSettings):
    """Settings of runs of the GLA; None means the file's value, else the default."""

    initial = param.Number(INITIAL, doc="Ranking values before the first trial.")
    rule = param.Selector(default="symmetric-all", objects=list(RULES), doc="How an error moves the values")
    markedness_plasticity = param.Number(
        1.0, bounds=(0, None), doc="Factor on the plasticity of markedness constraints."
    )
    faithfulness_plasticity = param.Number(
        1.0, bounds=(0, None), doc="Factor on the plasticity of faithfulness constraints."
    )
    gap = param.Number(
        0.0, bounds=(0, None), doc="How far apart a priori ranked constraints are kept; 20 in OTSoft."
    )


def make_gla(tableau: Tableau, settings: GLASettings) -> GLA:
    """Return the learner with these settings."""
    names = tableau.constraints
    apart = settings.markedness_plasticity, settings.faithfulness_plasticity
    factors = np.where(faithfulness(names), apart[1], apart[0])
    return GLA(
        with_total(tableau, settings.total),
        settings.noise,
        settings.plan(),
        per_constraint(names, "initial_values", settings, np.full(len(names), settings.initial)),
        plasticity_factors(names, settings, factors),
        rule=settings.rule,
        apriori=chosen_apriori(settings.apriori, tableau),
        gap=settings.gap,
    )


@of_known_parses
def fit_gla(
    tableau: Tableau,
    *,
    trials: int = TRIALS,
    runs: int = RUNS,
    seed: int | None = None,
    noise: float | None = None,
    plan: Schedule | str = "otsoft",
    initial: float | tuple[float, ...] = INITIAL,
    plasticity: tuple[float, ...] | None = None,
    rule: str = "symmetric-all",
    apriori: tuple[tuple[str, str], ...] = (),
    gap: float = 0.0,
    threads: int | None = None,
) -> Fit:
    """Return the fit of independent runs of the Gradual Learning Algorithm (Boersma & Hayes 2001).

    Parameters
    ----------
    tableau
        Its frequencies are the chances of observing each candidate.
    trials, runs
        Trials of each run, and number of runs.
    seed, noise, threads
        As for :func:`~otlab.ot.learners.gibbs.fit_gibbs`.
    plan
        How plasticity falls: a preset's name, or a schedule.
    initial, plasticity, rule, apriori, gap
        As for :class:`GLA`.

    Raises
    ------
    InputError
        If a setting makes no sense.

    Examples
    --------
    >>> from otlab.ot import read
    >>> fit = fit_gla(read("ilokano"), seed=1)
    >>> fit.predictions[["candidate", "mean"]].round(1)
         candidate  mean
    0    bu.bwa.ja   0.3
    1  bwaj.bwa.ja   0.3
    2    bub.wa.ja   0.3
    """
    chosen = schedule(plan, trials) if isinstance(plan, str) else plan
    learner = GLA(tableau, noise, chosen, initial, plasticity, rule=rule, apriori=apriori, gap=gap)
    return cast("Fit", fit(learner, steps=trials, chains=runs, seed=seed, threads=threads))
