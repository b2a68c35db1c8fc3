"""``otlab serve``: the labs, in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

HELP = "open the labs in the browser"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the labs to serve, and address and port."""
    parser.epilog = (
        "For a class: otlab serve --address 0.0.0.0 --password WORD. All runs share this computer's cores "
        "and memory, and take turns; a page takes about 5 MB. docs/classroom.md says what one computer "
        "holds, and what happens when a page or the network fails."
    )
    parser.add_argument("labs", nargs="*", metavar="LAB", help="ot, tagging, mg, lexicon (default: all)")
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

    port = serving.free_port(args.address, args.port)
    host = "localhost" if args.address in ("127.0.0.1", "0.0.0.0", "::1") else args.address
    serving.serve(
        args.labs,
        args.address,
        port,
        browser=not args.no_browser,
        password=args.password,
        ready=lambda: print(f"http://{host}:{port}/", flush=True),
    )
    return {}
