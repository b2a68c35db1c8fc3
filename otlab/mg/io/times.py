"""Tables of reading times: a line for each word, or for each word and subject, with a time.

::

    how = times_as(text, "provo.csv")          # which column is what
    sentences = read_times(text, "provo.csv")  # times of many subjects are averaged
    times_text(sentences)                      # sentence, word, ms

What is left out, averaged or kept apart is a :class:`~otlab.errors.DataWarning`.
"""

from __future__ import annotations

import csv
import math
import warnings
from io import StringIO
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from otlab.errors import MOST_FAULTS, DataWarning, Fault, InputError, counted, quoted
from otlab.files import collector_paused, stripped
from otlab.foreign_formats import foreign_format
from otlab.mg.io.time_columns import ROLES, chosen_columns, column_roles, is_missing, times_of
from otlab.mg.io.time_sentences import Reading, ReadSentence, sentences_of
from otlab.mg.sentences import composed
from otlab.reading import NOT_USED, PREVIEW_LINES, ReadAs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["ReadSentence", "names_times", "read_times", "times_as", "times_text"]

_EXAMPLE = "write three columns: sentence, word, ms"
_SNIFFED = 200  # lines that tell separator and roles
_MARKS = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "bars", " ": "blanks"}
_LAST_WORD = "<EOS>"  # as CMCL's files of ZuCo and Provo mark it
_SMALL = 20.0  # ms: no word is read so fast

Line = tuple[int, list[str]]


class _Table(NamedTuple):
    """The cells of a table: names of its columns, if its first line has any, and lines; [] is a blank one."""

    separator: str
    names: tuple[str, ...]
    lines: list[Line]


def times_as(text: str, file: str = "", columns: str = "") -> ReadAs:
    r"""Return what each column of a table of reading times is.

    Parameters
    ----------
    text, file, columns
        As for :func:`read_times`.

    Raises
    ------
    InputError
        If there is no table, or no column of words or none of times is found.

    Examples
    --------
    >>> times_as("sent_nr,word_pos,word,RT\n1,1,mary,310\n").sentence()
    'Read as columns by commas: column sent_nr is the sentence, word_pos the place, word the word, RT the ms'
    """
    if not columns:
        _refuse_other(text, file)
    return _how(_table(text, file), file, columns)


def names_times(text: str) -> bool:
    r"""Return whether a text is surely a table of reading times: heads name words, times and their order.

    Examples
    --------
    >>> names_times("sentence,word,ms\n1,mary,310\n"), names_times("word,tag\nmary,NNP\n")
    (True, False)
    """
    try:
        table = _table("\n".join(text.splitlines()[:-1][:_SNIFFED] or [text]), "")  # the last line may be cut
        roles = {*_how(table, "", "").columns}
    except InputError:
        return False
    return bool(table.names) and {"word", "ms"} <= roles and bool(roles & {"sentence", "text", "place"})


def read_times(text: str, file: str = "", columns: str | ReadAs = "") -> list[ReadSentence]:
    r"""Return the sentences of a table of reading times, in its order.

    Parameters
    ----------
    text
        A line for each word: a label of its sentence, the word, and its time in ms, separated by tabs,
        semicolons, commas or blanks. The first line may name the columns, whose order is then free; names of
        published corpora are known (:mod:`otlab.mg.io.time_columns`). A time that is missing is empty, NA,
        a dash or a dot; 0 is the time of a word that was skipped, and is missing, too. Times of several
        subjects are averaged. Where no column tells the sentences apart, they end at full stops, question
        and exclamation marks, and blank lines.
    file
        What faults call it.
    columns
        What columns are, where their names do not tell: ``ms=RTgopast,word=3``; or a reading from
        :func:`times_as`.

    Raises
    ------
    InputError
        With a fault for each line that is not understood.

    Warns
    -----
    DataWarning
        Of what is averaged, left out, or kept apart.

    Examples
    --------
    >>> read_times("sentence,word,ms\n1,mary,310\n1,sleeps,420\n2,john,305\n2,sleeps,NA\n")[1]
    ReadSentence(label='2', words=('john', 'sleeps'), times=(305.0, nan))
    """
    if not columns:
        _refuse_other(text, file)
    with collector_paused():
        table = _table(text, file)
        how = columns if isinstance(columns, ReadAs) else _how(table, file, columns)
        _check(how.columns, how.heads, file)
        found, notes = _readings(table, how, file)
    sentences, more = sentences_of(found, with_sentence="sentence" in how.columns)
    if not sentences:
        raise InputError(Fault("there are no reading times", _EXAMPLE, file))
    for note in (*notes, *more):
        warnings.warn(str(Fault(note, "", file)), DataWarning, stacklevel=2)
    return sentences


