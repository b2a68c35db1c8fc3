"""The lexicon as a grid that is checked at every key, and as text that is loaded only without faults."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import panel as pn
import param

from otlab.errors import InputError, collected_warnings, counted, sentence_case
from otlab.mg.features import CONVENTIONS, FeatureFault, category_of, parse_features
from otlab.mg.io.read import loads
from otlab.mg.io.rows import categories
from otlab.mg.lexicon import SILENT
from otlab.mg.parsing.grammar import Grammar
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Card
from otlab.ui.mg.tabs.text_box import TextBoxComponent

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    import numpy as np

    from otlab.mg.features import Convention, Feature
    from otlab.mg.lexicon import Lexicon
    from otlab.ui.mg.document import Entry
    from otlab.ui.mg.state import MGState

__all__ = ["LexiconCard", "kind_of"]

_PROLOG = re.compile(r"^\s*\[[^\]]*\]\s*::\s*\[", re.MULTILINE)
_PYTHON = re.compile(r"\(\s*\[[^\]]*\]\s*,\s*\[\s*\(\s*['\"](sel|cat|pos|neg)['\"]")


def kind_of(text: str) -> str:
    """Return the ending of the format that a text is written in: ``.pl``, ``.py`` or ``.mg``."""
    if _PROLOG.search(text):
        return ".pl"
    return ".py" if _PYTHON.search(text) else ".mg"


def _read(text: str, start: str) -> Lexicon:
    with collected_warnings():  # the lexicon's remarks, which Lexicon check shows
        lexicon = loads(text, kind=kind_of(text), start=start)
    Grammar(lexicon).check()
    return lexicon


_FEW, _MOST_ROWS = 20, 250


class LexiconGrid(TextBoxComponent):
    """The grid of lexical items in the browser; sends edits."""

    rows = param.String("[]", doc="What each row shows, as JSON: hundreds of rows are compared at once.")
    hidden = param.Integer(0, doc="How many rows are found but not shown.")
    searchable = param.Boolean(default=False, doc="Whether there are enough rows to look for some.")
    learnt = param.Boolean(default=False, doc="Whether the last columns show what was learnt, or the prior.")
    about = param.Dict(
        default={}, doc="title, notes, start, categories, convention, fault, offered, questions."
    )
    point = param.List(default=["Mean", "prior mean"], doc="Head of the probabilities, and what they are.")
    hue = param.String("ink3", doc="Token of the learner that speaks; ink3 for the prior.")

    script = "lexicon_grid"
    parts = ("long_text", "text_box")

    def open_item(self, row: int) -> None:
        """Bring an added row into view, ready for its item."""
        self._send_msg({"added": row})


class LexiconCard:
    """One showing of the lexicon.

    Parameters
    ----------
    state
        What is shown and edited.
    changed
        Called after an edit.
    new
        Called to begin an empty lexicon.
    """

    def __init__(self, state: MGState, changed: Callable[[], None], new: Callable[[], None]) -> None:
        self._state, self._changed = state, changed
        self.box = LexiconGrid(self._on_message, sizing_mode="stretch_both", margin=0)
        self._version = -1
        self._plain: list[dict[str, Any]] = []
        self.rows: list[dict[str, Any]] = []
        self._wanted = ""
        self._pointed: tuple[Collection[str], Collection[str]] = ((), ())
        self._as_text = button("Edit as text", self._turn_to_text, plain=True)
        self._adding = button("Item", self._add, plain=True, icon="plus", css_classes=["mg-adds"])
        tools = [button("New", new, plain=True), self._as_text, self._adding]
        self.card = Card("Lexicon", self.box, action=pn.Row(*tools, margin=0, styles={"gap": "0"}))

    def refresh(self, used: Collection[str] = (), marked: Collection[str] = ()) -> None:
        """Draw the rows.

        Parameters
        ----------
        used
            Items of the selected derivation.
        marked
            Items in which readings differ.
        """
        self._pointed = (used, marked)
        if self._version != self._state.version:
            self._version = self._state.version
            entries = self._found()
            self._plain = _rows(self._state, _shown(entries))
            self.box.param.update(
                hidden=len(entries) - len(self._plain), searchable=len(self._state.entries) > _FEW
            )
        self.box.param.update(
            about=_about(self._state),
            learnt=bool(self._state.results),
            point=[_head(self._state.point), self._state.point],
        )
        self._adding.disabled = self.box.opened
        self.rows = [{**r, "used": r["text"] in used, "marked": r["text"] in marked} for r in self._plain]
        self.box.param.update(rows=json.dumps(self.rows), hue=self._state.hue)
        faults = sum(e.remark is not None for e in self._state.entries)
        wrong = f", {faults} {'row' if faults == 1 else 'rows'} with an error" if faults else ""
        n = sum(bool(e.phon.strip() or e.features.strip()) for e in self._state.entries) - faults
        self.card.remark = f"{counted(n, 'item')}{wrong}"

    def _found(self) -> list[int]:
        """Return the rows that match the search."""
        entries = self._state.entries
        return [i for i, e in enumerate(entries) if self._wanted in f"{e.phon} :: {e.features}".lower()]

    def _on_message(self, data: dict[str, Any]) -> None:
        if data["kind"] == "find":
            self._wanted, self._version = str(data["text"]).strip().lower(), -1
            self.refresh(*self._pointed)
            return
        if data["kind"] in ("start", "convention", "silent", "apply", "cancel"):
            self._on_lexicon_message(data)
            return
        if data["kind"] == "append":
            self._add()
            return
        index = int(data["index"])
        if index >= len(self._state.entries):
            return
        if data["kind"] == "edit":
            self._state.edit(index, str(data["field"]), str(data["text"]))
        else:
            self._state.remove_entry(index)
        self._changed()

    def _on_lexicon_message(self, data: dict[str, Any]) -> None:
        """Handle actions on the whole lexicon."""
        if data["kind"] == "start":
            self._state.set_start(categories(str(data["value"])))
        elif data["kind"] == "convention":
            self._state.set_convention(next(c for c in CONVENTIONS if c == data["value"]))
        elif data["kind"] == "silent":
            self._state.make_silent(str(data["value"]))
        elif data["kind"] == "cancel":
            self.box.close()
        elif not self.apply(str(data["text"]), str(data.get("start", ""))):
            return
        self._changed()

    def apply(self, text: str, start: str = "") -> bool:
        """Load a text as the lexicon, or show its faults; return whether it was loaded.

        Parameters
        ----------
        text
            In the format of a ``.mg``, Prolog or mgtdb file.
        start
            Start categories, for a text that names none.
        """
        try:
            lexicon = _read(text, start)
        except InputError as error:
            categories = list(getattr(error, "categories", ()))
            self.box.show_faults(text, error.faults, categories=categories)
            self.refresh(*self._pointed)
            return False
        self._state.replace_lexicon(lexicon)
        self.box.close()
        return True

    def ask(self, text: str) -> None:
        """Show a text with the faults that keep it from being loaded as the lexicon."""
        self.box.discard()
        self.apply(text)

    def _turn_to_text(self) -> None:
        if self.box.opened:
            self.box.text = {}
        else:
            self.box.open(self._state.text())
        self.refresh(*self._pointed)

    def _add(self) -> None:
        self._state.add_entry()
        self._changed()
        self.box.open_item(len(self._state.entries) - 1)


def _head(point: str) -> str:
    """Return the head of the probabilities: "Mean", "EM", "MAP".

    >>> _head("posterior mean of VB, best of 3 restarts"), _head("MAP estimate")
    ('Mean', 'MAP')
    """
    return "Mean" if "mean" in point else point.split()[0]


def _about(state: MGState) -> dict[str, Any]:
    """Return remarks on the lexicon as a whole."""
    base = state.base
    lines = (line for line in (base.description, base.source and f"Source: {base.source}") if line)
    return {
        "title": base.title or base.name,
        "notes": [line if line.endswith((".", ")")) else f"{line}." for line in lines],
        "start": " ".join(base.start),
        "categories": list(state.lexicon.categories),
        "convention": base.convention,
        "fault": state.fault,
        "offered": list(state.lexicon.categories)[:6] if state.fault and state.lexicon.items else [],
        "questions": [
            {"what": f"{sentence_case(remark.what)}.", "choices": _CHOICES[remark.code]}
            for remark in state.remarks
            if remark.code in _CHOICES
        ],
    }


# What can be done by one click about a remark on how the lexicon is written: words, message, value.
_CHOICES = {
    "W304": [
        ["Write x= for what follows (Stabler 2011)", "convention", "stabler2011"],
        ["Keep", "convention", "seed"],
    ],
    "W307": [["Read e as silent", "silent", "e"]],
    "W308": [
        ["First to the right, later ones to the left", "convention", "nondirectional"],
        ["Keep", "convention", "seed"],
    ],
}


def _shown(found: list[int]) -> list[int]:
    """Return the first rows found, and the last row, where new items are typed."""
    return found if len(found) <= _MOST_ROWS else [*found[: _MOST_ROWS - 1], found[-1]]


def _rows(state: MGState, indexes: list[int]) -> list[dict[str, Any]]:
    """Return the content of each row, apart from marks of the selected sentence."""
    lexicon = state.lexicon
    by_text = {text: n for n, text in enumerate(lexicon.texts)}
    theta, (low, high) = state.theta, state.intervals()
    alphas, counts = state.alphas(), state.main.counts if state.main is not None else None
    rows, last = [], ""
    for index in indexes:
        entry = state.entries[index]
        features = _parsed(entry, lexicon.convention)
        category = category_of(features) if features else ""
        text = f"{entry.phon.strip() or SILENT} :: {' '.join(entry.features.split())}"
        number = by_text.get(text, 0)
        shown = entry.remark is None and text in by_text
        rows.append(
            {
                "index": index,
                "category": category if category != last else "",
                "phon": entry.phon,
                "features": entry.features,
                "tokens": _tokens(features) if features else [[t, "bad"] for t in [entry.features] if t],
                "mean": round(float(theta[number]), 4) if shown else None,
                "low": round(float(low[number]), 4) if shown else 0.0,
                "high": round(float(high[number]), 4) if shown else 0.0,
                "uses": _uses(counts, number) if shown else "",
                "alpha": f"{alphas[number]:.4g}" if shown else "",
                "fault": entry.remark.message if entry.remark else "",
                "text": text,
            }
        )
        last = category or last
    return rows


def _parsed(entry: Entry, convention: Convention) -> tuple[Feature, ...]:
    try:
        return parse_features(entry.features, convention)
    except FeatureFault:
        return ()


def _tokens(features: tuple[Feature, ...]) -> list[list[str]]:
    """Return each feature with its kind; arrows say which way a selector looks."""
    arrows = {"right": "={}→", "left": "{}=←", "licensor": "+{}", "licensee": "−{}", "category": "{}"}
    return [
        [arrows[f.kind].format(f.name), f.kind] if f.kind in arrows else [str(f), f.side] for f in features
    ]


def _uses(counts: np.ndarray | None, number: int) -> str:
    if counts is None:
        return ""
    value = float(counts[number])
    return f"{value:.0f}" if abs(value - round(value)) < 0.05 else f"{value:.1f}"
