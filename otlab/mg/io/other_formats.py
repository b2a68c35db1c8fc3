"""Other people's lexicon formats: Stabler's Prolog, mgtdb's Python lists, tables.

::

    [praise]::[=d,vt,-v].        startCategory(c).          Prolog, non-directional
    (['the'],[('sel','N'),('cat','D')])                     mgtdb, non-directional
    ([],[('=>','V'),('sel','D'),('cat','v')])               the same with head movement
    phon,features,alpha                                     CSV, TSV

Each reader fills a :class:`~otlab.mg.io.rows.Draft`.
"""

from __future__ import annotations

import ast
import csv
import io
import re
import warnings
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from otlab.errors import counted, quoted
from otlab.mg.features import CONVENTIONS
from otlab.mg.io.rows import Row, categories
from otlab.mg.remarks import Remark
from otlab.python_syntax import parse_module

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otlab.mg.io.rows import Draft

__all__ = ["looks_like_ocaml", "mgtdb", "ocaml", "prolog", "table"]

_MGTDB_FORMS = {
    "cat": "{}",
    "sel": "={}",
    "pos": "+{}",
    "neg": "-{}",
    "=>": "=>{}",
    "<=": "{}<=",
    "==>": "==>{}",
    "<==": "{}<==",
}
_PROLOG_FORM = "write [word]::[=d,v]. with a full stop after each entry"
_MOST_PYTHON = 300_000  # characters: its syntax tree takes 300 times as many bytes
_MGTDB_FORM = "write (['the'],[('sel','N'),('cat','D')])"

# One step of reading Prolog: what hides a full stop, then the full stop that ends a clause.
_PROLOG = re.compile(
    r"""(?P<comment>%[^\n]*|/\*.*?(?:\*/|\Z))
      | (?P<quoted>'(?:[^'\n]|'')*')
      | (?P<end>\.(?=\s|%|\[|\Z))""",
    re.DOTALL | re.VERBOSE,
)
_LIST = r"(?:[^\[\]']|'(?:[^'\n]|'')*+')*+"  # possessive: two quotes in a row are read in one way only
_ENTRY = re.compile(rf"\s*\[(?P<words>{_LIST})\]\s*::\s*\[(?P<features>{_LIST})\]\s*")
_MORE_THAN_ENTRY = re.compile(rf"{_ENTRY.pattern}(?P<more>:.*)", re.DOTALL)
_OCAML = re.compile(r"\b(?:Sel|Cat|Pos|Neg)\s*\(?\s*\"")
_OCAML_ENTRY = re.compile(r"\(\s*\[(?P<words>[^\[\]]*)\]\s*,\s*\[(?P<features>[^\[\]]*)\]\s*\)")
_OCAML_WORD = re.compile(r'"([^"]*)"|([^\s;"]+)')
_OCAML_FEATURE = re.compile(r'(?P<kind>Sel|Cat|Pos|Neg)\s*\(?\s*"(?P<name>[^"]*)"\s*\)?')
_OCAML_FORMS = {"Sel": "={}", "Cat": "{}", "Pos": "+{}", "Neg": "-{}"}
_OCAML_START = re.compile(r'\(?\s*startCat\w*\s*(?::\s*\w+\s*\)?)?\s*=\s*"(?P<name>[^"]+)"')
_START = re.compile(r"\s*startCategory\(\s*(?P<name>'[^']*'|[^)\s]+)\s*\)\s*")
# A feature may have a mark on either side, as those of head movement do: =>'V', 'N'==>.
_ATOM = re.compile(
    r"(?P<mark>(?:==>|=>|<==|<=|[=+-])?)\s*"
    r"(?:'(?P<quoted>(?:[^'\n]|'')*)'|(?P<plain>[^,']+?))\s*(?P<after>(?:==>|<==|=>|<=|=)?)\s*(?:,|$)"
)
_ADJUNCTION = re.compile(r"\]\s*(?:>>|<<)\s*\[")
_ADJOIN = re.compile(rf"\s*\[(?P<left>{_LIST})\]\s*(?P<arrow>>>|<<)\s*\[(?P<right>{_LIST})\]\s*")
_ADJUNCTION_HINT = "name one category on each side, [v]<<[p]. or [adv]>>[v]., or leave the clause out"