def _refuse_other(text: str, file: str) -> None:
    """Refuse a text that is no table of reading times, such as labels of a recording with their times.

    Raises
    ------
    InputError
        If it is one.
    """
    foreign = foreign_format(text)
    if foreign:
        asked = "; if it has them, --columns names their columns (ms=3,word=2)" if "(" in foreign else ""
        hint = f"{_EXAMPLE}{asked}"
        raise InputError(Fault(f"{foreign}, and no reading times", hint, file))


def times_text(sentences: Sequence[ReadSentence], comments: str = "") -> str:
    r"""Return sentences as a table that :func:`read_times` reads back.

    Parameters
    ----------
    sentences
        What was read.
    comments
        Lines that begin with ``#``, for the top.

    Examples
    --------
    >>> print(times_text([ReadSentence("1", ("mary", "sleeps"), (310.0, float("nan")))]))
    "sentence","word","ms"
    "1","mary",310
    "1","sleeps","NA"
    <BLANKLINE>
    """
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(("sentence", "word", "ms"))
    for label, words, times in sentences:
        for word, ms in zip(words, times, strict=True):
            writer.writerow((label, word, "NA" if math.isnan(ms) else _short(ms)))
    return comments + text.getvalue()


def _short(ms: float) -> float:
    return int(ms) if ms == int(ms) else float(f"{ms:.8g}")


def _cells(line: str, separator: str) -> list[str]:
    if '"' not in line:
        return line.split() if separator == " " else line.split(separator)
    try:
        parts = next(csv.reader(StringIO(line), delimiter=separator, skipinitialspace=separator == " "))
    except csv.Error as error:
        raise InputError(f"is no table: {error}") from None
    # A quotation mark that is part of a word does not hide the separators after it.
    if line.count('"') % 2:
        return line.split() if separator == " " else line.split(separator)
    return parts


def _lines(text: str, separator: str) -> Iterator[Line]:
    for number, line in enumerate(text.splitlines(), 1):
        if line[:1] != "#":
            cells = _cells(line, separator)
            if not line.isascii():
                cells = [stripped(cell) for cell in cells]
            yield number, cells if any(cell.strip() for cell in cells) else []


def _table(text: str, file: str) -> _Table:
    """Return the cells of a table, and the names of its columns."""
    heads = [line for line in text.splitlines() if line.strip() and line[:1] != "#"][:_SNIFFED]
    if not heads:
        raise InputError(Fault("there are no reading times", _EXAMPLE, file))
    try:
        separator = _separator(heads)
        lines = [
            (n, [] if all(not c.strip() for c in cells) else cells) for n, cells in _lines(text, separator)
        ]
    except InputError as error:
        raise InputError(Fault(str(error), _EXAMPLE, file)) from None
    full = [cells for _, cells in lines if cells]
    if not full:
        raise InputError(Fault("there are no reading times", _EXAMPLE, file))
    names = [cell.strip().strip('"') for cell in full[0]]
    if not _is_header(names, full[1 : _SNIFFED + 1]):
        return _Table(separator, (), lines)
    if len(full) > 1 and all(len(cells) == len(names) + 1 for cells in full[1:]):
        names.insert(0, "")  # names of rows, as R writes them
    at = next(n for n, (_, cells) in enumerate(lines) if cells)
    return _Table(separator, tuple(names), lines[at + 1 :])


def _separator(heads: Sequence[str]) -> str:
    for mark in _MARKS:
        widths = [len(_cells(line, mark)) for line in heads]
        common = max(set(widths), key=widths.count)
        if common > 1 and (widths.count(common) > len(widths) / 2 or len(widths) == 2) and min(widths) > 1:
            return mark
    return next((mark for mark in _MARKS if mark in heads[0]), "\t")


