"""Bokeh's defaults, looked up once for each class.

A page consists of several hundred Bokeh models with some fifty properties each, nearly all of which
keep their defaults. Bokeh computes each of these anew for each model, walking the class's ancestors,
copying and validating: about a third of what a page costs the server.
"""

from __future__ import annotations

from typing import Any

from bokeh.core.property.descriptors import PropertyDescriptor
from bokeh.core.property.wrappers import PropertyValueDict, PropertyValueList, PropertyValueSet

__all__ = ["remember"]

_UNCHANGING = (type(None), bool, int, float, str)
_CONTAINERS = (PropertyValueDict, PropertyValueList, PropertyValueSet)
_defaults: dict[tuple[PropertyDescriptor[Any], type], Any] = {}
_empty: dict[tuple[PropertyDescriptor[Any], type], type] = {}  # container to make anew for each model
_unstable: dict[tuple[PropertyDescriptor[Any], type], bool] = {}
_compute_default = PropertyDescriptor._get_default
_compute_unstable = PropertyDescriptor.has_unstable_default


def remember() -> None:
    """Have Bokeh remember the defaults of its classes; may be called again."""
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
