"""Read the interval tiers of a Praat TextGrid, and choose those of phones and of words.

Tiers are chosen by their names: ``phones``, ``segments``, ``phonemes``, ``Laute`` or WebMAUS's ``MAU``, and
``words``, ``Wörter``, ``mots`` or ``ORT-MAU``; in any case, and with a speaker before them, as in the
Montreal Forced Aligner's ``sp1 - phones``. Of several speakers all tiers are read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from otlab.discovery.io.intervals import PAUSES, Interval
from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["merged", "parse_textgrid", "tiers_called"]

_TOKEN = re.compile(
    r'"((?:[^"]|"")*)"|(?<![\w\[])([+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)(?![\w\]])|<(?:exists|absent)>'
)
_HEADS = (["ooTextFile", "TextGrid"], ["ooTextFile short", "TextGrid"])  # the second by old versions of Praat

_NAMES = {
    "phones": (
        r"phones?|segments?",
        r"phonemes?|phonetic|phonemic|phns?|phons?|mau|laute?|sons?|sounds?|fonos?|fonemas?|foni|phoneme",
        r".*(phone|segment).*",
    ),
    "words": (
        r"words?",
        r"ort-mau|ort|orthography|orthographic|w(ö|oe|o)rter|wort|mots?|palabras?|palavras?|parole?|woorden",
        r".*word.*",
    ),
}
"""Patterns of the names of tiers, the surest first; a speaker may stand before them, as ``speaker -``."""


def tiers_called(names: Sequence[str], kind: str) -> list[str]:
    """Return which tiers hold ``phones`` or ``words``, by their names; several if speakers have their own.

    >>> tiers_called(["ORT-MAU", "KAN-MAU", "MAU"], "phones")
    ['MAU']
    >>> tiers_called(["A - words", "A - phones", "B - words", "B - phones"], "words")
    ['A - words', 'B - words']
    """
    for pattern in _NAMES[kind]:
        found = [name for name in names if re.fullmatch(pattern, name.strip().lower())]
        if found:
            return found[:1]
        found = [name for name in names if _of_speaker(name) and re.fullmatch(pattern, _of_speaker(name))]
        if found:
            return found
    return []


def _of_speaker(name: str) -> str:
    """Return the name without the speaker that it begins with; empty if there is none."""
    match = re.fullmatch(r".+?\s*(?:\s-\s|[:/_])\s*(.+)", name.strip())
    return match[1].strip().lower() if match else ""


def merged(tiers: Mapping[str, Sequence[Interval]], names: Sequence[str]) -> list[Interval]:
    """Return the intervals of some tiers in order of time; of several speakers without their pauses."""
    several = len(names) > 1
    return sorted(i for name in names for i in tiers[name] if not several or i.label not in PAUSES)


def parse_textgrid(text: str, file: str = "") -> dict[str, list[Interval]]:
    """Return the interval tiers of a Praat TextGrid, in the long or short format, by their names.

    As in Praat, numbers and quoted strings are read in order and words such as ``xmin =`` are
    ignored. Point tiers are left out; of several tiers with the same name the first is returned.
    Intervals of length 0 are returned as they are.

    Raises
    ------
    InputError
        If the text is not a TextGrid, is cut off, or an interval ends before it starts.
    """
    found = list(_TOKEN.finditer(text))
    texts = [m[0] if m[1] is None else m[1].replace('""', '"') for m in found]
    if texts[:2] not in _HEADS:
        what = "is no TextGrid in Praat's text format"
        raise InputError(Fault(what, "save it as text in Praat", file=file))
    if texts[4:5] == ["<absent>"]:
        return {}
    tiers: dict[str, list[Interval]] = {}
    try:
        at = 6  # file type, object class, xmin, xmax, <exists>, number of tiers
        for _ in range(int(texts[5])):
            kind, title, size = texts[at], texts[at + 1], int(texts[at + 4])
            width = 3 if kind == "IntervalTier" else 2
            values = texts[at + 5 : at + 5 + width * size]
            if len(values) < width * size:
                raise IndexError
            if kind == "IntervalTier":
                tiers.setdefault(title, _tier(values, title, file))
            at += 5 + width * size
    except InputError:  # is a ValueError too
        raise
    except (IndexError, ValueError):
        what = f"is cut off or faulty at item {len(texts)}"
        raise InputError(Fault(what, "save it again", file=file)) from None
    return tiers


def _tier(values: Sequence[str], title: str, file: str) -> list[Interval]:
    intervals = []
    faults = []
    for start, end, label in zip(values[::3], values[1::3], values[2::3], strict=True):
        interval = Interval(float(start), float(end), label.strip())
        if interval.end < interval.start:
            what = f"interval {label!r} of tier {title} ends at {end} s, before it starts at {start} s"
            faults.append(Fault(what, "correct it in Praat", file=file))
        intervals.append(interval)
    if faults:
        raise InputError(faults)
    return intervals
