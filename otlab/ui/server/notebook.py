"""Changes to Panel for labs in the cells of a notebook."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from bokeh.core.serialization import Serializer, UnknownReferenceError
from bokeh.document.events import ModelChangedEvent
from bokeh.models import ImportedStyleSheet, InlineStyleSheet
from panel.config import config
from panel.io.notebook import replace_inline_css
from panel.io.resources import DIST_DIR
from panel.io.state import state
from panel.reactive import Syncable
from pyviz_comms import Comm

from otlab.inference.notebook import in_cell

if TYPE_CHECKING:
    from collections.abc import Callable

    from bokeh.document.events import DocumentPatchedEvent

__all__ = [
    "handle_messages_in_loop",
    "ignore_echoes",
    "inline_style_sheets",
    "prepare",
    "separate_views",
    "tabulator_script",
]

_REMEMBERED = 1000  # values sent of one property, until they come back
_process_param_change = Syncable._process_param_change
_BY_WIDGET = ("vscode", "ipywidgets")  # the cells to which Panel sends an ipywidget
_sheet_as_it_is = ImportedStyleSheet.to_serializable
original_handle_message: Callable[[Comm, Any], None] = Comm._handle_msg


def prepare() -> None:
    """Make Panel ready for a lab in the cell that runs now."""
    separate_views()
    handle_messages_in_loop()
    if config.comms not in _BY_WIDGET:
        return
    with suppress(ImportError):  # without jupyter_bokeh a lab can still be opened in a browser
        from jupyter_bokeh.widgets import BokehModel

        ignore_echoes(BokehModel)
    if config.inline:
        inline_style_sheets()
        if in_cell():
            _publish_tabulator()


def separate_views() -> None:
    """Give each view of a lab in a notebook its own style sheets; repeated calls do nothing.

    Panel would give all of them those of the view in which the user has just acted, and Bokeh refuses
    a model that another document has.
    """
    Syncable._process_param_change = _process_change


def _process_change(component: Syncable, params: dict[str, Any]) -> dict[str, Any]:
    document = state.curdoc
    in_view = "stylesheets" in params and document is not None and document.session_context is None
    token = state._curdoc.set(None if in_view else state._curdoc.get())
    try:
        properties: dict[str, Any] = _process_param_change(component, params)
    finally:
        state._curdoc.reset(token)
    return properties


def handle_messages_in_loop() -> None:
    """Let the event loop that runs now handle what cells send; without a loop, as in a script, do nothing.

    From JupyterLab 4.4 on the messages of each component arrive on a thread of their own. A lab is made for
    one thread; and Panel redirects ``print`` while it handles a message, so that two at once left it
    redirected: nothing that was printed afterwards was seen.
    """
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return
    thread = threading.current_thread()

    def handle(comm: Comm, message: Any) -> None:
        if threading.current_thread() is thread:
            original_handle_message(comm, message)
        else:
            loop.call_soon_threadsafe(original_handle_message, comm, message)

    Comm._handle_msg = handle


def inline_style_sheets() -> None:
    """Send the text of Panel's style sheets in place of their addresses; repeated calls do nothing.

    Panel does so for JupyterLab. A cell that shows an ipywidget would fetch each sheet from the network.
    """
    ImportedStyleSheet.to_serializable = _sheet_with_text


def _sheet_with_text(sheet: ImportedStyleSheet, serializer: Serializer) -> Any:
    sent: Any = _sheet_as_it_is(sheet, serializer)
    inline = replace_inline_css(sheet) if "attributes" in sent else sheet
    if isinstance(inline, InlineStyleSheet):
        return {**sent, "name": "InlineStyleSheet", "attributes": {"css": inline.css}}
    return sent


def ignore_echoes(widgets: Any) -> None:
    """Let these widgets ignore what a cell sends back of what they sent; repeated calls do nothing.

    A cell that shows jupyter_bokeh's widgets sends back each value that it is sent. One that comes back late
    would replace a newer one, and two cells with the same lab would pass it on to each other.

    Parameters
    ----------
    widgets
        jupyter_bokeh's ``BokehModel``.
    """
    if hasattr(widgets, "_otlab_sent"):
        return
    # widget -> (model, property) -> values that have not come back yet
    sent: WeakKeyDictionary[Any, dict[tuple[str, str], deque[Any]]] = WeakKeyDictionary()
    widgets._otlab_sent = sent
    send, receive = widgets._document_patched, widgets._sync_model

    def document_patched(widget: Any, event: DocumentPatchedEvent) -> None:
        if isinstance(event, ModelChangedEvent) and event.setter is not widget:
            values = sent.setdefault(widget, {}).setdefault(
                (event.model.id, event.attr), deque(maxlen=_REMEMBERED)
            )
            values.append(_plain(Serializer().serialize(event.new).content))
        send(widget, event)

    def sync_model(widget: Any, model: Any, content: dict[str, Any], buffers: list[Any]) -> None:
        if content.get("kind") == "ModelChanged":
            values = sent.get(widget, {}).get((content["model"]["id"], content["attr"]))
            while values:  # those before it the cell had already: they do not come back
                if values.popleft() == _plain(content["new"]):
                    return
            if _is_look(content["new"]):
                return
        with suppress(UnknownReferenceError):  # of a model that Python has replaced since
            receive(widget, model, content, buffers)

    widgets._document_patched, widgets._sync_model = document_patched, sync_model


def _is_look(value: Any) -> bool:
    """Return whether this is a colour or width of a glyph: the browser's theme sets it, Bokeh refuses it."""
    return isinstance(value, dict) and value.get("type") == "value"


def _plain(value: Any) -> Any:
    """Return what was sent, in the form in which it comes back: a model is named by its id."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {"id": value["id"]} if "id" in value else {name: _plain(item) for name, item in value.items()}
    return value


def _publish_tabulator() -> None:
    from IPython.display import publish_display_data

    publish_display_data({"application/javascript": tabulator_script()})


@cache
def tabulator_script() -> str:
    """Return a script that makes Tabulator, the tables of the labs, a global variable.

    VS Code has RequireJS in its cells. Where Tabulator sees that, it only registers as a module: Panel, which
    reads the variable, then shows an empty lab.
    """
    # Not imported before: a page that has no table would load Tabulator too.
    from panel.models.tabulator import THEME_PATH

    styles = DIST_DIR / "bundled" / "datatabulator" / THEME_PATH
    source = (styles.parent / "js" / "tabulator.min.js").read_text(encoding="utf-8")
    return f"if (!window.Tabulator) (function (define, exports, module) {{\n{source}\n}}).call(window)"
