"""A lexicon while it is being read, in whatever format."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from otlab.errors import Fault

if TYPE_CHECKING:
    from otlab.mg.features import Convention
    from otlab.mg.io.rows import Row
    from otlab.mg.lexicon import ExpectedSentence
    from otlab.mg.remarks import Remark

__all__ = ["Draft"]


@dataclass
class Draft:
    """A lexicon while it is being read.

    Attributes
    ----------
    file, kind
        The file's name, for messages, and its ending.
    rows, start, convention, sentences, alpha, category_alpha
        As gathered so far.
    header
        Values of the leading comment lines ``# title:``, ``# source:`` and ``# what:``.
    faults
        What was wrong with lines that are not entries.
    remarks
        What was left out of the file.
    """

    file: str
    kind: str = ".mg"
    rows: list[Row] = field(default_factory=list)
    start: tuple[str, ...] = ()
    convention: Convention = "seed"
    convention_given: bool = False
    sentences: list[ExpectedSentence] = field(default_factory=list)
    alpha: float = 1.0
    category_alpha: dict[str, float] = field(default_factory=dict)
    header: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)

    def fault(self, what: str, cure: str, line: int, column: int, text: str) -> None:
        """Note what is wrong with a line."""
        self.faults.append(Fault(what, cure, self.file, line, column, text))
