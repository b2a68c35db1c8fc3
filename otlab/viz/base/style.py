"""Style of all plots: axes and grid.

Plots are described in HoloViews and styled by :func:`chrome`. Their colours are set by
:class:`otlab.viz.base.live.Live`, which changes them when the page turns dark. The page recolours
axes, grid and text.

Plots use Canvas, not WebGL: on computers that render graphics in software (in class rooms,
on remote desktops) WebGL blocks the page for most of each second.
"""

from __future__ import annotations

from typing import Any

import holoviews as hv
from bokeh.models import CustomJSTickFormatter

from otlab.viz.base.tokens import UI

__all__ = ["chrome", "number_ticks"]

hv.Store.set_current_backend("bokeh") if "bokeh" in hv.Store.renderers else hv.extension("bokeh", logo=False)
hv.renderer("bokeh").webgl = False


_TICK = "return tick.toLocaleString('en-US', {maximumFractionDigits: 3}).replace('-', '\\u2212') + unit"


def number_ticks() -> CustomJSTickFormatter:
    """Return a formatter of ticks with commas between thousands and a true minus; `args` has the "unit"."""
    return CustomJSTickFormatter(code=_TICK, args={"unit": ""})


def _bare(plot: Any, element: Any) -> None:
    """Remove frame, tool bar, background and axis ticks."""
    figure = plot.state
    figure.toolbar_location = None
    figure.min_border = 0
    figure.outline_line_color = None
    figure.background_fill_alpha = figure.border_fill_alpha = 0
    for axis in figure.axis:
        axis.major_tick_line_color = axis.minor_tick_line_color = None
        axis.major_label_text_font_size = "11px"
        axis.major_label_text_font = axis.axis_label_text_font = UI
        axis.axis_label_text_font_size = "11px"
        axis.axis_label_text_font_style = "normal"
        axis.axis_label_standoff = 2


def chrome(
    element: Any, *, xaxis: bool = True, yaxis: bool = False, grid: bool = True, **options: Any
) -> Any:
    """Return the element in otlab's style.

    Parameters
    ----------
    element
        A HoloViews element or overlay.
    xaxis, yaxis
        Whether to draw the axis.
    grid
        Whether to draw thin vertical lines at the x ticks (and horizontal ones if there is a y axis).
    options
        Further plot options of HoloViews: ``xlabel`` and ``ylabel`` (with the unit), ``xlim``,
        ``ylim``, ``xticks``, ``min_height``, ``hooks`` (called after those of this function).
    """
    hooks = [_bare, *options.pop("hooks", [])]
    common = {
        "responsive": True,
        "show_legend": False,
        "default_tools": [],
        "xlabel": "",
        "ylabel": "",
        "title": "",
        "xaxis": "bottom" if xaxis else None,
        "yaxis": "left" if yaxis else None,
        "show_grid": grid,
        "gridstyle": {"grid_line_width": 1, **({} if yaxis else {"ygrid_line_color": None})},
        "toolbar": None,
        "hooks": hooks,
    }
    return element.opts(**{**common, **options})
