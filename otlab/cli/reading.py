"""``otlab reading``: what a grammar predicts about measured reading times."""

from __future__ import annotations

import math
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otlab.cli.lexicons import add_reading, open_lexicon
from otlab.errors import Fault, InputError, all_results, collected_warnings, counted
from otlab.files import decode_any, file_bytes

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

    from otlab.reading import ReadAs

_MOST_PLACES, _LEAST_GAIN = 6, 0.5  # words; ms
HELP = "what a minimalist grammar predicts about reading times"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the lexicon, the table of times, and the lexicon to compare it with."""
    parser.add_argument("lexicon", metavar="LEXICON", help="a lexicon file, or the name of a sample")
    parser.add_argument(
        "times", metavar="TIMES", help="a table: sentence, word, ms; or the name of a sample with one"
    )
    parser.add_argument("--against", metavar="LEXICON", help="a second lexicon: which predicts better?")
    help_text = "what is in which column: ms=RTgopast,word=3"
    parser.add_argument("--columns", metavar="ROLE=NAME", default="", help=help_text)
    add_reading(parser)


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Return words with times and predictors, and their correlations, for ``--json``."""
    from otlab.mg.io.times import read_times
    from otlab.mg.processing.reading_times import (
        PREDICTORS,
        correlations,
        differences,
        gains,
        predict_reading,
    )

    names = [args.lexicon] if args.against is None else [args.lexicon, args.against]
    opening = [partial(open_lexicon, name, args.start, args.convention, args.spell_out) for name in names]
    with collected_warnings():  # they are remarks of lexicons, which `otlab parse` prints
        (text, name, how), *lexicons = all_results(lambda: _open_times(args.times, args.columns), *opening)
    sentences = read_times(text, name, how)
    told = how.sentence(counted(len(sentences), "sentence"))
    print("; ".join(filter(None, [f"{name}: {told[0].lower()}{told[1:]}", how.note])), file=sys.stderr)
    predicted = [predict_reading(lexicon, sentences) for lexicon in lexicons]
    result: dict[str, Any] = {
        "settings": {
            "lexicon": args.lexicon,
            "times": args.times,
            "against": args.against,
            "spell_out": args.spell_out,
        },
        "reading": {"columns": list(how.columns), "heads": list(how.heads), "sentences": len(sentences)},
        "words": [p._asdict() for p in predicted[0]],
        "correlations": {name: asdict(c) for name, c in correlations(predicted[0]).items()},
    }
    if len(predicted) > 1:
        result["words_against"] = [p._asdict() for p in predicted[1]]
        found = differences(*predicted)
        result["differences"] = {name: {**asdict(d), "better": d.better} for name, d in found.items()}
        result["gains"] = {name: gains(predicted[0], predicted[1], name).tolist() for name in PREDICTORS}
    return result


def _open_times(name: str, columns: str) -> tuple[str, str, ReadAs]:
    """Return the text of a table, its name, and what its columns are."""
    from otlab.mg.io.times import times_as

    path = Path(name)
    if name != "-" and not path.is_file():
        path = _shipped_times(name)
    data = sys.stdin.buffer.read() if name == "-" else file_bytes(path)
    text = decode_any(data, path.name)
    return text, path.name, times_as(text, path.name, columns)


def _shipped_times(name: str) -> Path:
    """Return the table that is shipped with a sample."""
    from otlab.samples import sample_times, samples

    shipped = sample_times(name) if any(s.name.startswith(name) for s in samples("mg")) else None
    if shipped is None:
        raise InputError(Fault(f"there is no file {name!r}", "give a table: sentence, word, ms"))
    return shipped


def show(result: dict[str, Any], console: Console) -> None:
    """Print the words, the correlations, and which of two lexicons predicts better."""
    from rich.table import Table

    from otlab.mg.processing.reading_times import WordPrediction, unpredicted

    names = {"surprisal": "surprisal", "entropy_reduction": "reduction", "tenure": "tenure"}
    words = Table("sentence", "word", "ms", *names.values(), box=None)
    for row in result["words"]:
        numbers = (_number(row[name], 0 if name in ("ms", "tenure") else 2) for name in ("ms", *names))
        words.add_row(*(str(row[key]) for key in ("sentence", "word")), *numbers)
    console.print(words)
    for name, found in result["correlations"].items():
        console.print(f"{names[name]}: r {_interval(found)}, {counted(found['words'], 'word')}")
    for key, lexicon in (("words", "lexicon"), ("words_against", "against")):
        remark = unpredicted([WordPrediction(**row) for row in result.get(key, ())])
        if remark:
            console.print(f"{result['settings'][lexicon]}: {remark}", soft_wrap=True)
    verdicts = {
        "first": f"{result['settings']['lexicon']} predicts better",
        "second": f"{result['settings']['against']} predicts better",
        "undecided": "undecided",
    }
    for name, found in result.get("differences", {}).items():
        both = f"r {_number(found['first']['r'], 2)} against {_number(found['second']['r'], 2)}"
        difference = f"difference {_interval(found)}, {counted(found['first']['words'], 'word')}"
        console.print(f"{names[name]}: {both}, {difference}: {verdicts[found['better']]}")
        _show_where(result, name, console)


def _show_where(result: dict[str, Any], name: str, console: Console) -> None:
    """Print at which words each lexicon's time is nearest, compared with the other's."""
    gain = [0.0 if math.isnan(g) else g for g in result["gains"][name]]
    order = sorted(range(len(gain)), key=lambda n: -abs(gain[n]))[:_MOST_PLACES]
    words = result["words"]
    for side, lexicon in ((1, "lexicon"), (-1, "against")):
        places = [
            f"{words[n]['word']} ({words[n]['sentence']}, {abs(gain[n]):.0f} ms)"
            for n in order
            if gain[n] * side >= _LEAST_GAIN
        ]
        if places:
            console.print(f"  nearer with {result['settings'][lexicon]}: {', '.join(places)}")


def _number(value: float, digits: int) -> str:
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


def _interval(found: dict[str, float]) -> str:
    if math.isnan(found["r"]):
        return "unknown (fewer than four words, or all values are the same)"
    return f"{found['r']:.2f} ({_number(found['low'], 2)} to {_number(found['high'], 2)})"
