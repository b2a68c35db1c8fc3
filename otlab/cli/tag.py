"""``otlab tag``: learn hidden states for words and score them, or label text with a saved tagger."""

from __future__ import annotations

import io
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

    from otlab.inference import Run, Tick
    from otlab.tagging import Annealing, Corpus
    from otlab.tagging.view import View

NAME = "tag"
HELP = "learn an HMM tagger without supervision, or label text with a saved one"
LEARNERS = ("em", "map-em", "vb", "gibbs", "gibbs-explicit", "gibbs-blocked", "gibbs-collapsed-blocked")
FORMATS = ("conllu", "slash", "underscore", "tsv", "raw")
# What learning needs and labelling does not: None on the command line until it is given.
_LEARNING: dict[str, Any] = {
    "learner": "vb", "states": 50, "emission_prior": 0.1, "transition_prior": 0.1, "iterations": 100,
    "seeds": 1, "init": "dirichlet", "jitter": 0.1, "anneal": None, "precision": "f64", "lowercase": False,
    "digits": False, "min_count": 1, "dictionary": None, "out": None,
}  # fmt: skip
_LABELLING = ("file", "format", "tag_column", "decode", "model")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a corpus, a learner and its settings, or a saved model."""
    parser.add_argument("file", metavar="FILE", help="a corpus, a sample's name, or - for standard input")
    _add_reading(parser)
    _add_learning(parser)
    parser.add_argument(
        "--decode", choices=("marginal", "viterbi"), default="marginal", help="default: marginal"
    )
    parser.add_argument("--out", metavar="MODEL", help="write the best run's tagger here")
    parser.add_argument("--model", metavar="MODEL", help="label FILE with this tagger instead of learning")


def _add_reading(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--format", choices=FORMATS, help="of the corpus (default: guessed, and printed)")
    add("--tag-column", choices=("xpos", "upos"), default="xpos", help="of CoNLL-U (default xpos)")
    add("--lowercase", action="store_true", default=None, help="write all words in small letters")
    add("--digits", action="store_true", default=None, help="write every digit as 0")
    add("--min-count", type=int, metavar="N", help="words seen fewer times become UNK (default 1: none)")


def _add_learning(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--learner", choices=LEARNERS, help="default: vb")
    add("--states", type=int, metavar="N", help="hidden states (default 50)")
    add("--emission-prior", type=float, metavar="X", help="alpha_x (default 0.1)")
    add("--transition-prior", type=float, metavar="X", help="alpha_y (default 0.1)")
    add("--iterations", type=int, metavar="N", help="updates a run (default 100)")
    add("--seeds", type=int, metavar="K", help="runs from different starts (default 1)")
    add("--init", choices=("dirichlet", "jitter", "random"), help="the start (default dirichlet)")
    add("--jitter", type=float, metavar="X", help="of --init jitter (default 0.1)")
    add("--anneal", metavar="T:N", help="temperature falls from T to 1 over N iterations (default: none)")
    add("--dictionary", metavar="FILE", help="lines 'word TAG TAG': the tags a word may have")
    add("--precision", choices=("f32", "f64"), help="default: f64, the reference")


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Learn or label; return what cli.md's contract has."""
    from otlab.cli.tag_model import label, load

    given = [name for name in _LEARNING if getattr(args, name) is not None]
    for name, default in _LEARNING.items():
        if name not in given:
            setattr(args, name, default)
    _check(args)
    model = load(args.model) if args.model else None
    corpus, form, remark = open_corpus(args)
    if args.format is None:
        print(f"{corpus.name}: read as {form}", file=sys.stderr)
    if model is not None:
        found = label(model, corpus, args, [f"--{name.replace('_', '-')}" for name in given])
    else:
        found = _learn(args, corpus, form, console)
    found["warnings"] += [remark] if remark else []
    shown = _LABELLING if model is not None else (*_LABELLING, *_LEARNING)
    settings = {**{name: getattr(args, name) for name in shown}, "format": form}
    sizes = {"tokens": corpus.tokens, "types": corpus.types, "sentences": corpus.sentences}
    return {"settings": settings, **found, **sizes}


def _check(args: argparse.Namespace) -> None:
    for option, least in (("seeds", 1), ("iterations", 0), ("min_count", 1)):
        if getattr(args, option) < least:
            name = option.replace("_", "-")
            raise InputError(f"--{name} {getattr(args, option)}: there must be {least} or more")


def open_corpus(args: argparse.Namespace) -> tuple[Corpus, str, str]:
    """Return a corpus from a file, a sample or standard input (``-``), its format, and a remark on it."""
    from otlab.samples import sample_path
    from otlab.tagging import Normalize
    from otlab.tagging.io.read import open_text

    path = Path(args.file)
    if args.file != "-" and not path.is_file():
        path = sample_path(args.file, "tagging")
    # A tagger treats new words as those it learnt from: they are read as they are.
    ways = Normalize() if args.model else Normalize(args.lowercase, args.digits, args.min_count)
    with io.BytesIO(sys.stdin.buffer.read()) if args.file == "-" else path.open("rb") as stream:
        text = open_text(stream, path.name, args.format)
        return text.corpus(tag_column=args.tag_column, normalize=ways), text.format, text.remark


