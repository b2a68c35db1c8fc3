"""Read the samples of a sound file in blocks, as one channel at a given rate.

WAV, FLAC, OGG, MP3, AIFF and NIST (``.sph``) files of any depth, rate and number of channels are read by
``soundfile`` (the extra ``otlab[audio]``). Blocks of 30 s are mixed to one channel and resampled by a
polyphase filter, so that a long recording is never in memory as a whole. Channels of opposite phase, which
cancel out, are not mixed: the loudest is taken.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from scipy.signal import resample_poly

from otlab.discovery.io.sound_headers import declared, with_size
from otlab.errors import Fault, InputError, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["ENDINGS", "UNREAD", "Sound", "blocks", "describe", "excerpt", "only_channel", "wav_bytes"]

ENDINGS = (".wav", ".flac", ".ogg", ".opus", ".mp3", ".aif", ".aiff", ".sph", ".nist")
"""Endings of the file names that are read as sound."""

UNREAD = (".m4a", ".mp4", ".aac", ".wma", ".amr", ".3gp", ".caf", ".webm", ".mov", ".avi")
"""Endings of sound and films that are not read."""

LEAST_RATE = 1000
"""Fewest samples per second, which a wrong header can say of any file."""

BLOCK_SECONDS = 30
_PART = 1 << 20  # samples that are decoded in one call
CANCELLED = 0.01
"""Channels whose mean has less than this share of their energy cancel out."""

_MOST_STEPS = 200_000  # of the filter that resamples, which has 20 values for each

_SLACK = 64  # bytes by which careless recorders miss the size
_WHOLE = ("MP3", "MPEG")  # formats that are decoded as a whole: their parts do not join without a click


@dataclass(frozen=True)
class Sound:
    """Header of a sound file.

    Attributes
    ----------
    name
        The file's name.
    rate
        Samples per second.
    samples
        Number of samples in each channel.
    channels
        Number of channels.
    """

    name: str
    rate: int
    samples: int
    channels: int

    @property
    def seconds(self) -> float:
        """Duration in seconds."""
        return self.samples / self.rate


def describe(source: Path | bytes, name: str = "") -> Sound:
    """Return the header of a sound file.

    Raises
    ------
    InputError
        If ``soundfile`` is not installed, or the file is not a sound file, truncated or empty.
    """
    name = name or _name(source)
    with _opened(source, name) as file:
        _check_whole(source, int(file.frames), int(file.samplerate), name)
        if not file.frames:
            raise InputError(Fault("holds no sound: it has no samples", "leave it out", file=name))
        if file.samplerate < LEAST_RATE:
            what = f"has {counted(file.samplerate, 'sample')} per second, too few for speech"
            raise InputError(Fault(what, "correct its header, or record it again", file=name))
        return Sound(name, int(file.samplerate), int(file.frames), int(file.channels))


def blocks(
    source: Path | bytes, rate: int, name: str = "", *, channel: int | None = None
) -> Iterator[np.ndarray]:
    """Yield the samples of a file, one channel, at `rate` samples per second.

    Parameters
    ----------
    source
        A path, or the bytes of a file.
    rate
        Samples per second of the result.
    name
        Name of the file in error messages.
    channel
        The only channel that is read, from 0; None: the mean of all.

    Yields
    ------
    float64 ndarray
        Samples in [-1, 1]; the blocks, joined, are the whole file.

    Raises
    ------
    InputError
        If the file cannot be read to its end, or holds numbers that are not finite.
    """
    sound = describe(source, name)
    step = gcd(rate, sound.rate)
    up, down = rate // step, sound.rate // step
    if max(up, down) > _MOST_STEPS:
        what = f"has {counted(sound.rate, 'sample')} per second, which cannot be converted to {rate:,}"
        raise InputError(Fault(what, "save it again at a usual rate, such as 16,000", file=sound.name))
    # The filter reaches 10 max(up, down) samples at the common rate. Margins that are multiples of `down`
    # leave its phase unchanged.
    margin = -(-(10 * max(up, down) // up + 1) // down) * down
    length = sound.rate * BLOCK_SECONDS // down * down
    part, read = np.zeros(0), 0
    with _opened(source, sound.name) as file:
        for start in range(0, sound.samples, length):
            first = max(0, start - margin)
            stop = min(sound.samples, start + length)
            kept = part[part.size - (read - first) :]
            end = min(sound.samples, stop + margin)
            part = np.concatenate([kept, _mono(_samples(file, read, end, sound.name), channel)])
            read = end
            if up == down:
                yield part[start - first : stop - first]
            else:
                skip, wanted = (start - first) * up // down, -(-(stop - start) * up // down)
                yield resample_poly(part, up, down)[skip : skip + wanted]


def excerpt(source: Path | bytes, start: float, end: float) -> tuple[np.ndarray, int]:
    """Return the samples between two times in seconds, one channel, and their rate."""
    sound = describe(source)
    first = min(max(0, round(start * sound.rate)), sound.samples)
    stop = min(sound.samples, max(first, round(end * sound.rate)))
    with _opened(source, sound.name) as file:
        if file.seekable():
            file.seek(first)
        else:
            for at in range(0, first, step := BLOCK_SECONDS * sound.rate):
                _samples(file, at, min(first, at + step), sound.name)
        data = _samples(file, first, stop, sound.name)
    return _mono(data, _loudest(*_energies([data]))), sound.rate


def only_channel(source: Path | bytes, name: str = "") -> int | None:
    """Return the channel to read of a file whose channels cancel out, the loudest one; else None."""
    sound = describe(source, name)
    if sound.channels < 2:
        return None
    step = BLOCK_SECONDS * sound.rate
    with _opened(source, sound.name) as file:
        parts = (
            _samples(file, at, min(sound.samples, at + step), sound.name)
            for at in range(0, sound.samples, step)
        )
        return _loudest(*_energies(parts))


def _energies(parts: Iterable[np.ndarray]) -> tuple[np.ndarray, float]:
    """Return the energy of each channel, and that of their mean."""
    totals = [((part**2).sum(axis=0), float((part.mean(axis=1) ** 2).sum())) for part in parts]
    return sum((each for each, _ in totals), np.zeros(1)), sum(mixed for _, mixed in totals)


def _loudest(channels: np.ndarray, mixed: float) -> int | None:
    """Return the first channel with (nearly) the highest energy if the channels cancel out; else None."""
    cancel = channels.size > 1 and mixed < CANCELLED * channels.mean()
    return int(np.argmax(channels >= 0.99 * channels.max())) if cancel else None


def wav_bytes(samples: np.ndarray, rate: int) -> bytes:
    """Return the bytes of a 16-bit WAV file, which every browser can play."""
    data: bytes = np.round(np.clip(samples, -1.0, 1.0) * 32767).astype("<i2").tobytes()
    header = b"RIFF" + (36 + len(data)).to_bytes(4, "little") + b"WAVEfmt " + (16).to_bytes(4, "little")
    numbers = ((1, 2), (1, 2), (rate, 4), (2 * rate, 4), (2, 2), (16, 2))
    header += b"".join(value.to_bytes(size, "little") for value, size in numbers)
    return header + b"data" + len(data).to_bytes(4, "little") + data


def _name(source: Path | bytes) -> str:
    return source.name if isinstance(source, Path) else "sound"


def _opened(source: Path | bytes, name: str) -> Any:
    """Open a sound file for reading."""
    try:
        import soundfile
    except (ImportError, OSError):
        fault = Fault("reading sound needs the package soundfile", "install otlab[audio]")
        raise InputError(fault) from None
    try:
        with _stream(source) as stream:
            found = declared(stream)
            if found is not None and not found.size and found.there > _SLACK:  # its recorder wrote no length
                stream.seek(0)
                source = with_size(stream.read(), found)
        file = soundfile.SoundFile(io.BytesIO(source) if isinstance(source, bytes) else source)
    except (soundfile.SoundFileError, OSError, TypeError) as error:
        why = error.strerror if isinstance(error, OSError) else ""
        what = f"cannot be read: {why}" if why else "cannot be read as sound"
        raise InputError(Fault(what, "save it again as WAV or FLAC", file=name)) from None
    return _Decoded(file) if file.format in _WHOLE else file


class _Decoded:
    """An open sound file whose samples are decoded at once when the first of them are read."""

    def __init__(self, file: Any) -> None:
        self._file, self._at = file, 0
        self.frames, self.samplerate, self.channels = file.frames, file.samplerate, file.channels

    def __enter__(self) -> _Decoded:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @cached_property
    def _data(self) -> np.ndarray:
        parts = [np.zeros((0, self.channels), np.float32)]
        while (part := self._file.read(_PART, dtype="float32", always_2d=True)).shape[0]:
            parts.append(part)  # the header may announce more than there is
        return np.concatenate(parts)

    def seekable(self) -> bool:
        """Return True: any sample can be read next."""
        return True

    def seek(self, at: int) -> None:
        """Read from this sample on."""
        self._at = at

    def read(self, samples: int, dtype: str, always_2d: bool) -> np.ndarray:
        """Return the next samples of all channels."""
        self._at += samples
        return self._data[self._at - samples : self._at].astype(dtype)


def _stream(source: Path | bytes) -> IO[bytes]:
    return io.BytesIO(source) if isinstance(source, bytes) else source.open("rb")


def _check_whole(source: Path | bytes, samples: int, rate: int, name: str) -> None:
    """Refuse a file with fewer samples than its header says."""
    with _stream(source) as stream:
        found = declared(stream)
    if found is not None and found.share < 1 and found.size - found.there > _SLACK:
        seconds = samples / rate
        what = f"is cut off after {seconds:.2f} s of {seconds / max(found.share, 1e-9):.2f} s"
        raise InputError(Fault(what, "save it again", file=name))


def _samples(file: Any, first: int, stop: int, name: str) -> np.ndarray:
    """Return samples first..stop - 1 of all channels; the file has been read up to `first`."""
    import soundfile

    try:
        data: np.ndarray = file.read(stop - first, dtype="float64", always_2d=True)
    except soundfile.SoundFileError:
        data = np.zeros((0, 1))
    if data.shape[0] < stop - first:
        seconds = (first + data.shape[0]) / file.samplerate
        raise InputError(Fault(f"is cut off after {seconds:.2f} s", "save it again", file=name))
    if not np.isfinite(data).all():
        raise InputError(Fault("holds samples that are not numbers (inf or nan)", "save it again", file=name))
    return data


def _mono(data: np.ndarray, channel: int | None) -> np.ndarray:
    """Return the mean of the channels, or one of them."""
    mono: np.ndarray = data.mean(axis=1) if channel is None else data[:, channel]
    return mono
