"""State of the OT lab: tableau, settings, runs of the learners and their results.

It holds no plot. :attr:`OTState.answers` are the predictions of every learner, :attr:`OTState.values`
the ranking values shown; the page calls :meth:`OTState.take` with the ticks of a run.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np
import param

from otlab.errors import InputError, counted
from otlab.inference import run
from otlab.ot.analysis.rank import Algorithm
from otlab.ot.conditions import impossible_rows, uncounted_relations
from otlab.ot.constraint_names import numbered_pairs
from otlab.ot.io.read import read, read_bytes
from otlab.ot.io.write import to_csv
from otlab.ot.learners import LEARNERS
from otlab.ot.learners.gibbs import Gibbs
from otlab.ot.learners.schedules import schedule
from otlab.ot.probability_plan import plan_of
from otlab.reading import ReadAs
from otlab.samples import samples
from otlab.ui.fields import put_texts, texts_of
from otlab.ui.ot import constraint_settings
from otlab.ui.ot.constraint_settings import ConstraintSettings, put_apriori
from otlab.ui.ot.document import Document, refuse_impossible
from otlab.ui.ot.forms.operations import GenSettings
from otlab.ui.ot.results import RESULTS, ROW_TEXTS, FitResult, Replay
from otlab.ui.ot.settings import defaults_for, lab_settings, learner_settings, ranking_prior
from otlab.ui.ot.shown import ShownState
from otlab.ui.ot.step_through import GibbsWalk, GLAWalk
from otlab.ui.runner import LearnerRow

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from otlab.inference import Run, Tick
    from otlab.inference.registry import LearnerEntry
    from otlab.ot.learners.gla import GLA
    from otlab.ot.tableau import Tableau
    from otlab.ui.ot.settings import OTSettings
    from otlab.ui.source import Source
    from otlab.viz.base.tokens import Hue

    CopiedTable = tuple[Tableau, dict[str, str], tuple[tuple[int, ...], ...], tuple[ReadAs, ...]]

__all__ = ["OTState"]

MOST_LINKED_CELLS = 200_000
MORE_SWEEPS = 50_000
ENDLESS_TRIALS = 10_000_000_000
ENDLESS_RECORD = 20_000


class OTState(ShownState):
    """One reader's tableau, settings and results.

    Parameters
    ----------
    tableau
        What to start with.

    Attributes
    ----------
    document : Document
        The tableau being edited.
    settings : OTSettings
        The settings of the run panel.
    gen : GenSettings
        The operations that generate candidates.
    """

    edits: int = param.Integer(0, doc="Counts changes of the tableau.")
    scale: int = param.Integer(0, doc="Counts changes of the settings that ranking values are drawn with.")

    settings: OTSettings
    algorithm: Algorithm = param.Selector(
        default="rcd", objects=list(get_args(Algorithm)), doc="What ranks the constraints in Rank."
    )
    constraint_changes: int = param.Integer(0, doc="Counts changes of the settings of single constraints.")
    own_strata: tuple[tuple[int, ...], ...] = param.ClassSelector(
        class_=tuple, default=(), doc="The reader's strata, constraints by number; the algorithm's if empty."
    )
    language: int = param.Integer(0, doc="The selected language of the typology.")
    pointed: tuple[int, ...] = param.ClassSelector(
        class_=tuple, default=(), doc="Row and constraint of the cell that the grid shows; () if none."
    )
    adopted: int = param.Integer(0, doc="Counts rankings that were adopted from Rank or Typology.")

    def __init__(self, tableau: Tableau) -> None:
        super().__init__(lab_settings())
        self.document = Document(tableau)
        self.readings: tuple[ReadAs, ...] = ()
        self.source: Source | None = None
        self.gen = GenSettings()
        self.document.history = self.history
        self.settings.param.update(**defaults_for(tableau))
        self._loaded = tableau.name
        self.document.watch(self._follow_document)
        drawn_with = ["noise", "bound", "seed", "schedule", "prior", "prior_sd"]
        self.settings.param.watch(self._follow_settings, ["total", *drawn_with])
        self._constraints = tableau.constraints
        self.settings.param.watch(
            lambda *_: self._constraint_set(), [*constraint_settings.COLUMNS, "apriori"]
        )
        self.example = tableau.name if tableau.name in self.examples() else ""
        self.own_name = "" if self.example else tableau.name

    def examples(self) -> Mapping[str, str]:
        """Return every shipped tableau: name and title."""
        return {sample.name: sample.title for sample in samples("ot")}

    def load_example(self, example: str) -> None:
        """Load a shipped tableau, with the settings its file asks for."""
        self.load(read(example))

    def contents(self) -> Mapping[str, Any]:
        """Return the tableau, how its file was read, and the operations that generate candidates."""
        usual = texts_of(GenSettings())
        gen = {name: text for name, text in texts_of(self.gen).items() if text != usual[name]}
        return {"table": self.tableau, "readings": self.readings, **({"gen": gen} if gen else {})}

    def open_contents(self, contents: Mapping[str, Any]) -> None:
        """Open a tableau."""
        self.load(contents["table"], readings=contents.get("readings", ()))
        put_texts(self.gen, texts_of(GenSettings()) | dict(contents.get("gen", {})))

    def too_large(self, contents: Mapping[str, Any]) -> bool:
        """Return whether the tableau has more than 200,000 cells."""
        tableau = contents["table"]
        return bool(tableau.n_rows * (tableau.n_constraints + 3) > MOST_LINKED_CELLS)

    def written(self, contents: Mapping[str, Any]) -> dict[str, Any]:
        """Return the tableau as CSV."""
        tableau = contents["table"]
        readings = [reading.to_dict() for reading in contents.get("readings", ())]
        more = {"readings": readings, "gen": dict(contents.get("gen", {}))}
        found = {key: value for key, value in more.items() if value}
        return {"name": tableau.name, "csv": to_csv(tableau), **found}

    def read_back(self, written: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        """Return the tableau of CSV."""
        tableau = read_bytes(written["csv"].encode(), name or "table", format="table").tableau
        readings = tuple(map(ReadAs.from_dict, written.get("readings", ())))
        gen = {str(name): str(text) for name, text in dict(written.get("gen", {})).items()}
        table = replace(tableau, name=str(written["name"]))
        return {"table": table, "readings": readings, **({"gen": gen} if gen else {})}

    def copy_document(self) -> CopiedTable:
        """Return the tableau, the settings of single constraints, the user's strata, and how it was read."""
        return self.tableau, constraint_settings.texts(self.settings), self.own_strata, self.readings

    def put_document(self, document: CopiedTable) -> None:
        """Restore these; results stay, marked as those of another tableau."""
        tableau, single, strata, *readings = document
        self.readings = readings[0] if readings else ()  # earlier versions of otlab kept none
        self.document.show(tableau)
        self.settings.param.update(**single)
        self.own_strata = strata

    def run_context(self) -> Tableau | None:
        """Return the tableau of the runs."""
        return self.document.ran

    def rows_shown(self) -> Collection[str]:
        """Return the learners that have a result."""
        return {name for name, result in self._whole.items() if result.tick is not None}

    def expect_runs(self, context: Any, runs: Mapping[str, Run[Any, Any]]) -> Collection[str]:
        """Prepare results for saved runs, with the tableau that they were of."""
        if not runs:
            return []
        self.results, self._replay, self.running, self.asked = {}, None, True, {}
        self.document.ran = self.tableau if context == self.tableau else context
        return list(runs)

    # -- tableau and settings stay together ------------------------------------

    def load(
        self,
        tableau: Tableau,
        apriori: Iterable[tuple[str, str]] = (),
        readings: tuple[ReadAs, ...] = (),
        source: Source | None = None,
    ) -> None:
        """Load another tableau, with the settings and rankings its file asks for; results are deleted.

        Parameters
        ----------
        tableau, apriori
            The tableau, and (higher, lower) constraints.
        readings
            How its file was read, then the other ways to read it.
        source
            The file, to be read again in another way.
        """
        self.clear()
        self.readings, self.source = readings, source
        self.put_tab_results(None)
        constraint_settings.forget(self.settings)
        self._constraints, self.own_strata = tableau.constraints, ()
        self.document.show(tableau)
        put_apriori(self.settings, apriori)

    def leave_out_impossible(self) -> str:
        """Set the count of every observed candidate that can never win to 0; return a message about it."""
        rows = [row for row, _ in impossible_rows(self.tableau)]
        names = ", ".join(self.tableau.candidates[row] for row in rows[:3]) + (", …" if len(rows) > 3 else "")
        self.document.leave_out(rows)
        return f"{'Count' if len(rows) == 1 else 'Counts'} of {names} set to 0"

    @property
    def apriori(self) -> tuple[tuple[str, str], ...]:
        """The (higher, lower) constraints that every ranking respects; none if they contain a cycle."""
        pairs = constraint_settings.apriori_pairs(self.settings, self.tableau.constraints)
        try:
            numbered_pairs(self.tableau, pairs)
        except InputError:  # from a link: the grid refuses such pairs
            return ()
        return pairs

    def set_single(self, change: Callable[[ConstraintSettings], object], what: str) -> str:
        """Change settings of single constraints in one edit; return the objection of `change`, if any."""
        draft = ConstraintSettings(**constraint_settings.texts(self.settings))
        reason = str(change(draft) or "")
        changed = constraint_settings.texts(draft)
        if not reason and changed != constraint_settings.texts(self.settings):
            self.history.record(what)
            self.settings.param.update(**changed)
        return reason

    def set_strata(self, strata: tuple[tuple[int, ...], ...]) -> None:
        """Set the reader's strata, constraints by number; none for the algorithm's."""
        if strata != self.own_strata:
            self.history.record("Strata changed" if strata else "Back to the algorithm's strata")
            self.own_strata = strata

    def _constraint_set(self) -> None:
        self.constraint_changes += 1
        self.scale += 1

    def _follow_document(self) -> None:
        tableau = self.tableau
        constraint_settings.follow_names(self.settings, self._constraints, tableau.constraints)
        if self._constraints != tableau.constraints:
            self._constraints, self.own_strata = tableau.constraints, ()
        if tableau.name != self._loaded:
            self._loaded = tableau.name
            self.settings.param.update(**defaults_for(tableau))
        self.settings.param.update(total=tableau.total)
        if self._chosen is not None and len(self._chosen) != tableau.n_constraints:
            self._chosen = None
        self.edits += 1

    def _follow_settings(self, *events: Any) -> None:
        for event in events:
            if event.name == "total":
                self.document.set_sample_size(event.new)
            else:
                self.scale += 1
            if event.name == "seed":
                self._rng = np.random.default_rng(event.new)

    # -- runs -------------------------------------------------------------------

    def rows(self) -> list[LearnerRow]:
        """Return the rows of the run panel: one per learner, and the endless GLA."""
        rows = []
        for entry in LEARNERS.values():
            rows.append(self._row(entry))
            if entry.name == "gla":
                rows.append(self._endless_row())
        return rows

    def _row(self, entry: LearnerEntry) -> LearnerRow:
        row = LearnerRow(
            entry.name,
            entry.label,
            cast("Hue", entry.hue),
            partial(self._plan, entry),
            partial(self._detail, entry.name),
            ROW_TEXTS.get(entry.name),
            unit=entry.unit,
            enabled=entry.usual,
            begun=partial(self._begun, entry.name),
        )
        return replace(row, more=MORE_SWEEPS, prolong=self._prolong) if entry.name == "gibbs" else row

    def _endless_row(self) -> LearnerRow:
        return LearnerRow(
            "endless",
            "Endless GLA",
            "gla",
            self._plan_endless,
            lambda: f"plasticity {self.settings.plasticity:g}",
            unit="trial",
            enabled=False,
            endless=True,
            begun=partial(self._begun, "endless"),
        )

    def _detail(self, name: str) -> str:
        """Return the grey text after a learner's name."""
        if name == "maxent":
            return "L-BFGS"
        settings = LEARNERS[name].settings.param
        if name != "gla" and "chains" not in settings:
            return ""
        field, noun = ("runs", "run") if name == "gla" else ("chains", "chain")
        n = self._runs_of(name) or getattr(self.settings, field)
        return counted(n, noun)

    def _runs_of(self, name: str) -> int:
        """Return how many chains or runs a learner has that is running now; 0 if it is not."""
        result = self.results.get(name)
        return 0 if result is None or not self.running else int(result.run.chains)

    def clear(self) -> None:
        """Delete results, and the reader's own ranking values."""
        self.running = False
        self.results, self._replay = {}, None
        self.document.ran = None
        self._chosen = None
        self.at_best = False
        self.settled += 1

    def take(self, ticks: dict[str, Tick[Any]]) -> None:
        """Add what the ticks of a run bring, by the name of the row."""
        for name, tick in ticks.items():
            if name in self.results:
                self.results[name].take(tick)
        self.running = True
        self.progress += 1

    def walk(self, name: str) -> GibbsWalk | GLAWalk:
        """Return a walk through ``"gibbs"`` (with fixed counts) or ``"gla"`` with the present settings."""
        s = self.settings
        if name == "gla":
            entry = LEARNERS["gla"]
            return GLAWalk(entry.make(self.tableau, learner_settings(entry, s, self.tableau)), s.seed)
        prior = ranking_prior(s, self.tableau)
        return GibbsWalk(Gibbs(self.tableau, s.noise, s.bound, s.total, prior), s.seed)

    def replay(self, share: float) -> None:
        """Show the results as they were after this share of the run, from the draws it kept; 1 is its end."""
        self._replay = self._replay or Replay(self.results)
        if share < 1:
            self.results = self._replay.at(share)
            self.progress += 1
        else:
            self.results, self._replay = self._replay.ended, None
            self.settled += 1

    def to_conclude(self) -> Callable[[], None]:
        """Return a function that prepares :meth:`settle`, on any thread."""
        results = list(self.results.values())

        def conclude() -> None:
            for result in results:
                result.conclude()

        return conclude

    def settle(self) -> None:
        """Replace running summaries by exact ones, after the run has ended."""
        self.running = False
        for result in self._whole.values():
            result.settle()
        self.settled += 1

    def _plan(self, entry: LearnerEntry) -> Callable[[], Run[Any, Any]]:
        """Return a function that makes a run of a learner on the present data and settings."""
        self._starting()
        tableau, seed = self.tableau, self.settings.seed
        settings = self.asked[entry.name] = learner_settings(entry, self.settings, tableau)

        def make() -> Run[Any, Any]:
            uncounted_relations(tableau)  # so that the page names impossible winners for every learner
            try:
                made = entry.run(tableau, settings, seed=seed)
            except InputError:
                refuse_impossible(tableau)
                raise
            if entry.name in ("gibbs", "gla"):
                plan_of(tableau)  # computed here, so that the page's thread need not do it at the first draw
            return made

        return make

    def _begun(self, name: str, run: Run[Any, Any]) -> None:
        """Make an empty result for a run."""
        self.results[name] = RESULTS.get(name, FitResult)(run)

    def _prolong(self, _sweeps: int) -> None:
        if self.gibbs is not None:
            self.gibbs.prolong()
            self.settings.param.update(sweeps=self.gibbs.run.total)

    def _plan_endless(self) -> Callable[[], Run[Any, Any]]:
        """Return a function that makes a run of the endless GLA."""
        self._starting()
        entry, tableau, seed = LEARNERS["gla"], self.tableau, self.settings.seed
        settings = learner_settings(entry, self.settings, tableau)
        constant = schedule("constant", ENDLESS_TRIALS, self.settings.plasticity)

        def make() -> Run[Any, Any]:
            learner = cast("GLA", entry.make(tableau, settings))
            learner = replace(learner, schedule=constant, record_every=ENDLESS_RECORD)
            return run(learner, sweeps=ENDLESS_TRIALS, seed=seed)

        return make

    def _starting(self) -> None:
        self.results, self._replay = self._whole, None
        if self.document.ran is not self.tableau:
            self.results = {}
        self.document.ran = self.tableau
        self.running = True
