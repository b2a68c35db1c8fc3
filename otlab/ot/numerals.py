"""Numbers as people type them into a tableau, and what to say where they are none."""

from __future__ import annotations

import re

from otlab.ot.rules import MAX_VIOLATIONS

__all__ = ["frequency_cure", "parse_decimal", "parse_violations", "violation_cure"]

_INTEGER = re.compile(r"[+-]?[0-9]+(\.0*)?")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_MARKS = re.compile(r"!*(\*!*)+")


def parse_decimal(text: str) -> float | None:
    """Return a decimal number; None for anything else, also ``nan``, ``inf`` and ``1_0``."""
    text = text.replace("−", "-")
    return float(text) if _DECIMAL.fullmatch(text) else None


def parse_violations(text: str) -> int | None:
    """Return a number of violations: ``2``, ``2.0``, ``**``, ``*!*``, or 0 where empty."""
    text = text.replace("−", "-")
    if _MARKS.fullmatch(text):
        return text.count("*")
    if _INTEGER.fullmatch(text):
        return int(text.partition(".")[0])
    return None if text else 0


def violation_cure(text: str) -> str:
    """Say what to write instead of a text that is no number of violations."""
    pointed = text.replace(",", ".")
    if _DECIMAL.fullmatch(pointed) and abs(float(pointed)) < MAX_VIOLATIONS:
        below = int(float(pointed) // 1)
        return f"write {below} or {below + 1}"
    return "write how many violations there are, as 2 or **, or leave it empty for 0"


def frequency_cure(text: str) -> str:
    """Say what to write instead of a text that is no frequency."""
    pointed = text.replace(",", ".")
    if pointed != text and _DECIMAL.fullmatch(pointed):
        return f"write {pointed}"
    return "write a count or a decimal number of at least 0, or leave it empty for 0"
