"""Cards with their menus, wells, legends, and HTML with the class names of the shared style sheets.

::

    card = Card("Posterior of the ranking values", plot, remark="12,720 draws",
                legend=[swatch("gibbs", "Gibbs"), swatch("gla", "GLA")], height=308)
    card.remark = "12,730 draws"          # only the head changes

A card's menu saves or copies the card as a picture, and the numbers behind it. The browser draws the
plots again as SVG, with the labels and the legend beside them, in the colours of the page. An element that
is neither a plot nor SVG is marked with ``data-picture``; its numbers come from its ``copyData()`` or
``data-copy``.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import panel as pn
import param

from otlab.html import Markup, element, escape, joined
from otlab.ui.components import stylesheet
from otlab.ui.components.component import Component
from otlab.ui.components.icons import icon
from otlab.ui.components.layout import CARD, CARD_CONTAINER, down, narrow
from otlab.ui.components.theme import BASE
from otlab.ui.hiding import file_hidden

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from otlab.ui.state import State
    from otlab.viz.base.tokens import Hue

__all__ = [
    "SCROLLING",
    "Card",
    "CardMenu",
    "CardView",
    "Html",
    "covered",
    "dashed",
    "observed",
    "ring",
    "stroke",
    "swatch",
]

_TIP = stylesheet("tip")

_HEAD = stylesheet("card_head")

_WINDOW = {
    "position": "fixed",
    "inset": "0",
    "width": "100vw",
    "height": "100vh",
    "max-height": "100vh",
    "z-index": "1500",
    "border-radius": "0",
}
# The browser keeps a style that is merely left out: each is reset by name.
_IN_PLACE = {
    "position": "relative",
    "inset": "auto",
    "width": "auto",
    "height": "auto",
    "max-height": "none",
    "z-index": "auto",
    "border-radius": "12px",
}

# In a narrow tab cards are stacked: those that filled their place get a height, and scroll if need be.
_FULL_WIDTH = narrow("flex: none !important; width: 100% !important; min-width: 0 !important;")
_FILLING = _FULL_WIDTH + narrow("height: var(--ot-card-height, 360px) !important; overflow: hidden auto;")
# A title is not cut: where there is little room, its controls go to a line of their own.
_LETTER, _SPARE = 7.4, 4  # px: on average, and more for a word of wide letters
_HEAD_ROW = (
    ":host { flex-wrap: wrap !important; height: auto !important; min-width: 0 !important; } "
    "* { max-width: 100%; }"
)
_WHOLE_TITLE = ":host { min-width: min(100%, var(--ot-title)) !important; }"


_COVER = "linear-gradient(transparent, var(--ot-surface) 60%) bottom / 100% 32px no-repeat local"
_FADE = "linear-gradient(transparent, var(--ot-line)) bottom / 100% 14px no-repeat scroll"
SCROLLING = {"overflow": "auto", "background": f"{_COVER}, {_FADE}"}
"""Styles of a part that scrolls: a shade at its lower edge, while there is more below."""


class Html(pn.pane.HTML):
    """HTML with the shared style sheet; equal text is not sent to the browser again.

    Every name in it that comes from data has to be escaped.
    """

    def __init__(self, content: str = "", css: str = "", **layout: Any) -> None:
        layout.setdefault("margin", 0)
        self._shown = str(content)  # Panel would escape the rest of a Markup again
        super().__init__(self._shown, stylesheets=[BASE, _TIP, css], **layout)

    def show(self, content: str) -> None:
        """Replace the content if it has changed."""
        if content != self._shown:
            self._shown = self.object = str(content)


def swatch(hue: Hue, label: str) -> Markup:
    """Return a legend entry: a 10 px square in a learner's colour, and its name."""
    style = f"background:var(--ot-{hue});box-shadow:inset 0 0 0 .8px var(--ot-{hue}-edge)"
    return _entry(label, "sw", style)


def stroke(token: str, label: str) -> Markup:
    """Return a legend entry: a 14 px line in a token's colour."""
    return _entry(label, "stroke", f"color:var(--ot-{token})")


def dashed(token: str, label: str) -> Markup:
    """Return a legend entry: a dashed line in a token's colour."""
    return _entry(label, "stroke dashed", f"color:var(--ot-{token})")


