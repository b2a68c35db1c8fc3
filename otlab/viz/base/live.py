"""Plots whose data are replaced while they are displayed.

A HoloViews element is rendered once to a Bokeh figure. Each page gets a copy of the figure, because copying
is much faster than rendering. Afterwards only the data sources of its layers are replaced, which takes a
twentieth of the time of drawing the figure again::

    live = Live(overlay, {"bars": {"fill_color": "gibbs"}}, LIGHT)   # a new figure for one page
    live.push("bars", left=..., right=..., top=...)                  # at each tick
    live.recolor(DARK)                                               # when the page turns dark

Layers are identified by their ``label`` and columns by the glyph's property, because the order
of a source's columns is not that of the element.

A figure belongs to one document.
"""

from __future__ import annotations

import base64
import struct
import sys
import weakref
import zlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np
from bokeh.core.property.descriptors import UnsetValueError
from bokeh.core.property.validation import without_property_validation
from bokeh.core.serialization import Serializable
from bokeh.model import Model
from bokeh.models import GlyphRenderer
from bokeh.plotting import figure as new_figure
from bokeh.util.serialization import transform_array

from otlab.viz.base import style  # noqa: F401 - switches WebGL off before the first plot

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, MutableMapping

    from otlab.viz.base.tokens import Tokens

__all__ = ["Live", "Template", "gzip_stored"]

_BARE = {"x_axis_type": None, "y_axis_type": None, "tools": ""}  # otherwise a new figure adds its own


@dataclass(frozen=True)
class _Place:
    """Placeholder for the model at an index of the list."""

    at: int


class Template:
    """A figure from which copies are made.

    Parameters
    ----------
    figure : bokeh.plotting.figure
        Figure that belongs to no document. Python callbacks are not copied.
    """

    def __init__(self, figure: Any) -> None:
        self._places: dict[str, int] = {}  # by the model's id; a model comes after its parts
        self._parts: list[tuple[type[Model], dict[str, Any], dict[str, Any]]] = []
        self._uses = Counter(part.id for model in figure.references() for part in _models_in(_values(model)))
        self._add(figure, set())

    @without_property_validation
    def copy(self) -> tuple[Any, dict[str, Any]]:
        """Return a new figure, and its models by the ids of the originals."""
        made: list[Any] = []
        for kind, plain, models in self._parts:
            values = {**plain, **{name: _filled(value, made) for name, value in models.items()}}
            if kind is new_figure:  # arguments of its constructor would not replace its own scales and tools
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
        values = _values(model)
        plain: dict[str, Any] = {}
        models: dict[str, Any] = {}  # values with a model in them
        for name, value in values.items():
            if model.lookup(name).readonly or self._is_made_anyway(model, name, value):
                continue
            opened = self._opened(value, begun)
            (models if _has_place(opened) else plain)[name] = opened
        self._places[model.id] = len(self._parts)
        self._parts.append((type(model), plain, models))

    def _is_made_anyway(self, model: Model, name: str, value: Any) -> bool:
        """Return whether the model's constructor makes the same part for it, and for it alone."""
        if not isinstance(value, Model) or self._uses[value.id] > 1:
            return False
        try:
            return _alike(value, getattr(_new(type(model)), name))
        except UnsetValueError:  # it has to be given
            return False

    def _opened(self, value: Any, begun: set[str]) -> Any:
        """Return the value with a placeholder for each model in it."""
        if isinstance(value, Model):
            self._add(value, begun)
            return _Place(self._places[value.id])
        if isinstance(value, dict):
            return {key: self._opened(part, begun) for key, part in value.items()}
        if isinstance(value, (list, tuple)):
            parts = [self._opened(part, begun) for part in value]
            return tuple(parts) if isinstance(value, tuple) else parts
        return set(value) if isinstance(value, set) else value


def _new(kind: type[Model]) -> Model:
    """Return a model of a class as the template's copies begin."""
    return kind(**_BARE) if kind is new_figure else kind()


def _alike(first: Any, second: Any) -> bool:
    """Return whether two values are equal; models are if all their values are."""
    if type(first) is not type(second):
        return False
    if isinstance(first, Model):
        return _alike(_values(first), _values(second))
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(_alike(first[name], second[name]) for name in first)
    if isinstance(first, (list, tuple)):
        return len(first) == len(second) and all(map(_alike, first, second))
    # Of an annotation that is not yet anywhere, the places are NaN.
    return bool(np.array_equal(first, second, equal_nan=isinstance(first, float)))


