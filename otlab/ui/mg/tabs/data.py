"""The Data tab: open a lexicon, download it and the derivation."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.errors import collected_warnings, counted
from otlab.files import decode
from otlab.html import escape
from otlab.mg.io.read import StartNeeded, loads
from otlab.mg.io.spell_out import is_spell_out, read_spell_out
from otlab.mg.io.times import names_times
from otlab.mg.io.write import dumps, to_csv
from otlab.mg.learners import LEARNERS
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.spellout import SpellOut
from otlab.ui import data_tab
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Card, Html
from otlab.ui.components.layout import across, down, with_widths
from otlab.ui.components.placeholders import banner, warned
from otlab.ui.mg.state import MGState
from otlab.ui.mg.sweep import learners_sweep
from otlab.ui.mg.tabs.derivation_card import VIEWS
from otlab.ui.mg.tabs.induce import InduceTab
from otlab.ui.mg.tabs.lexicon_card import kind_of
from otlab.ui.mg.tabs.tree_files import FORMATS, tree_file, view_for
from otlab.ui.mg.times_file import TimesFile, read_times_file
from otlab.viz.mg.page import result_page

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.errors import InputError
    from otlab.mg.lexicon import Lexicon
    from otlab.ui.mg.tabs.derivation_card import DerivationCard
    from otlab.ui.source import Source

__all__ = ["ENDINGS", "DataTab", "read_file", "read_lexicon"]

KINDS = (".mg", ".pl", ".py", ".csv", ".tsv")
"""Endings that say how a lexicon is written; any other text is told by its looks."""
ENDINGS = ",".join((*KINDS, ".ml", ".txt"))

_CSS = """
pre { font: 400 12.5px/1.5 var(--ot-code); white-space: pre-wrap; }
"""
# Messages about a file push the box for typing down: the cards then take room from the file below.
_GROWS = with_widths(
    "@container ot-main (width > NARROW) { :host { flex: 0 0 auto !important; height: auto !important; "
    "min-height: 424px !important; max-height: calc(100% - 134px) !important; } }"
)
MOST_SENTENCES = 100  # that are parsed for a page
MOST_ASKED = 24  # categories offered as buttons

LEXICON_FILES = {
    "page": ("Result as a page", ("result", "html")),
    "mg": ("Lexicon as .mg", ("lexicon", "mg")),
    "csv": ("Lexicon as CSV", ("lexicon", "csv")),
    "probabilities": ("Probabilities as CSV", ("probabilities", "csv")),
    "sweep": ("Runs as a sweep", ("sweep", "zip")),
}


def _labels(shown: str) -> list[list[str]]:
    """Return key and label of every file; a tree's says which view it shows."""
    trees = {
        key: "Derivation as JSON" if key == "json" else f"{VIEWS[view_for(key, shown)]} tree as {name}"
        for key, (name, _, _) in FORMATS.items()
    }
    return [*([key, label] for key, (label, _) in LEXICON_FILES.items()), *([k, v] for k, v in trees.items())]


def read_lexicon(source: Source, progress: Callable[[float], None], start: str = "") -> Lexicon:
    """Return the lexicon of a file, checked and compiled.

    Parameters
    ----------
    source
        The file.
    progress
        Called with the share of its lines that have been read.
    start
        Start categories, for a file that names none.

    Raises
    ------
    InputError
        With all its faults, or if its grammar is too large.
    """
    path = Path(source.name)
    text = decode(source.content(), source.name)
    kind = path.suffix.lower()
    with collected_warnings():  # the lexicon's remarks, which the page shows
        lexicon = loads(
            text,
            kind=kind_of(text) if kind not in KINDS else kind,
            name=path.stem,
            file=source.name,
            start=start,
            progress=lambda line, lines: progress(line / lines),
        )
    Grammar(lexicon).check()
    return lexicon


def read_file(
    source: Source, progress: Callable[[float], None], start: str = ""
) -> Lexicon | SpellOut | TimesFile:
    """Return the lexicon of a file, or the spell-out or the reading times if it looks like a table of them.

    Parameters
    ----------
    source, progress, start
        As for :func:`read_lexicon`.

    Raises
    ------
    InputError
        With all its faults.
    """
    text = decode(source.content(), source.name)
    if is_spell_out(text):
        return read_spell_out(text, source.name)
    if names_times(text):
        return read_times_file(source)
    return read_lexicon(source, progress, start)


def _has_own_alphas(lexicon: Lexicon) -> bool:
    """Return whether categories or items have pseudo-counts of their own."""
    return bool(lexicon.category_alpha) or any(item.alpha is not None for item in lexicon.items)


def result_html(state: MGState) -> bytes:
    """Return lexicon, probabilities and derivations as one page of HTML, the selected sentence first."""
    sentences = dict.fromkeys(words for words in (state.sentence, *state.counts) if words)
    made = {
        LEARNERS[name].label: {
            **{key: str(value) for key, value in induction.settings.items()},
            "seed": str(induction.seed),
            "versions": ", ".join(f"{package} {version}" for package, version in induction.versions.items()),
        }
        for name, induction in state.inductions.items()
        if name == state.speaker
    }
    return result_page(
        state.lexicon,
        state.theta,
        map(state.parsed, islice(sentences, MOST_SENTENCES)),
        intervals=state.intervals(),
        made=made,
        link=state.link("mg_lab"),
        title=state.called,
        point=state.point,
        mark=state.unsettled,
    ).encode()


