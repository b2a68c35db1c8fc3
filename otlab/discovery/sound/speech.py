"""Read a folder of sound into frames of features, with gold times if they are known.

::

    folder of WAV, FLAC, .npy or HTK --read_speech--> Speech: frames, utterances, gold tiers

Sub-folders are read too: each that holds recordings is taken for a speaker, and recordings are called by
their paths, such as ``anna/s1``. A file that cannot be used (broken, silent, empty, too short) is named in a
warning and left out. Long recordings are cut at quiet places into utterances of at most 20 s, which bounds
the work and memory of an utterance.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.discovery.io.intervals import Interval
from otlab.discovery.sound import audio
from otlab.discovery.sound.features import HOP, WINDOW, Mfcc, deltas, read_htk, read_npy, standardised
from otlab.discovery.sound.gold import KINDS, Gold, Heard, files_in, read_gold
from otlab.errors import DataWarning, Fault, InputError, counted
from otlab.files import file_bytes
from otlab.samples import samples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

__all__ = [
    "FEATURE_ENDINGS", "LONGEST", "SHORTEST", "Recording", "SoundReading", "Speech",
    "read_recording", "read_speech", "speech_folders", "speech_of",
]  # fmt: skip

LONGEST = 20.0
"""Longest utterance in seconds; longer recordings are cut."""

SHORTEST = 3
"""Fewest frames of a unit with three states."""

TOP_RATE = 16_000
FEATURE_ENDINGS = (".npy", ".htk", ".mfc", ".fea")
SILENT = 1e-4
"""A recording without larger samples counts as silent: three steps of 16 bits."""

_Tier = tuple[tuple[Interval, ...], ...]


@dataclass(frozen=True, eq=False)
class Recording:
    """The features of one file.

    Attributes
    ----------
    name
        The file's path in its folder, without its ending.
    features : float64 ndarray of shape (frames, dimensions)
        Features of each frame, not standardised.
    hop
        Seconds from frame to frame.
    loudness : float64 ndarray of shape (frames,)
        Log energy, by which long recordings are cut; zeros for features from a file.
    rate
        Samples per second of the file; 0 for features.
    note
        A sentence about what was left out of the file; empty if nothing was.
    """

    name: str
    features: np.ndarray
    hop: float
    loudness: np.ndarray
    rate: int = 0
    note: str = ""

    @property
    def seconds(self) -> float:
        """Duration of all frames in seconds."""
        return float(self.features.shape[0] * self.hop)


@dataclass(frozen=True)
class SoundReading:
    """How a folder of sound was read.

    Attributes
    ----------
    tiers
        Names of the tiers or files with gold ``phones`` and ``words``; None for what there is not.
    offered
        The names of all interval tiers of TextGrids, with their first labels.
    speakers
        Folders that were taken for speakers; empty for a single one.
    """

    tiers: Mapping[str, str | None] = field(default_factory=lambda: dict.fromkeys(KINDS))
    offered: Mapping[str, Sequence[str]] = field(default_factory=dict)
    speakers: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the reading as values for JSON."""
        return {
            "format": "sound",
            "separator": None,
            "word_separator": None,
            "tiers": dict(self.tiers),
            "speakers": list(self.speakers),
        }


