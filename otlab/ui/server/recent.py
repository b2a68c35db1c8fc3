"""The recent documents of the home page: open, rename, duplicate, delete.

They are shown only by a server that no other computer can reach: whoever sees the list can open them all.
"""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

import param

from otlab.ui.classroom.exercise import BOARD
from otlab.ui.components import esm, styles
from otlab.ui.components.component import Component
from otlab.ui.documents.keeper import show_name
from otlab.ui.documents.writer import writer
from otlab.ui.server.registry import labs

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.ui.documents.store import DocumentStore, Summary

__all__ = ["RecentDocuments", "when"]

MOST = 6
_MINUTE, _HOUR, _WEEK = 60, 3600, 7


class RecentDocuments(Component):
    """The documents that were saved last, newest first.

    Parameters
    ----------
    store
        Where they are.
    toast
        Shows a message; with what its button, if any, does.
    """

    documents = param.List(doc="Id, name, lab, address, where it was left and when, of each.")

    _esm = esm("recent_documents", icons=("pencil", "plus", "cross"))
    _stylesheets: ClassVar[list[str]] = styles("recent_documents")

    def __init__(
        self, store: DocumentStore, toast: Callable[[str, Callable[[], None] | None], None], **params: Any
    ) -> None:
        self._store, self._toast = store, toast
        super().__init__(**params)
        self.list_again()

    def list_again(self) -> None:
        """Show the documents as they are in the store now."""
        writer.flush()
        titles = {**{entry.route: entry.title for entry in labs()}, BOARD: "Class"}
        summaries = [one for one in self._store.recent(MOST) if one.lab in titles]
        now = time.time()
        self.documents = [_line(one, titles[one.lab], now) for one in summaries]
        self.visible = bool(summaries)

    def _handle_msg(self, data: dict[str, str]) -> None:
        document = data["id"]
        summary = self._store.summary(document)
        if summary is None:  # deleted in another page
            self.list_again()
            return
        if data["kind"] == "rename":
            self._store.rename(document, data["name"])
            show_name(document, data["name"].strip())
        elif data["kind"] == "duplicate":
            self._store.duplicate(document)
        elif data["kind"] == "delete":
            self._store.delete(document)
            self._toast(f"{summary.called} is deleted", lambda: self._restore(document))
        self.list_again()

    def _restore(self, document: str) -> None:
        self._store.restore(document)
        self.list_again()


def _line(summary: Summary, lab: str, now: float) -> dict[str, str]:
    return {
        "id": summary.id,
        "name": summary.called,
        "lab": lab,
        "address": f"./{summary.lab}?{'board' if summary.lab == BOARD else 'document'}={summary.id}",
        "status": summary.status,
        "when": when(summary.changed, now),
    }


def when(changed: float, now: float) -> str:
    """Return a moment of the past in words, both in seconds since 1970.

    >>> when(100.0, 130.0), when(100.0, 1000.0)
    ('just now', '15 min ago')
    """
    then, today = datetime.fromtimestamp(changed), datetime.fromtimestamp(now)
    seconds, days = now - changed, (today.date() - then.date()).days
    if seconds < _MINUTE:
        return "just now"
    if seconds < _HOUR:
        return f"{seconds / _MINUTE:.0f} min ago"
    if days == 0:
        return f"{then:%H:%M}"
    if days == 1:
        return "yesterday"
    if days < _WEEK:
        return f"{then:%A}"
    return f"{then.day} {then:%B}" if then.year == today.year else f"{then.day} {then:%B %Y}"
