"""The Data tab: open a lexicon, download it and the derivation."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.errors import Fault, InputError
from otlab.mg.io.read import StartNeeded
from otlab.mg.io.write import dumps, to_csv
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Card, Html, html
from otlab.ui.components.downloads import Downloads
from otlab.ui.components.file_zone import FileZone
from otlab.ui.components.layout import across, down
from otlab.ui.components.placeholders import banner, faults
from otlab.ui.mg.state import MGState
from otlab.ui.mg.tabs.derivation_card import VIEWS
from otlab.ui.mg.tabs.induce import InduceTab
from otlab.ui.mg.tabs.loading import Loading
from otlab.ui.mg.tabs.tree_files import FORMATS, tree_file, view_for
from otlab.ui.tab import Tab
from otlab.ui.timers import Repeating

if TYPE_CHECKING:
    from collections.abc import Set

    from otlab.mg.lexicon import Lexicon
    from otlab.ui.mg.tabs.derivation_card import DerivationCard

__all__ = ["ENDINGS", "DataTab"]

ENDINGS = ".mg,.pl,.py,.csv,.tsv,.txt"

_CSS = """
pre { font: 400 12.5px/1.5 var(--ot-code); white-space: pre-wrap; }
.loading b { font-size: 12px; font-weight: 600; display: block; margin: 10px 0 5px; }
.loading .track { height: 6px; border-radius: 3px; background: var(--ot-shade); overflow: hidden; }
.loading i { display: block; height: 100%; background: var(--ot-accent); border-radius: 3px; }
"""
_AT_ONCE_SECONDS = 0.05  # a file read within this shows no bar
_LOOK_MS = 60
MOST_ASKED = 24  # categories offered as buttons

LEXICON_FILES = {
    "mg": ("Lexicon as .mg", ("lexicon", "mg")),
    "csv": ("Lexicon as CSV", ("lexicon", "csv")),
    "probabilities": ("Probabilities as CSV", ("probabilities", "csv")),
}


def _labels(shown: str) -> list[list[str]]:
    """Return key and label of every file; a tree's says which view it shows."""
    trees = {
        key: "Derivation as JSON" if key == "json" else f"{VIEWS[view_for(key, shown)]} tree as {name}"
        for key, (name, _, _) in FORMATS.items()
    }
    return [*([key, label] for key, (label, _) in LEXICON_FILES.items()), *([k, v] for k, v in trees.items())]


def _has_own_alphas(lexicon: Lexicon) -> bool:
    """Return whether categories or items have pseudo-counts of their own."""
    return bool(lexicon.category_alpha) or any(item.alpha is not None for item in lexicon.items)


class LoadingBar(Html):
    """How far a file is: lines read, then compiling."""

    def __init__(self) -> None:
        super().__init__("", _CSS, sizing_mode="stretch_width")

    def show_lines(self, line: int, lines: int) -> None:
        """Show `line` of `lines`; all of them read means compiling."""
        share = line / lines if lines else 0.0
        reading = f"Reading line {line:,} of {lines:,}" if lines else "Reading"
        said = "Compiling" if lines and line == lines else reading
        self.show(
            f'<div class="loading" role="progressbar" aria-label="Loading" aria-valuemin="0" '
            f'aria-valuemax="100" aria-valuenow="{100 * share:.0f}"><b>{said}</b><div class="track">'
            f'<i style="width:{100 * share:.1f}%"></i></div></div>'
        )


