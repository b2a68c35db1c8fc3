"""Lines of CHAT transcripts (CHILDES, ``.cha``): main lines of utterances and the lines that depend on them.

::

    @Begin
    *CHI:   more cookie .          a main line: a speaker's utterance, in spelling
    %mor:   qn|more n|cookie .     a line that depends on it: parts of speech
    %pho:   mɔ kʊki                another: what was said, in phones
    @End

A line that begins with a tab continues the one before. See MacWhinney (2000), *The CHILDES Project:
Tools for analyzing talk*, and its manual of CHAT.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["MAIN", "UNHEARD", "Line", "is_chat", "joined_lines", "without_times"]

MAIN = "*"
"""What main lines begin with."""

UNHEARD = ("xxx", "yyy", "www", "xx", "yy")
"""What stands in place of words that were not understood; the last two by older manuals."""

_LINE = re.compile(r"([*%][^:\s]*):\s*(.*)")
_TIME = re.compile("\x15[^\x15]*\x15")


class Line(NamedTuple):
    """A line with those that continue it.

    Attributes
    ----------
    number
        Of its first line, counted from 1.
    name
        ``*CHI``, ``%mor``; empty for headers.
    words
        What stands behind the name.
    """

    number: int
    name: str
    words: str


def is_chat(text: str) -> bool:
    r"""Return whether a text begins as CHAT does.

    Examples
    --------
    >>> is_chat("@UTF8\n@Begin\n"), is_chat("@ home")
    (True, False)
    """
    head = text.lstrip("\ufeff \t\r\n")[:2000]
    return head.startswith(("@UTF8", "@Begin", "@Font:", "@PID:"))


def joined_lines(numbered: Iterable[tuple[int, str]]) -> list[Line]:
    """Return numbered lines, each with those that continue it; blank ones are left out."""
    out: list[Line] = []
    for number, line in numbered:
        match = _LINE.match(line)
        if match:
            out.append(Line(number, match[1], match[2]))
        elif line.startswith("\t") and out:
            out[-1] = out[-1]._replace(words=f"{out[-1].words} {line.strip()}")
        elif line.strip():
            out.append(Line(number, "", ""))
    return out


def without_times(words: str) -> str:
    """Return the words of a line without the times of its recording."""
    return _TIME.sub(" ", words)
