"""Pickles that hold data only: arrays, plain values, and the data classes of otlab.

A document's undo history and runs are written this way. What is read back can make no other object and
call no other function, so that the document of somebody else can be opened.

What is kept elsewhere, such as the frames of a recording that is saved as its file, is written as a name.

Attributes are written by name. When they are read, a field that the class has got since has its default;
an object is unreadable if a field without a default is missing, if a field now has another type, or if its
class is gone. :func:`loads` then refuses the whole, and :func:`loads_readable` leaves out what holds it.
"""

from __future__ import annotations

import dataclasses
import enum
import importlib
import io
import logging
import pickle
import re
from collections import Counter
from functools import cache, cached_property
from numbers import Integral, Real
from types import FunctionType, MethodType, NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["UNREADABLE", "dumps", "loads", "loads_readable"]

_log = logging.getLogger(__name__)

_PLAIN = {
    ("builtins", "set"): set,
    ("builtins", "frozenset"): frozenset,
    ("builtins", "slice"): slice,
    ("builtins", "range"): range,
    ("builtins", "complex"): complex,
    ("builtins", "bytearray"): bytearray,
}
_MODULES = {  # further classes and functions that the pickles of arrays and generators name
    "collections": ("Counter", "OrderedDict", "deque", "defaultdict"),
    "numpy": ("dtype", "ndarray", "bool", "float32", "float64", "int8", "int32", "int64", "uint8", "uint64"),
    "numpy._core.multiarray": ("_reconstruct", "scalar"),
    "numpy._core.numeric": ("_frombuffer",),
    "numpy.random._pickle": ("__bit_generator_ctor", "__generator_ctor"),
    "numpy.random._pcg64": ("PCG64",),
    "numpy.random.bit_generator": ("SeedSequence", "__pyx_unpickle_SeedSequence"),
    "types": ("MappingProxyType",),
}


_SYSTEMS = ("otlab.ot.", "otlab.tagging.", "otlab.mg.", "otlab.discovery.", "otlab.inference.")


class _Pickler(pickle.Pickler):
    """Write objects of otlab without their cached values, and those kept elsewhere as names."""

    def __init__(self, file: io.BytesIO, elsewhere: Mapping[str, Any]) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self._names = {id(obj): name for name, obj in elsewhere.items()}

    def reducer_override(self, obj: Any) -> Any:
        if id(obj) in self._names:
            return _elsewhere, (self._names[id(obj)],)
        kind = type(obj)
        if kind is _Unreadable:
            raise pickle.PicklingError("it could not be read")
        if kind is MethodType and type(obj.__self__).__module__.startswith(_SYSTEMS):
            return _Method, (obj.__self__, obj.__name__)
        if not kind.__module__.startswith("otlab.") or isinstance(obj, type | enum.Enum | tuple):
            return NotImplemented
        if not hasattr(obj, "__dict__"):  # it has slots, and nothing beside its fields
            if not dataclasses.is_dataclass(obj):
                return NotImplemented
            return _made, (kind, {field.name: getattr(obj, field.name) for field in dataclasses.fields(obj)})
        own = obj.__getstate__()  # what the class itself leaves out, if it says so
        state = {
            name: value
            for name, value in (own or {}).items()
            if not isinstance(getattr(kind, name, None), cached_property)
        }
        return _made, (kind, state)


@dataclasses.dataclass(frozen=True)
class _Kind:
    """A class whose objects may be made without calling the class."""

    kind: type


class _Unreadable:
    """Stands for an object whose class has changed since it was written; it cannot be written again."""

    def __new__(cls, *_: Any) -> _Unreadable:
        return object.__new__(cls)

    def __setstate__(self, state: Any) -> None:
        """Ignore the attributes."""


UNREADABLE: Any = _Unreadable()
"""Stands for what :func:`loads_readable` leaves out."""


def _made(kind: type | _Kind, state: dict[str, Any]) -> Any:
    """Return an object of a class of otlab with these attributes; the class is not called.

    Raises
    ------
    _ChangedError
        If the class has changed, so that they are not its attributes.
    """
    own = kind.kind if isinstance(kind, _Kind) else kind
    values = {name: value.bound() if isinstance(value, _Method) else value for name, value in state.items()}
    if dataclasses.is_dataclass(own):
        values = _completed(own, values)
    made: Any = object.__new__(own)
    for name, value in values.items():
        if not isinstance(getattr(own, name, None), property):  # a field once, computed now
            object.__setattr__(made, name, value)
    return made


class _ChangedError(Exception):
    """A class has changed since an object of it was written."""


_TYPES = {
    "int": Integral,
    "float": Real,
    "str": str,
    "bool": (bool, np.bool_),
    "tuple": tuple,
    "list": list,
    "dict": dict,
    "Counter": Counter,
    "set": set,
    "frozenset": frozenset,
    "None": NoneType,
    "np.ndarray": np.ndarray,
    "NDArray": np.ndarray,
}
"""The types of fields that are compared with those of the values; a field of another type may have any."""


@cache
def _field_types(kind: type) -> dict[str, tuple[Any, ...]]:
    """Return what each field of a data class may be an instance of."""
    found = {}
    for field in dataclasses.fields(kind):
        text = field.type if isinstance(field.type, str) else field.type.__name__
        while "[" in text:  # what is in the value is not compared
            text, before = re.sub(r"\[[^\[\]]*\]", "", text), text
            if text == before:
                break
        found[field.name] = tuple(_TYPES.get(one.strip(), object) for one in text.split("|"))
    return found


