"""Remarks on a lexicon: what is wrong or suspicious in one place, with its code."""

from __future__ import annotations

from dataclasses import dataclass, replace

from otlab.errors import Fault

__all__ = ["Remark"]


@dataclass(frozen=True, slots=True)
class Remark:
    """One place of a lexicon that is wrong or suspicious.

    Attributes
    ----------
    code
        Stable: ``E...`` blocks the row, ``W...`` does not.
    what, hint
        The message, and what to do.
    line, column
        In the file, from 1; None for the lexicon as a whole.
    item
        The item as written, where there is one.
    """

    code: str
    what: str
    hint: str
    line: int | None = None
    column: int | None = None
    item: str = ""

    @property
    def blocks(self) -> bool:
        """Whether the row cannot be part of the grammar."""
        return self.code.startswith("E")

    @property
    def message(self) -> str:
        """What and hint in one sentence."""
        return f"{self.what}; {self.hint}" if self.hint else self.what

    def of_the_file(self) -> Remark:
        """Return the remark for where lines are not those of the file, which it then names in words."""
        if self.line is None:
            return self
        return replace(self, what=f"line {self.line} of the file: {self.what}", line=None, column=None)

    def fault(self, file: str) -> Fault:
        """Return the remark as a fault of a file."""
        return Fault(self.what, self.hint, file, self.line, self.column)

    def __str__(self) -> str:
        place = ":".join(str(n) for n in (self.line, self.column) if n is not None)
        return f"{place}: {self.code} {self.message}" if place else f"{self.code} {self.message}"
