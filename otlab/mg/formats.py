"""Other people's lexicon formats: Stabler's Prolog, mgtdb's Python lists, tables.

::

    [praise]::[=d,vt,-v].        startCategory(c).          Prolog, non-directional
    (['the'],[('sel','N'),('cat','D')])                     mgtdb, non-directional
    phon,features,alpha                                     CSV, TSV

Each reader fills a :class:`~otlab.mg.reading.Draft`.
"""

from __future__ import annotations

import ast
import csv
import io
import re
from typing import TYPE_CHECKING, Any

from otlab.mg.features import CONVENTIONS
from otlab.mg.rows import Row

if TYPE_CHECKING:
    from otlab.mg.reading import Draft

__all__ = ["mgtdb", "prolog", "table"]

_ENTRY = re.compile(r"\[(?P<words>[^\]]*)\]\s*::\s*\[(?P<features>[^\]]*)\]")
_START = re.compile(r"startCategory\(\s*(?P<name>[^)\s]+)\s*\)")
_MGTDB_MARKS = {"cat": "", "sel": "=", "pos": "+", "neg": "-"}


def prolog(text: str, draft: Draft) -> None:
    """Read ``[word]::[features].`` entries and ``startCategory(c).``."""
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.split("%")[0]
        entry, start = _ENTRY.search(bare), _START.search(bare)
        if entry:
            words = " ".join(w.strip().strip("'") for w in entry["words"].split(","))
            features = entry["features"].replace(",", " ").replace("'", "")
            draft.rows.append(Row(words, features, "", number, entry.start("features") + 1))
        elif start:
            draft.start += (start["name"].strip("'"),)
        elif "::" in bare and not bare.lstrip().startswith(":-"):
            draft.fault(f"{bare.strip()!r} is not an entry", "write [word]::[=d,v].", number, 1, line)


def mgtdb(text: str, draft: Draft) -> None:
    """Read the first list of entries of a Python file; nothing is executed."""
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        what = f"this is not Python: {error.msg}"
        draft.fault(
            what, "write [(['the'],[('sel','N'),('cat','D')])]", error.lineno or 1, error.offset or 1, ""
        )
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            names = [t.id.lower() for t in node.targets if isinstance(t, ast.Name)]
            if any("start" in name for name in names):
                draft.start = (str(node.value.value),)
    entries = next((n for n in ast.walk(tree) if isinstance(n, ast.List) and _looks_like_entries(n)), None)
    for node in entries.elts if entries else ():
        _mgtdb_entry(node, draft)


def _looks_like_entries(node: ast.List) -> bool:
    return bool(node.elts) and all(isinstance(e, ast.Tuple) and len(e.elts) == 2 for e in node.elts)


def _mgtdb_entry(node: ast.expr, draft: Draft) -> None:
    try:
        words, features = ast.literal_eval(node)
        written = " ".join(_mgtdb_feature(f) for f in features)
        draft.rows.append(Row(" ".join(words), written, "", node.lineno, node.col_offset + 1))
    except (ValueError, TypeError, KeyError):
        cure = "write (['the'],[('sel','N'),('cat','D')])"
        draft.fault("this is not an entry", cure, node.lineno, node.col_offset + 1, "")


def _mgtdb_feature(pair: Any) -> str:
    kind, name = pair
    return f"{_MGTDB_MARKS[kind]}{name}"


def table(text: str, draft: Draft) -> None:
    """Read columns phon, features and, if there, alpha; ``# start: c`` names the start."""
    lines = text.splitlines()
    said = dict(_comment(line) for line in lines if line.startswith("#"))
    draft.start = tuple(said.get("start", "").split())
    draft.convention = next((c for c in CONVENTIONS if c == said.get("convention")), draft.convention)
    body = "\n".join("" if line.startswith("#") else line for line in lines)
    delimiter = "\t" if "\t" in body else ","
    reader = csv.reader(io.StringIO(body), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                _table_row(cells, reader.line_num, draft)
    except csv.Error as error:
        draft.fault(f"the table is cut off: {error}", "close the quote", reader.line_num, 1, "")


def _comment(line: str) -> tuple[str, str]:
    key, _, value = line.lstrip("# ").partition(":")
    return key.strip().lower(), value.strip()


def _table_row(cells: list[str], number: int, draft: Draft) -> None:
    if not draft.rows and [c.strip().lower() for c in cells[:2]] == ["phon", "features"]:
        return
    if not 2 <= len(cells) <= 3:
        what = f"this row has {len(cells)} cells"
        draft.fault(what, "give it phon, features and, if wanted, alpha", number, 1, "")
        return
    phon, features, alpha = (*cells, "")[:3]
    draft.rows.append(Row(phon, features, alpha, number, len(phon) + 2, len(phon) + len(features) + 3))
