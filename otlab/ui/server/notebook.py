"""Changes to Panel for labs in the cells of a notebook."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

from panel.io.state import state
from panel.reactive import Syncable
from pyviz_comms import Comm

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["handle_messages_in_loop", "prepare", "separate_views"]

_process_param_change = Syncable._process_param_change
original_handle_message: Callable[[Comm, Any], None] = Comm._handle_msg


def prepare() -> None:
    """Make Panel ready for a lab in a cell; repeated calls do nothing."""
    separate_views()
    handle_messages_in_loop()


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
