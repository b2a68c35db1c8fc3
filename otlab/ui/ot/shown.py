"""The part of the OT lab's state that the pictures show: results, and the ranking values on the line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.ot.learners import LEARNERS
from otlab.ot.orders import order_of, strata_values
from otlab.ot.point import BEST, NOT_CONVERGED
from otlab.ui.ot.compared import ComparedState
from otlab.ui.ot.results import RESULTS, EndlessResult, FitResult
from otlab.viz.ot.answers import Answers

if TYPE_CHECKING:
    from collections.abc import Sequence

    import param

    from otlab.inference import Posterior
    from otlab.ot.fitted import Fit
    from otlab.ot.point import Point
    from otlab.ot.tableau import Tableau
    from otlab.ui.ot.document import Document
    from otlab.ui.ot.results import GibbsResult, GLAResult, MaxEntResult, Replay
    from otlab.ui.ot.settings import OTSettings

__all__ = ["ShownState"]


class ShownState(ComparedState):
    """A state with the results of the present or last run, and the ranking values that are shown.

    Attributes
    ----------
    results : dict
        What each learner of the present or last run has found, by the name of its row.
    running
        Whether the run is in progress.
    at_best
        Whether the reader asked for the best draw in place of the posterior medians.
    printed_by
        Name of the learner by which tableaux for papers are ranked; the first one if it has no result.
    """

    settings: OTSettings
    document: Document

    def __init__(self, settings: param.Parameterized) -> None:
        super().__init__(settings)
        self.running = False
        self.results: dict[str, Any] = {}
        self.at_best, self.printed_by = False, ""
        self._replay: Replay | None = None
        self._chosen: np.ndarray | None = None
        self._rng = np.random.default_rng(self.settings.seed)

    @property
    def tableau(self) -> Tableau:
        """The tableau as it is now."""
        return self.document.tableau

    @property
    def gibbs(self) -> GibbsResult | None:
        """The posterior of the present or last run."""
        return self.results.get("gibbs")

    @property
    def gla(self) -> GLAResult | None:
        """The runs of the GLA of the present or last run."""
        return self.results.get("gla")

    @property
    def maxent(self) -> MaxEntResult | None:
        """The weights of the present or last run."""
        return self.results.get("maxent")

    @property
    def endless(self) -> EndlessResult | None:
        """The endless GLA of the present or last run."""
        return self.results.get("endless")

    @property
    def _by_learner(self) -> dict[str, Any]:
        """Results of the learners of the registry, in its order."""
        return {name: self.results[name] for name in LEARNERS if name in self.results}

    @property
    def shown_tableau(self) -> Tableau:
        """The tableau the results belong to: that of the last run, else the present one."""
        return self.document.ran or self.tableau

    @property
    def has_results(self) -> bool:
        """Whether any learner has a result."""
        return any(result.tick is not None for result in self._by_learner.values())

    @property
    def fits(self) -> dict[str, Fit]:
        """The fit of each learner's run so far, by learner."""
        fits = {name: self._whole[name].fit for name in LEARNERS if name in self._whole}
        return {name: fit for name, fit in fits.items() if fit is not None}

    @property
    def further_fits(self) -> dict[str, Fit]:
        """The latest fit of each learner without pictures of its own, without waiting for one."""
        results = {name: result for name, result in self._by_learner.items() if name not in RESULTS}
        fits = {name: result.latest for name, result in results.items() if isinstance(result, FitResult)}
        return {name: fit for name, fit in fits.items() if fit is not None}

    @property
    def learnt_by(self) -> tuple[str, ...]:
        """The learners that have a result, in the order of the registry."""
        whole = self._whole
        return tuple(name for name in LEARNERS if name in whole and whole[name].tick is not None)

    @property
    def printed_learner(self) -> str:
        """The learner by which paper tableaux are ranked; the first if none is chosen, "" before a run."""
        ran = self.learnt_by
        return self.printed_by if self.printed_by in ran else next(iter(ran), "")

    @property
    def posterior(self) -> Posterior | None:
        """The draws of the present or last run of Gibbs, replayed or not; None before there are any."""
        gibbs = self._whole.get("gibbs")
        return None if gibbs is None else gibbs.posterior

    @property
    def _whole(self) -> dict[str, Any]:
        """The results of the whole run, also while it is replayed."""
        return self.results if self._replay is None else self._replay.ended

    @property
    def answers(self) -> Answers:
        """What was observed and what every learner predicts."""
        predicted = {name: result.predicted for name, result in self._by_learner.items()}
        own = {name: predicted.pop(name, None) for name in RESULTS if name in LEARNERS}
        further = {name: p for name, p in predicted.items() if p is not None}
        return Answers(self.shown_tableau.observed(), **own, further=further)

    @property
    def learnt_point(self) -> tuple[str, Point] | None:
        """A learner's name and the ranking values that stand for what it found; None before a run.

        They are the posterior medians, also if there are several modes, until the reader asks for the
        best draw (:attr:`at_best`); without a posterior, the mean of the GLA's runs, else what the first
        of the other learners of ranking values found. After an edit, each constraint keeps the value that
        its name had; a new one has 0.
        """
        if self.gibbs is not None and self.gibbs.histogram.n:
            best = self.at_best and self.gibbs.best is not None
            return "Gibbs", self._of_present(self.gibbs.point(best))
        point = None if self.gla is None else self.gla.point
        if point is not None:
            return "GLA", self._of_present(point)
        for name, fit in self.further_fits.items():
            if fit.kind == "ranking value":
                point = fit.point
                if self.at_best and fit.posterior is not None:
                    point = point._replace(values=fit.predicted.best, name=BEST)
                return LEARNERS[name].label, self._of_present(point)
        return None

    def _of_present(self, point: Point) -> Point:
        """Return a point of the table of the run as one of the present table."""
        if not self.document.changed_since_run:
            return point
        values = dict(zip(self.shown_tableau.constraints, point.values, strict=True))
        present = np.array([values.get(name, 0.0) for name in self.tableau.constraints])
        return point._replace(values=present)

    @property
    def learnt_values(self) -> np.ndarray | None:
        """The ranking values of :attr:`learnt_point`; None before a run."""
        point = self.learnt_point
        return None if point is None else point[1].values

    @property
    def values(self) -> np.ndarray:
        """The ranking values shown: as dragged, else as learnt, else all 0; float64 (K,)."""
        if self._chosen is not None:
            return self._chosen
        learnt = self.learnt_values
        return np.zeros(self.tableau.n_constraints) if learnt is None else learnt

    @property
    def values_from(self) -> str:
        """What :attr:`values` come from: a learner's name, "dragged", or "" where all are 0."""
        if self.own_values:
            return "dragged"
        learnt = self.learnt_point
        return "" if learnt is None else learnt[0]

    @property
    def values_words(self) -> str:
        """What :attr:`values` are: "the posterior median of Gibbs", "the values as dragged", "all at 0"."""
        if self.own_values:
            return "the values as dragged"
        learnt = self.learnt_point
        return "all at 0" if learnt is None else learnt[1].words(learnt[0])

    def caveats(self) -> dict[str, str]:
        """Return why results of the run cannot be used yet, by learner; of those that can be, nothing."""
        found = {} if self.gibbs is None else {"Gibbs": self.gibbs.point(best=True).caveat}
        if self.gla is not None and self.gla.point is not None:
            found["GLA"] = self.gla.point.caveat
        if self.maxent is not None and self.maxent.tick is not None:
            found["MaxEnt"] = "" if self.maxent.tick.view.finite_optimum else "no finite optimum"
        for name, fit in self.further_fits.items():
            if not (fit.converged or self.running):
                found[LEARNERS[name].label] = NOT_CONVERGED
        return {label: caveat for label, caveat in found.items() if caveat}

    @property
    def own_values(self) -> bool:
        """Whether the reader has dragged a constraint."""
        return self._chosen is not None

    def choose(self, values: np.ndarray | None) -> None:
        """Show these ranking values (K,); None shows the learnt ones again."""
        self._chosen = None if values is None else np.array(values, dtype=float)

    def adopt_strata(self, strata: Sequence[Sequence[int]]) -> None:
        """Show ranking values for strata, constraints by number and the highest first."""
        self.choose(strata_values(strata, self.settings.noise, self.settings.bound))
        self.adopted += 1

    def draw_order(self) -> tuple[int, ...]:
        """Return one order of the constraints, drawn from the ranking values shown."""
        noise = self.settings.noise * self._rng.standard_normal(self.tableau.n_constraints)
        return order_of(self.values + noise)
