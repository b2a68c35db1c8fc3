"""``otlab lesson``: list the lessons, or save one as a page of HTML."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

HELP = "list the lessons, or save them as pages of HTML"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the lesson, and where its page goes."""
    parser.add_argument(
        "lesson",
        nargs="?",
        metavar="LESSON",
        help="a lesson's name or its beginning, or a .md file of your own",
    )
    parser.add_argument(
        "--html",
        metavar="F",
        help="save it as this page of HTML, which needs no network; all into this folder if none is named",
    )


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Return the lessons, or the one that is named, with the bytes of each page if they are saved."""
    from otlab.ui.lessons.lesson import lesson_names, shipped_lesson

    if args.lesson and args.lesson.endswith(".md"):
        from otlab.files import file_text
        from otlab.ui.lessons.lesson import read_lesson

        lessons = [read_lesson(file_text(args.lesson), Path(args.lesson).stem)]
    else:
        lessons = [shipped_lesson(name) for name in ([args.lesson] if args.lesson else lesson_names())]
    place = Path(args.html) if args.html else None
    if place is not None and not args.lesson:
        _make_folder(place)
    found = []
    for one in lessons:
        page = place if args.lesson or place is None else place / f"{one.name}.html"
        found.append(
            {
                **{key: getattr(one, key) for key in ("name", "title", "goal", "lab")},
                "steps": [step.title for step in one.steps],
                "bytes": None if page is None else _write(one, page, console),
            }
        )
    return {"settings": {"lesson": args.lesson, "html": args.html}, "lessons": found}


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:  # a file is there
        reason = error.strerror or str(error)
        hint = "give a folder for the pages of all lessons, or name one lesson"
        raise InputError(Fault(f"{folder}: {reason}", hint)) from error


def _write(lesson: Any, path: Path, console: Console) -> int:
    """Write the page of a lesson; return its size in bytes."""
    from otlab.cli.progress import count_bar
    from otlab.ui.lessons.page import lesson_page

    with count_bar(console, lesson.title) as watch:
        text = lesson_page(lesson, lambda done: watch(done, len(lesson.steps)))
    data = text.encode()
    try:
        path.write_bytes(data)
    except OSError as error:
        raise InputError(Fault(f"{path}: {error.strerror or error}", "choose another place")) from error
    return len(data)


def show(result: dict[str, Any], console: Console) -> None:
    """Print the lessons as a table, with the size of each page that was saved."""
    from rich.table import Table

    place = result["settings"]["html"]
    table = Table("lesson", "lab", "steps", *(["kB"] if place else []), "title", box=None)
    for row in result["lessons"]:
        size = [f"{row['bytes'] / 1000:,.0f}"] if place else []
        table.add_row(row["name"], row["lab"], str(len(row["steps"])), *size, row["title"])
    console.print(table)
    if place:
        console.print(f"saved: {place}")
