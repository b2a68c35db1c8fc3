"""The answers of a class as CSV, which a spreadsheet shows as text."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from otlab.ui.classroom.board import STATES

if TYPE_CHECKING:
    from otlab.ui.classroom.board import Board

__all__ = ["answers_csv", "as_text"]

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def as_text(typed: str) -> str:
    """Return what a student typed so that no spreadsheet takes it for a formula: after an apostrophe.

    >>> as_text("=1+1"), as_text("Max >> Dep")
    ("'=1+1", 'Max >> Dep')
    """
    return f"'{typed}" if typed.lstrip(" ").startswith(_FORMULA) else typed


def answers_csv(board: Board) -> bytes:
    """Return one row for each page: name, state, what it ran, answer and reason, guess and result."""
    guessed = list(dict.fromkeys(name for entry in board.entries.values() for name in entry.guessing))
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    heads = ["page", "name", "state", "ran", "answer", "why", "guess against result"]
    writer.writerow(
        [*heads, *(as_text(f"{kind} {name}") for kind in ("guess", "result") for name in guessed)]
    )
    for entry in sorted(board.entries.values(), key=lambda entry: entry.number):
        texts = (entry.name, STATES[entry.state], entry.doing, entry.answer, entry.why, entry.guess_text)
        numbers = []
        for groups in (entry.guess, entry.truth):
            flat = [number for group in groups or () for number in group]
            found = dict(zip(entry.guessing, flat, strict=False))
            numbers += [f"{found[name]:.6g}" if name in found else "" for name in guessed]
        writer.writerow([entry.number, *map(as_text, texts), *numbers])
    return b"\xef\xbb\xbf" + table.getvalue().encode()