def _completed(kind: type, values: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of an object of a data class with the defaults of fields that are missing."""
    completed, types = dict(values), _field_types(kind)
    for field in dataclasses.fields(kind):
        name = field.name
        if name in values:
            if not isinstance(values[name], types[name] + (_Unreadable,)):
                raise _ChangedError(f"{kind.__name__}.{name} is {type(values[name]).__name__}")
        elif field.default is not dataclasses.MISSING:
            completed[name] = field.default
        elif field.default_factory is not dataclasses.MISSING:
            completed[name] = field.default_factory()
        elif not isinstance(getattr(kind, name, None), cached_property):
            raise _ChangedError(f"{kind.__name__} has no {name}")
    return completed


@dataclasses.dataclass(frozen=True)
class _Method:
    """A method of an object of otlab's systems. A pickle can keep it as an attribute, but cannot call it."""

    owner: Any
    name: str

    def bound(self) -> Any:
        kind = type(self.owner)
        if not kind.__module__.startswith(_SYSTEMS) or not isinstance(
            vars(kind).get(self.name), FunctionType
        ):
            raise pickle.UnpicklingError(f"{kind.__name__} has no method {self.name}")
        return getattr(self.owner, self.name)


def _elsewhere(name: str) -> Any:
    """Stand for an object kept elsewhere; reading replaces this function."""
    raise pickle.UnpicklingError(f"{name} is kept elsewhere")


class _Unpickler(pickle.Unpickler):
    """Read data only; any other object is refused."""

    def __init__(self, file: io.BytesIO, elsewhere: Mapping[str, Any]) -> None:
        super().__init__(file)
        self._objects = elsewhere
        self.faults: list[str] = []

    def _unreadable(self, fault: str) -> type[_Unreadable]:
        self.faults.append(fault)
        return _Unreadable

    def _made(self, kind: type | _Kind, state: dict[str, Any]) -> Any:
        if kind is _Unreadable:
            return _Unreadable()
        try:
            return _made(kind, state)
        except _ChangedError as change:
            return self._unreadable(str(change))()

    def _elsewhere(self, name: str) -> Any:
        if name not in self._objects:
            raise pickle.UnpicklingError(f"{name} is not here")
        return self._objects[name]

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == (__name__, _elsewhere.__name__):
            return self._elsewhere
        if (module, name) == (__name__, _made.__name__):
            return self._made
        if module == __name__ and name in _OWN:
            return _OWN[name]
        if (module, name) in _PLAIN:
            return _PLAIN[module, name]
        if name in _MODULES.get(module, ()):
            return getattr(importlib.import_module(module), name)
        if module.startswith("otlab.") and "." not in name:
            try:
                kind = getattr(importlib.import_module(module), name)
            except (ImportError, AttributeError):
                return self._unreadable(f"there is no {module}.{name}")
            if _is_data(kind):
                return kind
            if isinstance(kind, type) and module.startswith(_SYSTEMS):
                return _Kind(kind)
        raise pickle.UnpicklingError(f"{module}.{name} is no data")


_OWN = {"_Method": _Method}


def _is_data(kind: Any) -> bool:
    if not isinstance(kind, type):
        return False
    named_tuple = issubclass(kind, tuple) and hasattr(kind, "_fields")
    return dataclasses.is_dataclass(kind) or named_tuple or issubclass(kind, enum.Enum)


def dumps(value: Any, elsewhere: Mapping[str, Any] | None = None) -> bytes:
    """Return a value as bytes.

    Parameters
    ----------
    value
        The value.
    elsewhere
        Objects of otlab that are kept elsewhere, by name: their names are written.

    Raises
    ------
    pickle.PicklingError, TypeError, AttributeError
        If part of it is no data, such as a function made in a function.
    """
    file = io.BytesIO()
    _Pickler(file, elsewhere or {}).dump(value)
    return file.getvalue()


def loads(data: bytes, elsewhere: Mapping[str, Any] | None = None) -> Any:
    """Return what :func:`dumps` was given.

    Parameters
    ----------
    data
        The bytes.
    elsewhere
        The objects that were written as names, by name.

    Raises
    ------
    pickle.UnpicklingError
        If it holds anything but data, is damaged, names an object that is not in `elsewhere`, or holds an
        object whose class has changed.
    """
    value, faults = _loaded(data, elsewhere or {})
    if faults:
        raise pickle.UnpicklingError(faults[0])
    return value


def loads_readable(data: bytes) -> Any:
    """Return what :func:`dumps` was given, as far as it can be read.

    An object whose class has changed is left out: :data:`UNREADABLE` is in place of the item of a tuple
    that holds it, or of the whole.

    Raises
    ------
    pickle.UnpicklingError
        If it holds anything but data, or is damaged.
    """
    value, faults = _loaded(data, {})
    if not faults:
        return value
    _log.info("what another version wrote is left out: %s", "; ".join(faults))
    if type(value) is tuple:
        return tuple(item if _writable(item) else UNREADABLE for item in value)
    return value if _writable(value) else UNREADABLE


def _writable(value: Any) -> bool:
    try:
        dumps(value)
    except pickle.PicklingError:
        return False
    return True


def _loaded(data: bytes, elsewhere: Mapping[str, Any]) -> tuple[Any, list[str]]:
    unpickler = _Unpickler(io.BytesIO(data), elsewhere)
    try:
        return unpickler.load(), unpickler.faults
    except pickle.UnpicklingError:
        raise
    except Exception as error:  # of a file cut off
        raise pickle.UnpicklingError(f"{type(error).__name__}: {error}") from error
