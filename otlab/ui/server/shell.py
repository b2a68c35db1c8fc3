"""The page around a lab: white bar with logo, lab tabs, example chooser, link, dark mode, help.

The choice of dark mode is kept in the browser's storage and in a cookie, which the server
reads before it draws the page, so that a dark page does not flash white.
"""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui
import param
from panel.io.resources import LOCAL_DIST
from panel.util import edit_readonly

from otlab.ui.background import Background
from otlab.ui.components import stylesheet
from otlab.ui.components.component import Component
from otlab.ui.components.downloads import send_file
from otlab.ui.components.layout import MAIN_CONTAINER, with_widths
from otlab.ui.components.theme import ALIAS, SHELL, SIDEBAR, THEME
from otlab.ui.documents.store import COPY_OF, listed_store
from otlab.ui.documents.writer import writer
from otlab.ui.packing import LINK_MOST
from otlab.ui.server import loading_screen
from otlab.viz.base.tokens import DARK, LIGHT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from bokeh.document import Document

    from otlab.ui.components.downloads import File
    from otlab.ui.state import State

__all__ = ["AppBar", "page", "prefers_dark"]

LONGEST_NAME = 200
MOST_DOCUMENTS = 10  # in the chooser

_FAVICON = Path(__file__).resolve().parent.parent / "assets" / "favicon.svg"
# app_bar.js sets the zoom in presenter mode.
_MAIN = ":host { overflow: hidden auto; min-width: 0; background: var(--ot-bg); zoom: var(--ot-zoom, 1); }"
# Panel gives a row the minimum width of its contents, which is too wide for a narrow window.
_COLUMNS = with_widths(
    ":host { min-width: 0 !important; } @container ot-page (width < HAND) { :host { padding-bottom: 53px; } }"
)

STEPS = (
    "Choose an example at the top, or load your own data on the Data tab; what you see can be edited.",
    "Set the learners at the left and press Run: results are drawn while they learn, "
    "and “Can I trust it?” says whether to believe them.",
    "Dotted words explain themselves when pointed at; the Data tab has the files to download, "
    "the menu of a card its picture, the link button an address to share.",
)
KEYS = (
    ("Space", "Run, pause, resume"),
    (".", "One step by hand"),
    ("Esc", "Leave the full screen; else stop (asks first)"),
    ("Ctrl Z", "Undo an edit"),
    ("Shift Ctrl Z", "Redo it"),
    ("/", "Choose an example"),
    ("[  ]", "Previous, next tab"),
    ("D", "Dark or light"),
    ("P", "Presenter mode: larger, with few controls"),
    ("?", "This list"),
)


