r"""Format numbers: true minus sign, thin spaces, a dash for a missing value.

>>> value_text(-0.0782), probability_text(1 / 3), percent_text(1 / 3), count_text(12720)
('−0.08', '0.33', '33.3\u2009%', '12,720')
>>> value_text(float("nan")), value_text(-0.001)
('–', '0.00')
>>> duration_text(0.004), duration_text(7.2), duration_text(190)
('4 ms', '7 s', '3 min')
"""

from __future__ import annotations

import math

__all__ = [
    "DASH",
    "count_text",
    "counted_text",
    "duration_text",
    "interval_text",
    "nats_text",
    "percent_text",
    "probability_text",
    "sd_text",
    "value_text",
]

DASH = "–"
_THIN = "\u2009"

_LARGE = 1e15  # above this, a float does not have all digits of a whole number
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def value_text(x: float, decimals: int = 2) -> str:
    """Return a ranking value or weight as text; infinite values as ∞ with a sign."""
    if math.isnan(x):
        return DASH
    text = "∞" if math.isinf(x) else f"{abs(x):.{decimals}f}"
    negative = x < 0 and text.strip("0.") != ""
    return f"−{text}" if negative else text


def nats_text(x: float) -> str:
    """Return a log probability or a bound as text, with one decimal and commas between thousands.

    >>> nats_text(-6035.34)
    '−6,035.3'
    """
    if not math.isfinite(x) or abs(x) < 1_000:
        return value_text(x, 1)
    return f"{'−' if x < 0 else ''}{abs(x):,.1f}"


def sd_text(x: float, decimals: int = 2) -> str:
    """Return a standard deviation as text, such as "± 0.13".

    >>> sd_text(0.128) == "±\u20090.13"
    True
    """
    return f"±{_THIN}{value_text(x, decimals)}"


def probability_text(x: float) -> str:
    """Return a probability as text with two to four decimals, more near 0 and 1.

    >>> probability_text(0.0004), probability_text(0.0123), probability_text(0.9999)
    ('below 0.001', '0.012', '0.9999')
    """
    if math.isnan(x):
        return DASH
    if x == 0.0 or x == 1.0:
        return str(int(x))
    if x < 0.001:
        return "below 0.001"
    decimals = 2 if 0.1 <= x <= 0.99 else 3 if x < 0.1 else 4
    return "above 0.9999" if x > 0.99995 else f"{x:.{decimals}f}"


def percent_text(p: float, decimals: int = 1) -> str:
    """Return a probability as a percentage, with a thin space before the sign."""
    return DASH if math.isnan(p) else f"{100 * p:.{decimals}f}{_THIN}%"


def interval_text(low: float, high: float) -> str:
    """Return an interval of probabilities as percentages, without the sign.

    >>> interval_text(0.2512, 0.4283)
    '25–43'
    """
    if math.isnan(low) or math.isnan(high):
        return DASH
    return f"{100 * low:.0f}{DASH}{100 * high:.0f}"


def count_text(n: float) -> str:
    """Return a whole number as text, with commas between thousands; very large ones with a power of ten.

    >>> count_text(20000), count_text(8_222_838_654_177_922_817_725_562_880_000_000)
    ('20,000', '8.2 × 10³³')
    """
    if math.isfinite(n) and abs(n) >= _LARGE:
        digits, power = f"{n:.1e}".split("e")
        return f"{digits} × 10{str(int(power)).translate(_RAISED)}".replace("-", "−")
    return f"{n:,.0f}".replace("-", "−") if math.isfinite(n) else DASH


def counted_text(n: float, noun: str) -> str:
    """Return a whole number, as :func:`count_text` writes it, with its noun in the singular or the plural.

    >>> counted_text(1, "draw"), counted_text(20_000, "draw")
    ('1 draw', '20,000 draws')
    """
    return f"{count_text(n)} {noun if n == 1 else f'{noun}s'}"


def duration_text(seconds: float) -> str:
    """Return a duration in a suitable unit: "4 ms", "7 s", "3 min", "2 h"."""
    if not math.isfinite(seconds):
        return DASH
    if seconds < 0.95:
        return f"{max(1, round(1000 * seconds))} ms"
    if seconds < 99.5:
        return f"{round(seconds)} s"
    return f"{round(seconds / 60)} min" if seconds < 5970 else f"{round(seconds / 3600)} h"
