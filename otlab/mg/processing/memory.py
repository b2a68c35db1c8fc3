"""Memory use of a top-down parse: index, outdex and tenure of every node of a derivation tree.

The parser of Stabler (2013) expands a derivation tree from its root, always towards the next word of the
sentence. A node's *index* is the step at which it is predicted, its *outdex* the step at which it is
expanded, or read if it is a lexical item (Kobele, Gerth & Hale 2013). The root has index 1 and every other
node the outdex of its mother; of the nodes in memory, the one that dominates the leftmost lexical item of
the sentence is expanded next. Silent items have places in the sentence too, those of the derived tree.
*Tenure* is outdex minus index: how long the node was in memory. It is trivial up to 2. The *size* of a
movement is the difference of the indices of the phrase that moves and the node of the move (Graf, Monette &
Zhang 2017).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from otlab.mg.views.derived import check_depth, derive

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.mg.derivation import Derivation, Node
    from otlab.mg.views.derived import Phrase

__all__ = ["MemoryUse", "Moved", "Visit", "expand", "memory_use"]

Kind = Literal["I", "P", "U"]
LONGEST_TRIVIAL = 2


@dataclass(frozen=True, slots=True)
class Visit:
    """What a top-down parse does with one node of a derivation tree.

    Attributes
    ----------
    node
        The node.
    index, outdex
        The steps at which it is predicted and expanded, from 1.
    kind
        ``I`` for an interior node, ``P`` for a pronounced and ``U`` for an unpronounced lexical item.
    """

    node: Node
    index: int
    outdex: int

    @property
    def tenure(self) -> int:
        """Number of steps for which the node is in memory."""
        return self.outdex - self.index

    @property
    def kind(self) -> Kind:
        """The kind of node, which filters of metrics name."""
        if self.node.item is None:
            return "I"
        return "U" if self.node.item.silent else "P"


@dataclass(frozen=True, slots=True)
class Moved:
    """One step of a movement.

    Attributes
    ----------
    mover, target
        The phrase that moves, where it was merged, and the node of the move.
    licensor
        The feature that is checked.
    final
        Whether it is the last step of this phrase.
    """

    mover: Visit
    target: Visit
    licensor: str
    final: bool

    @property
    def size(self) -> int:
        """Difference of the two indices."""
        return abs(self.mover.index - self.target.index)


@dataclass(frozen=True)
class MemoryUse:
    """The course of a top-down parse of one derivation.

    Attributes
    ----------
    derivation
        What is parsed.
    visits
        The nodes in the order in which they are expanded.
    moves
        The steps of movement, bottom-up.
    """

    derivation: Derivation
    visits: tuple[Visit, ...]
    moves: tuple[Moved, ...]

    @cached_property
    def of(self) -> dict[int, Visit]:
        """The visit of each node, by the node's identity."""
        return {id(v.node): v for v in self.visits}

    def word_tenures(self) -> list[int]:
        """Return the tenure of each word of the sentence; words of one lexical item have its tenure.

        A word that is pronounced for several has the longest of their tenures.
        """
        read = [v for v in self.visits if v.kind == "P" and v.node.item for _ in v.node.item.words]
        return self.derivation.spell_out.spell_values(self.derivation.words, [v.tenure for v in read])


def memory_use(derivation: Derivation) -> MemoryUse:
    """Return index and outdex of every node of a derivation tree, and its movements.

    Raises
    ------
    InputError
        If it is deeper than 300 expressions.

    Examples
    --------
    >>> from otlab.mg import parse
    >>> from otlab.samples import load_sample
    >>> use = memory_use(parse(load_sample("figure1_wh"), "what did you see").best(1)[0].derivation)
    >>> [(v.index, v.outdex) for v in use.visits]
    [(1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (3, 7), (4, 8), (5, 9), (9, 10), (9, 11)]
    """
    check_depth(derivation)
    leaves = [node for node in derivation.root.walk() if node.item is not None]
    order = [leaves[position] for position in _surface_order(derive(derivation.root).root)]
    visits = expand(derivation.root, order)
    return MemoryUse(derivation, visits, tuple(_moves(derivation.root, {id(v.node): v for v in visits})))


def expand(root: Node, order: Sequence[Node]) -> tuple[Visit, ...]:
    """Return the visits of a top-down parse in their order.

    Parameters
    ----------
    root
        The root of the derivation tree.
    order
        Its lexical items as they stand in the sentence, silent ones too.
    """
    mother = {id(child): node for node in root.walk() for child in node.children}
    outdex: dict[int, int] = {}
    visits: list[Visit] = []
    for leaf in order:
        path = [leaf]
        while (above := mother.get(id(path[-1]))) is not None and id(above) not in outdex:
            path.append(above)
        for node in reversed(path):
            above = mother.get(id(node))
            step = outdex[id(node)] = len(visits) + 2
            visits.append(Visit(node, 1 if above is None else outdex[id(above)], step))
    return tuple(visits)


def _surface_order(root: Phrase) -> list[int]:
    """Return the numbers of the lexical items, silent ones too, as they stand in the sentence."""
    found: list[int] = []
    pending = [root]
    while pending:
        phrase = pending.pop()
        if phrase.item is not None:
            found.append(phrase.position)
        pending.extend(reversed(phrase.children))
    return found


def _moves(root: Node, visits: dict[int, Visit]) -> list[Moved]:
    """Return the steps of movement, from the phrases that wait to move at each node."""
    found: list[Moved] = []
    waiting: list[list[Node]] = []
    for node in root.walk():
        below = [waiting.pop() for _ in node.children][::-1]
        movers = [mover for part in below for mover in part]
        if node.rule == "merge-m":
            movers.append(node.children[1])
        elif node.mover is not None:
            place = next(i for i, chain in enumerate(node.children[0].movers) if chain is node.mover)
            final = len(node.mover.features) == 1
            licensor = node.checked.name if node.checked else ""
            found.append(Moved(visits[id(movers[place])], visits[id(node)], licensor, final))
            if final:
                del movers[place]
        waiting.append(movers)
    return found
