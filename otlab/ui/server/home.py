"""The home page: a card for each lab, recent documents, lessons, and a drop zone for files."""

from __future__ import annotations

import base64
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import param

from otlab.errors import InputError
from otlab.ui.components import esm, styles, stylesheet
from otlab.ui.components.cards import html
from otlab.ui.components.component import Component
from otlab.ui.components.icons import drawing
from otlab.ui.lessons.lesson import lesson_names, shipped_lesson
from otlab.ui.server import opening, shell, uploads, warm
from otlab.ui.server.recent import RecentDocuments
from otlab.ui.server.registry import LabEntry, labs

if TYPE_CHECKING:
    import panel_material_ui as pmui

    from otlab.ui.documents.store import DocumentStore

__all__ = ["home_page"]

_CSS = stylesheet("home")


class DropZone(Component):
    """Takes a file or a pasted table, and opens the lab it belongs to."""

    message = param.String(doc="What went wrong with the last file.")
    formats = param.String()

    _esm = esm("drop_zone")
    _stylesheets: ClassVar[list[str]] = styles("drop_zone")

    def _handle_msg(self, data: dict[str, str]) -> None:
        content = base64.b64decode(data["data"])
        try:
            address = uploads.address_of(data["name"], content)
        except InputError as error:
            self.message = str(error)
            return
        self.message = ""
        self._send_msg({"open": f"./{address}"})


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
        "<p>Open a tableau, a lexicon or a corpus of your own, or start with a published example. "
        f'Everything runs on this computer.</p><ul class="labs">{cards}</ul></div>'
    )


def _lessons() -> str:
    """Return the list of the lessons whose labs are there."""
    routes = {entry.route for entry in labs()}
    found = [lesson for lesson in map(shipped_lesson, lesson_names()) if lesson.lab in routes]
    rows = "".join(
        f'<li><a href="./{lesson.lab}?lesson={lesson.name}">{escape(lesson.title)}</a>'
        f"<span>{len(lesson.steps)} steps, {escape(lesson.goal)}</span></li>"
        for lesson in found
    )
    lessons = f'<h2 class="part">Lessons</h2><ol class="lessons">{rows}</ol>' if rows else ""
    return f'<div class="home further">{lessons}</div>'


def home_page(documents: DocumentStore | None = None) -> pmui.Page:
    """Return the page at ``/``; it lists the recent ones of `documents`, if they are given."""
    warm.start()
    warm.note_page()
    dark = shell.prefers_dark()

    def follow(on: bool) -> None:
        with pn.io.hold():
            bar.dark = page.dark_theme = on

    bar = shell.AppBar(lambda _: None, follow, labs=shell.lab_links(""), dark=dark)
    formats = ", ".join(entry.formats for entry in labs())
    width: dict[str, Any] = {
        "sizing_mode": "stretch_width",
        "margin": 0,
        "styles": {"max-width": "1304px", "margin": "0 auto", "max-height": "none"},
    }
    recent = [] if documents is None else [RecentDocuments(documents, bar.toast, **width)]
    content: Any = pn.Column(
        html(_words(), _CSS, sizing_mode="stretch_width", styles={"max-height": "none"}),
        *recent,
        html(_lessons(), _CSS, sizing_mode="stretch_width", styles={"max-height": "none"}),
        DropZone(formats=formats, **width),
        sizing_mode="stretch_width",
        margin=0,
        # Panel holds each child to its parent's height; a narrow page is taller than its window.
        styles={"padding": "0 28px 28px", "flex": "none", "max-height": "none"},
    )
    page = shell.page(bar, shell.only(content), "Home", dark, meanwhile=opening.OPENING_HOME)
    return page
