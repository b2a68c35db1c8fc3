"""Units against gold phones and digits: the median of five seeds, as a table.

    python -m benchmarks.sound_quality

Needs the folders ``espeak_brent`` (synthetic speech; scores on it are optimistic) and ``fsdd``
(spoken digits), which are not shipped: ``OTLAB_AUDIO`` names the folder that holds them.
Writes ``benchmarks/results/sound.md``.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from benchmarks.sound import AUDIO, ESPEAK
from otlab.discovery.sound.decode import decode
from otlab.discovery.sound.learners.phone_loop import PhoneLoop
from otlab.discovery.sound.scores import boundary_ratio
from otlab.discovery.sound.speech import read_speech
from otlab.discovery.sound.tiers import Interval
from otlab.inference import fit

if TYPE_CHECKING:
    from otlab.discovery.sound.fitted import SoundFitted
    from otlab.discovery.sound.speech import Speech

SEEDS, ITERATIONS = range(1, 6), 15
THRESHOLDS = (0.2, 0.4, 0.6, 0.8)
SIZES = (14, 28, 55, 83, 110)
"""Utterances: an eighth, a quarter, a half, three quarters, all."""
NAMES = ("nmi", "nmi_symmetric", "boundary_p", "boundary_r", "boundary_f", "r_value")
RESULTS = Path(__file__).parent / "results" / "sound.md"


def scores(speech: Speech, **settings) -> list[list[float]]:
    """Return the scores of each seed."""
    rows = []
    for seed in SEEDS:
        fitted = fit(PhoneLoop(speech, **settings), steps=ITERATIONS, seed=seed)
        found = cast("SoundFitted", fitted).scores.as_dict()
        rows.append([found[name] for name in NAMES])
    return rows


def at_peaks(speech: Speech, threshold: float) -> list[float]:
    """Return boundary F of each seed, with boundaries where P(a unit starts) peaks instead of the best path.

    Parameters
    ----------
    threshold
        Least sum of the probability at the peak and its two neighbours.
    """
    out = []
    for seed in SEEDS:
        view = fit(PhoneLoop(speech), steps=ITERATIONS, seed=seed).view
        found = []
        for u in range(len(speech)):
            p = view.start[speech.offsets[u] : speech.offsets[u + 1]]
            mass = np.convolve(p, np.ones(3), "same")
            peak = (p[1:-1] >= p[:-2]) & (p[1:-1] > p[2:]) & (mass[1:-1] > threshold)
            end = float((speech.lengths[u] - 1) * speech.hop + speech.window)
            times = [0.0, *(float(speech.time(t)) for t in np.flatnonzero(peak) + 1), end]
            found.append([Interval(a, b, "") for a, b in itertools.pairwise(times)])
        out.append(boundary_ratio(found, speech.phones).f)
    return out


def row(label: str, values: list[list[float]]) -> str:
    """Return a line of the table: medians, and the range of boundary F."""
    low, high = (f(each[4] for each in values) for f in (min, max))
    figures = " | ".join(f"{x:.3f}" for x in np.median(values, axis=0))
    return f"| {label} | {figures} | {low:.3f} to {high:.3f} |"


def digits(speech: Speech, seed: int) -> tuple[float, float]:
    """Return how many digits are recognised from units, and from durations alone.

    Each recording is given the digit of the nearest one of *another speaker*: by the edit distance of
    its units over the longer string, and by its number of frames.
    """
    from otlab.discovery.sound.zerospeech import edits

    posterior = fit(PhoneLoop(speech), steps=ITERATIONS, seed=seed).view.posterior
    decoded = [[s.unit for s in decode(speech, posterior, u)] for u in range(len(speech))]
    digit, speaker = zip(*(name.split("_")[:2] for name in speech.names), strict=True)
    right = np.zeros(2)
    for u in range(len(speech)):
        others = [v for v in range(len(speech)) if speaker[v] != speaker[u]]
        by_units = [edits(decoded[u], decoded[v]) / max(len(decoded[u]), len(decoded[v])) for v in others]
        by_length = [abs(int(speech.lengths[u]) - int(speech.lengths[v])) for v in others]
        for k, distances in enumerate((by_units, by_length)):
            right[k] += digit[others[int(np.argmin(distances))]] == digit[u]
    return tuple(right / len(speech))


def main() -> None:
    whole = read_speech(ESPEAK)
    lines = [
        "# Units of sound",
        "",
        "Made by `python -m benchmarks.sound_quality`: phone loop, 50 units, 2 Gaussians a state,",
        "15 iterations, seeds 1 to 5, medians. Synthetic speech (`espeak_brent`, two voices): scores on it",
        "are optimistic.",
        "",
        "| utterances | I/H(gold) | 2I/(H+H) | boundary P | R | F (20 ms) | R-value | F of the five seeds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for size in SIZES:
        chosen = np.linspace(0, len(whole) - 1, size).round().astype(int).tolist()
        lines.append(row(f"{size}", scores(whole.subset(chosen))))
        print(lines[-1], flush=True)
    lines.append(row(f"{SIZES[-1]}, transitions learnt", scores(whole, learn_transitions=True)))
    print(lines[-1], flush=True)
    lines += ["", "Boundaries where P(a unit starts) peaks, instead of those of the best path: median F"]
    lines.append(
        "; ".join(f"{np.median(at_peaks(whole, t)):.3f} above {t}" for t in THRESHOLDS)
        + ". The posteriors are nearly 0 or 1."
    )
    spoken = read_speech(AUDIO / "fsdd", speakers=lambda name: name.split("_")[1])
    found = np.median([digits(spoken, seed) for seed in SEEDS], axis=0)
    lines += [
        "",
        f"Spoken digits (`fsdd`, {len(spoken)} recordings, 4 speakers, features standardised by speaker):",
        "the digit of the nearest recording of another speaker by edit distance of units is right",
        f"for {100 * found[0]:.1f} %; by duration alone for {100 * found[1]:.1f} %; chance is 10 %.",
        "",
    ]
    RESULTS.write_text("\n".join(lines), encoding="utf-8")
    print("\n".join(lines[-3:]))


if __name__ == "__main__":
    main()