class AppBar(Component):
    """Content of the app bar; also shows toasts."""

    labs = param.List(doc="(title, href, current) of each lab.")
    examples = param.List(doc="(value, label) of each example; empty hides the chooser.")
    example = param.String()
    documents = param.List(doc="(id, name) of each other document of this lab, newest first; may be empty.")
    dark = param.Boolean()
    drawer = param.Boolean(doc="Whether windows below 1100 px have a button that opens the run panel.")
    steps = param.List(doc="Sentences of the help that say how a lab is used.")
    keys = param.List(doc="(keys, what they do) on every page.")
    own_keys = param.List(doc="(keys, what they do) in the lab's own table or drawing; may be empty.")
    title = param.String(doc="Title of the lab; empty on the home page.")
    route = param.String(doc="Route of the lab, the key under which the browser stores its settings.")
    noun = param.String("table", doc="What is edited in this lab.")
    own = param.String(doc="Name of the user's own data; empty for an example.")
    stem = param.String(doc="What the names of exported files begin with.")
    edited = param.Boolean(doc="Whether what is open was edited.")
    kept = param.String(doc="What is open, packed as text for the link; empty if nothing was edited.")
    document_id = param.String(doc="The id of the document; empty before the first edit.")
    called = param.String(doc="The name of the document.")
    saved = param.String(doc="Message about the last save of the document.")
    link_most = param.Integer(LINK_MOST, doc="The most characters of `kept` that a link may have.")
    busy = param.Boolean(doc="Whether a run is in progress.")

    runs = param.Boolean(True, doc="Whether the page has runs.")
    exercise = param.String(doc="The id of the exercise that the page is about; empty for none.")

    script = "app_bar"
    parts = ("bokeh_repairs", "keyboard_access", "exercise_dialog", "rename_in_place")

    def __init__(
        self,
        on_example: Callable[[str], None] = lambda _: None,
        on_dark: Callable[[bool], None] = lambda _: None,
        on_arrival: Callable[[str], None] = lambda _: None,
        on_keys: Mapping[str, Callable[[], None]] | None = None,
        on_exercise: Callable[[Mapping[str, Any] | None], Mapping[str, Any]] | None = None,
        on_rename: Callable[[str], None] = lambda _: None,
        on_file: Callable[[], File] | None = None,
        on_exercise_file: Callable[[str, str], File] | None = None,
        **params: Any,
    ) -> None:
        super().__init__(
            steps=list(STEPS),
            keys=[list(pair) for pair in KEYS],
            sizing_mode="stretch_width",
            margin=0,
            **{"labs": lab_links(""), "dark": prefers_dark(), **params},
        )
        self._on_example, self._on_dark, self._on_arrival = on_example, on_dark, on_arrival
        self._on_rename, self._on_file = on_rename, on_file
        self._on_exercise_file = on_exercise_file  # of an exercise's id, in a form
        self._on_exercise = on_exercise  # returns the form's options for None, the links for a filled-in form
        self.on_keys = dict(on_keys or {})  # key name -> action, for Undo, Redo and New
        self._undo: dict[int, Callable[[], None]] = {}
        self._work = Background()
        self._keys = count()

    def toast(self, text: str, undo: Callable[[], None] | None = None, action: str = "Undo") -> None:
        """Show a message for six seconds, with a button that calls `undo` if it is given.

        It takes the place of earlier ones. An empty text only removes these.
        """
        key = next(self._keys)
        if undo is not None:
            self._undo[key] = undo
        self._send_msg({"toast": text, "action": action if undo else "", "key": key})

    def warn(self, text: str) -> None:
        """Show a message of something amiss for six seconds, with a warning sign in place of a tick."""
        self._send_msg({"toast": text, "mark": "warn"})

    def _handle_msg(self, data: dict[str, Any]) -> None:
        if data["kind"] == "example":
            self._on_example(data["value"])
        elif data["kind"] == "dark":
            with pn.io.hold():
                self.dark = bool(data["value"])
                self._on_dark(self.dark)
        elif data["kind"] == "arrived":
            self._on_arrival(str(data["document"]))
        elif data["kind"] == "rename":
            self._on_rename(str(data["name"])[:LONGEST_NAME])
        elif data["kind"] == "undo" and data["key"] in self._undo:
            self._undo.pop(data["key"])()
        elif data["kind"] == "file" and self._on_file is not None:
            send_file(self, self._on_file(), self._work)
        elif data["kind"] in ("offer", "exercise") and self._on_exercise is not None:
            self._send_msg({"exercise": self._on_exercise(data.get("asked"))})
        elif data["kind"] == "exercise_file" and self._on_exercise_file is not None:
            send_file(self, self._on_exercise_file(str(data["student"]), str(data["form"])), self._work)
        elif data["kind"] == "keys" and data["value"] in self.on_keys:
            self.on_keys[data["value"]]()


class Page(pmui.Page):
    """A page that is replaced by an error page if its parts cannot be built."""

    instead: Callable[[Exception], pmui.Page] | None = None

    def server_doc(
        self, doc: Document | None = None, title: str | None = None, location: Any = True
    ) -> Document:
        """Return the document with the page in it, or with an error page if the page cannot be built."""
        try:
            return super().server_doc(doc, title, location)
        except Exception as error:
            if self.instead is None or doc is None:
                raise
            doc.clear()
            return self.instead(error).server_doc(doc, title, location)


