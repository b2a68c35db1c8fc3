"""Tagged text while it is read: words, tags and sentences so far, faults, and what is left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from otlab.errors import MOST_FAULTS, Fault, InputError, counted
from otlab.tagging.io.numbering import Numbering

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Reading", "Unpaired"]


class Unpaired(NamedTuple):
    """Why the words and the tags of an utterance are no pairs, and the number of its main line."""

    line: int
    why: str


@dataclass
class Reading:
    """Text read so far, with its faults.

    Attributes
    ----------
    left_out
        How much of each kind was left out, by the name of the kind.
    depth
        How many brackets of a tree are open.
    begun
        Line and column of the first of them.
    blank
        How many blank lines there are before the next one.
    unpaired
        The utterances of a transcript that were left out, for their words and tags are no pairs.
    unfinished
        Puts in what has been begun, or says that it is not ended; to be called after the last line.
    """

    file: str
    text: Numbering = field(default_factory=Numbering)
    faults: list[Fault] = field(default_factory=list)
    further: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    depth: int = 0
    begun: tuple[int, int] = (0, 0)
    blank: int = 0
    unpaired: list[Unpaired] = field(default_factory=list)
    unfinished: Callable[[], None] = field(default=lambda: None)

    def fault(self, line: int, column: int, what: str, hint: str) -> None:
        """Record a fault at a place."""
        self.add(Fault(what, hint, file=self.file, line=line, column=column))

    def add(self, fault: Fault) -> None:
        """Record a fault; beyond a thousand they are only counted."""
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(fault)
        else:
            self.further += 1

    def check(self) -> None:
        """Raise all faults, in the order of the lines."""
        if not self.faults:
            return
        faults = sorted(self.faults, key=lambda fault: (fault.line or 0, fault.column or 0))
        if self.further:
            faults.append(Fault(counted(self.further, "more fault"), "correct these first", file=self.file))
        raise InputError(faults)
