"""Read values of documents of format 1: pickles, of which only what otlab had written is understood.

Every operation of a pickle that makes something is replaced by one of this module, so that a file can name no
class or function of Python's: names are looked up in a closed list, and what they stand for here are arrays,
random generators, and the classes of :mod:`~otlab.ui.documents.stored_types`, which check what they are
given. Operations that otlab never wrote are refused.
"""

from __future__ import annotations

import io
import pickle
from collections import Counter, OrderedDict
from math import prod
from struct import unpack
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from otlab.errors import InputError
from otlab.ui.documents.stored_classes import MOVED
from otlab.ui.documents.stored_types import UNREADABLE, UnreadableError, stored_path_name, stored_type

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["read"]

_OWN = "otlab.ui.documents.safe_pickle"  # the module that wrote these pickles
_CODES = ("b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8")
_DTYPES = {code: np.dtype(code) for code in _CODES}
_OPCODES = frozenset(
    b"\x80\x8c\x8a\x8e\x93\x94\x95\x96\x85\x86\x87\x88\x89\x8f\x90\x91()]}.BCGJKMNRTXbehjlrstu\x81ad"
)
"""Those that pickles of format 1 may have; the others name modules in other ways, or persistent objects."""
_MOST_HASHED = 10_000


_Python: Any = getattr(pickle, "_Unpickler")  # noqa: B009  # the one in Python, whose operations can be replaced


class _Ignored:
    """An object whose class is made again from others, such as the charts of a text."""


class _Named:
    """What a name in a pickle stands for; it can be handed over, and not called.

    Attributes
    ----------
    name
        That under which objects of the class are stored.
    """

    def __init__(self, name: str) -> None:
        self.name = name


class _Token:
    """A name that other operations take as an argument."""

    def __init__(self, what: str) -> None:
        self.what = what


class _Seed:
    """A seed that is being read: what BUILD says of it."""

    state: tuple[Any, ...] = ()


class _Bits:
    """A bit generator that is being read: its state and its seed."""

    state: Any = None


_NDARRAY, _PCG64, _SEED_SEQUENCE = _Token("ndarray"), _Token("PCG64"), _Token("SeedSequence")


def _dtype(code: Any, *_: Any) -> np.dtype[Any]:
    if code not in _DTYPES:
        raise pickle.UnpicklingError(f"an array of type {code!r}")
    return _DTYPES[code]


def _from_buffer(buffer: Any, dtype: Any, shape: Any, order: Any, axes: Any = None) -> np.ndarray:
    """Return an array of the bytes in the pickle, which can be written to if it could then."""
    if not isinstance(buffer, bytes | bytearray) or not isinstance(dtype, np.dtype):
        raise pickle.UnpicklingError("an array of something else than bytes")
    array = np.frombuffer(buffer, dtype)
    if order == "K":
        return array.reshape(shape).transpose(axes)
    return array.reshape(shape, order="F" if order == "F" else "C")


def _empty_array(kind: Any, shape: Any, code: Any) -> np.ndarray:
    if kind is not _NDARRAY or shape != (0,):
        raise pickle.UnpicklingError("an array of another kind")
    return np.empty(0, np.int8)


def _scalar(dtype: Any, data: Any) -> Any:
    if not isinstance(dtype, np.dtype) or not isinstance(data, bytes):
        raise pickle.UnpicklingError("a number of an unknown type")
    (number,) = np.frombuffer(data, dtype)
    return number


def _bit_generator(kind: Any) -> _Bits:
    if kind is not _PCG64:
        raise pickle.UnpicklingError("another bit generator")
    return _Bits()


def _seed_sequence(kind: Any, *_: Any) -> _Seed:
    if kind is not _SEED_SEQUENCE:
        raise pickle.UnpicklingError("another seed")
    return _Seed()


def _generator(bits: Any, *_: Any) -> np.random.Generator:
    """Return the generator of a state and a seed that have been read."""
    if not isinstance(bits, _Bits):
        raise pickle.UnpicklingError("a generator without its bits")
    about, seed = bits.state
    entropy, spawned, _, _, spawn_key = seed.state
    names = ("has_uint32", "uinteger")
    values = {**about["state"], **{name: about[name] for name in names}}
    values |= {"entropy": entropy, "spawn_key": tuple(spawn_key), "spawned": spawned}
    made: np.random.Generator = stored_type("numpy.Generator").made(1, values)
    return made


