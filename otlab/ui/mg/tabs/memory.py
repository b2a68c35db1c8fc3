"""The Memory tab: which sentence is harder for a top-down parser, and by which metric."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import panel_material_ui as pmui

from otlab.errors import InputError
from otlab.html import Markup
from otlab.mg.processing.memory import memory_use
from otlab.ui.components.cards import Card, Html
from otlab.ui.components.downloads import csv_button
from otlab.ui.components.layout import across, down, show_in
from otlab.ui.components.placeholders import empty
from otlab.ui.glossary import define, term
from otlab.ui.mg.state import MGState
from otlab.ui.tab import Tab
from otlab.viz.mg.memory import MEMORY_CSS, Parsed, memory_csv, memory_html, verdicts_html
from otlab.viz.mg.pool import TABLE_TO_COME

if TYPE_CHECKING:
    from otlab.ui.mg.document import Words

__all__ = ["MemoryTab"]

define(
    "memory metric",
    "Memory metric",
    "A number that says how much memory a top-down parse of the best derivation takes.",
    "MaxT, SumT, AvgT: largest, sum and mean of tenures above 2; BoxT: their number. "
    "MaxS, SumS: of sizes of movements.",
)
MOST_SENTENCES = 20
_WHAT = Markup(
    f'<p class="small">{term("memory metric", "Memory metrics")} of the best derivation; smaller is easier.'
    " Red: the hardest, green: the easiest.</p>"
)
_ONE = "Two sentences with derivations are needed to compare them."


class MemoryTab(Tab[MGState]):
    """The tab that compares the corpus's sentences by memory metrics."""

    title = "Memory"
    depends = ("settled",)
    needs_run = False

    def build(self) -> Any:
        """Return the cards in their places."""
        scrolls = {"overflow": "auto"}
        self._table = Html("", MEMORY_CSS, sizing_mode="stretch_both", styles=scrolls)
        self._verdicts = Html("", MEMORY_CSS, sizing_mode="stretch_both", styles=scrolls)
        self._nothing = empty(
            "No sentence to compare yet",
            "Add sentences to the corpus; each is compared by its best derivation.",
            shape=TABLE_TO_COME,
        )
        self._place = down(self._nothing)
        save = csv_button(self._file, self.lab.warn, self.state)
        self.first, self.second = (
            pmui.Select(label=f"Sentence {k}", options={}, size="small", margin=(6, 0, 0, 0),
                        sizing_mode="stretch_width")
            for k in (1, 2)
        )  # fmt: skip
        for choice in (self.first, self.second):
            choice.param.watch(lambda _: self._compare(), "value")
        self.rows: list[Parsed] = []
        card = Card("Which sentence is harder?", self._place, action=save)
        pair = Card(
            "Which of two is harder, by which metric?",
            across(self.first, self.second, height=56, sizing_mode="stretch_width"),
            self._verdicts,
            remark="1, 2, or = for a tie",
        )
        return down(card, pair)

    def draw(self) -> None:
        """Compute the metrics of the first sentences of the corpus."""
        self.rows = [self._parsed(words) for words in islice(self.state.counts, MOST_SENTENCES) if words]
        show_in(self._place, self._table if self.rows else self._nothing)
        self._table.show(_WHAT + memory_html(self.rows))
        names = [row.sentence for row in self.rows if row.use is not None]
        for choice, usual in ((self.first, 0), (self.second, 1)):
            if list(choice.options) != names:
                kept = choice.value if choice.value in names else next(iter(names[usual:]), None)
                choice.param.update(options=names, value=kept)
        self._compare()

    def _parsed(self, words: Words) -> Parsed:
        try:
            best = self.state.parsed(words).best(1)
            use = memory_use(best[0].derivation) if best else None
        except InputError:  # too large, or too deep
            use = None
        return Parsed(" ".join(words), use)

    def _compare(self) -> None:
        """Show the verdicts on the two sentences chosen."""
        uses = {row.sentence: row.use for row in self.rows}
        first, second = uses.get(self.first.value), uses.get(self.second.value)
        if first is None or second is None:
            self._verdicts.show(f'<p class="small">{_ONE}</p>')
        else:
            self._verdicts.show(verdicts_html(first, second))

    def _file(self, key: str) -> tuple[str, bytes]:
        return self.state.file_name("memory", key), memory_csv(self.rows).encode()
