"""Rows and columns with the spacing that all labs share.

Where a lab has at most 820 px beside its run panel, what holds cards becomes one column that
scrolls, and a row of controls breaks into lines. ``FILLED`` is the style sheet of every column
that spaces its parts by a gap: Panel puts an invisible scroll button into each column, and it
would take a gap of its own.

All such rules ask for the width of a container, so that they hold in a notebook's cell too:

- ``ot-main``, what a tab, or the page's content, has for itself;
- ``ot-card``, a card;
- ``ot-page``, the window, for what only a page has: the bar, and the run panel as a drawer.

The widths at which they begin are here, in ``WIDTHS``; style sheets name them.
"""

from __future__ import annotations

import re
from typing import Any

import panel as pn

__all__ = [
    "CARD", "CARD_CONTAINER", "FILLED", "GAP", "MAIN_CONTAINER", "WIDTHS",
    "across", "clamped_width", "column_options", "down", "narrow", "show_in", "with_widths",
]  # fmt: skip

GAP = 14
FILLED = ".scroll-button { display: none; }"
CARD = "ot-card"
_CARDS = "ot-cards"
WIDTHS = {
    "HAND": 600,  # Run stands below the page
    "PHONE": 640,
    "NARROW": 820,  # one column
    "MEDIUM": 960,  # two columns of which the heads take more lines
    "DRAWER": 1100,  # a narrower window has the run panel in a drawer
    "WIDE": 1200,
}
"""Widths at which what is shown changes, px."""
MAIN_CONTAINER = ":host { container: ot-main / inline-size; }"
CARD_CONTAINER = ":host { container: ot-card / inline-size; }"
_BAR = 60  # px: a row as low as this is one of controls


def with_widths(css: str) -> str:
    """Return a style sheet with the names of :data:`WIDTHS` in its conditions replaced by pixels."""
    return re.sub(r"(\(width [<>]=? )([A-Z]+)\)", lambda found: f"{found[1]}{WIDTHS[found[2]]}px)", css)


def clamped_width(least: int, share: int, most: int) -> str:
    """Return a style sheet for a part as wide as a share of its container (per cent), within limits (px)."""
    width = f"clamp({least}px, {share}cqi, {most}px)"
    return f":host {{ width: {width} !important; flex-basis: {width} !important; }}"


def narrow(rules: str) -> str:
    """Return a style sheet with rules for the part itself, where a tab is narrow."""
    return with_widths(f"@container ot-main (width <= NARROW) {{ :host {{ {rules} }} }}")


_FOLDED = narrow(
    "flex-direction: column !important; flex: none !important; align-self: stretch !important; "
    "width: 100% !important; min-width: 0 !important; box-sizing: border-box !important; "
    "height: auto !important; min-height: 0 !important; overflow: visible !important;"
)
_WRAPPED = narrow(
    "flex: none !important; min-width: 0 !important; flex-wrap: wrap !important; height: auto !important; "
    "row-gap: 6px !important;"
)


def down(*parts: Any, gap: int = GAP, cards: bool = False, **layout: Any) -> pn.Column:
    """Return parts one below the other, filling their place.

    `cards` says that cards will stand in it, if there are none yet.
    """
    return pn.Column(*parts, **column_options(*parts, gap=gap, cards=cards, **layout))


def column_options(*parts: Any, gap: int = GAP, cards: bool = False, **layout: Any) -> dict[str, Any]:
    """Return the options of a column as :func:`down` makes it."""
    sheets = [FILLED, *layout.pop("stylesheets", [])]
    return _filling(parts, gap, cards, {**layout, "stylesheets": sheets})


def across(*parts: Any, gap: int = GAP, cards: bool = False, **layout: Any) -> pn.Row:
    """Return parts in a row that fills its place; `cards` as in :func:`down`."""
    return pn.Row(*parts, **_filling(parts, gap, cards, layout))


def show_in(place: Any, *parts: Any) -> None:
    """Let these parts stand in a row or column; if they do already, nothing is sent to the browser."""
    if list(place) != list(parts):
        place[:] = parts


def _filling(parts: tuple[Any, ...], gap: int, cards: bool, layout: dict[str, Any]) -> dict[str, Any]:
    """Return layout options that let parts shrink below their content, and wrap where a tab is narrow."""
    # An inline style: Panel would use the sum of the parts' sizes.
    styles = {"gap": f"{gap}px", "min-height": f"{layout.get('min_height', 0)}px"}
    sheets, classes = layout.pop("stylesheets", []), layout.pop("css_classes", [])
    height = layout.get("height", layout.get("min_height"))
    if CARD not in classes and (cards or any(_holds_cards(part) for part in parts)):
        sheets, classes = [*sheets, _FOLDED], [*classes, _CARDS]
        if height is not None:
            styles["--ot-card-height"] = f"{height}px"
    elif CARD not in classes and height is not None and height <= _BAR:
        sheets = [*sheets, _WRAPPED]
    styles |= layout.pop("styles", {})
    return {
        "sizing_mode": "stretch_both", "margin": 0, "styles": styles,
        "stylesheets": sheets, "css_classes": classes, **layout,
    }  # fmt: skip


def _holds_cards(part: Any) -> bool:
    """Return whether a part is a card, or a box of cards."""
    while isinstance(part, pn.viewable.Viewer):
        part = part.__panel__()
    return not {CARD, _CARDS}.isdisjoint(getattr(part, "css_classes", None) or ())