def _learn(args: argparse.Namespace, corpus: Corpus, form: str, console: Console) -> dict[str, Any]:
    from otlab.cli.side_by_side import exhaust
    from otlab.inference import run
    from otlab.inference.random import fresh_seed, run_seed
    from otlab.inference.run import worker_threads

    threads = worker_threads(args.threads)
    side_by_side = min(threads, args.seeds)
    learner = _learner(args, corpus, max(1, threads // side_by_side))
    seed = fresh_seed() if args.seed is None else args.seed
    runs: list[Run[Any, Any]] = [
        run(learner, sweeps=args.iterations, seed=run_seed(seed, number)) for number in range(args.seeds)
    ]
    ticks, stopped = exhaust(runs, side_by_side, console, args.learner)
    done = [(r, tick) for r, tick in zip(runs, ticks, strict=True) if tick is not None]
    if not done:
        raise KeyboardInterrupt
    rows = [_row(going, tick, corpus, threads) for going, tick in done]
    if args.out:
        _save(args, done, form)
    return {
        "seed": seed,
        "runs": rows,
        **_summary(rows, "scores", ""),
        **(_summary(rows, "scores_max_marginal", "_max_marginal") if _sampled(rows) else {}),
        "warnings": [tick.view.alarm for _, tick in done if tick.view.alarm],
        "stopped": stopped,
    }


def _learner(args: argparse.Namespace, corpus: Corpus, threads: int) -> Any:
    from otlab.tagging import Prior, TagDictionary, make_learner
    from otlab.tagging.hmm.starts import named_start

    allowed = TagDictionary.read(args.dictionary).mask(corpus, args.states) if args.dictionary else None
    return make_learner(
        args.learner,
        corpus,
        states=args.states,
        prior=Prior(args.emission_prior, args.transition_prior),
        start=named_start(args.init, args.jitter),
        precision=args.precision,
        decode=args.decode,
        annealing=_annealing(args.anneal),
        allowed=allowed,
        threads=threads,
    )


def _annealing(text: str | None) -> Annealing:
    from otlab.tagging import Annealing

    if text is None:
        return Annealing()
    start, _, over = text.partition(":")
    try:
        return Annealing(float(start), int(over))
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"--anneal {text}: write a temperature, a colon, iterations: 4:50") from error


def _row(going: Run[Any, Any], tick: Tick[View], corpus: Corpus, threads: int) -> dict[str, Any]:
    """Return a run; a sample is scored as it is and by its parameters' most probable states."""
    from otlab.tagging.learners.fit import model_of
    from otlab.tagging.scores import Scorer, Scores

    view = tick.view
    row = {
        "seed": going.seed,
        "objective": view.objective,
        "scores": asdict(view.final),
        "tokens_per_state": view.tokens_per_state,
        "seconds": tick.seconds,
    }
    if view.learner.startswith("gibbs"):
        labels = model_of(going).label(corpus, threads=threads)
        row["scores_max_marginal"] = asdict(Scores(*Scorer(corpus, len(view.tokens_per_state)).row(labels)))
    return row


def _sampled(rows: list[dict[str, Any]]) -> bool:
    return "scores_max_marginal" in rows[0]


def _summary(rows: list[dict[str, Any]], key: str, suffix: str) -> dict[str, Any]:
    """Return the scores' means and standard deviations over runs; one run has no sd."""
    table = {name: np.array([row[key][name] for row in rows]) for name in rows[0][key]}
    return {
        f"mean{suffix}": {name: values.mean() for name, values in table.items()},
        f"sd{suffix}": {
            name: values.std(ddof=1) if values.size > 1 else None for name, values in table.items()
        },
    }


def _save(args: argparse.Namespace, done: list[tuple[Run[Any, Any], Tick[Any]]], form: str) -> None:
    """Write the tagger of the run with the best objective."""
    from dataclasses import replace

    from otlab.tagging.learners.fit import model_of

    sign = -1 if args.learner == "vb" else 1
    best, _ = max(done, key=lambda pair: sign * pair[1].view.objective[-1])
    settings = {name: getattr(args, name) for name in ("file", "tag_column", "decode", *_LEARNING)}
    try:
        replace(model_of(best), settings={**settings, "format": form}).save(args.out)
    except OSError as error:
        raise InputError(
            Fault(f"cannot write: {error.strerror}", "give another --out", file=args.out)
        ) from error


def show(result: dict[str, Any], console: Console) -> None:
    """Print scores run by run, or the labelled text."""
    for warning in result["warnings"]:
        print(f"warning: {warning}", file=sys.stderr)
    if "tagged" in result:
        for sentence in result["tagged"]:
            print(" ".join(token.replace(" ", "-") for token in sentence))
        return
    sampled = _sampled(result["runs"])
    _show_runs(result, console, "scores", "The last sample" if sampled else None)
    if sampled:
        _show_runs(result, console, "scores_max_marginal", "Most probable states under its parameters")
    console.print(f"root seed {result['seed']}")


def _show_runs(result: dict[str, Any], console: Console, key: str, title: str | None) -> None:
    from rich.table import Table

    names = {
        "one_to_one": "1-to-1", "many_to_one": "m-to-1", "vi": "VI", "h_t_given_y": "H(T|Y)",
        "h_y_given_t": "H(Y|T)", "v_measure": "V",
    }  # fmt: skip
    table = Table(box=None, title=title, title_justify="left", pad_edge=False)
    for heading in ("seed", "objective", *names.values(), "states"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in result["runs"]:
        used = sum(count > 0 for count in row["tokens_per_state"])
        cells = [f"{row[key][name]:.3f}" for name in names]
        table.add_row(str(row["seed"]), f"{row['objective'][-1]:,.1f}", *cells, str(used))
    if len(result["runs"]) > 1:
        for what in ("mean", "sd"):
            of = result[what + key.removeprefix("scores")]
            table.add_row(what, "", *(f"{of[name]:.3f}" for name in names), "")
    console.print(table)
