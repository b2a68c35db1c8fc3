"""``otlab channel``: learn how probable the edits are that turn one string of phones into another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

    from otlab.discovery.channel.channel import Channel
    from otlab.discovery.channel.pairs import Pairs

HELP = "learn a noisy channel from pairs of strings"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the pairs and the number of iterations."""
    parser.add_argument(
        "file", help="top TAB bottom, phones separated by blanks, one pair a line; '-' reads standard input"
    )
    parser.add_argument("--iterations", type=int, default=20, help="number of iterations (default: 20)")


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Learn the channel and return the posterior means of its probabilities."""
    from otlab.cli.progress import progress_bar
    from otlab.discovery.channel.channel import Channel
    from otlab.inference import fit

    if args.iterations < 0:
        raise InputError(Fault(f"--iterations {args.iterations}", "write 0 or more"))
    pairs = _pairs(args.file)
    learner = Channel(pairs)
    with progress_bar(console, "channel") as show_progress:
        fitted = fit(learner, steps=args.iterations, seed=args.seed, watch=show_progress)
    view = fitted.view
    return {
        "objective": view.objective.tolist(),
        **learner.prior.plus(view.counts).to_dict(pairs.symbols),
        "unreachable": [_unreachable(pairs, p) for p, fits in enumerate(view.reachable) if not fits],
        "seed": fitted.seed,
        "settings": {"file": args.file, "iterations": args.iterations, **_limits(learner)},
        "stopped": fitted.stopped,
    }


def _pairs(file: str) -> Pairs:
    import sys

    from otlab.discovery.channel.pairs import parse_pairs, read_pairs
    from otlab.files import decode

    return parse_pairs(decode(sys.stdin.buffer.read(), "-"), "-") if file == "-" else read_pairs(file)


def _limits(learner: Channel) -> dict[str, Any]:
    """Return the pseudo-counts of the priors and the longest runs of edits; no option changes them."""
    names = ("operation", "insertion", "substitution", "most_inserted", "most_deleted")
    return {name: getattr(learner, name) for name in names}


def _unreachable(pairs: Pairs, p: int) -> dict[str, Any]:
    top, bottom = pairs.pair(p)
    return {"line": pairs.lines[p], "top": " ".join(top), "bottom": " ".join(bottom)}


def show(result: dict[str, Any], console: Console) -> None:
    """Print the operations, the most probable substitutions, and the pairs that no edits connect."""
    from rich.table import Table

    operations = Table("operation", "probability", box=None)
    for name, p in result["operations"].items():
        operations.add_row(name, f"{p:.4f}")
    console.print(operations)
    found = [(p, top, bottom) for top, row in result["substitutions"].items() for bottom, p in row.items()]
    substitutions = Table("top", "bottom", "probability", box=None)
    for p, top, bottom in sorted(found, reverse=True)[:15]:
        substitutions.add_row(top, bottom, f"{p:.3f}")
    console.print(substitutions)
    for pair in result["unreachable"]:
        console.print(f"unreachable: line {pair['line']}, {pair['top']} to {pair['bottom']}")
    console.print(f"bound {result['objective'][-1]:,.3f}, seed {result['seed']}")
