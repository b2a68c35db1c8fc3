"""Plot of f(v) = exp digamma(v), by which VB replaces a count v (Johnson 2007, Figure 5)."""

from __future__ import annotations

from functools import cache
from typing import Any

import holoviews as hv
import numpy as np
from scipy.special import digamma

from otlab.viz.base.rows import Layers, empty_curve
from otlab.viz.base.style import chrome

__all__ = ["PRIOR_COLORS", "mass_share", "prior_advice", "prior_data", "prior_element", "prior_is_usual"]

PRIOR_COLORS = {
    "f": {"line_color": "vb-edge"},
    "identity": {"line_color": "em-edge"},
    "less half": {"line_color": "ink3"},
    "alpha": {"fill_color": "accent", "line_color": "surface"},
}
_RANGE = 3.0


@cache
def prior_element() -> Any:
    """Return the empty picture, a HoloViews overlay."""
    layers = [
        empty_curve("identity").opts(line_width=1.6),
        empty_curve("less half").opts(line_width=1.2, line_dash=[4, 4]),
        empty_curve("f").opts(line_width=2.4),
        hv.Scatter(([], []), label="alpha").opts(size=10, line_width=1.5),
    ]
    return chrome(
        hv.Overlay(layers),
        yaxis=True,
        xlabel="v: expected count in a state, plus α",
        ylabel="count after VB's discount",
        xlim=(0, _RANGE),
        ylim=(0, _RANGE),
    )


def prior_data(alpha: float) -> Layers:
    """Return layer label to {glyph property: array} for one emission prior."""
    v = np.linspace(0.01, _RANGE, 200)
    marks = np.array([alpha, alpha + 1])
    return {
        "identity": {"x": v, "y": v},
        "less half": {"x": v, "y": v - 0.5},
        "f": {"x": v, "y": np.exp(digamma(v))},
        "alpha": {"x": marks, "y": np.exp(digamma(marks))},
    }


LEAST_SHARE, MOST_SHARE = 0.01, 0.5  # usual pseudo-tokens of the prior per real token


def mass_share(types: int, tokens: int, states: int, alpha: float) -> float:
    """Return the prior's mass per state divided by the tokens per state; if large, VB uses few states."""
    return types * alpha / (tokens / states)


def prior_is_usual(types: int, tokens: int, states: int, alpha: float) -> bool:
    """Return whether the prior's mass per token is similar to that of the published experiments."""
    return LEAST_SHARE <= mass_share(types, tokens, states, alpha) <= MOST_SHARE


def prior_advice(types: int, tokens: int, states: int, alpha: float) -> str:
    """Return one or two sentences on the effect of this prior on VB, as HTML."""
    share = mass_share(types, tokens, states, alpha)
    words = f"The prior adds {share:.2g} pseudo-tokens for every real token"
    better = 0.2 * tokens / states / types
    if share > MOST_SHARE:
        return f"{words}: VB will use few, large states. Try α = {better:.2g}."
    if share < LEAST_SHARE:
        return f"{words}: rare words settle in the first iteration, before any context is learnt."
    return f"{words}. The Penn Treebank with α 0.1 has 0.21."
