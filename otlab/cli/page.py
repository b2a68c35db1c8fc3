"""``otlab page``: write the OT lab as one HTML file, which learns in the browser."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from otlab.cli.documents import is_document
from otlab.cli.tableaux import add_tableau, open_reading, reading_dict
from otlab.errors import Fault, InputError, did_you_mean
from otlab.web.scorm import VERSIONS
from otlab.web.words import LANGUAGES, check_language

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from otlab.ot.tableau import Tableau
    from otlab.ui.ot.state import OTState

HELP = "write the OT lab with a tableau or a result as one HTML file, which needs no Python and no network"
LOCKS = ("data", "settings", "learners")
GUESSES = {"candidates": "", "ranking": "ranking"}
"""What can be guessed, and the kind of that guess in the labs."""


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
    parser.add_argument(
        "--language",
        metavar="CODE",
        help=f"of the page's words: {', '.join(LANGUAGES)} (default: the browser's, with a choice)",
    )
    asked = parser.add_argument_group("an exercise about the table")
    asked.add_argument("--question", metavar="TEXT", help="what students are asked")
    asked.add_argument(
        "--choice", metavar="TEXT", action="append", default=[], help="an answer to choose from"
    )
    asked.add_argument(
        "--lock",
        metavar="PART",
        action="append",
        default=[],
        help=f"one of {', '.join(LOCKS)} stays as it is",
    )
    asked.add_argument("--hide-results", action="store_true", help="until the student ends the exercise")
    asked.add_argument("--guess", choices=GUESSES, help="what students guess before they can run")
    asked.add_argument(
        "--scorm", metavar="VERSION", help=f"write a package for a course instead: {' or '.join(VERSIONS)}"
    )


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Write the page and return the result for ``--json``."""
    _check_exercise(args)
    check_language(args.language)
    content, about = _page(args)
    data = content.encode() if args.scorm is None else _package(args, content)
    try:
        args.out.write_bytes(data)
    except OSError as error:
        what = f"cannot be written: {error.strerror}"
        raise InputError(Fault(what, "choose another file", str(args.out))) from None
    return {
        "settings": {"file": args.file, "out": str(args.out), "accents": args.accents},
        "files": [str(args.out)],
        "bytes": len(data),
        **about,
    }


def _check_exercise(args: argparse.Namespace) -> None:
    """Refuse options of an exercise without a question, parts that cannot be locked, and results."""
    faults = []
    options = {
        "choice": args.choice,
        "lock": args.lock,
        "hide-results": args.hide_results,
        "guess": args.guess,
    }
    given = [f"--{name}" for name, value in {**options, "scorm": args.scorm}.items() if value]
    if given and args.question is None:
        faults.append(
            Fault(f"{', '.join(given)}: of an exercise, which has a question", "add --question TEXT")
        )
    faults += [
        Fault(f"--lock {part}: no such part", did_you_mean(part, [*LOCKS]))
        for part in args.lock
        if part not in LOCKS
    ]
    if args.scorm is not None and args.scorm not in VERSIONS:
        faults.append(Fault(f"--scorm {args.scorm}: no such version", did_you_mean(args.scorm, VERSIONS)))
    if args.question is not None and Path(args.file).suffix.lower() == ".json":
        faults.append(
            Fault("an exercise begins with a table, not with a result", "name the table", args.file)
        )
    if faults:
        raise InputError(faults)


def _package(args: argparse.Namespace, page: str) -> bytes:
    from otlab.web.scorm import scorm_package

    return scorm_package(page, args.out.stem.replace("_", " "), args.scorm)


def _exercise_page(args: argparse.Namespace, state: OTState) -> str:
    """Return the page with the exercise that the options describe."""
    from otlab.ui.classroom.exercise import Exercise
    from otlab.ui.ot.classwork import OTClasswork

    exercise = Exercise(
        "ot_lab",
        state.tableau.title or state.tableau.name,
        args.question,
        {},
        choices=tuple(args.choice),
        locked=tuple(dict.fromkeys(args.lock)),
        hidden=("results",) if args.hide_results else (),
        predict=args.guess is not None,
        guess=GUESSES.get(args.guess, ""),
        own_seed=args.seed is None,
    )
    if args.seed is not None:
        state.settings.seed = args.seed
    return OTClasswork().page(state, "", exercise, args.language)


def _page(args: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """Return the page of a tableau, a saved document or a result, and what to tell of it."""
    from otlab.files import file_bytes

    ending = Path(args.file).suffix.lower()
    if ending == ".json":
        return _result_page(args, file_bytes(Path(args.file)))
    if args.learnt_from:
        hint = "name one file, or a result of “otlab learn --json” (.json) before the table"
        raise InputError(Fault("is no result", hint, args.file))
    if is_document(args.file):
        return _document_page(args, file_bytes(Path(args.file)))
    reading, warnings = _read(args)
    if args.question is not None:
        from otlab.ui.ot.state import OTState

        page = _exercise_page(args, OTState(reading.tableau))
        return page, {"reading": reading_dict(reading), "warnings": warnings}
    return _lab_page(args, reading.tableau, args.seed), {
        "reading": reading_dict(reading),
        "warnings": warnings,
    }


def _lab_page(
    args: argparse.Namespace,
    tableau: Tableau,
    seed: int | None,
    results: Sequence[Mapping[str, Any]] = (),
    fields: Mapping[str, str] = MappingProxyType({}),
) -> str:
    from otlab.web.page import lab_page

    return lab_page(tableau, seed, results, fields, language=args.language)


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
    from otlab.ui.opened_document import state_of
    from otlab.ui.ot.tabs.one_page import page_of_file

    try:
        if args.question is not None:
            state: Any = state_of(read_archive(data), "ot")[1]
            page, tableau = _exercise_page(args, state), state.tableau
        else:
            page, tableau = page_of_file(read_archive(data), args.language)
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
    page = _lab_page(args, reading.tableau, result["seed"], [kept], kept["fields"])
    return page, {"reading": reading_dict(reading), "warnings": warnings}


def show(result: dict[str, Any], console: Console) -> None:
    """Print which file was written, and what the page does not keep."""
    console.print(f"{result['files'][0]} written, {result['bytes'] / 1e3:,.0f} kB", soft_wrap=True)
    for warning in result["warnings"]:
        if "has no place for" in warning:
            console.print(warning, soft_wrap=True)
