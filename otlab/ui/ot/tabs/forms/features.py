"""The card of the Forms tab with the feature table, tiers, further segments and shorthands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.errors import InputError, counted
from otlab.files import decode_any
from otlab.forms.features import SHORTHANDS, read_features
from otlab.forms.tiers import read_tiers
from otlab.html import element
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import SCROLLING, Card, CardView, Html
from otlab.ui.components.file_zone import FileZone
from otlab.ui.components.layout import down
from otlab.ui.ot.forms.counts import MARKED_CSS, fault_html
from otlab.ui.ot.tabs.forms.columns import field

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.errors import Fault
    from otlab.ui.ot.state import OTState
    from otlab.ui.source import Source

__all__ = ["FeaturesCard"]

_HINT = "A table with a row per segment and a column per feature (+ - 0), or tiers as Vowel +syllabic."
_ROW: dict[str, Any] = {"margin": 0, "sizing_mode": "stretch_width", "styles": {"gap": "6px"}}


class FeaturesCard(CardView):
    """What the formulas know of segments."""

    def __init__(self, state: OTState) -> None:
        super().__init__()
        self._state = state
        self._showing = False
        self._about = Html("", sizing_mode="stretch_width")
        self._faults = Html("", MARKED_CSS, sizing_mode="stretch_width")
        self.zone = FileZone(
            self._read,
            self._take,
            lambda error, _: self._say(error.faults),
            hint=_HINT,
            accept=".txt,.csv,.tsv",
        )
        self._back = button("Back to Hayes's table", self._hayes, plain=True)
        self.segment = field("Segment", placeholder="tː")
        self.like = field("Like", placeholder="t")
        self.changes = field("But", placeholder="+long")
        self._add = button("Add the segment", self._added)
        self.shorthands = {letter: field(letter) for letter in SHORTHANDS}
        for letter, one in self.shorthands.items():
            one.param.watch(self._on_shorthand(letter), "value")
        body = down(
            self._about, self._faults, self.zone, self._back,
            pn.Row(self.segment, self.like, self.changes, **_ROW), self._add,
            Html(element("p", "Capital letters stand for classes; write others here.", class_="small")),
            *(pn.Row(*pair, **_ROW) for pair in zip(*[iter(self.shorthands.values())] * 2, strict=True)),
            gap=8, styles=SCROLLING,
        )  # fmt: skip
        self.card = Card("Features", body, menu=False)

    def draw(self, *, locked: bool) -> None:
        """Show the table, the tiers and the shorthands as they are now."""
        own = self._state.document.formulas
        table, tiers = own.table, ", ".join(own.named_tiers)
        name = "your own table" if own.features else "Hayes (2009)"
        words = (
            f"{name}: {counted(len(table.segments), 'segment')}, {counted(len(table.features), 'feature')}"
        )
        self._about.show(element("p", f"{words}{f'; tiers {tiers}' if tiers else ''}", class_="small"))
        self._showing = True
        for letter, one in self.shorthands.items():
            one.param.update(value=table.shorthands[letter], disabled=locked)
        self._showing = False
        self._back.param.update(visible=bool(own.features or own.tiers or own.shorthands), disabled=locked)
        self._add.disabled = locked
        self.zone.visible = not locked

    def _say(self, faults: tuple[Fault, ...]) -> None:
        self._faults.show(fault_html(faults))

    def _read(self, source: Source, _: Callable[[float], None]) -> tuple[str, str]:
        """Return what a file is, and its text; called on another thread.

        Raises
        ------
        InputError
            If it is neither a feature table nor tiers.
        """
        text = decode_any(source.content(), source.name)
        try:
            table = read_features(text, source.name)
        except InputError as error:
            try:
                tiers = read_tiers(text, self._state.document.formulas.table, source.name)
            except InputError:
                raise error from None
            if not tiers:
                raise
            return "tiers", text
        return "features", table.written()

    def _take(self, source: Source, read: tuple[str, str]) -> None:
        kind, text = read
        own, document = self._state.document.formulas, self._state.document
        if kind == "tiers":
            self._say(document.use_features(own.features, f"Tiers of {source.name}", tiers=text))
        else:
            self._say(document.use_features(text, f"Features of {source.name}"))

    def _hayes(self) -> None:
        self._say(self._state.document.use_features("", "Hayes's features", tiers="", shorthands=()))

    def _added(self) -> None:
        own = self._state.document.formulas
        try:
            table = own.table.with_segment(self.segment.value, self.like.value, self.changes.value)
        except InputError as error:
            self._say(error.faults)
            return
        self._say(self._state.document.use_features(table.written(), f"Segment {self.segment.value} added"))

    def _on_shorthand(self, letter: str) -> Callable[[Any], None]:
        def take(event: Any) -> None:
            if self._showing:
                return
            others = tuple(one for one in self._state.document.formulas.shorthands if one[0] != letter)
            values = event.new.strip().strip("[]")
            usual = not values or values == SHORTHANDS[letter]
            chosen = others if usual else (*others, (letter, values))
            own = self._state.document.formulas
            what = f"{letter} stands for {values or SHORTHANDS[letter]}"
            self._say(self._state.document.use_features(own.features, what, shorthands=chosen))

        return take
