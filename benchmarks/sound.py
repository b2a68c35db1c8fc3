"""The phone loop: frames per second in each iteration, and what a second thread brings.

On the folder ``espeak_brent`` (two minutes of synthetic speech, which may not be shipped; the
environment variable ``OTLAB_AUDIO`` names the folder that holds it), else on generated toy
speech of the same length, and the lines say so.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from benchmarks.measure import Row, Stepper, at_least, cpu_seconds, iteration_seconds, seconds
from otlab.discovery.sound import estep
from otlab.discovery.sound.learners.phone_loop import PhoneLoop
from otlab.discovery.sound.speech import read_speech
from otlab.discovery.sound.toy import LANGUAGE, ToySpeech, write_toy_speech
from otlab.inference.blas import one_blas_thread

if TYPE_CHECKING:
    from otlab.discovery.sound.speech import Speech

AUDIO = Path(os.environ.get("OTLAB_AUDIO", Path(__file__).resolve().parents[2] / "shared" / "audio"))
"""Folder of sound that may not be shipped."""

ESPEAK = AUDIO / "espeak_brent"
PAIRS = 60

RECORDED = (("amdtk, phone loop", "226 frames a second", "same sizes and features, its densities in NumPy"),)
"""Peer, figure, and how it was taken; on 40 utterances like these."""


def speech() -> Speech:
    """Return two minutes of synthetic speech."""
    if ESPEAK.exists():
        return read_speech(ESPEAK)
    with tempfile.TemporaryDirectory() as folder:
        language = LANGUAGE.__class__(words=60, utterances=180, mean_words=3.0)
        write_toy_speech(Path(folder), ToySpeech(language))
        return read_speech(folder)


def run() -> dict[str, Row]:
    """Measure everything."""
    data = speech()
    with one_blas_thread():  # as in a run
        return _rows(data)


def shortest_path_gain(data: Speech) -> float:
    """Return how many times as fast two threads can be: CPU seconds of one over those of the longer thread.

    The longer thread has what is serial and the shards that it takes, each thread taking the next as soon
    as it is done. Other processes hardly change it.
    """
    taken: list[float] = []
    expect_shard = estep._expect_shard

    def timed(*given: Any) -> Any:
        begin = time.thread_time()
        try:
            return expect_shard(*given)
        finally:
            taken.append(time.thread_time() - begin)

    gains = []
    with patch.object(estep, "_expect_shard", timed):
        alone, together = (Stepper(PhoneLoop(data, threads=threads)) for threads in (1, 2))
        for _ in range(PAIRS):
            whole = cpu_seconds(alone)
            taken.clear()
            begin = time.thread_time()
            total = cpu_seconds(together)
            serial, busy = time.thread_time() - begin, [0.0, 0.0]
            beside = total - serial - sum(taken)  # the divergence
            for cost in sorted([*taken, beside], reverse=True):
                busy[busy.index(min(busy))] += cost
            gains.append(whole / (serial + max(busy)))
    return median(gains)


def _rows(data: Speech) -> dict[str, Row]:
    """Measure on that speech."""
    taken = iteration_seconds(PhoneLoop(data, threads=1))
    rate = data.frames / taken.median
    one = at_least(rate, "frames/s", "50,000 frames/s", 50_000, rate / 50_000, 1)
    steps = [Stepper(PhoneLoop(data, threads=threads)) for threads in (1, 2)]
    pairs = [[seconds(step) for step in steps] for _ in range(PAIRS)]
    gain = median(alone / together for alone, together in pairs)
    path = shortest_path_gain(data)
    rows = {
        "sound: phone loop iteration, one thread": one | {"against": f"{one['against']}; {taken}"},
        "sound: phone loop iteration, two threads": at_least(gain, "times", "one thread", 1, gain, 1.8),
        "sound: the same, by processor time": at_least(
            path, "times", "one thread; at most this, on an idle machine", 1, path, 1.8
        ),
    }
    if ESPEAK.exists():
        return rows
    return {name: {**row, "against": f"{row['against']}, generated speech"} for name, row in rows.items()}
