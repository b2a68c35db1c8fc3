"""A figure with one row per item, between aligned columns of labels and numbers.

::

    columns | picture | more pictures or columns
    --------+---------+-------------------------      one scroll bar for all, when rows get too low
      foot: an axis that stays in sight, if given
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.ui.components.layout import FILLED
from otlab.viz.base.rows import AXIS_HEIGHT, ROW_HEIGHT, rows_height

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.viz.base.live import Live

__all__ = ["figure_pane", "row_plot"]

_GUTTER = {"min-height": "0", "scrollbar-gutter": "stable"}  # the same for what scrolls and for its foot


def figure_pane(live: Live, width: int | None = None) -> pn.pane.Bokeh:
    """Return a live figure as high as its row of columns, as wide as there is room or `width` pixels."""
    if width is None:
        return pn.pane.Bokeh(live.figure, sizing_mode="stretch_both", margin=0)
    live.figure.update(width=width, sizing_mode="stretch_height")
    return pn.pane.Bokeh(live.figure, sizing_mode="stretch_height", width=width, margin=0)


def row_plot(
    *parts: Any,
    rows: int,
    head: int = 0,
    row: int = ROW_HEIGHT,
    foot: Sequence[Any] = (),
    axis: bool = True,
) -> pn.Column:
    """Return columns and pictures in a row, in a box that scrolls if `rows` do not fit.

    Parameters
    ----------
    parts
        Figures by :func:`figure_pane`; columns of :func:`otlab.viz.base.rows.rows_html` in an HTML pane
        with ``sizing_mode="stretch_height"``.
    rows, head, row
        How many rows there are, the pixels kept free above them, and their least height in pixels.
    foot
        What stands below the parts and does not scroll with them, of the same widths.
    axis
        Whether the parts have room for an axis below their rows, as they have without `foot`.
    """
    least = rows_height(rows, head, row, axis=axis)
    beside = pn.Row(*parts, sizing_mode="stretch_both", min_height=least, margin=0, styles={"gap": "0"})
    if not foot:
        return pn.Column(beside, sizing_mode="stretch_both", scroll="y-auto", margin=0)
    options: dict[str, Any] = {"margin": 0, "stylesheets": [FILLED]}
    room = f"100% - {AXIS_HEIGHT}px"
    whole = {"max-height": f"round(down, {room}, {row}px)" if axis else f"calc({room})"}  # no row is cut
    styles = {**_GUTTER, **whole}
    rolling = pn.Column(beside, sizing_mode="stretch_both", scroll="y-auto", styles=styles, **options)
    below = pn.Row(*foot, sizing_mode="stretch_width", margin=0, styles={"gap": "0"})
    fixed = pn.Column(below, sizing_mode="stretch_width", styles={**_GUTTER, "overflow": "hidden"}, **options)
    return pn.Column(rolling, fixed, sizing_mode="stretch_both", styles={"min-height": "0"}, **options)
