"""What features of words are worth: many-to-1 of EM, VB, Gibbs and features on the two shipped samples.

``python -m benchmarks.word_features`` runs each with 50 states from the same starts on the English and the
Finnish sample, and writes ``benchmarks/results/word_features.md``. No tag is looked at but to score.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from otlab.inference import fit
from otlab.inference.fit import versions
from otlab.samples import load_sample
from otlab.tagging import make_learner

RESULT = Path(__file__).parent / "results" / "word_features.md"
SAMPLES = {"ewt_sample": "English", "tdt_sample": "Finnish"}
LEARNERS = ("em", "vb", "gibbs", "features")
SWEEPS = 10  # of Gibbs for each iteration of the others


def line_of(sample: str, name: str, states: int, iterations: int, seeds: int) -> str:
    """Return the line of a learner on a sample."""
    learner = make_learner(name, load_sample(sample), states=states)
    steps = iterations * SWEEPS if name == "gibbs" else iterations
    begin = time.process_time()
    ends = [fit(learner, steps=steps, seed=seed).view.final for seed in range(1, seeds + 1)]
    spent = (time.process_time() - begin) / seeds
    many, one = (np.array([getattr(end, score) for end in ends]) for score in ("many_to_one", "one_to_one"))
    sds = [f"{values.mean():.3f} ± {values.std(ddof=1):.3f}" for values in (many, one)]
    line = f"| {SAMPLES[sample]} | {name} | {sds[0]} | {sds[1]} | {spent:.1f} |"
    print(line, flush=True)
    return line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--states", type=int, default=50)
    args = parser.parse_args()
    lines = [
        line_of(sample, name, args.states, args.iterations, args.seeds)
        for sample in SAMPLES
        for name in LEARNERS
    ]
    found = "; ".join(f"{name}: {version}" for name, version in versions().items())
    parts = [
        "# Features of words",
        "Made by `python -m benchmarks.word_features`: means and standard deviations over seeds.",
        "| text | learner | many-to-1 | 1-to-1 | s of CPU per run |\n|---|---|---|---|---|\n"
        + "\n".join(lines),
        f"Settings: states: {args.states}; iterations: {args.iterations}, "
        f"{SWEEPS} times as many sweeps of Gibbs; "
        f"seeds: {args.seeds}.",
        f"Versions: {found}.",
    ]
    RESULT.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
