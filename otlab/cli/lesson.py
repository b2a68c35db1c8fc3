"""``otlab lesson``: the lessons, and each as one page of HTML."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from otlab.errors import Fault, InputError, did_you_mean

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

HELP = "list the lessons, or save one as a page of HTML"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the lesson, and where its page goes."""
    parser.add_argument(
        "lesson",
        nargs="?",
        metavar="LESSON",
        help="a lesson's name or its beginning, or a .md file of your own",
    )
    parser.add_argument("--html", metavar="F", help="save it as this page of HTML, which needs no network")


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Return the lessons, or the one that is named, saved if asked for."""
    from otlab.ui.lessons.lesson import lesson_names, shipped_lesson

    names = [_name(args.lesson)] if args.lesson else lesson_names()
    if args.html and not args.lesson:
        raise InputError(Fault("--html saves one lesson", "name it, such as 3_posterior"))
    if args.lesson and args.lesson.endswith(".md"):
        from otlab.files import file_text
        from otlab.ui.lessons.lesson import read_lesson

        lessons = [read_lesson(file_text(args.lesson), Path(args.lesson).stem)]
    else:
        lessons = [shipped_lesson(name) for name in names]
    written = _write(lessons[0], args.html, console) if args.html else None
    keys = ("name", "title", "goal", "lab")
    found = [
        {**{key: getattr(one, key) for key in keys}, "steps": [s.title for s in one.steps]} for one in lessons
    ]
    return {"settings": {"lesson": args.lesson, "html": args.html}, "lessons": found, "bytes": written}


def _name(word: str) -> str:
    """Return the one lesson whose name, or the word after its number, begins so."""
    from otlab.ui.lessons.lesson import lesson_names

    known = lesson_names()
    matches = [name for name in known if name.startswith(word) or name.partition("_")[2].startswith(word)]
    if word in known or word.endswith(".md"):
        return word
    if len(matches) != 1:
        raise InputError(Fault(f"there is no lesson {word!r}", did_you_mean(word, known)))
    return matches[0]


def _write(lesson: Any, path: str, console: Console) -> int:
    """Write the page of a lesson; return its size in bytes."""
    from otlab.cli.progress import count_bar
    from otlab.ui.lessons.page import lesson_page

    with count_bar(console, lesson.title) as watch:
        text = lesson_page(lesson, lambda done: watch(done, len(lesson.steps)))
    data = text.encode()
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise InputError(Fault(f"{path}: {error.strerror or error}", "choose another place")) from error
    return len(data)


def show(result: dict[str, Any], console: Console) -> None:
    """Print the lessons as a table, and where the page is."""
    from rich.table import Table

    table = Table("lesson", "lab", "steps", "title", box=None)
    for row in result["lessons"]:
        table.add_row(row["name"], row["lab"], str(len(row["steps"])), row["title"])
    console.print(table)
    if result["bytes"] is not None:
        console.print(f"{result['settings']['html']}: {result['bytes'] // 1000:,} kB")
