"""Compute the E-step of the phone loop: expected counts of all frames, in parallel over fixed shards.

Each shard of utterances has its own sums, which are added in the order of the shards, so that
the results do not depend on the number of threads. A shard is processed in chunks of about 5 s of
sound; between two chunks the run can be stopped. Each thread reuses its working arrays for the
next shard, because threads that allocate memory wait for each other in the operating system.
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
"""Frames whose scores each thread keeps in memory at a time; a single longer utterance may exceed this."""


SHARES = (8, 8, 8, 8, 5, 5, 3, 3, 2, 2)
"""Relative sizes of the shards. The small ones at the end keep all threads busy until the end."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Coefficients that turn a frame's features into scores.

    Attributes
    ----------
    coefficients : float64 ndarray of shape (components, states, units, 2 dimensions + 1)
        Coefficients of (x^2, x, 1) in the expected log density, plus the expected log mixture weight.
    loop
        Weights of entering a unit, and of staying in a state and leaving it.
    """

    coefficients: np.ndarray
    loop: Loop

    @property
    def shape(self) -> tuple[int, int, int]:
        """Numbers of components, states and units."""
        components, states, units = self.coefficients.shape[:3]
        return components, states, units

    def of(self, squares: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Return E ln(mixture weight times density), of shape (frames, components, states, units).

        `out`, if given, is an array for the result, with the last three axes flattened.
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
        Expected number of times that each unit is entered.
    stays, leaves : float64 ndarray of shape (states, units)
        Expected number of times that a path stays in each state, and leaves it.
    moments
        Expected uses and weighted sums of the Gaussians, of shape (components, states, units).
    log_z : float64 ndarray of shape (utterances,)
        Log of the summed weight of all paths.
    frames
        For each frame P(a unit starts here), the most probable unit, and its probability.
    """

    entries: np.ndarray
    stays: np.ndarray
    leaves: np.ndarray
    moments: Moments
    log_z: np.ndarray
    frames: Frames


def squares(features: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Return (x^2, x, 1) for each frame, of shape (frames, 2 dimensions + 1), in `out` if given."""
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
        Scores of the Gaussians and weights of the loop.
    threads
        One per core if None. The results do not depend on it.
    """
    n = speech.frames
    frames = Frames(np.zeros(n, np.float32), np.zeros(n, np.int16), np.zeros(n, np.float32))
    log_z = np.zeros(len(speech))
    blocks = shards(speech.lengths, SHARES)
    tasks = [partial(_expect_shard, speech, scores, block, frames, log_z) for block in blocks]
    # sum() adds one shard after another; np.sum would add pairs of shards, with other rounding.
    entries, stays, flat = (np.asarray(sum(p)) for p in zip(*in_order(tasks, threads), strict=True))
    width = speech.features.shape[1]
    sums = flat.reshape(*scores.shape, 2 * width + 1)
    moments = Moments(sums[..., -1], sums[..., width:-1], sums[..., :width])
    leaves = moments.uses.sum(axis=0) - stays
    return Expected(entries, stays, leaves, moments, log_z, frames)


_thread = threading.local()


def _array(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return this thread's working array with this name and shape; its content is arbitrary."""
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
