"""``otlab induce``: probabilities of lexical items from sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from otlab.cli.lexicons import add_start, open_lexicon, open_sentences
from otlab.cli.progress import watch
from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

    from otlab.mg.induction import Induction

HELP = "induce the probabilities of a minimalist grammar's lexical items"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add lexicon, corpus and the learner's settings."""
    parser.add_argument("lexicon", metavar="LEXICON", help="a lexicon file, or the name of a sample")
    parser.add_argument(
        "corpus", metavar="CORPUS", nargs="?", help="one sentence a line (default: the lexicon's own)"
    )
    add_start(parser)
    parser.add_argument("--learner", choices=("vb", "em", "map", "gibbs"), default="vb")
    parser.add_argument(
        "--alpha", type=float, metavar="X", help="pseudo-count of every item (default: the lexicon's)"
    )
    parser.add_argument(
        "--iterations", type=int, default=50, metavar="N", help="iterations or sweeps (default 50)"
    )
    parser.add_argument(
        "--init", choices=("prior", "jitter", "counts"), default="prior", help="where to start"
    )
    parser.add_argument(
        "--restarts", type=int, default=1, metavar="R", help="keep the best of so many (default 1)"
    )
    parser.add_argument(
        "--tol", type=float, default=0.0, metavar="X", help="stop when the ELBO rises by no more"
    )


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Learn; return what cli.md's contract has."""
    import numpy as np

    from otlab.inference.run import run
    from otlab.mg.corpus import parse_corpus
    from otlab.mg.grammar import Grammar
    from otlab.mg.induction import conclude, make_learner

    if args.alpha is not None and not 0 < args.alpha < float("inf"):
        raise InputError(f"--alpha {args.alpha:g}: a pseudo-count is above 0; try 0.5")
    if args.iterations < 0:
        raise InputError(f"--iterations {args.iterations}: there must be 0 or more")
    if args.restarts < 1:
        raise InputError(f"--restarts {args.restarts}: there must be at least 1")
    lexicon = open_lexicon(args.lexicon, args.start)
    grammar = Grammar(lexicon)
    sentences = open_sentences(args.corpus, grammar.vocabulary) if args.corpus else list(lexicon.corpus)
    if not sentences:
        raise InputError(
            Fault(f"{args.lexicon} has no @sentence lines", "give a corpus file, one sentence a line")
        )
    alpha = lexicon.alphas() if args.alpha is None else np.full(len(lexicon), args.alpha)
    learner = make_learner(
        args.learner, parse_corpus(grammar, sentences), alpha, init=args.init, tol=args.tol
    )
    going = run(learner, sweeps=args.iterations, seed=args.seed, chains=args.restarts, threads=args.threads)
    tick, stopped = watch(going, console, args.learner)
    result = _result(conclude(grammar, going, tick))
    return {
        **result,
        "settings": {
            "lexicon": args.lexicon,
            "corpus": args.corpus,
            "start": list(lexicon.start),
            **result["settings"],
        },
        "stopped": stopped,
    }


def _result(found: Induction) -> dict[str, Any]:
    from otlab.mg.sentences import sentence_text

    snapshot = found.snapshot
    names = ("elbo", "sum_log_z", "kl")
    return {
        "seed": found.seed,
        "settings": dict(found.settings),
        "iterations": [
            {"iteration": i, **dict(zip(names, row, strict=True))}
            for i, row in enumerate(snapshot.trace.tolist())
        ],
        "omega": found.by_category(snapshot.omega),
        "theta": found.by_category(snapshot.theta),
        "expected_counts": found.by_item(snapshot.counts),
        "log_z": found.log_z(),
        "unparsed": [sentence_text(s) for s in found.corpus.unparsed],
        "restarts": list(found.objectives),
        "well_formed_mass": found.well_formed_mass,
        "warnings": list(found.warnings),
    }


def show(result: dict[str, Any], console: Console) -> None:
    """Print the probabilities by category, and how the objective went."""
    from rich.table import Table

    table = Table("item", "probability", "expected count", box=None)
    for category, items in result["theta"].items():
        table.add_row(f"[bold]{category}[/bold]", "", "")
        for item, probability in sorted(items.items(), key=lambda pair: -pair[1]):
            table.add_row(
                f"  {item.replace('[', chr(92) + '[')}",
                f"{probability:.4f}",
                f"{result['expected_counts'][item]:.2f}",
            )
    console.print(table)
    first, last = result["iterations"][0], result["iterations"][-1]
    console.print(
        f"ELBO {first['elbo']:.4f} at the start, {last['elbo']:.4f} after {last['iteration']} iterations"
    )
    console.print(f"well-formed mass {result['well_formed_mass']:.4f}; seed {result['seed']}")
    for sentence in result["unparsed"]:
        console.print(f"no derivation: {sentence}", markup=False)
    for warning in result["warnings"]:
        console.print(f"warning: {warning}", markup=False)
