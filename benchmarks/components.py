"""Time to build each hand-written component of the labs, and the library widgets nearest to it.

    python -m benchmarks components

To build is to make the Bokeh models that are sent to the browser, in CPU milliseconds of the server: the
least of several repeats, both sides alternately. Contents are of ordinary size: six files, ten constraints,
twenty states, thirty rows. Some components do what no widget of Panel or panel-material-ui does, such as
playing a sound; their peer is what would have to be built in addition to code of our own.

The first line of a component's JavaScript states both figures; ``tests/ui/test_components.py`` checks that
none is without them.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np
import pandas as pd
import panel as pn
import panel_material_ui as pmui

from benchmarks.measure import Row, at_most
from otlab.ui.classroom.guess import GuessCard
from otlab.ui.classroom.student import ExerciseBar
from otlab.ui.classroom.teacher import BoardList
from otlab.ui.components.buttons import Segmented
from otlab.ui.components.cards import CardMenu
from otlab.ui.components.component import Component
from otlab.ui.components.downloads import Downloads
from otlab.ui.components.file_zone import FileZone, PasteBox
from otlab.ui.components.rankings import RankingLine, StrataEditor
from otlab.ui.components.run_head import RunHead
from otlab.ui.lessons.player import LessonBar
from otlab.ui.lexicon import components as lexicon
from otlab.ui.mg.tabs.corpus_card import CorpusTable
from otlab.ui.mg.tabs.derivation_card import DerivationView
from otlab.ui.mg.tabs.lexicon_card import LexiconGrid
from otlab.ui.ot.tabs.steps import DrawTable
from otlab.ui.server.first_start import FirstStart
from otlab.ui.server.home import DropZone, RecentDocuments
from otlab.ui.server.shell import AppBar
from otlab.ui.settings_form import SettingsForm
from otlab.ui.tagging.components import ConfusionGrid, StateCards
from otlab.ui.tagging.settings import TaggingSettings
from otlab.ui.task import TaskBar

if TYPE_CHECKING:
    from collections.abc import Callable

    Parts = Callable[[], list[Any]]

REPEATS = 12


def times(make: Callable[[], Any], count: int) -> list[Any]:
    """Return as many new widgets of one kind."""
    return [make() for _ in range(count)]


def buttons(count: int) -> list[Any]:
    """Return Material buttons."""
    return times(lambda: pmui.Button(label="Button"), count)


def text_and_button() -> list[Any]:
    """Return a text area and a button."""
    return [pmui.TextAreaInput(label="Text"), *buttons(1)]


def sliders(count: int) -> list[Any]:
    """Return Material sliders."""
    return times(lambda: pmui.FloatSlider(label="Value"), count)


def selects(count: int) -> list[Any]:
    """Return Material selects."""
    return times(lambda: pmui.Select(label="Choice", options=["a", "b", "c"]), count)


def grid(rows: int = 30, columns: int = 6) -> list[Any]:
    """Return an editable Tabulator."""
    table = pd.DataFrame(np.arange(rows * columns).reshape(rows, columns), columns=list("abcdefgh")[:columns])
    return [pn.widgets.Tabulator(table, selectable=1)]


def heat_map(side: int = 20) -> list[Any]:
    """Return a heat map drawn by HoloViews."""
    cells = [(i, j, float(i * j)) for i in range(side) for j in range(side)]
    return [pn.pane.HoloViews(hv.HeatMap(cells).opts(tools=["tap"], backend="bokeh"))]


def sound_plot() -> list[Any]:
    """Return a spectrogram over a waveform, drawn by HoloViews, and a player."""
    image, wave = hv.Image(np.zeros((40, 200))), hv.Curve(np.zeros(200))
    return [pn.pane.HoloViews((image + wave).cols(1)), pn.pane.Audio(np.zeros(16_000, np.int16)), *buttons(1)]


def cards(count: int) -> list[Any]:
    """Return Material cards with a title to edit."""
    return times(lambda: pmui.Card(pmui.TextInput(label="Name"), pn.pane.HTML("words")), count)


def lines(count: int, beside: int = 1) -> list[Any]:
    """Return rows of text, each with some buttons."""
    return times(lambda: pn.Row(pn.pane.HTML("words"), *buttons(beside)), count)


def progress() -> list[Any]:
    """Return a progress bar and a text."""
    return [pmui.LinearProgress(value=0), pn.pane.HTML("words")]


CASES: list[tuple[type[Component], dict[str, Any], str, Parts]] = [
    (AppBar, {}, "4 links, Select, 6 Buttons", lambda: [*buttons(10), *selects(1)]),
    (BoardList, {}, "Tabulator of 30 rows, 6 Buttons", lambda: [*grid(), *buttons(6)]),
    (CardMenu, {}, "MenuButton", lambda: [pmui.MenuButton(label="More", items=[{"label": "Save"}])]),
    (ConfusionGrid, {}, "HeatMap", heat_map),
    (CorpusTable, {}, "Tabulator of 30 rows", grid),
    (DerivationView, {"state": {}}, "HTML, 8 Buttons, slider", lambda: [*lines(1, 8), *sliders(1)]),
    (Downloads, {"files": [["a", "A"]] * 6}, "six FileDownloads", lambda: times(
        partial(pmui.FileDownload, filename="a", callback=str), 6)),
    (DrawTable, {}, "Tabulator of 30 rows", grid),
    (DropZone, {}, "FileDropper, TextAreaInput, Button", lambda: [
        pn.widgets.FileDropper(), *text_and_button()]),
    (ExerciseBar, {}, "TextInput, RadioButtonGroup, Button", lambda: [
        pmui.TextInput(label="Name"), pmui.RadioButtonGroup(options=["a", "b"]), *buttons(1)]),
    (FileZone, {}, "FileDropper", lambda: [pn.widgets.FileDropper()]),
    (FirstStart, {}, "LinearProgress, HTML", progress),
    (GuessCard, {}, "six FloatSliders, Button", lambda: [*sliders(6), *buttons(1)]),
    (LessonBar, {}, "HTML, 4 Buttons", lambda: lines(1, 4)),
    (LexiconGrid, {}, "Tabulator of 30 rows", grid),
    (PasteBox, {}, "TextAreaInput, Button", text_and_button),
    (RankingLine, {"names": ["C"] * 10, "values": [0.0] * 10, "home": [0.0] * 10}, "ten FloatSliders",
     lambda: sliders(10)),
    (RecentDocuments, {}, "five rows of 4 Buttons", lambda: lines(5, 4)),
    (RunHead, {}, "6 Buttons, 4 Checkboxes, LinearProgress", lambda: [
        *buttons(6), *times(lambda: pmui.Checkbox(label="Learner"), 4), *progress()]),
    (Segmented, {"options": [("a", "A"), ("b", "B")], "value": "a"}, "RadioButtonGroup", lambda: [
        pmui.RadioButtonGroup(options=["a", "b"])]),
    (StateCards, {}, "twenty Cards with a TextInput", lambda: cards(20)),
    (StrataEditor, {}, "ten Selects", lambda: selects(10)),
    (TaskBar, {}, "2 Buttons, LinearProgress", lambda: [*buttons(2), *progress()]),
    (lexicon.ChannelErrorList, {}, "twenty rows with a Button", lambda: lines(20)),
    (lexicon.EditMap, {}, "HeatMap", heat_map),
    (lexicon.GrammarBox, {}, "Select, TextAreaInput, Button", lambda: [*selects(1), *text_and_button()]),
    (lexicon.Pickers, {}, "two Selects", lambda: selects(2)),
    (lexicon.SegmentList, {}, "twenty rows with 2 Buttons", lambda: lines(20, 2)),
    (lexicon.SegmentationRows, {}, "twenty rows with a Button", lambda: lines(20)),
    (lexicon.SoundView, {}, "two plots, Audio, Button", sound_plot),
    (lexicon.SpokenRows, {}, "twenty rows with a Button", lambda: lines(20)),
    (lexicon.ThresholdSlider, {}, "FloatSlider", lambda: sliders(1)),
    (lexicon.WordTable, {}, "Tabulator of 30 rows, 2 Buttons each", lambda: [*grid(), *buttons(2)]),
]  # fmt: skip


def bare(kind: type[Component], params: dict[str, Any]) -> Component:
    """Return a component without the lab that it belongs to."""
    return type(kind.__name__, (kind,), {"__init__": Component.__init__})(**params)


def milliseconds(make: Callable[[], Any]) -> float:
    """Return the CPU milliseconds of making something and its models."""
    begin = time.process_time()
    make().get_root()
    return 1e3 * (time.process_time() - begin)


def form() -> SettingsForm:
    """Return the form of the tagging lab's settings."""
    return SettingsForm(TaggingSettings())


def inputs() -> pn.Column:
    """Return fifteen Material inputs."""
    return pn.Column(*times(lambda: pmui.FloatInput(label="Value", value=1.0), 15))


def run() -> dict[str, Row]:
    """Measure each component against its peer."""
    hv.extension("bokeh", logo=False)
    sides = {
        kind.__name__: (partial(bare, kind, params), lambda parts=parts: pn.Column(*parts()), words)
        for kind, params, words, parts in CASES
    }
    sides["SettingsForm"] = (form, inputs, "fifteen FloatInputs")
    rows = {}
    for name, (own, peer, words) in sorted(sides.items()):
        pairs = [(milliseconds(own), milliseconds(peer)) for _ in range(REPEATS)]
        least, reference = (min(side) for side in zip(*pairs, strict=True))
        rows[f"component {name}"] = at_most(least, "ms", words, reference, least / reference, 1)
    return rows
