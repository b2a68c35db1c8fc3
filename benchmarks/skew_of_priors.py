"""Which prior brings the sizes of states nearest to those of gold tags, and what it costs in likelihood.

Johnson's (2007) figure ranks states, and gold tags, by their tokens. The distance of two such curves is the
share of tokens that would have to change rank, :math:`\\frac{1}{2n} \\sum_r |n_r - g_r|`: 0 if they are the
same. Beside it is the log likelihood of the text for each word, under the tagger's parameters, in nats.
``python -m benchmarks.skew_of_priors`` writes ``benchmarks/results/skew_of_priors.md``.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from otlab.inference import fit
from otlab.inference.fit import versions
from otlab.samples import load_sample
from otlab.tagging import make_learner
from otlab.tagging.hmm.mstep import Prior

RESULT = Path(__file__).parent / "results" / "skew_of_priors.md"
SWEEPS = 10  # of a sampler for each iteration of the others
PRIORS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("none", "em", {}),
    ("entropic", "entropic", {}),
    ("features of words", "features", {}),
    ("0.0001", "vb", {"prior": Prior(1e-4)}),
    ("0.01", "vb", {"prior": Prior(0.01)}),
    ("0.1", "vb", {"prior": Prior(0.1)}),
    ("1", "vb", {"prior": Prior(1.0)}),
    ("learnt, from 0.1", "vb", {"prior": Prior(0.1), "learn_priors": True}),
    ("1, four fifths 0.001", "vb-state-priors", {"prior": Prior(1.0), "state_priors": "80%:0.001"}),
    ("1, nine tenths 0.001", "vb-state-priors", {"prior": Prior(1.0), "state_priors": "90%:0.001"}),
    ("0.1", "gibbs", {"prior": Prior(0.1)}),
    ("learnt, from 0.1", "gibbs", {"prior": Prior(0.1), "learn_priors": True}),
    ("learnt, from 0.1; discount too", "pitman-yor", {"prior": Prior(0.1), "learn_priors": True}),
)
SAMPLERS = ("gibbs", "pitman-yor")


def distance(states: np.ndarray, gold: np.ndarray) -> float:
    """Return the share of tokens that would have to change rank."""
    size = max(len(states), len(gold))
    ranked = [np.pad(np.sort(counts)[::-1], (0, size - len(counts))) for counts in (states, gold)]
    return float(np.abs(ranked[0] - ranked[1]).sum() / 2 / gold.sum())


def line_of(label: str, name: str, settings: dict[str, Any], args: argparse.Namespace) -> str:
    """Return the line of a prior."""
    text = load_sample(args.text)
    learner = make_learner(name, text, states=args.states, precision="f32", **settings)
    steps = args.iterations * (SWEEPS if name in SAMPLERS else 1)
    found = []
    for seed in range(1, args.seeds + 1):
        fitted: Any = fit(learner, steps=steps, seed=seed)
        view = fitted.view
        likelihood = fitted.model.score(text, 2) / text.tokens
        apart = distance(np.asarray(view.tokens_per_state), text.tag_counts)
        found.append((apart, likelihood, view.final.v_measure, view.final.one_to_one, view.states_used))
    apart, likelihood, v, one, used = np.mean(found, axis=0)
    line = f"| {name} | {label} | {apart:.3f} | {likelihood:.3f} | {v:.3f} | {one:.3f} | {used:.0f} |"
    print(line, flush=True)
    return line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--text", default="ewt_sample")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--states", type=int, default=50)
    args = parser.parse_args()
    lines = [line_of(*each, args) for each in PRIORS]
    found = "; ".join(f"{name}: {version}" for name, version in versions().items())
    parts = [
        "# Priors and the sizes of states",
        f"Made by `python -m benchmarks.skew_of_priors` on {args.text}: means over {args.seeds} seeds, "
        f"{args.states} states, {args.iterations} iterations ({SWEEPS} times as many sweeps of samplers).",
        "| learner | emission prior | distance from gold's curve | log likelihood for each word, nats "
        "| V-measure | 1-to-1 | states used |\n|---|---|---|---|---|---|---|\n" + "\n".join(lines),
        f"Versions: {found}.",
    ]
    RESULT.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
