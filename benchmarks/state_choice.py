"""How many states a tagger asks for, on simulated texts whose number of tags is known.

``python -m benchmarks.state_choice`` compares EM with 10, 20, ... 60 states on five texts of
50,000 tokens with 30 tags (``otlab.tagging.simulate_hmm``) and writes
``benchmarks/results/state_choice.md``. The criterion that looks at no tag and is meant for the
choice is perplexity of held-out sentences: it is to lie within 10 of the true 30 on every text.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from otlab.inference.fit import versions
from otlab.tagging import compare, simulate_hmm

RESULT = Path(__file__).parent / "results" / "state_choice.md"
TRUE, STATES = 30, [10, 20, 30, 40, 50, 60]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--texts", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=50_000)
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--folds", type=int, default=2)
    args = parser.parse_args()
    lines, near = [], 0
    for seed in range(1, args.texts + 1):
        text = simulate_hmm(args.tokens, seed, tags=TRUE, types=500)
        found = compare(text, STATES, "em", iterations=args.iterations, folds=args.folds, seed=seed)
        chosen = found.chosen()["em"]
        near += abs(chosen["perplexity"] - TRUE) <= 10
        figures = " | ".join(f"{row.perplexity:.2f}" for row in found.rows)
        lines.append(f"| {seed} | {figures} | {chosen['perplexity']} | {chosen['aic']} | {chosen['bic']} |")
        print(lines[-1], flush=True)
    write(lines, near, args)


def write(lines: list[str], near: int, args: argparse.Namespace) -> None:
    heads = ["text", *(f"{states} states" for states in STATES), "by perplexity", "by AIC", "by BIC"]
    versions_text = "; ".join(f"{name}: {version}" for name, version in versions().items())
    parts = [
        f"# How many states, where there are {TRUE} tags",
        "Made by `python -m benchmarks.state_choice`: perplexity of held-out sentences by EM with each\n"
        "number of states on simulated texts, and the number with the best value.",
        "\n".join([f"| {' | '.join(heads)} |", "|" + "---|" * len(heads), *lines]),
        f"By perplexity within 10 of {TRUE}: {near} of {args.texts}.",
        f"Settings: EM; tokens: {args.tokens:,}; types: 500; "
        f"iterations: {args.iterations}; folds: {args.folds}.",
        f"Versions: {versions_text}.",
    ]
    RESULT.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
