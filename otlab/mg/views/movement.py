"""The movement view: a derived tree with struck-through copies and an arrow for each movement.

A phrase that has moved leaves a copy at every site it was at. A copy is drawn in full if
a movement begins or ends inside it (remnant movement: the object leaves the verb phrase,
then the verb phrase moves); else as one struck-through string. An arrow joins the places
as they were in its step of the derivation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otlab.mg.features import format_features
from otlab.mg.lexicon import SILENT
from otlab.mg.views.trees import Arrow, Drawing, Tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otlab.mg.features import Convention
    from otlab.mg.views.derived import Derived, Phrase

__all__ = ["movement_drawing"]

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
        """Return a site within the moved phrases around it, each where it was before a step."""
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
        label = phrase.category if phrase.level == "phrase" else f"{phrase.category}′"
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
