"""The Data tab: bring a lexicon, take everything home."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import panel as pn

from otlab.errors import Fault, InputError
from otlab.mg import exports
from otlab.mg.reading import decode, loads
from otlab.mg.views import draw
from otlab.mg.writing import dumps, to_csv
from otlab.ui.cards import Card, html
from otlab.ui.components.file_zone import FileZone
from otlab.ui.components.take_home import TakeHome
from otlab.ui.states import banner, faults
from otlab.viz.mg_tree import to_png, tree_svg

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.mg.lexicon import Lexicon
    from otlab.ui.mg.derivation_card import DerivationCard
    from otlab.ui.mg.state import MGState

__all__ = ["DataTab"]

_CSS = "pre { font: 400 12.5px/1.5 var(--ot-code); white-space: pre-wrap; }"

FILES = {
    "mg": ("Lexicon as .mg", "lexicon.mg"),
    "csv": ("Lexicon as CSV", "lexicon.csv"),
    "probabilities": ("Probabilities", "probabilities.csv"),
    "svg": ("Derivation as SVG", "derivation.svg"),
    "png": ("Derivation as PNG", "derivation.png"),
    "forest": ("Derivation for LaTeX forest", "derivation_forest.tex"),
    "qtree": ("Derivation for LaTeX qtree", "derivation_qtree.tex"),
    "brackets": ("Derivation in brackets", "derivation.txt"),
    "json": ("Derivation as JSON", "derivation.json"),
}


class DataTab:
    """Bring a lexicon, take everything home."""

    def __init__(self, state: MGState, opened: Callable[[Lexicon], None], derivation: DerivationCard) -> None:
        self._state, self._opened, self._derivation = state, opened, derivation
        hint = ".mg, Stabler's Prolog (.pl), mgtdb lists (.py), CSV. Nothing leaves this computer."
        self._zone = FileZone(self.take, self._too_large, hint=hint, accept=".mg,.pl,.py,.csv,.tsv,.txt")
        self._said = pn.Column(sizing_mode="stretch_width", margin=0)
        self._file = html("", _CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        home = Card(
            "Take home",
            TakeHome(self.file, [[key, label] for key, (label, _) in FILES.items()]),
            width=426,
            sizing_mode="stretch_height",
        )
        row = {"sizing_mode": "stretch_width", "margin": 0, "styles": {"gap": "14px"}}
        top = pn.Row(Card("Bring a lexicon", self._zone, self._said), home, height=412, **row)
        self.card = pn.Column(
            top,
            Card("The lexicon as a file", self._file),
            sizing_mode="stretch_both",
            margin=0,
            styles={"gap": "14px"},
        )

    def refresh(self) -> None:
        """Show the file as it would be written now."""
        self._file.show(f"<pre>{escape(dumps(self._state.lexicon))}</pre>")

    def take(self, name: str, data: bytes) -> None:
        """Load a file, or say everything that is wrong with it; then the old lexicon stays."""
        try:
            kind = Path(name).suffix.lower()
            lexicon = loads(decode(data, name), kind=kind, name=Path(name).stem, file=name)
        except InputError as error:
            self._said[:] = [faults(error, name, ("Choose another file", self._zone.choose))]
            return
        self._said[:] = [banner(f"{name} loaded.", f"{len(lexicon):,} items.", "good")]
        self._opened(lexicon)

    def _too_large(self, name: str) -> None:
        fault = Fault("is larger than 10 MB", "read it with otlab.mg.read and pass the lexicon to MGLab")
        self._said[:] = [faults(InputError(fault), name)]

    def file(self, key: str) -> tuple[str, bytes]:
        """Return name and content of one of :data:`FILES`."""
        return FILES[key][1], self.content(key)

    def content(self, key: str) -> bytes:
        """Return the content of one of :data:`FILES`."""
        lexicon = self._state.lexicon
        if key in ("mg", "csv"):
            return (dumps(lexicon) if key == "mg" else to_csv(lexicon)).encode()
        if key == "probabilities":
            low, high = self._state.intervals()
            rows = zip(lexicon.texts, self._state.theta, low, high, strict=True)
            lines = [f'"{t}",{p:.6g},{a:.6g},{b:.6g}' for t, p, a, b in rows]
            return "\n".join(["item,probability,low,high", *lines, ""]).encode()
        return self._tree(key)

    def _tree(self, key: str) -> bytes:
        derivation = self._derivation.derivation
        if derivation is None:
            return b"this sentence has no derivation\n"
        if key in ("svg", "png"):
            svg = tree_svg(draw(derivation))
            return svg.encode() if key == "svg" else to_png(svg)
        makers = {
            "forest": exports.to_forest,
            "qtree": exports.to_qtree,
            "brackets": exports.to_brackets,
            "json": exports.to_json,
        }
        return makers[key](derivation).encode()