def prolog(text: str, draft: Draft) -> None:
    """Read ``[word]::[features].`` and ``startCategory(c).``; other clauses are left out with a remark.

    A clause of adjunction, ``[v]<<[p].`` (a p behind a v) or ``[adv]>>[v].`` (an adv before a v), is a
    silent item ``ε :: =p v≈`` or ``ε :: =adv ≈v``; one with more than a category on a side is a fault,
    because without it the grammar would be another one.
    A clause ends at its full stop: a line may hold several, and a clause several lines.
    """
    lines = _line_starts(text)
    for begin, clause in _clauses(text):
        entry, start = _ENTRY.fullmatch(clause), _START.fullmatch(clause)
        stripped = clause.strip()
        number, column = _place(lines, begin + len(clause) - len(clause.lstrip()))
        if entry:
            _prolog_entry(entry, lines, begin, draft)
        elif start:
            draft.start += (start["name"].strip("'"),)
        elif _ADJUNCTION.search(_without_quoted(clause)) and not _is_rule(clause):
            if _prolog_adjunction(clause, number, column, draft):
                continue
            what = f"adjunction of this form is not supported: {' '.join(stripped.split())}"
            draft.fault(what, _ADJUNCTION_HINT, number, column, kind="clauses of adjunction")
        elif more := _MORE_THAN_ENTRY.fullmatch(clause):
            what = f"semantics after the features is not supported: {' '.join(more['more'].split())}"
            draft.fault(what, "leave it out", *_place(lines, begin + more.start("more")))
        elif "::" not in clause or (_is_rule(clause) and not stripped.startswith("[")):
            if stripped and not stripped.startswith((":-", "?-")):
                shown = " ".join(stripped.split())
                shown = shown if len(shown) <= 40 else f"{shown[:37]}..."
                what = f"{shown!r} is Prolog code, not a lexical entry; it was left out"
                draft.remarks.append(Remark("W306", what, "", number, column))
        else:
            what = f"{' '.join(stripped.split())!r} is not an entry"
            draft.fault(what, _PROLOG_FORM, number, column)


def _clauses(text: str) -> Iterator[tuple[int, str]]:
    """Yield where each clause begins, and its text with comments blanked out."""
    blanked = list(text)
    begin = 0
    for match in _PROLOG.finditer(text):
        if match["comment"]:
            for i in range(*match.span()):
                blanked[i] = "\n" if text[i] == "\n" else " "
        elif match["end"]:
            yield begin, "".join(blanked[begin : match.start()])
            begin = match.end()
    rest = "".join(blanked[begin:])
    if rest.strip():
        yield begin, rest


def _is_rule(clause: str) -> bool:
    """Return whether a clause is a directive, a rule or a grammar rule of Prolog's."""
    unquoted = _without_quoted(clause)
    return ":-" in unquoted or "?-" in unquoted or "-->" in unquoted


def _without_quoted(clause: str) -> str:
    return re.sub(r"'(?:[^'\n]|'')*'", "", clause)


def _line_starts(text: str) -> list[int]:
    """Return where each line of a text begins."""
    return [0, *(match.end() for match in re.finditer("\n", text))]


def _place(lines: Sequence[int], offset: int) -> tuple[int, int]:
    """Return line and column, from 1, of a place in the text whose lines begin at these places."""
    number = bisect_right(lines, offset)
    return number, offset - lines[number - 1] + 1


def _prolog_entry(entry: re.Match[str], lines: Sequence[int], begin: int, draft: Draft) -> None:
    number, column = _place(lines, begin + entry.start("features"))
    words, features = _atoms(entry["words"]), _atoms(entry["features"])
    if words is None or features is None:
        shown = " ".join(entry.group().split())
        draft.fault(f"{shown!r} is not an entry", _PROLOG_FORM, number, 1)
        return
    # Each feature stays in its column, so that faults point at it.
    written = ""
    for offset, feature in features:
        written = written.ljust(offset if not written else max(offset, len(written) + 1)) + feature
    phon = " ".join(word for _, word in words)
    draft.rows.append(Row(phon, written, "", number, column))


