"""``otlab serve``: the labs, in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

HELP = "open the labs in the browser"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what to serve, and where."""
    parser.epilog = (
        "One server is meant for one person, or a few: all runs share this computer's cores and memory. "
        "With a whole class on one server pages and runs become slow; have each student start otlab serve "
        "on their own computer."
    )
    parser.add_argument("labs", nargs="*", metavar="LAB", help="ot, tagging, mg, lexicon (default: all)")
    parser.add_argument("--port", type=int, help="default: the first free one from 5006 on")
    parser.add_argument(
        "--address", default="127.0.0.1", help="0.0.0.0 lets other computers in (default: 127.0.0.1)"
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the address")


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Serve until interrupted."""
    from otlab.ui.server import serving

    serving.load_first(args.labs)
    port = serving.free_port(args.address, args.port)
    host = "localhost" if args.address in ("127.0.0.1", "0.0.0.0", "::1") else args.address
    print(f"http://{host}:{port}/", flush=True)
    serving.serve(args.labs, args.address, port, browser=not args.no_browser)
    return {}
