"""Cards above and beside one another, at the house's distance."""

from __future__ import annotations

from typing import Any

import panel as pn

__all__ = ["across", "down"]

_NO_SCROLL_BUTTON = ".scroll-button { display: none; }"  # invisible, yet it would take a gap


def down(*parts: Any, gap: int = 14, **layout: Any) -> pn.Column:
    """Return parts one below the other, filling their place."""
    styles = {"gap": f"{gap}px", "min-height": "0", **layout.pop("styles", {})}
    options = {"sizing_mode": "stretch_both", "margin": 0, **layout}
    return pn.Column(*parts, styles=styles, stylesheets=[_NO_SCROLL_BUTTON], **options)


def across(*parts: Any, gap: int = 14, **layout: Any) -> pn.Row:
    """Return parts side by side, filling their place."""
    styles = {"gap": f"{gap}px", "min-height": "0", **layout.pop("styles", {})}
    options = {"sizing_mode": "stretch_both", "margin": 0, **layout}
    return pn.Row(*parts, styles=styles, **options)
