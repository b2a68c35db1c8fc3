"""The best path of the phone loop: units with their start and end times."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.discovery.kernels.phone_loop import best_path, unit_scores
from otlab.discovery.sound.estep import squares
from otlab.discovery.sound.tiers import Interval

if TYPE_CHECKING:
    from otlab.discovery.sound.phone_loop import LoopPosterior
    from otlab.discovery.sound.speech import Speech

__all__ = ["Segment", "decode", "frame_units", "segment_intervals"]


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
    each = scores.of(squares(speech.features[a:b]))
    length, _, states, units = each.shape
    weight = np.empty((length, states, units))
    unit_scores(each, weight)
    path, left = np.zeros(length, np.int64), np.zeros(length, np.int64)
    best_path(weight, posterior.log_loop, np.zeros(weight.shape, bool), left, path)
    starts = np.flatnonzero(path < 0)
    stops = [*starts[1:].tolist(), length]
    return [Segment(int(i), int(j), int(-1 - path[i])) for i, j in zip(starts, stops, strict=True)]


def frame_units(segments: list[Segment]) -> np.ndarray:
    """Return the unit of each frame of an utterance."""
    lengths = [segment.stop - segment.first for segment in segments]
    return np.repeat([segment.unit for segment in segments], lengths)


def segment_intervals(speech: Speech, segments: list[Segment]) -> list[Interval]:
    """Return segments as times in seconds from the beginning of their utterance.

    A boundary lies half way between the centres of two windows; the first segment begins at 0
    and the last ends with the last window.
    """
    if not segments:
        return []
    last = segments[-1].stop
    end = (last - 1) * speech.hop + speech.window
    times = [0.0, *(float(speech.time(s.first)) for s in segments[1:]), end]
    return [Interval(i, j, str(s.unit)) for i, j, s in zip(times[:-1], times[1:], segments, strict=True)]
