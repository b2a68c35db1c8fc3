"""Read tables of spell-out: a line ``words -> words`` for each sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otlab.errors import Fault, InputError, quoted
from otlab.mg.sentences import composed
from otlab.mg.spellout import SpellOut

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["is_spell_out", "read_spell_out", "spell_out_of"]

_ARROWS = ("->", "→")
_FORM = "write words -> words, as in: see -s -> sees"


def read_spell_out(text: str, file: str = "") -> SpellOut:
    r"""Return the spell-out that a table describes.

    Parameters
    ----------
    text
        A line ``words -> words`` for each sequence of words; ``→`` is read too. Lines that begin with
        ``#`` are comments.
    file
        What faults call it.

    Raises
    ------
    InputError
        With a fault for each line that is not understood, or that repeats another's left side.

    Examples
    --------
    >>> read_spell_out("# verbs\ngo -ed -> went\ndo -s → does\n").table[("go", "-ed")]
    ('went',)
    """
    lines = [
        (number, line)
        for number, line in enumerate(composed(text).splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    spell_out, faults = spell_out_of(lines, file)
    if not lines:
        faults.append(Fault("there is no line of spell-out", _FORM, file))
    if faults:
        raise InputError(faults)
    return spell_out


def is_spell_out(text: str) -> bool:
    """Return whether a text looks like a table of spell-out: an arrow in each line, and no ``::``."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    arrows = all(any(f" {mark} " in f" {line} " for mark in _ARROWS) for line in lines)
    return bool(lines) and arrows and "::" not in text


def spell_out_of(lines: Iterable[tuple[int, str]], file: str = "") -> tuple[SpellOut, list[Fault]]:
    """Return the table of numbered lines, and a fault for each that is not understood."""
    table: dict[tuple[str, ...], tuple[str, ...]] = {}
    first: dict[tuple[str, ...], int] = {}
    faults: list[Fault] = []
    for number, line in lines:
        arrow = next((mark for mark in _ARROWS if f" {mark} " in f" {line} "), "")
        before, _, after = f" {line} ".partition(f" {arrow} ")
        source, spelled = tuple(before.split()), tuple(after.split())
        if not (arrow and source and spelled):
            faults.append(Fault(f"{quoted(line.strip())} is no line of spell-out", _FORM, file, number, 1))
        elif source in first:
            what = f"{quoted(' '.join(source))} is spelled out in line {first[source]} already"
            faults.append(Fault(what, "keep one of the two lines", file, number, 1))
        else:
            table[source], first[source] = spelled, number
    return SpellOut(table), faults
