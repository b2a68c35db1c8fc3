r"""Run the examples of the documentation and write what they print below them.

``python docs/make_examples.py`` goes through the pages of this folder. In a block that
begins with three backticks and ``console``, each line ``$ otlab ...`` is a command, run in
this folder; the lines below it are what it printed, errors and all. The commands of the
pages in ``guides`` are run in a copy of the folder ``examples``, where they may write files. A
command may end in ``| python -m json.tool --no-ensure-ascii``.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from otlab.cli import main

DOCS = Path(__file__).resolve().parent
WIDTH = "110"
_BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_PRETTY = " | python -m json.tool --no-ensure-ascii"


class Example(NamedTuple):
    """A command, and what the page says it prints."""

    command: str
    output: str


def examples(page: str) -> list[Example]:
    """Return the examples of a page."""
    return [Example(*found) for block in _BLOCK.findall(page) for found in _COMMAND.findall(block)]


def run(command: str, folder: Path = DOCS) -> str:
    """Return what a command prints in a folder, output and errors together, no blanks at line ends."""
    plain = command.removesuffix(_PRETTY)
    _, *words = shlex.split(plain)
    printed = io.StringIO()
    with (
        tempfile.TemporaryDirectory() as scratch,  # a command may write files beside those it reads
        contextlib.chdir(_copied(Path(scratch)) if folder == DOCS else folder),
        mock.patch.dict(os.environ, COLUMNS=WIDTH),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
    ):
        main(words)
    text = printed.getvalue()
    if plain != command:
        text = json.dumps(json.loads(text), indent=4, ensure_ascii=False)
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def _copied(scratch: Path) -> Path:
    """Return a folder with a copy of the folder ``examples``."""
    return Path(shutil.copytree(DOCS / "examples", scratch / "examples")).parent


def refreshed(page: str, folder: Path = DOCS) -> str:
    """Return the page with every command's present output."""
    return _BLOCK.sub(
        lambda block: _COMMAND.sub(lambda found: f"$ {found[1]}\n{run(found[1], folder)}", block[0]), page
    )


def refresh(path: Path) -> None:
    """Write a page anew with every command's present output."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = DOCS
        if path.parent != DOCS:
            folder = Path(shutil.copytree(DOCS / "examples", Path(scratch) / "examples"))
        page = refreshed(path.read_text(encoding="utf-8"), folder)
    path.write_text(page, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    for path in [*sorted(DOCS.glob("*.md")), *sorted(DOCS.glob("guides/*.md"))]:
        refresh(path)
