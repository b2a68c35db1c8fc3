"""Draw the layers of a live figure with rows as SVG, for pages without Python.

The input is that of the Bokeh figures of :mod:`otlab.viz.ot.posterior` and :mod:`otlab.viz.ot.predicted`:
``{layer: {glyph property: array}}``, and the colour tokens of the layers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from otlab.html import Markup, element, joined
from otlab.viz.base.chart_svg import ticks
from otlab.viz.base.rows import FLOOR

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otlab.viz.base.rows import Layers

__all__ = ["Look", "layers_svg"]

_LEFT, _AXIS, _TITLE, _HEAD, _PAD = 150, 26, 17, 6, 8
_LETTER, _GAP = (
    9.5,
    14,
)  # pixels: a letter of a label, small capitals too; between the longest label and the plot


@dataclass(frozen=True)
class Look:
    """Appearance of a layer.

    Attributes
    ----------
    width
        Width of lines, in pixels.
    size
        Size of points, in pixels.
    shape
        Shape of points: ``circle``, ``square`` or ``diamond``.
    opacity
        Opacity, from 0 to 1.
    """

    width: float = 1.0
    size: float = 8.0
    shape: str = "circle"
    opacity: float = 1.0


def layers_svg(
    layers: Layers,
    colors: Mapping[str, Mapping[str, str]],
    looks: Mapping[str, Look],
    labels: Sequence[Markup],
    *,
    span: tuple[float, float],
    unit: str = "",
    title: str = "",
    longest: int = 0,
    row: int = 58,
    width: int = 560,
    description: str = "",
) -> Markup:
    """Return a picture with one row per label, the first at the top.

    Parameters
    ----------
    layers
        Layers in the order in which they are drawn; the base line of row k of n is at n - 1 - k.
    colors
        Tokens of ``fill_color`` and ``line_color``, by layer.
    looks
        Other properties of the appearance, by layer.
    labels
        Content of the ``<text>`` of each row, at the left.
    span
        Ends of the x axis.
    unit
        Text after each tick.
    title
        Title of the axis.
    longest
        Letters of the longest line of a label; the picture is wider where they need more room than usual.
    row, width
        Height of a row and usual width of the picture, in pixels.
    description
        Text for screen readers.
    """
    n = len(labels)
    left = max(_LEFT, int(_LETTER * longest) + _GAP)
    width += left - _LEFT
    height = _HEAD + n * row + _AXIS + (_TITLE if title else 0)
    scale = (width - _PAD - left) / (span[1] - span[0])

    def across(x: np.ndarray) -> np.ndarray:
        return left + (np.asarray(x, float) - span[0]) * scale

    def down(y: np.ndarray) -> np.ndarray:
        return _HEAD + (n + FLOOR - np.asarray(y, float)) * row

    marks = [_axis(span, across, n * row + _HEAD, unit)]
    if title:
        words = {"x": (left + width - _PAD) / 2, "y": height - 4, "text_anchor": "middle"}
        marks.append(element("text", title, **words, style="fill:var(--ot-ink2);font-size:12px"))
    marks += [
        _layer(
            {k: (across if k in _ACROSS else down)(v) for k, v in columns.items()},
            colors[name],
            looks.get(name, Look()),
        )
        for name, columns in layers.items()
        if columns and len(next(iter(columns.values())))
    ]
    marks += [
        element("text", label, x=0, y=f"{_HEAD + (k + 0.5) * row:.1f}", style="fill:var(--ot-ink)")
        for k, label in enumerate(labels)
    ]
    return element(
        "svg",
        joined(marks),
        class_="layers",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
        aria_label=description,
        font_size="13",
    )


_ACROSS = {"x", "x0", "x1", "left", "right"}


def _axis(span: tuple[float, float], across: object, ground: float, unit: str) -> Markup:
    parts = []
    for tick in ticks(*span):
        x = f"{across(np.array(tick)):.1f}"  # type: ignore[operator]
        text = f"{tick:,g}".replace("-", "−") + unit
        parts.append(element("path", d=f"M{x} {_HEAD}V{ground}", style="stroke:var(--ot-grid)"))
        style = "fill:var(--ot-ink3);font-size:11px"
        parts.append(element("text", text, x=x, y=ground + 18, text_anchor="middle", style=style))
    return joined(parts)


def _layer(columns: Mapping[str, np.ndarray], color: Mapping[str, str], look: Look) -> Markup:
    """Return one layer as segments, boxes or points, depending on the names of its columns."""
    line = f"var(--ot-{color['line_color']})" if "line_color" in color else "none"
    fill = f"var(--ot-{color['fill_color']})" if "fill_color" in color else "none"
    style = f"stroke:{line};fill:{fill};stroke-width:{look.width:g};opacity:{look.opacity:g}"
    if "x0" in columns:
        pen = "M{0:.1f} {1:.1f}L{2:.1f} {3:.1f}"
        values = [columns[name] for name in ("x0", "y0", "x1", "y1")]
    elif "left" in columns:
        pen = "M{0:.1f} {1:.1f}H{2:.1f}V{3:.1f}H{0:.1f}Z"
        values = [columns[name] for name in ("left", "bottom", "right", "top")]
    else:
        pen = _SHAPES[look.shape]
        half = np.full(len(columns["x"]), look.size / 2)
        values = [columns["x"], columns["y"], half, 2 * half]
    rows = np.column_stack(values)
    rows = rows[np.isfinite(rows).all(axis=1)]
    return element("path", d="".join(pen.format(*values) for values in rows.tolist()), style=style)


_SHAPES = {
    "circle": "M{0:.1f} {1:.1f}m-{2:.2f} 0a{2:.2f} {2:.2f} 0 1 0 {3:.2f} 0a{2:.2f} {2:.2f} 0 1 0 -{3:.2f} 0Z",
    "square": "M{0:.1f} {1:.1f}m-{2:.2f} -{2:.2f}h{3:.2f}v{3:.2f}h-{3:.2f}Z",
    "diamond": "M{0:.1f} {1:.1f}m-{2:.2f} 0l{2:.2f} -{2:.2f}l{2:.2f} {2:.2f}l-{2:.2f} {2:.2f}Z",
}
