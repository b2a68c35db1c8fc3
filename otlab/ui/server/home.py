"""The home page: a card for each lab, recent documents, lessons, and a drop zone for files."""

from __future__ import annotations

import base64
import time
from datetime import datetime
from typing import TYPE_CHECKING, Any

import panel as pn
import param

from otlab.errors import InputError, counted
from otlab.html import escape
from otlab.ui.classroom.exercise import BOARD
from otlab.ui.components import stylesheet
from otlab.ui.components.cards import Html
from otlab.ui.components.component import Component
from otlab.ui.components.icons import drawing
from otlab.ui.documents.keeper import rename
from otlab.ui.documents.store import COPY_OF
from otlab.ui.documents.writer import writer
from otlab.ui.lessons.lesson import lesson_names, shipped_lesson
from otlab.ui.server import loading_screen, memory, shell, uploads, warm
from otlab.ui.server.registry import LabEntry, labs

if TYPE_CHECKING:
    from collections.abc import Callable

    import panel_material_ui as pmui

    from otlab.ui.documents.store import DocumentStore, Summary

__all__ = ["RecentDocuments", "home_page", "when"]

_CARD = stylesheet("home_card")
_CSS = stylesheet("home")
_MINUTE, _HOUR, _WEEK = 60, 3600, 7


class DropZone(Component):
    """Takes a file or a pasted table, and opens the lab it belongs to."""

    message = param.String(doc="What went wrong with the last file.")
    formats = param.String()

    script = "drop_zone"
    sheets = (_CARD,)

    def _handle_msg(self, data: dict[str, str]) -> None:
        content = base64.b64decode(data["data"])
        try:
            address = uploads.address_of(data["name"], content)
        except InputError as error:
            self.message = str(error)
            return
        self.message = ""
        self._send_msg({"open": f"./{address}", "taken": uploads.opening(data["name"], content, address)})


class RecentDocuments(Component):
    """All documents, newest first: open, rename, duplicate, delete; at first the six that were saved last.

    The copies of exercises that students work on stand behind a line of their own.

    They are shown only by a server that no other computer can reach, because anyone who sees the list
    can open them all.

    Parameters
    ----------
    store
        The store whose documents are listed.
    toast
        Called with a message to show and with the action of its Undo button, or None.
    """

    documents = param.List(
        doc="A dict per document: id, name, lab, address, where and when it was left, if a student's copy."
    )

    script = "recent_documents"
    parts = ("rename_in_place",)
    icons = ("pencil", "plus", "cross", "chevron")
    sheets = (_CARD,)

    def __init__(
        self, store: DocumentStore, toast: Callable[[str, Callable[[], None] | None], None], **params: Any
    ) -> None:
        self._store, self._toast = store, toast
        self._deleted: list[str] = []
        super().__init__(**params)
        self.list_again()

    def list_again(self) -> None:
        """Show the documents as they are in the store now."""
        writer.flush()
        titles = {**{entry.route: entry.title for entry in labs()}, BOARD: "Class"}
        summaries = [one for one in self._store.recent() if one.lab in titles]
        now, copied = time.time(), self._store.with_part(COPY_OF)
        self.documents = [{**_line(one, titles[one.lab], now), "copy": one.id in copied} for one in summaries]
        self.visible = bool(summaries)

    def _handle_msg(self, data: dict[str, str]) -> None:
        document = data["id"]
        summary = self._store.summary(document)
        if summary is None:  # deleted in another page
            self.list_again()
            return
        if data["kind"] == "rename":
            rename(self._store, document, data["name"])
        elif data["kind"] == "duplicate":
            self._store.duplicate(document)
        elif data["kind"] == "delete":
            self._store.delete(document)
            self._deleted.append(document)
            self._toast(f"{summary.called} is deleted", lambda: self.restore(document))
        self.list_again()

    def restore(self, document: str = "") -> None:
        """Restore a document that was deleted on this page: the last one if none is named."""
        if not document and self._deleted:
            document = self._deleted[-1]
        if document in self._deleted:
            self._deleted.remove(document)
            self._store.restore(document)
            self._toast("", None)
            self.list_again()


def _line(summary: Summary, lab: str, now: float) -> dict[str, Any]:
    return {
        "id": summary.id,
        "name": summary.called,
        "lab": lab,
        "address": f"./{summary.lab}?{'board' if summary.lab == BOARD else 'document'}={summary.id}",
        "status": summary.status,
        "when": when(summary.changed, now),
        "changed": summary.changed,
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


def _card(entry: LabEntry) -> str:
    return (
        f'<li><a class="lab" href="./{entry.route}">'
        f'<div class="picture">{drawing(entry.picture)}</div>'
        f'<div class="words"><h2>{escape(entry.title)}</h2><p>{escape(entry.blurb)}</p>'
        f'<span class="open"><b>Open</b>first example: {escape(entry.starts_with)}</span></div></a></li>'
    )


def _words() -> str:
    cards = "".join(_card(entry) for entry in labs())
    return (
        '<div class="home"><h1>Watch a grammar being learnt</h1>'
        "<p>Open a tableau, a lexicon, a corpus or a recording of your own, or start with a published "
        f'example. Everything runs on this computer.</p><ul class="labs">{cards}</ul></div>'
    )


def _lessons() -> str:
    """Return the list of the lessons whose labs are there."""
    routes = {entry.route for entry in labs()}
    found = [lesson for lesson in map(shipped_lesson, lesson_names()) if lesson.lab in routes]
    rows = "".join(
        f'<li><a href="./{escape(lesson.lab)}?lesson={escape(lesson.name)}">{escape(lesson.title)}</a>'
        f"<span>{counted(len(lesson.steps), 'step')}</span><small>{escape(lesson.goal)}</small></li>"
        for lesson in found
    )
    return f'<section class="card"><h2 class="title">Lessons</h2><ol class="lessons">{rows}</ol></section>'


def _part(width: int) -> dict[str, Any]:
    """Return the layout of a part below the labs: `width` pixels or more, beside the others if it fits."""
    styles = {"flex": f"{width} 1 min({width}px, 100%)", "height": "auto", "max-height": "none"}
    return {"margin": 0, "styles": styles}


def home_page(documents: DocumentStore | None = None) -> pmui.Page:
    """Return the page at ``/``; it lists documents if their store is given."""
    warm.kernels.start()
    memory.open_pages.add()
    bar = shell.AppBar()
    formats = ", ".join(entry.formats for entry in labs())
    recent = []
    if documents is not None:
        recent = [RecentDocuments(documents, bar.toast, **_part(560))]
        bar.on_keys["undo"] = recent[0].restore
    lessons = Html(_lessons(), _CARD + _CSS, **_part(330))
    content: Any = pn.Column(
        Html(_words(), _CSS, sizing_mode="stretch_width", styles={"max-height": "none"}),
        pn.FlexBox(
            *recent,
            lessons,
            DropZone(formats=formats, **_part(290)),
            align_items="stretch",
            gap="18px",
            sizing_mode="stretch_width",
            margin=0,
            styles={"width": "100%", "max-width": "1304px", "margin": "0 auto", "max-height": "none"},
        ),
        sizing_mode="stretch_width",
        margin=0,
        # Panel limits a child to its parent's height, but a narrow page is taller than its window.
        styles={"padding": "0 28px 28px", "flex": "none", "max-height": "none"},
    )
    return shell.page(bar, shell.only(content), "Home", meanwhile=loading_screen.OPENING_HOME)
