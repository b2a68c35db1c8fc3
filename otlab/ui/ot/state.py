"""What one OT lab holds: the tableau, the settings, the learners' runs and their results.

Knows no picture. The page asks :attr:`OTState.answers` what every learner predicts,
:attr:`OTState.values` which ranking values the reader looks at, and calls
:meth:`OTState.take` with the ticks of a run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import Fault, InputError
from otlab.inference import run
from otlab.ot.learners.draws import usual_thin
from otlab.ot.learners.gibbs import Gibbs
from otlab.ot.learners.gla import GLA
from otlab.ot.learners.maxent import ITERATIONS, MaxEnt
from otlab.ot.learners.priors import NormalPrior
from otlab.ot.learners.schedules import schedule
from otlab.ot.orders import order_of
from otlab.ui.ot.document import Document
from otlab.ui.ot.impossible import impossible_rows
from otlab.ui.ot.results import EndlessResult, GibbsResult, GLAResult, MaxEntResult
from otlab.ui.ot.settings import defaults_for, lab_settings
from otlab.ui.ot.walks import GibbsWalk, GLAWalk
from otlab.ui.runner import Lane
from otlab.viz.base.numbers import duration_text
from otlab.viz.ot.predicted import Answers

if TYPE_CHECKING:
    from otlab.inference import Run, Tick
    from otlab.ot.fitted import Fit
    from otlab.ot.tableau import Tableau

__all__ = ["OTState"]

MORE_SWEEPS = 50_000
ENDLESS_TRIALS = 10_000_000_000
ENDLESS_RECORD = 20_000


class OTState:
    """One reader's tableau, settings and results.

    Parameters
    ----------
    tableau
        What to start with.

    Attributes
    ----------
    document : Document
        The tableau being edited.
    settings : Settings
        The fields of the run panel.
    gibbs, gla, maxent : results or None
        Of the present or last run.
    going
        Whether the run is in progress.
    """

    def __init__(self, tableau: Tableau) -> None:
        self.document = Document(tableau)
        self.settings = lab_settings()
        self.settings.set(**defaults_for(tableau))
        self.going = False
        self.gibbs: GibbsResult | None = None
        self.gla: GLAResult | None = None
        self.maxent: MaxEntResult | None = None
        self.endless: EndlessResult | None = None
        self._chosen: np.ndarray | None = None
        self._loaded = tableau.name
        self._rng = np.random.default_rng(self.settings["seed"])
        self.document.watch(self._follow_document)
        self.settings.on_change(self._follow_settings)

    # -- tableau and settings stay together ------------------------------------

    @property
    def tableau(self) -> Tableau:
        """The tableau as it is now."""
        return self.document.tableau

    def load(self, tableau: Tableau) -> None:
        """Take another tableau, with the settings its file asks for; results are forgotten."""
        self.clear()
        self.document.load(tableau)

    def leave_out_impossible(self) -> str:
        """Set the count of every candidate to 0 that was observed but can never win; say so."""
        rows = [row for row, _ in impossible_rows(self.tableau)]
        names = ", ".join(self.tableau.candidates[row] for row in rows[:3]) + (", …" if len(rows) > 3 else "")
        self.document.leave_out(rows)
        return f"{'Count' if len(rows) == 1 else 'Counts'} of {names} set to 0"

    def _follow_document(self) -> None:
        tableau = self.tableau
        if tableau.name != self._loaded:
            self._loaded = tableau.name
            self.settings.set(**defaults_for(tableau))
        self.settings.set(total=tableau.total)
        if self._chosen is not None and len(self._chosen) != tableau.n_constraints:
            self._chosen = None

    def _follow_settings(self, name: str, value: Any) -> None:
        if name == "total":
            self.document.set_sample_size(value)
        elif name == "seed":
            self._rng = np.random.default_rng(value)

    # -- runs -------------------------------------------------------------------

    def lanes(self) -> list[Lane]:
        """Return the rows of the run panel."""
        settings = self.settings
        return [
            Lane(
                "gibbs",
                "Gibbs",
                "gibbs",
                self._gibbs_run,
                lambda: _many(self._runs_of("gibbs") or settings["chains"], "chain"),
                more=MORE_SWEEPS,
                prolong=self._prolong,
            ),
            Lane(
                "gla",
                "GLA",
                "gla",
                self._gla_run,
                lambda: _many(self._runs_of("gla") or settings["runs"], "run"),
                _gla_text,
                unit="trial",
            ),
            Lane(
                "endless",
                "Endless GLA",
                "gla",
                self._endless_run,
                lambda: f"plasticity {settings['plasticity']:g}",
                unit="trial",
                enabled=False,
                endless=True,
            ),
            Lane(
                "maxent",
                "MaxEnt",
                "maxent",
                self._maxent_run,
                lambda: "L-BFGS",
                _maxent_text,
                unit="iteration",
            ),
        ]

    def _runs_of(self, name: str) -> int:
        """Return how many chains or runs a learner has that is running now; 0 if it is not."""
        result = getattr(self, name)
        return 0 if result is None or not self.going else int(result.run.chains)

    def clear(self) -> None:
        """Forget results, and the reader's own ranking values."""
        self.going = False
        self.gibbs = self.gla = self.maxent = self.endless = None
        self.document.ran = None
        self._chosen = None

    def take(self, ticks: dict[str, Tick[Any]]) -> None:
        """Add what the ticks of a run bring, by lane name."""
        for name, tick in ticks.items():
            result = getattr(self, name)
            if result is not None:
                result.take(tick)

    def walk(self, name: str) -> GibbsWalk | GLAWalk:
        """Return a walk through ``"gibbs"`` (with fixed counts) or ``"gla"`` with the present settings."""
        s = self.settings
        if name == "gla":
            return GLAWalk(GLA(self.tableau, s["noise"], schedule(s["schedule"], s["trials"])), s["seed"])
        return GibbsWalk(Gibbs(self.tableau, s["noise"], s["bound"], s["total"], self._prior()), s["seed"])

    def settle(self) -> None:
        """Make what was gathered in passing exact, now that the run has ended."""
        self.going = False
        for result in (self.gibbs, self.gla):
            if result is not None:
                result.settle()

    def _gibbs_run(self) -> Run[Any, Any]:
        s = self.settings
        self._starting()
        self._refuse_impossible()
        thin = usual_thin(s["sweeps"])
        learner = Gibbs(self.tableau, s["noise"], s["bound"], s["total"], self._prior(), s["variant"], thin)
        going = run(learner, sweeps=s["sweeps"], seed=s["seed"], chains=s["chains"])
        self.gibbs = GibbsResult(going)
        return going

    def _prolong(self, _sweeps: int) -> None:
        if self.gibbs is not None:
            self.gibbs.prolong()
            self.settings.set(sweeps=self.gibbs.run.total)

    def _gla_run(self) -> Run[Any, Any]:
        s = self.settings
        self._starting()
        self._refuse_impossible()
        learner = GLA(self.tableau, s["noise"], schedule(s["schedule"], s["trials"]))
        going = run(learner, sweeps=s["trials"], seed=s["seed"], chains=s["runs"])
        self.gla = GLAResult(going)
        return going

    def _endless_run(self) -> Run[Any, Any]:
        s = self.settings
        self._starting()
        self._refuse_impossible()
        constant = schedule("constant", ENDLESS_TRIALS, s["plasticity"])
        learner = GLA(self.tableau, s["noise"], constant, initial=0.0, record_every=ENDLESS_RECORD)
        self.endless = EndlessResult(self.tableau.n_constraints)
        return run(learner, sweeps=ENDLESS_TRIALS, seed=s["seed"])

    def _maxent_run(self) -> Run[Any, Any]:
        s = self.settings
        self._starting()
        learner = MaxEnt(self.tableau, s["total"], self._weight_prior(), s["weights"])
        going = run(learner, sweeps=ITERATIONS, seed=s["seed"])
        self.maxent = MaxEntResult(going)
        return going

    def _weight_prior(self) -> NormalPrior | None:
        k, sd = self.tableau.n_constraints, self.settings["weight_sd"]
        return None if sd is None else NormalPrior(np.zeros(k), np.full(k, sd))

    def _prior(self) -> NormalPrior | None:
        if self.settings["prior"] == "flat":
            return None
        k = self.tableau.n_constraints
        return NormalPrior(np.zeros(k), np.full(k, self.settings["prior_sd"]))

    def _starting(self) -> None:
        if self.document.ran is not self.tableau:
            self.gibbs = self.gla = self.maxent = self.endless = None
        self.document.ran = self.tableau
        self.going = True

    def _refuse_impossible(self) -> None:
        """Refuse, in few words, data that no ranking fits.

        Raises
        ------
        InputError
            If an observed candidate can never win.
        """
        n = len(impossible_rows(self.tableau))
        if n:
            what = f"{n} observed candidate{'s' if n > 1 else ''} can never win"
            cure = "Set the counts to 0 or correct the violations; MaxEnt can learn from them as they are"
            raise InputError(Fault(what, cure), heading="No ranking can fit these data")

    # -- what the pictures show -------------------------------------------------

    @property
    def shown_tableau(self) -> Tableau:
        """The tableau the results belong to: that of the last run, else the present one."""
        return self.document.ran or self.tableau

    @property
    def has_results(self) -> bool:
        """Whether any learner has said something."""
        return any(
            result is not None and result.tick is not None for result in (self.gibbs, self.gla, self.maxent)
        )

    @property
    def fits(self) -> dict[str, Fit]:
        """What the library says of each learner's run so far, by learner."""
        found = {n: getattr(self, n) for n in ("gibbs", "gla", "maxent")}
        fits = {name: None if result is None else result.fit for name, result in found.items()}
        return {name: fit for name, fit in fits.items() if fit is not None}

    @property
    def answers(self) -> Answers:
        """What was observed and what every learner predicts."""
        predicted = {n: getattr(getattr(self, n), "predicted", None) for n in ("gibbs", "gla", "maxent")}
        return Answers(self.shown_tableau.observed(), **predicted)

    @property
    def learnt_values(self) -> np.ndarray | None:
        """Ranking values a run offers: posterior medians, else the mean of the GLA's runs; None before one.

        Where the posterior has several modes its medians belong to none of them: the
        best draw stands in.
        """
        if self.document.changed_since_run:
            return None
        if self.gibbs is not None and self.gibbs.histogram.n:
            return self.gibbs.centre
        if self.gla is not None and self.gla.values is not None:
            return np.asarray(self.gla.values.mean(axis=0))
        return None

    @property
    def values(self) -> np.ndarray:
        """The ranking values looked at: as dragged, else as learnt, else all 0; float64 (K,)."""
        if self._chosen is not None:
            return self._chosen
        learnt = self.learnt_values
        return np.zeros(self.tableau.n_constraints) if learnt is None else learnt

    @property
    def own_values(self) -> bool:
        """Whether the reader has dragged a constraint."""
        return self._chosen is not None

    def choose(self, values: np.ndarray | None) -> None:
        """Look at these ranking values (K,); None goes back to what was learnt."""
        self._chosen = None if values is None else np.array(values, dtype=float)

    def draw_order(self) -> tuple[int, ...]:
        """Return one order of the constraints, drawn from the ranking values looked at."""
        noise = self.settings["noise"] * self._rng.standard_normal(self.tableau.n_constraints)
        return order_of(self.values + noise)


def _many(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _gla_text(tick: Tick[Any]) -> str:
    return "Done" if tick.finished else f"Trial {tick.sweep:,}"


def _maxent_text(tick: Tick[Any]) -> str:
    if not tick.view.finite_optimum:
        return "No finite optimum"
    return f"Done in {duration_text(tick.seconds)}" if tick.finished else f"Iteration {tick.sweep}"
