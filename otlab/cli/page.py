"""``otlab page``: write the OT lab as one HTML file, which learns in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from otlab.cli.tableaux import add_tableau, open_reading, reading_dict
from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

HELP = "write the OT lab with a tableau as one HTML file, which needs no Python and no network"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the tableau and the file to write."""
    add_tableau(parser, default="ilokano")
    parser.add_argument(
        "-o", "--out", metavar="FILE", type=Path, required=True, help="the HTML file to write"
    )


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Write the page and return the result for ``--json``."""
    from otlab.web.page import lab_page, left_out

    reading = open_reading(args)
    warnings = [str(warning) for warning in reading.warnings]
    if lost := left_out(reading.tableau):
        warnings.append(f"{args.out.name}: a page has no place for {', '.join(lost)}")
    content = lab_page(reading.tableau, args.seed).encode()
    try:
        args.out.write_bytes(content)
    except OSError as error:
        what = f"cannot be written: {error.strerror}"
        raise InputError(Fault(what, "choose another file", str(args.out))) from None
    return {
        "settings": {"file": args.file, "out": str(args.out), "accents": args.accents},
        "reading": reading_dict(reading),
        "files": [str(args.out)],
        "bytes": len(content),
        "warnings": warnings,
    }


def show(result: dict[str, Any], console: Console) -> None:
    """Print which file was written, and what the page does not keep."""
    console.print(
        f"{result['files'][0]} written, {result['bytes'] / 1e3:,.0f} kB", markup=False, soft_wrap=True
    )
    for warning in result["warnings"]:
        if "has no place for" in warning:
            console.print(warning, markup=False, soft_wrap=True)
