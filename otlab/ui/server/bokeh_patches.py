"""Changes to Bokeh, Panel and Param for a server: less work and no waiting per page, closed pages unlogged.

A page consists of several hundred Bokeh models with some fifty properties each, nearly all of which
keep their defaults. Bokeh computes every default again for every model, and does so whenever it sends a
model or looks for the models in it, some forty times per page. Panel looks on the disk for the theme's style
sheet whenever a component changes. Bokeh begins each message with references to all models of the page, and
Param looks up a rule for each number of two lists that it compares. What each change is worth:
``docs/architecture.md``.

Bokeh writes each message in three pieces. TCP keeps back a small piece until the browser has confirmed the
one before, and the browser waits some 40 ms before it confirms: every picture came so much later.

A browser tab may close while the server is writing to it. Bokeh, Panel and Tornado then log the
closed connection as an error, one traceback per message in progress, though nothing is wrong: the
page's jobs are ended by :mod:`otlab.ui.session_watchdog` and when its session ends.
"""

from __future__ import annotations

import logging
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bokeh.core.has_props import HasProps
from bokeh.core.property.descriptors import PropertyDescriptor
from bokeh.core.property.singletons import Intrinsic, Undefined
from bokeh.core.property.wrappers import (
    PropertyValueContainer,
    PropertyValueDict,
    PropertyValueList,
    PropertyValueSet,
)
from bokeh.core.serialization import Serializer
from bokeh.model import Model
from bokeh.model import util as model_util
from bokeh.server.views.ws import WSHandler
from panel.io.state import state
from panel_material_ui.theme import MaterialDesign
from param.parameterized import Comparator
from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError

from otlab.ui.server import message_order

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

__all__ = ["apply", "cache_defaults", "ignore_closed_pages", "send_at_once"]

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
_THEMED = "__themed_values__"  # where a model keeps what a theme sets
_NO_SESSION = ("bokeh/server/connection.py", "session")
_UNCHANGING = (type(None), bool, int, float, str)
_CONTAINERS = (PropertyValueDict, PropertyValueList, PropertyValueSet)
_compute_default = PropertyDescriptor._get_default
_compute_unstable = PropertyDescriptor.has_unstable_default
_compute_values = HasProps.properties_with_values
_get_known = Serializer.get_ref
_has_known = Serializer.has_ref
_init_serializer = Serializer.__init__
_visit = model_util.visit_value_and_its_immediate_references
original_is_equal = Comparator.is_equal
_open_socket = WSHandler.open
_modifiers: dict[Any, tuple[dict[str, Any], dict[str, Any]]] = {}
original_modifiers = MaterialDesign._get_modifiers.__func__


class _ModelClass:
    """What is the same for all models of a class.

    Attributes
    ----------
    defaults
        Defaults that never change, by property.
    containers
        Type of the empty container that each model gets as the default of a property.
    unstable
        Whether each model gets a default of its own (a list, or a model); by property, filled in when asked.
    """

    def __init__(self, model_class: type[HasProps]) -> None:
        self.defaults: dict[str, Any] = {}
        self.containers: dict[str, type] = {}
        self.unstable: dict[str, bool] = {}
        self._class = model_class

    @cached_property
    def with_references(self) -> tuple[str, ...]:
        """Properties that may hold models."""
        return tuple(self._class.properties_with_refs())

    @cached_property
    def serialized(self) -> tuple[PropertyDescriptor[Any], ...]:
        """Properties that are sent to the browser."""
        return tuple(each for each in self._class.descriptors() if each.serialized)

    @cached_property
    def made_first(self) -> tuple[PropertyDescriptor[Any], ...]:
        """Properties whose default each model gets when it is made."""
        model: Any = self._class
        every = (each for each in self._class.descriptors() if isinstance(each, PropertyDescriptor))
        return tuple(each for each in every if _compute_unstable(each, model))

    def is_default(self, name: str) -> bool:
        """Return whether a property without a value of its own has no model in it and is not sent."""
        return name in self.defaults or name in self.containers


_classes: dict[type, _ModelClass] = {}


def apply() -> None:
    """Make all changes; repeated calls do nothing."""
    ignore_closed_pages()
    cache_defaults()
    send_at_once()
    message_order.keep()


def cache_defaults() -> None:
    """Make Bokeh and Panel cache what is the same for all models of a class; repeated calls do nothing."""
    MaterialDesign._get_modifiers = classmethod(_modifiers_of)
    PropertyDescriptor._get_default = _default
    PropertyDescriptor.has_unstable_default = _is_unstable
    functions = {"__init__": _init, "themed_values": _themed_values, "properties_with_values": _values}
    sending = {"__init__": _begin_message, "get_ref": _ref_of, "has_ref": _is_known}
    for owner, replaced in ((HasProps, functions), (Serializer, sending)):
        for name, function in replaced.items():
            setattr(owner, name, function)
    Comparator.is_equal = classmethod(_is_equal)
    model_util.visit_immediate_value_references = _visit_references


def _class_of(model: Any) -> _ModelClass:
    kind = type(model)
    known = _classes.get(kind)
    if known is None:
        known = _classes[kind] = _ModelClass(kind)
    return known


def _themed_values(model: Any) -> dict[str, Any] | None:
    """Return the properties that a theme sets; None without."""
    values: dict[str, Any] | None = model.__dict__.get(_THEMED)
    return values


def _init(model: Any, **properties: Any) -> None:
    """Make a model; its empty default containers are made when they are asked for."""
    super(HasProps, model).__init__()
    model._property_values = {}
    model._unstable_default_values = {}
    model._unstable_themed_values = {}
    for name, value in properties.items():
        if value is not Undefined and value is not Intrinsic:
            setattr(model, name, value)
    known = _class_of(model)
    for descriptor in known.made_first:
        if descriptor.name not in properties and descriptor.name not in known.containers:
            descriptor._get(model)
    model._initialized = True


