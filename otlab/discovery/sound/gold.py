"""Find the gold times in a folder and give them to its recordings.

A file that is about one recording has its name, in the same sub-folder or in one that holds no sound;
tables and lists name recordings with their sub-folder, or without it where only one recording has that name.
Of two files with the phones of one recording the first is used. What is left out is named in a note.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from otlab.discovery.io.intervals import PAUSES, Interval, overlaps, with_length
from otlab.discovery.io.textgrid import merged, parse_textgrid, tiers_called
from otlab.discovery.sound.features import WINDOW
from otlab.discovery.sound.tiers import (
    HTK_UNITS,
    parse_ctm,
    parse_list,
    parse_table,
    parse_units,
    parse_xwaves,
)
from otlab.errors import InputError, collected_warnings
from otlab.files import decode_any, file_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from otlab.errors import Fault

__all__ = ["GOLD_ENDINGS", "KINDS", "Gold", "Heard", "files_in", "read_gold"]

KINDS = ("phones", "words")

_ENDINGS = {
    **dict.fromkeys((".phn", ".lab", ".mlf", ".phones"), "phones"),
    **dict.fromkeys((".wrd", ".words"), "words"),
}
GOLD_ENDINGS = (".tsv", ".textgrid", ".ctm", *_ENDINGS)
"""Endings of files with gold times."""

MILLISECONDS = 1000
_SHOWN = 5
_PREVIEW = 6  # labels of each tier


class Heard(NamedTuple):
    """Samples per second of a recording, 0 for features, and its duration in seconds."""

    rate: int
    seconds: float


@dataclass
class Gold:
    """Gold times of the recordings of a folder.

    Attributes
    ----------
    phones, words
        Intervals of each recording by its name, in order of time; without those that have none.
    notes
        A sentence for each thing that was left out.
    tiers
        Names of the tiers, or of the kinds of file, from which each kind was read.
    offered
        The names of all interval tiers of TextGrids, with their first labels.
    """

    phones: dict[str, list[Interval]] = field(default_factory=dict)
    words: dict[str, list[Interval]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    tiers: dict[str, list[str]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    offered: dict[str, list[str]] = field(default_factory=dict)


class _Found(NamedTuple):
    """What a file says of one recording, by the name that the file uses."""

    kind: str
    name: str
    tier: str
    intervals: list[Interval]


def files_in(folder: Path) -> list[tuple[str, Path]]:
    """Return the files of a folder and its sub-folders with their paths in it; hidden ones are left out."""
    found = []
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and not any(part.startswith((".", "__MACOSX")) for part in inside.parts):
            found.append((inside.as_posix(), path))
    return found


def read_gold(
    folder: Path, sounds: Mapping[str, Heard], tiers: Mapping[str, str] | None = None, prefix: str = ""
) -> Gold:
    """Read the gold times of a folder.

    Parameters
    ----------
    folder
        Folder with files as :mod:`otlab.discovery.sound.tiers` describes; other files are ignored.
    sounds
        Each recording by its name.
    tiers
        Names of the tiers of TextGrids with ``phones`` and ``words``; those that are not given are chosen
        by their names, and an empty name means none.
    prefix
        The folder that all recordings lie in, which their names leave out.

    Raises
    ------
    InputError
        With every line that has unreadable times, or ends before it starts.
    """
    reader = _Reader(sounds, dict(tiers or {}), prefix)
    for inside, path in files_in(folder):
        reader.read(inside, path)
    if reader.faults:
        raise InputError(reader.faults)
    return reader.concluded(folder.name)


class _Reader:
    """Collects the gold times of file after file."""

    def __init__(self, sounds: Mapping[str, Heard], tiers: Mapping[str, str], prefix: str) -> None:
        self.sounds, self.tiers, self.prefix = sounds, tiers, prefix
        self.faults: list[Fault] = []
        self.gold = Gold()
        self.bases: dict[str, list[str]] = {}
        for name in sounds:
            self.bases.setdefault(PurePosixPath(name).name, []).append(name)
        self.folders = {str(PurePosixPath(name).parent) for name in sounds}
        self.owners: dict[tuple[str, str], str] = {}  # the file with a kind of a recording
        self.silent: list[str] = []  # gold without sound
        self.untimed: list[str] = []
        self.empty: dict[str, list[Interval]] = {}  # intervals of length 0 by file
        self.overlapping: dict[str, list[tuple[Interval, Interval]]] = {}  # by file
        self.twice: list[str] = []
        self.unnamed: dict[tuple[str, ...], list[str]] = {}  # files without phones, by their tiers
        self.beyond: dict[str, list[str]] = {}  # by advice

    def read(self, inside: str, path: Path) -> None:
        """Read a file if it holds gold times."""
        ending = path.suffix.lower()
        if ending not in GOLD_ENDINGS or (ending == ".tsv" and path.stem.lower() not in KINDS):
            return
        try:
            with collected_warnings() as notes:
                text = decode_any(file_bytes(path), path.name)
            self.gold.notes += notes
            for found in self._found(inside, text):
                self._take(inside, found)
        except InputError as error:
            self.faults += [replace(fault, file=inside) for fault in error.faults]

    def _found(self, inside: str, text: str) -> Iterator[_Found]:
        path = PurePosixPath(inside.removeprefix(self.prefix))
        ending, file, name = path.suffix.lower(), path.name, str(path.with_suffix(""))
        if ending == ".textgrid":
            yield from self._of_textgrid(name, file, parse_textgrid(text, file))
        elif ending == ".tsv":
            yield from _named(path.stem.lower(), file, parse_table(text, file))
        elif ending == ".ctm":
            kind = "phones" if "ph" in path.stem.lower() else "words"
            yield from _named(kind, file, parse_ctm(text, file))
        elif ending in (".phn", ".wrd"):
            own = self._recording(name)
            rate = 0 if own is None else self.sounds[own].rate
            rows = parse_list(text, file, name, rate)
            if own is None and not rows:
                self.silent.append(name)
            elif text.strip() and not rows:
                self.gold.notes.append(f"{inside} counts samples, which features do not have; write seconds")
            yield from _named(_ENDINGS[ending], f"*{ending}", rows)
        elif ending == ".mlf":
            for own, part in _parts_of_mlf(text):
                yield from _named("phones", file, parse_units(part, file, own))
        elif ending in (".phones", ".words") or any(line.strip() == "#" for line in text.splitlines()):
            yield from _named(_ENDINGS[ending], f"*{ending}", parse_xwaves(text, file, name))
        elif any(line.split()[0].replace(".", "").isdecimal() for line in text.splitlines() if line.split()):
            yield from _named(_ENDINGS[ending], f"*{ending}", parse_units(text, file, name))
        else:
            self.untimed.append(inside)

    def _of_textgrid(self, name: str, file: str, tiers: dict[str, list[Interval]]) -> Iterator[_Found]:
        for title, intervals in tiers.items():
            labels = [i.label for i in islice((i for i in intervals if i.label not in PAUSES), _PREVIEW)]
            self.gold.offered.setdefault(title, labels)
        for kind in KINDS:
            titles = self._titles(list(tiers), kind)
            if titles:
                whole = merged(tiers, titles)
                kept = [i for i in whole if kind == "phones" or i.label not in PAUSES]
                yield _Found(kind, name, ", ".join(titles), kept)
            elif kind == "phones" and self.tiers.get(kind) != "":
                self.unnamed.setdefault(tuple(tiers), []).append(file)

    def _titles(self, names: Sequence[str], kind: str) -> list[str]:
        """Return the tiers of a TextGrid with phones or words."""
        asked = self.tiers.get(kind)
        if asked is None:
            taken = {each.casefold() for each in self.tiers.values()}
            return tiers_called([name for name in names if name.casefold() not in taken], kind)
        if not asked:
            return []
        plain = {name: name.strip().casefold() for name in names}
        wanted = asked.strip().casefold()
        exact = [name for name in names if plain[name] == wanted]
        return exact or [name for name in names if plain[name].endswith(f"- {wanted}")]

    def _recording(self, name: str) -> str | None:
        """Return the recording that a file means by a name; None if there is none, or more than one."""
        name = name.removeprefix(self.prefix)
        if name in self.sounds:
            return name
        path = PurePosixPath(name)
        same = self.bases.get(path.name, [])
        elsewhere = len(path.parts) > 1 and str(path.parent) in self.folders
        return same[0] if len(same) == 1 and not elsewhere else None

    def _take(self, inside: str, found: _Found) -> None:
        recording = self._recording(found.name)
        if recording is None:
            same = self.bases.get(PurePosixPath(found.name).name, [])
            which = f" (which of {', '.join(same[:_SHOWN])}?)" if len(same) > 1 else ""
            self.silent.append(found.name.removeprefix(self.prefix) + which)
            return
        owner = self.owners.setdefault((found.kind, recording), inside)
        if owner != inside:
            self.twice.append(
                f"the {found.kind} of {recording} are in {owner}; those of {inside} are left out"
            )
            return
        lasting, empty = with_length(found.intervals)
        if empty:
            self.empty.setdefault(inside, []).extend(empty)
        inside_sound = self._heard(inside, recording, lasting)
        if inside_sound:
            several = ", " in found.tier  # speakers may speak at once
            over = [] if several and inside.lower().endswith(".textgrid") else overlaps(inside_sound)
            if over:
                self.overlapping.setdefault(inside, []).extend(over)
            tier = self.gold.phones if found.kind == "phones" else self.gold.words
            tier.setdefault(recording, []).extend(inside_sound)
            if found.tier not in self.gold.tiers[found.kind]:
                self.gold.tiers[found.kind].append(found.tier)

    def _heard(self, inside: str, recording: str, intervals: list[Interval]) -> list[Interval]:
        """Return the intervals that do not lie beyond the end of the sound."""
        rate, seconds = self.sounds[recording]
        kept = [i for i in intervals if (i.start + i.end) / 2 < seconds + WINDOW]
        if len(kept) < len(intervals):
            end = max(i.end for i in intervals)
            written = end * rate if rate and inside.lower().endswith((".phn", ".wrd")) else end
            count = f" ({written:,.0f} samples)" if written != end else ""
            what = f"{inside} ends at {end:,.2f} s{count}, the sound at {seconds:,.2f} s"
            self.beyond.setdefault(_advice(written, seconds, inside), []).append(what)
        return kept

    def concluded(self, folder: str) -> Gold:
        """Return all that was found, with notes on what was left out."""
        gold = self.gold
        for tier in (gold.phones, gold.words):
            for intervals in tier.values():
                intervals.sort()
        if self.silent:
            names = list(dict.fromkeys(self.silent))
            gold.notes.append(f"{folder}: gold without sound, left out: {_some(names)}")
        gold.notes += [f"{which[0]}; {advice}{_more(which)}" for advice, which in self.beyond.items()]
        if self.empty:
            file, intervals = next(iter(self.empty.items()))
            shown = f"{intervals[0].label!r} at {intervals[0].start:g} s"
            n = sum(map(len, self.empty.values()))
            noun = "interval" if n == 1 else "intervals"
            gold.notes.append(
                f"{file}: {shown} has no length; {n} such {noun} left out{_more(list(self.empty))}"
            )
        if self.overlapping:
            file, pairs = next(iter(self.overlapping.items()))
            first, second = pairs[0]
            n = sum(map(len, self.overlapping.values()))
            also = "" if n == 1 else f" ({n:,} such pairs)"
            what = f"{file}: {second.label!r} at {second.start:g} s begins before {first.label!r} ends{also}"
            gold.notes.append(f"{what}; of phones the later counts there{_more(list(self.overlapping))}")
        for tiers, files in self.unnamed.items():
            called = ", ".join(f"'{name}'" for name in tiers) or "no interval tiers"
            what = f"{files[0]} has the tiers {called}; none is taken for phones: say which is"
            gold.notes.append(what + _more(files))
        if self.twice:
            gold.notes.append(self.twice[0] + _more(self.twice))
        if self.untimed:
            gold.notes.append(f"no times in {_some(self.untimed)}: not used as gold")
        return gold


def _advice(written: float, seconds: float, inside: str) -> str:
    """Return what a time beyond the sound may mean."""
    if 0.05 * seconds <= written / HTK_UNITS <= 1.1 * seconds:
        name = PurePosixPath(inside).with_suffix(".lab").name
        return f"what lies beyond is left out; if these are HTK units of 100 ns, name the file {name}"
    if 0.05 * seconds <= written / MILLISECONDS <= 1.1 * seconds:
        return "what lies beyond is left out; if these are milliseconds, write seconds"
    return "what lies beyond is left out"


def _named(kind: str, tier: str, rows: Sequence[tuple[str, Interval]]) -> Iterator[_Found]:
    """Yield the rows of a file by the recordings that it names."""
    by_name: dict[str, list[Interval]] = {}
    for name, interval in rows:
        by_name.setdefault(name, []).append(interval)
    for name, intervals in by_name.items():
        yield _Found(kind, name, tier, intervals)


def _parts_of_mlf(text: str) -> Iterator[tuple[str, str]]:
    """Yield recording and lines of each part of an HTK master label file, which ends at a line with a dot."""
    name, start, lines = "", 0, text.splitlines()
    for n, line in enumerate(lines):
        if line.startswith('"'):
            name, start = PurePosixPath(line.strip().strip('"').replace("\\", "/")).stem, n + 1
        elif line.strip() == "." and name:
            yield name, "\n" * start + "\n".join(lines[start:n])  # lines keep their numbers
            name = ""
    if name:
        yield name, "\n" * start + "\n".join(lines[start:])


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f", and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else "")


def _more(files: Sequence[str]) -> str:
    return f" (and {len(files) - 1:,} more files)" if len(files) > 1 else ""
