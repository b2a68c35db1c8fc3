"""Read the samples of a sound file in blocks, as one channel at a given rate.

WAV, FLAC, OGG and AIFF files of any depth, rate and number of channels are read by ``soundfile`` (the
extra ``otlab[audio]``). Blocks of 30 s are mixed to one channel and resampled by a polyphase filter, so
that a long recording is never in memory as a whole.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from math import gcd
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.signal import resample_poly

from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ENDINGS", "Sound", "blocks", "describe", "excerpt", "wav_bytes"]

ENDINGS = (".wav", ".flac", ".ogg", ".aif", ".aiff")
"""Endings of the file names that are read as sound."""

BLOCK_SECONDS = 30


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
        if not file.frames:
            raise InputError(Fault("holds no sound: it has no samples", "leave it out", file=name))
        return Sound(name, int(file.samplerate), int(file.frames), int(file.channels))


def blocks(source: Path | bytes, rate: int, name: str = "") -> Iterator[np.ndarray]:
    """Yield the samples of a file, one channel, at `rate` samples per second.

    Parameters
    ----------
    source
        A path, or the bytes of a file.
    rate
        Samples per second of the result.
    name
        Name of the file in error messages.

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
    # The filter reaches 10 max(up, down) samples at the common rate. Margins that are multiples of `down`
    # leave its phase unchanged.
    margin = -(-(10 * max(up, down) // up + 1) // down) * down
    length = sound.rate * BLOCK_SECONDS // down * down
    with _opened(source, sound.name) as file:
        for start in range(0, sound.samples, length):
            first = max(0, start - margin)
            stop = min(sound.samples, start + length)
            part = _mono(file, first, min(sound.samples, stop + margin), sound.name)
            if up == down:
                yield part[start - first : stop - first]
            else:
                skip, wanted = (start - first) * up // down, -(-(stop - start) * up // down)
                yield resample_poly(part, up, down)[skip : skip + wanted]


def excerpt(source: Path | bytes, start: float, end: float) -> tuple[np.ndarray, int]:
    """Return the samples between two times in seconds, one channel, and their rate."""
    sound = describe(source)
    first = min(max(0, round(start * sound.rate)), sound.samples)
    with _opened(source, sound.name) as file:
        stop = min(sound.samples, max(first, round(end * sound.rate)))
        return _mono(file, first, stop, sound.name), sound.rate


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
        return soundfile.SoundFile(io.BytesIO(source) if isinstance(source, bytes) else source)
    except (soundfile.SoundFileError, OSError, TypeError) as error:
        why = error.strerror if isinstance(error, OSError) else ""
        what = f"cannot be read: {why}" if why else "cannot be read as sound"
        raise InputError(Fault(what, "save it again as WAV or FLAC", file=name)) from None


def _mono(file: Any, first: int, stop: int, name: str) -> np.ndarray:
    """Return samples first..stop - 1, averaged over the channels."""
    import soundfile

    try:
        file.seek(first)
        data = file.read(stop - first, dtype="float64", always_2d=True)
    except soundfile.SoundFileError:
        data = np.zeros((0, 1))
    if data.shape[0] < stop - first:
        seconds = (first + data.shape[0]) / file.samplerate
        raise InputError(Fault(f"is cut off after {seconds:.2f} s", "save it again", file=name))
    if not np.isfinite(data).all():
        raise InputError(Fault("holds samples that are not numbers (inf or nan)", "save it again", file=name))
    mixed: np.ndarray = data.mean(axis=1)
    return mixed
