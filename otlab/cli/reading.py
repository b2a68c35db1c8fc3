"""``otlab reading``: what a grammar predicts about measured reading times."""

from __future__ import annotations

import math
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otlab.cli.lexicons import add_reading, open_lexicon
from otlab.errors import Fault, InputError, collected_warnings
from otlab.files import decode, file_bytes

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

    from otlab.mg.processing.reading_times import ReadSentence

HELP = "what a minimalist grammar predicts about reading times"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the lexicon, the table of times, and the lexicon to compare it with."""
    parser.add_argument("lexicon", metavar="LEXICON", help="a lexicon file, or the name of a sample")
    parser.add_argument("times", metavar="TIMES", help="a table: sentence, word, ms")
    parser.add_argument("--against", metavar="LEXICON", help="a second lexicon: which predicts better?")
    add_reading(parser)


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Return words with times and predictors, and their correlations, for ``--json``."""
    from otlab.mg.processing.reading_times import correlations, differences, predict_reading

    sentences = _open_times(args.times)
    names = [args.lexicon] if args.against is None else [args.lexicon, args.against]
    with collected_warnings():
        lexicons = [open_lexicon(name, args.start, args.convention) for name in names]
    predicted = [predict_reading(lexicon, sentences) for lexicon in lexicons]
    result: dict[str, Any] = {
        "settings": {"lexicon": args.lexicon, "times": args.times, "against": args.against},
        "words": [p._asdict() for p in predicted[0]],
        "correlations": {name: asdict(c) for name, c in correlations(predicted[0]).items()},
    }
    if len(predicted) > 1:
        result["words_against"] = [p._asdict() for p in predicted[1]]
        found = differences(*predicted)
        result["differences"] = {name: {**asdict(d), "better": d.better} for name, d in found.items()}
    return result


def _open_times(name: str) -> list[ReadSentence]:
    from otlab.mg.processing.reading_times import read_times

    path = Path(name)
    if name != "-" and not path.is_file():
        raise InputError(Fault(f"there is no file {name!r}", "give a table: sentence, word, ms"))
    data = sys.stdin.buffer.read() if name == "-" else file_bytes(path)
    return read_times(decode(data, path.name), path.name)


def show(result: dict[str, Any], console: Console) -> None:
    """Print the words, the correlations, and which of two lexicons predicts better."""
    from rich.table import Table

    names = {"surprisal": "surprisal", "entropy_reduction": "reduction", "tenure": "tenure"}
    words = Table("sentence", "word", "ms", *names.values(), box=None)
    for row in result["words"]:
        numbers = (_number(row[name], 0 if name in ("ms", "tenure") else 2) for name in ("ms", *names))
        words.add_row(*(str(row[key]).replace("[", "\\[") for key in ("sentence", "word")), *numbers)
    console.print(words)
    for name, found in result["correlations"].items():
        console.print(f"{names[name]}: r {_interval(found)}, {found['words']} words")
    verdicts = {
        "first": f"{result['settings']['lexicon']} predicts better",
        "second": f"{result['settings']['against']} predicts better",
        "undecided": "undecided",
    }
    for name, found in result.get("differences", {}).items():
        both = f"r {_number(found['first']['r'], 2)} against {_number(found['second']['r'], 2)}"
        difference = f"difference {_interval(found)}, {found['first']['words']} words"
        console.print(f"{names[name]}: {both}, {difference}: {verdicts[found['better']]}")


def _number(value: float, digits: int) -> str:
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


def _interval(found: dict[str, float]) -> str:
    if math.isnan(found["r"]):
        return "unknown (fewer than four words, or all values are the same)"
    return f"{found['r']:.2f} ({_number(found['low'], 2)} to {_number(found['high'], 2)})"