def _prolog_adjunction(clause: str, number: int, column: int, draft: Draft) -> bool:
    """Read a clause of adjunction as a silent item; return whether both its sides are one category."""
    match = _ADJOIN.fullmatch(clause)
    sides = [_atoms(match[side]) for side in ("left", "right")] if match else []
    names = [side[0][1] if side is not None and len(side) == 1 else "" for side in sides]
    if match is None or not all(name and name[0] not in "=+-<>" and name[-1] not in "=<>" for name in names):
        return False
    before, after = names
    written = f"={after} {before}≈" if match["arrow"] == "<<" else f"={before} ≈{after}"
    draft.rows.append(Row("", written, "", number, column))
    return True


def _atoms(text: str) -> list[tuple[int, str]] | None:
    """Return the atoms of a Prolog list with their marks and offsets; None if it is none."""
    found: list[tuple[int, str]] = []
    position = len(text) - len(text.lstrip())
    while position < len(text):
        match = _ATOM.match(text, position)
        if match is None:
            return None
        quoted = match["quoted"]
        name = match["plain"] if quoted is None else quoted.replace("''", "'")
        found.append((position, match["mark"] + name + match["after"]))
        position = match.end()
        position += len(text[position:]) - len(text[position:].lstrip())
    return found


def mgtdb(text: str, draft: Draft) -> None:
    """Read the first list of entries of a Python file; nothing is executed."""
    if len(text) > _MOST_PYTHON:
        what = f"Python of {len(text):,} characters; at most {_MOST_PYTHON:,} are read"
        draft.fault(what, "keep the list of entries alone, or write a table or a .mg file", 1, 1)
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = parse_module(text)
    except SyntaxError as error:
        what = f"this is not Python: {error.msg}"
        draft.fault(what, _MGTDB_FORM, error.lineno or 1, error.offset or 1)
        return
    except (RecursionError, MemoryError):
        draft.fault("the lists are nested too deeply", _MGTDB_FORM, 1, 1)
        return
    except ValueError:  # half of a pair of surrogates
        draft.fault("a character that is no text", "save it as UTF-8", 1, 1)
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            names = [t.id.lower() for t in node.targets if isinstance(t, ast.Name)]
            if any("start" in name for name in names):
                draft.start = (str(node.value.value),)
    entries = next((n for n in ast.walk(tree) if isinstance(n, ast.List) and _looks_like_entries(n)), None)
    for node in entries.elts if entries else ():
        _mgtdb_entry(node, draft)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and all(part is not entries for part in ast.walk(node)):
            _mgtdb_rest(node, draft)


def _mgtdb_rest(node: ast.Assign, draft: Draft) -> None:
    """Refuse a table of adjuncts; remark on any other list or table, which is left out."""
    name = ", ".join(ast.unparse(target) for target in node.targets)
    if "adj" in name.lower():
        what = f"adjunction in a table is not supported: {quoted(name)}"
        draft.fault(what, "write adjuncts in otlab's text, as on :: =d v≈", node.lineno, 1)
    elif isinstance(node.value, (ast.List, ast.Dict, ast.Tuple, ast.Set)):
        what = f"only the first list of entries is read; {quoted(name)} was left out"
        draft.remarks.append(Remark("W306", what, "", node.lineno, node.col_offset + 1))


def looks_like_ocaml(text: str) -> bool:
    """Return whether a text has the features of mgtdb's OCaml lists, such as ``Sel "N"``."""
    return _OCAML.search(text) is not None


