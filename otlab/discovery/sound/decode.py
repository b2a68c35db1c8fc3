"""Find the best path of the phone loop with the times of its units, and boundaries on which runs agree."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.discovery.kernels.phone_loop import best_path, unit_scores
from otlab.discovery.sound.estep import squares
from otlab.discovery.sound.tiers import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.discovery.sound.phone_loop import LoopPosterior
    from otlab.discovery.sound.speech import Speech

__all__ = [
    "Segment",
    "agreed_boundaries",
    "agreed_segments",
    "decode",
    "frame_units",
    "segment_intervals",
]


class Segment(NamedTuple):
    """One use of a unit: frames first..stop - 1 of its utterance."""

    first: int
    stop: int
    unit: int


def decode(speech: Speech, posterior: LoopPosterior, u: int) -> list[Segment]:
    """Return the units of the best path through one utterance.

    Units are weighted by their posterior mean weight; the last unit is in its last state at the end of
    the utterance.
    """
    scores = posterior.scores
    a, b = speech.offsets[u], speech.offsets[u + 1]
    emissions = scores.of(squares(speech.features[a:b]))
    length, _, states, units = emissions.shape
    weight = np.empty((length, states, units))
    unit_scores(emissions, weight)
    path, last_unit = np.zeros(length, np.int64), np.zeros(length, np.int64)
    best_path(weight, posterior.log_loop, np.zeros(weight.shape, bool), last_unit, path)
    starts = np.flatnonzero(path < 0)
    stops = [*starts[1:].tolist(), length]
    return [Segment(int(i), int(j), int(-1 - path[i])) for i, j in zip(starts, stops, strict=True)]


def frame_units(segments: list[Segment]) -> np.ndarray:
    """Return the unit of each frame of an utterance."""
    lengths = [segment.stop - segment.first for segment in segments]
    return np.repeat([segment.unit for segment in segments], lengths)


def segment_intervals(speech: Speech, segments: list[Segment]) -> list[Interval]:
    """Return the times of segments, in seconds from the beginning of their utterance.

    A boundary lies half way between the centres of two windows; the first segment begins at 0
    and the last ends with the last window.
    """
    if not segments:
        return []
    last = segments[-1].stop
    end = (last - 1) * speech.hop + speech.window
    times = [0.0, *(float(speech.time(s.first)) for s in segments[1:]), end]
    return [Interval(i, j, str(s.unit)) for i, j, s in zip(times[:-1], times[1:], segments, strict=True)]


def agreed_boundaries(speech: Speech, starts: Sequence[np.ndarray]) -> list[list[Interval]]:
    """Return the segments between the boundaries that most of several runs have in common.

    Each run ends at a mode of its own, where its posterior of a boundary is nearly 0 or 1. The mean over the
    runs is the posterior of a mixture of them with equal weights. A unit takes at least three frames, so one
    run has at most one boundary in three neighbouring frames, and the mean summed over three frames is the
    probability of a boundary there. Boundaries are placed at the centre of mass of these sums, the highest
    sum first, as long as it exceeds 1/2.

    Parameters
    ----------
    speech
        The frames.
    starts : sequence of ndarray of shape (frames,)
        P(a unit starts at this frame) in each run.

    Returns
    -------
    list of list of Interval
        Segments of each utterance, in seconds from its beginning; their labels are empty.
    """
    return [agreed_segments(speech, starts, u) for u in range(len(speech))]


def agreed_segments(speech: Speech, starts: Sequence[np.ndarray], u: int) -> list[Interval]:
    """Return the segments of one utterance; see :func:`agreed_boundaries`."""
    a, b = speech.offsets[u : u + 2].tolist()
    remaining = np.mean([start[a:b] for start in starts], axis=0, dtype=float)
    remaining[0] = 0.0  # every utterance starts with a unit
    frames = []
    while True:
        sums = np.convolve(remaining, np.ones(3))[1:-1]
        top = int(np.argmax(sums))
        if sums[top] <= 0.5:
            break
        near = slice(max(0, top - 1), top + 2)
        weight = remaining[near]
        frames.append(near.start + float(np.arange(weight.size) @ weight / weight.sum()))
        remaining[near] = 0.0
    end = (b - a - 1) * speech.hop + speech.window
    times = [0.0, *(frame * speech.hop + float(speech.time(0)) for frame in sorted(frames)), end]
    return [Interval(i, j, "") for i, j in pairwise(times)]
