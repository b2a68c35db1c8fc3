"""``otlab tag``: learn hidden states for words and score them, or label text with a saved tagger."""

from __future__ import annotations

import contextlib
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import Fault, InputError, Interrupted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from rich.console import Console

    from otlab.inference import Run, Tick
    from otlab.tagging import Corpus
    from otlab.tagging.view import View

NAME = "tag"
HELP = "learn an HMM tagger without supervision, or label text with a saved one"
LEARNERS = ("em", "map-em", "vb", "gibbs", "gibbs-explicit", "gibbs-blocked", "gibbs-collapsed-blocked")
FORMATS = ("conllu", "slash", "underscore", "tsv", "raw")
_POLL_SECONDS = 0.1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a corpus, a learner and its settings, or a saved model."""
    parser.add_argument("file", metavar="FILE", help="a corpus, a sample's name, or - for standard input")
    parser.add_argument("--learner", choices=LEARNERS, default="vb", help="default: vb")
    parser.add_argument("--states", type=int, default=50, metavar="N", help="hidden states (default 50)")
    parser.add_argument(
        "--emission-prior", type=float, default=0.1, metavar="X", help="alpha_x (default 0.1)"
    )
    parser.add_argument(
        "--transition-prior", type=float, default=0.1, metavar="X", help="alpha_y (default 0.1)"
    )
    parser.add_argument(
        "--iterations", type=int, default=100, metavar="N", help="updates a run (default 100)"
    )
    parser.add_argument(
        "--seeds", type=int, default=1, metavar="K", help="runs from different starts (default 1)"
    )
    parser.add_argument(
        "--init", choices=("dirichlet", "jitter", "random"), default="dirichlet", help="the start"
    )
    parser.add_argument(
        "--jitter", type=float, default=0.1, metavar="X", help="of --init jitter (default 0.1)"
    )
    parser.add_argument(
        "--precision", choices=("f32", "f64"), default="f64", help="default: f64, the reference"
    )
    parser.add_argument(
        "--decode", choices=("marginal", "viterbi"), default="marginal", help="default: marginal"
    )
    parser.add_argument(
        "--tag-column", choices=("xpos", "upos"), default="xpos", help="of CoNLL-U (default xpos)"
    )
    parser.add_argument("--format", choices=FORMATS, help="of the corpus (default: guessed, and printed)")
    parser.add_argument("--out", metavar="MODEL", help="write the best run's tagger here")
    parser.add_argument("--model", metavar="MODEL", help="label FILE with this tagger instead of learning")


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Learn or label; return what cli.md's contract has."""
    if args.seeds < 1:
        raise InputError(f"--seeds {args.seeds}: there must be at least 1")
    if args.iterations < 0:
        raise InputError(f"--iterations {args.iterations}: there must be 0 or more")
    corpus, form = open_corpus(args.file, args.format, args.tag_column)
    if args.format is None:
        print(f"{corpus.name}: read as {form}", file=sys.stderr)
    sizes = {"tokens": corpus.tokens, "types": corpus.types, "sentences": corpus.sentences}
    if args.model:
        return {**_label(args, corpus, form), **sizes}
    return {**_learn(args, corpus, form, console), **sizes}


def open_corpus(name: str, form: str | None, tag_column: str) -> tuple[Corpus, str]:
    """Return a corpus from a file, a sample or standard input (``-``), and its format."""
    from otlab.samples import sample_path
    from otlab.tagging.formats import decode, guess_format, parse

    path = Path(name)
    if name != "-" and not path.is_file():
        path = sample_path(name, "tagging")
    data = sys.stdin.buffer.read() if name == "-" else path.read_bytes()
    text = decode(data, path.name)
    found: Any = form or guess_format(text, path.name)
    column: Any = tag_column
    return parse(text, path.name, found, tag_column=column), found


def _settings(args: argparse.Namespace, form: str) -> dict[str, Any]:
    names = (
        "file", "learner", "states", "emission_prior", "transition_prior", "iterations", "seeds", "init",
        "jitter", "precision", "decode", "tag_column", "out", "model",
    )  # fmt: skip
    return {**{name: getattr(args, name) for name in names}, "format": form}


def run_seeds(root: int, count: int) -> list[int]:
    """Return the seeds of the runs: the root itself, then others drawn from it.

    ``--seed`` with any of them repeats that run.
    """
    if root < 0:
        raise InputError(f"--seed {root}: there must be 0 or more")
    return [root, *(int(s) for s in np.random.SeedSequence(root).generate_state(count - 1))]