class DataTab(Tab[MGState]):
    """Open a lexicon; download it, its probabilities and the derivation."""

    title = "Data"
    depends = ("settled",)

    def build(self) -> Any:
        """Return the cards in their places."""
        self._derivation: DerivationCard = self.showing.tab(InduceTab.title).derivation
        view = self._derivation.view
        hint = ".mg, Stabler's Prolog (.pl), mgtdb lists (.py), CSV. Nothing leaves this computer."
        self._zone = FileZone(self.take, self._too_large, hint=hint, accept=ENDINGS)
        self._said = pn.Column(sizing_mode="stretch_width", margin=0)
        self._bar = LoadingBar()
        self._looks = Repeating(self.look, _LOOK_MS)
        self.loading: Loading | None = None
        self._file = html("", _CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        downloads = Downloads(self.file, _labels(view.value))
        view.param.watch(lambda event: downloads.param.update(files=_labels(event.new)), "value")
        home = Card(
            "Download",
            downloads,
            width=426,
            sizing_mode="stretch_height",
        )
        opening = Card("Open a lexicon", self._zone, self._said)
        top = across(opening, home, height=412, sizing_mode="stretch_width")
        self._written = Card("The lexicon as a file", self._file)
        return down(top, self._written)

    def redraw(self, changed: Set[str]) -> None:
        """Show the file as it would be written now."""
        state = self.state
        self._file.show(f"<pre>{escape(dumps(state.lexicon_in_use))}</pre>")
        own = state.alpha is None and _has_own_alphas(state.lexicon)
        self._written.remark = (
            f"α {state.common_alpha:g} {'where a line has none' if own else 'for every item'}"
        )

    def take(self, name: str, data: bytes, start: str = "") -> None:
        """Load a file, ask for its start category, or say everything that is wrong with it.

        Parameters
        ----------
        name, data
            Of the file. While it is not loaded, the old lexicon stays.
        start
            Start categories, for a file that names none.
        """
        self.loading = Loading(name, data, start).start()
        if not self.loading.wait(_AT_ONCE_SECONDS):
            self._bar.show_lines(0, 0)
            self._said[:] = [self._bar]
            self._looks.start()
            return
        self._arrived(self.loading)

    def look(self) -> None:
        """Show how far the file is; take it in when it has arrived."""
        loading = self.loading
        if loading is None or not loading.done:
            self._bar.show_lines(loading.line if loading else 0, loading.lines if loading else 0)
            return
        if self._looks.going:
            self._looks.stop()
            self._bar.show_lines(loading.lines, loading.lines)
            self._arrived(loading)

    def _arrived(self, loading: Loading) -> None:
        if isinstance(loading.error, StartNeeded):
            self._said[:] = self._question(loading, loading.error.categories)
            return
        if loading.lexicon is None:
            error = loading.error or InputError(f"{loading.name} could not be read")
            self._said[:] = [faults(error, loading.name, ("Choose another file", self._zone.choose))]
            return
        self._said[:] = [banner(f"{loading.name} loaded.", f"{len(loading.lexicon):,} items.", "good")]
        lexicon = loading.lexicon
        self.lab.open_own(loading.name or lexicon.name or "Your lexicon", lambda: self.state.load(lexicon))

    def _question(self, loading: Loading, categories: tuple[str, ...]) -> list[Any]:
        """Return the question for the start category of a file that names none."""
        said = banner(
            f"{loading.name} names no start category.", "Which category has a complete sentence?", "plain"
        )

        def answer(category: str) -> Any:
            return button(category, lambda: self.take(loading.name, loading.data, category))

        choices = pn.FlexBox(*map(answer, categories[:MOST_ASKED]), margin=0, gap="6px")
        return [said, html('<p class="small"><b>Start category:</b></p>'), choices]

    def _too_large(self, name: str) -> None:
        fault = Fault("is larger than 10 MB", "read it with otlab.mg.read and pass the lexicon to MGLab")
        self._said[:] = [faults(InputError(fault), name)]

    def file(self, key: str) -> tuple[str, bytes]:
        """Return name and content of the lexicon, its probabilities or the derivation as a file."""
        if key in FORMATS:
            shown = self._derivation.view.value
            return tree_file(self._derivation.derivation, key, shown, self.state.file_name)
        lexicon, name = self.state.lexicon_in_use, self.state.file_name(*LEXICON_FILES[key][1])
        if key in ("mg", "csv"):
            return name, (dumps(lexicon) if key == "mg" else to_csv(lexicon)).encode()
        low, high = self.state.intervals()
        rows = zip(lexicon.texts, self.state.theta, low, high, strict=True)
        quoted = ((t.replace('"', '""'), p, a, b) for t, p, a, b in rows)
        lines = [f'"{t}",{p:.6g},{a:.6g},{b:.6g}' for t, p, a, b in quoted]
        return name, "\n".join(["item,probability,low,high", *lines, ""]).encode()

    def content(self, key: str) -> bytes:
        """Return the content of one of the files."""
        return self.file(key)[1]
