"""The Compare tab: theories of grammar on the corpus of the lab, live."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.errors import InputError, counted
from otlab.html import escape
from otlab.samples import load_sample
from otlab.ui.components.buttons import button, icon_button
from otlab.ui.components.cards import Card, Html
from otlab.ui.components.downloads import IN_A_ROW, Downloads
from otlab.ui.components.file_zone import FileZone
from otlab.ui.components.layout import across, down, show_in
from otlab.ui.components.placeholders import empty, faults
from otlab.ui.mg.settings import ShippedChoice
from otlab.ui.mg.state import MGState
from otlab.ui.mg.sweep import theories_sweep
from otlab.ui.mg.tabs import left_column
from otlab.ui.mg.tabs.data import ENDINGS, read_lexicon
from otlab.ui.settings_form import SettingsForm
from otlab.ui.sweep.download import AS_SWEEP, SWEEP_WIDTH, sweep_file
from otlab.ui.tab import Tab
from otlab.ui.task import Task
from otlab.viz.mg.compare import COMPARE_CSS, Verdict, differences_html, verdicts_csv, verdicts_html
from otlab.viz.mg.pool import TABLE_TO_COME

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.mg.lexicon import Lexicon
    from otlab.ui.components.downloads import File

__all__ = ["CompareTab"]

_ALIKE = "They parse the same sentences: the higher ELBO and log P are the better ones."
_PROMISE = '<p class="small">Sentences that some theories parse and others do not are listed here.</p>'
_UNLIKE = "The ELBOs cover different sentences. Choose “Sentences all parse” to compare."


class CompareTab(Tab[MGState]):
    """The tab that compares lexicons as theories of the corpus."""

    title = "Compare"
    depends = ("settled", "comparison_changes", "option_changes")

    def build(self) -> Any:
        """Return the cards in their places."""
        self._notes: list[tuple[str, str]] = []
        theories = self.state.theories
        self.task = Task("Compare", theories.rows, theories.take, self._ended, lambda: theories.shown)
        self._list = down(gap=0, sizing_mode="stretch_width")
        self._samples = ShippedChoice()
        self._samples.param.watch(lambda event: self._sample_chosen(event.new), "sample")
        keep = button("Keep this version", self.keep, icon="plus", plain=True)
        self.zone = FileZone(
            read_lexicon,
            lambda source, lexicon: self._add(Path(source.name).stem, lexicon),
            lambda error, source: self._refuse(error, source.name),
            large="compare it with otlab.mg.compare",
            label="Add a lexicon of yours",
            accept=ENDINGS,
        )
        self.at_close(self.task.close, self.zone.cancel)
        self._messages = pn.Column(sizing_mode="stretch_width", margin=0)
        self._how = Html("", sizing_mode="stretch_width")
        listed = Card(
            "Theories",
            self._list,
            SettingsForm(self._samples),
            self.zone,
            self._messages,
            action=keep,
            sizing_mode="stretch_width",
        )
        judging = Card("Comparison", SettingsForm(theories.settings), self._how, self.task)
        left = left_column(listed, judging)
        self._table = Html("", COMPARE_CSS, sizing_mode="stretch_width")
        self._note = Html("", sizing_mode="stretch_width")
        self._nothing = empty(
            "Nothing compared yet",
            "Add a second lexicon, or keep this version and edit on; then press Compare.",
            shape=TABLE_TO_COME,
        )
        self._place = down(self._nothing, styles={"overflow": "auto"})
        self._save = Downloads(
            self._file, [["csv", "As CSV"], AS_SWEEP], self.lab.warn, state=self.state, sizing_mode="fixed",
            width=104 + SWEEP_WIDTH, visible=False, stylesheets=[IN_A_ROW],
        )  # fmt: skip
        self._results = Card("Which theory predicts the corpus?", self._place, height=330, action=self._save)
        self._differences = Html(
            _PROMISE, COMPARE_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"}
        )
        right = down(self._results, Card("Where they differ", self._differences, remark="✓ parsed, ✱ not"))
        return across(left, right)

    def draw(self) -> None:
        """List the theories, show the settings of the comparison, and draw the results so far."""
        notes = [(t.name, self._beside(i, t.lexicon)) for i, t in enumerate(self.state.theories.all)]
        if notes != self._notes:
            self._notes = notes
            self._list[:] = [self._row(i, name, note) for i, (name, note) in enumerate(notes)]
        settings = self.state.settings
        alpha = "each lexicon's own alpha" if self.state.alpha is None else f"alpha {self.state.alpha:g}"
        starts = counted(settings.restarts, "jittered start")
        self._how.show(
            f'<p class="small">VB with {alpha}, {counted(settings.iterations, "iteration")}, {starts}, '
            f"seed {settings.seed:d}: as set at the left.</p>"
        )
        self._draw_figures()

    def keep(self) -> None:
        """Keep the present lexicon as a separate theory: later edits do not change it."""
        self._try(self.state.theories.keep, "this version")

    def _sample_chosen(self, name: str) -> None:
        if name:
            lexicon = load_sample(name)
            self._samples.sample = ""
            self._add(lexicon.title or lexicon.name, lexicon)

    def _add(self, name: str, lexicon: Lexicon) -> None:
        self._try(lambda: self.state.theories.add(name, lexicon), name)

    def _try(self, do: Callable[[], None], name: str) -> None:
        try:
            do()
        except InputError as error:
            self._refuse(error, name)
            return
        self._messages.clear()

    def _refuse(self, error: InputError, name: str) -> None:
        self._messages[:] = [faults(error, name, ("Close", self._messages.clear))]

    def _beside(self, index: int, lexicon: Lexicon) -> str:
        return _beside(lexicon, self.state.lexicon) if index else "as it is now"

    def _row(self, index: int, name: str, note: str) -> Any:
        words = f"<b>{escape(name)}</b> <span class='remark'>{escape(note)}</span>"
        parts: list[Any] = [Html(words, sizing_mode="stretch_width", align="center")]
        if index:
            parts.append(
                icon_button(f"Remove {name}", "cross", lambda: self.state.theories.remove(index - 1))
            )
        return pn.Row(*parts, height=34, sizing_mode="stretch_width", margin=0)

    def _ended(self) -> None:
        self.state.theories.end()
        self.lab.changed()  # which saves it

    @property
    def verdicts(self) -> list[Verdict]:
        """The rows of the table."""
        return [
            Verdict(t.name, counted(len(t.lexicon), "item"), t.figures) for t in self.state.theories.shown
        ]

    def _draw_figures(self) -> None:
        theories = self.state.theories
        known = any(theory.figures for theory in theories.shown)
        show_in(self._place, *([self._table, self._note] if known else [self._nothing]))
        self._save.visible = known
        if not known:
            self._differences.show(_PROMISE)
            return
        self._table.show(verdicts_html(self.verdicts))
        rows = theories.differences()
        if rows is not None:
            self._differences.show(differences_html([t.name for t in theories.shown], rows))
            self._note.show(f'<p class="small" role="status">{_UNLIKE if rows else _ALIKE}</p>')

    def _file(self, key: str) -> File:
        if key == AS_SWEEP[0]:
            return sweep_file(self.state, theories_sweep(self.state))
        return self.state.file_name("comparison", "csv"), verdicts_csv(self.verdicts).encode()


def _beside(lexicon: Lexicon, present: Lexicon) -> str:
    """Return how a lexicon differs from the one in the grid: ``12 items, 2 of its own, 1 lacking``."""
    own, now = set(lexicon.items), set(present.items)
    size = counted(len(lexicon), "item")
    if own == now:
        return f"{size}, the same as now"
    if not own & now:
        return size
    return f"{size}, {len(own - now)} of its own, {len(now - own)} lacking"
