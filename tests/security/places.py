"""Every place in the Python sources of otlab where a value is put into markup, found by reading them.

A place is a value in a string with a tag (f-string, ``format``, ``%``, ``+``), what is given to ``Markup`` or
to a pane of HTML, and what a component's script puts into the page as HTML (``BRIDGES``).
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.security.proof import Proof
from tests.security.sources import Sources, callee

ROOT = Path(__file__).resolve().parents[2]
TAG = re.compile(r"(?<!\(\?P)(?<!\(\?)</?[a-zA-Z!]|<\0[^<]*>|\b[\w-]+=[\"'][^\"'>]*\0|&\w+;")
PANES = {"Html", "html", "HTML", "Markdown", "SVG", "Div", "Markup", "HTMLTemplateFormatter"}
BRIDGES = {
    "otlab/ui/ot/tabs/draw_table.js": ("otlab/ui/ot/tabs/steps.py", "content"),
    "otlab/ui/ot/tabs/grid_counts.js": ("otlab/ui/ot/tabs/grid_keys.py", "text"),
    "otlab/ui/lexicon/components/spoken_rows.js": ("otlab/ui/lexicon/tabs/spoken.py", "legend"),
    "otlab/ui/mg/tabs/derivation.js": ("otlab/ui/mg/tabs/derivation_card.py", "picture"),
    "otlab/ui/classroom/board.js": ("otlab/ui/classroom/teacher.py", "qr"),
    "otlab/viz/base/js/player.js": ("otlab/viz/mg/page.py", "svg"),
}
"""For a script that takes HTML from Python: the file that gives it, and the key or attribute it is in."""


@dataclass(frozen=True)
class Place:
    """A value that becomes part of markup."""

    path: str
    function: str
    value: str
    node: ast.expr = field(compare=False, repr=False)
    harmless: bool = field(default=False, compare=False)

    @property
    def line(self):
        return self.node.lineno

    def __str__(self):
        return f"{self.path}:{self.line} {self.function}: {self.value}"


@cache
def texts():
    """Return the contents of the Python files of otlab by their paths; kernels hold no text."""
    files = (p for p in sorted((ROOT / "otlab").rglob("*.py")) if "kernels" not in p.parts)
    return {p.relative_to(ROOT).as_posix(): p.read_text(encoding="utf-8") for p in files}


@cache
def sources():
    """Return what the Python files of otlab define."""
    return Sources(texts())


def _words(node):
    """Return the constant part of a string, each value in it as a zero character; "" if there is none."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(v.value if isinstance(v, ast.Constant) else "\0" for v in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _words(node.left) + _words(node.right)
    return ""


def _constants(given, node):
    """Return the text of a constant, or of those that a name stands for."""
    if isinstance(node, ast.Name):
        return "".join(_words(v) for scope in given.modules[node.id] for v in scope.bound[node.id])
    return _words(node)


def _values(given, node, scope):
    """Yield the values that a node puts into markup."""
    if isinstance(node, ast.JoinedStr) and TAG.search(_words(node)):
        yield from (v for v in node.values if isinstance(v, ast.FormattedValue))
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        sides = node.left, node.right
        for one, other in [sides, sides[::-1]] if isinstance(node.op, ast.Add) else [sides]:
            plain = isinstance(other, ast.Constant | ast.JoinedStr)
            if isinstance(one, ast.Constant) and TAG.search(_words(one)) and not plain:
                yield other
    elif isinstance(node, ast.Call):
        yield from _given(given, node)
    elif isinstance(node, ast.Return) and node.value and scope.name.endswith(("_repr_html_", "_repr_svg_")):
        yield node.value
    yield from _bridged(node, scope)


def _given(given, node):
    name, base = callee(node), node.func.value if isinstance(node.func, ast.Attribute) else None
    if name in PANES and node.args:
        yield node.args[0]
    elif name == "format" and base is not None and TAG.search(_constants(given, base).replace("{", "\0")):
        yield from [*node.args, *(k.value for k in node.keywords)]
    elif name in ("show", "write", "finish") and isinstance(base, ast.Name | ast.Attribute) and node.args:
        attribute = base.attr if isinstance(base, ast.Attribute) else ""
        shown = [v for v, _ in given.attributes[attribute] if isinstance(v, ast.Call)]
        handler = name != "show" and isinstance(base, ast.Name) and "/server/" in given.scopes[node].path
        if handler or any(callee(v) in ("Html", "html") for v in shown):
            yield node.args[0]
    elif name == "Tabulator":  # headings and tooltips are HTML
        titles = [k.value for k in node.keywords if k.arg in ("titles", "header_tooltips")]
        yield from (each.value if isinstance(each, ast.DictComp) else each for each in titles or [node])
    elif name == "to_html":
        yield node


def _bridged(node, scope):
    """Yield what a script puts into the page."""
    for path, key in BRIDGES.values():
        if path != scope.path:
            continue
        if isinstance(node, ast.Dict):
            at = [k.value if isinstance(k, ast.Constant) else None for k in node.keys]
            yield from (v for k, v in zip(at, node.values, strict=True) if k == key)
        elif isinstance(node, ast.Assign) and any(
            isinstance(t, ast.Attribute) and t.attr == key for t in node.targets
        ):
            yield node.value


def candidates(given):
    """Yield the values that are put into markup; neither ``repr`` nor the files of other programs are."""
    kinds = ast.JoinedStr | ast.BinOp | ast.Call | ast.Return | ast.Dict | ast.Assign
    for node, scope in [*given.scopes.items()]:
        shown = isinstance(node, kinds) and "/io/" not in scope.path
        if shown and not scope.name.endswith(("__repr__", "__str__")):
            yield from _values(given, node, scope)


def places(given, trusted=(), passing=()):
    """Return the places in some sources, with whether each is harmless.

    `trusted` functions return what is harmless, `passing` ones do if their first argument is.
    """
    found = [*dict.fromkeys(candidates(given))]
    harmless = Proof(given, trusted, passing).harmless(found)
    made = []
    for value, safe in zip(found, harmless, strict=True):
        scope = given.scopes[value]
        text = ast.unparse(value.value if isinstance(value, ast.FormattedValue) else value)
        made.append(Place(scope.path, scope.name, text, value, safe))
    return made
