"""``otlab convert``: write a tableau in another format, or as a table for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.cli.tableaux import add_tableau, open_reading, reading_dict
from otlab.errors import Fault, InputError, collected_warnings

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

    from otlab.ot import Tableau
    from otlab.ot.io.praat import PraatFile

HELP = "write a tableau in another format: CSV, OTSoft, Praat, maxent.ot, LaTeX, HTML, SVG"
SOURCES = ("csv", "otsoft", "xlsx", "praat")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the input and output files and their formats."""
    from otlab.viz.ot.exports import FORMATS

    add_tableau(parser)
    parser.add_argument("out", metavar="OUT", type=Path, help="the file to write")
    parser.add_argument(
        "--from", dest="source", choices=SOURCES, help="the format that FILE must have; any other is refused"
    )
    parser.add_argument("--to", choices=list(FORMATS), help="the format of OUT (default: by its ending)")
    parser.add_argument(
        "--values",
        metavar="NAME=X,...",
        help="ranking values by which tableaux for papers are ordered, with observed and predicted shares "
        "(default: the strata by RCD, without shares)",
    )
    parser.add_argument(
        "--noise", type=float, help="evaluation noise of the predicted shares (default: the file's, else 2)"
    )


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Write the file and return the result for ``--json``."""
    from otlab.ot.io.praat_tableau import names_tell_what_is_heard
    from otlab.ot.io.read import format_name
    from otlab.viz.ot.exports import FORMATS, format_of, write_tableau

    target = args.to or format_of(args.out)
    source = format_name(args.file)
    if args.source not in (None, source):
        raise InputError(Fault(f"is {source}, not {args.source}", "leave out --from", file=args.file))
    reading = open_reading(args)
    tableau = reading.tableau
    warnings = [str(warning) for warning in reading.warnings]
    lost = [field for field in FORMATS[target].lacks if _has(tableau, field)]
    if "overt" in lost:
        lost.remove("overt")
        kept = target.startswith("praat") and names_tell_what_is_heard(tableau)
        lost += [] if kept else ["overt forms"]
    files = [args.out]
    if target == "praat" and "frequencies" in lost:
        files.append(args.out.with_suffix(FORMATS["praat-pairs"].ending))
        lost.remove("frequencies")
    contents = _praat_objects(args, source, target) or [_printed(args, tableau, target)]
    if len(files) > len(contents):
        contents.append(write_tableau(tableau, "praat-pairs"))
    for path, content in zip(files, contents, strict=False):
        _write(path, content)
    if lost:
        warnings.append(f"{args.out.name}: {FORMATS[target].label} has no place for {', '.join(lost)}")
    settings = {
        "file": args.file,
        "out": str(args.out),
        "from": source,
        "to": target,
        "accents": args.accents,
        "values": args.values,
        "noise": args.noise,
    }
    return {
        "settings": settings,
        "reading": reading_dict(reading),
        "files": [str(path) for path in files],
        "warnings": warnings,
    }


def _printed(args: argparse.Namespace, tableau: Tableau, target: str) -> bytes:
    """Return the tableau in the target format, ordered by the ranking values of the command, if any."""
    from otlab.ot import predict, resolve_settings
    from otlab.ot.constraint_names import parse_values
    from otlab.viz.ot.exports import PRINTED, order_of_values, write_tableau

    if args.values is None:
        return write_tableau(tableau, target)
    if target not in PRINTED:
        raise InputError(Fault(f"{target} has no order of constraints", "leave out --values"))
    named = parse_values(args.values, tableau.constraints, "--values")
    values = np.array([named[name] for name in tableau.constraints])
    noise = resolve_settings(tableau, noise=args.noise).noise
    predicted = predict(tableau, values, noise, seed=args.seed or 0).probability
    source = f"the ranking values {args.values}\npredicted: at these values, evaluation noise {noise:g}"
    return write_tableau(tableau, target, order_of_values(values), source, predicted)


def _has(tableau: Tableau, field: str) -> bool:
    """Return whether a field of a tableau is filled."""
    value = getattr(tableau, field)
    return bool(value.any()) if field in ("frequencies", "violations") else value not in (None, "", ())


def _praat_objects(args: argparse.Namespace, source: str, target: str) -> list[bytes]:
    """Return the objects of a Praat file as Praat writes them, if both formats are Praat's; else nothing.

    A tableau would lose ranking values and the spelling of special characters.
    """
    from otlab.ot.io.praat import read_praat, write_praat

    path = Path(args.file)
    if source != "praat" or args.accents or not path.exists():
        return []
    beside = path.with_suffix(".PairDistribution")
    with collected_warnings():  # the tableau was read with them
        found: PraatFile = read_praat(path)
        pairs = found.pairs or (read_praat(beside).pairs if beside.exists() else None)
    grammar = found.grammar
    wanted = {"praat": (grammar, pairs), "praat-pairs": (pairs,)}.get(target, ())
    if target == "praat-collection" and grammar and pairs:
        return [write_praat(grammar, pairs, name=path.stem).encode()]
    return [write_praat(one).encode() for one in wanted if one is not None]


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise InputError(Fault(f"cannot be written: {error.strerror}", "choose another", str(path))) from None


def show(result: dict[str, Any], console: Console) -> None:
    """Print which files were written, and what their formats cannot hold."""
    for name in result["files"]:
        console.print(f"{name} written", soft_wrap=True)
    for warning in result["warnings"]:
        if "has no place for" in warning:
            console.print(warning, soft_wrap=True)
