"""Rows and columns with the spacing that all labs share.

In a window of at most 820 px what holds cards becomes one column that scrolls, and a row
of controls breaks into lines. ``FILLED`` is the style sheet of every column that spaces its
parts by a gap: Panel puts an invisible scroll button into each column, and it would take a
gap of its own.
"""

from __future__ import annotations

from typing import Any

import panel as pn

__all__ = ["CARD", "DRAWER", "FILLED", "NARROW", "across", "column_options", "down", "narrow"]

GAP = 14
FILLED = ".scroll-button { display: none; }"
CARD = "ot-card"
_CARDS = "ot-cards"
NARROW = 820  # px
DRAWER = 1100  # px: at most so wide a window has the run panel in a drawer
_BAR = 60  # px: a row as low as this is one of controls


def narrow(rules: str, width: int = NARROW) -> str:
    """Return a style sheet with rules for the part itself, for windows of at most `width` pixels."""
    return f"@media (max-width: {width}px) {{ :host {{ {rules} }} }}"


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
    """Return parts side by side, filling their place; `cards` as in :func:`down`."""
    return pn.Row(*parts, **_filling(parts, gap, cards, layout))


def _filling(parts: tuple[Any, ...], gap: int, cards: bool, layout: dict[str, Any]) -> dict[str, Any]:
    """Return layout options that let parts shrink below their content, and wrap in a narrow window."""
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
