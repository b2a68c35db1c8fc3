"""Pictures of sound: spectrogram, waveform, units against phones, and traces of the objective."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np
from scipy.fft import rfft

from otlab.errors import counted
from otlab.html import Markup, element, joined
from otlab.viz.base.style import chrome, number_ticks
from otlab.viz.discovery.plots import labels_apart, objective_range

if TYPE_CHECKING:
    from otlab.discovery.joint.view import JointView
    from otlab.discovery.sound.scores import Contingency
    from otlab.viz.base.live import Live

__all__ = [
    "CONTINGENCY_CSS",
    "HOP",
    "PHASE_COLORS",
    "contingency_map",
    "frequency_ticks",
    "phase_element",
    "show_phase",
    "spectrogram",
    "split_phases",
    "waveform",
]

HOP = 0.005
"""Seconds per column of the spectrogram."""

WINDOW = 0.016
BANDS = 96
RANGE = 60.0
"""Decibels between white and black."""

LEAST_SHARE = 0.02
"""Smallest share of a unit's frames for which a square is drawn."""

_ROW = 13
_LEFT, _TOP = 34, 14
_NAMED = 44
"""With at most this many units, every second one is named; with more, every fourth."""

# In a narrow card columns shrink to 5 px, letters do not; a wider map scrolls below its labels.
CONTINGENCY_CSS = """
.room { container-type: inline-size; }
.map { --column: clamp(5px, (100cqw - 40px) / var(--units), 13px);
  display: grid; grid-template-columns: auto auto; justify-content: start; }
.map > * { background: var(--ot-surface); }
.map .corner { position: sticky; left: 0; top: 0; z-index: 2; }
.map .units { position: sticky; top: 0; z-index: 1; }
.map .phones { position: sticky; left: 0; z-index: 1; }
svg { display: block; overflow: visible; }
svg text { font: 400 12.5px var(--ot-forms); color: var(--ot-ink2); fill: currentColor; }
svg .unit { font: 400 11px var(--ot-ui); color: var(--ot-ink3); }
svg rect { fill: var(--ot-gibbs); }
svg .frame { fill: none; stroke: var(--ot-line2); }
"""


def mel(hertz: np.ndarray | float) -> np.ndarray | float:
    """Return the mel scale's value of a frequency."""
    return 2595 * np.log10(1 + np.asarray(hertz) / 700)


