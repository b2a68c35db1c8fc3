"""Johnson's (2007) Table 1 and figures on UD English EWT: ten seeds, the same starts for all.

    python -m benchmarks table1 [--seeds 10] [--iterations 1000] [--sweeps 5000] [--rows EM,VB]
                                [--starts dirichlet,jitter] [--scheduler ADDRESS] [--resume]

Every run is a file in ``benchmarks/cache``, found again by the hash of its settings and of the
kernels, with records on the way: stop whenever you like and go on with ``--resume``, with
more seeds or more iterations if you like. Runs are done side by side, one a core, or on the Dask
cluster that ``--scheduler`` names, whose workers share this folder, with the same numbers. There is
a table for each start: rows drawn from a Dirichlet (``benchmarks/results/table1.json``, and a page
beside it) and the paper's own, nearly equal rows with 10 % jitter (``table1_jitter.json``); with
seeds and versions. Rows that ``--rows`` leaves out stay as they were saved for the same corpus; rows
that are missing are named.

Without EWT's training part (``OTLAB_EWT``, or in the cache) the shipped sample is used.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import product
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import t as student_t

from benchmarks.saved_runs import fit_saved
from otlab import __version__
from otlab.inference import executors
from otlab.inference.digest import digest
from otlab.inference.jit import kernel_folder
from otlab.samples import load_sample
from otlab.tagging import Corpus, Prior, read
from otlab.tagging.experiments.table1 import COLUMNS, TABLE_1, Estimator
from otlab.tagging.hmm.starts import STARTS, named_start
from otlab.tagging.scores import SCORES

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.inference import Tick

HERE = Path(__file__).parent
CACHE, RESULTS = HERE / "cache" / "table1", HERE / "results"
# Beyond the paper's rows: a prior whose mass per state is nearer the paper's on this corpus.
FURTHER = (Estimator("vb", 50, Prior(0.01, 0.1)), Estimator("vb", 50, Prior(0.03, 0.1)))
KEPT = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


def corpus() -> Corpus:
    path = Path(os.environ.get("OTLAB_EWT", HERE / "cache" / "en_ewt-ud-train.conllu"))
    return read(path) if path.is_file() else load_sample("ewt")


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks table1", description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=1000, help="of EM and VB")
    parser.add_argument("--sweeps", type=int, default=5000, help="of Gibbs (the paper: 50,000)")
    parser.add_argument("--rows", default="", help="begin of row labels, by commas: EM,VB(0.1")
    parser.add_argument("--starts", default="dirichlet,jitter", help=f"of {', '.join(STARTS)}, by commas")
    parser.add_argument("--precision", default="f32", choices=("f32", "f64"))
    parser.add_argument("--scheduler", default="", help="address of a Dask cluster that shares this folder")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="start no run after this long")
    parser.add_argument(
        "--resume", action="store_true", help="continue from the saved results; else all is run again"
    )
    args = parser.parse_args(argv)
    if not args.resume:
        for old in CACHE.glob("*"):
            old.unlink()
    begins = tuple(name for name in args.rows.split(",") if name)
    wanted = [row for row in (*TABLE_1, *FURTHER) if not begins or row.label.startswith(begins)]
    starts = [name.strip() for name in args.starts.split(",")]
    unknown = [name for name in starts if name not in STARTS]
    if unknown:
        parser.error(f"no start is called {', '.join(unknown)}; choose from {', '.join(STARTS)}")
    text = corpus()
    done: dict[str, dict[Estimator, list[Any]]] = {start: {row: [] for row in wanted} for start in starts}
    runs = [
        TableRun(seed, start, row, args.sweeps if row.learner == "gibbs" else args.iterations)
        for seed, start, row in product(range(args.seeds), starts, wanted)
    ]
    place = executors.dask_workers(args.scheduler) if args.scheduler else executors.threads()
    until = time.time() + 60 * args.minutes
    function = partial(one_run, precision=args.precision, folder=CACHE, until=until)
    with place as workers, closing(workers.run(function, runs, {None: text})) as ended:
        for run, future in ended:
            found = future.result()
            if found is None:
                continue
            done[run.start][run.row] = sorted([*done[run.start][run.row], found], key=itemgetter("seed"))
            write(text, done[run.start], run.start, args)
            score = found["scores"][0]
            name = f"{run.row.label} ({run.row.states})"
            print(f"seed {run.seed}, {run.start}, {name}: 1-to-1 {score:.3f}", file=sys.stderr)
    return 0


@dataclass(frozen=True)
class TableRun:
    """One run of the table."""

    seed: int
    start: str
    row: Estimator
    sweeps: int


def one_run(
    run: TableRun, text: Corpus, stopping: Callable[[], bool], *, precision: str, folder: Path, until: float
) -> dict[str, Any] | None:
    """What the table needs of one run; None if there is no time left, or the user has asked to stop."""
    if stopping() or time.time() > until:
        return None
    learner = run.row.make(text, start=named_start(run.start), precision=precision, threads=1)
    version = kernel_folder("tagging").name
    options = {"sweeps": run.sweeps, "seed": run.seed, "threads": 1, "version": version}
    tick = fit_saved(learner, folder, stopping=stopping, **options)
    return summary(tick, run.seed)


def summary(tick: Tick[Any], seed: int) -> dict[str, Any]:
    """What the table and the figures need of one run."""
    view = tick.view
    kept = [i for i in KEPT if i <= view.iteration]
    return {
        "seed": seed,
        "iterations": view.iteration,
        "seconds": round(tick.seconds, 1),
        "scores": [round(float(view.scores[-1, SCORES.index(name)]), 5) for name, _, _ in COLUMNS],
        "v_measure": round(view.final.v_measure, 5),
        "states_used": view.states_used,
        "six_biggest": round(view.share_of_biggest(), 5),
        "tokens_per_state": np.sort(view.tokens_per_state)[::-1].tolist(),
        "iteration": kept,
        "objective": [round(float(view.objective[i]), 3) for i in kept],
        "one_to_one": [round(float(view.trace("one_to_one")[i]), 5) for i in kept],
        "alarm": view.alarm,
    }


def write(text: Corpus, done: dict[Estimator, list[Any]], start: str, args: argparse.Namespace) -> None:
    """Write the results so far, with the saved rows that were not asked for; name the missing ones."""
    import numba

    RESULTS.mkdir(exist_ok=True)
    name = "table1" if start == "dirichlet" else f"table1_{start}"
    corpus = {"name": text.name, "tokens": text.tokens, "digest": digest(text.words, text.offsets)[:16]}
    found = saved_rows(RESULTS / f"{name}.json", corpus)
    for row, runs in done.items():
        found.pop((row.label, row.states), None)
        if runs:
            found[row.label, row.states] = {
                "estimator": row.label, "states": row.states, "paper": TABLE_1.get(row), "runs": runs,
            }  # fmt: skip
    every = [(row.label, row.states) for row in (*TABLE_1, *FURTHER)]
    rows = [found[row] for row in every if row in found]
    missing = [f"{label} ({states})" for label, states in every if (label, states) not in found]
    content = {
        "corpus": corpus,
        "gold_tokens_per_tag": text.tag_counts.tolist(),
        "settings": {"start": start, "precision": args.precision},
        "columns": [name for name, _, _ in COLUMNS],
        "versions": {"otlab": __version__, "numpy": np.__version__, "numba": numba.__version__},
        "rows": rows,
        "missing": missing,
    }
    table = one_line_a_list(json.dumps(content, indent=1))
    (RESULTS / f"{name}.json").write_text(table, encoding="utf-8")
    (RESULTS / f"{name}.md").write_text(page(content), encoding="utf-8")


def saved_rows(file: Path, corpus: dict[str, Any]) -> dict[tuple[str, int], dict[str, Any]]:
    """Return the rows of a saved table by estimator and states; none if it is of another corpus."""
    content = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    if content.get("corpus") != corpus:
        return {}
    return {(row["estimator"], row["states"]): row for row in content["rows"]}


def one_line_a_list(text: str) -> str:
    """Write every list of numbers or words of an indented JSON text on one line."""
    return re.sub(r"\[\s+([^][{}]*?)\s+\]", lambda found: f"[{' '.join(found[1].split())}]", text) + "\n"


def cell(values: np.ndarray, paper: list[float] | None) -> str:
    """One cell of the page: mean, interval and spread over seeds, and the paper's mean."""
    text = f"{values.mean():.3f}"
    if values.size > 1:
        spread = values.std(ddof=1)
        half = float(student_t.ppf(0.975, values.size - 1)) * spread / np.sqrt(values.size)
        text += f" ± {half:.3f} ({spread:.3f})"
    return text + (f" [{paper[0]:.2f}]" if paper else "")