def prefers_dark() -> bool:
    """Return whether dark mode was chosen last in this browser."""
    return str(pn.state.cookies.get(loading_screen.DARK_COOKIE)) == "1"


def page(bar: AppBar, content: Any, title: str, *, meanwhile: str = loading_screen.OPENING_LAB) -> Page:
    """Return the page: the bar on top, the content filling the rest.

    `meanwhile` is the text shown until the browser has drawn it.
    """
    _stay_local()
    colors = loading_screen.colors(DARK if bar.dark else LIGHT)
    made = Page(
        title="",
        meta_title=f"{title} – otlab",
        favicon=_FAVICON,
        theme_config=THEME,
        dark_theme=bar.dark,
        theme_toggle=False,
        raw_css=[ALIAS, colors],
        template=loading_screen.template(meanwhile),
        sx=SHELL,
        busy_indicator=None,
    )
    _ignore_busy_server(made)
    bar.param.watch(lambda event: made.param.update(dark_theme=event.new), "dark")
    made.header = [bar]
    made.main = [content]
    return made


def _ignore_busy_server(page: pmui.Page) -> None:
    """Stop a page from watching whether the server is busy, which no page shows.

    Each change would go through the whole page. And since Panel's state lives as long as the server, its
    watchers would keep every page that was ever opened in memory.
    """
    for watcher in list(pn.state.param.watchers.get("busy", {}).get("value", ())):
        if getattr(getattr(watcher.fn, "__self__", None), "self_or_cls", None) is page:
            pn.state.param.unwatch(watcher)
    with edit_readonly(page):
        page.busy = False


def _stay_local() -> None:
    """Make pages load Panel's own style sheets from this server in all cases.

    Panel otherwise sets this while it writes the page's HTML. A slow browser's session, which is ended and
    made again later, would have addresses of another host.
    """
    if pn.state.curdoc is not None:
        pn.state.curdoc.template_variables.setdefault("dist_url", LOCAL_DIST)


def columns(sidebar: Any, main: Any) -> pn.Row:
    """Return run panel and content side by side; the run panel is a drawer in a narrow window.

    A style sheet switches between the two, so that the server need not know the width.
    """
    side = pn.Column(
        sidebar,
        width=SIDEBAR,
        margin=0,
        sizing_mode="stretch_height",
        stylesheets=[stylesheet("sidebar")],
        css_classes=["ot-sidebar"],
    )
    return pn.Row(
        side,
        only(main),
        sizing_mode="stretch_both",
        margin=0,
        styles={"gap": "0", "min-height": "0"},
        stylesheets=[_COLUMNS],
    )


def only(main: Any) -> pn.Column:
    """Return content without a run panel, filling the page; it scrolls if the window is too low."""
    return pn.Column(
        main,
        sizing_mode="stretch_both",
        margin=0,
        styles={"min-height": "0"},
        stylesheets=[_MAIN, MAIN_CONTAINER],
        css_classes=["ot-main"],
    )


def lab_links(current: str) -> list[list[Any]]:
    """Return title, address and whether it is the current one, of every installed lab."""
    from otlab.ui.server.registry import labs

    return [[lab.title, f"./{lab.route}", lab.route == current] for lab in labs()]


def bar_values(title: str, route: str, state: State, keys: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the parameters of a lab's bar: its title, address, what is open, examples, and own keys."""
    return {
        "title": title,
        "route": route,
        "noun": state.noun,
        "own": state.own_name,
        "stem": state.file_stem,
        "labs": lab_links(route),
        "examples": [[value, label] for value, label in state.examples().items()],
        "example": state.example,
        "own_keys": [list(pair) for pair in keys],
        "drawer": True,
    }


def other_documents(route: str, document: str) -> list[list[str]]:
    """Return id and name of the newest documents of a lab but one and students' copies, if listed."""
    store = listed_store()
    if store is None:
        return []
    writer.flush()
    newest = [one for one in store.recent(MOST_DOCUMENTS + 1, route, COPY_OF) if one.id != document]
    return [[one.id, one.called] for one in newest[:MOST_DOCUMENTS]]
