"""Pickles that hold data only: arrays, plain values, and the data classes of otlab.

A document's undo history and runs are written this way. What is read back can make no other object and
call no other function, so that the document of somebody else can be opened.

What is kept elsewhere, such as the frames of a recording that is saved as its file, is written as a name.
"""

from __future__ import annotations

import dataclasses
import enum
import importlib
import io
import pickle
from functools import cached_property
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["dumps", "loads"]

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
        if kind is MethodType and type(obj.__self__).__module__.startswith(_SYSTEMS):
            return _Method, (obj.__self__, obj.__name__)
        if not kind.__module__.startswith("otlab.") or isinstance(obj, type | enum.Enum | tuple):
            return NotImplemented
        if not hasattr(obj, "__dict__"):  # it has slots, and nothing beside its fields
            return NotImplemented
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


def _made(kind: type | _Kind, state: dict[str, Any]) -> Any:
    """Return an object of a class of otlab with these attributes; the class is not called."""
    made: Any = object.__new__(kind.kind if isinstance(kind, _Kind) else kind)
    for name, value in state.items():
        object.__setattr__(made, name, value.bound() if isinstance(value, _Method) else value)
    return made


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

    def _elsewhere(self, name: str) -> Any:
        if name not in self._objects:
            raise pickle.UnpicklingError(f"{name} is not here")
        return self._objects[name]

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == (__name__, _elsewhere.__name__):
            return self._elsewhere
        if module == __name__ and name in _OWN:
            return _OWN[name]
        if (module, name) in _PLAIN:
            return _PLAIN[module, name]
        if name in _MODULES.get(module, ()):
            return getattr(importlib.import_module(module), name)
        if module.startswith("otlab.") and "." not in name:
            kind = getattr(importlib.import_module(module), name, None)
            if _is_data(kind):
                return kind
            if isinstance(kind, type) and module.startswith(_SYSTEMS):
                return _Kind(kind)
        raise pickle.UnpicklingError(f"{module}.{name} is no data")


_OWN = {"_made": _made, "_Method": _Method}


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
        If it holds anything but data, is damaged, or names an object that is not in `elsewhere`.
    """
    try:
        return _Unpickler(io.BytesIO(data), elsewhere or {}).load()
    except pickle.UnpicklingError:
        raise
    except Exception as error:  # of a class that has changed, of a file cut off
        raise pickle.UnpicklingError(f"{type(error).__name__}: {error}") from error
