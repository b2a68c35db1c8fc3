"""Changes to Bokeh and Panel for a server: defaults looked up once, no tracebacks of closed pages.

A page consists of several hundred Bokeh models with some fifty properties each, nearly all of which
keep their defaults. Bokeh computes each of these again for each model, walking the class's ancestors,
copying and validating: about a third of what a page costs the server. Panel looks on the disk for the
theme's style sheet whenever a component changes: a fifth of what drawing a running page costs.

A browser tab may close while the server is writing to it. Bokeh, Panel and Tornado then log the
closed connection as an error, one traceback per message in progress, though nothing is lost: the
page's jobs are ended by :mod:`otlab.ui.server.session_watchdog` and by its session's end.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from bokeh.core.property.descriptors import PropertyDescriptor
from bokeh.core.property.wrappers import PropertyValueDict, PropertyValueList, PropertyValueSet
from panel.io.state import state
from panel_material_ui.theme import MaterialDesign
from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["cache_defaults", "ignore_closed_pages"]

_LOGGERS = (
    "asyncio",
    "tornado.application",
    "tornado.general",
    "bokeh.server.protocol_handler",
    "bokeh.server.tornado",
    "bokeh.server.views.ws",
    "panel.io.document",
)
_NOT_SENT = "Failed sending message as connection was closed"  # as Bokeh words it
_NO_SESSION = ("bokeh/server/connection.py", "session")
_UNCHANGING = (type(None), bool, int, float, str)
_CONTAINERS = (PropertyValueDict, PropertyValueList, PropertyValueSet)
_defaults: dict[tuple[PropertyDescriptor[Any], type], Any] = {}
_empty: dict[tuple[PropertyDescriptor[Any], type], type] = {}  # container to make again for each model
_unstable: dict[tuple[PropertyDescriptor[Any], type], bool] = {}
_compute_default = PropertyDescriptor._get_default
_compute_unstable = PropertyDescriptor.has_unstable_default


_modifiers: dict[Any, tuple[dict[str, Any], dict[str, Any]]] = {}
_compute_modifiers = MaterialDesign._get_modifiers.__func__


def cache_defaults() -> None:
    """Make Bokeh and Panel cache defaults and style sheets per class; may be called again."""
    MaterialDesign._get_modifiers = classmethod(_modifiers_of)
    PropertyDescriptor._get_default = _default
    PropertyDescriptor.has_unstable_default = _is_unstable


def _default(descriptor: PropertyDescriptor[Any], model: Any) -> Any:
    """Return the default of a property, from the theme or as the class says."""
    themed = model.themed_values()
    if themed is not None and descriptor.name in themed:
        return _compute_default(descriptor, model)
    key = descriptor, type(model)
    if key in _defaults:
        return _defaults[key]
    own = model._unstable_default_values
    if key in _empty and descriptor.name not in own:
        container = _empty[key]()
        container._register_owner(model, descriptor)
        own[descriptor.name] = container
        return container
    new = descriptor.name not in own
    value = _compute_default(descriptor, model)
    if not _is_unstable(descriptor, model):
        if isinstance(value, _UNCHANGING):
            _defaults[key] = value
    elif new and type(value) in _CONTAINERS and not value:
        _empty[key] = type(value)
    return value


def _is_unstable(descriptor: PropertyDescriptor[Any], model: Any) -> bool:
    """Return whether each model gets a default of its own: a list, or a model."""
    key = descriptor, type(model)
    if key not in _unstable:
        _unstable[key] = _compute_unstable(descriptor, model)
    return _unstable[key]


def _modifiers_of(
    design: type, viewable: Any, theme: Any, isolated: bool | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a design adds to the properties of a component: that of its class under a theme."""
    kind = theme if isinstance(theme, type) else type(theme)
    served = bool(state.curdoc and state.curdoc.session_context)
    key = design, type(viewable), kind, isolated, served
    if key not in _modifiers:
        _modifiers[key] = _compute_modifiers(design, viewable, theme, isolated)
    own, of_children = _modifiers[key]
    return {
        name: list(value) if isinstance(value, list) else value for name, value in own.items()
    }, of_children


class _ClosedPages(logging.Filter):
    """Drop log records of errors and warnings that mean a closed connection."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.msg == _NOT_SENT:
            return False
        error = record.exc_info[1] if record.exc_info else None
        return not any(_is_closed(cause) for cause in _causes(error))


_FILTER = _ClosedPages()


def ignore_closed_pages() -> None:
    """Keep connections that the visitor closed out of the server's logs; may be called again."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_FILTER)  # the same filter is added once


def _is_closed(error: BaseException) -> bool:
    if isinstance(error, (StreamClosedError, WebSocketClosedError)):
        return True
    return isinstance(error, AssertionError) and _raised_in(error) == _NO_SESSION


def _raised_in(error: BaseException) -> tuple[str, str]:
    """Return the end of the path and the function in which an error was raised.

    Bokeh's ``ServerConnection.session`` asserts that the session is still there, and is asked
    once more for a message that arrived just before the page was closed.
    """
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    if at is None:
        return ("", "")
    code = at.tb_frame.f_code
    return ("/".join(code.co_filename.replace("\\", "/").split("/")[-3:]), code.co_name)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and those it followed from."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
