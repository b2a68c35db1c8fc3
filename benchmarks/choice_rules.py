"""Rules that choose among restarts without gold: how well each ranks runs as token F does.

    python -m benchmarks.choice_rules [brent german generated]

Eleven starts of batch VB with the word grammar, 30 iterations each. Beside the bigram code and the bound:

- predictive: bigram code of the last fifth of the text after the first four, given one segmentation;
- agreement: mean token F of a run's segmentation against those of all other runs; and of the nearest three;
- stability: words learnt from either half of the text from the same start, token distributions
  compared (the smaller of both shares, added up), and word types used twice or more (F).

Writes ``benchmarks/results/rules.md``. The corpora are not shipped: ``OTLAB_CORPORA`` names their folder.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import spearmanr

from benchmarks.discovery import CORPORA
from benchmarks.discovery_quality import STARTS, TEXTS
from otlab.discovery.corpus import read
from otlab.discovery.learners.batch import BatchVB
from otlab.discovery.learners.choose import description_length
from otlab.discovery.parsing.parser import Parser
from otlab.discovery.presets import preset
from otlab.discovery.scores import score, word_edges
from otlab.discovery.toy import ToyLanguage, generate
from otlab.inference import fit

if TYPE_CHECKING:
    from otlab.discovery.corpus import Corpus

RESULTS = Path(__file__).parent / "results" / "rules.md"
RULES = ("bigram", "bound", "predictive", "agreement", "agreement of 3", "stability", "stability of types")
GENERATED = {
    f"generated {seed}": ToyLanguage(words=60, utterances=500, seed=seed, pairs=0.3 * (seed % 2))
    for seed in range(1, 5)
}


def token_f(text: Corpus, found: np.ndarray, gold: np.ndarray) -> float:
    """Return the token F of one segmentation against another."""
    scores = score(replace(text, gold=gold), found)
    return scores.token.f if scores else 0.0


def shares(text: Corpus, ends: np.ndarray) -> Counter[bytes]:
    """Return how often each word is used."""
    return Counter(text.phones[i:j].tobytes() for i, j in zip(*word_edges(text, ends), strict=True))


def stability(one: Counter[bytes], other: Counter[bytes]) -> tuple[float, float]:
    """Return the overlap of two token distributions, and the F of types used twice or more."""
    n, m = one.total(), other.total()
    types = [{word for word, uses in words.items() if uses > 1} for words in (one, other)]
    shared = 2 * len(types[0] & types[1]) / (len(types[0]) + len(types[1]))
    return sum(min(one[w] / n, other[w] / m) for w in one.keys() & other.keys()), shared


def study(text: Corpus) -> list[dict[str, float]]:
    """Return token F and every rule's figure of each start; the higher the better."""
    first = int(0.8 * len(text))
    parts = [text, text.select(np.arange(first))]
    parts += [text.select(np.arange(k, len(text), 2)) for k in range(2)]
    whole, head, *halves = (Parser(part, preset("word")) for part in parts)
    rows, segmentations = [], []
    for k, start in enumerate(STARTS):
        views = [
            fit(BatchVB(p.corpus, preset("word"), start, parser=p), steps=30, seed=k + 1).view
            for p in (whole, *halves)
        ]
        ends, *others = (view.ends > 0.5 for view in views)
        code = description_length(text, whole.every_span, ends)
        before = description_length(head.corpus, head.every_span, ends[: head.corpus.phones.size])
        lexicons = [shares(p.corpus, e) for p, e in zip(halves, others, strict=True)]
        figures = (-code, views[0].bound, before - code, 0.0, 0.0, *stability(*lexicons))
        rows.append({"token F": token_f(text, ends, text.gold), **dict(zip(RULES, figures, strict=True))})
        segmentations.append(ends)
    for k, row in enumerate(rows):
        near = [token_f(text, segmentations[k], other) for j, other in enumerate(segmentations) if j != k]
        row["agreement"], row["agreement of 3"] = float(np.mean(near)), float(np.mean(sorted(near)[-3:]))
    return rows


def line(name: str, rows: list[dict[str, float]]) -> str:
    """Return a line of the table: for each rule rank correlation, and token F of its choice."""
    gold = [row["token F"] for row in rows]
    cells = [f"{min(gold):.2f} to {max(gold):.2f}"]
    for rule in RULES:
        figures = [row[rule] for row in rows]
        cells.append(f"{spearmanr(figures, gold).statistic:.2f} ({gold[int(np.argmax(figures))]:.3f})")
    return f"| {name} | " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", nargs="*", default=["brent", "german", "generated"])
    args = parser.parse_args()
    texts = {name: (lambda path=path: read(CORPORA / path)) for name, path in TEXTS.items()}
    lines = ["# Rules that choose among restarts without gold", ""]
    lines += ["Spearman's rank correlation with token F over 11 starts (token F of the run taken).", ""]
    lines += ["| corpus | token F | " + " | ".join(RULES) + " |", "|---" * (len(RULES) + 2) + "|"]
    for what in args.what:
        made = {what: texts[what]} if what in texts else {}
        for name, language in GENERATED.items() if what == "generated" else ():
            made[name] = lambda language=language: generate(language)
        for name, make in made.items():
            lines.append(line(name, study(make())))
            print(lines[-1], flush=True)
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
