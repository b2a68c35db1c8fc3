"""Seven ways of showing one derivation.

========== =================================================================
derivation merge and move as nodes, labelled with whole expressions
bare       the derived tree with < and > pointing to the head
x-bar      CP, C', C with traces t_i
movement   the derived tree with struck-through copies and movement arrows
memory     merge and move as nodes, with the steps of a top-down parse
steps      one line a merge or move: what is made of what
sequence   the Polish sequence of lexical items, with their probabilities
========== =================================================================

The first five are trees of labels (:class:`Tree`), which are drawn, bracketed and
exported alike; the last two are lists.

In the memory view a node's index, the step at which a top-down parser predicts it, is raised before its
label, and its outdex, the step at which it is expanded, is lowered after it
(:mod:`otlab.mg.processing.memory`). Specifiers are at the left.

In the movement view a phrase that has moved leaves a copy at every site it was at. A copy is
drawn in full if a movement begins or ends inside it (remnant movement: the object leaves the verb
phrase, then the verb phrase moves); else as one struck-through string. An arrow joins the places as
they were in its step of the derivation.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from otlab.mg.derivation import Derivation
from otlab.mg.features import format_features, projection_of
from otlab.mg.lexicon import SILENT
from otlab.mg.processing.memory import memory_use
from otlab.mg.views.derived import check_depth, derive

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from otlab.mg.derivation import Node
    from otlab.mg.features import Convention, Feature
    from otlab.mg.lexicon import LexicalItem
    from otlab.mg.processing.memory import Visit
    from otlab.mg.views.derived import Derived, Phrase

__all__ = [
    "TREE_VIEWS",
    "VIEWS",
    "Arrow",
    "Drawing",
    "Step",
    "Tree",
    "TreeView",
    "View",
    "draw",
    "movement_drawing",
    "sequence",
    "steps",
]


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True, slots=True)
class Tree:
    """A node with a label.

    Attributes
    ----------
    label, detail
        The label, and a smaller second line.
    children
        Left to right.
    style
        ``node``, ``word``, ``silent``, ``trace`` or ``copy`` (struck through).
    position
        A word's place in the Polish sequence.
    trace, mover
        Which mover's trace or landing site this is.
    index, outdex
        In the memory view, the steps at which a top-down parser predicts and expands the node; else 0.
    """

    label: str
    children: tuple[Tree, ...] = ()
    detail: str = ""
    style: str = "node"
    position: int = -1
    trace: int | None = None
    mover: int | None = None
    index: int = 0
    outdex: int = 0

    @property
    def shown(self) -> str:
        """The label, with index and outdex as raised and lowered digits: ``³IP₄``."""
        if not self.outdex:
            return self.label
        return f"{str(self.index).translate(_RAISED)}{self.label}{str(self.outdex).translate(_LOWERED)}"

    def walk(self) -> Iterator[Tree]:
        """Yield the node and all below it, left to right."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class Arrow:
    """One movement: from the site that the mover leaves to the one it reaches.

    Both are in the positions they had at that step: inside the lower copy of a phrase that moves later.

    Attributes
    ----------
    source, target
        The two nodes, numbered as :meth:`Tree.walk` yields them.
    label
        The licensor that was checked; for a head, the selector as written.
    """

    source: int
    target: int
    label: str


@dataclass(frozen=True)
class Drawing:
    """A tree with its movement arrows.

    Attributes
    ----------
    tree, arrows
        The tree, and the arrows between its nodes.
    spelled
        How the sentence is pronounced, if there is a table of spell-out; it stands below the tree.
    """

    tree: Tree
    arrows: tuple[Arrow, ...] = ()
    spelled: str = ""


TreeView = Literal["derivation", "bare", "x-bar", "movement", "memory"]
View = Literal["derivation", "bare", "x-bar", "movement", "memory", "steps", "sequence"]
TREE_VIEWS: tuple[TreeView, ...] = get_args(TreeView)
VIEWS: tuple[View, ...] = get_args(View)


@dataclass(frozen=True, slots=True)
class Step:
    """One merge, adjunction or move.

    Attributes
    ----------
    number
        From 1.
    rule
        ``Merge``, ``Adjoin`` or ``Move``; empty for the last line.
    what
        In words: ``see selects d: what, which will move``, ``what checks +wh of ε and lands at its left``.
    inputs
        The expressions it is made from: ``::`` after a lexical item, ``:`` after a derived one.
    result
        The expression made.
    node
        Its node in the derivation tree.
    """

    number: int
    rule: str
    what: str
    inputs: tuple[str, ...]
    result: str
    node: Node

    @property
    def equation(self) -> str:
        """The step as an equation: ``the::=n d + telescope::n ⇒ the telescope:d``."""
        return f"{' + '.join(self.inputs)} ⇒ {self.result}" if self.inputs else self.what

    def __str__(self) -> str:
        return f"{self.number}. {self.rule + ': ' if self.rule else ''}{self.equation}"


