"""Read a folder of sound into frames of features, with gold times if they are known.

::

    folder of WAV, FLAC, .npy or HTK --read_speech--> Speech: frames, utterances, gold tiers

A file that cannot be used (broken, silent, empty, too short) is named in a warning and left
out. Long recordings are cut at quiet places into utterances of at most 20 s, which bounds the
work and memory of an utterance.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.sound import audio
from otlab.discovery.sound.features import HOP, WINDOW, Mfcc, deltas, read_htk, read_npy, standardised
from otlab.discovery.sound.tiers import Interval, read_gold
from otlab.errors import DataWarning, Fault, InputError
from otlab.files import file_bytes
from otlab.samples import samples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["LONGEST", "SHORTEST", "Recording", "Speech", "read_recording", "read_speech", "speech_of"]

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
        The file's name without its ending.
    features : float64 ndarray of shape (frames, dimensions)
        Features of each frame, not standardised.
    hop
        Seconds from frame to frame.
    loudness : float64 ndarray of shape (frames,)
        Log energy, by which long recordings are cut; zeros for features from a file.
    rate
        Samples per second of the file; 0 for features.
    """

    name: str
    features: np.ndarray
    hop: float
    loudness: np.ndarray
    rate: int = 0


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

    def __repr__(self) -> str:
        gold = ", with gold phones" if self.phones is not None else ""
        return f"<Speech {self.name!r}: {len(self)} utterances, {self.seconds:,.1f} s{gold}>"

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
            pick(self.phones), pick(self.words), sources,
        )  # fmt: skip