def ring(token: str, label: str) -> Markup:
    """Return a legend entry: a small ring in a token's colour."""
    style = f"background:none;border-radius:50%;box-shadow:inset 0 0 0 1.5px var(--ot-{token})"
    return _entry(label, "sw", style)


def observed(label: str = "observed") -> Markup:
    """Return the legend entry of observed or gold data: a thin line of ink."""
    return _entry(label, "bar")


def _entry(label: str, kind: str, style: str = "") -> Markup:
    return element("span", element("i", class_=kind, style=style) + label)


class Card(pn.viewable.Viewer):
    """A titled surface with one border.

    Parameters
    ----------
    title
        In bold. Text, or HTML if it is ``Markup``.
    content
        What it holds, top to bottom.
    remark
        One short grey remark after the title.
    hint
        What can be done here, in the same place; it is left out of saved pictures.
    legend
        Entries made by :func:`swatch`, :func:`stroke`, :func:`observed`.
    action
        One control (or a row of them) at the right end of the head.
    stale
        Why the content no longer belongs to the data ("from the old table"); shown
        as a warning beside the title while it is set.
    menu
        Whether the head ends in a menu that saves and copies what the card shows, while it
        shows a plot, a drawing or a table. A card with a menu of its own does without.
    files, make
        Key and label of further files that the menu saves, and what returns the name and content of one.
    state
        Of the lab, where there are such files: they are not offered while an exercise hides results.
    layout
        Layout options of the card: ``height``, ``width``, ``sizing_mode``.
    """

    title = param.String()
    remark = param.String()
    hint = param.String()
    legend = param.List(default=[], item_type=str)
    stale = param.String()

    def __init__(
        self,
        title: str,
        *content: Any,
        remark: str = "",
        hint: str = "",
        legend: Iterable[str] = (),
        action: Any = None,
        menu: bool = True,
        files: Iterable[tuple[str, str]] = (),
        make: Callable[[str], tuple[str, bytes]] | None = None,
        state: State | None = None,
        **layout: Any,
    ) -> None:
        super().__init__(title=title, remark=remark, hint=hint, legend=[*legend])
        layout.setdefault("sizing_mode", "stretch_both" if "height" not in layout else "stretch_width")
        self._head = Html(
            self._head_html(),
            _HEAD + _WHOLE_TITLE,
            sizing_mode="stretch_width",
            css_classes=["ot-card-title"],
            styles=self._title_width(),
        )
        parts = [self._head, *([] if action is None else [action])]
        if menu:
            at = "center" if action is not None else "start"
            self.menu = CardMenu(_words(title), files, make, state, align=at)
            self.param.watch(lambda event: self.menu.param.update(title=_words(event.new)), "title")
            parts.append(self.menu)
        head = pn.Row(
            *parts,
            css_classes=["ot-card-head"],
            sizing_mode="stretch_width",
            margin=0,
            styles={"gap": "6px"},
            stylesheets=[_HEAD_ROW],
        )
        styles = {
            "background": "var(--ot-surface)",
            "border": "1px solid var(--ot-line)",
            "border-radius": "12px",
            "padding": "12px 16px",
            "box-sizing": "border-box",
            **layout.pop("styles", {}),
        }
        self._styles, self._covered = styles, ""
        css = [*layout.pop("css_classes", []), CARD]
        fills = layout["sizing_mode"] in ("stretch_both", "stretch_height")
        sheets = [CARD_CONTAINER, *layout.pop("stylesheets", []), _FILLING if fills else _FULL_WIDTH]
        self.body = down(head, *content, gap=6, styles=styles, css_classes=css, stylesheets=sheets, **layout)
        self.param.watch(lambda _: self._head.param.update(styles=self._title_width()), "title")
        self.param.watch(
            lambda *_: self._head.show(self._head_html()), ["title", "remark", "hint", "legend", "stale"]
        )

    def fill_window(self, on: bool) -> None:
        """Let the card fill the window, or return it to its place."""
        self.body.styles = {**self._styles, **(_WINDOW if on else _IN_PLACE)}

    def share(self, weight: float) -> None:
        """Take this weight's part of the room that the cards of a row or column have."""
        self._styles = {**self._styles, "flex": f"{weight:g} 1 0"}
        if self.body.styles.get("flex") != self._styles["flex"]:
            self.body.styles = {**self.body.styles, "flex": self._styles["flex"]}

    def keep(self, height: int) -> None:
        """Be at least so high (px), whatever else stands in the same column."""
        self._styles = {**self._styles, "min-height": f"{height}px"}
        if self.body.styles.get("min-height") != self._styles["min-height"]:
            self.body.styles = {**self.body.styles, "min-height": self._styles["min-height"]}

    def cover(self, words: str) -> None:
        """Show a sentence in place of the card's content; the content again if it is empty."""
        if words == self._covered:
            return
        if not self._covered:
            self._content = list(self.body.objects)
        self._covered = words
        self.body[:] = [self._head_alone(), covered(words)] if words else self._content

    def _head_alone(self) -> Html:
        """Return the title without remark, legend and controls, which would give the answer away."""
        head = f'<div class="head"><h2>{escape(_words(self.title))}</h2></div>'
        return Html(head, _HEAD + _WHOLE_TITLE, sizing_mode="stretch_width", css_classes=["ot-card-title"])

    def _title_width(self) -> dict[str, str]:
        """Return about how wide the title is, as a style."""
        return {"--ot-title": f"{_LETTER * len(_words(self.title)) + _SPARE:.0f}px"}

    def _head_html(self) -> str:
        stale = f'<span class="badge warn">{escape(self.stale)}</span>' if self.stale else ""
        legend = element("div", joined(self.legend), class_="legend") if self.legend else ""
        remark = f'<span class="remark" title="{escape(self.remark)}">{escape(self.remark)}</span>'
        if self.hint:
            remark += f'<span class="remark hint">{escape(self.hint)}</span>'
        return f'<div class="head"><h2>{escape(self.title)}</h2>{stale}{remark}{legend}</div>'

    def __panel__(self) -> Any:
        return self.body