def _is_header(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first line names columns: two are known, or it has no number and the next has."""
    known = [role for role in column_roles(names, rows) if role != NOT_USED]
    if len(set(known)) > 1:
        return True
    no_number = all(times_of([name])[0][0] is None for name in names)
    return no_number and any(times_of([cell])[0][0] is not None for row in rows[:1] for cell in row)


def _how(table: _Table, file: str, columns: str) -> ReadAs:
    rows = [cells for _, cells in table.lines[: 2 * _SNIFFED] if cells][:_SNIFFED]
    names = table.names
    roles = column_roles(names, rows) if names else _unnamed(rows)
    heads = names or tuple(map(str, range(1, len(roles) + 1)))
    if columns:
        roles = chosen_columns(heads, roles, columns, file)
    _check(roles, names, file)
    preview = tuple(tuple(cells) for cells in rows[:PREVIEW_LINES])
    note = _other_times(heads, roles, rows) if names else ""
    label = f"columns by {_MARKS[table.separator]}"
    return ReadAs("times", label, roles, {}, preview, note, tuple(names), ROLES)


def _check(roles: Sequence[str], names: Sequence[str], file: str) -> None:
    for role, what in (("word", "words"), ("ms", "times")):
        if role not in roles:
            named = ", ".join(name for name in names[:12] if name) + (", ..." if len(names) > 12 else "")
            hint = f"its columns are {named}; call one {role}" if names else _EXAMPLE
            raise InputError(Fault(f"no column of {what} was found", hint, file))


def _unnamed(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the roles of a table without names: sentence, (place,) word, ms; or word, ms."""
    width = max(map(len, rows), default=3, key=lambda n: sum(len(row) == n for row in rows))
    whole = [c for c in range(width) if all(c < len(row) and row[c].strip().isdecimal() for row in rows)]
    if width == 2:
        return ("word", "ms")
    if width == 4 and 1 in whole and 2 not in whole:
        return ("sentence", "place", "word", "ms")
    return ("sentence", "word", "ms", *([NOT_USED] * (width - 3)))


def _other_times(heads: Sequence[str], roles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a remark on columns that are called like times, too; "" if there are none."""
    others = [
        head
        for c, head in enumerate(heads)
        if roles[c] == NOT_USED and "ms" in column_roles([head], [[row[c]] for row in rows if c < len(row)])
    ]
    return f"other columns of times: {', '.join(others)}" if others else ""


def _readings(table: _Table, how: ReadAs, file: str) -> tuple[list[Reading], list[str]]:
    """Return every timed word of a table, and remarks; blank lines count the sentences of some tables."""
    place = {role: [c for c, r in enumerate(how.columns) if r == role] for role in ROLES}
    [word_at], [ms_at] = place["word"][:1], place["ms"][:1]
    needed = max(chain(*place.values()))
    width, faults = len(how.columns), []
    exact = not table.names or table.separator == ","
    texts = [cells[ms_at] if ms_at < len(cells) else "" for _, cells in table.lines]
    times, remark = times_of(texts)
    found: list[Reading] = []
    blocks = 0
    left_out: list[int] = []
    for (number, cells), text, ms in zip(table.lines, texts, times, strict=True):
        if not cells:
            blocks += 1
            continue
        if len(cells) <= needed or (exact and len(cells) > width):
            faults.append(Fault(counted(len(cells), "column"), _hint(cells, how), file, number))
            continue
        label, story, condition, spot, _, subject, _ = (
            [cells[c].strip() for c in columns] if columns else [] for columns in place.values()
        )
        word = composed(cells[word_at].strip().removesuffix(_LAST_WORD))
        no_word = is_missing(word, word=True) and (not word or ms is None or math.isnan(ms))
        if no_word or any(map(is_missing, (*label, *story))):
            left_out.append(number)
        elif len(word.split()) > 1:
            faults.append(Fault(f"{quoted(word)} is not one word", "write one word a line", file, number))
        elif ms is None:
            hint = "write a number of ms, or NA"
            faults.append(Fault(f"{quoted(text.strip())} is not a time", hint, file, number))
        else:
            found.append(Reading(label, story, condition, _place(spot), word, subject, ms, blocks))
        if len(faults) > MOST_FAULTS:
            break
    if faults:
        raise InputError(faults)
    notes = [remark] if remark else []
    if left_out:
        lines = ", ".join(map(str, left_out[:5])) + (", ..." if len(left_out) > 5 else "")
        notes.append(f"lines without a word or a sentence are left out, {len(left_out):,} of them: {lines}")
    skipped = sum(r.ms == 0 for r in found)
    if skipped:
        notes.append(f"0 ms is no time, and missing: {skipped:,} of {len(found):,}")
    known = [r.ms for r in found if r.ms > 0]
    small = [ms for ms in known if ms < _SMALL]
    if small and max(known) >= _SMALL:
        least = f"{min(small):g}"
        notes.append(
            f"{counted(len(small), 'time')} below {_SMALL:g} ms, such as {least}: no word is read so fast"
        )
    if known and max(known) < _SMALL:
        notes.append("all times are below 20: if they are seconds or logarithms, no figure is in ms")
    return [r._replace(ms=math.nan) if r.ms == 0 else r for r in found], notes


def _place(cells: Sequence[str]) -> int | None:
    if not cells or is_missing(cells[0]):
        return None
    return int(float(cells[0].replace(",", ".")))


def _hint(cells: Sequence[str], how: ReadAs) -> str:
    if len(cells) > len(how.columns):
        return f"there are {len(how.columns)}; put a cell with a comma in quotation marks"
    return _EXAMPLE if not how.heads else f"the columns have {counted(len(how.columns), 'name')}"
