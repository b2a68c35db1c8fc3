"""Colours and fonts of the page, its controls, plots and drawings.

Two dicts, light and dark, map names to ``#rrggbb``. The page's style sheet (``var(--ot-accent)``), the
theme of its controls and all Bokeh glyphs use them; no other file contains a colour. A learner has
the same hue everywhere, in three shades: its fill, its edge (for lines and the borders of pale fills;
contrast at least 3:1) and its text (at least 4.5:1)::

    gibbs  gibbs-edge  gibbs-text        gla ...   maxent ...   em ...   vb ...   other ...

>>> LIGHT[edge("em")]
'#B07500'
"""

from __future__ import annotations

from typing import Literal

__all__ = [
    "CODE",
    "DARK",
    "FORMS",
    "HUES",
    "LIGHT",
    "SPECTROGRAM",
    "UI",
    "Hue",
    "Tokens",
    "edge",
    "fill",
    "mix",
    "text",
    "variable",
]

UI = 'Inter, "Noto Sans", "Segoe UI", system-ui, sans-serif'
FORMS = '"Charis SIL", "Gentium Plus", "Doulos SIL", "Noto Serif", "DejaVu Serif", serif'
CODE = '"JetBrains Mono", "Noto Sans Mono", "DejaVu Sans Mono", monospace'

Tokens = dict[str, str]
Hue = Literal["gibbs", "gla", "maxent", "em", "vb", "other"]
HUES: tuple[Hue, ...] = ("gibbs", "gla", "maxent", "em", "vb", "other")

LIGHT: Tokens = {
    "bg": "#F5F4F0",  # the page
    "surface": "#FFFFFF",  # cards, side bar, header
    "inset": "#FAF9F6",  # wells inside cards
    "line": "#E6E3DB",  # card edges, row rules
    "line2": "#CBC7BB",  # tableau rules, axes
    "ctl": "#8E897F",  # the border of anything that can be operated
    "ink": "#1B1E25",
    "ink2": "#4F5561",
    "ink3": "#636873",
    "accent": "#4B3FA7",  # act here; selected
    "soft": "#EEECF9",  # selected ground
    "on": "#FFFFFF",  # text on accent
    "shade": "#ECEAE4",  # tableau shading, bar tracks
    "grid": "#ECE9E2",
    "good": "#0B6B4A",
    "good-bg": "#E3F4EC",
    "warn": "#8A5A00",
    "warn-bg": "#FFF3D6",
    "bad": "#B3261E",
    "bad-bg": "#FCEAE8",
    "gibbs": "#0072B2",
    "gibbs-edge": "#0072B2",
    "gibbs-text": "#00639B",
    "gla": "#D55E00",
    "gla-edge": "#D55E00",
    "gla-text": "#A84900",
    "maxent": "#009E73",
    "maxent-edge": "#009E73",
    "maxent-text": "#00734F",
    "em": "#E69F00",
    "em-edge": "#B07500",
    "em-text": "#8A5A00",
    "vb": "#CC79A7",
    "vb-edge": "#CC79A7",
    "vb-text": "#9A3F73",
    "other": "#56B4E9",
    "other-edge": "#2B8FC6",
    "other-text": "#00639B",
}

DARK: Tokens = {
    "bg": "#121419",
    "surface": "#1B1E25",
    "inset": "#20242C",
    "line": "#2E333D",
    "line2": "#4A505D",
    "ctl": "#737A88",
    "ink": "#EEECE6",
    "ink2": "#BCC0C8",
    "ink3": "#959BA7",
    "accent": "#B4ABFF",
    "soft": "#2C2950",
    "on": "#17142E",
    "shade": "#2A2E37",
    "grid": "#292E37",
    "good": "#6BDDB0",
    "good-bg": "#16352B",
    "warn": "#F4C462",
    "warn-bg": "#3A2E12",
    "bad": "#FF9D94",
    "bad-bg": "#40201D",
    "gibbs": "#56B4E9",
    "gibbs-edge": "#56B4E9",
    "gibbs-text": "#7CC6F0",
    "gla": "#F28E4E",
    "gla-edge": "#F28E4E",
    "gla-text": "#FFAA75",
    "maxent": "#2FC596",
    "maxent-edge": "#2FC596",
    "maxent-text": "#5CD9B1",
    "em": "#F0B429",
    "em-edge": "#F0B429",
    "em-text": "#F4C462",
    "vb": "#DE9CC1",
    "vb-edge": "#DE9CC1",
    "vb-text": "#EDB9D5",
    "other": "#B5E0F8",
    "other-edge": "#B5E0F8",
    "other-text": "#B5E0F8",
}

# From the least energy to the most.
SPECTROGRAM = ("#FFFFFF", "#E2EBF3", "#96BEDC", "#2878B4", "#08325F", "#0A142D")


def fill(hue: Hue) -> str:
    """Return the token for a learner's areas and dots."""
    return hue


def edge(hue: Hue) -> str:
    """Return the token for a learner's lines, and for the borders of its fills."""
    return f"{hue}-edge"


def text(hue: Hue) -> str:
    """Return the token for text in a learner's colour."""
    return f"{hue}-text"


def variable(token: str) -> str:
    """Return a token as a CSS variable, with the light colour for pages that do not define it.

    >>> variable("ink")
    'var(--ot-ink, #1B1E25)'
    """
    return f"var(--ot-{token}, {LIGHT[token]})"


def mix(low: str, high: str, share: float) -> str:
    """Return the colour `share` of the way from one ``#rrggbb`` to another.

    >>> mix("#000000", "#FF8000", 0.5)
    '#804000'
    """
    pairs = ((int(low[i : i + 2], 16), int(high[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02X}" for a, b in pairs)
