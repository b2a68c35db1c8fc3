"""Convert SVG to PNG."""

from __future__ import annotations

import re

__all__ = ["FORM_FONT", "PLAIN_FONT", "svg_png"]

FORM_FONT = "'Charis SIL', 'Gentium Plus', 'Doulos SIL', 'Noto Serif', 'DejaVu Serif', serif"
PLAIN_FONT = "Inter, 'Noto Sans', 'Segoe UI', system-ui, sans-serif"


def svg_png(svg: str, scale: float = 2.0) -> bytes:
    """Return an SVG picture as PNG, in the light colours (needs the ``png`` extra).

    Raises
    ------
    ModuleNotFoundError
        If CairoSVG is not installed.
    """
    import cairosvg

    literal = re.sub(r"var\(--[\w-]+, (#\w+)\)", r"\1", svg)
    # Cairo uses only the first font family, also for letters that it lacks.
    literal = literal.replace(FORM_FONT, "DejaVu Serif").replace(PLAIN_FONT, "DejaVu Sans")
    data: bytes = cairosvg.svg2png(bytestring=literal.encode(), scale=scale, background_color="#FFFFFF")
    return data
