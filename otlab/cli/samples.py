"""``otlab samples``: list the shipped data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from otlab.samples import samples

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

HELP = "list the data that comes with otlab"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add nothing: the command has no options."""


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Return the samples, as ``--json`` prints them."""
    keys = ("name", "system", "title", "source")
    return {"samples": [{key: getattr(sample, key) for key in keys} for sample in samples()]}


def show(result: dict[str, Any], console: Console) -> None:
    """Print them as a table."""
    from rich.table import Table

    table = Table("name", "system", "title", "source", box=None)
    for row in result["samples"]:
        table.add_row(row["name"], row["system"], row["title"], row["source"])
    console.print(table)
