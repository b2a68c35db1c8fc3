"""What ``parse`` and ``induce`` share: lexicons and sentences from files, samples or standard input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otlab.errors import Fault, InputError
from otlab.files import decode, file_bytes
from otlab.mg.reading import loads, read
from otlab.samples import sample_path

if TYPE_CHECKING:
    from otlab.mg.lexicon import Lexicon
    from otlab.mg.rows import Remark

__all__ = ["lint_rows", "open_lexicon", "open_sentences"]


def open_lexicon(name: str) -> Lexicon:
    """Return the lexicon of a file, of a sample, or of standard input (``-``)."""
    if name == "-":
        return loads(decode(sys.stdin.buffer.read(), "-"), file="-")
    path = Path(name)
    return read(path if path.is_file() else sample_path(name, "mg"))


def open_sentences(name: str) -> list[tuple[str, ...]]:
    """Return the sentences of a file, one a line; empty lines are left out.

    Raises
    ------
    InputError
        If there is no such file, or no sentence in it.
    """
    path = Path(name)
    if name != "-" and not path.is_file():
        raise InputError(Fault(f"there is no file {name!r}", "give a text file, one sentence a line"))
    data = sys.stdin.buffer.read() if name == "-" else file_bytes(path)
    sentences = [tuple(line.split()) for line in decode(data, path.name).splitlines() if line.strip()]
    if not sentences:
        raise InputError(Fault("the corpus is empty", "write one sentence a line", path.name))
    return sentences


def lint_rows(remarks: list[Remark]) -> list[dict[str, Any]]:
    """Return the linter's remarks as the contract has them."""
    return [{"code": r.code, "line": r.line, "column": r.column, "message": r.message} for r in remarks]