def steps(derivation: Derivation) -> list[Step]:
    """Return the merges, adjunctions and moves, bottom-up.

    >>> from otlab.samples import load_sample
    >>> from otlab.mg.parsing.parse import parse
    >>> for step in steps(parse(load_sample("figure1_wh"), "what did you see").best(1)[0].derivation):
    ...     print(step)
    1. Merge: see::d= =d v + you::d ⇒ you see:=d v
    2. Merge: you see:=d v + what::d -wh ⇒ you see:v, what:-wh
    3. Merge: did::=v i + you see:v, what:-wh ⇒ did you see:i, what:-wh
    4. Merge: ε::=i +wh c + did you see:i, what:-wh ⇒ did you see:+wh c, what:-wh
    5. Move: did you see:+wh c, what:-wh ⇒ what did you see:c
    6. All features are checked.
    """
    heads: dict[int, LexicalItem] = {}
    made: list[Step] = []
    for node in derivation.root.walk():
        heads[id(node)] = node.item if node.item is not None else heads[id(node.children[0])]
        if node.children:
            made.append(_step(len(made) + 1, node, heads[id(node)], derivation.convention))
        if node.rule == "adjoin":
            heads[id(node)] = heads[id(node.children[1])]
    return [*made, Step(len(made) + 1, "", "All features are checked.", (), "", derivation.root)]


def _step(number: int, node: Node, head: LexicalItem, convention: Convention) -> Step:
    name = node.checked.name if node.checked else ""
    inputs = tuple(_expression(child, convention) for child in node.children)
    result = _expression(node, convention)
    if node.mover is not None:
        mover = " ".join(node.mover.words) or SILENT
        goes_on = len(node.mover.features) > 1
        where = "and will move on" if goes_on else "and lands at its left"
        return Step(number, "Move", f"{mover} checks +{name} of {head.phon} {where}", inputs, result, node)
    argument = node.children[1]
    selected = " ".join(argument.head.words) or SILENT
    if node.rule == "adjoin":
        adjunct = " ".join(node.children[0].head.words) or SILENT
        place = "behind" if node.checked is not None and node.checked.side == "left" else "before"
        return Step(
            number, "Adjoin", f"{adjunct} adjoins to {name}, {place} {selected}", inputs, result, node
        )
    waits = ", which will move" if node.rule == "merge-m" else ""
    if node.checked is not None and node.checked.moves_head:
        waits += _head_step(node.checked, head.phon, " ".join(argument.parts[1]) or SILENT)
    return Step(number, "Merge", f"{head.phon} selects {name}: {selected}{waits}", inputs, result, node)


def _head_step(selector: Feature, head: str, host: str) -> str:
    """Return in words where the head of the selected phrase moves, or where an affix hops."""
    if selector.kind in ("hop-left", "hop-right"):
        return f"; {head} hops {'before' if selector.kind == 'hop-left' else 'behind'} its head {host}"
    side = "left" if selector.kind == "head-left" else "right"
    return f"; its head {host} moves to the {side} of {head}"


