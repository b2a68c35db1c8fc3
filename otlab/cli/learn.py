"""``otlab learn``: fit a grammar to a tableau, by Gibbs sampling, the GLA or MaxEnt."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otlab.cli.progress import watch
from otlab.errors import DataWarning, Fault, InputError

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

    from otlab.ot import Tableau
    from otlab.ot.learners.gibbs import NormalPrior
    from otlab.ot.learners.schedules import Schedule
    from otlab.ot.result import Fit

NAME = "learn"
HELP = "fit a grammar to a tableau"

_OF_LEARNER = {
    "gibbs": {"sweeps", "warmup", "chains", "noise", "bound", "prior_sd", "prior", "variant", "total"},
    "gla": {"sweeps", "runs", "noise", "schedule", "initial", "rule", "total"},
    "maxent": {"sweeps", "weights", "prior_sd", "prior", "total"},
}
_OPTIONS = sorted(set().union(*_OF_LEARNER.values()))
RULES = ("symmetric-all",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a tableau, a learner, and the settings of all learners."""
    add = parser.add_argument
    add("file", metavar="FILE", help="a tableau, a sample's name, or - for standard input")
    add("--learner", choices=list(_OF_LEARNER), default="gibbs", help="which learner (default: gibbs)")
    add("--sweeps", type=int, metavar="N", help="sweeps a chain, trials a run, or iterations at most")
    add("--warmup", type=int, metavar="N", help="sweeps that do not count (default: a tenth, at most 1000)")
    add("--chains", type=int, metavar="N", help="independent Gibbs chains (default: 4)")
    add("--runs", type=int, metavar="N", help="independent runs of the GLA (default: 10)")
    add("--noise", type=float, metavar="X", help="evaluation noise (default: the file's, else 2)")
    add("--bound", type=float, metavar="K", help="ranking values stay within K (default: 6 x noise)")
    add("--total", type=int, metavar="M", help="observations relative frequencies stand for")
    add("--prior-sd", type=float, metavar="X", help="normal prior, mean 0, for every constraint")
    add("--prior", type=Path, metavar="FILE", help="normal priors: name, mean, sd, one constraint a line")
    add("--variant", choices=["fixed", "published"], help="Gibbs: fixed counts, or as the paper has it")
    add("--rule", choices=RULES, help="how the GLA updates (default: symmetric-all)")
    add(
        "--schedule",
        metavar="NAME|FILE",
        help="plasticity: otsoft, praat, geometric, lin, constant, or a file",
    )
    add("--initial", type=float, metavar="X", help="ranking values the GLA starts from (default: 100)")
    add("--weights", choices=["nonnegative", "free"], help="sign of MaxEnt's weights (default: nonnegative)")


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Return the fit, as cli.md's contract has it."""
    from otlab.ot import read, resolve_settings

    given = {name: getattr(args, name) for name in _OPTIONS if getattr(args, name) is not None}
    for name in sorted(set(given) - _OF_LEARNER[args.learner]):
        option = f"--{name.replace('_', '-')}"
        warnings.warn(
            f"{option} means nothing to {args.learner}; it is left aside", DataWarning, stacklevel=2
        )
    for name in ("sweeps", "chains", "runs"):
        if given.get(name, 1) < 1:
            raise InputError(f"--{name} {given[name]}: there must be at least 1")
    tableau = read(args.file)
    if args.total is not None:
        tableau = replace(tableau, total=resolve_settings(tableau, total=args.total).total)
    try:
        found, stopped = _LEARN[args.learner](args, tableau, given, console)
    except InputError as error:
        raise InputError([_in_file(fault, tableau, args.file) for fault in error.faults]) from None
    result = found.to_dict()
    result["settings"] = {"file": args.file, **result["settings"]}
    return {**result, "stopped": stopped}


def _in_file(fault: Fault, tableau: Tableau, file: str) -> Fault:
    """Return the fault with the file's name, ending included, where it has only the tableau's."""
    name = Path(file).name
    return replace(fault, file=name) if fault.file == tableau.name == Path(file).stem else fault


