r"""Compute features of each 10 ms of sound, mel-frequency cepstra with their slopes, or read them from files.

::

    samples --pre-emphasis, 25 ms Hamming windows, |FFT|^2--> power
            --26 triangular mel filters, ln, DCT, lifter--> 12 cepstra and the log energy
            --slopes over 2 frames on each side, twice--> 39 numbers per frame

The formulas and defaults are those of HTK's and python_speech_features' usual recipe (Davis
and Mermelstein 1980): filters at equal distances on :math:`2595 \log_{10}(1 + f/700)`, edges
at whole FFT bins, lifter :math:`1 + 11 \sin(\pi n / 22)`.

Features computed elsewhere (by a self-supervised model, say) are read from ``.npy`` arrays of
shape (frames, dimensions) or from HTK parameter files.
"""

from __future__ import annotations

import io
import warnings
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.lib import format as npy
from scipy.fft import dct, rfft

from otlab.errors import Fault, InputError
from otlab.inference.blas import one_blas_thread

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["HOP", "WINDOW", "Mfcc", "deltas", "read_htk", "read_npy", "standardised"]

HOP, WINDOW = 0.010, 0.025
"""Seconds between frames, and the length of a frame's window in seconds."""

FILTERS, CEPSTRA, LIFTER, EMPHASIS = 26, 13, 22, 0.97
SLOPE_REACH = 2
TINY = np.finfo(float).eps


class Mfcc:
    """Computes mel-frequency cepstra of sound that is given in blocks.

    Parameters
    ----------
    rate
        Samples per second.
    """

    def __init__(self, rate: int) -> None:
        self.rate = rate
        self.hop, self.window = round(HOP * rate), round(WINDOW * rate)
        self.size = 1 << (self.window - 1).bit_length()
        self._mel = mel_filters(rate, self.size)
        self._shape = np.hamming(self.window)
        self._lifter = 1 + LIFTER / 2 * np.sin(np.pi * np.arange(CEPSTRA) / LIFTER)

    def of(self, blocks: Iterable[np.ndarray]) -> np.ndarray:
        """Return 13 numbers per frame: the log energy and 12 cepstra.

        Only whole windows count: n samples give 1 + (n - window) // hop frames.

        Parameters
        ----------
        blocks
            Consecutive samples, cut into blocks at any places.

        Returns
        -------
        float64 ndarray of shape (frames, 13)
        """
        out: list[np.ndarray] = []
        rest, previous = np.zeros(0), 0.0
        for block in blocks:
            if not block.size:
                continue
            emphasised = block - EMPHASIS * np.concatenate([[previous], block[:-1]])
            previous = float(block[-1])
            rest = np.concatenate([rest, emphasised])
            frames = 1 + (rest.size - self.window) // self.hop
            if frames > 0:
                out.append(self._frames(rest, frames))
                rest = rest[frames * self.hop :]
        return np.concatenate(out) if out else np.zeros((0, CEPSTRA))

    def _frames(self, samples: np.ndarray, frames: int) -> np.ndarray:
        windows = np.lib.stride_tricks.sliding_window_view(samples, self.window)[:: self.hop][:frames]
        power = np.abs(rfft(windows * self._shape, self.size)) ** 2 / self.size
        energy = np.log(np.maximum(power.sum(axis=1), TINY))
        with one_blas_thread():  # the last bits of a product depend on the number of threads
            mel = np.log(np.maximum(power @ self._mel.T, TINY))
        cepstra: np.ndarray = dct(mel, type=2, axis=1, norm="ortho")[:, :CEPSTRA] * self._lifter
        cepstra[:, 0] = energy
        return cepstra


