"""Compute the E-step of sound given source strings: edits, Gaussians, beginnings of source units."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.channel.channel import Edits
from otlab.discovery.kernels.phone_loop import Scratch, emission_weights
from otlab.discovery.kernels.spoken import (
    SpokenCounts,
    SpokenLimits,
    SpokenScratch,
    band_width,
    spoken_backward,
    spoken_forward,
)
from otlab.discovery.parsing.estep import shards
from otlab.discovery.sound.estep import squares
from otlab.discovery.sound.gaussians import Moments
from otlab.inference.parallel import in_order
from otlab.inference.run import check_interrupt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.discovery.kernels.layout import EditArrays
    from otlab.discovery.sound.estep import Scores
    from otlab.discovery.sound.speech import Speech

__all__ = ["SpokenExpected", "expect_spoken", "log_weights"]


@dataclass(frozen=True, eq=False)
class SpokenExpected:
    """Expected counts of the sound, given a source string for each utterance.

    Attributes
    ----------
    edits
        Expected edits.
    moments
        Expected uses and weighted sums of the Gaussians, of shape (components, states, units).
    log_z : float64 ndarray of shape (utterances,)
        Log of the summed weight of all paths; -inf if there is none.
    begins : tuple of int64 ndarray of shape (n,)
        Most probable first frame of each source unit, in non-decreasing order.
    """

    edits: Edits
    moments: Moments
    log_z: np.ndarray
    begins: tuple[np.ndarray, ...]


class _Utterance:
    """Weights of the frames of one utterance, and its forward pass."""

    def __init__(self, speech: Speech, scores: Scores, u: int) -> None:
        a, b = speech.offsets[u], speech.offsets[u + 1]
        self.data = squares(speech.features[a:b])
        self.shares = scores.of(self.data)
        length, _, states, units = self.shares.shape
        self.weight = np.empty((length, states, units))
        highest = np.empty(length)
        emission_weights(self.shares, Scratch(self.weight, self.weight, highest, highest))
        self.scale = float(highest.sum())

    def forward(
        self, tops: np.ndarray, channel: EditArrays, scores: Scores, limits: SpokenLimits
    ) -> tuple[float, SpokenScratch]:
        """Return ln Z and the arrays for the backward pass."""
        length, states, units = self.weight.shape
        runs = limits.most_inserted + 1
        scratch = SpokenScratch(
            np.zeros((length + 1, tops.size + 1, limits.most_deleted + runs)),
            np.empty((length, band_width(tops.size, limits), runs, states, units)),
            np.zeros(length),
        )
        log_z = spoken_forward(self.weight, tops, channel, scores.loop, limits, scratch)
        return log_z + self.scale, scratch


def log_weights(
    speech: Speech,
    scores: Scores,
    edits: Edits,
    limits: SpokenLimits,
    candidates: Sequence[Sequence[np.ndarray]],
    threads: int | None = None,
) -> list[list[float]]:
    """Return the log weight of each utterance's frames given each of its candidate source strings."""
    channel = edits.weights()

    def weights_of(block: np.ndarray) -> list[list[float]]:
        out = []
        for u in block.tolist():
            utterance, row = _Utterance(speech, scores, u), []
            for tops in candidates[u]:
                check_interrupt()
                row.append(utterance.forward(tops, channel, scores, limits)[0])
            out.append(row)
        return out

    tasks = [partial(weights_of, block) for block in shards(speech.lengths)]
    return [row for rows in in_order(tasks, threads) for row in rows]


def expect_spoken(
    speech: Speech,
    scores: Scores,
    edits: Edits,
    limits: SpokenLimits,
    tops: Sequence[np.ndarray],
    threads: int | None = None,
) -> SpokenExpected:
    """Return the expected counts of all frames given a source string for each utterance.

    Parameters
    ----------
    speech
        The frames.
    scores
        Scores of Gaussians and weights of transitions; the loop's entry weights are not used.
    edits
        The channel's Dirichlet parameters.
    limits
        Limits of runs and of the band.
    tops
        Source string of each utterance.
    threads
        Number of threads, one per core if None. The results do not depend on it.
    """
    components, states, units = scores.shape
    width = speech.features.shape[1]
    begins: list[np.ndarray] = [np.zeros(0, np.int64)] * len(speech)
    log_z = np.zeros(len(speech))
    channel = edits.weights()

    def counts_of(block: np.ndarray) -> tuple[np.ndarray, ...]:
        edit_counts = np.zeros(4), np.zeros(units), np.zeros((units, units))
        stay = np.zeros((states, units))
        sums = np.zeros((components * states * units, 2 * width + 1))
        for u in block.tolist():
            check_interrupt()
            utterance = _Utterance(speech, scores, u)
            log_z[u], scratch = utterance.forward(tops[u], channel, scores, limits)
            begins[u] = np.zeros(tops[u].size, np.int64)
            if not np.isfinite(log_z[u]):
                continue
            length = utterance.weight.shape[0]
            counts = SpokenCounts(
                *edit_counts, stay, np.zeros(utterance.weight.shape), np.zeros((tops[u].size + 1, length))
            )
            spoken_backward(utterance.weight, tops[u], channel, scores.loop, limits, scratch, counts)
            ratio = counts.state / np.maximum(utterance.weight, np.finfo(float).tiny)
            shares = utterance.shares * ratio[:, None]
            sums += shares.reshape(length, -1).T @ utterance.data
            begins[u] = _first_frames(counts.begins[:-1])
        return (*edit_counts, sums)

    parts = in_order([partial(counts_of, block) for block in shards(speech.lengths)], threads)
    operation, insertion, substitution, flat = (np.asarray(sum(p)) for p in zip(*parts, strict=True))
    sums = flat.reshape(components, states, units, 2 * width + 1)
    moments = Moments(sums[..., -1], sums[..., width:-1], sums[..., :width])
    return SpokenExpected(Edits(operation, insertion, substitution), moments, log_z, tuple(begins))


def _first_frames(begins: np.ndarray) -> np.ndarray:
    """Return the most probable first frame of each source unit.

    `begins` (units, frames) is the posterior that a unit begins at a frame. A unit that was probably
    deleted gets the first frame of the next one.
    """
    n, length = begins.shape
    first = np.where(begins.sum(axis=1) >= 0.5, begins.argmax(axis=1), length)
    out: np.ndarray = np.minimum.accumulate(first[::-1])[::-1]
    return np.minimum(out, length) if n else out
