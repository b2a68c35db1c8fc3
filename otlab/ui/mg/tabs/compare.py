"""The Compare tab: theories of grammar on the corpus of the lab, live."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.errors import InputError
from otlab.inference import run
from otlab.mg.learners.comparison import Trial, prepare, shared_sentences, split
from otlab.mg.parsing.grammar import Grammar
from otlab.samples import load_sample
from otlab.ui.components.buttons import button, icon_button
from otlab.ui.components.cards import Card, Html, html
from otlab.ui.components.downloads import Downloads
from otlab.ui.components.file_zone import FileZone
from otlab.ui.components.layout import across, down
from otlab.ui.components.placeholders import empty, faults
from otlab.ui.mg.lazy import Lazy
from otlab.ui.mg.settings import CompareSettings, ShippedChoice
from otlab.ui.mg.state import MGState
from otlab.ui.mg.tabs.data import ENDINGS, read_lexicon
from otlab.ui.mg.tabs.layout import NARROWING
from otlab.ui.mg.task import Task
from otlab.ui.runner import LearnerRow
from otlab.ui.settings_form import SettingsForm
from otlab.ui.tab import Tab
from otlab.viz.mg.compare import COMPARE_CSS, Verdict, differences_html, verdicts_csv, verdicts_html
from otlab.viz.mg.pool import TABLE_TO_COME

if TYPE_CHECKING:
    from collections.abc import Callable, Set

    from otlab.inference import Tick
    from otlab.mg.learners.comparison import Comparison
    from otlab.mg.learners.snapshot import Snapshot
    from otlab.mg.learners.vb import VB
    from otlab.mg.lexicon import Lexicon

__all__ = ["CompareTab", "Theory"]

Words = tuple[str, ...]
MOST_THEORIES = 6
_ALIKE = "They parse the same sentences: the higher ELBO and log P are the better ones."
_UNLIKE = "The ELBOs cover different sentences. Choose “Sentences all parse” to compare."


@dataclass
class Theory:
    """One row.

    Attributes
    ----------
    name, lexicon
        What is compared.
    trial
        The theory with its sentences parsed; None before Compare is pressed.
    figures
        So far.
    """

    name: str
    lexicon: Lexicon
    trial: Trial | None = None
    figures: Comparison | None = None


class CompareTab(Tab[MGState]):
    """The tab that compares lexicons as theories of the corpus."""

    title = "Compare"
    depends = ("settled",)

    def build(self) -> Any:
        """Return the cards in their places."""
        self._others: list[Theory] = []
        self._shown: list[Theory] = []
        self._notes: list[tuple[str, str]] = []
        self.settings = CompareSettings()
        self.task = Task("Compare", self._rows, self._ticked, self._draw_figures)
        self._list = down(gap=0, sizing_mode="stretch_width")
        self._samples = ShippedChoice()
        self._samples.param.watch(lambda event: self._sample_chosen(event.new), "sample")
        keep = button("Keep this version", self.keep, icon="plus", plain=True)
        self.zone = FileZone(
            read_lexicon,
            lambda source, lexicon: self._try(lambda: self.add(Path(source.name).stem, lexicon), source.name),
            lambda error, source: self._refuse(error, source.name),
            large="compare it with otlab.mg.compare",
            label="Add a lexicon of yours",
            accept=ENDINGS,
        )
        self._said = pn.Column(sizing_mode="stretch_width", margin=0)
        self._how = html("", sizing_mode="stretch_width")
        theories = Card(
            "Theories",
            self._list,
            SettingsForm(self._samples),
            self.zone,
            self._said,
            action=keep,
            sizing_mode="stretch_width",
        )
        judging = Card("Comparison", SettingsForm(self.settings), self._how, self.task)
        left = down(theories, judging, width=430, sizing_mode="stretch_height", stylesheets=[NARROWING])
        self._table = html("", COMPARE_CSS, sizing_mode="stretch_width")
        self._note = html("", sizing_mode="stretch_width")
        self._place = down(
            empty(
                "Nothing compared yet",
                "Add a second lexicon, or keep this version and edit on; then press Compare.",
                shape=TABLE_TO_COME,
            )
        )
        csv = [["csv", "Table as CSV"]]
        self._save = Downloads(self._file, csv, sizing_mode="fixed", width=132, visible=False)
        self._results = Card("Which theory predicts the corpus?", self._place, height=330, action=self._save)
        promise = '<p class="small">Sentences that some theories parse and others do not are listed here.</p>'
        self._differences = html(
            promise, COMPARE_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"}
        )
        right = down(self._results, Card("Where they differ", self._differences, remark="✓ parsed, ✱ not"))
        return across(left, right)

    def close(self) -> None:
        """End the comparison: the page is gone."""
        if self.built:
            self.zone.cancel()
            self.task.close()

    @property
    def theories(self) -> list[Theory]:
        """What would be compared now: the lexicon of the lab first."""
        present = Theory(self.state.lexicon.title or "The lexicon as it is now", self.state.lexicon)
        return [present, *self._others]

    def redraw(self, changed: Set[str]) -> None:
        """List the theories, and say how they will be compared."""
        self.draw()

    def draw(self) -> None:
        """List the theories, and say how they will be compared."""
        notes = [(t.name, self._beside(i, t.lexicon)) for i, t in enumerate(self.theories)]
        if notes != self._notes:
            self._notes = notes
            self._list[:] = [self._row(i, name, note) for i, (name, note) in enumerate(notes)]
        settings = self.state.settings
        alpha = "each lexicon's own alpha" if self.state.alpha is None else f"alpha {self.state.alpha:g}"
        starts = f"{settings.restarts} jittered start{'s' if settings.restarts > 1 else ''}"
        self._how.show(
            f'<p class="small">VB with {alpha}, {settings.iterations:,} iterations, {starts}, '
            f"seed {settings.seed}: as set at the left.</p>"
        )

    def add(self, name: str, lexicon: Lexicon) -> None:
        """Add a theory.

        Raises
        ------
        InputError
            If there are as many as fit, or this one cannot be compiled.
        """
        if len(self._others) + 1 >= MOST_THEORIES:
            raise InputError(f"{MOST_THEORIES} theories are compared at most; remove one first")
        Grammar(lexicon).check()  # here, where a refusal can be shown
        self._others.append(Theory(name, lexicon))
        self.draw()

    def keep(self) -> None:
        """Keep the present lexicon as a theory of its own: edits go on without it."""
        lexicon = self.state.lexicon
        number = sum(t.name.startswith("Version ") for t in self._others) + 1
        self._try(lambda: self.add(f"Version {number}", lexicon), "this version")

    def _sample_chosen(self, name: str) -> None:
        if name:
            lexicon = load_sample(name)
            self._samples.sample = ""
            self._try(lambda: self.add(lexicon.title or lexicon.name, lexicon), lexicon.name)

    def _try(self, do: Callable[[], None], name: str) -> None:
        try:
            do()
        except InputError as error:
            self._refuse(error, name)
            return
        self._said.clear()

    def _refuse(self, error: InputError, name: str) -> None:
        self._said[:] = [faults(error, name, ("Close", self._said.clear))]

    def _beside(self, index: int, lexicon: Lexicon) -> str:
        return _beside(lexicon, self.state.lexicon) if index else "as it is now"

    def _row(self, index: int, name: str, note: str) -> Any:
        words = f"<b>{escape(name)}</b> <span class='remark'>{note}</span>"
        parts: list[Any] = [Html(words, sizing_mode="stretch_width", align="center")]
        if index:
            parts.append(icon_button(f"Remove {name}", "cross", lambda: self._remove(index - 1)))
        return pn.Row(*parts, height=34, sizing_mode="stretch_width", margin=0)

    def _remove(self, index: int) -> None:
        del self._others[index]
        self.draw()

    def _rows(self) -> list[LearnerRow]:
        theories, settings = self.theories, self.state.settings
        corpus = list(self.state.counts.elements())
        if len(theories) < 2:
            raise InputError("there is one theory only; add a lexicon, or keep this version and edit on")
        if self.settings.sentences == "shared":
            corpus = shared_sentences([t.lexicon for t in theories], corpus)
            if len(corpus) < 2:
                raise InputError("fewer than 2 sentences are parsed by all; score on all sentences")
        train, test = split(corpus, self.settings.held_out, settings.seed)
        # Fresh ones: a worker of an earlier comparison may still be writing to its own.
        theories = self._shown = [Theory(t.name, t.lexicon) for t in theories]
        return [
            LearnerRow(str(i), t.name, "vb", make=self._maker(t, train, test), unit="iteration")
            for i, t in enumerate(theories)
        ]

    def _maker(self, theory: Theory, train: list[Words], test: list[Words]) -> Callable[[], Any]:
        alpha, settings = self.state.alpha, self.state.settings
        sweeps, seed, chains = settings.iterations, settings.seed, settings.restarts

        def learner() -> VB | None:
            theory.trial = prepare(theory.lexicon, train, test)
            return theory.trial.learner(alpha) if theory.trial.train.sentences else None

        return lambda: run(Lazy(learner), sweeps=sweeps, seed=seed, chains=chains)

    def _ticked(self, ticks: dict[str, Tick[Snapshot | None]]) -> None:
        for name, tick in ticks.items():
            theory = self._shown[int(name)]
            views = [view for view in tick.views if view is not None]
            best = max(views, key=lambda view: view.objective, default=None)
            if theory.trial is not None:
                theory.figures = theory.trial.judge(best)
        self._draw_figures()

    @property
    def verdicts(self) -> list[Verdict]:
        """The rows of the table."""
        return [Verdict(t.name, f"{len(t.lexicon):,} items", t.figures) for t in self._shown]

    def _draw_figures(self) -> None:
        """Draw what is known so far."""
        if not any(t.figures for t in self._shown):
            return
        if self._table not in self._place:
            self._place[:] = [self._table, self._note]
            self._save.visible = True
        self._table.show(verdicts_html(self.verdicts))
        trials = [t.trial for t in self._shown if t.trial is not None]
        if len(trials) == len(self._shown):
            rows = _differences(trials)
            self._differences.show(differences_html([t.name for t in self._shown], rows))
            self._note.show(f'<p class="small" role="status">{_UNLIKE if rows else _ALIKE}</p>')

    def _file(self, _key: str) -> tuple[str, bytes]:
        return self.state.file_name("comparison", "csv"), verdicts_csv(self.verdicts).encode()


def _beside(lexicon: Lexicon, present: Lexicon) -> str:
    """Say how a lexicon differs from the one in the grid: ``12 items, 2 of its own, 1 lacking``."""
    own, now = set(lexicon.items), set(present.items)
    said = f"{len(lexicon):,} items"
    if own == now:
        return f"{said}, the same as now"
    if not own & now:
        return said
    return f"{said}, {len(own - now)} of its own, {len(now - own)} lacking"


def _differences(trials: list[Trial]) -> list[tuple[str, int, list[bool]]]:
    """Return the sentences that not all trials parse, with their counts."""
    first = trials[0]
    counts = dict(first.train.counts)
    for words, n in first.test.counts.items():
        counts[words] = counts.get(words, 0) + n
    answers = {words: [words in t.parses for t in trials] for words in counts}
    return [
        (" ".join(words) or "ε", counts[words], parsed)
        for words, parsed in answers.items()
        if any(parsed) and not all(parsed)
    ]