@dataclass(frozen=True, eq=False)
class Speech:
    """Utterances as frames of features, in one flat array.

    Attributes
    ----------
    name
        The folder's name.
    names
        The recording of each utterance.
    features : float64 ndarray of shape (frames, dimensions)
        Features with mean 0 and variance 1.
    offsets : int64 ndarray of shape (utterances + 1,)
        Utterance u is frames offsets[u]..offsets[u + 1] - 1.
    begins : float64 ndarray of shape (utterances,)
        Time in seconds at which each utterance begins in its recording.
    hop, window
        Seconds from frame to frame, and seconds of sound in a frame's window.
    phones, words
        Gold intervals of each utterance, in seconds from its beginning; None without gold.
    sources
        The sound file of each utterance; empty for features.
    notes
        One sentence for each file or gold utterance that was left out.
    reading
        Which tiers the gold times are from, and which folders are speakers.
    """

    name: str
    names: tuple[str, ...]
    features: np.ndarray
    offsets: np.ndarray
    begins: np.ndarray
    hop: float = HOP
    window: float = WINDOW
    phones: tuple[tuple[Interval, ...], ...] | None = None
    words: tuple[tuple[Interval, ...], ...] | None = None
    sources: tuple[str, ...] = field(default=(), compare=False, repr=False)
    notes: tuple[str, ...] = field(default=(), compare=False, repr=False)
    reading: SoundReading = field(default=SoundReading(), compare=False, repr=False)

    def __repr__(self) -> str:
        gold = ", with gold phones" if self.phones is not None else ""
        return f"<Speech {self.name!r}: {counted(len(self), 'utterance')}, {self.seconds:,.1f} s{gold}>"

    def __len__(self) -> int:
        return len(self.names)

    @property
    def frames(self) -> int:
        """The number of frames."""
        return int(self.features.shape[0])

    @property
    def lengths(self) -> np.ndarray:
        """Number of frames in each utterance."""
        return np.diff(self.offsets)

    @property
    def seconds(self) -> float:
        """Duration of all utterances in seconds."""
        return self.frames * self.hop

    def time(self, frame: int | np.ndarray) -> float | np.ndarray:
        """Return the time of the boundary before a frame, half way between two window centres."""
        return frame * self.hop + max(0.0, self.window - self.hop) / 2

    def centres(self, u: int) -> np.ndarray:
        """Return the centre of each window of an utterance, in seconds from its beginning."""
        out: np.ndarray = np.arange(self.lengths[u]) * self.hop + self.window / 2
        return out

    def in_recordings(self, tiers: Iterable[Iterable[Interval]]) -> Iterator[tuple[str, Interval]]:
        """Yield each interval with its recording's name, its times counted from the recording's beginning."""
        for name, begin, tier in zip(self.names, self.begins.tolist(), tiers, strict=True):
            for i in tier:
                yield name, i._replace(start=i.start + begin, end=i.end + begin)

    def subset(self, utterances: Sequence[int]) -> Speech:
        """Return some of the utterances, with unchanged features."""
        frames = [np.arange(self.offsets[u], self.offsets[u + 1]) for u in utterances]
        chosen = np.concatenate(frames) if frames else np.zeros(0, dtype=np.int64)

        def pick(tier: _Tier | None) -> _Tier | None:
            return None if tier is None else tuple(tier[u] for u in utterances)

        sources = tuple(self.sources[u] for u in utterances) if self.sources else ()
        return Speech(
            self.name, tuple(self.names[u] for u in utterances), self.features[chosen],
            _offsets([frame.size for frame in frames]), self.begins[list(utterances)], self.hop, self.window,
            pick(self.phones), pick(self.words), sources, reading=self.reading,
        )  # fmt: skip


def read_speech(
    folder: str | Path,
    gold: str | Path | None = None,
    *,
    speakers: Callable[[str], str] | None = None,
    tiers: Mapping[str, str] | None = None,
    progress: Callable[[float], object] | None = None,
) -> Speech:
    """Read a folder of sound or of features, with its sub-folders.

    Parameters
    ----------
    folder
        Folder with WAV, FLAC, OGG, MP3, AIFF or NIST files, or with ``.npy`` or HTK features; or the name of
        a sample.
    gold
        Folder with gold times (:mod:`~otlab.discovery.sound.tiers`); if None, the same folder.
    tiers
        Names of the tiers of TextGrids with ``phones`` and ``words``, chosen by their names if not given.
    speakers
        Function from the name of a recording to its speaker; features are then standardised per speaker.
        If None, each sub-folder with recordings is a speaker.
    progress
        Called with the share of files read so far.

    Warns
    -----
    DataWarning
        For each file left out, and for each gold utterance without sound.

    Raises
    ------
    InputError
        If the folder does not exist, no file in it can be used, or the gold times are faulty.
    """
    place, gold_place = speech_folders(folder, gold)
    paths, prefix, faults = _named_paths(place)
    if not paths:
        endings = "WAV, FLAC, .npy or HTK files"
        what = "there is no sound in this folder"
        raise InputError([*faults, Fault(what, f"put {endings} into it", file=str(place))])
    rate = _common_rate([*paths.values()])
    recordings: list[Recording] = []
    for k, (name, path) in enumerate(paths.items()):
        try:
            share = None if progress is None else partial(_of_all, progress, k, len(paths))
            recordings.append(replace(read_recording(path, rate=rate, progress=share), name=name))
        except InputError as error:
            inside = path.relative_to(place).as_posix()
            faults += [replace(f, file=inside) if f.file == path.name else f for f in error.faults]
        if progress is not None:
            progress((k + 1) / len(paths))
    if not recordings:
        raise InputError([*faults, Fault("no sound in this folder can be used", file=str(place))])
    return speech_of(
        place.name or str(place), recordings, gold_place, speakers,
        {name: str(path) for name, path in paths.items()}, [str(fault) for fault in faults], tiers=tiers,
        prefix=prefix,
    )  # fmt: skip


def _of_all(progress: Callable[[float], object], k: int, n: int, share: float) -> None:
    """Tell what share of n recordings has been read, if one of them has been read in part."""
    progress((k + share) / n)