def page(content: dict[str, Any]) -> str:
    """The table as a page: mean (sd) over seeds, 95 % interval of the mean, the paper's mean."""
    heads = [title.replace("|", "\\|") for _, title, _ in COLUMNS]
    lines = [
        f"# Table 1 on {content['corpus']['name']}",
        "",
        "Mean over seeds ± half the 95 % interval of the mean (Student's t), (standard deviation over "
        "seeds), [the paper's mean on the Penn Treebank]. "
        f"Start: {content['settings']['start']}, the same for every estimator at one seed. "
        f"{content['corpus']['tokens']:,} tokens (the paper: about 1.17 million; 1,000 iterations, GS 50 k).",
        "",
        "| estimator | states | seeds | iterations | " + " | ".join(heads) + " | six biggest |",
        "|" + "---|" * (len(heads) + 5),
    ]
    for row in content["rows"]:
        papers = row["paper"] or [None] * len(heads)
        scores = np.array([run["scores"] for run in row["runs"]])
        cells = [cell(values, paper) for values, paper in zip(scores.T, papers, strict=True)]
        six = cell(np.array([run["six_biggest"] for run in row["runs"]]), None)
        iterations = sorted({run["iterations"] for run in row["runs"]})
        head = [row["estimator"], row["states"], len(scores), ", ".join(map(str, iterations))]
        lines.append("| " + " | ".join([*map(str, head), *cells, six]) + " |")
    missing = ", ".join(content["missing"]) or "none"
    versions = ", ".join(f"{name} {version}" for name, version in content["versions"].items())
    return "\n".join([*lines, "", f"Rows without a run: {missing}.", "", f"Versions: {versions}.", ""])