def _values(model: Model) -> dict[str, Any]:
    """Return the values of a model that its class does not say."""
    return dict(model.properties_with_values(include_defaults=False, include_undefined=False))


def _models_in(value: Any) -> Iterator[Model]:
    if isinstance(value, Model):
        yield value
    elif isinstance(value, (dict, list, tuple, set)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _models_in(part)


def _has_place(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_place, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_has_place, value))
    return isinstance(value, _Place)


def _filled(value: Any, made: list[Any]) -> Any:
    """Return the value with the new model for each placeholder."""
    if isinstance(value, _Place):
        return made[value.at]
    if isinstance(value, dict):
        return {key: _filled(part, made) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [_filled(part, made) for part in value]
        return tuple(parts) if isinstance(value, tuple) else parts
    return value


class Inline(np.ndarray, Serializable):
    """An array that is sent inside the message.

    Bokeh sends any other array as two separate frames, which makes two hundred per tick. Each of
    them releases the GIL to a running learner, and the page then waits for the learner's next pause.
    """

    def to_serializable(self, serializer: Any) -> Any:
        """Return a form that BokehJS reads as a typed array."""
        plain = transform_array(np.asarray(self))
        data = {"type": "bytes", "data": base64.b64encode(gzip_stored(plain.tobytes())).decode()}
        return {
            "type": "ndarray",
            "array": data,
            "shape": list(plain.shape),
            "dtype": plain.dtype.name,
            "order": sys.byteorder,
        }


def gzip_stored(data: bytes) -> bytes:
    """Return bytes as a gzip file without compression (RFC 1951, 3.2.4), the format that BokehJS reads.

    Python's compressor releases the GIL, and the page's thread would have to wait for it.
    """
    blocks = [data[at : at + 0xFFFF] for at in range(0, len(data), 0xFFFF)] or [b""]
    parts = [b"\x1f\x8b\x08" + bytes(6) + b"\xff"]
    for number, block in enumerate(blocks, start=1):
        parts += [struct.pack("<BHH", number == len(blocks), len(block), len(block) ^ 0xFFFF), block]
    return b"".join([*parts, struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFFFFFF)])


class Live:
    """A rendered figure with replaceable data and colours.

    Parameters
    ----------
    element
        A HoloViews element or overlay. Each layer whose data or colours change has a unique
        ``label``, which becomes the name of its renderer.
    colors
        Token of each glyph property, by layer label: ``{"bars": {"fill_color": "gibbs"}}``.
    tokens
        The initial colours.

    Attributes
    ----------
    figure : bokeh.plotting.figure
        The figure, for ``pn.pane.Bokeh``.
    """

    def __init__(self, element: Any, colors: Mapping[str, Mapping[str, str]], tokens: Tokens) -> None:
        template, layers = _rendered(element)
        self.figure, copies = template.copy()
        self._colors = {label: dict(by_property) for label, by_property in colors.items()}
        self._parts = {
            label: (copies[source], copies[renderer]) for label, (source, renderer) in layers.items()
        }
        for label, (_, renderer) in self._parts.items():
            renderer.name = label
        missing = self._colors.keys() - self._parts.keys()
        if missing:
            raise KeyError(
                f"no layer is labelled {', '.join(sorted(missing))}; there are {', '.join(self._parts)}"
            )
        self._columns: dict[tuple[str, str], str] = {}  # by label and property; looking them up is slow
        self.recolor(tokens)

    def push(self, label: str, **columns: Any) -> None:
        """Replace the data of one layer.

        Parameters
        ----------
        label
            The layer.
        columns
            Values of glyph properties (``x``, ``top``, ``left``, ``xs``, ...), all of the same
            length. Other columns keep their values if they have this length.
            Nothing is sent if no value has changed.
        """
        source, _ = self._parts[label]
        new = {self._column(label, name): _plain(values) for name, values in columns.items()}
        length = len(next(iter(new.values()))) if new else 0
        kept = {
            name: values for name, values in source.data.items() if name not in new and len(values) == length
        }
        if not all(_same(source.data.get(name), values) for name, values in new.items()):
            source.data = {**kept, **new}

    def clear(self, *labels: str) -> None:
        """Remove the data of the given layers, or of all."""
        for label in labels or tuple(self._parts):
            source, _ = self._parts[label]
            source.data = {name: [] for name in source.data}

    def show(self, label: str, visible: bool = True) -> None:
        """Show or hide a layer."""
        self._parts[label][1].visible = visible

    def glyph(self, label: str) -> Any:
        """Return the Bokeh glyph of a layer."""
        return self._parts[label][1].glyph

    def x_range(self, low: float, high: float) -> None:
        """Set both ends of the x axis at once, so that no intermediate range is drawn."""
        _set_range(self.figure.x_range, low, high)

    def y_range(self, low: float, high: float) -> None:
        """Set both ends of the y axis at once."""
        _set_range(self.figure.y_range, low, high)

    def _column(self, label: str, name: str) -> str:
        if (label, name) not in self._columns:
            self._columns[label, name] = _column(self.glyph(label), name)
        return self._columns[label, name]

    def paint(self, colors: Mapping[str, Mapping[str, str]], tokens: Tokens) -> None:
        """Change the tokens of some layers, given as in the constructor."""
        self._colors.update({label: dict(by_property) for label, by_property in colors.items()})
        self.recolor(tokens)

    def recolor(self, tokens: Tokens) -> None:
        """Set the colours of all glyphs that have tokens."""
        for label, by_property in self._colors.items():
            renderer = self._parts[label][1]
            values = {name: tokens[token] for name, token in by_property.items()}
            glyph = renderer.glyph
            glyph.update(**{name: value for name, value in values.items() if name in glyph.properties()})


