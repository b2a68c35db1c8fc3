"""Words from sound: the joint model beside its pipeline, what was tried, and ceilings.

    python -m benchmarks.joint_quality [--seeds 5] [--tuning-seeds 3]

Odd utterances of ``espeak_brent`` (synthetic speech, two voices; scores on it are optimistic) are for
trying, even ones for reporting. Each half is learnt from alone, without gold, and scored on
itself. The folder is not shipped: ``OTLAB_AUDIO`` names the one that holds it. Writes
``benchmarks/results/joint.md``.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.sound import ESPEAK
from otlab.discovery.channel.channel import corrupt
from otlab.discovery.corpus import Corpus
from otlab.discovery.joint.fitted import score_words
from otlab.discovery.joint.learners.joint import Joint, learn_words
from otlab.discovery.learners.batch import BatchVB
from otlab.discovery.learners.noisy import NoisyVB
from otlab.discovery.presets import preset
from otlab.discovery.scores import score
from otlab.discovery.sound.decode import decode, frame_units
from otlab.discovery.sound.learners.phone_loop import PhoneLoop
from otlab.discovery.sound.speech import read_speech
from otlab.discovery.sound.tiers import PAUSES, Interval
from otlab.inference import fit, run

if TYPE_CHECKING:
    from otlab.discovery.sound.speech import Speech

RESULTS = Path(__file__).parent / "results" / "joint.md"
ATTEMPTS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "first share of edits .3": {"first_rate": 0.3},
    "first share of edits 0": {"first_rate": 0.0},
    "words anew each round": {"relearn_every": 1},
    "words never anew": {"relearn_every": 100},
    "source strings fixed": {"propose": False},
    "variants moved as wholes": {"merge_variants": True},
    "band of 8": {"band": 8.0},
    "20 rounds": {"rounds": 20},
    "25 units": {"units": 25},
    "transitions learnt": {"learn_transitions": True},
}
EDITED = (0.05, 0.1, 0.2)
"""Shares of gold phones edited for the oracle."""

NAMES = ("token F", "lexicon F", "boundary F", "NED", "phone boundary F", "NMI")


def both(speech: Speech, seed: int, **settings: Any) -> dict[str, list[float]]:
    """Return the scores of the pipeline and of the joint model that continues from it."""
    loop = {name: settings.pop(name) for name in ("units", "learn_transitions") if name in settings}
    learner = Joint(PhoneLoop(speech, **loop), **settings)
    running = run(learner, sweeps=learner.steps, seed=seed, every=1)
    rows = {}
    for tick in running:
        view: Any = tick.view
        if (view.tokens is not None and view.edits is None) or tick.finished:
            found = learner.conclude(running, tick)
            units, words = found.scores, found.word_scores
            rows["joint" if tick.finished else "pipeline"] = [
                words.token.f, words.type.f, words.boundary.f, words.ned, units.boundary.f, units.nmi
            ]  # fmt: skip
    return rows


def ceilings(speech: Speech, seed: int) -> dict[str, list[float]]:
    """Return what the word grammar alone makes of gold phones, and of units between gold boundaries."""
    posterior = fit(PhoneLoop(speech), steps=15, seed=seed).view.posterior
    tiers = [[p for p in tier if p.label not in PAUSES] for tier in speech.phones or ()]
    labels = sorted({p.label for tier in tiers for p in tier})
    phones = [np.array([labels.index(p.label) for p in tier]) for tier in tiers]
    units = []
    for u, tier in enumerate(tiers):
        units_at, centres = frame_units(decode(speech, posterior, u)), speech.centres(u)
        spans = [np.searchsorted(centres, [p.start, p.end]) for p in tier]
        parts = [units_at[i : max(j, i + 1)] if i < units_at.size else units_at[-1:] for i, j in spans]
        units.append(np.array([np.bincount(part).argmax() for part in parts]))
    return {
        "gold phones": words_of(speech, tiers, phones, len(labels), seed),
        "units between gold phone boundaries": words_of(speech, tiers, units, 50, seed),
    }


def corrupted(speech: Speech, seed: int) -> list[list[float]]:
    """Return what is found in gold phones with known edits, without and with a channel.

    The words of the half that is reported, as a text: the same words, phones and utterances, and no
    sound. Scores are those of texts, by the phones.
    """
    text = gold_text(speech)
    lines = []
    for rate in (0.0, *EDITED):
        damaged = corrupt(text, rate, np.random.default_rng(seed)).corpus
        row = []
        for learner in (BatchVB(damaged, preset("word")), NoisyVB(damaged)):
            found = score(damaged, fit(learner, steps=40, seed=seed).view.ends > 0.5)
            row += [found.token.f, found.lexicon.f]
        lines.append(row)
    return lines


def gold_text(speech: Speech) -> Corpus:
    """Return the gold phones of each utterance as a text, with blanks between gold words."""
    lines = []
    for phones, words in zip(speech.phones or (), speech.words or (), strict=True):
        inside = [[p for p in phones if w.start <= (p.start + p.end) / 2 < w.end] for w in words]
        labels = [[p.label for p in each if p.label not in PAUSES] for each in inside]
        lines.append([word for word in labels if word])
    names = sorted({label for line in lines for word in line for label in word})
    letter = {name: chr(0x4E00 + k) for k, name in enumerate(names)}
    return Corpus.from_text(
        "\n".join(" ".join("".join(letter[x] for x in w) for w in line) for line in lines)
    )


def words_of(
    speech: Speech, tiers: list[list[Interval]], tops: list[np.ndarray], size: int, seed: int
) -> list[float]:
    """Return the scores of the words learnt from strings whose symbols have gold times."""
    model = learn_words(tops, size, 20, np.random.default_rng(seed), None)
    ends = model.expect(tops).ends > 0.5
    out, at = [], 0
    for tier, string in zip(tiers, tops, strict=True):
        inner = (np.flatnonzero(ends[at : at + string.size - 1]) + 1).tolist()
        cuts = [0, *inner, string.size]
        at += string.size
        pieces = itertools.pairwise(cuts)
        out.append(
            [Interval(tier[i].start, tier[j - 1].end, str(tuple(string[i:j].tolist()))) for i, j in pieces]
        )
    found = score_words(speech, out)
    return [found.token.f, found.type.f, found.boundary.f, found.ned, float("nan"), float("nan")]


def row(label: str, values: list[list[float]]) -> str:
    """Return a line of the table: medians."""
    figures = " | ".join("" if np.isnan(x) else f"{x:.3f}" for x in np.median(values, axis=0))
    return f"| {label} | {figures} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--tuning-seeds", type=int, default=3)
    args = parser.parse_args()
    whole = read_speech(ESPEAK)
    tuning, reporting = (whole.subset(list(range(k, len(whole), 2))) for k in (1, 0))
    head = ["| | " + " | ".join(NAMES) + " |", "|---" * (len(NAMES) + 1) + "|"]
    lines = ["# Words from sound", "", *(__doc__ or "").split("\n\n")[2].strip().split("\n"), ""]
    lines += ["## Reporting half", "", *head]
    found = [both(reporting, seed) for seed in range(1, args.seeds + 1)]
    for name in ("pipeline", "joint"):
        lines += [row(f"{name}, seed {k + 1}", [rows[name]]) for k, rows in enumerate(found)]
        lines.append(row(f"{name}, median", [rows[name] for rows in found]))
    oracle = np.median([corrupted(reporting, seed) for seed in range(1, args.seeds + 1)], axis=0)
    tops = [ceilings(reporting, seed) for seed in range(1, args.tuning_seeds + 1)]
    lines += [row(f"ceiling: {name}", [rows[name] for rows in tops]) for name in tops[0]]
    for k, name in enumerate(NAMES[:2]):
        won = sum(rows["joint"][k] > rows["pipeline"][k] for rows in found)
        lines += ["", f"The joint model has the higher {name} on {won} of {args.seeds} seeds."]
    lines += ["", f"## Gold phones with known edits (reporting half, medians of {args.seeds} seeds)", ""]
    heads = ("token F", "lexicon F", "token F behind a channel", "lexicon F behind a channel")
    lines += ["| edited phones | " + " | ".join(heads) + " |", "|---" * 5 + "|"]
    lines += [row(f"{rate:.0%}", [each.tolist()]) for rate, each in zip((0.0, *EDITED), oracle, strict=True)]
    print("\n".join(lines), flush=True)
    lines += ["", f"## What was tried (tuning half, medians of {args.tuning_seeds} seeds)", "", *head]
    for label, settings in ATTEMPTS.items():
        tried = [both(tuning, seed, **settings) for seed in range(1, args.tuning_seeds + 1)]
        if "units" in settings or "learn_transitions" in settings or not settings:
            lines.append(row(f"{label}: pipeline", [rows["pipeline"] for rows in tried]))
        lines.append(row(f"{label}: joint", [rows["joint"] for rows in tried]))
        print(lines[-1], flush=True)
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
