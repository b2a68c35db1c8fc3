"""Copies of a rendered figure: rendering one from HoloViews costs several times what copying it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bokeh.core.property.validation import without_property_validation
from bokeh.model import Model
from bokeh.plotting import figure as new_figure

__all__ = ["Template"]

_BARE = {"x_axis_type": None, "y_axis_type": None, "tools": ""}  # else a figure makes its own


@dataclass(frozen=True)
class _Place:
    """Stands for the model at a place of the list."""

    at: int


class Template:
    """What is needed to make a figure again.

    Parameters
    ----------
    figure : bokeh.plotting.figure
        Belongs to no document. What listens to it in Python is not copied.
    """

    def __init__(self, figure: Any) -> None:
        self._places: dict[str, int] = {}  # by the model's id; a model comes after those it consists of
        self._parts: list[tuple[type[Model], dict[str, Any], dict[str, Any]]] = []
        self._add(figure, set())

    @without_property_validation
    def copy(self) -> tuple[Any, dict[str, Any]]:
        """Return a new figure, and each of its models by the id of the one it is a copy of."""
        made: list[Any] = []
        for kind, plain, models in self._parts:
            values = {**plain, **{name: _filled(value, made) for name, value in models.items()}}
            if kind is new_figure:  # what it is made with does not go before its own scales and tools
                made.append(new_figure(**_BARE))
                made[-1].update(**values)
            else:
                made.append(kind(**values))
        return made[-1], {id_: made[at] for id_, at in self._places.items()}

    def _add(self, model: Model, begun: set[str]) -> None:
        if model.id in begun:
            if model.id not in self._places:
                raise ValueError(f"{model} contains itself")
            return
        begun.add(model.id)
        values = model.properties_with_values(include_defaults=False, include_undefined=False)
        plain: dict[str, Any] = {}
        models: dict[str, Any] = {}  # values with a model in them
        for name, value in values.items():
            if model.lookup(name).readonly:
                continue
            opened = self._opened(value, begun)
            (models if _has_place(opened) else plain)[name] = opened
        self._places[model.id] = len(self._parts)
        self._parts.append((type(model), plain, models))

    def _opened(self, value: Any, begun: set[str]) -> Any:
        """Return the value with a place for each model in it."""
        if isinstance(value, Model):
            self._add(value, begun)
            return _Place(self._places[value.id])
        if isinstance(value, dict):
            return {key: self._opened(part, begun) for key, part in value.items()}
        if isinstance(value, (list, tuple)):
            parts = [self._opened(part, begun) for part in value]
            return tuple(parts) if isinstance(value, tuple) else parts
        return set(value) if isinstance(value, set) else value


def _has_place(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_place, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_has_place, value))
    return isinstance(value, _Place)


def _filled(value: Any, made: list[Any]) -> Any:
    """Return the value with the new model in each place."""
    if isinstance(value, _Place):
        return made[value.at]
    if isinstance(value, dict):
        return {key: _filled(part, made) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [_filled(part, made) for part in value]
        return tuple(parts) if isinstance(value, tuple) else parts
    return value
