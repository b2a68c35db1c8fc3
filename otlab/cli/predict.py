"""``otlab predict``: compute how often each candidate wins under given ranking values."""

from __future__ import annotations

import math
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from otlab.cli.tableaux import add_tableau, open_reading, reading_dict
from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

    from otlab.ot import Prediction, Tableau

HELP = "how often each candidate wins under given ranking values"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add a tableau, a value for each constraint, and the evaluation noise."""
    add_tableau(parser)
    parser.add_argument(
        "--values",
        metavar="NAME=X,...",
        help="a ranking value for each constraint, e.g. 'Onset=1.5,NoCoda=-0.5' (default: the row of weights "
        "of FILE, if it has one)",
    )
    parser.add_argument("--noise", type=float, help="evaluation noise (default: the file's, else 2)")


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Return the predictions as ``--json`` prints them."""
    from otlab.inference.random import fresh_seed
    from otlab.ot import predict, resolve_settings
    from otlab.ot.constraint_names import parse_values

    reading = open_reading(args)
    tableau = reading.tableau
    values = (
        dict(reading.values)
        if args.values is None
        else parse_values(args.values, tableau.constraints, "--values")
    )
    if not values:
        hint = "give --values NAME=X,... or a row 'weights' below the header"
        raise InputError(Fault("there is no ranking value for any constraint", hint, file=args.file))
    if args.values is None:
        listed = ", ".join(f"{name} {value:g}" for name, value in values.items())
        print(f"{args.file}: ranking values are those of its row of weights: {listed}", file=sys.stderr)
    settings = resolve_settings(tableau, noise=args.noise)
    seed = fresh_seed() if args.seed is None else args.seed
    in_order = [values[name] for name in tableau.constraints]
    prediction = predict(tableau, in_order, settings.noise, seed=seed)
    return {
        "seed": args.seed if prediction.method == "exact" else seed,
        "settings": {"file": args.file, "values": values, **asdict(settings)},
        "constraints": list(tableau.constraints),
        "constraint_names": dict(zip(tableau.constraints, tableau.full_names, strict=True)),
        "method": prediction.method,
        "reading": reading_dict(reading),
        "predictions": _rows(tableau, prediction),
    }


def _rows(tableau: Tableau, prediction: Prediction) -> list[dict[str, Any]]:
    from otlab.ot.overt import observed_candidates

    columns = zip(
        tableau.input_of_row,
        tableau.candidates,
        observed_candidates(tableau).tolist(),
        prediction.probability.tolist(),
        prediction.standard_error.tolist(),
        strict=True,
    )
    keys = ("input", "candidate", "observed", "probability", "standard_error")
    return [dict(zip(keys, (tableau.inputs[k], *rest), strict=True)) for k, *rest in columns]


def show(result: dict[str, Any], console: Console) -> None:
    """Print the predictions as a table."""
    from rich.table import Table

    sampled = result["method"] != "exact"
    table = Table("input", "candidate", box=None)
    for column in ("observed", "probability", *(["standard error"] if sampled else [])):
        table.add_column(column, justify="right")
    for row in result["predictions"]:
        observed = "" if math.isnan(row["observed"]) else f"{row['observed']:.4f}"
        error = [f"{row['standard_error']:.4f}"] if sampled else []
        table.add_row(row["input"], row["candidate"], observed, f"{row['probability']:.4f}", *error)
    console.print(table)
    seed = f", seed {result['seed']}" if sampled else ""
    console.print(f"{result['method']}, evaluation noise {result['settings']['noise']:g}{seed}")