def _gibbs(
    args: argparse.Namespace, tableau: Tableau, given: dict[str, Any], console: Console
) -> tuple[Fit, bool]:
    from otlab.inference import run
    from otlab.ot.fitted import gibbs_fit, usual_thin
    from otlab.ot.learners.fit import CHAINS, GIBBS_SWEEPS, check_warmup
    from otlab.ot.learners.gibbs import Gibbs

    sweeps = given.get("sweeps", GIBBS_SWEEPS)
    check_warmup(args.warmup, sweeps)
    learner = Gibbs(
        tableau,
        args.noise,
        args.bound,
        prior=_prior(given, tableau),
        variant=given.get("variant", "fixed"),
        thin=usual_thin(sweeps),
    )
    going = run(
        learner, sweeps=sweeps, seed=args.seed, chains=given.get("chains", CHAINS), threads=args.threads
    )
    _, stopped = watch(going, console, "Gibbs sampling")
    return gibbs_fit(learner, going, args.warmup), stopped


def _gla(
    args: argparse.Namespace, tableau: Tableau, given: dict[str, Any], console: Console
) -> tuple[Fit, bool]:
    from otlab.inference import run
    from otlab.ot.fitted import gla_fit
    from otlab.ot.learners.fit import GLA_TRIALS, RUNS
    from otlab.ot.learners.gla import GLA, INITIAL

    plan = _schedule(given.get("schedule", "otsoft"), given.get("sweeps"), GLA_TRIALS)
    learner = GLA(tableau, args.noise, plan, given.get("initial", INITIAL))
    trials = given.get("sweeps", plan.trials)
    going = run(learner, sweeps=trials, seed=args.seed, chains=given.get("runs", RUNS), threads=args.threads)
    _, stopped = watch(going, console, "Gradual learning")
    return gla_fit(learner, going), stopped


def _maxent(
    args: argparse.Namespace, tableau: Tableau, given: dict[str, Any], console: Console
) -> tuple[Fit, bool]:
    from otlab.inference import run
    from otlab.ot.fitted import maxent_fit
    from otlab.ot.learners.fit import MAXENT_ITERATIONS
    from otlab.ot.learners.maxent import MaxEnt

    learner = MaxEnt(tableau, prior=_prior(given, tableau), weights=given.get("weights", "nonnegative"))
    going = run(learner, sweeps=given.get("sweeps", MAXENT_ITERATIONS), seed=args.seed)
    _, stopped = watch(going, console, "Climbing")
    return maxent_fit(learner, going), stopped


_LEARN = {"gibbs": _gibbs, "gla": _gla, "maxent": _maxent}


def _prior(given: dict[str, Any], tableau: Tableau) -> NormalPrior | None:
    from otlab.ot.learners.priors import equal_prior, read_prior

    if "prior" in given and "prior_sd" in given:
        raise InputError("--prior and --prior-sd say the same thing twice; give one of them")
    if "prior" in given:
        return read_prior(given["prior"], tableau)
    return equal_prior(tableau, given["prior_sd"]) if "prior_sd" in given else None


def _schedule(name: str, trials: int | None, usual: int) -> Schedule:
    from otlab.ot.learners.schedules import PRESETS, read_schedule, schedule

    path = Path(name)
    if name not in PRESETS and path.exists():
        return read_schedule(path)
    return schedule(name, usual if trials is None else trials)


def show(result: dict[str, Any], console: Console) -> None:
    """Print the estimates, the predictions, and what to know about them."""
    from rich.table import Table

    numbers = Table("constraint", box=None)
    for column in ("mean", "sd", "median", "best"):
        numbers.add_column(column, justify="right")
    columns = [result["parameters"][key] for key in ("mean", "sd", "median", "best")]
    for name, *row in zip(result["constraints"], *columns, strict=True):
        numbers.add_row(name, *(_text(x, 3) for x in row))
    console.print(numbers, "")
    predictions = Table("input", "candidate", box=None)
    for column in ("observed", "predicted", "95 % interval", "best"):
        predictions.add_column(column, justify="right")
    for row in result["predictions"]:
        interval = f"{_text(row['low'], 3)} to {_text(row['high'], 3)}" if math.isfinite(row["low"]) else ""
        shown = (_text(row["observed"], 3), _text(row["mean"], 3), interval, _text(row["at_best"], 3))
        predictions.add_row(row["input"], row["candidate"], *shown)
    console.print(predictions, "")
    console.print(f"log likelihood {result['log_likelihood']:.4f} at the best, seed {result['seed']}")
    for warning in result["diagnostics"]["warnings"]:
        console.print(f"[bold red]{warning}[/]")


def _text(value: float, digits: int) -> str:
    return f"{value:.{digits}f}" if math.isfinite(value) else ""