def ocaml(text: str, draft: Draft) -> None:
    """Read mgtdb's OCaml lists, ``([], [Sel "T"; Pos "wh"; Cat "C"]);``, and ``let startCat = "C"``.

    Comments may be nested; other code is left out, and lists after the first with a remark. What looks like
    an entry and is none is a fault.
    """
    if not draft.convention_given:
        draft.convention = "nondirectional"
    blanked, lines = _without_ocaml_comments(text), _line_starts(text)
    lets = [match.start() for match in re.finditer(r"\blet\b", blanked)]
    first = None
    for entry in _OCAML_ENTRY.finditer(blanked):
        place, of = _place(lines, entry.start()), bisect_right(lets, entry.start())
        first = of if first is None else first
        if of != first:
            what = "only the first list of entries is read; a second one was left out"
            draft.remarks.append(Remark("W306", what, "", *place))
            break
        words = [text or bare for text, bare in _OCAML_WORD.findall(entry["words"])]
        parts = [part.strip() for part in entry["features"].split(";") if part.strip()]
        features = [_OCAML_FEATURE.fullmatch(part) for part in parts]
        if not parts or not all(features):
            draft.fault("this is not an entry", 'write (["the"],[Sel "N"; Cat "D"])', *place)
            continue
        written = " ".join(_OCAML_FORMS[f["kind"]].format(f["name"]) for f in features if f)
        draft.rows.append(Row(" ".join(words), written, "", *place))
    start = _OCAML_START.search(blanked)
    if start:
        draft.start = (start["name"],)


def _without_ocaml_comments(text: str) -> str:
    """Return the text with comments as blanks, so that all places stay."""
    depth, kept = 0, []
    for piece in re.split(r"(\(\*|\*\))", text):
        depth += piece == "(*"
        kept.append(re.sub(r"\S", " ", piece) if depth else piece)
        depth -= piece == "*)" and depth > 0
    return "".join(kept)


def _looks_like_entries(node: ast.List) -> bool:
    return bool(node.elts) and all(isinstance(e, ast.Tuple) and len(e.elts) == 2 for e in node.elts)


def _mgtdb_entry(node: ast.expr, draft: Draft) -> None:
    try:
        words, features = ast.literal_eval(node)
        written = " ".join(_mgtdb_feature(f) for f in features)
        draft.rows.append(Row(" ".join(words), written, "", node.lineno, node.col_offset + 1))
    except (ValueError, TypeError, KeyError):
        draft.fault("this is not an entry", _MGTDB_FORM, node.lineno, node.col_offset + 1)


def _mgtdb_feature(pair: Any) -> str:
    kind, name = pair
    return _MGTDB_FORMS[kind].format(name)


def table(text: str, draft: Draft) -> None:
    """Read columns phon, features and, if there, alpha; ``# start: c`` names the start.

    Lines such as ``# spell-out: see -s -> sees`` are its table of spell-out.

    A first row whose second cell is "features" is a header, whatever the first column is called.
    """
    lines = text.splitlines()
    header = dict(_comment(line) for line in lines if line.startswith("#"))
    draft.start = categories(header.get("start", ""))
    draft.convention = next((c for c in CONVENTIONS if c == header.get("convention")), draft.convention)
    draft.convention_given = draft.convention_given or header.get("convention") in CONVENTIONS
    commented = ((number, *_comment(line)) for number, line in enumerate(lines, 1) if line.startswith("#"))
    draft.spell_out += [(number, value) for number, key, value in commented if key == "spell-out"]
    body = "\n".join("" if line.startswith("#") else line for line in lines)
    first = next((line for line in body.splitlines() if line.strip()), "")
    semicolons = ";" in first and "," not in first  # as spreadsheets write in many countries
    delimiter = "\t" if "\t" in body else ";" if semicolons else ","
    reader = csv.reader(io.StringIO(body), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                _table_row(cells, reader.line_num, draft)
    except csv.Error as error:
        draft.fault(f"the table is cut off: {error}", "close the quote", reader.line_num, 1)


def _comment(line: str) -> tuple[str, str]:
    key, _, value = line.lstrip("# ").partition(":")
    return key.strip().lower(), value.strip()


def _table_row(cells: list[str], number: int, draft: Draft) -> None:
    if not draft.rows and [c.strip().lower() for c in cells[1:2]] == ["features"]:
        return
    if not 2 <= len(cells) <= 3:
        what = f"this row has {counted(len(cells), 'cell')}"
        draft.fault(what, "give it phon, features and, if wanted, alpha", number, 1)
        return
    phon, features, alpha = (*cells, "")[:3]
    draft.rows.append(Row(phon, features, alpha, number, len(phon) + 2, len(phon) + len(features) + 3))
