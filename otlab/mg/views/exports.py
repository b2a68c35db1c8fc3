"""Export derivations: LaTeX (forest, qtree), labelled brackets, JSON."""

from __future__ import annotations

import json
import re
from itertools import count
from typing import TYPE_CHECKING, Any

from otlab.latex import FOREST_STYLE, QTREE_STYLE, escape, preamble
from otlab.mg.lexicon import SILENT
from otlab.mg.views.derived import check_depth
from otlab.mg.views.show import draw, steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otlab.mg.derivation import Derivation, Node
    from otlab.mg.views.show import Drawing, Tree, TreeView

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
    label = tree.shown.replace("[", "(").replace("]", ")")
    if not tree.children:
        return f"⟨{label}⟩" if tree.style == "copy" else label  # a lower copy, not pronounced
    return f"[{label} {' '.join(_brackets(child) for child in tree.children)}]"


def to_qtree(derivation: Derivation, view: TreeView = "x-bar") -> str:
    r"""Return a LaTeX tree for the package ``qtree`` or ``tikz-qtree``: ``\Tree [.CP ... ]``.

    A tree with movement is for ``tikz-qtree`` alone, which draws its arrows between named nodes.
    """
    drawing = draw(derivation, view)
    tree = _qtree(drawing.tree, _ends(drawing), count())
    if not drawing.tree.children:  # qtree reads no tree but one in brackets
        tree = f"[.{tree} ]"
    if not drawing.arrows:
        return f"{_packages('{qtree}', drawing.tree)}\\Tree {tree}{_yield(drawing)}"
    head = _packages("{tikz-qtree}", drawing.tree)
    picture = f"{QTREE_STYLE}\n\\Tree {tree}\n{_arrows(drawing)}\\end{{tikzpicture}}"
    return f"{head}{picture}{_yield(drawing)}"


def _qtree(tree: Tree, named: set[int], numbers: Iterator[int]) -> str:
    number = next(numbers)
    label = f"{{{_tex(tree)}}}"
    if number in named:
        label = rf"\node(n{number}){label};"
    if not tree.children:
        return label
    children = " ".join(_qtree(child, named, numbers) for child in tree.children)
    return f"[.{label} {children} ]"


def _ends(drawing: Drawing) -> set[int]:
    """Return the numbers of the nodes that an arrow leaves or reaches."""
    return {n for arrow in drawing.arrows for n in (arrow.source, arrow.target)}


def _arrows(drawing: Drawing) -> str:
    """Return the arrows of movement as TikZ draws them, with their features."""
    return "".join(
        rf"\draw[->] (n{a.source}) to[out=south west, in=south] node[midway, below] "
        rf"{{\scriptsize {_escape(a.label)}}} (n{a.target});" + "\n"
        for a in drawing.arrows
    )


def to_forest(derivation: Derivation, view: TreeView = "movement") -> str:
    r"""Return a LaTeX tree for the package ``forest``, movement as arrows."""
    drawing = draw(derivation, view)
    body = _forest(drawing.tree, _ends(drawing), count())
    head = _packages("[linguistics]{forest}", drawing.tree)
    picture = f"\\begin{{forest}}\n{FOREST_STYLE}\n{body}\n{_arrows(drawing)}\\end{{forest}}"
    return f"{head}{picture}{_yield(drawing)}"


def _yield(drawing: Drawing) -> str:
    """Return how the sentence is pronounced, as a line below the tree."""
    return f"\n\n\\emph{{{_escape(drawing.spelled)}}}" if drawing.spelled else ""


def _packages(package: str, tree: Tree) -> str:
    """Return a comment naming the LaTeX packages that a tree needs."""
    copies = any(node.style == "copy" for node in tree.walk())
    struck = [r"% and, for struck-through copies: \usepackage[normalem]{ulem}"] if copies else []
    texts = (f"{node.label}{node.detail}".replace(SILENT, "") for node in tree.walk())
    return preamble(package, texts, *struck)


def _forest(tree: Tree, named: set[int], numbers: Iterator[int]) -> str:
    number = next(numbers)
    name = f", name=n{number}" if number in named else ""
    children = "".join(f" {_forest(child, named, numbers)}" for child in tree.children)
    return f"[{{{_tex(tree)}}}{name}{children}]"


def _tex(tree: Tree) -> str:
    """Return a node's label in LaTeX: traces indexed, copies struck through (package ulem)."""
    if tree.outdex:
        label = _escape(tree.label)
        return rf"\textsuperscript{{{tree.index}}}{label}\textsubscript{{{tree.outdex}}}"
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
        **({"spelled": list(derivation.spelled)} if derivation.spell_out else {}),
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