class CardView(pn.viewable.Viewer):
    """Something that is shown as a card.

    Attributes
    ----------
    card
        The card.
    """

    card: Card

    def __panel__(self) -> Any:
        return self.card


def _words(title: str) -> str:
    """Return a title without its tags, if it is HTML."""
    return title.striptags() if isinstance(title, Markup) else title


def covered(words: str) -> Html:
    """Return the placeholder of hidden content: a lock and a sentence."""
    inside = f'<div class="empty">{icon("lock", 28)}<p>{escape(words)}</p></div>'
    styles = {"display": "grid", "place-content": "center"}
    return Html(inside, stylesheet("states"), sizing_mode="stretch_both", min_height=60, styles=styles)


class CardMenu(Component):
    """Save PNG, Save SVG, Copy data; seen only while its card shows a picture or a table.

    Parameters
    ----------
    title
        Of the card.
    files
        Key and label of further files that can be saved.
    make
        Given a key, returns name and content of the file.
    state
        Of the lab, where there are such files: they are not offered while an exercise hides results.
    """

    title = param.String(doc="the card's title, for file names")
    files = param.List(default=[], doc="key and label of further files")
    withheld = param.Boolean(doc="Whether those files are not offered.")

    script = "card_menu"
    parts = ("card_picture", "card_data")
    icons = ("more",)
    sheets = (stylesheet("menu"),)

    def __init__(
        self,
        title: str,
        files: Iterable[tuple[str, str]] = (),
        make: Callable[[str], tuple[str, bytes]] | None = None,
        state: State | None = None,
        **params: Any,
    ) -> None:
        params["files"] = [list(file) for file in files]
        self._make, self._state = make, state
        if state is not None:
            params["withheld"] = bool(state.hides)
            state.param.watch(lambda event: self.param.update(withheld=bool(event.new)), "hides")
        super().__init__(title=title, **{"width": 24, "height": 24, "margin": (0, -12, 0, 0), **params})

    def _handle_msg(self, message: dict[str, str]) -> None:
        if self._make is None or self._state is None or file_hidden(self._state.hides, message["key"]):
            return
        if message["key"] in dict(self.files):
            name, content = self._make(message["key"])
            self._send_msg({"name": name, "data": base64.b64encode(content).decode()})
