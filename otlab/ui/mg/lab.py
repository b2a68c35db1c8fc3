"""The minimalist-grammar lab: edit a lexicon, see every derivation, watch VB weigh the readings.

::

    lab = MGLab("attachment_wh")                      # a notebook cell shows it
    lab = MGLab(lexicon, corpus=[("john", "slept")])
    lab.lexicon, lab.inductions["vb"]                 # ordinary Python objects
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import param

from otlab.errors import condensed, counted
from otlab.files import decode
from otlab.mg.io.read import StartNeeded, read
from otlab.mg.learners import LEARNERS
from otlab.mg.lexicon import Lexicon
from otlab.mg.spellout import SpellOut
from otlab.samples import sample_path
from otlab.ui.components.badge import Badge, Stat, TrustReport, badge, from_chains
from otlab.ui.documents.store import unused_name
from otlab.ui.fields import values_of
from otlab.ui.glossary import define
from otlab.ui.lab import Lab
from otlab.ui.mg.classwork import MGClasswork
from otlab.ui.mg.presets import presets
from otlab.ui.mg.state import MGState
from otlab.ui.mg.tabs.check import CheckTab
from otlab.ui.mg.tabs.compare import CompareTab
from otlab.ui.mg.tabs.data import DataTab, read_file
from otlab.ui.mg.tabs.generate import GenerateTab
from otlab.ui.mg.tabs.induce import InduceTab
from otlab.ui.mg.tabs.memory import MemoryTab
from otlab.ui.mg.tabs.parse import ParseTab
from otlab.ui.mg.tabs.pool import PoolTab
from otlab.ui.mg.tabs.reading import ReadingTab
from otlab.ui.mg.times_file import TimesFile
from otlab.ui.run_panel import RunPanel
from otlab.ui.runner import LearnerRow
from otlab.viz.base.numbers import DASH, value_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from otlab.inference.registry import LearnerEntry
    from otlab.mg.learners.induction import Induction
    from otlab.mg.learners.snapshot import Snapshot
    from otlab.ui.source import Source
    from otlab.viz.base.tokens import Hue

__all__ = ["MGLab"]

_FALL = 1e-9

define(
    "reading entropy",
    "Reading entropy",
    "How undecided a sentence is between its derivations, in nats: 0 when one has all probability.",
)
define(
    "well-formed",
    "Probability of a well-formed derivation",
    "The probability that a randomly drawn sequence of items derives a sentence; the rest is lost.",
)


class MGLab(Lab):
    """One reader's grammar lab.

    Parameters
    ----------
    lexicon
        A lexicon, a file, or a shipped sample by name.
    corpus
        Sentences as sequences of words; the lexicon's own if None.

    Raises
    ------
    InputError
        If the file has faults, or there is no such sample.
    """

    title, route = "Grammar", "mg_lab"
    state: MGState
    classwork = MGClasswork()
    tabs = (InduceTab, PoolTab, CompareTab, ParseTab, MemoryTab, ReadingTab, GenerateTab, CheckTab, DataTab)

    def __init__(
        self, lexicon: Lexicon | str | Path = "attachment_wh", corpus: Iterable[Sequence[str]] | None = None
    ) -> None:
        super().__init__(MGState())
        self._asking = ""  # a text whose start category is asked for where the lab is shown
        self.runner: RunPanel = self.connect(
            RunPanel(
                [self._row(entry, enabled=entry.name == "vb") for entry in LEARNERS.values()],
                self.settings,
                on_ticks=self.state.take,
                on_end=lambda _how: self._ended(),
                on_reset=self._forget,
                on_replay_ticks=self.state.replay,
                trust=self._trust,
                placeholder=TrustReport(badge("Too early to say"), self._stats(None)),
            )
        )
        self.state.param.watch(lambda _: self._edited(), "edits")
        self.state.param.watch(lambda *_: self.changed(), ["selection_changes", "option_changes"])
        self.settings.param.watch(self._settings_changed, list(values_of(self.settings)))
        if isinstance(lexicon, str) and lexicon in presets():
            self.choose(lexicon)
        else:
            given = _lexicon(lexicon)
            self.state.load(given, None if corpus is None else [tuple(s) for s in corpus])
            self.state.own_name = given.name
            self.state.mark_opened()

    @property
    def lexicon(self) -> Lexicon:
        """The last good lexicon of the grid; set it to show another one, Undo brings this one back."""
        return self.state.lexicon

    @lexicon.setter
    def lexicon(self, lexicon: Lexicon) -> None:
        self.open_own(lexicon.name or "Your lexicon", lambda: self.state.load(lexicon), quietly=True)

    @property
    def inductions(self) -> dict[str, Induction]:
        """Results by learner name, as ``otlab.mg.induce`` returns them."""
        return dict(self.state.inductions)

    def main(self) -> Any:
        """Return a fresh view."""
        showing = super().main()
        if self._asking:
            showing.tab("Induce").lexicon.ask(self._asking)
            self._asking = ""
        return showing

    def new(self) -> None:
        """Begin an empty lexicon; Undo brings back the one before."""
        self.open_own(unused_name("New lexicon", self.own_name), self.state.new, quietly=True)
        self.go("Induce")

    def read(self, source: Source, progress: Callable[[float], None]) -> Lexicon | SpellOut | TimesFile | str:
        """Return what a file holds; its text if it is a lexicon that names no start category."""
        try:
            return read_file(source, progress)
        except StartNeeded:
            return decode(source.content(), source.name)

    def show_read(self, source: Source, result: Lexicon | SpellOut | TimesFile | str) -> None:
        """Show a lexicon or reading times, use a table of spell-out, or ask for the start category."""
        if isinstance(result, str):
            self._ask(result)
        elif isinstance(result, TimesFile):
            self._show_times(source.name, result)
        elif isinstance(result, SpellOut):
            self.spell_out(source.name, result)
        else:
            self._opened(result, source.name)

    def _show_times(self, name: str, file: TimesFile) -> None:
        """Show reading times that were opened on the tab that compares them."""
        self.state.reading_times.open_times(name, file.text)
        self.go(ReadingTab.title)
        self.toast(f"{name} has reading times: {counted(file.sentences, 'sentence')}")
        for note in file.warnings:
            self.warn(note)

    def spell_out(self, name: str, table: SpellOut) -> None:
        """Pronounce words as a table says that was opened; Undo brings back the one before."""
        self.state.set_spell_out(table)
        self.state.edits += 1
        lines = len(table.lines)
        self.toast(f"Words are pronounced as {name} says: {counted(lines, 'line')}")

    def _ask(self, text: str) -> None:
        """Show the text of a lexicon that names no start category, to be given one."""
        self._asking = text
        for showing in self.showings:
            showing.tab("Induce").lexicon.ask(text)

    def _opened(self, lexicon: Lexicon, name: str = "") -> None:
        self.open_own(name or lexicon.name or "Your lexicon", lambda: self.state.load(lexicon))
        for fault in condensed(remark.fault(name) for remark in lexicon.remarks):
            self.warn(str(fault))

    def document_changed(self, *, opened: bool) -> None:
        """Show the lexicon that was opened or brought back."""
        for showing in self.showings:
            showing.tab("Induce").document_changed(opened=opened)
        self._edited()

    def _row(self, entry: LearnerEntry, *, enabled: bool) -> LearnerRow:
        details = {
            "vb": lambda: counted(self.state.settings.restarts, "start"),
            "em": lambda: "for comparison",
            "map": lambda: "needs α ≥ 1",
            "gibbs": lambda: "samples derivations",
        }
        return LearnerRow(
            entry.name,
            entry.label,
            cast("Hue", entry.hue),
            lambda: self.state.plan(entry.name, values_of(self.settings)),
            detail=details.get(entry.name, str),
            unit=entry.unit,
            enabled=enabled,
            begun=lambda run: self.state.begun(entry.name, run),
        )

    def _ended(self) -> None:
        """Draw the end; if alpha was moved during the run, learn again with it."""
        if self.state.stale:
            self._learn_again_if_shown()
        self.state.settled += 1

    def _edited(self) -> None:
        """Learn again after an edit of grammar or corpus if that is quick, then draw once."""
        self.state.show_alpha()
        if self.runner.runner.alive:
            self.runner.stop()
        self.runner.end_replay()
        with param.parameterized.batch_call_watchers(self.state):
            if self.state.wants_learning:
                self.state.learn_again(values_of(self.settings))
            self.state.settled += 1
        if self.runner.report is not None:
            self.runner.reassess()  # the report was on the lexicon, corpus or alpha before
        self.changed()

    def _settings_changed(self, *events: Any) -> None:
        for event in events:
            if event.name == "smc":
                self.state.set_smc(event.new)
                self._edited()
            elif event.name == "alpha" and not self.state.showing_alpha:
                self.state.set_alpha(float(event.new), learning=self.runner.runner.alive)
                self._learn_again_if_shown()
            elif event.name == "restarts":
                self.runner.tick()  # its row says how many

    def _learn_again_if_shown(self) -> None:
        if not self.runner.runner.alive:
            self.state.wants_learning = "vb" in self.state.inductions
            self._edited()

    def _forget(self) -> None:
        self.state.theories.forget()
        self.state.pool.forget()
        if self.state.inductions:
            self.state.forget()
            self.state.settled += 1

    def _trust(self) -> TrustReport | None:
        result = self.state.results.get("vb")
        if result is None and self.state.sampled is not None:
            return from_chains(self.state.sampled.trust)
        if result is None:
            return TrustReport(badge("Too early to say"), self._stats(None))
        falls = np.diff(result.trace[:, 0]).min(initial=0.0)
        fine = falls >= -_FALL * max(1.0, abs(result.objective))
        symmetry = self.state.symmetry()
        if symmetry:
            return TrustReport(Badge("Symmetric start", "warn"), self._stats(result), symmetry)
        verdict = badge("ELBO never fell") if fine else Badge("ELBO fell", "bad")
        meaning = self._checked() or (_NOT_THE_GRAMMAR if fine else "")
        return TrustReport(verdict, self._stats(result), meaning=meaning)

    def _checked(self) -> str:
        """Show how far VB and Gibbs are apart, once both have run."""
        table, sampled = self.state.checked(), self.state.sampled
        if table is None or sampled is None:
            return ""
        apart = table["difference"].abs().to_numpy(dtype=float)
        worst = int(apart.argmax())
        differ = f"Gibbs differs from VB by at most {apart[worst]:.2f} ({self.lexicon.texts[worst]})"
        trust = sampled.trust
        if not np.isfinite(trust.largest_rhat):
            return f"{differ}; too few draws yet."
        return f"{differ}; R-hat {trust.largest_rhat:.3f}, ESS {trust.smallest_ess:,.0f}."

    def _stats(self, result: Snapshot | None) -> tuple[Stat, ...]:
        if result is None:
            return (Stat("ELBO", DASH, term="elbo"), Stat("P(well-formed)", DASH, term="well-formed"))
        corpus = self.state.corpus
        different = len(corpus.sentences) + len(corpus.unparsed)
        ambiguous = sum(n > 1 for n in corpus.derivations)
        entropy = self.state.reading_entropy()
        return (
            Stat("ELBO", value_text(result.objective), term="elbo"),
            Stat("P(well-formed)", f"{self.state.well_formed_mass():.2f}", term="well-formed"),
            Stat("Parsed", f"{len(corpus.sentences)}", f"of {different}"),
            Stat("Ambiguous", f"{ambiguous}", f"· entropy {entropy:.2f}", term="reading entropy"),
        )


_NOT_THE_GRAMMAR = "An ELBO that never fell shows that VB works, not that the grammar is right."


def _lexicon(lexicon: Lexicon | str | Path) -> Lexicon:
    if isinstance(lexicon, Lexicon):
        return lexicon
    path = Path(lexicon)
    return read(path if path.is_file() else sample_path(str(lexicon), "mg"))
