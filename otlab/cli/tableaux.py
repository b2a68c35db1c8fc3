"""Read a tableau from a file, a sample or standard input, for all commands on tableaux."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from otlab.cli.documents import is_document, open_saved

if TYPE_CHECKING:
    import argparse

    from otlab.ot.io.cells import Reading

__all__ = ["add_tableau", "open_reading", "reading_dict"]


def add_tableau(parser: argparse.ArgumentParser, default: str = "") -> None:
    """Add the file of the tableau, and the options for reading it; `default` is read if no file is named."""
    from otlab.ot.io.layout import FORMATS

    what = "a tableau, a document of the OT lab, a sample's name, or - for standard input"
    if default:
        what += f" (default: {default})"
        parser.add_argument("file", metavar="TABLE", nargs="?", default=default, help=what)
    else:
        parser.add_argument("file", metavar="FILE", help=what)
    parser.add_argument("--accents", action="store_true", help=r"read \a' in names as á, \a` as à, and so on")
    formats = ", ".join(f"{name}: {words}" for name, words in FORMATS.items())
    parser.add_argument(
        "--format", choices=list(FORMATS), help=f"what the table is (default: recognised; {formats})"
    )
    parser.add_argument(
        "--keep-sign",
        action="store_true",
        help="violations that are all 0 or below are rewards (default: -1 is read as one violation)",
    )


def open_reading(args: argparse.Namespace) -> Reading:
    """Return the tableau that the arguments ask for, and how it was read; its warnings are issued.

    Raises
    ------
    InputError
        With every fault of the file; or if accents make two names the same.
    """
    from otlab.ot.io.accents import with_accents
    from otlab.ot.io.grid import announce
    from otlab.ot.io.read import read_with_warnings

    if is_document(args.file):
        reading = _saved_reading(args)
    else:
        reading = read_with_warnings(args.file, format=args.format or "", keep_sign=args.keep_sign)
    tableau = announce(reading)
    if reading.readings and reading.readings[0].format != "table":
        print(f"{args.file}: {reading.readings[0].sentence()}", file=sys.stderr)
    return replace(reading, tableau=with_accents(tableau)) if args.accents else reading


def _saved_reading(args: argparse.Namespace) -> Reading:
    """Return the tableau of a document of the OT lab."""
    from otlab.ot.io.cells import Reading

    options = {"format": args.format, "keep_sign": args.keep_sign}
    return Reading(open_saved(args.file, "ot", options).data)


def reading_dict(reading: Reading) -> dict[str, Any] | None:
    """Return how a tableau was read, for ``--json``; None for a file of Praat, and a document."""
    if not reading.readings:
        return None
    read = reading.readings[0]
    return {
        "format": read.format,
        "columns": list(read.columns),
        "heads": list(read.heads),
        "sign": read.options.get("sign", ""),
        "values": dict(reading.values),
    }
