"""Undo and redo for the document of a lab.

::

    history = History(take=state.copy_document, put=state.put_document)
    history.record("AL renamed")      # before the edit
    history.undo(); history.redo()    # return what was undone or redone, "" if nothing
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import param

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Edits", "History"]


@dataclass(frozen=True)
class Edits:
    """A document and its edits at one time, to be saved.

    Attributes
    ----------
    now
        The document.
    past, future
        (edit, document before it), oldest first; (edit, document after it), of edits undone.
    """

    now: Any
    past: tuple[tuple[str, Any], ...]
    future: tuple[tuple[str, Any], ...]

    def newest(self, n: int) -> Edits:
        """Return the same with the `n` newest edits of each kind."""
        return Edits(
            self.now, self.past[len(self.past) - min(n, len(self.past)) :], self.future[-n:] if n else ()
        )


class History(param.Parameterized):
    """The edits of one document that can be undone and redone.

    Parameters
    ----------
    take
        Returns the present document, which must not change afterwards.
    put
        Restores what `take` returned.
    depth
        How many edits are kept.
    """

    DEPTH: ClassVar[int] = 100

    last = param.String(doc="The newest edit that can be undone, in words; empty if there is none.")
    next = param.String(doc="The edit that Redo brings back, in words; empty if there is none.")

    def __init__(self, take: Callable[[], Any], put: Callable[[Any], None], depth: int | None = None) -> None:
        super().__init__()
        self._take, self._put, self.depth = take, put, depth or self.DEPTH
        self._past: list[tuple[str, Any]] = []
        self._future: list[tuple[str, Any]] = []

    @property
    def can_undo(self) -> bool:
        """Whether an edit can be undone."""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Whether an undone edit can be redone."""
        return bool(self._future)

    def record(self, edit: str) -> Callable[[], None]:
        """Record the document before an edit; undone edits can no longer be redone.

        Returns
        -------
        callable
            See :meth:`way_back`.
        """
        self._past.append((edit, self._take()))
        del self._past[: -self.depth]
        self._future.clear()
        self._notify()
        return self.way_back()

    def way_back(self) -> Callable[[], None]:
        """Return a function that undoes the last edit and all later ones; Redo brings them back.

        It does nothing if that edit was undone already.
        """
        kept = self._past[-1] if self._past else None

        def take_back() -> None:
            while any(version is kept for version in self._past):
                self.undo()

        return take_back

    def undo(self) -> str:
        """Undo the last edit and return its description."""
        return self._travel(self._past, self._future)

    def redo(self) -> str:
        """Redo the last undone edit and return its description."""
        return self._travel(self._future, self._past)

    def edits(self) -> Edits:
        """Return the present document and its edits."""
        return Edits(self._take(), tuple(self._past), tuple(self._future))

    def versions(self) -> tuple[list[Any], list[Any]]:
        """Return the documents that Undo leads back to, and those that Redo does, the nearest first."""
        return [v for _, v in reversed(self._past)], [v for _, v in reversed(self._future)]

    def put_edits(self, edits: Edits) -> None:
        """Restore what :meth:`edits` returned; the caller restores the document itself."""
        self._past[:], self._future[:] = edits.past, edits.future
        self._notify()

    def clear(self) -> None:
        """Delete all edits; called when another document was loaded."""
        self._past.clear()
        self._future.clear()
        self._notify()

    def _travel(self, source: list[tuple[str, Any]], target: list[tuple[str, Any]]) -> str:
        if not source:
            return ""
        edit, document = source.pop()
        target.append((edit, self._take()))
        self._put(document)
        self._notify()
        return edit

    def _notify(self) -> None:
        self.param.update(
            last=self._past[-1][0] if self._past else "", next=self._future[-1][0] if self._future else ""
        )
