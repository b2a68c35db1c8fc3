"""Open minimalist grammars and annotated trees that others have published, where a folder of them is at hand.

    python -m benchmarks published_grammars PATH [--json]

Every file of Stabler's Prolog (``.pl``) or of mgtdb's Python (``.py``) below PATH that has lexical entries is
opened and compiled; what is refused is told with its place. For every tree of mgproc (``NAME.tree.forest``
with ``NAME.linear``, movements in ``NAME.move.forest``) index and outdex are compared with those of
``NAME.io.mgproc.forest`` or ``NAME.io.forest``, and every pair of a ``.compare`` file, easier tree first, is
compared by all metrics. Copies of the repositories ``timhunter/ccpc``, ``epstabler/mgtdb``,
``fernandocar86/seminario-gramaticas-formales`` and ``CompLab-StonyBrook/mgproc`` have such files; they are
no part of otlab.
"""

from __future__ import annotations

import argparse
import json
import re
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from otlab.errors import InputError
from otlab.mg.derivation import Chain, Derivation, Node
from otlab.mg.io.read import StartNeeded, read
from otlab.mg.lexicon import LexicalItem
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.processing.memory import MemoryUse, Moved, expand
from otlab.mg.processing.metrics import ALL_METRICS, easier

__all__ = ["AnnotatedTree", "main", "open_grammar", "read_tree"]

_ENTRY = re.compile(
    r"^\s*\[[^\]]*\]\s*::\s*\[|\(\s*\[[^\]]*\]\s*,\s*\[\s*\(\s*['\"](sel|cat)['\"]", re.MULTILINE
)
_NAME = re.compile(r"name\s*=\s*([^,\s]+)")
_MOVE = re.compile(r"\\draw\s*\[(.*?)\]\s*\(([^)]+)\).*\(([^)]+)\)\s*;")
_NOTE = re.compile(r"\\node\[(index|outdex)[^\]]*\]\s*at\s*\(([^)]+)\)\s*\{\$?(\d+)\$?\}")


class AnnotatedTree(NamedTuple):
    """A derivation tree of mgproc, parsed top-down.

    Attributes
    ----------
    use
        Its memory use as otlab computes it.
    names
        The name of each node, by the node's identity.
    printed
        Index and outdex by name, as mgproc has printed them; empty if it has not.
    """

    use: MemoryUse
    names: dict[int, str]
    printed: dict[str, tuple[int, int]]

    @property
    def differing(self) -> list[str]:
        """The names of the nodes whose index or outdex is another."""
        own = {self.names[id(v.node)]: (v.index, v.outdex) for v in self.use.visits}
        return [name for name in own | self.printed if own.get(name) != self.printed.get(name)]


