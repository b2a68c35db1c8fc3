"""What features of words are worth: many-to-1 of EM, VB and features on the shipped sample.

``python -m benchmarks.word_features`` runs each with 50 states from the same starts on the EWT sample and
writes ``benchmarks/results/word_features.md``. No tag is looked at but to score.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from otlab.inference import fit
from otlab.inference.fit import versions
from otlab.tagging import make_learner, read

RESULT = Path(__file__).parent / "results" / "word_features.md"
SAMPLE = Path(__file__).parents[1] / "sample_corpora" / "ewt" / "ewt_sample.conllu"
LEARNERS = {"em": {}, "vb": {}, "features": {"weight_sd": 1.0}, "features, sd 2": {"weight_sd": 2.0}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--states", type=int, default=50)
    args = parser.parse_args()
    text, lines = read(SAMPLE), []
    seeds = range(1, args.seeds + 1)
    for label, options in LEARNERS.items():
        learner = make_learner(label.partition(",")[0], text, states=args.states, **options)
        begin = time.process_time()
        ends = [fit(learner, steps=args.iterations, seed=seed).view.final for seed in seeds]
        spent = (time.process_time() - begin) / (args.seeds * args.iterations)
        many, one = (np.array([getattr(end, name) for end in ends]) for name in ("many_to_one", "one_to_one"))
        sds = [f"{values.mean():.3f} ± {values.std(ddof=1):.3f}" for values in (many, one)]
        lines.append(f"| {label} | {sds[0]} | {sds[1]} | {1000 * spent:.0f} |")
        print(lines[-1], flush=True)
    found = "; ".join(f"{name}: {version}" for name, version in versions().items())
    parts = [
        "# Features of words",
        "Made by `python -m benchmarks.word_features`: means and standard deviations over seeds.",
        "| learner | many-to-1 | 1-to-1 | ms of CPU per iteration |\n|---|---|---|---|\n" + "\n".join(lines),
        f"Settings: EWT sample; states: {args.states}; iterations: {args.iterations}; seeds: {args.seeds}.",
        f"Versions: {found}.",
    ]
    RESULT.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
