"""``otlab ask``: say which word would tell most about the grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from otlab.cli.tableaux import add_tableau, open_reading
from otlab.errors import Fault, InputError
from otlab.ot.formatting import slashed

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

    from otlab.ot.fitted import Fit

HELP = "say which word would tell most about the grammar, given what was heard"
LEARNERS = ("latent-gibbs", "rip", "rrip", "eip")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add a tableau, a learner, and what was heard."""
    add_tableau(parser)
    parser.add_argument("--learner", choices=LEARNERS, default=LEARNERS[0], help=f"default: {LEARNERS[0]}")
    parser.add_argument(
        "--heard",
        action="append",
        default=[],
        metavar="INPUT=OVERT",
        help="an overt form that was heard; may be repeated (default: the counts of the file)",
    )
    parser.add_argument("--sweeps", type=int, metavar="N", help="steps of each chain")


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Return the words as ``--json`` prints them."""
    from otlab.ot.analysis.questions import questions, with_heard
    from otlab.ot.fitted import spread_out
    from otlab.ot.learners import LEARNERS as REGISTRY
    from otlab.ot.probability import predict_many

    tableau = open_reading(args).tableau
    heard = dict(map(_pair, args.heard))
    if heard:
        tableau = with_heard(tableau, heard)
    entry = REGISTRY[args.learner]
    settings = entry.settings() if args.sweeps is None else entry.settings(sweeps=args.sweeps)
    fit = cast("Fit", entry.fit(tableau, settings, seed=args.seed, threads=args.threads))
    draws = (
        spread_out(fit.posterior.pooled("ranking_value"), tableau)
        if fit.posterior is not None
        else [view.values for view in fit.views]
    )
    probabilities = predict_many(tableau, draws, fit.settings["noise"], seed=0)
    return {
        "settings": {"file": args.file, "learner": args.learner, "heard": heard, **fit.settings},
        "seed": fit.seed,
        "words": questions(tableau, probabilities).to_dict("records"),
        "warnings": list(fit.warnings),
    }


def _pair(text: str) -> tuple[str, str]:
    name, equals, overt = text.partition("=")
    if not equals or not name.strip() or not overt.strip():
        raise InputError(Fault(f"--heard {text!r} is not INPUT=OVERT", "write it as --heard 'L L=L1 L'"))
    return name.strip(), overt.strip()


def show(result: dict[str, Any], console: Console) -> None:
    """Print the five best words."""
    if not result["words"]:
        console.print("every word of the file has been heard")
    for word in result["words"][:5]:
        console.print(f"{word['information']:.3f} bits  {slashed(word['input'])}")
    for warning in result["warnings"]:
        console.print(f"warning: {warning}", soft_wrap=True)
