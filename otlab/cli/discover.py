"""``otlab discover``: words from unsegmented phones."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

    from otlab.discovery.corpus import Corpus
    from otlab.discovery.learners.restarts import Outcome, Plan
    from otlab.discovery.learners.starts import Start

HELP = "find the words of an unsegmented text"

GRAMMAR_HELP = (
    "a preset (word, morphology, syllable, collocation) or a grammar file; '@Word T a b' adapts Word with "
    "truncation T, concentration a, discount b (py-cfg's -b is the concentration and its -a the discount)"
)

START_HELP = (
    "where learning starts: 'peaks' of branching entropy, or P(boundary); several, separated by commas, take "
    "turns (the sampler starts at P(boundary) 0.5 instead of peaks)"
)

RULE_HELP = (
    "what chooses among them: bigram, unigram, held-out, bound; how well the bigram rule agrees with token F "
    "differs (rank correlation over 11 starts: .30 on Brent, .89 on German)"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what is learnt from, how, and where the result goes."""
    parser.add_argument(
        "file", help="phonemic text, one utterance a line, or a sample's name; '-' reads standard input"
    )
    parser.add_argument("--grammar", default="word", help=GRAMMAR_HELP)
    parser.add_argument("--learner", choices=("batch", "online", "mcmc"), default="batch")
    parser.add_argument(
        "--iterations", type=int, default=40, help="iterations, passes over the text, or sweeps"
    )
    parser.add_argument("--start", default="peaks", help=START_HELP)
    parser.add_argument("--restarts", type=int, default=1, help="runs, each with a seed derived from --seed")
    parser.add_argument("--rule", default="bigram", help=RULE_HELP)
    parser.add_argument("--threshold", type=float, default=0.5, help="least posterior of a boundary")
    parser.add_argument("--decode", choices=("threshold", "minimum-risk"), default="threshold")
    parser.add_argument(
        "--separator", default="", help="what stands between the phones of a word; nothing by default"
    )
    parser.add_argument("--segment-out", type=Path, metavar="F", help="write the segmented text to this file")


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Run the restarts, choose one, decode it and score it."""
    from otlab.discovery import Plan, load_grammar
    from otlab.inference.random import fresh_seed

    _check(args)
    corpus = _corpus(args)
    plan = Plan(
        corpus, load_grammar(args.grammar), args.learner, args.iterations, _starts(args.start), args.restarts,
        args.rule, args.threshold, args.decode, args.threads,
    )  # fmt: skip
    seed = fresh_seed() if args.seed is None else args.seed
    outcome = _watched(plan, seed, console)
    if args.segment_out:
        _write(args.segment_out, corpus, outcome)
    return {**_result(outcome), "seed": seed, "settings": _settings(args), "stopped": outcome.stopped}


def _check(args: argparse.Namespace) -> None:
    faults = [
        Fault(f"--{name} {getattr(args, name)}", "write 1 or more")
        for name in ("iterations", "restarts")
        if getattr(args, name) < 1
    ]
    if not 0 < args.threshold < 1:
        faults.append(Fault(f"--threshold {args.threshold:g}", "write a number between 0 and 1"))
    if args.segment_out and not args.segment_out.absolute().parent.is_dir():
        faults.append(Fault(f"no folder {args.segment_out.parent} to write to", "make it first"))
    if faults:
        raise InputError(faults)


def _starts(names: str) -> tuple[Start, ...]:
    from otlab.discovery.learners.starts import start_named

    starts: list[Start] = []
    faults: list[Fault] = []
    for name in names.split(","):
        try:
            starts.append(start_named(name.strip()))
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(faults)
    return tuple(starts)


def _write(path: Path, corpus: Corpus, outcome: Outcome) -> None:
    lines = [" ".join(corpus.words(u, outcome.ends)) for u in range(len(corpus))]
    try:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(Fault(f"cannot write {path}: {error.strerror}", "choose another place")) from None


def _corpus(args: argparse.Namespace) -> Corpus:
    import sys

    from otlab.discovery.corpus import Corpus, read
    from otlab.files import decode

    if args.file == "-":
        return Corpus.from_text(decode(sys.stdin.buffer.read(), "-"), "-", args.separator)
    return read(args.file, args.separator)


def _watched(plan: Plan, seed: int, console: Console) -> Outcome:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(plan.learner, total=plan.restarts * plan.iterations)
        outcome: Outcome = plan.run(seed, lambda done: bar.update(task, completed=done))
        return outcome


def _settings(args: argparse.Namespace) -> dict[str, Any]:
    names = ("file", "grammar", "learner", "iterations", "start", "restarts", "rule", "threshold", "decode")
    settings = {name: getattr(args, name) for name in (*names, "separator", "threads")}
    return {**settings, "segment_out": str(args.segment_out) if args.segment_out else None}


def _result(outcome: Outcome) -> dict[str, Any]:
    view = outcome.view
    candidates = [
        {**asdict(c), "scores": c.scores.as_dict() if c.scores else None} for c in outcome.candidates
    ]
    return {
        "objective": view.objective.tolist(),
        **_scores(outcome),
        "lexicon": [{"string": e.string, "expected_count": e.expected_count} for e in outcome.lexicon],
        "choice": {"rule": outcome.rule, "chosen": outcome.chosen, "candidates": candidates},
        "hyperparameters": {
            k: {"concentration": a, "discount": b} for k, (a, b) in view.hyperparameters.items()
        },
    }


def _scores(outcome: Outcome) -> dict[str, Any]:
    if outcome.scores is None:
        return {"scores": None, "scores_note": "the text has no blanks: there is no gold to compare with"}
    return {"scores": outcome.scores.as_dict()}


def show(result: dict[str, Any], console: Console) -> None:
    """Print the restarts, the scores and the most used words."""
    from rich.table import Table

    runs = Table("", "start", "seed", "bound", "bigram code", "held out", "token F", box=None)
    for k, c in enumerate(result["choice"]["candidates"]):
        held = "" if c["held_out"] is None else f"{c['held_out']:.4f}"
        token = f"{c['scores']['token_f']:.3f}" if c["scores"] else "-"
        chosen = "chosen" if k == result["choice"]["chosen"] else ""
        runs.add_row(
            chosen, c["start"], str(c["seed"]), f"{c['bound']:,.0f}", f"{c['bigram']:,.0f}", held, token
        )
    console.print(runs)
    if result["scores"]:
        figures = {
            name: result["scores"][name]
            for name in ("token_f", "boundary_f", "boundary_f_with_edges", "lexicon_f")
        }
        console.print("  ".join(f"{name.replace('_', ' ')} {value:.3f}" for name, value in figures.items()))
    words = Table("word", "expected count", box=None)
    for entry in result["lexicon"][:20]:
        words.add_row(entry["string"], f"{entry['expected_count']:,.1f}")
    console.print(words)
    console.print(f"seed {result['seed']}")
