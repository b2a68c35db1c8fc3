"""Write docs/glossary.md from the labs' own glossary: ``python docs/make_glossary.py``.

The shared terms come from ``otlab/ui/glossary.py``, run by itself, and what a lab adds with
``define(...)`` is read from its source: importing ``otlab.ui`` would load Panel.
"""

from __future__ import annotations

import ast
import runpy
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "glossary.md"
LABS = DOCS.parent / "otlab" / "ui"
_TITLES = {
    "ot": "The OT lab",
    "tagging": "The tagging lab",
    "mg": "The grammar lab",
    "discovery": "The lexicon lab",
}
_INTRODUCTION = """\
# Glossary

Each term in one sentence, as the labs say it when the pointer rests on an underlined word. A second sentence,
where there is one, is the threshold that matters. Words of the field (tableau, licensee, hidden Markov
model) are on the page [terms](terms.md). This page is written by `python docs/make_glossary.py`.
"""


_SHARED = runpy.run_path(str(LABS / "glossary.py"))
GLOSSARY, Entry = _SHARED["GLOSSARY"], _SHARED["Entry"]


def entries_of(lab: Path) -> Iterator[Any]:
    """Yield the terms that the modules of a lab define for themselves."""
    for module in sorted(lab.rglob("*.py")):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "define":
                _, *said = map(ast.literal_eval, node.args)
                yield Entry(*said, **{str(word.arg): ast.literal_eval(word.value) for word in node.keywords})


def glossary() -> str:
    """Return the page."""
    parts = [_INTRODUCTION, *_section("Everywhere", GLOSSARY.values())]
    for lab in sorted((path for path in LABS.iterdir() if path.is_dir()), key=_place):
        parts += _section(_TITLES.get(lab.name, f"The {lab.name} lab"), entries_of(lab))
    return "\n".join(parts) + "\n"


def _place(lab: Path) -> int:
    return [*_TITLES, lab.name].index(lab.name)


def _section(title: str, entries: Iterable[Any]) -> list[str]:
    rows = sorted(entries, key=lambda entry: entry.name.lower())
    lines = [f"- **{row.name}.** {row.meaning} {row.threshold}".rstrip() for row in rows]
    return [f"\n## {title}\n", *lines] if rows else []


if __name__ == "__main__":
    PAGE.write_text(glossary(), encoding="utf-8", newline="\n")