def _method(*_: Any) -> Any:
    return _Ignored()


_FUNCTIONS: Mapping[tuple[str, str], Callable[..., Any] | _Token] = {
    ("numpy", "dtype"): _dtype,
    ("numpy", "ndarray"): _NDARRAY,
    ("numpy._core.multiarray", "_reconstruct"): _empty_array,
    ("numpy._core.multiarray", "scalar"): _scalar,
    ("numpy._core.numeric", "_frombuffer"): _from_buffer,
    ("numpy.random._pickle", "__bit_generator_ctor"): _bit_generator,
    ("numpy.random._pickle", "__generator_ctor"): _generator,
    ("numpy.random._pcg64", "PCG64"): _PCG64,
    ("numpy.random.bit_generator", "SeedSequence"): _SEED_SEQUENCE,
    ("numpy.random.bit_generator", "__pyx_unpickle_SeedSequence"): _seed_sequence,
    ("builtins", "set"): set,
    ("builtins", "frozenset"): frozenset,
    ("builtins", "complex"): complex,
    ("collections", "Counter"): Counter,
    ("collections", "OrderedDict"): OrderedDict,
    (_OWN, "_Method"): _method,
}
"""What names in a pickle stand for."""

_MADE_AGAIN = frozenset(
    {
        "otlab.discovery.kernels.layout.Lattice",
        "otlab.discovery.kernels.layout.RuleTables",
        "otlab.discovery.kernels.layout.Text",
        "otlab.discovery.parsing.parser.ChartGrammar",
        "otlab.discovery.parsing.spans.Spans",
        "otlab.mg.kernels.forest.Nodes",
        "otlab.mg.learners.corpus.Packed",
        "otlab.mg.parsing.forest.Forest",
        "otlab.mg.parsing.grammar.Signature",
    }
)
"""Classes that format 1 stored, and that are now made from others."""


def _of_parser(state: dict[str, Any]) -> dict[str, Any]:
    return {**state, "lattice": state["lattice"] is not None}


def _of_draws(state: dict[str, Any]) -> dict[str, Any]:
    full, sweeps, rows = state["_full"], state["_sweeps"], state["_rows"]
    used = rows[:, : full + (sweeps > 0)]
    return {
        "capacity": state["capacity"],
        "items": rows.shape[2],
        "block": state["block"],
        "full": full,
        "sweeps": sweeps,
        "rows": used,
    }


_CONVERTED = {"discovery.Parser": _of_parser, "mg.DrawStore": _of_draws}
"""Name -> what turns the attributes that format 1 stored into what is stored now, where they differ."""


