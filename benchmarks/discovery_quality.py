"""Lexicon discovery, quality: every restart, what each rule without gold chooses, and the channel.

    python -m benchmarks.discovery_quality WHAT [--corpus brent|german|toy]
    python -m benchmarks.discovery_quality report

WHAT is restarts, collocation, channel, rates, search or baselines.

Results are merged into ``benchmarks/results/discovery.json`` and written as
``discovery.md``; ``report`` prints what is there. The corpora are not shipped: the
environment variable ``OTLAB_CORPORA`` names their folder.
"""

from __future__ import annotations

import argparse
import json
import statistics
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import spearmanr

from benchmarks.discovery import CORPORA
from otlab.discovery.channel.channel import OPERATIONS, Corruption, Edits, corrupt
from otlab.discovery.corpus import Corpus, read
from otlab.discovery.fit import discover
from otlab.discovery.learners import BASELINES, LEARNERS
from otlab.discovery.learners.batch import BatchVB
from otlab.discovery.learners.choose import RULES, Candidate, choose, description_length
from otlab.discovery.learners.mcmc import MCMC
from otlab.discovery.learners.noisy import NoisyVB
from otlab.discovery.learners.starts import Geometric, Peaks
from otlab.discovery.parsing.decode import minimum_risk
from otlab.discovery.presets import preset
from otlab.discovery.scores import score, word_edges
from otlab.discovery.toy import ToyLanguage, generate
from otlab.inference import fit, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.discovery.scores import Scores

TEXTS = {"brent": "brent/br-phono.txt", "german": "phillips_pearl/German-phon.txt"}
WHAT = ("restarts", "collocation", "channel", "rates", "search", "baselines", "report")
RESULTS = Path(__file__).parent / "results"
TITLES = {
    "agreement": "Agreement with token F (Spearman's rank correlation)",
    "recovered": "Learnt over planted",
}
STARTS = (*map(Peaks, (2, 3, 4, 5)), *map(Geometric, (0.2, 0.33, 0.5, 0.6, 0.7, 0.8, 0.9)))


def restarts(text: Corpus, grammar: str, iterations: int) -> dict[str, Any]:
    """One run from each start, and what each rule would take.

    Every tenth utterance is held out from all of them, so that all rules see the same runs.
    """
    outcome = discover(
        text, grammar, restarts=len(STARTS), rule="held-out", seed=1, iterations=iterations, start=STARTS
    )
    rows = [
        {
            "start": c.start,
            "seed": c.seed,
            **_figures(c),
            "held-out": round(c.held_out or 0.0, 4),
            "agreement": round(c.agreement or 0.0, 4),
            **_scores(c.scores),
        }
        for c in outcome.candidates
    ]
    settings = {"learner": "batch", "iterations": iterations, "held out": "every tenth utterance"}
    return {
        "settings": settings,
        "rows": rows,
        "chosen": _choices(outcome.candidates, RULES),
        "agreement": agreement(rows),
    }


