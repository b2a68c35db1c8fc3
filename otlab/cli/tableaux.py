"""Read a tableau from a file, a sample or standard input, for all commands on tableaux."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from otlab.ot.tableau import Tableau

__all__ = ["add_tableau", "open_tableau"]


def add_tableau(parser: argparse.ArgumentParser) -> None:
    """Add the file of the tableau, and the options for reading it."""
    parser.add_argument("file", metavar="FILE", help="a tableau, a sample's name, or - for standard input")
    parser.add_argument("--accents", action="store_true", help=r"read \a' in names as á, \a` as à, and so on")


def open_tableau(args: argparse.Namespace) -> Tableau:
    """Return the tableau that the arguments ask for.

    Raises
    ------
    InputError
        With every fault of the file; or if accents make two names the same.
    """
    from otlab.ot import read
    from otlab.ot.io.accents import with_accents

    tableau = read(args.file)
    return with_accents(tableau) if args.accents else tableau
