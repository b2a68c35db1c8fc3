"""Lexicon discovery, quality: every restart, what each rule without gold chooses, and the channel.

    python -m benchmarks.discovery_quality restarts|collocation|channel [--corpus brent|german]

Results are merged into ``benchmarks/results/discovery.json`` and written as
``discovery.md``. The corpora are not shipped; without them nothing is measured.
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path
from typing import Any

import numpy as np

from otlab.discovery.batch import BatchVB
from otlab.discovery.choose import RULES, choose, description_length
from otlab.discovery.corpus import Corpus, read
from otlab.discovery.corrupt import corrupt
from otlab.discovery.decode import minimum_risk
from otlab.discovery.mcmc import MCMC
from otlab.discovery.noisy import NoisyVB
from otlab.discovery.presets import preset
from otlab.discovery.restarts import Plan
from otlab.discovery.scores import score
from otlab.discovery.starts import Geometric, Peaks
from otlab.inference import fit, run

SHARED = Path(__file__).resolve().parents[2] / "shared" / "corpora"
CORPORA = {"brent": SHARED / "brent/br-phono.txt", "german": SHARED / "phillips_pearl/German-phon.txt"}
RESULTS = Path(__file__).parent / "results"
STARTS = (*map(Peaks, (2, 3, 4, 5)), *map(Geometric, (0.2, 0.33, 0.5, 0.6, 0.7, 0.8, 0.9)))


def restarts(text: Corpus, grammar: str, iterations: int) -> dict[str, Any]:
    """One run from each start; what each rule would take."""
    plan = Plan(text, preset(grammar), "batch", iterations, STARTS, len(STARTS), "held-out")
    outcome = plan.run(seed=1)
    table = [
        {
            "start": c.start,
            "bound": round(c.bound, 1),
            "bigram": round(c.bigram),
            "unigram": round(c.unigram),
            "held_out": round(c.held_out or 0.0, 4),
            **{k: round(v, 3) for k, v in (c.scores.as_dict() if c.scores else {}).items()},
        }
        for c in outcome.candidates
    ]
    chosen = {rule: table[choose(outcome.candidates, rule)]["start"] for rule in RULES}
    return {"iterations": iterations, "restarts": table, "chosen": chosen}


def collocation(text: Corpus, sweeps: int, seeds: int) -> list[dict[str, Any]]:
    """The sampler with collocations: each chain decoded by minimum risk over its last samples."""
    rows = []
    for seed in range(1, seeds + 1):
        learner = MCMC(text, preset("collocation"), thin=5, keep=60)
        going = run(learner, sweeps=sweeps, seed=seed)
        view = fit(going).view
        ends = minimum_risk(text, learner.samples(going.states[0]))
        scores = score(text, ends)
        rows.append(
            {
                "seed": seed,
                "sweeps": sweeps,
                "seconds": round(going.seconds, 1),
                "log_joint": [round(float(x), 1) for x in view.objective[:: max(1, sweeps // 10)]],
                "bigram": round(description_length(text, learner.parser.every_span, ends)),
                **{k: round(v, 3) for k, v in (scores.as_dict() if scores else {}).items()},
            }
        )
        print(rows[-1], flush=True)
    return rows


def channel(text: Corpus, iterations: int, seeds: int) -> list[dict[str, Any]]:
    """Words behind a channel: how much of what corruption cost is got back."""
    clean = _token_f(text, BatchVB(text, preset("word")), 40)
    rows = []
    for rate in (0.05, 0.1, 0.2):
        shares = []
        for seed in range(seeds):
            damaged = corrupt(text, rate, np.random.default_rng(seed)).corpus
            without = _token_f(damaged, BatchVB(damaged, preset("word")), 30)
            with_channel = _token_f(damaged, NoisyVB(damaged), iterations)
            shares.append((without, with_channel, (with_channel - without) / (clean - without)))
            print(rate, seed, [round(x, 3) for x in shares[-1]], flush=True)
        rows.append(
            {
                "rate": rate,
                "clean": round(clean, 3),
                "without": [round(s[0], 3) for s in shares],
                "with_channel": [round(s[1], 3) for s in shares],
                "recovered": [round(s[2], 3) for s in shares],
                "median_recovered": round(statistics.median(s[2] for s in shares), 3),
            }
        )
    return rows


def _token_f(text: Corpus, learner: Any, iterations: int) -> float:
    scores = score(text, fit(run(learner, sweeps=iterations, seed=1)).view.ends > 0.5)
    return scores.token.f if scores else float("nan")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=("restarts", "collocation", "channel"))
    parser.add_argument("--corpus", choices=tuple(CORPORA), default="brent")
    parser.add_argument("--grammar", default="word")
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--seeds", type=int, default=1)
    args = parser.parse_args()
    text = read(CORPORA[args.corpus])
    if args.what == "restarts":
        found: Any = restarts(text, args.grammar, args.iterations)
        key = f"restarts, {args.corpus}, {args.grammar}"
    elif args.what == "collocation":
        found, key = collocation(text, args.iterations, args.seeds), f"sampler, {args.corpus}, collocation"
    else:
        found, key = channel(text, args.iterations, args.seeds), f"channel, {args.corpus}"
    path = RESULTS / "discovery.json"
    results = json.loads(path.read_text()) if path.exists() else {}
    results[key] = found
    path.write_text(json.dumps(results, indent=1) + "\n")
    (RESULTS / "discovery.md").write_text(report(results))


def report(results: dict[str, Any]) -> str:
    """Return the tables as text."""
    lines = ["# Lexicon discovery: every restart, and what rules without gold choose", ""]
    for key, found in results.items():
        rows = found["restarts"] if isinstance(found, dict) else found
        lines += [f"## {key}", ""]
        hidden = ("log_joint", "boundary_f_with_edges")
        names = [n for n in rows[0] if n not in hidden and not n.endswith(("_p", "_r"))]
        lines += ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
        lines += ["| " + " | ".join(str(row[n]) for n in names) + " |" for row in rows]
        if isinstance(found, dict):
            chosen = ", ".join(f"{rule} {start}" for rule, start in found["chosen"].items())
            lines += ["", f"Chosen: {chosen}."]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
