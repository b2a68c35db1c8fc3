"""Icons as inline SVG, 16 units square, drawn in the colour of the text around them.

One file each in ``assets/icons``. No web font: everything must show without a
network, in a page and in a notebook.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["ICONS", "LOGO", "drawing", "icon"]

_ASSETS = Path(__file__).resolve().parent.parent / "assets"


def drawing(name: str) -> str:
    """Return the SVG ``assets/name.svg``; it may use the page's colours, ``var(--ot-...)``."""
    return (_ASSETS / f"{name}.svg").read_text(encoding="utf-8").strip()


ICONS: dict[str, str] = {
    path.stem: drawing(f"icons/{path.stem}") for path in sorted((_ASSETS / "icons").glob("*.svg"))
}

# The pointing hand of a tableau's winner, on the accent.
LOGO = drawing("logo")


def icon(name: str, size: int = 16) -> str:
    """Return the SVG of an icon.

    Raises
    ------
    KeyError
        If there is none of this name.
    """
    svg = ICONS[name]
    return svg if size == 16 else svg.replace('width="16" height="16"', f'width="{size}" height="{size}"')
