"""Parts above and beside one another, at the house's distance, in every lab.

``FILLED`` is the style sheet of every column that spaces its parts by a gap: Panel puts
an invisible scroll button into each column, and it would take a gap of its own.
"""

from __future__ import annotations

from typing import Any

import panel as pn

__all__ = ["FILLED", "across", "down"]

GAP = 14
FILLED = ".scroll-button { display: none; }"


def down(*parts: Any, gap: int = GAP, **layout: Any) -> pn.Column:
    """Return parts one below the other, filling their place."""
    sheets = [FILLED, *layout.pop("stylesheets", [])]
    return pn.Column(*parts, stylesheets=sheets, **_filling(gap, layout))


def across(*parts: Any, gap: int = GAP, **layout: Any) -> pn.Row:
    """Return parts side by side, filling their place."""
    return pn.Row(*parts, **_filling(gap, layout))


def _filling(gap: int, layout: dict[str, Any]) -> dict[str, Any]:
    """Return layout options that let parts shrink below what they hold."""
    least = {} if "min_height" in layout else {"min-height": "0"}
    styles = {"gap": f"{gap}px", **least, **layout.pop("styles", {})}
    return {"sizing_mode": "stretch_both", "margin": 0, "styles": styles, **layout}
