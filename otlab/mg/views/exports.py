"""Export derivations: LaTeX (forest, qtree), labelled brackets, JSON."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from otlab.latex import escape
from otlab.mg.lexicon import SILENT
from otlab.mg.views.show import check_depth, draw, steps

if TYPE_CHECKING:
    from otlab.mg.derivation import Derivation, Node
    from otlab.mg.views.show import Tree, TreeView

__all__ = ["to_brackets", "to_forest", "to_json", "to_qtree"]


def to_brackets(derivation: Derivation, view: TreeView = "x-bar") -> str:
    """Return labelled brackets, to be pasted into RSyntaxTree or jsSyntaxTree.

    >>> from otlab.samples import load_sample
    >>> from otlab.mg.parsing.parse import parse
    >>> to_brackets(parse(load_sample("noun_compounds"), "stone lion").best(1)[0].derivation)
    '[NP [NP [N stone]] [N′ [N ε] [NP [N lion]]]]'
    """
    return _brackets(draw(derivation, view).tree)


def _brackets(tree: Tree) -> str:
    # Brackets in a label would be read as structure.
    label = tree.label.replace("[", "(").replace("]", ")")
    if not tree.children:
        return f"⟨{label}⟩" if tree.style == "copy" else label  # a lower copy, not pronounced
    return f"[{label} {' '.join(_brackets(child) for child in tree.children)}]"


def to_qtree(derivation: Derivation, view: TreeView = "x-bar") -> str:
    r"""Return a LaTeX tree for the package ``qtree`` or ``tikz-qtree``: ``\Tree [.CP ... ]``."""
    drawing = draw(derivation, view)
    said = "% The arrows of movement are left out: qtree draws none, forest does.\n"
    arrows = said if drawing.arrows else ""
    return f"{_packages('qtree', drawing.tree)}{arrows}\\Tree {_qtree(drawing.tree)}"


def _qtree(tree: Tree) -> str:
    label = f"{{{_tex(tree)}}}"
    if not tree.children:
        return label
    return f"[.{label} {' '.join(_qtree(child) for child in tree.children)} ]"


def to_forest(derivation: Derivation, view: TreeView = "movement") -> str:
    r"""Return a LaTeX tree for the package ``forest``, movement as arrows."""
    drawing = draw(derivation, view)
    named = {n for arrow in drawing.arrows for n in (arrow.source, arrow.target)}
    body = _forest(drawing.tree, named, iter(range(10**9)))
    arrows = "".join(
        rf"\draw[->] (n{a.source}) to[out=south west, in=south] node[midway, below] "
        rf"{{\scriptsize {_escape(a.label)}}} (n{a.target});" + "\n"
        for a in drawing.arrows
    )
    head = _packages("[linguistics]{forest}", drawing.tree)
    return f"{head}\\begin{{forest}}\n{_FOREST_STYLE}\n{body}\n{arrows}\\end{{forest}}"


def _packages(package: str, tree: Tree) -> str:
    """Return a comment naming the LaTeX packages that a tree needs."""
    package = package if package.startswith("[") else f"{{{package}}}"
    lines = [rf"% In the preamble: \usepackage{package}"]
    if any(node.style == "copy" for node in tree.walk()):
        lines.append(r"% and, for struck-through copies: \usepackage[normalem]{ulem}")
    return "".join(f"{line}\n" for line in lines)


_FOREST_STYLE = "for tree={align=center, parent anchor=south, child anchor=north}"


def _forest(tree: Tree, named: set[int], numbers: Any) -> str:
    number = next(numbers)
    name = f", name=n{number}" if number in named else ""
    children = "".join(f" {_forest(child, named, numbers)}" for child in tree.children)
    return f"[{{{_tex(tree)}}}{name}{children}]"


def _tex(tree: Tree) -> str:
    """Return a node's label in LaTeX: traces indexed, copies struck through (package ulem)."""
    subscript = re.fullmatch(r"(.+)_(\d+)", tree.label)
    if subscript:
        return rf"{_escape(subscript[1])}\textsubscript{{{subscript[2]}}}"
    label = _escape(tree.label)
    if tree.style == "copy":
        return rf"\sout{{{label}}}"
    if tree.style in ("word", "silent") and tree.detail:
        return rf"{label}\\{{\scriptsize {_escape(tree.detail)}}}"
    return label


def _escape(text: str) -> str:
    return escape(text).replace(SILENT, r"$\varepsilon$")


def to_json(derivation: Derivation) -> str:
    """Return words, items, steps and the derivation tree as one JSON object."""
    check_depth(derivation)
    value = {
        "words": list(derivation.words),
        "items": list(derivation.texts),
        "steps": [str(s) for s in steps(derivation)],
        "tree": _node(derivation.root, derivation),
    }
    return json.dumps(value, ensure_ascii=False)


def _node(node: Node, derivation: Derivation) -> dict[str, Any]:
    value: dict[str, Any] = {"rule": node.rule, "expression": node.text(derivation.convention)}
    if node.item is not None:
        value["item"] = node.item.text(derivation.convention)
    if node.children:
        value["children"] = [_node(child, derivation) for child in node.children]
    return value