def spectrogram(samples: np.ndarray, rate: int) -> np.ndarray:
    """Return the loudness of each frequency over time.

    Parameters
    ----------
    samples, rate
        Samples of one channel, and samples per second.

    Returns
    -------
    uint8 ndarray of shape (columns, 96)
        0 for 60 dB below the loudest, 255 for the loudest; frequencies from 0 to rate / 2 at equal
        distances in mel.
    """
    hop, window = max(1, round(HOP * rate)), round(WINDOW * rate)
    size = 1 << (window - 1).bit_length()
    padded = np.pad(samples, (window // 2, window))
    windows = np.lib.stride_tricks.sliding_window_view(padded, window)[::hop][: 1 + samples.size // hop]
    power = np.abs(rfft(windows * np.hanning(window), 2 * size, axis=1)) ** 2
    edges = 700 * (10 ** (np.linspace(0, mel(rate / 2), BANDS) / 2595) - 1)
    place = edges / (rate / 2) * (power.shape[1] - 1)
    low = np.minimum(place.astype(int), power.shape[1] - 2)
    share = place - low
    between = power[:, low] * (1 - share) + power[:, low + 1] * share
    decibels = 10 * np.log10(np.maximum(between, 1e-12))
    scaled = 255 * (decibels - decibels.max() + RANGE) / RANGE
    out: np.ndarray = np.clip(scaled, 0, 255).astype(np.uint8)
    return out


def frequency_ticks(rate: int) -> list[tuple[float, str]]:
    """Return the heights (0 to 1) and labels of a spectrogram's axis; the highest label has the unit, kHz."""
    top = rate / 2
    ticks = [f for f in (0, 500, 1000, 2000, 4000, 8000) if f <= top]
    labels = [f"{f / 1000:g}" for f in ticks[:-1]] + [f"{ticks[-1] / 1000:g} kHz"]
    return [(float(mel(f) / mel(top)), label) for f, label in zip(ticks, labels, strict=True)]


def waveform(samples: np.ndarray, rate: int) -> np.ndarray:
    """Return the lowest and highest sample of each column, as int8 of shape (columns, 2)."""
    hop = max(1, round(HOP * rate))
    columns = -(-samples.size // hop)
    padded = np.pad(samples, (0, columns * hop - samples.size)).reshape(columns, hop)
    loudest = max(float(np.abs(samples).max(initial=0.0)), 1e-9)
    both = np.stack([padded.min(axis=1), padded.max(axis=1)], axis=1) / loudest
    return np.round(127 * both).astype(np.int8)


def contingency_map(table: Contingency) -> Markup:
    """Return a map of units (columns) by gold phones (rows); areas of marks are shares of the unit's frames.

    Units are ordered by their most frequent phone; unused ones are left out. The names of units and
    phones are separate drawings, which remain visible when the map is scrolled.
    """
    used = np.flatnonzero(table.table.sum(axis=1))
    best = table.table[used].argmax(axis=1)
    used = used[np.lexsort((-table.table[used].max(axis=1), best))]
    share = table.table[used] / table.table[used].sum(axis=1, keepdims=True)
    size, height = used.size, _ROW * len(table.phones)
    phones = joined(
        element("text", phone, x=_LEFT - 5, y=_ROW * (row + 1) - 3, text_anchor="end")
        for row, phone in enumerate(table.phones)
    )
    units = joined(
        element("text", used[k], x=_percent(k + 0.5, size), y=10, text_anchor="middle", class_="unit")
        for k in range(0, size, 2 if size <= _NAMED else 4)
    )
    marks = joined(
        _mark(table, int(unit), int(row), float(share[k, row]), k, size)
        for k, unit in enumerate(used)
        for row in np.flatnonzero(share[k] >= LEAST_SHARE)
    )
    frame = element("rect", width="100%", height=height, class_="frame")
    label = f"{counted(size, 'unit')} against {counted(len(table.phones), 'gold phone')}"
    columns = f"calc({size} * var(--column))"
    parts = [
        element("div", class_="corner"),
        _part(units, columns, _TOP, class_="units", aria_hidden="true"),
        _part(phones, f"{_LEFT}px", height, class_="phones", aria_hidden="true"),
        _part(frame + marks, columns, height, role="img", aria_label=label),
    ]
    drawn = element("div", joined(parts), class_="map", style=f"--units: {max(1, size)}")
    return element("div", drawn, class_="room")


def _part(drawn: Markup, width: str, height: int, **attributes: object) -> Markup:
    """Return one of the map's drawings, with a width in CSS and a height in pixels."""
    return element("svg", drawn, style=f"width: {width}; height: {height}px", **attributes)


def _percent(columns: float, size: int) -> str:
    """Return a length in columns as a share of the map's width."""
    return f"{100 * columns / size:.3f}%"


def _mark(table: Contingency, unit: int, row: int, share: float, k: int, size: int) -> Markup:
    """Return the mark of a unit in column `k` and a phone."""
    frames, side = int(table.table[unit, row]), float(np.sqrt(share))
    title = element(
        "title", f"unit {unit}, {table.phones[row]}: {counted(frames, 'frame')}, {100 * share:.0f} %"
    )
    inset = (1 - side) / 2
    across = {"x": _percent(k + inset, size), "width": _percent(side, size)}
    return element("rect", title, **across, y=f"{_ROW * (row + inset):.1f}", height=f"{_ROW * side:.1f}")


PHASE_COLORS = {"units": {"line_color": "vb-edge"}, "joint": {"line_color": "gibbs-edge"}}
"""Colours of the layers of :func:`phase_element`."""


@cache
def phase_element(xlabel: str) -> Any:
    """Return the trace of one phase, empty; `xlabel` is the name of a step."""
    line = [(0, 0), (1, 1)]
    parts = [hv.Curve(line, label=name).opts(line_width=2) for name in PHASE_COLORS]
    return chrome(
        hv.Overlay(parts),
        yaxis=True,
        xlabel=xlabel,
        ylabel="nats",
        min_height=90,
        yformatter=number_ticks(),
        hooks=[labels_apart],
    )


def split_phases(view: JointView) -> tuple[np.ndarray, np.ndarray]:
    """Return the objective of the units' phase, and that of the joint phase, which is empty before it begins.

    The value between the two phases is the bound of the words alone, which is comparable with neither.
    """
    words, joint = ([mark.iteration for mark in view.marks] + [view.objective.size] * 2)[:2]
    return view.objective[:words], view.objective[joint:]


def show_phase(live: Live, name: str, objective: np.ndarray) -> None:
    """Draw the objective of a phase in the layer `name`."""
    live.clear()
    if not objective.size:
        return
    live.push(name, x=np.arange(objective.size, dtype=float), y=objective)
    live.x_range(0, max(2, objective.size - 1))
    live.y_range(*objective_range(objective[objective.size // 10 :]))
