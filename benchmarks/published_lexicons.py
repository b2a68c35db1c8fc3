"""``python -m benchmarks published_lexicons FOLDER``: open every lexicon in Stabler's Prolog below a folder.

For instance a copy of the repository of CCPC (Hunter, github.com/timhunter/ccpc), which has those of Hale,
Stabler, Yun and others. Prints which open, and by what each other one is refused. No clause may be lost:
one that is no directive is an item, a start category, or named by a fault or a remark. That is checked by
reading each clause by itself, cut out by other code than the reader's. The exit code is 1 if one is lost.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from otlab.errors import InputError, collected_warnings, condensed
from otlab.mg.io.read import loads

_NO_LEXICON = ("parser", "tree_display", "shieberetal93-swi")  # folders of programs


def clauses(text: str) -> list[str]:
    """Return the clauses of a Prolog text without comments, in a walk over its characters."""
    found, now, quoted, at = [], "", False, 0
    while at < len(text):
        sign, after = text[at], text[at + 1 : at + 2]
        if quoted or sign == "'":
            quoted = quoted != (sign == "'")
            now += sign
        elif sign == "%":
            at = text.find("\n", at)
            if at < 0:
                break
            now += " "
        elif sign == "/" and after == "*":
            at = text.find("*/", at) + 1
        elif sign == "." and (not after or after.isspace() or after in "%["):
            found.append(now.strip())
            now = ""
        else:
            now += sign
        at += 1
    return [clause for clause in (*found, now.strip()) if clause]


def alone(clause: str) -> str:
    """Return what becomes of a clause that is read by itself: item, start, left out or fault."""
    if clause.startswith((":-", "?-")):
        return "directive"
    with collected_warnings() as notes:
        try:
            lexicon = loads(
                f"{clause}.\n[x]::[y].", kind=".pl", start="" if "startCategory" in clause else "y"
            )
        except InputError:
            return "fault"
    return "left out" if notes else "item" if len(lexicon) == 2 else "start"


def lost(path: Path) -> tuple[str, int]:
    """Return a line on a lexicon, and how many of its clauses are neither read nor named."""
    text = path.read_text(encoding="utf-8")
    each = Counter(map(alone, clauses(text)))
    with collected_warnings():
        try:
            lexicon = loads(text, kind=".pl", file=path.name)
        except InputError as error:
            named = [f for f in error.faults if f.line is not None]
            reasons = "; ".join(
                f"line {f.line}: {f.what}" if f.line else f.what for f in condensed(error.faults)
            )
            return f"refused, {len(named)} of {each.total()} clauses. {reasons}", abs(
                each["fault"] - len(named)
            )
    twice = sum(r.code == "E201" for r in lexicon.remarks)
    said = len(lexicon.remarks) - twice
    missing = abs(each["item"] - len(lexicon) - twice) + abs(each["left out"] - said) + each["fault"]
    return f"opens: {len(lexicon)} items, {twice} twice, {said} left out and named", missing


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks published_lexicons", description=__doc__)
    parser.add_argument("folder", type=Path, help="its .pl files, and those of its folders, are opened")
    folder = parser.parse_args(argv).folder
    files = [p for p in sorted(folder.rglob("*.pl")) if p.is_file() and not {*p.parts} & {*_NO_LEXICON}]
    files = [p for p in files if "::" in p.read_text(encoding="utf-8", errors="replace")]
    worst = 0
    for path in files:
        words, missing = lost(path)
        worst = max(worst, missing)
        print(f"{path.relative_to(folder)}: {words}{f'  LOST: {missing}' if missing else ''}")
    verdict = f"{worst} clauses of one are lost" if worst else "every clause is an item or named"
    print(f"{len(files)} lexicons; {verdict}" if files else "no lexicon found")
    return int(bool(worst) or not files)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
