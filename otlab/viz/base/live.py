"""Plots whose data are replaced while they are shown.

A HoloViews element is rendered once to its Bokeh figure, of which each page gets a copy, for copying
costs a fraction of rendering. Afterwards only the data sources of its layers change, which costs a
twentieth of drawing the figure again::

    live = Live(overlay, {"bars": {"fill_color": "gibbs"}}, LIGHT)   # a fresh figure for one page
    live.push("bars", left=..., right=..., top=...)                  # at each tick
    live.recolor(DARK)                                               # at the dark toggle

Layers are found by their ``label`` and columns by the glyph's property: the order
of a source's columns is not the element's.

One figure belongs to one document.
"""

from __future__ import annotations

import base64
import struct
import sys
import weakref
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np
from bokeh.core.property.validation import without_property_validation
from bokeh.core.serialization import Serializable
from bokeh.model import Model
from bokeh.plotting import figure as new_figure
from bokeh.util.serialization import transform_array

from otlab.viz.base import style  # noqa: F401 - switches WebGL off before the first plot

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

    from otlab.viz.base.tokens import Tokens

__all__ = ["Live", "Template", "gzip_stored"]

_BARE = {"x_axis_type": None, "y_axis_type": None, "tools": ""}  # else a figure makes its own


@dataclass(frozen=True)
class _Place:
    """Placeholder for the model at an index of the list."""

    at: int


class Template:
    """Serialised figure of which copies can be made.

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


_VARIANTS = ("glyph", "nonselection_glyph", "selection_glyph", "muted_glyph", "hover_glyph")


class Inline(np.ndarray, Serializable):
    """Numbers that travel inside the message.

    Bokeh sends every other array as two frames of its own: two hundred a tick, and each of
    them hands the interpreter to a busy learner, for whose next pause the page then waits.
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
    """Return bytes as a gzip file without compression (RFC 1951, 3.2.4), which BokehJS asks for.

    Python's own compressor lets go of the interpreter, for which the page's thread then has to wait.
    """
    blocks = [data[at : at + 0xFFFF] for at in range(0, len(data), 0xFFFF)] or [b""]
    parts = [b"\x1f\x8b\x08" + bytes(6) + b"\xff"]
    for number, block in enumerate(blocks, start=1):
        parts += [struct.pack("<BHH", number == len(blocks), len(block), len(block) ^ 0xFFFF), block]
    return b"".join([*parts, struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFFFFFF)])


class Live:
    """One rendered figure and the sources of its layers.

    Parameters
    ----------
    element
        A HoloViews element or overlay; every layer that will change or be coloured
        has a ``label`` of its own, which becomes the name of its renderer.
    colors
        Layer label to {glyph property: token}, e.g. ``{"bars": {"fill_color": "gibbs"}}``.
    tokens
        The colours to begin with.

    Attributes
    ----------
    figure : bokeh.plotting.figure
        Show it with ``pn.pane.Bokeh``.
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
        self._columns: dict[tuple[str, str], str] = {}  # by label and property: looking them up takes long
        self.recolor(tokens)

    def push(self, label: str, **columns: Any) -> None:
        """Replace the data of one layer.

        Parameters
        ----------
        label
            The layer.
        columns
            Glyph property (``x``, ``top``, ``left``, ``xs``, ...) to values, all of
            one length. Columns not given keep their values if the length is the same.
            Nothing is sent if nothing changed.
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
        """Empty the layers named, or all."""
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
        """Set the x axis, both ends in one step so that no frame shows a gap."""
        _set_range(self.figure.x_range, low, high)

    def y_range(self, low: float, high: float) -> None:
        """Set the y axis, both ends in one step."""
        _set_range(self.figure.y_range, low, high)

    def _column(self, label: str, name: str) -> str:
        if (label, name) not in self._columns:
            self._columns[label, name] = _column(self.glyph(label), name)
        return self._columns[label, name]

    def paint(self, colors: Mapping[str, Mapping[str, str]], tokens: Tokens) -> None:
        """Register other colours for some layers, in the same form as at the start."""
        self._colors.update({label: dict(by_property) for label, by_property in colors.items()})
        self.recolor(tokens)

    def recolor(self, tokens: Tokens) -> None:
        """Recolour every registered glyph by these tokens."""
        for label, by_property in self._colors.items():
            renderer = self._parts[label][1]
            values = {name: tokens[token] for name, token in by_property.items()}
            for variant in _VARIANTS:
                glyph = getattr(renderer, variant, None)
                if glyph is not None and not isinstance(glyph, str):
                    glyph.update(**{k: v for k, v in values.items() if k in glyph.properties()})


# A figure measures itself in the screen's pixels: on a page that is enlarged it fills its room by itself.
_OWN_PIXELS = ":host { zoom: var(--ot-unzoom, 1); }"
_all_rendered: MutableMapping[Any, tuple[Template, dict[str, tuple[str, str]]]] = weakref.WeakKeyDictionary()


def _rendered(element: Any) -> tuple[Template, dict[str, tuple[str, str]]]:
    """Return the element's figure, to be copied, and the ids of each layer's source and renderer by label.

    The same element is rendered once: a function that returns it for every page is cached.
    """
    if element not in _all_rendered:
        plot = hv.renderer("bokeh").get_plot(element)
        plot.state.stylesheets = [*plot.state.stylesheets, _OWN_PIXELS]
        plot.document = None  # else the document it was made in keeps it for ever
        _all_rendered[element] = (
            Template(plot.state),
            {
                part.current_frame.label: (part.handles["source"].id, part.handles["glyph_renderer"].id)
                for part in plot.traverse(lambda p: p)
                if "glyph_renderer" in part.handles
            },
        )
    return _all_rendered[element]


def _column(glyph: Any, name: str) -> str:
    spec = getattr(glyph, name)
    column = spec if isinstance(spec, str) else getattr(spec, "field", None)
    if column is None:
        raise KeyError(f"{type(glyph).__name__}.{name} is the constant {spec!r}, not a column")
    return str(column)


def _plain(values: Any) -> Any:
    """Return numbers as an array that travels inside the message; ragged lists stay lists."""
    if not isinstance(values, np.ndarray):
        values = list(values)
        if values and not np.isscalar(values[0]):
            return values
        values = np.asarray(values)
    return values.view(Inline) if values.dtype.kind in "fiub" else values


def _same(old: Any, new: Any) -> bool:
    """Return whether a column has these numbers already, bit by bit: a NaN is a NaN."""
    if not isinstance(old, np.ndarray) or not isinstance(new, np.ndarray):
        return False
    return old.dtype == new.dtype and old.shape == new.shape and old.tobytes() == new.tobytes()


def _set_range(axis: Any, low: float, high: float) -> None:
    if (axis.start, axis.end) != (low, high):
        axis.update(start=low, end=high, reset_start=low, reset_end=high)
