"""Lexicon induction measured: which entries of a pool survive, over five seeds.

200 sentences are generated from a lexicon; the pool has every word with every spoken
frame; VB with alpha .05 runs from ten jittered starts and the best ELBO is kept. True
entries are those that the generated derivations used.

    python -m benchmarks mg_induction
"""

from __future__ import annotations

import statistics
import sys

from otlab.mg.learners.pool import induce_lexicon, pool_of
from otlab.mg.parsing.generation import generate
from otlab.samples import load_sample

LEXICONS = ("stabler_king", "english_np_movement")
SENTENCES, MOST_WORDS = 200, 9
ALPHA, RESTARTS, ITERATIONS = 0.05, 10, 200


def measure(name: str, seed: int) -> tuple[float, float, int, int]:
    """Return precision, recall, survivors, and the size of the pool."""
    lexicon = load_sample(name)
    made = generate(lexicon, SENTENCES, seed=seed, most_words=MOST_WORDS)
    used = {item for derivation in made.derivations for item in derivation.items}
    pool = pool_of(lexicon)
    found = induce_lexicon(
        pool, made.sentences, alpha=ALPHA, iterations=ITERATIONS, restarts=RESTARTS, seed=seed
    )
    precision, recall = found.precision_and_recall(used)
    return precision, recall, len(found.survivors), len(pool)


def main(argv: list[str] | None = None) -> int:
    seeds = range(int(argv[0]) if argv else 5)
    for name in LEXICONS:
        rows = [measure(name, seed) for seed in seeds]
        print(f"{name}: a pool of {rows[0][3]} entries, {len(rows)} seeds")
        for label, column in (("precision", 0), ("recall", 1), ("survivors", 2)):
            values = [float(r[column]) for r in rows]
            spread = statistics.stdev(values) if len(values) > 1 else 0.0
            print(
                f"  {label:10s} {statistics.fmean(values):6.2f} ± {spread:.2f}   "
                f"{[round(v, 2) for v in values]}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
