"""Derived trees: pronounced words in their places, with heads, projections and traces.

Each merge adds a phrase to the selecting head's projection, on the side its feature
says; a phrase that will move leaves trace i where it merged and at every landing site
but the last. In the middle of a derivation, a phrase that has not reached its last site is shown where
it merged or last landed.

A head that moves leaves a trace in its phrase and is adjoined to the selecting head: the two are one
complex head. An affix that hops leaves a trace in its own phrase and is adjoined to its host.

An adjunct and its host are sisters below another phrase of the host's category. An adjunct to x has no
category; its own phrase is called ``≈x``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from otlab.errors import Fault, InputError, counted
from otlab.mg.features import projection_of

if TYPE_CHECKING:
    from otlab.mg.derivation import Derivation, Node
    from otlab.mg.features import Feature
    from otlab.mg.lexicon import LexicalItem

__all__ = ["Derived", "Movement", "Phrase", "check_depth", "derive"]

Level = Literal["head", "bar", "phrase"]
MOST_LEVELS = 300


@dataclass(frozen=True, slots=True)
class Phrase:
    """A constituent of a derived tree.

    Attributes
    ----------
    category
        Of its head; of an adjunct to x, ``≈x``.
    level
        ``head`` (a word, or two adjoined heads, that projects further), ``bar`` or ``phrase``.
    children
        Left to right; none for a word or a trace.
    head_left
        Whether the head is in the left child.
    item, position
        A word's lexical item, and its place in the Polish sequence.
    trace
        The mover whose trace this is.
    mover
        The mover that has landed here, or that has moved this far.
    site
        Of a trace or mover: 0 where it merged, then 1, 2, ... for each move.
    """

    category: str
    level: Level
    children: tuple[Phrase, ...] = ()
    head_left: bool = True
    item: LexicalItem | None = None
    position: int = -1
    trace: int | None = None
    mover: int | None = None
    site: int = 0

    @property
    def words(self) -> tuple[str, ...]:
        """The words pronounced in it."""
        own = self.item.words if self.item else ()
        return own + tuple(w for child in self.children for w in child.words)


@dataclass(frozen=True, slots=True)
class Movement:
    """One step of a mover: which one, the licensor it checked, and the site it reached, from 1.

    For a head that moves, or an affix that hops, `licensor` is the selector as written: ``=>v``.
    """

    mover: int
    licensor: str
    site: int


@dataclass(frozen=True)
class Derived:
    """A derived tree with its movements.

    Attributes
    ----------
    root
        The tree.
    movements
        In the order in which they happened.
    moved
        Each mover's phrase, by its number.
    """

    root: Phrase
    movements: tuple[Movement, ...]
    moved: dict[int, Phrase] = field(default_factory=dict)


def check_depth(derivation: Derivation) -> None:
    """Raise an error if a derivation is too deep to draw.

    Raises
    ------
    InputError
        If it is deeper than 300 expressions.
    """
    if derivation.depth > MOST_LEVELS:
        what = f"a derivation of {counted(len(derivation.items), 'item')} is too deep for a tree"
        raise InputError(Fault(what, "see its sequence or its steps, or use fewer silent items"))


def derive(node: Node) -> Derived:
    """Return the derived tree of a derivation, finished or not."""
    return _Builder().build(node)


class _Builder:
    def __init__(self) -> None:
        self.moved: dict[int, Phrase] = {}
        self.movements: list[Movement] = []
        self.landed: set[int] = set()
        self.words = 0

    def build(self, node: Node) -> Derived:
        stack: list[tuple[Phrase, tuple[int, ...]]] = []
        for step in node.walk():
            parts = [stack.pop() for _ in step.children][::-1]
            stack.append(self._phrase(step, parts))
        root = replace(stack[0][0], level="phrase")
        shown = self._in_place(root, {m: self._site(m) for m in self.moved if m not in self.landed})
        return Derived(shown, tuple(self.movements), self.moved)

    def _phrase(
        self, node: Node, parts: list[tuple[Phrase, tuple[int, ...]]]
    ) -> tuple[Phrase, tuple[int, ...]]:
        """Return the phrase of a node, and the numbers of its movers in the node's order."""
        if node.item is not None:
            self.words += 1
            return Phrase(
                projection_of(node.item.features), "head", item=node.item, position=self.words - 1
            ), ()
        head, movers = parts[0]
        if node.mover is not None:
            return self._move(node, head, movers)
        argument, argument_movers = replace(parts[1][0], level="phrase"), parts[1][1]
        movers += argument_movers
        if node.rule == "adjoin":
            host, adjunct = argument, replace(head, level="phrase")
            left = node.checked is None or node.checked.side == "right"
            return self._project(host, adjunct, left), movers
        if node.checked is not None and node.checked.moves_head:
            head, argument = self._adjoin(node.checked, head, argument)
        if node.rule == "merge-m":
            number = len(self.moved) + 1
            self.moved[number] = argument
            argument = Phrase(argument.category, "phrase", trace=number)
            movers = (*movers, number)
        left = node.checked is not None and node.checked.kind == "left"
        return self._project(head, argument, left), movers

    def _adjoin(self, selector: Feature, head: Phrase, argument: Phrase) -> tuple[Phrase, Phrase]:
        """Return the selecting head and its argument after head movement, or after an affix has hopped."""
        number = len(self.moved) + 1
        host = _head_of(argument)
        hops = selector.kind in ("hop-left", "hop-right")
        if host.trace is not None and not hops:
            return head, argument  # its head has left: nothing is there to move
        self.moved[number] = head if hops else host
        self.movements.append(Movement(number, str(selector), 1))
        self.landed.add(number)
        moved = replace(self.moved[number], mover=number, site=1)
        left = selector.kind in ("head-left", "hop-left")
        base = host if hops else head
        pair = (moved, base) if left else (base, moved)
        complex_head = Phrase(base.category, "head", pair, head_left=not left)
        trace = Phrase(self.moved[number].category, "head", trace=number)
        here, below = (trace, complex_head) if hops else (complex_head, trace)
        return here, _with_head(argument, below)

    def _move(self, node: Node, head: Phrase, movers: tuple[int, ...]) -> tuple[Phrase, tuple[int, ...]]:
        place = next(i for i, m in enumerate(node.children[0].movers) if m is node.mover)
        number = movers[place]
        site = self._site(number) + 1
        self.movements.append(Movement(number, node.checked.name if node.checked else "", site))
        if node.rule == "move-1":
            self.landed.add(number)
            landing = replace(self.moved[number], mover=number, site=site)
            movers = movers[:place] + movers[place + 1 :]
        else:
            landing = Phrase(self.moved[number].category, "phrase", trace=number, site=site)
        return self._project(head, landing, True), movers

    def _site(self, mover: int) -> int:
        """Return the number of moves of a mover so far."""
        return sum(m.mover == mover for m in self.movements)

    @staticmethod
    def _project(head: Phrase, other: Phrase, left: bool) -> Phrase:
        children = (other, head) if left else (head, other)
        return Phrase(head.category, "bar", children, head_left=not left)

    def _in_place(self, phrase: Phrase, waiting: dict[int, int]) -> Phrase:
        """Put movers that have not landed yet at the last site they reached."""
        if phrase.trace is not None and waiting.get(phrase.trace) == phrase.site:
            here = replace(self.moved[phrase.trace], mover=phrase.trace, site=phrase.site)
            return self._in_place(here, waiting)
        children = tuple(self._in_place(child, waiting) for child in phrase.children)
        return replace(phrase, children=children) if children else phrase


def _head_of(phrase: Phrase) -> Phrase:
    """Return the head of a phrase, a word, two adjoined heads or a head's trace."""
    while phrase.children and not _adjoined(phrase):
        phrase = phrase.children[0 if phrase.head_left else 1]
    return replace(phrase, level="head")


def _with_head(phrase: Phrase, head: Phrase) -> Phrase:
    """Return a phrase with another head; a head alone becomes a phrase above it."""
    path: list[Phrase] = []
    while phrase.children and not _adjoined(phrase):
        path.append(phrase)
        phrase = phrase.children[0 if phrase.head_left else 1]
    if not path or phrase.level == "phrase":  # a word alone, or one below its adjuncts
        head = Phrase(phrase.category, "phrase", (head,))
    for above in reversed(path):
        left, right = above.children[0], above.children[-1]
        if len(above.children) == 1:
            children: tuple[Phrase, ...] = (head,)
        else:
            children = (head, right) if above.head_left else (left, head)
        head = replace(above, children=children)
    return head


def _adjoined(phrase: Phrase) -> bool:
    """Return whether a phrase is two adjoined heads and nothing else."""
    return len(phrase.children) == 2 and all(child.level == "head" for child in phrase.children)
