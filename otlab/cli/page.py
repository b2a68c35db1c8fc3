"""``otlab page``: write the OT lab as one HTML file, which learns in the browser."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otlab.cli.tableaux import add_tableau, open_reading, reading_dict
from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    from rich.console import Console

    from otlab.ot.tableau import Tableau

HELP = "write the OT lab with a tableau or a result as one HTML file, which needs no Python and no network"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the tableau or result and the file to write."""
    add_tableau(parser, default="ilokano")
    parser.add_argument(
        "learnt_from",
        metavar="TABLE",
        nargs="?",
        help="of a result of “otlab learn --json”: what it was learnt from (default: the file named in it)",
    )
    parser.add_argument(
        "-o", "--out", metavar="FILE", type=Path, required=True, help="the HTML file to write"
    )


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Write the page and return the result for ``--json``."""
    content, about = _page(args)
    try:
        args.out.write_bytes(content.encode())
    except OSError as error:
        what = f"cannot be written: {error.strerror}"
        raise InputError(Fault(what, "choose another file", str(args.out))) from None
    return {
        "settings": {"file": args.file, "out": str(args.out), "accents": args.accents},
        "files": [str(args.out)],
        "bytes": len(content.encode()),
        **about,
    }


def _page(args: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """Return the page of a tableau, a saved document or a result, and what to tell of it."""
    from otlab.files import file_bytes

    ending = Path(args.file).suffix.lower()
    if ending == ".json":
        return _result_page(args, file_bytes(Path(args.file)))
    if args.learnt_from:
        hint = "name one file, or a result of “otlab learn --json” (.json) before the table"
        raise InputError(Fault("is no result", hint, args.file))
    if ending == ".otlab":
        return _document_page(args, file_bytes(Path(args.file)))
    reading, warnings = _read(args)
    return _lab_page(reading.tableau, args.seed), {"reading": reading_dict(reading), "warnings": warnings}


def _lab_page(*given: Any) -> str:
    from otlab.web.page import lab_page

    return lab_page(*given)


def _read(args: argparse.Namespace) -> tuple[Any, list[str]]:
    """Return a table as it was read, and what to tell of it."""
    reading = open_reading(args)
    return reading, [*map(str, reading.warnings), *_left_out(args, reading.tableau)]


def _left_out(args: argparse.Namespace, tableau: Tableau) -> list[str]:
    from otlab.web.page import left_out

    lost = left_out(tableau)
    return [f"{args.out.name}: a page has no place for {', '.join(lost)}"] if lost else []


def _document_page(args: argparse.Namespace, data: bytes) -> tuple[str, dict[str, Any]]:
    """Return the page of a document that a lab saved, with the results in it."""
    from otlab.ui.documents.archive import read_archive
    from otlab.ui.ot.tabs.one_page import page_of_file

    try:
        page, tableau = page_of_file(read_archive(data))
    except InputError as error:
        raise InputError([replace(fault, file=args.file) for fault in error.faults]) from None
    return page, {"reading": None, "warnings": _left_out(args, tableau)}


def _result_page(args: argparse.Namespace, data: bytes) -> tuple[str, dict[str, Any]]:
    """Return the page of a result, with the table that it was learnt from."""
    from otlab.web.results import learnt_data, learnt_from, read_result

    result = read_result(data, args.file)
    beside = Path(args.file).parent / str(result["settings"].get("file", ""))
    table = args.learnt_from or result["settings"].get("file", "-")
    if not args.learnt_from and not Path(table).exists() and beside.is_file():
        table = str(beside)
    if table == "-":
        raise InputError(Fault("does not name its table", "name the table behind it", args.file))
    reading, warnings = _read(argparse.Namespace(**{**vars(args), "file": table}))
    kept = learnt_data(result, learnt_from(result, reading.tableau))
    page = _lab_page(reading.tableau, result["seed"], [kept], kept["fields"])
    return page, {"reading": reading_dict(reading), "warnings": warnings}


def show(result: dict[str, Any], console: Console) -> None:
    """Print which file was written, and what the page does not keep."""
    console.print(
        f"{result['files'][0]} written, {result['bytes'] / 1e3:,.0f} kB", markup=False, soft_wrap=True
    )
    for warning in result["warnings"]:
        if "has no place for" in warning:
            console.print(warning, markup=False, soft_wrap=True)
