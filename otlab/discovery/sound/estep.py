"""The E-step of the phone loop: expected counts of all frames, in parallel over fixed shards.

Each shard of utterances has sums of its own, which are added in the order of the shards, so that
the numbers are the same for any number of threads. A shard is processed in chunks of some 5 s of
sound; between two chunks the run can be stopped. Each thread keeps its working arrays from one
shard to the next, because threads that allocate memory wait for each other in the kernel.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.kernels.phone_loop import (
    Counts,
    Frames,
    Loop,
    Scratch,
    expected_counts,
    expected_counts_log,
)
from otlab.discovery.parsing.chunks import chunks
from otlab.discovery.parsing.estep import shards
from otlab.discovery.sound.gaussians import Moments
from otlab.inference.parallel import in_order
from otlab.inference.run import check_interrupt

if TYPE_CHECKING:
    from otlab.discovery.sound.speech import Speech

__all__ = ["Expected", "Scores", "expect"]

CHUNK = 512
"""Frames whose scores are in memory at a time, for each thread; a single utterance may have more."""


SHARES = (8, 8, 8, 8, 5, 5, 3, 3, 2, 2)
"""Sizes of the shards, in proportion: the small ones at the end go to the thread that is ahead."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Coefficients with which a frame's features are scored.

    Attributes
    ----------
    coefficients : float64 ndarray of shape (components, states, units, 2 dimensions + 1)
        Of (x^2, x, 1), mixture weights included.
    loop
        Weights of entry, stay and leave.
    """

    coefficients: np.ndarray
    loop: Loop

    @property
    def shape(self) -> tuple[int, int, int]:
        """Components, states and units."""
        components, states, units = self.coefficients.shape[:3]
        return components, states, units

    def of(self, squares: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Return E ln of weight times density: shape (frames, components, states, units).

        `out`, if given, is memory for as many rows of that many numbers.
        """
        flat = self.coefficients.reshape(-1, self.coefficients.shape[-1])
        product: np.ndarray = np.matmul(squares, flat.T, out=out)
        return product.reshape(-1, *self.shape)


@dataclass(frozen=True, eq=False)
class Expected:
    """Expected counts of an E-step.

    Attributes
    ----------
    entries : float64 ndarray of shape (units,)
        How often each unit is entered.
    stays, leaves : float64 ndarray of shape (states, units)
        How often a state is stayed in, and left.
    moments
        Of the Gaussians, of shape (components, states, units).
    log_z : float64 ndarray of shape (utterances,)
        Log weight of all paths.
    frames
        Of each frame: P(a unit starts here), the most probable unit, and its probability.
    """

    entries: np.ndarray
    stays: np.ndarray
    leaves: np.ndarray
    moments: Moments
    log_z: np.ndarray
    frames: Frames


def squares(features: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Return (x^2, x, 1) of frames: ndarray of shape (frames, 2 dimensions + 1); `out` is memory for it."""
    frames, width = features.shape
    data = np.empty((frames, 2 * width + 1)) if out is None else out
    np.multiply(features, features, out=data[:, :width])
    data[:, width:-1] = features
    data[:, -1] = 1.0
    return data


def expect(speech: Speech, scores: Scores, threads: int | None = None) -> Expected:
    """Return the expected counts of all frames.

    Parameters
    ----------
    speech
        The frames.
    scores
        Of Gaussians and loop.
    threads
        One per core if None. The results do not depend on it.
    """
    n = speech.frames
    frames = Frames(np.zeros(n, np.float32), np.zeros(n, np.int16), np.zeros(n, np.float32))
    log_z = np.zeros(len(speech))
    blocks = shards(speech.lengths, SHARES)
    tasks = [partial(_expect_shard, speech, scores, block, frames, log_z) for block in blocks]
    # By sum(), shard after shard: np.sum would pair them.
    entries, stays, flat = (np.asarray(sum(p)) for p in zip(*in_order(tasks, threads), strict=True))
    width = speech.features.shape[1]
    sums = flat.reshape(*scores.shape, 2 * width + 1)
    moments = Moments(sums[..., -1], sums[..., width:-1], sums[..., :width])
    leaves = moments.uses.sum(axis=0) - stays
    return Expected(entries, stays, leaves, moments, log_z, frames)


_thread = threading.local()


def _array(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return this thread's working array of that name, grown to `shape`; its content is arbitrary."""
    arrays: dict[str, np.ndarray] = _thread.__dict__
    size = math.prod(shape)
    if name not in arrays or arrays[name].size < size:
        arrays[name] = np.empty(size)
    return arrays[name][:size].reshape(shape)


def _expect_shard(
    speech: Speech, scores: Scores, block: np.ndarray, frames: Frames, log_z: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the expected entries, stays and sums of (x^2, x, 1) of one shard."""
    components, states, units = scores.shape
    counts = Counts(np.zeros(units), np.zeros((states, units)))
    gaussians, width = components * states * units, scores.coefficients.shape[-1]
    sums, part_sums = np.zeros((gaussians, width)), _array("sums", (gaussians, width))
    lengths = speech.lengths[block]
    longest = int(lengths.max(initial=0))
    cells = (longest, states, units)
    shapes = {"weight": cells, "alpha": cells, "highest": (longest,), "total": (longest + 1,)}
    scratch = Scratch(**{name: _array(name, shape) for name, shape in shapes.items()})
    for chunk in chunks(lengths, CHUNK):
        check_interrupt()
        first, last = int(block[chunk][0]), int(block[chunk][-1])
        offsets = speech.offsets[first : last + 2]
        n = int(offsets[-1] - offsets[0])
        data = squares(speech.features[offsets[0] : offsets[-1]], _array("data", (n, width)))
        uses = scores.of(data, _array("scores", (n, gaussians)))
        cut = Frames(*(array[offsets[0] : offsets[-1]] for array in frames))
        part = log_z[first : last + 1]
        expected_counts(uses, offsets - offsets[0], scores.loop, scratch, counts, cut, part)
        for k in np.flatnonzero(np.isnan(part)):
            a, b = offsets[k] - offsets[0], offsets[k + 1] - offsets[0]
            again = scores.of(data[a:b])
            part[k] = expected_counts_log(again, scores.loop, counts, cut, int(a))
            uses[a:b] = again
        sums += np.matmul(uses.reshape(n, -1).T, data, out=part_sums)
    return counts.entry, counts.stay, sums
