"""``otlab sweep``: do many runs from one specification, on this machine or a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from otlab.errors import Fault, InputError, counted

if TYPE_CHECKING:
    import argparse
    from contextlib import AbstractContextManager

    from rich.console import Console

    from otlab.inference.executors import Workers
    from otlab.sweep.results import ResultSet

HELP = "run learners with many settings, data and seeds, and keep every result"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the specification, where it runs, and where results go."""
    parser.add_argument("spec", metavar="SPEC.toml", help="what to run; see the guide 'Run a sweep'")
    parser.add_argument("--out", metavar="F", help="the table of results, .csv or .nc (default: SPEC.csv)")
    parser.add_argument(
        "--store", metavar="DIR", help="where finished runs are kept and found again (default: SPEC.runs)"
    )
    parser.add_argument("--workers", type=int, metavar="N", help="runs at the same time (default: the cores)")
    parser.add_argument("--processes", action="store_true", help="run in processes instead of threads")
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="run on the Dask cluster with this address, or scheduler file"
    )
    parser.add_argument("--browse", action="store_true", help="show the runs in the browser at the end")


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Do the runs that are not in the store yet, and return all runs."""
    from otlab.cli.progress import count_bar
    from otlab.sweep.plan import read_plan
    from otlab.sweep.results import check_ending, write_table
    from otlab.sweep.run import run_plan
    from otlab.sweep.store import Store

    spec = Path(args.spec)
    out = Path(args.out) if args.out else spec.with_suffix(".csv")
    folder = Path(args.store) if args.store else spec.with_suffix(".runs")
    _check(args)
    check_ending(out)
    plan = read_plan(spec, args.seed)
    with _workers(args) as workers, count_bar(console, spec.stem) as watch:
        results = run_plan(plan, workers, Store(folder), watch)
    write_table(results, out)
    if args.browse and not args.json:
        _browse(results, spec.stem)
    place = {"scheduler": args.scheduler, "processes": args.processes, "workers": args.workers}
    return {
        **results.to_dict(),
        "planned": len(plan.runs),
        "settings": {"spec": args.spec, "out": str(out), "store": str(folder), **place},
        "stopped": results.stopped,
        "faults": [str(run) for run in results.failed],
    }


def _browse(results: ResultSet, name: str) -> None:
    """Show the results in the browser, with the labs beside them, until Ctrl-C."""
    from otlab.ui.server import serving
    from otlab.ui.sweep.page import sweep_page

    port = serving.free_port("127.0.0.1", None)
    print(f"http://localhost:{port}/", flush=True)
    page = (name, lambda: sweep_page(results, name))
    serving.serve((), "127.0.0.1", port, browser=True, first=page)


def _check(args: argparse.Namespace) -> None:
    faults = []
    if args.workers is not None and args.workers < 1:
        faults.append(Fault(f"--workers {args.workers}", "write 1 or more"))
    if args.scheduler and (args.processes or args.workers):
        other = "--processes" if args.processes else "--workers"
        faults.append(Fault(f"{other} does not go with --scheduler", "the cluster has its own workers"))
    if faults:
        raise InputError(faults)


def _workers(args: argparse.Namespace) -> AbstractContextManager[Workers]:
    from otlab.inference.executors import dask_workers, processes, threads

    if args.scheduler:
        return dask_workers(args.scheduler)
    count = args.workers or args.threads
    return processes(count) if args.processes else threads(count)


def show(result: dict[str, Any], console: Console) -> None:
    """Print a table per system: a row per learner and settings, with the means over seeds."""
    runs = result["runs"]
    for system in dict.fromkeys(run["system"] for run in runs):
        _show_system(system, [run for run in runs if run["system"] == system], console)
    done, planned = len(runs), result["planned"]
    of_all = "" if done == planned else f" of {planned:,}"
    console.print(f"{counted(done, 'run')}{of_all}, {len(result['skipped'])} of them done before")
    if done + len(result["failed"]) < planned:
        console.print("stopped: the same command goes on with the rest")
    console.print(f"table of all runs: {result['settings']['out']}")
    console.print(f"full results of each run: {result['settings']['store']}")
    if result["seed"] is not None:
        console.print(f"root seed {result['seed']}")


def _show_system(system: str, runs: list[dict[str, Any]], console: Console) -> None:
    from rich.table import Table

    from otlab.sweep.systems import SYSTEMS

    names = dict.fromkeys(name for run in runs for name in run["settings"])
    varied = [name for name in ("data", *names) if _varies(runs, name)]
    there = {name for run in runs for name, value in run["scores"].items() if value is not None}
    scores = [name for name in SYSTEMS[system].headline if name in there]
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for run in runs:
        groups.setdefault((run["learner"], *(_setting(run, name) for name in varied)), []).append(run)
    table = Table(box=None, pad_edge=False)
    for heading in ("learner", *varied, "runs", *scores):
        table.add_column(heading.replace("_", " "), justify="left" if heading == "learner" else "right")
    for key, group in groups.items():
        table.add_row(*key, str(len(group)), *(_mean(group, name) for name in scores))
    console.print(table, "")


def _varies(runs: list[dict[str, Any]], name: str) -> bool:
    """Return whether a learner has runs with different values of a setting."""
    return len({(run["learner"], _setting(run, name)) for run in runs}) > len(
        {run["learner"] for run in runs}
    )


def _setting(run: dict[str, Any], name: str) -> str:
    value = run["data"] if name == "data" else run["settings"].get(name)
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _mean(runs: list[dict[str, Any]], score: str) -> str:
    values = [value for run in runs if (value := run["scores"].get(score)) is not None]
    if not values:
        return ""
    mean = sum(values) / len(values)
    return f"{mean:,.3f}" if abs(mean) < 1000 else f"{mean:,.1f}"