def agreement(rows: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Return how well each rule ranks the runs as token F does: Spearman's rank correlation.

    Parameters
    ----------
    rows
        Figures of each run; the two description lengths are the better the shorter.
    """
    token = [row["token_f"] for row in rows]
    out = {}
    for rule in RULES:
        sign = -1 if rule in ("bigram", "unigram") else 1
        out[rule] = f"{spearmanr([sign * row[rule] for row in rows], token).statistic:.2f}"
    return out


def collocation(text: Corpus, sweeps: int, seeds: int) -> dict[str, Any]:
    """Chains of the sampler with collocations, each decoded by minimum risk over its last samples."""
    learner = MCMC(text, preset("collocation"), thin=5, keep=60)
    candidates, rows = [], []
    for seed in range(1, seeds + 1):
        running = run(learner, sweeps=sweeps, seed=seed)
        objective = running.finish().view.objective
        ends = minimum_risk(text, learner.samples(running.states[0]))
        found = Candidate(
            start=str(learner.start),
            seed=seed,
            bigram=description_length(text, learner.parser.every_span, ends),
            unigram=description_length(text, learner.parser.every_span, ends, bigram=False),
            held_out=None,
            bound=float(objective[-100:].mean()),
            scores=score(text, ends),
        )
        candidates.append(found)
        rows.append({"seed": seed, **_figures(found), **_scores(found.scores)})
        rows[-1]["log joint"] = [round(float(x), 1) for x in objective[:: max(1, sweeps // 10)]]
        print(rows[-1], flush=True)
    settings = {"learner": "mcmc", "sweeps": sweeps, "start": str(learner.start), "decoded": "minimum risk"}
    settings |= {
        "samples": learner.keep,
        "thin": learner.thin,
        "bound": "log joint, mean of the last 100 sweeps",
    }
    chosen = _choices(candidates, [rule for rule in RULES if rule not in ("held-out", "agreement")])
    return {"settings": settings, "rows": rows, "chosen": chosen}


def _figures(found: Candidate) -> dict[str, float]:
    return {
        "bound": round(found.bound, 1),
        "bigram": round(found.bigram),
        "unigram": round(found.unigram),
    }


def _scores(scores: Scores | None) -> dict[str, float]:
    return {k: round(v, 3) for k, v in (scores.as_dict() if scores else {}).items()}


def _choices(candidates: Sequence[Candidate], rules: Sequence[str]) -> dict[str, str]:
    """Return which run each rule takes."""
    taken = {rule: candidates[choose(candidates, rule)] for rule in rules}
    return {rule: f"start {c.start}, seed {c.seed}" for rule, c in taken.items()}


def channel(text: Corpus, iterations: int, seeds: int) -> dict[str, Any]:
    """Words behind a channel: how much of what corruption cost is got back.

    Seed s makes the edits; learning has seed 1 throughout, and never sees gold.
    """
    clean = _token_f(text, BatchVB(text, preset("word")), iterations)
    rows = []
    for rate in (0.05, 0.1, 0.2):
        for seed in range(seeds):
            damaged = corrupt(text, rate, np.random.default_rng(seed)).corpus
            without = _token_f(damaged, BatchVB(damaged, preset("word")), iterations)
            behind = _token_f(damaged, NoisyVB(damaged), iterations)
            rows.append(
                {
                    "rate": rate,
                    "seed": seed,
                    "clean": round(clean, 3),
                    "without channel": round(without, 3),
                    "with channel": round(behind, 3),
                    "recovered": round((behind - without) / (clean - without), 3),
                }
            )
            print(rows[-1], flush=True)
    shares = {r["rate"]: [row["recovered"] for row in rows if row["rate"] == r["rate"]] for r in rows}
    medians = {f"{rate:.0%}": f"{statistics.median(found):.3f}" for rate, found in shares.items()}
    settings = {"learner": "noisy", "iterations": iterations, "edits": "60 % substituted, 20 % in, 20 % out"}
    return {"settings": settings, "rows": rows, "median recovered": medians}


def rates(utterances: int, iterations: int, seeds: int) -> dict[str, Any]:
    """Edit rates learnt together with the words of generated languages, beside those planted."""
    rows = []
    for rate in (0.05, 0.1, 0.2):
        for seed in range(seeds):
            clean = generate(ToyLanguage(words=30, utterances=utterances, seed=seed))
            damaged = corrupt(clean, rate, np.random.default_rng(seed))
            rows.append({"utterances": utterances, "rate": rate, "seed": seed})
            rows[-1] |= _rates(damaged, iterations)
            print(rows[-1], flush=True)
    inside = sum(abs(row["learnt over planted"] - 1) <= 0.25 for row in rows)
    settings = {"learner": "noisy", "iterations": iterations, "edits": "60 % substituted, 20 % in, 20 % out"}
    return {"settings": settings, "rows": rows, "recovered": {"within a quarter": f"{inside} of {len(rows)}"}}


def _rates(damaged: Corruption, iterations: int) -> dict[str, float]:
    """Return planted and learnt rates, and token F with and without the channel."""
    view = fit(NoisyVB(damaged.corpus), steps=iterations, seed=1).view
    if view.edits is None:
        raise RuntimeError("the learner has no channel")
    learnt = _edits(view.edits.operation / view.edits.operation.sum())
    planted = _edits(damaged.rates)
    scores = score(damaged.corpus, view.ends > 0.5)
    return {
        **{f"planted {name}": round(float(x), 4) for name, x in planted.items()},
        **{f"learnt {name}": round(float(x), 4) for name, x in learnt.items()},
        "learnt over planted": round(learnt["in all"] / planted["in all"], 3),
        "token_f": round(scores.token.f, 3) if scores else 0.0,
        "token_f without": round(_token_f(damaged.corpus, BatchVB(damaged.corpus, preset("word")), 30), 3),
    }


def search(iterations: int, seeds: int) -> dict[str, Any]:
    """Edit rates learnt from gold words and planted edits: what is left to the search, and what is not.

    Learning begins at the words of the text before it was edited, and goes on without relearning,
    pruning or variants.
    """
    rows = []
    for rate in (0.05, 0.1, 0.2):
        for seed in range(seeds):
            clean = generate(ToyLanguage(words=30, utterances=400, seed=seed))
            damaged = corrupt(clean, rate, np.random.default_rng(seed))
            never = 1_000_000
            learner = NoisyVB(
                damaged.corpus, relearnings=0, relearn_every=never, prune_every=never, merge_every=never
            )
            rng = np.random.default_rng(1)
            state = learner.begin_with(learner.init(rng), {"Word": gold_words(clean)}, planted_edits(damaged))
            view = learner.view(learner.step(rng, state, iterations))
            learnt = fit(NoisyVB(damaged.corpus), steps=40, seed=1).view
            row: dict[str, Any] = {"rate": rate, "seed": seed}
            for name, found in (("gold words", view), ("learnt", learnt)):
                ratios = _over(found, damaged.rates)
                row |= {f"{name}: {kind}": value for kind, value in ratios.items()}
                row[f"{name}: bound"] = round(found.bound, 1)
            rows.append(row)
            print(row, flush=True)
    settings = {"utterances": 400, "iterations from gold words": iterations, "iterations learnt": 40}
    return {"settings": settings, "rows": rows}


def gold_words(text: Corpus) -> dict[bytes, float]:
    """Return the gold words of a text as phone codes, with their uses."""
    uses: dict[bytes, float] = {}
    for start, stop in zip(*word_edges(text, text.gold), strict=True):
        word = text.phones[start:stop].tobytes()
        uses[word] = uses.get(word, 0.0) + 1.0
    return uses


def planted_edits(damaged: Corruption) -> Edits:
    """Return the counts of the edits that were made, spread evenly over phones."""
    size = damaged.confusion.size
    operation = damaged.operations.astype(float)
    substitution = np.zeros((size, size))
    substitution[np.arange(size), damaged.confusion] = operation[1] / size
    operation[0] += damaged.corpus.gold.sum()
    return Edits(operation, np.full(size, operation[2] / size), substitution)


def _over(view: Any, planted: np.ndarray) -> dict[str, float]:
    """Return learnt over planted rates of each kind of edit, and of all."""
    learnt, planned = _edits(view.edits.operation / view.edits.operation.sum()), _edits(planted)
    return {name: round(learnt[name] / planned[name], 2) for name in learnt}


def baselines(text: Corpus, iterations: int) -> dict[str, Any]:
    """Baselines in one pass each, beside batch and online VB of the word grammar."""
    cuts = [
        {"direction": direction, "cut": cut}
        for direction in ("forward", "backward")
        for cut in ("relative", "absolute")
    ]
    variants: dict[str, list[dict[str, str]]] = {"tp": cuts}
    rows = []
    for name in (*BASELINES, "batch", "online"):
        for settings in variants.get(name, [{}]):
            passes = {} if name in BASELINES else {"iterations": iterations}
            found = discover(text, "word", name, seed=1, **passes, **settings).candidates[0]
            label = ", ".join([LEARNERS[name].label, *settings.values()])
            rows.append({"learner": label, "bigram": round(found.bigram), **_scores(found.scores)})
            print(rows[-1], flush=True)
    return {"settings": {"iterations of VB": iterations, "seed": 1, "start of VB": "peaks"}, "rows": rows}


def _edits(operation: np.ndarray) -> dict[str, float]:
    """Return the operations that are edits, and all of them together."""
    named = dict(zip(OPERATIONS[1:], operation[1:].tolist(), strict=True))
    return {**named, "in all": float(operation[1:].sum())}


def _token_f(text: Corpus, learner: Any, iterations: int) -> float:
    scores = score(text, fit(learner, steps=iterations, seed=1).view.ends > 0.5)
    return scores.token.f if scores else float("nan")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=WHAT)
    parser.add_argument("--corpus", choices=(*TEXTS, "toy"), default="brent")
    parser.add_argument("--grammar", default="word")
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--seeds", type=int, default=1)
    args = parser.parse_args()
    path = RESULTS / "discovery.json"
    if args.what == "report":
        print(report(json.loads(path.read_text())))
        return
    if args.what == "search":
        save(path, "edit rates from gold words", search(args.iterations, args.seeds))
        return
    if args.what == "rates":
        for utterances in (400, 1500):
            key = f"edit rates, generated languages, {utterances:,} utterances"
            save(path, key, rates(utterances, args.iterations, args.seeds))
        return
    text = read("toy_phones") if args.corpus == "toy" else read(CORPORA / TEXTS[args.corpus])
    if args.what == "restarts":
        found: Any = restarts(text, args.grammar, args.iterations)
        key = f"restarts, {args.corpus}, {args.grammar}"
    elif args.what == "collocation":
        found, key = collocation(text, args.iterations, args.seeds), f"sampler, {args.corpus}, collocation"
    elif args.what == "baselines":
        found, key = baselines(text, args.iterations), f"baselines, {args.corpus}"
    else:
        found, key = channel(text, args.iterations, args.seeds), f"channel, {args.corpus}"
    save(path, key, found)


def save(path: Path, key: str, found: dict[str, Any]) -> None:
    """Merge a campaign into the results and write them as a table too."""
    results = json.loads(path.read_text()) if path.exists() else {}
    results[key] = {**found, "versions": _versions()}
    path.write_text(json.dumps(results, indent=1) + "\n")
    (RESULTS / "discovery.md").write_text(report(results))


def _versions() -> dict[str, str]:
    return {name: version(name) for name in ("otlab", "numpy", "numba", "scipy")}


def report(results: dict[str, Any]) -> str:
    """Return the tables as text."""
    lines = ["# Lexicon discovery: every restart, and what rules without gold choose", ""]
    for key, found in results.items():
        lines += [f"## {key}", "", *_table(found["rows"]), ""]
        for name in ("chosen", "agreement", "recovered", "median recovered", "settings", "versions"):
            facts = "; ".join(f"{k}: {v}" for k, v in found.get(name, {}).items())
            title = TITLES.get(name, name.capitalize())
            lines += [f"{title}: {facts}.", ""] if facts else []
    return "\n".join(lines)


def _table(rows: list[dict[str, Any]]) -> list[str]:
    hidden = ("log joint", "boundary_f_with_edges")
    names = [n for n in rows[0] if n not in hidden and not n.endswith(("_p", "_r"))]
    head = ["| " + " | ".join(n.replace("_", " ") for n in names) + " |", "|" + "---|" * len(names)]
    return head + ["| " + " | ".join(str(row[n]) for n in names) + " |" for row in rows]


if __name__ == "__main__":
    main()
