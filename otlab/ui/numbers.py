r"""Numbers as people read them: thousands commas, true minus signs, times, shares.

>>> count(20000), signed(-0.084), percent(0.3333), duration(7.2), duration(190)
('20,000', '−0.08', '33.3\u2009%', '7 s', '3 min')
"""

from __future__ import annotations

import math

__all__ = ["DASH", "count", "duration", "interval", "percent", "signed"]

DASH = "–"
_MINUS = "−"
_THIN = "\u2009"


def count(n: float) -> str:
    """Return a whole number with thousands commas."""
    return f"{n:,.0f}".replace("-", _MINUS) if math.isfinite(n) else DASH


def signed(x: float, decimals: int = 2) -> str:
    """Return a number with a true minus sign; never "-0.00"."""
    if not math.isfinite(x):
        return DASH
    shown = f"{x:.{decimals}f}"
    return shown.lstrip("-") if float(shown) == 0 else shown.replace("-", _MINUS)


def percent(share: float, decimals: int = 1) -> str:
    """Return a share of one as percents, with a thin space."""
    return f"{100 * share:.{decimals}f}{_THIN}%" if math.isfinite(share) else DASH


def interval(low: float, high: float, decimals: int = 0) -> str:
    """Return two ends with an en dash between them: "25–43"."""
    return f"{signed(low, decimals)}{DASH}{signed(high, decimals)}"


def duration(seconds: float) -> str:
    """Return a time in the unit that fits it: "4 ms", "7 s", "3 min", "2 h"."""
    if not math.isfinite(seconds):
        return DASH
    if seconds < 0.95:
        return f"{max(1, round(1000 * seconds))} ms"
    if seconds < 99.5:
        return f"{round(seconds)} s"
    return f"{round(seconds / 60)} min" if seconds < 5970 else f"{round(seconds / 3600)} h"