def _named_paths(place: Path) -> tuple[dict[str, Path], str, list[Fault]]:
    """Return the recordings of a folder by name, the folder that all lie in, and faults of other sound."""
    files = files_in(place)
    found = [(n, p) for n, p in files if p.suffix.lower() in (*audio.ENDINGS, *FEATURE_ENDINGS)]
    parents = [PurePosixPath(inside).parent.parts for inside, _ in found]
    common: list[str] = []
    for parts in zip(*parents, strict=False):
        if len(set(parts)) > 1:
            break
        common.append(parts[0])
    prefix = "".join(f"{part}/" for part in common)
    paths: dict[str, Path] = {}
    faults = [
        Fault(f"{p.suffix[1:]} is no format of sound known here", "save it as WAV or FLAC", file=n)
        for n, p in files
        if p.suffix.lower() in audio.UNREAD
    ]
    for inside, path in found:
        name = str(PurePosixPath(inside.removeprefix(prefix)).with_suffix(""))
        if paths.setdefault(name, path) is not path:
            what = f"has the name of {paths[name].name}, and is left out"
            faults.append(Fault(what, "rename one of them", file=inside))
    return paths, prefix, faults


def speech_folders(folder: str | Path, gold: str | Path | None) -> tuple[Path, Path]:
    """Return the folders of sound and of gold times; a sample may be given by its name.

    Raises
    ------
    InputError
        If one does not exist, or both.
    """
    known = {sample.name: sample.path for sample in samples("discovery") if sample.path.is_dir()}
    given = Path(folder)
    place = given if given.is_dir() else known.get(str(folder), given)
    gold_place = place if gold is None else Path(gold)
    faults = []
    if not place.is_dir():
        hint = f"name a folder of WAV or FLAC files, or a sample: {', '.join(known)}"
        faults.append(Fault(f"there is no folder {place}", hint))
    if gold is not None and not gold_place.is_dir():
        faults.append(Fault(f"there is no folder {gold_place}", "name the folder of the gold files"))
    if faults:
        raise InputError(faults)
    return place, gold_place


def _common_rate(paths: Sequence[Path]) -> int:
    """Return the lowest sampling rate of all files, between 4 and 16 kHz."""
    rates = [TOP_RATE]
    for path in paths:
        if path.suffix.lower() in audio.ENDINGS:
            try:
                rates.append(audio.describe(path).rate)
            except InputError:
                continue  # reported when the file is read
    return max(4000, min(rates))


def read_recording(
    source: Path | bytes,
    name: str = "",
    *,
    rate: int = TOP_RATE,
    progress: Callable[[float], object] | None = None,
) -> Recording:
    """Return the features of one file.

    Parameters
    ----------
    source
        A path, or the bytes of a file.
    name
        Name of the file, if `source` is bytes.
    rate
        Samples per second to which sound is resampled.
    progress
        Called with the share of the sound that has been read.

    Raises
    ------
    InputError
        If the file cannot be read, is silent, or is too short for one unit.
    """
    path = Path(name) if isinstance(source, bytes) else source
    if path.suffix.lower() in FEATURE_ENDINGS:
        recording = _features_of(source, path)
    else:
        recording = _sound_of(source, path, rate, progress)
    if recording.features.shape[0] < SHORTEST:
        seconds = SHORTEST * recording.hop + (WINDOW - recording.hop if recording.rate else 0.0)
        what = f"is too short: fewer than {SHORTEST} frames ({seconds:.3f} s)"
        raise InputError(Fault(what, "leave it out", file=path.name))
    return recording


def _features_of(source: Path | bytes, path: Path) -> Recording:
    data = source if isinstance(source, bytes) else file_bytes(source)
    hop = HOP
    if path.suffix.lower() == ".npy":
        features = read_npy(data, path.name)
    else:
        features, hop = read_htk(data, path.name)
    return Recording(path.stem, features, hop, np.zeros(features.shape[0]))


def _sound_of(
    source: Path | bytes, path: Path, rate: int, progress: Callable[[float], object] | None
) -> Recording:
    loudest, done = 0.0, 0.0
    seconds = audio.describe(source, path.name).seconds

    def measured() -> Iterator[np.ndarray]:
        nonlocal loudest, done
        for block in audio.blocks(source, rate, path.name, channel=only):
            loudest = max(loudest, float(np.abs(block).max(initial=0.0)))
            done += block.size / rate
            if progress is not None:
                progress(min(1.0, done / seconds))
            yield block

    only = audio.only_channel(source, path.name)
    cepstra = Mfcc(rate).of(measured())
    if loudest < SILENT:
        raise InputError(Fault("is silent", "leave it out, or record it again", file=path.name))
    slopes = deltas(cepstra)
    features = np.concatenate([cepstra, slopes, deltas(slopes)], axis=1)
    file_rate = audio.describe(source, path.name).rate
    alone = "" if only is None else f"{path.name}: its channels cancel out; channel {only + 1} alone is used"
    return Recording(path.stem, features, HOP, cepstra[:, 0].copy(), file_rate, alone)


