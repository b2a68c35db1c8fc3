"""Parse the command line, run a command, and print its result or its errors."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from otlab import __version__
from otlab.errors import DataWarning, InputError, condensed
from otlab.files import json_values

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console

__all__ = ["main"]

# The modules of this package that are commands, in the order of the help.
COMMANDS = (
    "serve",
    "samples",
    "lesson",
    "predict",
    "learn",
    "check",
    "gen",
    "ask",
    "rank",
    "compare",
    "convert",
    "page",
    "parse",
    "reading",
    "induce",
    "tag",
    "discover",
    "channel",
    "sweep",
)


class _Parser(argparse.ArgumentParser):
    _mixing = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments; options may stand between the others: ``parse LEXICON --json SENTENCE``."""
        if self._subparsers is not None or self._mixing:
            return super().parse_known_args(args, namespace)
        self._mixing = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._mixing = False

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{self.prog}: {message}; see '{self.prog} --help'")


def _at_least(least: int) -> Callable[[str], int]:
    """Return an argparse type for whole numbers of `least` or more."""

    def whole(text: str) -> int:
        if not text.lstrip("+").isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r}: write a whole number, {least} or more")
        return int(text)

    return whole


def build_parser(command: str | None = None) -> argparse.ArgumentParser:
    """Return the parser with every command.

    If `command` is given, options are added to that command only: the options of learners
    come from the registry of their system, which takes time to import.
    """
    parser = _Parser(prog="otlab", description="Probabilistic grammars, learnt live.")
    parser.add_argument("--version", action="version", version=f"otlab {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    for name in COMMANDS:
        module = import_module(f"otlab.cli.{name}")
        sub = subparsers.add_parser(name, help=module.HELP, description=module.HELP)
        if command in (None, name):
            module.add_arguments(sub)
        sub.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
        sub.add_argument(
            "--seed", type=_at_least(0), help="root of all random numbers (default: a fresh one, printed)"
        )
        sub.add_argument("--threads", type=_at_least(1), help="worker threads; results do not depend on them")
        sub.set_defaults(module=module)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command, `serve` if none is given; return the exit code."""
    from rich.console import Console

    errors = Console(stderr=True, soft_wrap=True, highlight=False)
    try:
        words = (sys.argv[1:] if argv is None else list(argv)) or ["serve"]
        command = next((word for word in words if word in COMMANDS), None)
        args = build_parser(command).parse_args(words)
        with warnings.catch_warnings():
            warnings.simplefilter("always", DataWarning)
            warnings.showwarning = lambda message, category, *_: _warn(message, category)
            return _execute(args, errors)
    except InputError as error:
        for fault in condensed(error.faults):
            print(fault, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 3
    except OSError as error:  # a full disk, or a pipe that nobody reads any more
        return _not_written(error)


def _not_written(error: OSError) -> int:
    """Say what cannot be written and drop the rest of the output; return the exit code."""
    with suppress(OSError, ValueError):  # a standard output that is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):  # as with `otlab learn | head`
        return 0
    place = error.filename or "the output"
    print(f"otlab: {place} cannot be written: {error.strerror}; make room or choose another", file=sys.stderr)
    return 2


def _warn(message: Warning | str, category: type[Warning]) -> None:
    prefix = "warning: " if issubclass(category, DataWarning) else f"{category.__name__}: "
    print(f"{prefix}{message}", file=sys.stderr)


def _execute(args: argparse.Namespace, errors: Console) -> int:
    from rich.console import Console

    begin = time.perf_counter()
    result: dict[str, Any] = args.module.execute(args, errors)
    stopped, failed = result.pop("stopped", False), result.pop("faults", ())
    code = result.pop("exit", 0)
    if args.module.__dict__.get("show") is None:
        return 0
    common = {
        "otlab": __version__,
        "seed": result.pop("seed", args.seed),
        "settings": result.pop("settings", {}),
    }
    result = {**common, **result, "seconds": round(time.perf_counter() - begin, 4)}
    if args.json:
        print(json.dumps(json_values(result), ensure_ascii=False, allow_nan=False))
    else:
        args.module.show(result, Console(highlight=False, markup=False, emoji=False))
    sys.stdout.flush()
    for fault in failed:
        print(fault, file=sys.stderr)
    return 3 if stopped else 2 if failed else code
