"""``otlab check``: list the cells of a table that disagree with what their constraints count."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from otlab.cli.tableaux import add_tableau, open_reading
from otlab.errors import Fault, InputError, all_results, counted
from otlab.files import file_text
from otlab.ot.formatting import slashed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from rich.console import Console

    from otlab.forms.features import FeatureTable
    from otlab.ot.tableau import Tableau

HELP = "list the cells of a table that disagree with what their constraints count"
DISAGREES = 4
"""Exit code where a cell disagrees."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add a tableau, and what its columns are known as."""
    add_tableau(parser)
    parser.add_argument(
        "--as",
        action="append",
        default=[],
        metavar="COLUMN=FORMULA",
        help="what a column counts, a formula or a name; nothing behind = leaves it out; may be repeated",
    )
    add_features(parser)


def add_features(parser: argparse.ArgumentParser) -> None:
    """Add a feature table and tiers of one's own."""
    parser.add_argument("--features", type=Path, metavar="FILE", help="feature table (default: Hayes 2009)")
    parser.add_argument(
        "--tiers", type=Path, metavar="FILE", help="named tiers, as 'Vowel +syllabic', one a line"
    )


def features_of(args: argparse.Namespace) -> FeatureTable | None:
    """Return the feature table that the arguments name, None if they name none."""
    from otlab.forms import read_features

    return read_features(file_text(args.features), args.features.name) if args.features else None


def tier_text(args: argparse.Namespace) -> str:
    """Return the text of the file of tiers that the arguments name, empty if they name none."""
    return file_text(args.tiers) if args.tiers else ""


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Return the check as ``--json`` prints it."""
    from otlab.forms import hayes, read_tiers
    from otlab.ot.analysis.check import check

    reading, features, text = all_results(
        lambda: open_reading(args), lambda: features_of(args), lambda: tier_text(args)
    )
    tableau: Tableau = reading.tableau
    tiers = read_tiers(text, features or hayes(), args.tiers.name) if args.tiers else None
    known_as = dict(_known_as(one, tableau) for one in getattr(args, "as"))
    found = check(tableau, known_as, features=features, tiers=tiers)
    settings = {
        "file": args.file,
        "as": known_as,
        "features": str(args.features or ""),
        "tiers": str(args.tiers or ""),
    }
    return {"settings": settings, **found.to_dict(), "exit": DISAGREES if found.cells else 0}


def _known_as(text: str, tableau: Tableau) -> tuple[str, str]:
    """Return column and formula of ``COLUMN=FORMULA``; names of columns may have an equals sign."""
    names = [name for name in tableau.constraints if text.startswith(f"{name}=")]
    if names:
        name = max(names, key=len)
        return name, text[len(name) + 1 :].strip()
    name, equals, formula = text.partition("=")
    if not equals:
        raise InputError(Fault(f"--as {text!r} has no =", "write COLUMN=FORMULA"))
    return name, formula.strip()


def show(result: dict[str, Any], console: Console) -> None:
    """Print what each column counts, and the cells that disagree."""
    for line in _lines(result):
        console.print(line, soft_wrap=True)


def _lines(result: dict[str, Any]) -> Iterator[str]:
    for column in result["columns"]:
        what = f"counts {column['formula']}" if column["formula"] else f"not checked: {column['why']}"
        yield f"{column['constraint']}: {what}"
    for cell in result["cells"]:
        number = " or ".join(map(str, cell["readings"])) or str(cell["counted"])
        place = _marked(cell["candidate"], cell["places"])
        numbers = f"{cell['typed']} typed, {number} counted"
        yield f"{slashed(cell['input'])} {place}, {cell['constraint']}: {numbers}"
    if not result["checked"]:
        yield "no cell can be checked; say what a column counts: --as 'COLUMN=FORMULA'"
        return
    cells = len(result["cells"])
    verdict = f"{cells:,} of them {'disagrees' if cells == 1 else 'disagree'}" if cells else "all agree"
    yield f"{counted(result['checked'], 'cell')} checked: {verdict}"


def _marked(form: str, places: list[list[int]]) -> str:
    """Return a form with angle brackets around the places that were counted."""
    opens, closes = [start for start, _ in places], [end for _, end in places]
    parts = []
    for n in range(len(form) + 1):
        parts.append("›" * closes.count(n) + "‹" * opens.count(n) + form[n : n + 1])
    return "".join(parts)
