"""Trees of labels, which are drawn, bracketed and exported alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Arrow", "Drawing", "Tree"]


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
    """One movement: from the site that the mover leaves to the one it reaches.

    Both are where they were in that step: inside the lower copy of a phrase that moves later.

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
