"""``otlab learn``: fit a grammar to a tableau, by one of the OT learners."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from otlab.cli.options import add_learner_options, learner_settings
from otlab.cli.progress import progress_bar
from otlab.cli.tableaux import add_tableau, open_reading, reading_dict
from otlab.errors import DataWarning, Fault, InputError, all_results

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

    from otlab.ot import Fit, Tableau

HELP = "fit a grammar to a tableau"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add a tableau, a learner, and the settings of all learners."""
    from otlab.ot.learners import LEARNERS

    add_tableau(parser)
    parser.add_argument(
        "--leave-out-impossible",
        action="store_true",
        help="set the counts of candidates that can never win to 0, instead of refusing the data",
    )
    parser.add_argument(
        "--ranked-above",
        action="store_true",
        help="also print the probability that each constraint is ranked above each other (samplers only)",
    )
    add_learner_options(parser, LEARNERS)


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Return the fit as ``--json`` prints it."""
    from otlab.ot.analysis.ranked_above import ranked_above
    from otlab.ot.learners import LEARNERS

    entry, settings = LEARNERS[args.learner], learner_settings(args, LEARNERS)
    schedule = getattr(settings, "plan", lambda: None)
    reading, _ = all_results(lambda: open_reading(args), schedule)
    tableau = reading.tableau
    if args.leave_out_impossible:
        tableau = _possible(tableau)
    try:
        with progress_bar(console, entry.label) as watch:
            fitted = entry.fit(tableau, settings, seed=args.seed, threads=args.threads, watch=watch)
    except InputError as error:
        raise InputError([_in_file(fault, tableau, args.file) for fault in error.faults]) from None
    result = fitted.to_dict()
    if args.ranked_above:
        result["ranked_above"] = ranked_above(cast("Fit", fitted)).to_pandas().to_dict("records")
    result["settings"] = {"file": args.file, **result["settings"]}
    return {**result, "reading": reading_dict(reading), "stopped": fitted.stopped}


def _possible(tableau: Tableau) -> Tableau:
    """Return the tableau without counts of candidates that can never win, with a warning for each."""
    from otlab.ot.conditions import impossible_words, without_impossible

    for words in impossible_words(tableau):
        warnings.warn(f"{words}; its count is set to 0", DataWarning, stacklevel=2)
    return without_impossible(tableau)


def _in_file(fault: Fault, tableau: Tableau, file: str) -> Fault:
    """Return the fault with the file's full name, if it has the tableau's name, which lacks the ending."""
    name = Path(file).name
    return replace(fault, file=name) if fault.file == tableau.name == Path(file).stem else fault


def show(result: dict[str, Any], console: Console) -> None:
    """Print the estimates, the predictions, and the warnings."""
    from rich.table import Table

    numbers = Table("constraint", box=None)
    learnt = {key: column for key, column in result["parameters"].items() if key != "kind"}
    for name in learnt:
        numbers.add_column(name, justify="right")
    columns = learnt.values()
    for name, *row in zip(result["constraints"], *columns, strict=True):
        numbers.add_row(name, *(_text(x, 3) for x in row))
    console.print(numbers, "")
    if "overt" in result:
        _show_overt(result, console)
    else:
        _show_predictions(result, console)
    if "ranked_above" in result:
        _show_ranked_above(result["ranked_above"], console)
    console.print(f"log likelihood {result['log_likelihood']:.4f} at the best, seed {result['seed']}")
    for warning in result["diagnostics"]["warnings"]:
        console.print(warning, style="bold red")


def _show_predictions(result: dict[str, Any], console: Console) -> None:
    """Print the observed frequency and the predicted probability of each candidate."""
    from rich.table import Table

    predictions = Table("input", "candidate", box=None)
    for column in ("observed", "predicted", "95 % interval", "best"):
        predictions.add_column(column, justify="right")
    for row in result["predictions"]:
        shown = (_text(row["observed"], 3), _text(row["mean"], 3), _interval(row), _text(row["at_best"], 3))
        predictions.add_row(row["input"], row["candidate"], *shown)
    console.print(predictions, "")


def _show_overt(result: dict[str, Any], console: Console) -> None:
    """Print what is predicted of each overt form, and the parses of those that were heard."""
    from rich.table import Table

    forms = Table("input", "overt form", box=None)
    for column in ("observed", "predicted"):
        forms.add_column(column, justify="right")
    for row in result["overt"]:
        shown = _text(row["observed"], 3), _text(row["probability"], 3)
        forms.add_row(row["input"], row["overt"], *shown)
    console.print(forms, "")
    parses = Table("input", "heard", "parse", box=None)
    for column in ("probability", "95 % interval"):
        parses.add_column(column, justify="right")
    for row in result["parses"]:
        interval = _interval(row) if row["low"] < row["high"] else ""
        names = (row[key] for key in ("input", "overt", "candidate"))
        parses.add_row(*names, _text(row["probability"], 3), interval)
    console.print(parses, "")
    console.print(
        f"without noise the grammar gives {100 * result['reproduced']:.0f} % of the inputs as heard"
    )


def _interval(row: dict[str, Any]) -> str:
    return f"{_text(row['low'], 3)} to {_text(row['high'], 3)}" if math.isfinite(row["low"]) else ""


def _show_ranked_above(pairs: list[dict[str, Any]], console: Console) -> None:
    """Print each pair of constraints once, in its more probable order."""
    from rich.table import Table

    likely = Table("ranked above", "", box=None)
    for column in ("probability", "95 % interval"):
        likely.add_column(column, justify="right")
    done = set()
    for pair in pairs:
        if pair["mean"] >= 0.5 and (pair["lower"], pair["higher"]) not in done:
            done.add((pair["higher"], pair["lower"]))
            interval = f"{_text(pair['low'], 3)} to {_text(pair['high'], 3)}"
            likely.add_row(pair["higher"], f">> {pair['lower']}", _text(pair["mean"], 3), interval)
    console.print(likely, "")


def _text(value: float, digits: int) -> str:
    return f"{value:.{digits}f}" if math.isfinite(value) else ""
