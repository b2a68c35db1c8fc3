"""``otlab compare``: several models on the same data."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from otlab.cli.tableaux import add_tableau, open_reading, reading_dict
from otlab.errors import counted

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

    from otlab.ot.tableau import Tableau

HELP = "compare models on the same data: Stochastic OT, MaxEnt, Noisy HG, partial orders"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the tableau, the models, and the settings with which they are fitted."""
    add_tableau(parser)
    parser.add_argument(
        "--models",
        metavar="NAME,...",
        default="sot,maxent,hg,partial",
        help="which of sot, maxent, hg and partial, separated by commas (default: all)",
    )
    parser.add_argument(
        "--noise", type=float, metavar="X", help="evaluation noise (default: the file's, else 2)"
    )
    parser.add_argument(
        "--total", type=int, metavar="M", help="observations that the frequencies of each input stand for"
    )
    parser.add_argument(
        "--weights",
        choices=("nonnegative", "free"),
        default="nonnegative",
        help="sign of the weights of MaxEnt and Noisy HG (default: nonnegative)",
    )
    parser.add_argument(
        "--prior-sd",
        type=float,
        metavar="X",
        help="sd of the normal prior: of MaxEnt weights, and in units of the noise of ranking values",
    )
    parser.add_argument(
        "--folds",
        type=int,
        default=0,
        metavar="N",
        help="parts of a cross-validation: the inputs of each are predicted from the others (default: none)",
    )
    parser.add_argument(
        "--no-posterior",
        action="store_true",
        help="do not sample posteriors: faster, but without leave-one-out",
    )
    parser.add_argument(
        "--uniformity",
        action="store_true",
        help="also compare differences of logits between inputs that differ in one constraint",
    )
    parser.add_argument(
        "--by",
        choices=("speaker", "item"),
        help="also predict each speaker, or item, from the others, where they differ or do not",
    )
    parser.add_argument(
        "--mixed",
        choices=("maxent-mixed", "sot-mixed", "hg-mixed"),
        default="maxent-mixed",
        help="the learner of those grammars (default: %(default)s)",
    )
    parser.add_argument(
        "--sweeps", type=int, default=1500, metavar="N", help="sweeps of that learner (default: %(default)s)"
    )


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Return the comparison as ``--json`` prints it."""
    from otlab.inference.random import fresh_seed
    from otlab.ot.analysis.comparison import compare

    reading = open_reading(args)
    seed = fresh_seed() if args.seed is None else args.seed
    also = {"by": _by(args, reading.tableau, seed)} if args.by else {}
    if args.uniformity:
        also["uniformity"] = _uniformity(args, reading.tableau, seed)
    compared = compare(
        reading.tableau,
        [name.strip() for name in args.models.split(",") if name.strip()],
        noise=args.noise,
        total=args.total,
        weights=args.weights,
        prior_sd=args.prior_sd,
        folds=args.folds,
        posterior=not args.no_posterior,
        seed=seed,
    )
    result = {**compared.to_dict(), **also}
    result["settings"] = {"file": args.file, **result["settings"]}
    return {**result, "reading": reading_dict(reading)}


def _by(args: argparse.Namespace, tableau: Tableau, seed: int) -> dict[str, Any]:
    """Return how well each speaker, or item, is predicted from the others, by the levels of the grammar."""
    from otlab.ot.analysis.leave_group_out import levels_compared

    settings: Any = {"total": args.total, "noise": args.noise, "weights": args.weights}
    settings |= {"learner": args.mixed, "sweeps": args.sweeps, "prior_sd": args.prior_sd}
    return levels_compared(tableau, args.by, seed=seed, **settings).to_dict()


def _uniformity(args: argparse.Namespace, tableau: Tableau, seed: int) -> dict[str, Any]:
    """Return differences of logits between inputs that differ in one constraint."""
    from otlab.ot.analysis.logit_uniformity import logit_uniformity

    settings: Any = {"noise": args.noise, "total": args.total, "weights": args.weights}
    return logit_uniformity(tableau, seed=seed, **settings).to_dict()


def show(result: dict[str, Any], console: Console) -> None:
    """Print a table of the models, and what it shows."""
    from rich.table import Table

    from otlab.ot.analysis.leave_one_out import reliability

    keys = {
        "log_likelihood": "log likelihood",
        "parameters": "free",
        "aic": "AIC",
        "aicc": "AICc",
        "bic": "BIC",
        "elpd_loo": "elpd (LOO)",
        "cross_validated": "held out",
    }
    shown = [key for key in keys if not all(math.isnan(model[key]) for model in result["models"])]
    table = Table("model", box=None)
    for key in shown:
        table.add_column(keys[key], justify="right")
    for model in result["models"]:
        table.add_row(model["label"], *(_text(model[key]) for key in shown))
    console.print(table, "")
    words = f"{counted(result['observations'], 'observation')}, seed {result['seed']}. {result['words']}"
    console.print(words)
    trust = reliability((model["label"], model["pareto_k"]) for model in result["models"])
    if trust:
        console.print(trust)
    if "by" in result:
        _show_by(result["by"], console)
    if "uniformity" in result:
        _show_uniformity(result["uniformity"], console)
    for model in result["models"]:
        if model["note"]:
            console.print(f"{model['label']}: {model['note']}")


def _show_by(by: dict[str, Any], console: Console) -> None:
    """Print how well each speaker, or item, is predicted from the others."""
    from rich.table import Table

    table = Table("levels", box=None)
    for head in (f"elpd by {by['level']}", "se", "largest Pareto k"):
        table.add_column(head, justify="right")
    for model in by["models"]:
        numbers = (model["elpd"], model["elpd_se"], model["pareto_k"])
        table.add_row(model["levels"], *map(_text, numbers))
    console.print("", table, "")
    console.print(f"{by['learner']}: {by['words']}")


_MOST_CONTRASTS = 20


def _show_uniformity(found: dict[str, Any], console: Console) -> None:
    """Print differences of logits, and models by how well they fit."""
    from rich.table import Table

    contrasts = found["contrasts"]
    table = Table("constraint", "inputs", box=None)
    for head in ("observed", *(model["label"] for model in found["models"])):
        table.add_column(head, justify="right")
    for one in contrasts[:_MOST_CONTRASTS]:
        estimates = [one["observed"], *one["predicted"].values()]
        table.add_row(one["constraint"], one["words"], *map(_interval, estimates))
    models = Table("model", box=None)
    for head in ("log likelihood", "free", "AICc", "G²", "df", "p"):
        models.add_column(head, justify="right")
    for model in found["models"]:
        keys = ("log_likelihood", "parameters", "aicc", "deviance", "freedom", "chance")
        models.add_row(model["label"], *(_text(model[key]) for key in keys))
    console.print("", "Differences of logits for each violation, with 95 % intervals:", "", table)
    if len(contrasts) > _MOST_CONTRASTS:
        console.print(f"and {len(contrasts) - _MOST_CONTRASTS} more; --json has all")
    console.print("", models, "")
    console.print(found["words"])


def _interval(estimate: dict[str, float]) -> str:
    half = estimate["high"] - estimate["value"]
    return _text(estimate["value"]) + ("" if math.isnan(half) else f" ± {half:.2f}")


def _text(value: float) -> str:
    if isinstance(value, int):
        return str(value)
    return "" if math.isnan(value) else f"{value:.2f}"
