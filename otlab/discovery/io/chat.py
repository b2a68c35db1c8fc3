"""Read the utterances of a CHAT transcript (CHILDES, ``.cha``).

::

    @Begin
    *CHI:   more cookie .          a main line: a speaker's utterance, in spelling
    %pho:   mɔ kʊki                a line that depends on it: what was said, in phones
    %mod:   mɔː kʊki               what the adult form would be
    @End

How lines are written: see :mod:`otlab.chat`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from otlab.chat import MAIN, UNHEARD, joined_lines, without_times

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MAIN", "TIERS", "Utterances", "tiers_in", "utterances"]

TIERS = ("%pho", "%mod", "%xpho", "%xmod", MAIN)
"""Lines with the words of an utterance, those in phones first."""

_CODES = re.compile(r"\[[^\]]*\]|[<>‹›„‡“”\"()]|&[-=~+*]?\S+|(?<!\S)(?:\+\S*|0\S*|xxx|yyy|www|\(\.+\))(?!\S)")
_GROUPS = str.maketrans("", "", "‹›„‡")  # of phones; satellites
_MARKS = str.maketrans("", "", "_,;:^+")  # compounds, commas, lengthening, blocking
_SUFFIX = re.compile(r"@\S+")


class Utterances(NamedTuple):
    """Lines of one tier with their numbers, and the numbers of main lines without one."""

    lines: list[tuple[int, str]]
    missing: list[int]


def tiers_in(text: str) -> tuple[str, ...]:
    """Return which tiers a transcript has, those in phones first."""
    found = {"*" if line.startswith("*") else line.partition(":")[0] for line in text.splitlines()}
    return tuple(tier for tier in TIERS if tier in found)


def utterances(lines: Sequence[str], tier: str) -> Utterances:
    """Return the words of each utterance on one tier, without the codes of CHAT.

    Parameters
    ----------
    lines
        All lines of the file.
    tier
        One of `TIERS`.
    """
    found: list[tuple[int, str]] = []
    missing: list[int] = []
    open_main: int | None = None
    for number, name, words in joined_lines(enumerate(lines, 1)):
        if name.startswith("*"):
            if open_main is not None:
                missing.append(open_main)
            open_main = number
        if name == tier or (tier == MAIN and name.startswith("*")):
            found.append((number, _clean(words, spelling=tier == MAIN)))
            open_main = None
    return Utterances(found, missing if open_main is None else [*missing, open_main])


def _clean(words: str, *, spelling: bool) -> str:
    """Return the words without times, codes and marks that are no sound."""
    words = without_times(words).translate(_GROUPS)
    if spelling:
        words = _SUFFIX.sub("", _CODES.sub(lambda m: "" if m[0] in "()" else " ", words)).translate(_MARKS)
    kept = (word for word in words.split() if word not in UNHEARD)
    return " ".join(word for word in kept if any(unicodedata.category(c)[0] == "L" for c in word))
