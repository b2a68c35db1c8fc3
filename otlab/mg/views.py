"""Six ways of showing one derivation.

========== =================================================================
derivation merge and move as nodes, labelled with whole expressions
bare       the derived tree with < and > pointing to the head
x-bar      CP, C', C with traces t_i
movement   the derived tree with struck-through copies and movement arrows
steps      one line a merge or move, as in Figure 1 of Portelance et al. (2022)
sequence   the Polish sequence of lexical items, with their probabilities
========== =================================================================

The first four are trees of labels (:class:`Tree`), which are drawn, bracketed and
exported alike; the last two are lists.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from otlab.errors import Fault, InputError
from otlab.mg.derived import Derived, Phrase, derive
from otlab.mg.features import format_features
from otlab.mg.lexicon import SILENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from otlab.mg.derivation import Chain, Derivation, Node
    from otlab.mg.features import Convention

__all__ = [
    "TREE_VIEWS",
    "VIEWS",
    "Arrow",
    "Drawing",
    "Step",
    "Tree",
    "TreeView",
    "View",
    "check_depth",
    "draw",
    "sequence",
    "steps",
]

TreeView = Literal["derivation", "bare", "x-bar", "movement"]
View = Literal["derivation", "bare", "x-bar", "movement", "steps", "sequence"]
TREE_VIEWS: tuple[TreeView, ...] = get_args(TreeView)
VIEWS: tuple[View, ...] = get_args(View)
MOST_LEVELS = 300


@dataclass(frozen=True, slots=True)
class Tree:
    """A node with a label.

    Attributes
    ----------
    label, detail
        What it says, and a smaller second line.
    children
        Left to right.
    style
        ``node``, ``word``, ``silent``, ``trace`` or ``copy`` (struck through).
    position
        A word's place in the Polish sequence.
    trace, mover
        Which mover's trace or landing site this is.
    """

    label: str
    children: tuple[Tree, ...] = ()
    detail: str = ""
    style: str = "node"
    position: int = -1
    trace: int | None = None
    mover: int | None = None

    def walk(self) -> Iterator[Tree]:
        """Yield the node and all below it, left to right."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class Arrow:
    """A movement from a trace to the next higher site of the same mover.

    Attributes
    ----------
    source, target
        The two nodes, numbered as :meth:`Tree.walk` yields them.
    label
        The licensor that was checked.
    """

    source: int
    target: int
    label: str