def _size(lexicon: Lexicon) -> str:
    return f"{counted(len(lexicon), 'item')}."


class DataTab(data_tab.DataTab[MGState]):
    """Open a lexicon; download it, its probabilities and the derivation."""

    of_data = frozenset({"mg", "csv"})
    depends = ("settled",)
    hint = ".mg, Stabler's Prolog (.pl), mgtdb lists (.py), CSV; spell-out. Nothing leaves this computer."
    accept = ENDINGS
    large = "read it with otlab.mg.read and pass the lexicon to MGLab"
    paste = "pasted lexicon"
    typed = "@start c\nthe :: =n d\ndog :: n\nbarks :: d= c\n@sentence 1 | the dog barks"

    def build(self) -> Any:
        """Return the cards in their places."""
        self._start = ""  # start categories, for a file that names none
        self._derivation: DerivationCard = self.showing.tab(InduceTab.title).derivation
        view = self._derivation.view
        self._file = Html("", _CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        home, downloads = self.download_card(
            self.file, _labels(view.value), width=556, sizing_mode="stretch_height"
        )
        view.param.watch(lambda event: downloads.param.update(files=_labels(event.new)), "value")
        load = self.load_card("Open a lexicon")
        top = across(load, home, height=424, sizing_mode="stretch_width", stylesheets=[_GROWS])
        self._written = Card("The lexicon as a file", self._file)
        return down(top, self._written)

    def draw(self) -> None:
        """Show the content of the file."""
        state = self.state
        self._file.show(f"<pre>{escape(dumps(state.lexicon_in_use))}</pre>")
        own = state.alpha is None and _has_own_alphas(state.lexicon)
        self._written.remark = (
            f"α {state.common_alpha:g} {'where a line has none' if own else 'for every item'}"
        )

    def read(self, source: Source, progress: Callable[[float], None]) -> Lexicon | SpellOut | TimesFile:
        """Return the lexicon of a file, checked and compiled, or its table of spell-out or reading times."""
        return read_file(source, progress, self._start)

    def show_read(self, source: Source, result: Lexicon | SpellOut | TimesFile) -> None:
        """Show a lexicon or reading times that were read, or use a table of spell-out."""
        self._start = ""
        if isinstance(result, TimesFile):
            self.messages.clear()
            self.lab.show_read(source, result)
            return
        if isinstance(result, SpellOut):
            self.messages[:] = [banner(f"{source.name} loaded.", "Words are pronounced as it says.", "good")]
            self.lab.show_read(source, result)
            return
        left_out = [remark.fault("") for remark in result.remarks]
        words = f"{source.name} loaded."
        self.messages[:] = [
            warned(f"{words} {_size(result)} Left out:", left_out)
            if left_out
            else banner(words, _size(result), "good")
        ]
        self.lab.open_own(source.name, lambda: self.state.load(result))

    def refused(self, error: InputError, source: Source) -> None:
        """Ask for the start category if only that is missing, or show all faults."""
        self._start = ""
        if isinstance(error, StartNeeded):
            self.messages[:] = self._question(source, error.categories)
        else:
            super().refused(error, source)

    def _question(self, source: Source, categories: tuple[str, ...]) -> list[Any]:
        """Return the question for the start category of a file that names none."""
        question = banner(
            f"{source.name} names no start category.",
            "Which one is the category of a complete sentence?",
            "plain",
        )

        def start_at(category: str) -> None:
            self._start = category
            self.zone.open(source)

        def choice(category: str) -> Any:
            return button(category, lambda: start_at(category))

        choices = pn.FlexBox(*map(choice, categories[:MOST_ASKED]), margin=0, gap="6px")
        return [question, Html('<p class="small"><b>Start category:</b></p>'), choices]

    def file(self, key: str) -> tuple[str, bytes]:
        """Return name and content of the lexicon, its probabilities, runs or the derivation as a file."""
        if key in FORMATS:
            shown = self._derivation.view.value
            return tree_file(self._derivation.derivation, key, shown, self.state.file_name)
        lexicon, name = self.state.lexicon_in_use, self.state.file_name(*LEXICON_FILES[key][1])
        if key == "sweep":
            return name, learners_sweep(self.state).zipped()
        if key == "page":
            return name, result_html(self.state)
        if key in ("mg", "csv"):
            return name, (dumps(lexicon) if key == "mg" else to_csv(lexicon)).encode()
        low, high = self.state.intervals()
        rows = zip(lexicon.texts, self.state.theta, low, high, strict=True)
        quoted = ((t.replace('"', '""'), p, a, b) for t, p, a, b in rows)
        lines = [f'"{t}",{p:.6g},{a:.6g},{b:.6g}' for t, p, a, b in quoted]
        about = "; ".join(filter(None, [self.state.point, self.state.unsettled]))
        return name, "\n".join([f"# probability: {about}", "item,probability,low,high", *lines, ""]).encode()
