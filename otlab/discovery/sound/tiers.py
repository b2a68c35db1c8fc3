r"""Read gold times of phones and words: TSV tables, Praat TextGrids, TIMIT and ZeroSpeech lists.

::

    phones.tsv, words.tsv     utt TAB start_s TAB end_s TAB label; a first line with these names may precede
    u000.TextGrid             interval tiers called phones and words (or phone, word)
    u000.phn, u000.wrd        TIMIT: start end label, in samples of the sound
    english.phn, english.wrd  ZeroSpeech: file start end label, in seconds, of a whole folder

All these files in a folder are read; times become seconds from the beginning of the sound. Gold
times are used only for scores.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from otlab.errors import Fault, InputError
from otlab.files import file_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

__all__ = ["Gold", "Interval", "parse_list", "parse_table", "parse_textgrid", "read_gold", "units_list"]

PAUSES = frozenset({"", "_", "_:", "sil", "SIL", "sp", "spn", "pau", "h#", "<eps>", "#"})
"""Labels of silence, which is never a word."""


class Interval(NamedTuple):
    """A labelled interval, in seconds."""

    start: float
    end: float
    label: str


class Gold(NamedTuple):
    """Intervals of each recording by its name, in order of time; empty if none are known."""

    phones: dict[str, list[Interval]]
    words: dict[str, list[Interval]]


def read_gold(folder: Path, rates: dict[str, int]) -> Gold:
    """Return the gold times found in a folder.

    Parameters
    ----------
    folder
        Folder with files as the module describes; other files are ignored.
    rates
        Samples per second of each recording, for lists that count samples.

    Raises
    ------
    InputError
        With every line that has unreadable times, or ends before it starts.
    """
    gold = Gold({}, {})
    faults: list[Fault] = []
    for path in sorted(folder.iterdir()):
        reader = _reader(path, gold, rates)
        if reader is None:
            continue
        try:
            reader(file_text(path))
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(faults)
    for tier in gold:
        for intervals in tier.values():
            intervals.sort()
    return gold


def _reader(path: Path, gold: Gold, rates: dict[str, int]) -> Callable[[str], None] | None:
    """Return a function that reads a file into the tiers; None if it is not a gold file."""
    ending, stem = path.suffix.lower(), path.stem
    if path.name in ("phones.tsv", "words.tsv"):
        tier = gold.phones if stem == "phones" else gold.words
        return lambda text: _extend(tier, parse_table(text, path.name))
    if ending == ".textgrid":
        return lambda text: _add_textgrid(gold, stem, parse_textgrid(text, path.name))
    if ending in (".phn", ".wrd"):
        tier = gold.phones if ending == ".phn" else gold.words
        return lambda text: _extend(tier, parse_list(text, path.name, stem, rates.get(stem, 0)))
    return None


def _extend(tier: dict[str, list[Interval]], found: Iterable[tuple[str, Interval]]) -> None:
    for name, interval in found:
        tier.setdefault(name, []).append(interval)


def _add_textgrid(gold: Gold, name: str, tiers: dict[str, list[Interval]]) -> None:
    for title, intervals in tiers.items():
        if title.lower().rstrip("s") in ("phone", "segment"):
            gold.phones.setdefault(name, []).extend(intervals)
        elif title.lower().rstrip("s") == "word":
            gold.words.setdefault(name, []).extend(i for i in intervals if i.label not in PAUSES)


def parse_table(text: str, file: str = "") -> list[tuple[str, Interval]]:
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


def parse_list(text: str, file: str, name: str, rate: int) -> list[tuple[str, Interval]]:
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
    rows = [(n, line.split()) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    own = bool(rows) and len(rows[0][1]) == 3
    if not own:
        return _intervals(rows, "file, start, end and label, separated by blanks", file)
    intervals = _intervals([(n, [name, *row]) for n, row in rows], "start, end and label", file)
    samples = all(part.isdecimal() for _, row in rows for part in row[:2])
    if not samples:
        return intervals
    if not rate:
        return []
    return [(name, Interval(i.start / rate, i.end / rate, i.label)) for name, i in intervals]


def _intervals(rows: list[tuple[int, list[str]]], wanted: str, file: str) -> list[tuple[str, Interval]]:
    found: list[tuple[str, Interval]] = []
    faults: list[Fault] = []
    for line, row in rows:
        if len(row) < 4 or not (_is_number(row[1]) and _is_number(row[2])):
            faults.append(Fault("no times here", f"write {wanted}", file, line))
        elif not 0 <= float(row[1]) < float(row[2]):
            what = f"ends at {row[2]} and starts at {row[1]}"
            faults.append(Fault(what, "let it end after its start, and start at 0 or later", file, line))
        else:
            found.append((row[0], Interval(float(row[1]), float(row[2]), row[3].strip())))
    if faults:
        raise InputError(faults)
    return found


def _is_number(text: str) -> bool:
    return re.fullmatch(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", text) is not None


_TOKEN = re.compile(r'"((?:[^"]|"")*)"|(?<![\w\[])([+-]?\d+\.?\d*(?:[eE][+-]?\d+)?)(?![\w\]])|<exists>')


def parse_textgrid(text: str, file: str = "") -> dict[str, list[Interval]]:
    """Return the interval tiers of a Praat TextGrid, in the long or short format, by their names.

    As in Praat, numbers and quoted strings are read in order and words such as ``xmin =`` are
    ignored. Point tiers are left out; of several tiers with the same name the first is returned.

    Raises
    ------
    InputError
        If the text is not a TextGrid, is cut off, or an interval ends before it starts.
    """
    tokens = [m.group(1) if m.group(1) is not None else (m.group(2) or True) for m in _TOKEN.finditer(text)]
    texts = [token.replace('""', '"') if isinstance(token, str) else token for token in tokens]
    if texts[:2] != ["ooTextFile", "TextGrid"]:
        what = "is no TextGrid in Praat's text format"
        raise InputError(Fault(what, "save it as text in Praat", file=file))
    tiers: dict[str, list[Interval]] = {}
    try:
        at = 6  # file type, object class, xmin, xmax, <exists>, number of tiers
        for _ in range(int(str(texts[5]))):
            kind, title, size = str(texts[at]), str(texts[at + 1]), int(str(texts[at + 4]))
            width = 3 if kind == "IntervalTier" else 2
            values = texts[at + 5 : at + 5 + width * size]
            if len(values) < width * size:
                raise IndexError
            if kind == "IntervalTier":
                tiers.setdefault(title, _tier(values, file))
            at += 5 + width * size
    except (IndexError, ValueError):
        what = f"is cut off or faulty at item {len(texts)}"
        raise InputError(Fault(what, "save it again", file=file)) from None
    return tiers


def _tier(values: list[str | bool], file: str) -> list[Interval]:
    intervals = []
    for start, end, label in zip(values[::3], values[1::3], values[2::3], strict=True):
        interval = Interval(float(start), float(end), str(label).strip())
        if interval.end <= interval.start:
            what = f"interval {label!r} ends before it starts"
            raise InputError(Fault(what, "correct it in Praat", file=file))
        intervals.append(interval)
    return intervals


def units_list(rows: Iterable[tuple[str, Interval]]) -> str:
    """Return intervals as a table that :func:`parse_table` reads."""
    lines = [f"{name}\t{i.start:.4f}\t{i.end:.4f}\t{i.label}" for name, i in rows]
    return "\n".join(["utt\tstart_s\tend_s\tlabel", *lines]) + "\n"
