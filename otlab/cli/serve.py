"""``otlab serve``: the labs, in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from otlab.errors import Fault, InputError
from otlab.files import file_bytes

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from rich.console import Console

HELP = "open the labs in the browser"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the labs to serve, and address and port."""
    parser.epilog = (
        "For a class: otlab serve --address 0.0.0.0 --password WORD. All runs share this computer's cores "
        "and memory, and take turns. Thirty pages that run at once were measured on two cores: 500 MB and "
        "4 MB for each page, clicks answered within 0.15 seconds where nothing else uses the cores. "
        "docs/classroom.md says what one computer holds, and what happens when a page or the network fails."
    )
    parser.add_argument(
        "labs",
        nargs="*",
        metavar="LAB",
        help="ot, tagging, mg, lexicon (default: all); or a FILE, which is opened in its lab",
    )
    parser.add_argument("--port", type=int, help="default: the first free one from 5006 on")
    parser.add_argument(
        "--address", default="127.0.0.1", help="0.0.0.0 lets other computers in (default: 127.0.0.1)"
    )
    parser.add_argument(
        "--password", default="", metavar="WORD", help="ask each browser for it once (default: none)"
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the address")


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Serve until interrupted."""
    from otlab.ui.server import serving

    names, files = _sorted(args.labs)
    start = _address_of(files)
    port = serving.free_port(args.address, args.port)
    host = "localhost" if args.address in ("127.0.0.1", "0.0.0.0", "::1") else args.address
    serving.serve(
        names,
        args.address,
        port,
        browser=not args.no_browser,
        password=args.password,
        start=start,
        ready=lambda: print(f"http://{host}:{port}/{start}", flush=True),
    )
    return {}


def _sorted(words: Iterable[str]) -> tuple[list[str], list[Path]]:
    """Return the names of labs, and the files; a file is what is there, or has an ending."""
    from otlab.ui.server.registry import labs

    there = [entry.route for entry in labs()]
    names, files = [], []
    for word in words:
        a_lab = any(route.startswith(word) for route in there)
        path = Path(word)
        if not a_lab and (path.is_file() or path.suffix):
            files.append(path)
        else:
            names.append(word)
    return names, files


def _address_of(files: list[Path]) -> str:
    """Return path and query of the page that opens the file; empty if there is none.

    Raises
    ------
    InputError
        If there are several, one cannot be read, or no lab opens it.
    """
    from otlab.ui.server import uploads

    if len(files) > 1:
        raise InputError(Fault("one file can be opened at the start", "open the others from the home page"))
    return uploads.address_of(files[0].name, file_bytes(files[0])) if files else ""
