r"""Read gold times of phones and words from tables, lists and TextGrids.

::

    phones.tsv, words.tsv     utt TAB start_s TAB end_s TAB label; a first line with these names may precede
    u000.TextGrid             interval tiers: see otlab.discovery.io.textgrid
    u000.phn, u000.wrd        TIMIT: start end label, in samples of the sound
    english.phn, english.wrd  ZeroSpeech: file start end label, in seconds, of a whole folder
    u000.lab                  HTK: start end label, in units of 100 ns; or seconds
    u000.phones, u000.words   Buckeye (xwaves): after a line with #, end in seconds, colour, label
    words.ctm, phones.ctm     NIST: file channel start duration label, in seconds

All these files in a folder and its sub-folders are read; times become seconds from the beginning of the
sound. Gold times are used only for scores.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from otlab.discovery.io.intervals import PAUSES, Interval
from otlab.discovery.io.textgrid import parse_textgrid
from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "PAUSES", "Interval", "parse_ctm", "parse_list", "parse_table", "parse_textgrid", "parse_units",
    "parse_xwaves", "units_list",
]  # fmt: skip

HTK_UNITS = 10_000_000
"""Units of 100 ns in a second."""

_Rows = list[tuple[str, Interval]]
_NUMBER = re.compile(r"[ \t]*[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?[ \t]*")


def parse_table(text: str, file: str = "") -> _Rows:
    r"""Return the rows of a table: utterance, start, end, label, separated by tabs.

    Examples
    --------
    >>> parse_table("utt\tstart_s\tend_s\tphone\nu1\t0.0\t0.25\ta")
    [('u1', Interval(start=0.0, end=0.25, label='a'))]
    """
    rows = [(n, line.split("\t")) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    if rows and not _is_number(rows[0][1][1] if len(rows[0][1]) > 1 else ""):
        rows = rows[1:]
    return _intervals(rows, "utterance, start, end and label, separated by tabs", file)


def parse_list(text: str, file: str, name: str, rate: int) -> _Rows:
    """Return the lines of a ``.phn`` or ``.wrd`` file.

    Parameters
    ----------
    text, file
        Contents of the file, and its name in error messages.
    name
        Name of the recording to which lines with three fields belong.
    rate
        Samples per second of the recording, for lines of three fields whose times are whole numbers
        of samples; 0 if there is no sound.
    """
    rows = _rows(text)
    own = bool(rows) and len(rows[0][1]) == 3
    if not own:
        return _intervals(rows, "file, start, end and label, separated by blanks", file)
    intervals = _intervals([(n, [name, *row]) for n, row in rows], "start, end and label", file)
    if not _whole(rows):
        return intervals
    return [(name, i) for _, i in _divided(intervals, rate)] if rate else []


def parse_units(text: str, file: str, name: str) -> _Rows:
    r"""Return the lines of an HTK label file: start and end in units of 100 ns (or in seconds), label.

    Examples
    --------
    >>> parse_units("0 2500000 a\n2500000 3000000 s -42.1", "u1.lab", "u1")[1]
    ('u1', Interval(start=0.25, end=0.3, label='s'))
    """
    rows = _rows(text)
    intervals = _intervals([(n, [name, *row]) for n, row in rows], "start, end and label", file)
    return _divided(intervals, HTK_UNITS) if _whole(rows) else intervals


def parse_xwaves(text: str, file: str, name: str) -> _Rows:
    r"""Return the lines of a label file of xwaves, as in the Buckeye corpus.

    Each line begins where the one before ended.

    Examples
    --------
    >>> parse_xwaves("nfields 1\n#\n  0.10 122 {B_TRANS}\n  0.25 122 ow\n", "s.phones", "s")[1]
    ('s', Interval(start=0.1, end=0.25, label='ow'))
    """
    lines = list(enumerate(text.splitlines(), 1))
    marks = [n for n, line in lines if line.strip() == "#"]
    begin, out, faults = 0.0, [], []
    for n, line in lines[marks[0] if marks else 0 :]:
        parts = line.split(None, 2)
        if not parts:
            continue
        if len(parts) < 2 or not _is_number(parts[0]):
            faults.append(Fault("no time here", "write end, colour and label", file, n))
            continue
        end, label = float(parts[0]), (parts[2] if len(parts) > 2 else "").split(";")[0].strip()
        if end < begin:
            what = f"ends at {end:g}, before the line above does"
            faults.append(Fault(what, "put the lines in order of time", file, n))
            continue
        out.append((name, Interval(begin, end, "sil" if label[:1] in ("{", "<") else label)))
        begin = end
    if faults:
        raise InputError(faults)
    return out


def parse_ctm(text: str, file: str = "") -> _Rows:
    """Return the lines of a CTM file: recording, channel, start and duration in seconds, label.

    Examples
    --------
    >>> parse_ctm("u1 1 0.25 0.5 dog 0.98")
    [('u1', Interval(start=0.25, end=0.75, label='dog'))]
    """
    rows, faults = [], []
    for n, row in _rows(text, comment=";;"):
        if len(row) < 5 or not (_is_number(row[2]) and _is_number(row[3])):
            what = "write file, channel, start, duration and label"
            faults.append(Fault("no times here", what, file, n))
        elif float(row[2]) < 0 or float(row[3]) < 0:
            faults.append(
                Fault(f"starts at {row[2]} and lasts {row[3]} s", "write times of at least 0", file, n)
            )
        else:
            rows.append((row[0], Interval(float(row[2]), float(row[2]) + float(row[3]), row[4])))
    if faults:
        raise InputError(faults)
    return rows


def _rows(text: str, comment: str = "\0") -> list[tuple[int, list[str]]]:
    lines = enumerate(text.splitlines(), 1)
    return [(n, line.split()) for n, line in lines if line.strip() and not line.startswith(comment)]


def _whole(rows: list[tuple[int, list[str]]]) -> bool:
    """Return whether all times of lines without a name are whole numbers."""
    return all(part.isdecimal() for _, row in rows for part in row[:2])


def _divided(rows: _Rows, by: int) -> _Rows:
    return [(name, Interval(i.start / by, i.end / by, i.label)) for name, i in rows]


def _intervals(rows: list[tuple[int, list[str]]], wanted: str, file: str) -> _Rows:
    found: _Rows = []
    faults: list[Fault] = []
    for line, row in rows:
        if len(row) < 4 or not (_is_number(row[1]) and _is_number(row[2])):
            faults.append(Fault("no times here", f"write {wanted}", file, line))
        elif not 0 <= float(row[1]) <= float(row[2]):
            what = f"ends at {row[2]} and starts at {row[1]}"
            faults.append(Fault(what, "let it end after its start, and start at 0 or later", file, line))
        else:
            found.append((row[0], Interval(float(row[1]), float(row[2]), row[3].strip())))
    if faults:
        raise InputError(faults)
    return found


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None


def units_list(rows: Iterable[tuple[str, Interval]]) -> str:
    """Return intervals as a table that :func:`parse_table` reads."""
    lines = [f"{name}\t{i.start:.4f}\t{i.end:.4f}\t{i.label}" for name, i in rows]
    return "\n".join(["utt\tstart_s\tend_s\tlabel", *lines]) + "\n"
