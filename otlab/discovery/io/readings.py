"""Say what a file was taken for, and offer the other ways to read it, with its first lines.

Texts are read by their :class:`~otlab.discovery.io.text.TextFormat`; of sound, the tiers of TextGrids can be
chosen.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING

from otlab.discovery.io import chat
from otlab.discovery.io.text import TextFormat, bare_lines, cut_line, formats_of, header_of, lines_of
from otlab.errors import Fault, InputError, collected_warnings
from otlab.files import decode_any
from otlab.reading import NOT_USED, PREVIEW_LINES, ReadAs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "KINDS",
    "form_of",
    "reading_of",
    "readings",
    "readings_of_text",
    "tiers_named",
    "tiers_of",
    "tiers_reading",
]

KINDS = ("phones", "words")
"""What a tier can hold."""

_CELLS = 12  # words of a line that are shown
_MOST_SHOWN = 2000  # characters of a line


def readings(data: bytes, file_name: str) -> tuple[ReadAs, ...]:
    """Return the ways in which a phonemic text can be read, the most probable first."""
    with collected_warnings():  # who reads the file is told of them
        text = decode_any(data, file_name)
    return readings_of_text(text, file_name)


def readings_of_text(text: str, file_name: str) -> tuple[ReadAs, ...]:
    """Return the ways in which a text can be read, as :func:`readings` does."""
    return tuple(reading_of(text, form) for form in formats_of(text, file_name))


def reading_of(text: str, form: TextFormat) -> ReadAs:
    """Return one way to read a text, with its first lines as words of phones."""
    lines = lines_of(text)
    whole = chat.utterances(lines, form.tier).lines if form.name == "cha" else header_of(lines)[1]
    body = bare_lines([(n, line) for n, line in whole if line.strip()][:PREVIEW_LINES], form)
    preview = tuple(_cells(line, form) for _, line in body)
    options = {"separator": form.separator, "word_separator": form.word_separator}
    if form.tier:
        options["tiers"] = f"phones={form.tier}"
    width = max(map(len, preview), default=0)
    heads = tuple(f"word {n}" for n in range(1, width + 1)) if form.word_separator else ("utterance",)
    return ReadAs(form.name, form.in_words, options=options, preview=preview, heads=heads)


def _cells(line: str, form: TextFormat) -> tuple[str, ...]:
    """Return the words of a line, with blanks between their phones."""
    return tuple(" ".join(word) for word in cut_line(line[:_MOST_SHOWN], form)[:_CELLS])


def form_of(reading: ReadAs) -> TextFormat:
    """Return the format of a text by the reading that was chosen."""
    options = reading.options
    tier = options.get("tiers", "").removeprefix("phones=")
    return TextFormat(reading.format, options["separator"], options["word_separator"], tier)


def tiers_named(text: str) -> dict[str, str]:
    """Return the names of tiers that are written as ``words=NAME,phones=NAME``, or one of them.

    Raises
    ------
    InputError
        If it is written otherwise.

    Examples
    --------
    >>> tiers_named("words=ORT,phones=MAU")
    {'words': 'ORT', 'phones': 'MAU'}
    """
    if not text:
        return {}
    pairs = [part.partition("=") for part in re.split(r",(?=\s*(?:words|phones)=)", text)]
    tiers = {kind.strip(): name.strip() for kind, _, name in pairs}
    if not all(kind in ("words", "phones") and name for kind, name in tiers.items()):
        raise InputError(Fault(f"--tiers {text}", "write words=NAME,phones=NAME, or one of them"))
    return tiers


def tiers_reading(offered: Mapping[str, Sequence[str]], tiers: Mapping[str, str | None]) -> ReadAs:
    """Return how the tiers of TextGrids are read: a column a tier, which can be given another role.

    Parameters
    ----------
    offered
        The names of all interval tiers, with their first labels.
    tiers
        Names of those with ``phones`` and with ``words``, several joined by ``, ``; None for none.
    """
    used = {name: kind for kind in KINDS for name in (tiers.get(kind) or "").split(", ")}
    columns = tuple(used.get(name, NOT_USED) for name in offered)
    rows = tuple(zip_longest(*offered.values(), fillvalue=""))[:PREVIEW_LINES]
    return ReadAs("sound", "tiers of TextGrids", columns, preview=rows, heads=tuple(offered), roles=KINDS)


def tiers_of(reading: ReadAs) -> dict[str, str]:
    """Return the names of the tiers with phones and words; an empty name means none."""
    named = dict(zip(reading.columns, reading.heads, strict=True))
    return {kind: named.get(kind, "") for kind in KINDS}
