"""What a table of tableaux was read as, and the other ways to read it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict

from otlab.ot.io.layout import FORMATS, could_be
from otlab.reading import PREVIEW_LINES, ReadAs

if TYPE_CHECKING:
    from otlab.ot.io.cells import Arranged

__all__ = ["options_of", "readings_of"]

_SIGN = {"sign": "as written"}
_KEPT = "signs as written: a negative number is a reward"
_TURNED = "negative numbers are penalties"


def readings_of(found: Arranged, negative: bool, kept: bool) -> tuple[ReadAs, ...]:
    """Return how a table was read, then the other ways to read it.

    Parameters
    ----------
    found
        Its cells in the usual order, and what its columns are.
    negative
        Whether the violations are all 0 or below in the file.
    kept
        Whether their sign was kept: else they were read as penalties.
    """
    preview = tuple(tuple(cell.text for cell in row) for row in found.lines[1 : 1 + PREVIEW_LINES])
    heads = tuple(head or str(n) for n, head in enumerate(found.heads, 1))
    read = ReadAs(found.format, FORMATS[found.format], found.roles, preview=preview, heads=heads)
    others = [
        ReadAs(format, FORMATS[format], preview=preview, heads=heads)
        for format in could_be(found.lines)
        if format != found.format
    ]
    if negative:
        both = [
            replace(read, label=f"{read.label}, {_TURNED}", note=_TURNED),
            replace(read, label=f"{read.label}, {_KEPT}", options=_SIGN, note=_KEPT),
        ]
        return (*(reversed(both) if kept else both), *others)
    return (read, *others)


class Options(TypedDict, total=False):
    """Arguments of :func:`otlab.ot.io.read.read_bytes`."""

    format: str
    keep_sign: bool


def options_of(reading: ReadAs | None) -> Options:
    """Return what a reading sets of ``read_bytes``: its format, and whether signs are kept."""
    if reading is None:
        return {}
    return {"format": reading.format, "keep_sign": reading.options == _SIGN}
