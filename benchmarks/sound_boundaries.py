"""Attempts at better unit boundaries: decoding, durations, starts, restarts; each with five seeds or more.

    python -m benchmarks.sound_boundaries [further]

`further` does those with fifteen seeds: features, what frames count, and boundaries that runs agree on.
Needs the folder ``espeak_brent``, see :mod:`benchmarks.sound`. Prints the
rows of ``benchmarks/results/sound_boundaries.md``.
Nothing is chosen here: what is compared with gold boundaries could not be chosen without them.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import spearmanr

from benchmarks.sound import ESPEAK
from otlab.discovery.kernels.phone_loop import Loop, best_path, unit_scores
from otlab.discovery.sound.decode import (
    Segment,
    agreed_boundaries,
    decode,
    frame_units,
    segment_intervals,
)
from otlab.discovery.sound.estep import Scores, expect, squares
from otlab.discovery.sound.gaussians import Moments, NormalGamma
from otlab.discovery.sound.learners.phone_loop import LoopState, PhoneLoop
from otlab.discovery.sound.phone_loop import FIRST_SHARE, LoopPosterior
from otlab.discovery.sound.scores import boundary_ratio, contingency
from otlab.discovery.sound.speech import read_speech
from otlab.inference import fit

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.discovery.sound.speech import Speech
    from otlab.discovery.sound.view import UnitsView

    Decoded = list[list[Segment]]

ITERATIONS, SEEDS, MANY = 15, range(1, 6), range(1, 16)


class NormalStart(PhoneLoop):
    """The phone loop with Gaussians at draws from N(0, 1), the prior of standardised features."""

    def init(self, rng):
        """Put the Gaussians at normal draws and do an E-step."""
        start = LoopPosterior.at_random_frames(self.speech, self.prior, rng)
        share = np.full(start.mixture.shape, FIRST_SHARE * self.speech.frames / start.mixture.size)
        means = rng.normal(size=(*share.shape, self.speech.features.shape[1]))
        moments = Moments(share, share[..., None] * means, share[..., None] * (means**2 + 1.0))
        return self._expect(replace(start, gaussians=NormalGamma.fitted(moments)), [], [])


class Tempered(PhoneLoop):
    """The phone loop with densities to a power in the E-step: frames overlap, and are not independent."""

    power = 1.0
    counts = 1.0
    """What a frame counts in the M-step."""

    def _expect(self, posterior, likelihood, penalty):
        scores = Scores(posterior.scores.coefficients * self.power, posterior.scores.loop)
        found = expect(self.speech, scores, self.threads)
        m = found.moments
        less = Moments(*(self.counts * each for each in (m.uses, m.first, m.second)))
        trace = [*likelihood, float(found.log_z.sum())], [*penalty, posterior.penalty]
        return LoopState(posterior, replace(found, moments=less), *trace)


def tempered(power: float, counts: float = 1.0) -> type[Tempered]:
    """Return the learner with these powers."""
    return type("Tempered", (Tempered,), {"power": power, "counts": counts})


def views(speech: Speech, seeds=SEEDS, make=PhoneLoop, **settings) -> list[UnitsView]:
    """Return the end of a run of each seed."""
    return [fit(make(speech, **settings), steps=ITERATIONS, seed=seed).view for seed in seeds]


def paths(speech: Speech, view: UnitsView) -> Decoded:
    """Return the best paths."""
    return [decode(speech, view.posterior, u) for u in range(len(speech))]


def joined(decoded: Decoded) -> Decoded:
    """Return the same with neighbours of one unit as one segment."""
    out: Decoded = []
    for segments in decoded:
        out.append([])
        for segment in segments:
            if out[-1] and out[-1][-1].unit == segment.unit:
                segment = Segment(out[-1].pop().first, segment.stop, segment.unit)
            out[-1].append(segment)
    return out


def weighed(speech: Speech, view: UnitsView, scale: float, entry: float) -> Decoded:
    """Return best paths with log densities times `scale`, and `entry` nats for each unit that begins."""
    out = []
    for a, b in zip(speech.offsets, speech.offsets[1:], strict=False):
        each = view.posterior.scores.of(squares(speech.features[a:b]))
        length, _, states, units = each.shape
        weight, loop = np.empty((length, states, units)), view.posterior.log_loop
        unit_scores(each, weight)
        path, left = np.zeros(length, np.int64), np.zeros(length, np.int64)
        loop = Loop(loop.entry + entry, loop.stay, loop.leave)
        best_path(scale * weight, loop, np.zeros(weight.shape, bool), left, path)
        starts = np.flatnonzero(path < 0)
        stops = [*starts[1:].tolist(), length]
        out.append([Segment(int(i), int(j), int(-1 - path[i])) for i, j in zip(starts, stops, strict=True)])
    return joined(out)


def scores(speech: Speech, decoded: Decoded, later: float = 0.0) -> tuple[float, float]:
    """Return I/H(gold) and boundary F within 20 ms, with all boundaries some seconds later."""
    table = contingency(speech, np.concatenate([frame_units(each) for each in decoded]), 50)
    intervals = [segment_intervals(speech, each) for each in decoded]
    moved = [
        [i._replace(start=i.start + later * (k > 0), end=i.end + later) for k, i in enumerate(each)]
        for each in intervals
    ]
    return table.nmi, boundary_ratio(moved, speech.phones).f


def main() -> None:
    speech = read_speech(ESPEAK)
    lines = ["| attempt | I/H(gold) | boundary F | F of the seeds |", "|---|---|---|---|"]

    def add(label: str, found: list[tuple[float, float]]) -> None:
        nmi, f = np.median(found, axis=0)
        low, high = (each(x for _, x in found) for each in (min, max))
        lines.append(f"| {label} | {nmi:.3f} | {f:.3f} | {low:.3f} to {high:.3f} |")
        print(lines[-1], flush=True)

    def each(of: list[UnitsView], decoded: Callable[[UnitsView], Decoded], later: float = 0.0):
        return [scores(speech, decoded(view), later) for view in of]

    plain = views(speech)
    add("as it is: best path, self-loop .5", each(plain, lambda v: paths(speech, v)))
    add("neighbours of the same unit joined", each(plain, lambda v: joined(paths(speech, v))))
    for scale, entry in ((0.5, 0.0), (0.3, 0.0), (0.2, 0.0), (1.0, -3.0), (1.0, -6.0), (1.0, -10.0)):
        label = (
            f"decoded with densities to the power {scale:g}"
            if scale < 1
            else f"decoded, {entry:g} nats a unit"
        )
        add(label, each(plain, lambda v, s=scale, e=entry: weighed(speech, v, s, e)))
    for later in (0.005, 0.01):
        add(f"all boundaries {1000 * later:g} ms later", each(plain, lambda v: paths(speech, v), later))
    for settings in (
        {"self_loop": 0.6}, {"self_loop": 0.7}, {"self_loop": 0.8},
        {"learn_transitions": True}, {"self_loop": 0.7, "learn_transitions": True},
    ):  # fmt: skip
        label = ", ".join(f"{name} {value}" for name, value in settings.items())
        add(label, each(views(speech, **settings), lambda v: paths(speech, v)))
    for settings in ({}, {"learn_transitions": True}):
        label = "Gaussians begin at N(0, 1)" + (", transitions learnt" if settings else "")
        add(label, each(views(speech, make=NormalStart, **settings), lambda v: paths(speech, v)))
    many = views(speech, MANY)
    found = each(many, lambda v: paths(speech, v))
    add("15 seeds", found)
    best = [max(range(k, k + 3), key=lambda i: many[i].bound) for k in range(0, 15, 3)]
    add("best of three seeds by the bound", [found[k] for k in best])
    rho = spearmanr([view.bound for view in many], [f for _, f in found]).statistic
    lines.append("")
    lines.append(f"Rank correlation (Spearman) of bound and boundary F over 15 seeds: {rho:.2f}.")
    print(lines[-1])


def earliness(speech: Speech, of: list[UnitsView]) -> str:
    """Return how much later than the nearest gold boundary a boundary is, among those within 30 ms."""
    off = []
    for view in of:
        for segments, gold in zip(paths(speech, view), speech.phones, strict=True):
            found = np.array([i.start for i in segment_intervals(speech, segments)[1:]])
            for phone in gold[1:]:
                nearest = found[np.abs(found - phone.start).argmin()] - phone.start if found.size else 1.0
                off += [1000 * nearest] if abs(nearest) <= 0.03 else []
    return f"boundaries are {np.mean(off):.1f} ms later than gold (median {np.median(off):.1f})"


def further() -> None:
    plain = read_speech(ESPEAK)
    with (ESPEAK / "utts.tsv").open(encoding="utf-8") as file:
        voices = {row["utt"]: row["voice"] for row in csv.DictReader(file, delimiter="\t")}
    by_voice, by_utterance = (read_speech(ESPEAK, speakers=of) for of in (voices.__getitem__, str))
    toy = read_speech("spoken_toy")
    print("| attempt, fifteen seeds | I/H(gold) | boundary F | F of the seeds |\n|---|---|---|---|")
    attempts = {
        "as it is": (plain, PhoneLoop, {}),
        "transitions learnt": (plain, PhoneLoop, {"learn_transitions": True}),
        "features standardised by voice": (by_voice, PhoneLoop, {}),
        "features standardised by utterance": (by_utterance, PhoneLoop, {}),
        "learnt with densities to the power 0.4": (plain, tempered(0.4), {}),
        "learnt with densities to the power 0.1": (plain, tempered(0.1), {}),
        "the same with 0.4, a frame counting 0.4": (plain, tempered(0.4, 0.4), {}),
        "the same with 0.2, a frame counting 0.2": (plain, tempered(0.2, 0.2), {}),
    }
    runs = {}
    for label, (speech, make, settings) in attempts.items():
        runs[label] = views(speech, MANY, make, **settings)
        found = [scores(speech, paths(speech, view)) for view in runs[label]]
        (nmi, f), fs = np.median(found, axis=0), [f for _, f in found]
        print(f"| {label} | {nmi:.3f} | {f:.3f} | {min(fs):.3f} to {max(fs):.3f} |", flush=True)
    starts = [view.start for view in runs["as it is"]]
    for size in (1, 3, 5, 15):
        groups = [starts[k : k + size] for k in range(0, len(starts), size)]
        fs = [boundary_ratio(agreed_boundaries(plain, group), plain.phones).f for group in groups]
        middle = f"mean {np.mean(fs):.3f}, {min(fs):.3f} to {max(fs):.3f}"
        print(f"Boundaries agreed by runs, {len(groups)} groups of {size}: F {middle}", flush=True)
    tiers = [[segment_intervals(plain, each) for each in paths(plain, view)] for view in runs["as it is"]]
    for k in range(0, len(tiers), 5):
        group = tiers[k : k + 5]
        alike = [np.mean([boundary_ratio(a, b).f for b in group if b is not a]) for a in group]
        f = boundary_ratio(group[int(np.argmax(alike))], plain.phones).f
        print(f"Of five runs the one most like the others: F {f:.3f}", flush=True)
    print("espeak_brent:", earliness(plain, runs["as it is"]))
    print("spoken_toy:", earliness(toy, views(toy, MANY, units=25)))


if __name__ == "__main__":
    further() if sys.argv[1:] == ["further"] else main()
