"""``otlab gen``: generate the candidates of inputs, with their violations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from otlab.cli.check import add_features, features_of, tier_text
from otlab.errors import InputError, all_results, counted
from otlab.ot.formatting import slashed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from rich.console import Console

HELP = "generate the candidates of inputs, and count their violations"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add inputs, constraints and operations."""
    from otlab.forms.gen import OPERATIONS

    parser.add_argument("inputs", nargs="+", metavar="INPUT", help="underlying form")
    parser.add_argument("--constraints", required=True, metavar="'F; F; ...'", help="formulas or names")
    operations = ", ".join(OPERATIONS)
    parser.add_argument(
        "--operations", default="delete", metavar="LIST", help=f"of {operations} (default: delete)"
    )
    parser.add_argument(
        "--depth", type=int, default=1, metavar="N", help="how often each is applied (default: 1)"
    )
    parser.add_argument(
        "--undominated", action="store_true", help="leave out candidates that can never win in their set"
    )
    add_features(parser)
    parser.add_argument("-o", "--out", type=Path, metavar="FILE", help="write the tableau, as .csv")


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Return the candidates as ``--json`` prints them."""
    from otlab.forms.gen import parse_operations
    from otlab.ot.analysis.candidates import generated_tableau
    from otlab.ot.io.write import to_csv

    table, tiers = all_results(lambda: features_of(args), lambda: tier_text(args))
    gen = parse_operations(args.operations, args.depth, table)
    formulas = [text.strip() for text in args.constraints.split(";") if text.strip()]
    if not formulas:
        raise InputError("--constraints names none; write formulas, with semicolons between them")
    features = table.written() if table else ""
    tableau, capped = generated_tableau(
        args.inputs,
        formulas,
        gen,
        undominated=args.undominated,
        features=features,
        tiers=tiers,
    )
    if args.out:
        to_csv(tableau, args.out)
    inputs = [
        {
            "input": name,
            "generated": len(tableau.candidates[tableau.rows(k)]),
            "capped": name in capped,
            "candidates": [
                {"candidate": tableau.candidates[row], "violations": tableau.violations[row].tolist()}
                for row in range(tableau.n_rows)[tableau.rows(k)]
            ],
        }
        for k, name in enumerate(tableau.inputs)
    ]
    settings = {
        "constraints": formulas,
        "operations": args.operations,
        "depth": args.depth,
        "undominated": args.undominated,
        "features": str(args.features or ""),
        "tiers": str(args.tiers or ""),
    }
    return {"settings": settings, "constraints": formulas, "inputs": inputs}


def show(result: dict[str, Any], console: Console) -> None:
    """Print the candidates of each input with their violations."""
    for line in _lines(result):
        console.print(line, soft_wrap=True)


def _lines(result: dict[str, Any]) -> Iterator[str]:
    from otlab.ot.formatting import aligned_text

    for one in result["inputs"]:
        rows = [
            [row["candidate"], *(str(n) if n else "" for n in row["violations"])] for row in one["candidates"]
        ]
        yield aligned_text([[slashed(one["input"]), *result["constraints"]], *rows])
        more = ", the first 5,000" if one["capped"] else ""
        yield f"{counted(one['generated'], 'candidate')}{more}"
        yield ""