class _Unpickler(_Python):
    """Read a pickle by the operations of this module."""

    dispatch: ClassVar[dict[int, Any]] = {
        code: do for code, do in _Python.dispatch.items() if code in _OPCODES
    }

    def __init__(self, file: io.BytesIO, elsewhere: Mapping[str, Any]) -> None:
        super().__init__(file)
        self._objects = elsewhere
        self.faults: list[str] = []
        self._callable = {id(one) for one in _FUNCTIONS.values() if not isinstance(one, _Token)}
        self._bound = (self._made, self._elsewhere)

    def find_class(self, module: str, name: str) -> Any:
        """Return what a name stands for."""
        if (module, name) == (_OWN, "_made"):
            return self._bound[0]
        if (module, name) == (_OWN, "_elsewhere"):
            return self._bound[1]
        if (module, name) in _FUNCTIONS:
            return _FUNCTIONS[module, name]
        path = f"{module}.{name}"
        if path in _MADE_AGAIN:
            return _Ignored
        stored = MOVED.get(path) or stored_path_name(path)
        if stored is None:
            raise pickle.UnpicklingError(f"{path} is no data")
        return _Named(stored)

    def _elsewhere(self, name: str) -> Any:
        if name not in self._objects:
            raise pickle.UnpicklingError(f"{name} is not here")
        return self._objects[name]

    def _made(self, kind: Any, state: Any) -> Any:
        """Return an object of a class on the list, of its attributes by name."""
        if kind is _Ignored:
            return _Ignored()
        if not isinstance(kind, _Named) or type(state) is not dict:
            raise pickle.UnpicklingError("an object of an unknown class")
        if any(value is UNREADABLE for value in state.values()):
            return UNREADABLE
        try:
            convert = _CONVERTED.get(kind.name, dict)
            return stored_type(kind.name).made(1, convert(state))
        except (InputError, ValueError, TypeError, ArithmeticError, LookupError, AttributeError) as error:
            self.faults.append(f"{kind.name}: {error}")
            return UNREADABLE

    def _reduce(self) -> None:
        """Call a function of this module, and no other."""
        args = self.stack.pop()
        function = self.stack[-1]
        own = any(function == one for one in self._bound) if callable(function) else False
        if type(args) is not tuple or not (own or id(function) in self._callable):
            raise pickle.UnpicklingError("a call of something that is no function of documents")
        self.stack[-1] = function(*args)

    def _new_object(self) -> None:
        """Make a named tuple of a class on the list."""
        args = self.stack.pop()
        kind = self.stack.pop()
        if kind is _Ignored:
            self.append(_Ignored())
            return
        if not isinstance(kind, _Named) or type(args) is not tuple:
            raise pickle.UnpicklingError("an object of an unknown class")
        fields = stored_type(kind.name).fields
        if len(fields) != len(args):
            self.faults.append(f"{kind.name} has other fields")
            self.append(UNREADABLE)
            return
        self.append(self._made(kind, dict(zip(fields, args, strict=True))))

    def _build(self) -> None:
        """Give a state to an array or a generator that is being made."""
        state = self.stack.pop()
        made = self.stack[-1]
        if isinstance(made, np.dtype | _Ignored):
            return
        if isinstance(made, _Seed | _Bits):
            made.state = state
            return
        if type(made) is not np.ndarray:
            raise pickle.UnpicklingError("a state of something else")
        version, shape, dtype, fortran, data = state
        if not isinstance(dtype, np.dtype) or type(data) is not bytes or type(shape) is not tuple:
            raise pickle.UnpicklingError("an array of something else than bytes")
        if prod(shape) * dtype.itemsize != len(data) or any(size < 0 for size in shape):
            raise pickle.UnpicklingError("an array of an impossible shape")
        set_state: Any = made.__setstate__
        set_state((version, shape, dtype, bool(fortran), data))

    def _set_items(self) -> None:
        items = self.pop_mark()
        for key in items[::2]:
            _check_hashable(key)
        self.stack[-1].update(zip(items[::2], items[1::2], strict=True))

    def _set_item(self) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        _check_hashable(key)
        self.stack[-1][key] = value

    def _add_items(self) -> None:
        items = self.pop_mark()
        for item in items:
            _check_hashable(item)
        self.stack[-1].update(items)

    def _byte_array(self) -> None:
        """Read as many bytes as there are: Python's own operation makes room for all that are announced."""
        (size,) = unpack("<Q", self.read(8))
        self.append(bytearray(self.read(size)))

    def _frozen_set(self) -> None:
        items = self.pop_mark()
        for item in items:
            _check_hashable(item)
        self.append(frozenset(items))

    dispatch[pickle.REDUCE[0]] = _reduce
    dispatch[pickle.NEWOBJ[0]] = _new_object
    dispatch[pickle.BUILD[0]] = _build
    dispatch[pickle.SETITEMS[0]] = _set_items
    dispatch[pickle.SETITEM[0]] = _set_item
    dispatch[pickle.ADDITEMS[0]] = _add_items
    dispatch[pickle.FROZENSET[0]] = _frozen_set
    dispatch[pickle.BYTEARRAY8[0]] = _byte_array


def _check_hashable(key: Any) -> None:
    """Refuse keys that are nested so often that their hash takes for ever."""
    left, waiting = _MOST_HASHED, [key]
    while waiting:
        one = waiting.pop()
        left -= 1
        if left < 0:
            raise pickle.UnpicklingError("a key with too many parts")
        if isinstance(one, tuple | frozenset):
            waiting += one


def read(data: bytes, elsewhere: Mapping[str, Any]) -> tuple[Any, list[str]]:
    """Return the value of a pickle of format 1, and what of it could not be read.

    Raises
    ------
    UnreadableError
        If it holds anything but data, is damaged, or names an object that is not in `elsewhere`.
    """
    unpickler = _Unpickler(io.BytesIO(data), elsewhere)
    try:
        return unpickler.load(), unpickler.faults
    except UnreadableError:
        raise
    except Exception as error:  # of a file that is cut off, or hostile
        raise UnreadableError(f"{type(error).__name__}: {error}") from error