def _expression(node: Node, convention: Convention) -> str:
    """Return an expression as Stabler writes it, without brackets."""
    mark = "::" if node.item is not None else ":"
    chains = (node.head, *node.movers)
    return ", ".join(
        f"{' '.join(c.words) or SILENT}{mark}{format_features(c.features, convention)}" for c in chains
    )


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
        One of the five tree views.
    node
        Show only what has been built up to this expression.

    Raises
    ------
    InputError
        If it is deeper than 300 expressions.
    """
    check_depth(derivation)
    spelled = " ".join(derivation.spelled) if node is None and derivation.spell_out else ""
    return replace(_drawing(derivation, view, derivation.root if node is None else node), spelled=spelled)


def _drawing(derivation: Derivation, view: TreeView, shown: Node) -> Drawing:
    if view == "derivation":
        return Drawing(_expressions(shown, derivation.convention, itertools.count()))
    if view == "memory":
        use = memory_use(Derivation(derivation.items, shown, derivation.convention))
        return Drawing(_annotated(shown, use.of, itertools.count(), maximal=True))
    derived = derive(shown)
    if view == "bare":
        return Drawing(_bare(derived.root))
    if view == "x-bar":
        return Drawing(_x_bar(derived.root))
    return movement_drawing(derived, derivation.convention)


def _expressions(node: Node, convention: Convention, words: Iterator[int]) -> Tree:
    children = tuple(_expressions(child, convention, words) for child in node.children)
    if node.item is not None:
        style = "silent" if node.item.silent else "word"
        return Tree(node.item.phon, (), format_features(node.item.features, convention), style, next(words))
    return Tree(node.text(convention), children, detail=_operation(node))


def _operation(node: Node) -> str:
    return "Move" if node.mover is not None else "Adjoin" if node.rule == "adjoin" else "Merge"


def _annotated(node: Node, visits: Mapping[int, Visit], words: Iterator[int], *, maximal: bool) -> Tree:
    """Return a tree of nodes with index and outdex; items are numbered in the order of the derivation."""
    at = visits[id(node)]
    if node.item is not None:
        style, place = "silent" if node.item.silent else "word", next(words)
        return Tree(node.item.phon, style=style, position=place, index=at.index, outdex=at.outdex)
    parts = [
        _annotated(child, visits, words, maximal=number > 0 or node.rule == "adjoin")
        for number, child in enumerate(node.children)
    ]
    if node.checked is not None and node.checked.kind in ("left", "adjoin-left"):
        parts.reverse()
    name = projection_of(node.head.features).upper()
    label = f"{name}{'P' if maximal else '′'}"
    return Tree(label, tuple(parts), index=at.index, outdex=at.outdex)


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
    index = f"_{phrase.mover}" if phrase.mover and phrase.site else ""
    if phrase.trace and phrase.level == "phrase":
        return _leaf(phrase)
    if phrase.children:
        label = {"phrase": f"{name}P{index}", "bar": f"{name}′", "head": f"{name}{index}"}[phrase.level]
        return Tree(label, tuple(_x_bar(c) for c in phrase.children), mover=phrase.mover)
    if phrase.level == "head":
        return Tree(f"{name}{index}", (_leaf(phrase),), mover=phrase.mover if index else None)
    return Tree(f"{name}P{index}", (Tree(name, (_leaf(phrase),)),), mover=phrase.mover)


Site = tuple[int, int]  # mover, and how often it has moved
Path = tuple[Site, ...]  # the moved phrases around a place, from the outermost


def movement_drawing(derived: Derived, convention: Convention) -> Drawing:
    """Return the derived tree with copies and arrows, in the order of the derivation."""
    return _MovementTree(derived, convention).draw()


class _MovementTree:
    def __init__(self, derived: Derived, convention: Convention) -> None:
        self.derived = derived
        self.convention = convention
        self.home = {site: mover for mover, phrase in derived.moved.items() for site in _sites(phrase)}
        ends = [
            (self._place((m.mover, m.site - 1), step), self._place((m.mover, m.site), step), m.licensor)
            for step, m in enumerate(derived.movements)
        ]
        self.arrows = ends
        self.in_full = {path[:n] for a, b, _ in ends for path in (a, b) for n in range(1, len(path))}
        self.number: dict[Path, int] = {}
        self.drawn = 0

    def draw(self) -> Drawing:
        tree = self._tree(self.derived.root, (), copy=False)
        arrows = (Arrow(self.number[a], self.number[b], label) for a, b, label in self.arrows)
        return Drawing(tree, tuple(arrows))

    def _place(self, site: Site, step: int) -> Path:
        """Return a site within the moved phrases around it, each in its position before a step."""
        around = self.home.get(site)
        if around is None:
            return (site,)
        moves = sum(m.mover == around for m in self.derived.movements[:step])
        return (*self._place((around, moves), step), site)

    def _tree(self, phrase: Phrase, path: Path, *, copy: bool) -> Tree:
        number, self.drawn = self.drawn, self.drawn + 1
        mover = phrase.mover if phrase.trace is None else phrase.trace
        if mover is not None:
            path = (*path, (mover, phrase.site))
            self.number[path] = number
        if phrase.trace is not None:
            whole = self.derived.moved[phrase.trace]
            if path not in self.in_full:
                return Tree(" ".join(whole.words) or SILENT, style="copy", trace=phrase.trace)
            return self._node(whole, path, copy=True, trace=phrase.trace)
        return self._node(phrase, path, copy=copy, mover=phrase.mover if phrase.site else None)

    def _node(
        self, phrase: Phrase, path: Path, *, copy: bool, trace: int | None = None, mover: int | None = None
    ) -> Tree:
        if phrase.item is not None:
            if copy:
                return Tree(phrase.item.phon, style="copy", trace=trace, mover=mover)
            style = "silent" if phrase.item.silent else "word"
            detail = format_features(phrase.item.features, self.convention)
            return Tree(phrase.item.phon, (), detail, style, phrase.position, trace, mover)
        mark = {"phrase": "", "bar": "′", "head": "⁰"}[phrase.level]  # ⁰: two adjoined heads
        label = f"{phrase.category}{mark}"
        children = tuple(self._tree(child, path, copy=copy) for child in phrase.children)
        return Tree(label, children, trace=trace, mover=mover)


def _sites(phrase: Phrase) -> Iterator[Site]:
    """Yield the sites inside a moved phrase, those inside phrases that landed in it left out."""
    for child in phrase.children:
        mover = child.mover if child.trace is None else child.trace
        if mover is not None:
            yield mover, child.site
        else:
            yield from _sites(child)
