"""A table of reading times that a user opens: read, and as the grammar lab keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from otlab.errors import collected_warnings
from otlab.files import decode_any
from otlab.mg.io.times import read_times, times_as, times_text
from otlab.reading import NOT_USED, ReadAs

if TYPE_CHECKING:
    from otlab.ui.source import Source

__all__ = ["TimesFile", "read_times_file"]

_PLAIN = ("sentence", "word", "ms")


class TimesFile(NamedTuple):
    """A table of times that was opened: its text for documents, how it was read, and warnings."""

    text: str
    how: ReadAs
    sentences: int
    warnings: tuple[str, ...]


def read_times_file(source: Source, how: ReadAs | None = None) -> TimesFile:
    """Return a table of reading times; what has other columns becomes one of sentence, word, ms.

    Parameters
    ----------
    source
        The file.
    how
        What its columns are; None to tell by their names.

    Raises
    ------
    InputError
        With all its faults.
    """
    with collected_warnings() as notes:
        text = decode_any(source.content(), source.name)
        how = how or times_as(text, source.name)
        sentences = read_times(text, source.name, how)
    if notes or tuple(role for role in how.columns if role != NOT_USED) != _PLAIN:
        comments = "".join(line for line in text.splitlines(keepends=True) if line[:1] == "#")
        text = times_text(sentences, comments)
    return TimesFile(text, how, len(sentences), tuple(notes))
