r"""Noisy Harmonic Grammar from overt forms (Boersma & Pater 2016, section 7; Jarosz 2013).

A trial hears an overt form, evaluates the input with noise, and moves the weights of
:mod:`otlab.ot.learners.hg` by the difference between the grammar's own winner and a parse of what was heard,
chosen as in :mod:`otlab.ot.learners.interpretive`: the best one under the same noise (``rip``), under noise
drawn anew (``rrip``), or one drawn from the grammar given what was heard (``eip``). All candidates compete.
Where every overt form has one parse, ``rip`` and ``rrip`` are Noisy HG.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import param

from otlab.errors import InputError, did_you_mean
from otlab.inference import fit
from otlab.ot.kernels.overt_harmony import overt_weight_trials
from otlab.ot.learners.error_driven import RUNS, WEIGHT_TRIALS
from otlab.ot.learners.hg import HGSettings, NoisyHG, Place, make_hg
from otlab.ot.learners.interpretive import HOW, lay_out_heard
from otlab.ot.learners.schedules import schedule
from otlab.ot.overt import reproduced_by_weights
from otlab.ot.overt_fitted import overt_fit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from otlab.inference import Run, Tick
    from otlab.ot.fitted import Fit
    from otlab.ot.kernels.gla import Record, Stage
    from otlab.ot.kernels.overt import Heard
    from otlab.ot.learners.error_driven import TrialState, TrialView
    from otlab.ot.learners.maxent import Weights
    from otlab.ot.learners.schedules import Schedule
    from otlab.ot.tableau import Tableau

__all__ = ["NoisyHGOvert", "OvertHGSettings", "fit_hg_overt", "make_hg_overt"]

USUAL = "rrip"


@dataclass(frozen=True, eq=False)
class NoisyHGOvert(NoisyHG):
    """Noisy HG on parses of overt forms.

    Parameters
    ----------
    tableau, noise, schedule, initial, plasticity, record_every, place, weights
        As for :class:`~otlab.ot.learners.hg.NoisyHG`; the frequencies of an overt form's parses are added up.
    how
        ``"rip"``, ``"rrip"`` or ``"eip"``.
    tries
        How often noise is drawn for one parse by ``"eip"``.

    Raises
    ------
    InputError
        If a setting makes no sense.
    """

    how: str = USUAL
    tries: int = 1000
    name: str = field(default="hg-overt", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.how not in HOW:
            raise InputError(
                f"overt forms cannot be parsed by {self.how!r}; {did_you_mean(self.how, [*HOW])}"
            )

    @cached_property
    def heard(self) -> Heard:
        """The overt forms, their chances and their parses, as the kernel takes them."""
        return lay_out_heard(self.tableau, np.ones(self.tableau.n_rows, bool))

    def _trials(
        self, rng: np.random.Generator, state: TrialState, stage: Stage, record: Record, n: int
    ) -> tuple[int, float]:
        learning = HOW[self.how], self.tries, self._place, self._pull
        errors, size = overt_weight_trials(
            rng, self.data, self.heard, *learning, stage, state.values, record, state.size, n
        )
        return errors, size

    def conclude(
        self, run: Run[TrialState, TrialView], tick: Tick[TrialView], *, stopped: bool = False
    ) -> Fit:
        """Return the fit of the runs so far, with overt forms and parses."""
        plain = super().conclude(run, tick, stopped=stopped)
        weights = np.array([view.values for view in tick.views])
        probability = np.array([self.probabilities(one) for one in weights])
        share = [self.reproduced(one) for one in weights]
        return overt_fit(plain, weights, share=share, probabilities=probability)

    def reproduced(self, weights: NDArray[np.float64]) -> float:
        """Return the share of inputs whose overt form the candidate of least penalty has."""
        return reproduced_by_weights(self.tableau, weights)

    def _own_settings(self) -> dict[str, Any]:
        tries = {"tries": self.tries} if self.how == "eip" else {}
        return {"how": self.how, **tries, **super()._own_settings()}


class OvertHGSettings(HGSettings):
    """Settings of runs of Noisy HG from overt forms; None means the file's value, else the default."""

    how = param.Selector(
        default=USUAL,
        objects=list(HOW),
        doc="How what is heard is parsed: by the same noise, by noise drawn anew, or by drawing parses",
    )


def make_hg_overt(tableau: Tableau, settings: OvertHGSettings) -> NoisyHGOvert:
    """Return the learner with these settings."""
    plain = make_hg(tableau, settings)
    names = "tableau", "noise", "schedule", "initial", "plasticity", "place", "weights"
    return NoisyHGOvert(**{name: getattr(plain, name) for name in names}, how=settings.how)


def fit_hg_overt(
    tableau: Tableau,
    *,
    trials: int = WEIGHT_TRIALS,
    runs: int = RUNS,
    seed: int | None = None,
    noise: float | None = None,
    plan: Schedule | str = "otsoft",
    place: Place = "constraint",
    weights: Weights = "nonnegative",
    how: str = USUAL,
    threads: int | None = None,
) -> Fit:
    """Return the fit of independent runs of Noisy HG from overt forms.

    Parameters
    ----------
    tableau, trials, runs, seed, noise, plan, place, weights, threads
        As for :func:`~otlab.ot.learners.hg.fit_hg`.
    how
        As for :class:`NoisyHGOvert`.

    Raises
    ------
    InputError
        If a setting makes no sense.

    Examples
    --------
    >>> from otlab.ot import read
    >>> fit_hg_overt(read("overt_stress"), trials=5_000, runs=2, seed=1).reproduced
    (1.0, 1.0)
    """
    chosen = schedule(plan, trials) if isinstance(plan, str) else plan
    learner = NoisyHGOvert(tableau, noise, chosen, place=place, weights=weights, how=how)
    return cast("Fit", fit(learner, steps=trials, chains=runs, seed=seed, threads=threads))