def _learn(args: argparse.Namespace, corpus: Corpus, form: str, console: Console) -> dict[str, Any]:
    from otlab.inference import run
    from otlab.inference.random import fresh_seed
    from otlab.inference.run import worker_threads
    from otlab.tagging import Prior, make_learner
    from otlab.tagging.starts import named_start

    threads = worker_threads(args.threads)
    side_by_side = min(threads, args.seeds)
    learner = make_learner(
        args.learner,
        corpus,
        states=args.states,
        prior=Prior(args.emission_prior, args.transition_prior),
        start=named_start(args.init, args.jitter),
        precision=args.precision,
        decode=args.decode,
        threads=max(1, threads // side_by_side),
    )
    seed = fresh_seed() if args.seed is None else args.seed
    runs: list[Run[Any, Any]] = [
        run(learner, sweeps=args.iterations, seed=s) for s in run_seeds(seed, args.seeds)
    ]
    ticks, stopped = exhaust(runs, side_by_side, console, args.learner)
    done = [(r, tick) for r, tick in zip(runs, ticks, strict=True) if tick is not None]
    if not done:
        raise KeyboardInterrupt
    rows = [_row(r.seed, tick) for r, tick in done]
    if args.out:
        _save(args.out, done, _settings(args, form))
    return {
        "seed": seed,
        "settings": _settings(args, form),
        "runs": rows,
        **_summary(rows),
        "warnings": [tick.view.alarm for _, tick in done if tick.view.alarm],
        "stopped": stopped,
    }


def exhaust(
    runs: list[Run[Any, Any]], side_by_side: int, console: Console, label: str
) -> tuple[list[Tick[Any] | None], bool]:
    """Run all to the end; return each one's last tick, and whether Ctrl-C came first."""
    last: list[Tick[Any] | None] = [None] * len(runs)
    stopping = False

    def drive(number: int) -> None:
        with contextlib.suppress(Interrupted):
            last[number] = runs[number].tick()
            for tick in runs[number]:
                last[number] = tick
                if stopping:
                    return

    with ThreadPoolExecutor(side_by_side) as pool, _bar(runs, last, console, label) as update:
        futures = [pool.submit(drive, number) for number in range(len(runs))]
        try:
            while not all(future.done() for future in futures):
                time.sleep(_POLL_SECONDS)
                update()
        except KeyboardInterrupt:
            stopping = True
            for going, future in zip(runs, futures, strict=True):
                future.cancel()
                going.interrupt()
    for future in futures:
        if not future.cancelled():
            future.result()
    return last, stopping


@contextlib.contextmanager
def _bar(
    runs: list[Run[Any, Any]], last: list[Tick[Any] | None], console: Console, label: str
) -> Iterator[Any]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(label, total=sum(r.total for r in runs))
        yield lambda: bar.update(task, completed=sum(tick.sweep for tick in last if tick is not None))


def _row(seed: int, tick: Tick[View]) -> dict[str, Any]:
    view = tick.view
    return {
        "seed": seed,
        "objective": view.objective,
        "scores": asdict(view.final),
        "tokens_per_state": view.tokens_per_state,
        "seconds": tick.seconds,
    }


def _summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the scores' means and standard deviations over runs; one run has no sd."""
    table = {name: np.array([row["scores"][name] for row in rows]) for name in rows[0]["scores"]}
    return {
        "mean": {name: values.mean() for name, values in table.items()},
        "sd": {name: values.std(ddof=1) if values.size > 1 else None for name, values in table.items()},
    }


def _save(path: str, done: list[tuple[Run[Any, Any], Tick[Any]]], settings: dict[str, Any]) -> None:
    """Write the tagger of the run with the best objective."""
    from dataclasses import replace

    from otlab.tagging.learners import model_of

    sign = -1 if settings["learner"] == "vb" else 1
    best, _ = max(done, key=lambda pair: sign * pair[1].view.objective[-1])
    try:
        replace(model_of(best), settings=settings).save(path)
    except OSError as error:
        raise InputError(Fault(f"cannot write: {error.strerror}", "give another --out", file=path)) from error


def _label(args: argparse.Namespace, corpus: Corpus, form: str) -> dict[str, Any]:
    from otlab.tagging import Model
    from otlab.tagging.scores import Scorer, score

    if not Path(args.model).is_file():
        raise InputError(
            Fault(f"there is no file {args.model!r}", "give a file written by 'otlab tag --out'")
        )
    model = Model.load(args.model)
    labels = model.label(corpus, args.decode, threads=args.threads or 1)
    scorer = Scorer(corpus, len(model.state_names))
    named = [
        [f"{word}/{model.state_names[k]}" for (word, _), k in zip(sentence, states, strict=True)]
        for sentence, states in zip(corpus, np.split(labels, corpus.offsets[1:-1]), strict=True)
    ]
    return {
        "seed": model.seed,
        "settings": _settings(args, form),
        "learner": model.learner,
        "unknown_tokens": model.unknown(corpus),
        "labels": [states.tolist() for states in np.split(labels, corpus.offsets[1:-1])],
        "state_names": list(model.state_names),
        "tagged": named,
        "tokens_per_state": np.bincount(labels, minlength=len(model.state_names)),
        "scores": asdict(score(scorer.table(labels))) if corpus.tags is not None else None,
    }


def show(result: dict[str, Any], console: Console) -> None:
    """Print scores run by run, or the labelled text."""
    if "tagged" in result:
        for sentence in result["tagged"]:
            print(" ".join(token.replace(" ", "-") for token in sentence))
        return
    from rich.table import Table

    names = ("one_to_one", "many_to_one", "vi", "h_t_given_y", "h_y_given_t", "v_measure")
    table = Table("seed", "objective", *names, "states used", box=None)
    for row in result["runs"]:
        used = sum(count > 0 for count in row["tokens_per_state"])
        cells = [f"{row['scores'][name]:.3f}" for name in names]
        table.add_row(str(row["seed"]), f"{row['objective'][-1]:,.1f}", *cells, str(used))
    console.print(table)
    for warning in result["warnings"]:
        console.print(f"[yellow]{warning}[/yellow]")
    console.print(f"root seed {result['seed']}")