def read_speech(
    folder: str | Path,
    gold: str | Path | None = None,
    *,
    speakers: Callable[[str], str] | None = None,
    progress: Callable[[float], object] | None = None,
) -> Speech:
    """Read a folder of sound or of features.

    Parameters
    ----------
    folder
        Folder with WAV, FLAC, OGG or AIFF files, or with ``.npy`` or HTK features; or the name of a sample.
    gold
        Folder with gold times (:mod:`~otlab.discovery.sound.tiers`); if None, the same folder.
    speakers
        Function from the name of a recording to its speaker; features are then standardised per speaker.
        If None, they are standardised over all recordings.
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
    place = _folder(folder)
    paths = sorted(p for p in place.iterdir() if p.suffix.lower() in (*audio.ENDINGS, *FEATURE_ENDINGS))
    if not paths:
        endings = "WAV, FLAC, .npy or HTK files"
        raise InputError(Fault("there is no sound in this folder", f"put {endings} into it", file=str(place)))
    rate = _common_rate(paths)
    recordings: list[Recording] = []
    faults: list[Fault] = []
    for k, path in enumerate(paths):
        try:
            recordings.append(read_recording(path, rate=rate))
        except InputError as error:
            faults += error.faults
        if progress is not None:
            progress((k + 1) / len(paths))
    if not recordings:
        raise InputError([*faults, Fault("no sound in this folder can be used", file=str(place))])
    sources = {path.stem: str(path) for path in paths}
    return speech_of(
        place.name or str(place), recordings, Path(gold) if gold is not None else place, speakers, sources,
        [str(fault) for fault in faults],
    )  # fmt: skip


def _folder(folder: str | Path) -> Path:
    """Return a folder, given by its path or as the name of a sample."""
    place = Path(folder)
    if place.is_dir():
        return place
    known = {sample.name: sample.path for sample in samples("discovery") if sample.path.is_dir()}
    if str(folder) not in known:
        names = ", ".join(known)
        hint = f"name a folder of WAV or FLAC files, or a sample: {names}"
        raise InputError(Fault(f"there is no folder {place}", hint))
    return known[str(folder)]


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


def read_recording(source: Path | bytes, name: str = "", *, rate: int = TOP_RATE) -> Recording:
    """Return the features of one file.

    Parameters
    ----------
    source
        A path, or the bytes of a file.
    name
        Name of the file, if `source` is bytes.
    rate
        Samples per second to which sound is resampled.

    Raises
    ------
    InputError
        If the file cannot be read, is silent, or is too short for one unit.
    """
    path = Path(name) if isinstance(source, bytes) else source
    if path.suffix.lower() in FEATURE_ENDINGS:
        recording = _features_of(source, path)
    else:
        recording = _sound_of(source, path, rate)
    if recording.features.shape[0] < SHORTEST:
        seconds = recording.features.shape[0] * recording.hop
        raise InputError(Fault(f"is too short: {seconds:.2f} s", "leave it out", file=path.name))
    return recording


def _features_of(source: Path | bytes, path: Path) -> Recording:
    data = source if isinstance(source, bytes) else file_bytes(source)
    hop = HOP
    if path.suffix.lower() == ".npy":
        features = read_npy(data, path.name)
    else:
        features, hop = read_htk(data, path.name)
    return Recording(path.stem, features, hop, np.zeros(features.shape[0]))


def _sound_of(source: Path | bytes, path: Path, rate: int) -> Recording:
    loudest = 0.0

    def measured() -> Iterator[np.ndarray]:
        nonlocal loudest
        for block in audio.blocks(source, rate, path.name):
            loudest = max(loudest, float(np.abs(block).max(initial=0.0)))
            yield block

    cepstra = Mfcc(rate).of(measured())
    if loudest < SILENT:
        raise InputError(Fault("is silent", "leave it out, or record it again", file=path.name))
    slopes = deltas(cepstra)
    features = np.concatenate([cepstra, slopes, deltas(slopes)], axis=1)
    file_rate = audio.describe(source, path.name).rate
    return Recording(path.stem, features, HOP, cepstra[:, 0].copy(), file_rate)


def speech_of(
    name: str,
    recordings: Sequence[Recording],
    gold: Path | None = None,
    speakers: Callable[[str], str] | None = None,
    sources: dict[str, str] | None = None,
    notes: Sequence[str] = (),
) -> Speech:
    """Cut recordings into utterances, standardise their features and add gold times; see :func:`read_speech`.

    Raises
    ------
    InputError
        If recordings differ in their dimensions or in the time between frames.
    """
    first, notes = recordings[0], list(notes)
    for other in recordings[1:]:
        if (other.features.shape[1], round(other.hop, 7)) != (first.features.shape[1], round(first.hop, 7)):
            what = f"has {other.features.shape[1]} dimensions each {other.hop * 1000:g} ms; {first.name} has "
            what += f"{first.features.shape[1]} each {first.hop * 1000:g} ms"
            raise InputError(Fault(what, "compute all features alike", file=other.name))
    pieces = [(recording, start, stop) for recording in recordings for start, stop in _pieces(recording)]
    names = tuple(recording.name for recording, _, _ in pieces)
    of_sound = bool(first.rate)
    features = np.concatenate([recording.features for recording in recordings])
    sizes = [recording.features.shape[0] for recording in recordings]
    who = [speakers(recording.name) if speakers is not None else "" for recording in recordings]
    groups = np.repeat([sorted(set(who)).index(speaker) for speaker in who], sizes)
    phones = words = None
    if gold is not None:
        phones, words = _tiers(gold, recordings, pieces, notes)
    for note in notes:
        warnings.warn(note, DataWarning, stacklevel=3)
    return Speech(
        name, names, standardised(features, groups), _offsets([stop - start for _, start, stop in pieces]),
        np.array([start * recording.hop for recording, start, _ in pieces]),
        first.hop, WINDOW if of_sound else first.hop, phones, words,
        tuple((sources or {}).get(each, "") for each in names) if of_sound else (), tuple(notes),
    )  # fmt: skip


def _pieces(recording: Recording) -> list[tuple[int, int]]:
    """Cut a recording into utterances, each at the quietest frame in the last quarter of `LONGEST`."""
    frames, most = recording.features.shape[0], int(LONGEST / recording.hop)
    cuts = [0]
    while frames - cuts[-1] > most:
        low, high = cuts[-1] + 3 * most // 4, min(cuts[-1] + most, frames - SHORTEST)
        cuts.append(low + int(np.argmin(recording.loudness[low:high])))
    return list(zip(cuts, [*cuts[1:], frames], strict=True))


def _tiers(
    folder: Path,
    recordings: Sequence[Recording],
    pieces: Sequence[tuple[Recording, int, int]],
    notes: list[str],
) -> tuple[_Tier | None, _Tier | None]:
    """Return the gold phones and words of each utterance; add a note about gold without sound."""
    if not folder.is_dir():
        raise InputError(Fault(f"there is no folder {folder}", "name the folder of the gold files"))
    gold = read_gold(folder, {recording.name: recording.rate for recording in recordings})
    known = {recording.name for recording in recordings}
    missing = sorted({*gold.phones, *gold.words} - known)
    if missing:
        shown = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
        notes.append(f"{folder.name}: gold without sound, left out: {shown}")
    phones, words = (
        tuple(_cut(tier.get(recording.name, []), start * recording.hop, stop * recording.hop)
              for recording, start, stop in pieces) if known & tier.keys() else None
        for tier in gold
    )  # fmt: skip
    return phones, words


def _cut(intervals: Sequence[Interval], begin: float, end: float) -> tuple[Interval, ...]:
    """Return the intervals whose middle lies in an utterance, timed from its beginning."""
    return tuple(
        Interval(max(0.0, i.start - begin), i.end - begin, i.label)
        for i in intervals
        if begin <= (i.start + i.end) / 2 < end + WINDOW
    )


def _offsets(sizes: Sequence[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(np.array(sizes, dtype=np.int64))]).astype(np.int64)