@cache
def mel_filters(rate: int, size: int) -> np.ndarray:
    """Return triangular filters at equal distances in mel, of shape (26, size // 2 + 1)."""
    top = 2595 * np.log10(1 + rate / 2 / 700)
    hertz = 700 * (10 ** (np.linspace(0, top, FILTERS + 2) / 2595) - 1)
    edges = np.floor((size + 1) * hertz / rate)
    out = np.zeros((FILTERS, size // 2 + 1))
    for k in range(FILTERS):
        low, centre, high = edges[k : k + 3]
        rise, fall = np.arange(low, centre), np.arange(centre, high)
        out[k, rise.astype(int)] = (rise - low) / (centre - low)
        out[k, fall.astype(int)] = (high - fall) / (high - centre)
    return out


def deltas(features: np.ndarray) -> np.ndarray:
    """Return the slope of each feature by regression over two frames on each side.

    Parameters
    ----------
    features : ndarray of shape (frames, dimensions)
        Features of each frame; the first and the last frame are repeated beyond the edges.
    """
    frames = features.shape[0]
    if not frames:
        return np.zeros(features.shape)
    padded = np.pad(features, ((SLOPE_REACH, SLOPE_REACH), (0, 0)), mode="edge")
    out = np.zeros(features.shape)
    for k in range(1, SLOPE_REACH + 1):
        later, earlier = padded[SLOPE_REACH + k :][:frames], padded[SLOPE_REACH - k :][:frames]
        out += k * (later - earlier)
    return out / (2 * sum(k * k for k in range(1, SLOPE_REACH + 1)))


def standardised(features: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return features with mean 0 and variance 1 in each group of frames.

    Parameters
    ----------
    features : float64 ndarray of shape (frames, dimensions)
        Features of each frame, changed in place. A dimension that does not vary becomes 0.
    groups : int ndarray of shape (frames,)
        The speaker of each frame, or 0 everywhere.
    """
    for group in np.unique(groups):
        chosen = groups == group
        part = features[chosen]
        part -= part.mean(axis=0)
        sd = part.std(axis=0)
        features[chosen] = part / np.where(sd > 1e-10, sd, 1.0)
    return features


_NPY_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def read_npy(data: bytes, name: str) -> np.ndarray:
    """Return the features in the bytes of a ``.npy`` file.

    Raises
    ------
    InputError
        If the file is not an array of numbers of shape (frames, dimensions), or contains inf or nan.
    """
    file = io.BytesIO(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of headers that Python 2 wrote
            read = _NPY_HEADERS[npy.read_magic(file)]
            shape, by_columns, kind = read(file)
    except Exception:  # NumPy's reader of the header raises errors of many kinds
        raise InputError(_no_npy(name)) from None
    if len(shape) != 2 or any(isinstance(n, bool) or n < 1 for n in shape) or kind.kind not in "fiu":
        what = f"has shape {shape}"
        raise InputError(Fault(what, "save numbers of shape (frames, dimensions)", file=name))
    size = int(shape[0] * shape[1])
    if size * kind.itemsize > len(data) - file.tell():
        raise InputError(_no_npy(name))
    values = np.frombuffer(data, kind, count=size, offset=file.tell())
    return _finite(values.reshape(shape, order="F" if by_columns else "C").astype(float), name)


def _no_npy(name: str) -> Fault:
    return Fault("is no .npy array, or is cut off", "save it again", file=name)


def read_htk(data: bytes, name: str) -> tuple[np.ndarray, float]:
    """Return the features in the bytes of an HTK parameter file, and the seconds between frames.

    The header, big-endian, is frames (int32), period in 100 ns (int32), bytes per frame
    (int16) and kind (int16); values are float32. Compressed files (``_C``) are refused.

    Raises
    ------
    InputError
        If the header does not fit the length of the file, or the file is compressed.
    """
    if len(data) < 12:
        raise InputError(Fault("is no HTK file: shorter than its header", "save it again", file=name))
    frames, period, width, kind = np.frombuffer(data, ">i4,>i4,>i2,>u2", count=1)[0].item()
    if kind & 0o2000:
        raise InputError(Fault("is compressed (_C)", "write it without compression", file=name))
    if width <= 0 or width % 4 or frames < 0 or len(data) < 12 + frames * width or period <= 0:
        raise InputError(Fault("is no HTK file of float32 frames, or is cut off", "save it again", file=name))
    values = np.frombuffer(data, ">f4", count=frames * width // 4, offset=12)
    return _finite(values.reshape(frames, width // 4).astype(float), name), period * 1e-7


def _finite(values: np.ndarray, name: str) -> np.ndarray:
    if not np.isfinite(values).all():
        what = "holds values that are not numbers (inf or nan)"
        raise InputError(Fault(what, "compute it again", file=name))
    return values
