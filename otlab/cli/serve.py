"""``otlab serve``: open the labs in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from otlab.cli.progress import waiting
from otlab.errors import Fault, InputError
from otlab.files import file_bytes

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from rich.console import Console

HELP = "open the labs in the browser"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the labs to serve, the address, the port and the password."""
    parser.epilog = (
        "For a class: otlab serve --address 0.0.0.0 --password WORD. All runs take turns on this computer's "
        "cores. With thirty pages that ran at once on two cores, the server took 500 MB and 4 MB per page, "
        "and answered clicks within 0.15 seconds while no other program ran. docs/classroom.md says how many "
        "pages one computer can serve, and what happens when a page or the network fails."
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
    parser.add_argument(
        "--no-password",
        action="store_true",
        help="let other computers in without one: whoever reaches this computer can run the labs",
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the address")


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Serve until interrupted."""
    with waiting(console, "Starting the labs") as ready:
        from otlab.ui.server import serving

        _check_access(args.address, args.password, no_password=args.no_password)
        names, files = _labs_and_files(args.labs)
        start = _address_of(files)
        port = serving.free_port(args.address, args.port)
        host = "localhost" if args.address in ("127.0.0.1", "0.0.0.0", "::1") else args.address

        def tell() -> None:
            ready()
            print(f"http://{host}:{port}/{start}", flush=True)

        serving.serve(
            names,
            args.address,
            port,
            browser=not args.no_browser,
            password=args.password,
            start=start,
            ready=tell,
        )
    return {}


def _check_access(address: str, password: str, *, no_password: bool) -> None:
    """Raise unless other computers are let in with a password, or knowingly without one.

    Raises
    ------
    InputError
        If the address is one that other computers reach and neither option is given, or both are.
    """
    from otlab.ui.server.serving import LOOPBACK

    if password and no_password:
        raise InputError(Fault("--password and --no-password exclude each other", "give one of them"))
    if address not in LOOPBACK and not password and not no_password:
        raise InputError(
            Fault(
                f"--address {address} lets whoever reaches this computer run the labs",
                "give --password WORD, or --no-password if that is meant",
            )
        )


def _labs_and_files(words: Iterable[str]) -> tuple[list[str], list[Path]]:
    """Return the arguments that name labs, and those that name files.

    An argument that begins no lab's name is a file if it exists or has an ending.
    """
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
    """Return path and query of the page that opens the file; an empty string without a file.

    Raises
    ------
    InputError
        If there are several files, or the file cannot be read, or no lab opens it.
    """
    from otlab.ui.server import uploads

    if len(files) > 1:
        raise InputError(Fault("one file can be opened at the start", "open the others from the home page"))
    return uploads.address_of(files[0].name, file_bytes(files[0])) if files else ""
