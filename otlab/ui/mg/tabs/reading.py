"""The Reading times tab: what one or two lexicons predict about measured reading times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import panel as pn

from otlab.files import decode, file_bytes
from otlab.html import Markup, element, escape
from otlab.mg.processing.reading_times import unpredicted
from otlab.samples import sample_times
from otlab.ui.components.buttons import segmented
from otlab.ui.components.cards import Card, Html, swatch
from otlab.ui.components.downloads import csv_button
from otlab.ui.components.layout import across, down, show_in
from otlab.ui.components.placeholders import empty
from otlab.ui.mg.state import MGState
from otlab.ui.mg.tabs.reading_inputs import ReadingInputCards
from otlab.ui.tab import Tab
from otlab.ui.task import Task
from otlab.viz.mg.pool import TABLE_TO_COME
from otlab.viz.mg.reading import (
    HUES,
    READING_CSS,
    correlations_html,
    reading_csv,
    reading_html,
    reading_svg,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from otlab.viz.mg.reading import Predictions

__all__ = ["ReadingTab"]

EXAMPLE = "english_relative_clauses"
_MANY = "There are many words, or long sentences: press Predict."


class ReadingTab(Tab[MGState]):
    """The tab that compares grammars with reading times."""

    title = "Reading times"
    depends = ("settled", "reading_changes", "option_changes")
    needs_run = False

    def build(self) -> Any:
        """Return the cards in their places."""
        reading = self.state.reading_times
        self.task = Task("Predict", reading.rows, reading.take, self.draw)
        self.inputs = ReadingInputCards(self.state, self.task)
        self.at_close(self.task.close, self.inputs.times.cancel, self.inputs.lexicon.cancel)
        self._figures = Html("", READING_CSS, sizing_mode="stretch_width")
        self._words = Html("", READING_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        self._nothing = empty(
            "No reading times yet",
            "A grammar predicts where a sentence is hard to read; a table of times says where it was.",
            ("Show the example", self.show_example),
            shape=TABLE_TO_COME,
        )
        self._place = down(self._nothing)
        self.view = segmented("View", {"picture": "Picture", "table": "Table"}, "picture")
        self.view.param.watch(lambda _: self.draw(), "value")
        self._save = csv_button(self._file, self.lab.warn, self.state)
        self._tools = pn.Row(self.view, self._save, margin=0, styles={"gap": "8px", "align-items": "center"})
        title = "What does the grammar predict?"
        self._fit = Card(
            title, self._figures, remark="correlation with the times", sizing_mode="stretch_width"
        )
        self._card = Card("Word by word", self._place, action=self._tools)
        return across(self.inputs.layout, down(self._fit, self._card))

    def draw(self) -> None:
        """Show the inputs, and what is predicted; it is predicted now if that takes a moment only."""
        reading = self.state.reading_times
        if reading.stale and self.task.runner.alive:
            self.task.cancel()
        reading.predict()
        self.inputs.refresh()
        self.task.bar.visible = bool(reading.sentences) and not reading.quick
        known = bool(reading.found and reading.found[0])
        self._fit.body.visible = self._tools.visible = known
        self._card.legend = [swatch(HUES[k], name) for k, name in enumerate(reading.names)] if known else []
        if known:
            remarks = _remarks(reading.found, reading.names)
            figures = correlations_html(reading.found, reading.names)
            self._figures.show(figures + remarks + _source(reading.inputs.text))
            draw = reading_svg if self.view.value == "picture" else reading_html
            self._words.show(draw(reading.found, reading.names))
        elif reading.sentences:
            kind = "bad" if reading.error else "small"
            self._words.show(f'<p class="{kind}">{escape(reading.error or _MANY)}</p>')
        show_in(self._place, self._words if reading.sentences else self._nothing)

    def show_example(self) -> None:
        """Open relative clauses with times that are made up."""
        path = cast("Path", sample_times(EXAMPLE))
        self.lab.choose(EXAMPLE)
        self.state.reading_times.open_times(path.name, decode(file_bytes(path), path.name))

    def _file(self, key: str) -> tuple[str, bytes]:
        reading = self.state.reading_times
        name = self.state.file_name("reading times", key)
        return name, reading_csv(reading.found, reading.names).encode()


def _remarks(found: Predictions, names: Sequence[str]) -> Markup:
    """Return for each lexicon which words it predicts nothing about, and why."""
    told = [(name, unpredicted(words)) for name, words in zip(names, found, strict=True)]
    shown = [f"{name}: {remark}." if len(found) > 1 else f"{remark}." for name, remark in told if remark]
    return Markup("").join(element("p", text, class_="small") for text in shown)


def _source(text: str) -> Markup:
    """Return what a table says of its source in a comment line."""
    comments = (line.lstrip("# ") for line in text.splitlines() if line.startswith("#"))
    source = next((line[7:].strip() for line in comments if line.lower().startswith("source:")), "")
    return element("p", f"Times: {source}.", class_="small") if source else Markup("")