def open_grammar(path: Path) -> str:
    """Open and compile one file; return why it is refused, with the place, or nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # clauses that are left out are not asked about here
            try:
                lexicon = read(path)
            except StartNeeded as error:
                lexicon = read(path, start=error.categories[0])
            Grammar(lexicon).check()
    except InputError as error:
        return str(error)
    return ""


def read_tree(path: Path) -> AnnotatedTree:
    """Return the tree of a ``.tree.forest`` file with its parse, its movements, and what mgproc printed."""
    stem = path.name.removesuffix(".tree.forest")
    nodes: dict[str, Node] = {}  # by Gorn address
    names: dict[int, str] = {}
    root = _node(_brackets(path.read_text(encoding="utf-8")), "", nodes, names)
    lines = (path.parent / f"{stem}.linear").read_text(encoding="utf-8").splitlines()
    order = [nodes[line.rpartition(";")[2].strip()] for line in lines if ";" in line]
    # A leaf that the file of the order names twice has the numbers of its last place, as in mgproc.
    visits = tuple({id(v.node): v for v in expand(root, order)}.values())
    by_name = {names[id(v.node)]: v for v in visits}
    moves = path.parent / f"{stem}.move.forest"
    drawn = _MOVE.findall(moves.read_text(encoding="utf-8")) if moves.is_file() else []
    moved = [Moved(by_name[a], by_name[b], "", "non-final" not in style) for style, a, b in drawn]
    use = MemoryUse(Derivation((), root), visits, tuple(_last(moved)))
    notes: dict[str, dict[str, int]] = {}
    for ending in (".io.mgproc.forest", ".io.forest"):
        file = path.parent / f"{stem}{ending}"
        for kind, name, number in _NOTE.findall(file.read_text(encoding="utf-8")) if file.is_file() else ():
            notes.setdefault(name, {})[kind] = int(number)
    printed = {name: (found["index"], found["outdex"]) for name, found in notes.items()}
    for address, node in nodes.items():  # a node may have got its name later
        if names[id(node)] not in printed and f"t{address}" in printed:
            printed[names[id(node)]] = printed.pop(f"t{address}")
    return AnnotatedTree(use, names, printed)


def _last(moves: list[Moved]) -> list[Moved]:
    """Return the movements, of which only the last one of a phrase is final."""
    last = {id(m.mover.node): n for n, m in enumerate(moves)}
    return [
        Moved(m.mover, m.target, "", m.final and last[id(m.mover.node)] == n) for n, m in enumerate(moves)
    ]


def _brackets(text: str) -> tuple[str, list[Any]]:
    """Return label and daughters of a tree in labelled brackets."""
    top: tuple[str, list[Any]] = ("", [])
    stack = [top]
    for part in re.findall(r"[\[\]]|[^\[\]]+", re.sub(r"%.*", "", text)):
        if part == "[":
            stack.append(("", []))
            stack[-2][1].append(stack[-1])
        elif part == "]":
            stack.pop()
        elif part.strip():
            label, daughters = stack[-1]
            here = (label + part.strip(), daughters)
            if len(stack) > 1:
                stack[-2][1][-1] = here
            stack[-1] = here
    return top[1][0]


def _node(tree: tuple[str, list[Any]], address: str, nodes: dict[str, Node], names: dict[int, str]) -> Node:
    written, daughters = tree
    label, *options = (part.strip() for part in written.split(","))
    children = tuple(_node(d, f"{address}{n}", nodes, names) for n, d in enumerate(daughters, 1))
    silent = "empty" in options
    item = None if children else LexicalItem(() if silent else (label,), ())
    node = nodes[address] = Node("lexical", Chain((label,), ()), children=children, item=item)
    named = _NAME.search(written)
    names[id(node)] = named[1] if named else f"t{address}"
    return node


def _verdicts(path: Path, trees: dict[str, AnnotatedTree]) -> dict[str, list[str]]:
    """Return for each pair of a file of comparisons the metrics by which the first tree is the easier one."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split(";")]
        if not line.startswith("#") and len(cells) >= 4 and {*cells[2:4]} <= trees.keys():
            first, second = (trees[name].use for name in cells[2:4])
            found[cells[0]] = [m.name for m in ALL_METRICS if easier(first, second, [m]) < 0]
    return found


def main(argv: list[str] | None = None) -> int:
    """Print what opens, which trees agree, and which metrics are right."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks published_grammars")
    parser.add_argument("path", type=Path, help="a folder of grammars or trees")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args(argv)
    files = sorted(p for p in args.path.rglob("*.p[ly]") if p.is_file() and _has_entries(p))
    refusals = {str(p.relative_to(args.path)): open_grammar(p) for p in files}
    forests = sorted(args.path.rglob("*.tree.forest"))
    trees = {p.name.removesuffix(".tree.forest"): read_tree(p) for p in forests}
    differing = {name: tree.differing for name, tree in trees.items() if tree.printed}
    compared = sorted(args.path.rglob("*.compare"))
    verdicts = {str(p.relative_to(args.path)): _verdicts(p, trees) for p in compared}
    result = {"grammars": refusals, "trees": differing, "verdicts": verdicts}
    print(json.dumps(result, ensure_ascii=False, indent=1) if args.json else _table(result, trees))
    return 0


def _has_entries(path: Path) -> bool:
    return bool(_ENTRY.search(path.read_text(encoding="utf-8", errors="replace")))


def _table(result: dict[str, dict[str, Any]], trees: dict[str, AnnotatedTree]) -> str:
    grammars, differing = result["grammars"], result["trees"]
    lines = [f"{name}: {why}" if why else f"{name}: opened" for name, why in grammars.items()]
    if grammars:
        lines.append(f"{sum(not why for why in grammars.values())} of {len(grammars)} grammars opened")
    lines += [f"{name}: other numbers at {', '.join(nodes)}" for name, nodes in differing.items() if nodes]
    if trees:
        same = sum(not nodes for nodes in differing.values())
        nodes = sum(len(trees[name].printed) for name in differing)
        lines.append(
            f"{same} of {len(differing)} annotated trees equal at every node, {nodes:,} nodes in all"
        )
    for name, pairs in result["verdicts"].items():
        right = Counter(metric for found in pairs.values() for metric in found)
        always = [m for m, n in right.items() if n == len(pairs)]
        lines += [f"{name}: {len(always)} of {len(ALL_METRICS)} metrics right of all {len(pairs)}: "
                  f"{', '.join(always) or 'none'}"] if pairs else []  # fmt: skip
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