@dataclass(frozen=True)
class Drawing:
    """A tree with its movement arrows."""

    tree: Tree
    arrows: tuple[Arrow, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One merge or move.

    Attributes
    ----------
    number
        From 1.
    rule
        ``MERGE-L``, ``MERGE-R``, ``MERGE-m`` or ``MOVE``; empty for the last line.
    what
        ``v selects d``, or ``-wh moves to satisfy +wh``.
    strings
        The selected expression's strings; after a move the new head's.
    node
        The expression made.
    """

    number: int
    rule: str
    what: str
    strings: str
    node: Node

    def __str__(self) -> str:
        return (
            f"{self.number}. {self.rule}: {self.what} {self.strings}"
            if self.rule
            else f"{self.number}. {self.what}"
        )


def steps(derivation: Derivation) -> list[Step]:
    """Return the merges and moves, bottom-up.

    >>> from otlab.samples import load_sample
    >>> from otlab.mg.parsing import parse
    >>> for step in steps(parse(load_sample("figure1_wh"), "what did you see").best(1)[0].derivation):
    ...     print(step)
    1. MERGE-L: v selects d you
    2. MERGE-m: v selects d what
    3. MERGE-R: i selects v you see, what
    4. MERGE-R: c selects i did you see, what
    5. MOVE: -wh moves to satisfy +wh what did you see
    6. All features are satisfied.
    """
    made = [n for n in derivation.root.walk() if n.children]
    last = Step(len(made) + 1, "", "All features are satisfied.", "", derivation.root)
    return [*(_step(number, node) for number, node in enumerate(made, 1)), last]


def _step(number: int, node: Node) -> Step:
    name = node.checked.name if node.checked else ""
    if node.mover is not None:
        strings = _strings((node.head, *node.movers))
        return Step(number, "MOVE", f"-{name} moves to satisfy +{name}", strings, node)
    head, argument = node.children
    # merge-r and merge-l as in the paper: MERGE-R, MERGE-L, MERGE-m
    rule = node.rule if node.rule == "merge-m" else node.rule.upper()
    category = next(f.name for f in head.head.features if f.kind == "category")
    strings = _strings((argument.head, *argument.movers))
    return Step(number, rule.replace("merge", "MERGE"), f"{category} selects {name}", strings, node)


def _strings(chains: tuple[Chain, ...]) -> str:
    return ", ".join(" ".join(c.words) or SILENT for c in chains)


def sequence(
    derivation: Derivation, theta: Mapping[str, float] | None = None
) -> list[tuple[str, float | None]]:
    """Return the Polish sequence: each item as in the file, with its probability if known."""
    return [(text, theta.get(text) if theta else None) for text in derivation.texts]


def draw(derivation: Derivation, view: TreeView = "movement", node: Node | None = None) -> Drawing:
    """Return a derivation as a tree of labels.

    Parameters
    ----------
    derivation
        What to show.
    view
        One of the four tree views.
    node
        Show only what has been built up to this expression.

    Raises
    ------
    InputError
        If it is deeper than 300 expressions.
    """
    check_depth(derivation)
    shown = derivation.root if node is None else node
    if view == "derivation":
        return Drawing(_expressions(shown, derivation.convention, itertools.count()))
    derived = derive(shown)
    if view == "bare":
        return Drawing(_bare(derived.root))
    if view == "x-bar":
        return Drawing(_x_bar(derived.root))
    tree = _movement(derived.root, derived, derivation.convention)
    return Drawing(tree, tuple(_arrows(tree, derived)))


def check_depth(derivation: Derivation) -> None:
    """Refuse a derivation too deep for any page.

    Raises
    ------
    InputError
        If it is deeper than 300 expressions.
    """
    if derivation.depth > MOST_LEVELS:
        what = f"a derivation of {len(derivation.items):,} items is too deep for a tree"
        raise InputError(Fault(what, "see its sequence or its steps, or use fewer silent items"))


def _expressions(node: Node, convention: Convention, words: Iterator[int]) -> Tree:
    children = tuple(_expressions(child, convention, words) for child in node.children)
    if node.item is not None:
        style = "silent" if node.item.silent else "word"
        return Tree(node.item.phon, (), format_features(node.item.features, convention), style, next(words))
    return Tree(node.text(convention), children, detail=node.rule)


def _bare(phrase: Phrase) -> Tree:
    if phrase.children:
        return Tree("<" if phrase.head_left else ">", tuple(_bare(c) for c in phrase.children))
    return _leaf(phrase)


def _leaf(phrase: Phrase) -> Tree:
    if phrase.item is None:
        return Tree(f"t_{phrase.trace}", style="trace", trace=phrase.trace)
    style = "silent" if phrase.item.silent else "word"
    return Tree(phrase.item.phon, style=style, position=phrase.position, mover=phrase.mover)


def _x_bar(phrase: Phrase) -> Tree:
    name = phrase.category.upper()
    index = f"_{phrase.mover}" if phrase.mover else ""
    if phrase.trace:
        return _leaf(phrase)
    if phrase.children:
        label = f"{name}P{index}" if phrase.level == "phrase" else f"{name}'"
        return Tree(label, tuple(_x_bar(c) for c in phrase.children), mover=phrase.mover)
    head = Tree(name, (_leaf(phrase),))
    return Tree(f"{name}P{index}", (head,), mover=phrase.mover) if phrase.level == "phrase" else head


def _movement(phrase: Phrase, derived: Derived, convention: Convention) -> Tree:
    if phrase.trace:
        copy = " ".join(derived.moved[phrase.trace].words) or SILENT
        return Tree(copy, style="copy", trace=phrase.trace)
    if phrase.item is not None:
        style = "silent" if phrase.item.silent else "word"
        detail = format_features(phrase.item.features, convention)
        return Tree(phrase.item.phon, (), detail, style, phrase.position, mover=phrase.mover)
    label = phrase.category if phrase.level == "phrase" else f"{phrase.category}'"
    children = tuple(_movement(c, derived, convention) for c in phrase.children)
    return Tree(label, children, mover=phrase.mover)


def _arrows(tree: Tree, derived: Derived) -> Iterator[Arrow]:
    """Link each mover's sites from the lowest up: its traces, then where it landed."""
    nodes = list(tree.walk())
    depth = _depths(tree)
    checked = {m: [x.licensor for x in derived.movements if x.mover == m] for m in derived.moved}
    for mover, licensors in checked.items():
        # Inside a copy that has itself moved, sites are drawn only where it landed.
        sites = [i for i, n in enumerate(nodes) if mover in (n.trace, n.mover)]
        sites.sort(key=lambda i: (nodes[i].mover == mover, -depth[i]))
        for source, target, licensor in zip(sites, sites[1:], licensors, strict=False):
            yield Arrow(source, target, licensor)


def _depths(tree: Tree, depth: int = 0) -> list[int]:
    return [depth, *(d for child in tree.children for d in _depths(child, depth + 1))]