def _default(descriptor: PropertyDescriptor[Any], model: Any) -> Any:
    """Return the default of a property, from the theme or as the class says."""
    name = descriptor.name
    themed = model.__dict__.get(_THEMED)
    if themed is not None and name in themed:
        return _compute_default(descriptor, model)
    known = _class_of(model)
    if name in known.defaults:
        return known.defaults[name]
    own = model._unstable_default_values
    if name in own:
        return own[name]
    if name in known.containers:
        container = known.containers[name]()
        container._register_owner(model, descriptor)
        own[name] = container
        return container
    value = _compute_default(descriptor, model)
    if not _is_unstable(descriptor, model):
        if _never_changes(value):
            known.defaults[name] = value
    elif type(value) in _CONTAINERS and not value:
        known.containers[name] = type(value)
    return value


def _never_changes(value: Any) -> bool:
    return isinstance(value, _UNCHANGING) or (type(value) is tuple and all(map(_never_changes, value)))


def _is_unstable(descriptor: PropertyDescriptor[Any], model: Any) -> bool:
    """Return whether each model gets a default of its own: a list, or a model."""
    unstable = _class_of(model).unstable
    if descriptor.name not in unstable:
        unstable[descriptor.name] = _compute_unstable(descriptor, model)
    return unstable[descriptor.name]


def _values(model: Any, *, include_defaults: bool = True, include_undefined: bool = False) -> dict[str, Any]:
    """Return the values that are sent to the browser, by property."""
    if include_defaults or include_undefined:
        every: dict[str, Any] = _compute_values(
            model, include_defaults=include_defaults, include_undefined=include_undefined
        )
        return every
    own, unstable, themed = (
        model._property_values,
        model._unstable_default_values,
        _themed_values(model) or (),
    )
    known, values = _class_of(model), {}
    for descriptor in known.serialized:
        name = descriptor.name
        if name in own or name in themed:
            values[name] = descriptor.get_value(model)
        elif name in unstable:
            value = descriptor.get_value(model)
            if not isinstance(value, PropertyValueContainer):
                values[name] = value
        elif not known.is_default(name):
            descriptor.get_value(model)  # an error if it must be set
    return values


def _visit_references(value: Any, visitor: Callable[[Model], None]) -> None:
    """Call the visitor with each model that the properties of a model hold."""
    if not isinstance(value, HasProps):
        _visit(value, visitor)
        return
    own, unstable, themed = (
        value._property_values,
        value._unstable_default_values,
        _themed_values(value) or (),
    )
    known = _class_of(value)
    for name in known.with_references:
        if name in own:
            _visit(own[name], visitor)
        elif name in themed:
            _visit(getattr(value, name), visitor)
        elif name in unstable:
            _visit(unstable[name], visitor)
        elif not known.is_default(name):
            _visit(getattr(value, name), visitor)


def _begin_message(
    serializer: Any,
    *,
    references: Collection[Model] = (),
    deferred: bool = True,
    check_circular: bool = False,
) -> None:
    """Begin a message; Bokeh writes a reference to each model of the page, of which few are used."""
    _init_serializer(serializer, deferred=deferred, check_circular=check_circular)
    serializer.synced = references


def _ref_of(serializer: Any, value: Any) -> Any:
    """Return the reference to a model that the browser has; else None."""
    known = _get_known(serializer, value)
    if known is None and isinstance(value, Model) and value in serializer.synced:
        return value.ref
    return known


def _is_known(serializer: Any, value: Any) -> bool:
    """Return whether the browser has a model."""
    return _has_known(serializer, value) or (isinstance(value, Model) and value in serializer.synced)


def _is_equal(comparator: Any, first: Any, second: Any) -> bool:
    """Return whether two values of a parameter are equal; Param looks up a rule for each number in a list."""
    kind = type(first)
    if kind in _UNCHANGING and type(second) in _UNCHANGING:
        return bool(first == second)
    if kind is type(second) and kind in (list, tuple):
        return bool(comparator.compare_iterator(first, second))
    if kind is dict and type(second) is dict:
        return bool(comparator.compare_mapping(first, second))
    return bool(original_is_equal(first, second))


def _modifiers_of(
    design: type, viewable: Any, theme: Any, isolated: bool | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the properties that a design adds to a component, from the cache of its class and theme."""
    kind = theme if isinstance(theme, type) else type(theme)
    served = bool(state.curdoc and state.curdoc.session_context)
    key = design, type(viewable), kind, isolated, served
    if key not in _modifiers:
        _modifiers[key] = original_modifiers(design, viewable, theme, isolated)
    own, of_children = _modifiers[key]
    return {
        name: list(value) if isinstance(value, list) else value for name, value in own.items()
    }, of_children


def send_at_once() -> None:
    """Make Bokeh send each piece of a message as soon as it is written; repeated calls do nothing."""
    WSHandler.open = _open


def _open(handler: Any) -> None:
    """Open the connection to a page."""
    handler.set_nodelay(True)
    _open_socket(handler)


class _ClosedPages(logging.Filter):
    """Drop log records of errors and warnings that mean a closed connection."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.msg == _NOT_SENT:
            return False
        error = record.exc_info[1] if record.exc_info else None
        return not any(_is_closed(cause) for cause in _causes(error))


_FILTER = _ClosedPages()


def ignore_closed_pages() -> None:
    """Log nothing when a visitor closes a page; repeated calls do nothing."""
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
    """Yield an error and the errors that caused it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