# A figure is measured in pixels of the screen: this undoes the zoom of an enlarged page.
_OWN_PIXELS = ":host { zoom: var(--ot-unzoom, 1); }"
_all_rendered: MutableMapping[Any, tuple[Template, dict[str, tuple[str, str]]]] = weakref.WeakKeyDictionary()


def _rendered(element: Any) -> tuple[Template, dict[str, tuple[str, str]]]:
    """Return a template of the element's figure, and the ids of each layer's source and renderer by label.

    An element is rendered once; functions that return it for every page are cached.
    """
    if element not in _all_rendered:
        plot = hv.renderer("bokeh").get_plot(element)
        plot.state.stylesheets = [*plot.state.stylesheets, _OWN_PIXELS]
        _without_variants(plot.state)
        plot.document = None  # otherwise the document in which it was created would keep it
        _all_rendered[element] = (
            Template(plot.state),
            {
                part.current_frame.label: (part.handles["source"].id, part.handles["glyph_renderer"].id)
                for part in plot.traverse(lambda p: p)
                if "glyph_renderer" in part.handles
            },
        )
    return _all_rendered[element]


def _without_variants(figure: Any) -> None:
    """Leave each layer one glyph: HoloViews makes four, also for data that are selected, or not, or muted.

    Nothing in a plot is selected or muted, and half of the models of a page would be such glyphs.
    """
    for renderer in figure.select({"type": GlyphRenderer}):
        renderer.update(selection_glyph="auto", nonselection_glyph="auto", muted_glyph="auto")


def _column(glyph: Any, name: str) -> str:
    spec = getattr(glyph, name)
    column = spec if isinstance(spec, str) else getattr(spec, "field", None)
    if column is None:
        raise KeyError(f"{type(glyph).__name__}.{name} is the constant {spec!r}, not a column")
    return str(column)


def _plain(values: Any) -> Any:
    """Return numbers as an array that is sent inside the message; ragged lists stay lists."""
    if not isinstance(values, np.ndarray):
        values = list(values)
        if values and not np.isscalar(values[0]):
            return values
        values = np.asarray(values)
    return values.view(Inline) if values.dtype.kind in "fiub" else values


def _same(old: Any, new: Any) -> bool:
    """Return whether a column already has these numbers, compared bit by bit, so that NaN equals NaN."""
    if not isinstance(old, np.ndarray) or not isinstance(new, np.ndarray):
        return False
    return old.dtype == new.dtype and old.shape == new.shape and old.tobytes() == new.tobytes()


def _set_range(axis: Any, low: float, high: float) -> None:
    if (axis.start, axis.end) != (low, high):
        axis.update(start=low, end=high, reset_start=low, reset_end=high)