def speech_of(
    name: str,
    recordings: Sequence[Recording],
    gold: Path | None = None,
    speakers: Callable[[str], str] | None = None,
    sources: dict[str, str] | None = None,
    notes: Sequence[str] = (),
    *,
    tiers: Mapping[str, str] | None = None,
    prefix: str = "",
) -> Speech:
    """Cut recordings into utterances, standardise their features and add gold times; see :func:`read_speech`.

    Raises
    ------
    InputError
        If recordings differ in their dimensions or in the time between frames.
    """
    first = recordings[0]
    notes = [*notes, *(recording.note for recording in recordings if recording.note)]
    for other in recordings[1:]:
        if (other.features.shape[1], round(other.hop, 7)) != (first.features.shape[1], round(first.hop, 7)):
            size = counted(other.features.shape[1], "dimension")
            what = f"has {size} each {other.hop * 1000:g} ms; {first.name} has "
            what += f"{first.features.shape[1]} each {first.hop * 1000:g} ms"
            raise InputError(Fault(what, "compute all features alike", file=other.name))
    pieces = [(recording, start, stop) for recording in recordings for start, stop in _pieces(recording)]
    names = tuple(recording.name for recording, _, _ in pieces)
    of_sound = bool(first.rate)
    features = np.concatenate([recording.features for recording in recordings])
    sizes = [recording.features.shape[0] for recording in recordings]
    of = speakers or (lambda name: str(PurePosixPath(name).parent))
    who = [of(recording.name) for recording in recordings]
    groups = np.repeat([sorted(set(who)).index(speaker) for speaker in who], sizes)
    phones = words = None
    reading = SoundReading()
    if gold is not None:
        heard = {recording.name: Heard(recording.rate, recording.seconds) for recording in recordings}
        found = read_gold(gold, heard, tiers, prefix)
        notes += found.notes
        phones, words = (_tier(tier, pieces) for tier in (found.phones, found.words))
        reading = _reading(found, who)
    for note in notes:
        warnings.warn(note, DataWarning, stacklevel=3)
    return Speech(
        name, names, standardised(features, groups), _offsets([stop - start for _, start, stop in pieces]),
        np.array([start * recording.hop for recording, start, _ in pieces]),
        first.hop, WINDOW if of_sound else first.hop, phones, words,
        tuple((sources or {}).get(each, "") for each in names) if of_sound else (), tuple(notes), reading,
    )  # fmt: skip


def _pieces(recording: Recording) -> list[tuple[int, int]]:
    """Cut a recording into utterances, each at the quietest frame in the last quarter of `LONGEST`."""
    frames, most = recording.features.shape[0], int(LONGEST / recording.hop)
    cuts = [0]
    while frames - cuts[-1] > most:
        low, high = cuts[-1] + 3 * most // 4, min(cuts[-1] + most, frames - SHORTEST)
        cuts.append(low + int(np.argmin(recording.loudness[low:high])))
    return list(zip(cuts, [*cuts[1:], frames], strict=True))


def _reading(gold: Gold, speakers: Sequence[str]) -> SoundReading:
    """Return which tiers were read, and which folders are speakers."""
    several = tuple(sorted(set(speakers))) if len(set(speakers)) > 1 else ()
    return SoundReading({kind: ", ".join(gold.tiers[kind]) or None for kind in KINDS}, gold.offered, several)


def _tier(
    gold: Mapping[str, Sequence[Interval]], pieces: Sequence[tuple[Recording, int, int]]
) -> _Tier | None:
    """Return the gold intervals of each utterance; None if no recording has any."""
    if not gold:
        return None
    return tuple(_cut(gold.get(piece[0].name, []), *piece) for piece in pieces)


def _cut(intervals: Sequence[Interval], recording: Recording, first: int, stop: int) -> tuple[Interval, ...]:
    """Return the intervals whose middle lies in an utterance, timed from there; each is in one only."""
    begin, end = first * recording.hop, stop * recording.hop
    if stop == recording.features.shape[0]:
        end += WINDOW
    return tuple(
        Interval(max(0.0, i.start - begin), i.end - begin, i.label)
        for i in intervals
        if begin <= (i.start + i.end) / 2 < end
    )


def _offsets(sizes: Sequence[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(np.array(sizes, dtype=np.int64))]).astype(np.int64)
