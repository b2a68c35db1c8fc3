r"""Values of documents as bytes, format 2: plain values, arrays, and objects of the classes of a closed list.

::

    b"otlab\x002\n"    what it is, and its format
    8 bytes           length of the head, little-endian
    head              MessagePack: [classes, arrays, value]
                        classes: [name, version, [field, ...]] of each class that occurs
                        arrays: [type, shape, axes, whether it can be written to] of each array; its
                        numbers are in the order of these axes, the last one fastest
    buffers           numbers of each array, each at a multiple of 16 bytes from the end of the head

In `value`, None, booleans, numbers, texts and bytes are themselves; anything else is an array of MessagePack
that begins with a tag: the number of its class, then its fields in order, or one of the negative tags below.
What occurs several times is written once: each tagged value has the next number when its end is reached, and
later ones name it.

Nothing that is read can name a function, or a class that is not in
:data:`~otlab.ui.documents.stored_classes.CLASSES`. An object is made by calling its class, which checks what
it is given; sizes, depths and types of arrays are limited. What format 1 wrote is read by
:mod:`~otlab.ui.documents.format_1`.
"""

from __future__ import annotations

import logging
from collections import Counter
from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgpack
import numpy as np

from otlab.errors import InputError
from otlab.ui.documents import format_1
from otlab.ui.documents.stored_types import (
    UNREADABLE,
    StoredType,
    UnreadableError,
    stored_name,
    stored_type,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "UNREADABLE",
    "NotStoredError",
    "UnreadableError",
    "dumps",
    "dumps_storable",
    "loads",
    "loads_readable",
]

_log = logging.getLogger(__name__)
MAGIC = b"otlab\x002\n"
_ALIGNED = 16
MOST_DEPTH = 100
"""Values in values; those of the labs have about 20."""
MOST_VALUES = 20_000_000
"""Values in all, each counted as often as it is named; a class of thousand runs has some hundred thousand."""
MOST_HEAD_BYTES = 64_000_000
MOST_BYTES = 500_000_000
"""Of all arrays together; what is larger is refused before any memory is asked for."""
DTYPES = frozenset(
    ["|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"]
)
MOST_DIMENSIONS = 8

_TUPLE, _LIST, _DICT, _SET, _FROZENSET, _COUNTER, _PROXY = -1, -2, -3, -4, -5, -6, -7
_ARRAY, _SCALAR, _SAME, _ELSEWHERE, _WHOLE = -8, -9, -10, -11, -12
_SEQUENCES = {tuple: _TUPLE, list: _LIST, set: _SET, frozenset: _FROZENSET}
_MAPPINGS = {dict: _DICT, Counter: _COUNTER, MappingProxyType: _PROXY}
_PLAIN = frozenset({str, float, bool, type(None), bytes})
_FEWEST_INT, _MOST_INT = -(2**63), 2**64 - 1


class NotStoredError(TypeError):
    """A value cannot be part of a document: its class is not on the list, or it is too deep."""


def dumps(value: Any, elsewhere: Mapping[str, Any] | None = None) -> bytes:
    """Return a value as bytes.

    Parameters
    ----------
    value
        The value.
    elsewhere
        Objects that are kept elsewhere, by name: their names are written.

    Raises
    ------
    NotStoredError
        If part of it is of a class that is not stored.
    """
    return _Encoder(elsewhere or {}).whole(value)


def dumps_storable(value: Any) -> bytes:
    """Return a value as bytes; None in its place if part of it is of a class that is not stored.

    The rest of its document is saved all the same.
    """
    try:
        return dumps(value)
    except NotStoredError:
        _log.exception("part of a document could not be saved")
        return dumps(None)


class _Encoder:
    """Write one value; see the head of the module."""

    def __init__(self, elsewhere: Mapping[str, Any]) -> None:
        self._names = {id(obj): name for name, obj in elsewhere.items()}
        self._numbers: dict[int, int] = {}
        self._kept: list[Any] = []  # what has a number must live, or its id would be used again
        self._classes: dict[type, tuple[int, StoredType]] = {}
        self._arrays: list[tuple[list[Any], np.ndarray]] = []
        self._depth = 0

    def whole(self, value: Any) -> bytes:
        """Return the bytes of a value."""
        plain = self._plain(value)
        classes = [[kind.name, kind.version, list(kind.fields)] for _, kind in self._classes.values()]
        head = msgpack.packb([classes, [about for about, _ in self._arrays], plain])
        parts, at = [MAGIC, len(head).to_bytes(8, "little"), head], 0
        for _, array in self._arrays:
            parts += [b"\0" * (-at % _ALIGNED), array.data if array.size else b""]
            at += -at % _ALIGNED + array.nbytes
        return b"".join(parts)

    def _plain(self, value: Any) -> Any:
        kind = type(value)
        if kind in _PLAIN:
            return value
        if kind is int:
            return value if _FEWEST_INT <= value <= _MOST_INT else [_WHOLE, str(value)]
        if id(value) in self._numbers:
            return [_SAME, self._numbers[id(value)]]
        if id(value) in self._names:
            return [_ELSEWHERE, self._names[id(value)]]
        if isinstance(value, np.generic):
            return [_SCALAR, value.dtype.str, value.item()] if value.dtype.str in DTYPES else _refused(value)
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise NotStoredError("values are in one another too often")
        made = self._tagged(kind, value)
        self._depth -= 1
        self._numbers[id(value)] = len(self._kept)
        self._kept.append(value)
        return made

    def _tagged(self, kind: type, value: Any) -> list[Any]:
        if kind in _SEQUENCES:
            plain = _PLAIN.issuperset(map(type, value))
            return [_SEQUENCES[kind], *(value if plain else map(self._plain, value))]
        if kind in _MAPPINGS:
            return [_MAPPINGS[kind], *(self._plain(part) for item in value.items() for part in item)]
        if kind is np.ndarray:
            return self._array(value)
        if kind not in self._classes:
            found = stored_type(stored_name(kind) or _refused(value))
            self._classes[kind] = len(self._classes), found
        number, stored = self._classes[kind]
        return [number, *map(self._plain, stored.taken(value))]

    def _array(self, array: np.ndarray) -> list[Any]:
        if array.dtype.str not in DTYPES:
            _refused(array)
        axes = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
        if not array.transpose(axes).flags.c_contiguous:
            axes = list(range(array.ndim))
        about = [array.dtype.str, list(array.shape), axes, array.flags.writeable]
        self._arrays.append((about, np.ascontiguousarray(array.transpose(axes))))
        return [_ARRAY, len(self._arrays) - 1]


def _refused(value: Any) -> Any:
    kind = f"array of {value.dtype}" if isinstance(value, np.ndarray) else type(value).__qualname__
    raise NotStoredError(f"{kind} is no value of a document")


def loads(data: bytes, elsewhere: Mapping[str, Any] | None = None) -> Any:
    """Return what :func:`dumps` was given.

    Parameters
    ----------
    data
        The bytes, of this format or of format 1.
    elsewhere
        The objects that were written as names, by name.

    Raises
    ------
    UnreadableError
        If it holds anything but data, is damaged, names an object that is not in `elsewhere`, or holds an
        object whose class has changed.
    """
    value, faults = _read(data, elsewhere or {})
    if faults:
        raise UnreadableError(faults[0])
    return value


def loads_readable(data: bytes) -> Any:
    """Return what :func:`dumps` was given, as far as it can be read.

    What holds an object whose class has changed is left out: :data:`UNREADABLE` is in place of the item
    of a tuple, or of the whole.

    Raises
    ------
    UnreadableError
        If it holds anything but data, or is damaged.
    """
    value, faults = _read(data, {})
    if not faults:
        return value
    _log.info("what another version wrote is left out: %s", "; ".join(faults))
    if type(value) is tuple:
        return tuple(item if _complete(item) else UNREADABLE for item in value)
    return UNREADABLE


def _complete(value: Any) -> bool:
    try:
        dumps(value)
    except NotStoredError:
        return False
    return True


def _read(data: bytes, elsewhere: Mapping[str, Any]) -> tuple[Any, list[str]]:
    if not data.startswith(MAGIC):
        return format_1.read(data, elsewhere)
    decoder = _Decoder(elsewhere)
    try:
        return decoder.whole(data), decoder.faults
    except UnreadableError:
        raise
    except Exception as error:  # of damaged or hostile bytes
        raise UnreadableError(f"{type(error).__name__}: {error}") from error


class _Decoder:
    """Read one value; see the head of the module."""

    def __init__(self, elsewhere: Mapping[str, Any]) -> None:
        self._elsewhere = elsewhere
        self._made: list[Any] = []
        self._classes: list[tuple[str, int, list[str]]] = []
        self._arrays: list[np.ndarray] = []
        self._sizes: list[int] = []  # how many values each made value has, those named again counted again
        self._size = self._depth = 0
        self.faults: list[str] = []

    def whole(self, data: bytes) -> Any:
        """Return the value of the bytes."""
        begin = len(MAGIC) + 8
        length = int.from_bytes(data[len(MAGIC) : begin], "little")
        if length > min(MOST_HEAD_BYTES, len(data) - begin):
            raise UnreadableError("its head is cut off, or too long")
        classes, arrays, value = msgpack.unpackb(data[begin : begin + length], strict_map_key=True)
        self._classes = [(str(name), int(version), list(map(str, names))) for name, version, names in classes]
        self._arrays = _arrays(arrays, memoryview(data)[begin + length :])
        return self._value(value)

    def _value(self, plain: Any) -> Any:
        if type(plain) is not list:
            if isinstance(plain, dict | msgpack.ExtType | msgpack.Timestamp):
                raise UnreadableError(f"a {type(plain).__name__} is no value of a document")
            return plain
        tag = plain[0]
        if type(tag) is not int:
            raise UnreadableError("a value without a tag")
        if tag == _SAME:
            number = _index(plain[1], self._made)
            self._count(self._sizes[number])
            return self._made[number]
        if tag in _LEAVES:
            return _LEAVES[tag](self, plain)
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise UnreadableError("values are in one another too often")
        before = self._size
        self._count(1)
        value = self._object(tag, plain) if tag >= 0 else _COMPOUNDS[tag](self, plain)
        self._depth -= 1
        self._made.append(value)
        self._sizes.append(self._size - before)
        return value

    def _count(self, size: int) -> None:
        """Refuse values that name one another so often that nothing could look at them all."""
        self._size += size
        if self._size > MOST_VALUES:
            raise UnreadableError("too many values")

    def _items(self, plain: list[Any], first: int = 1) -> list[Any]:
        """Return the values after a tag."""
        items = plain[first:]
        return [self._value(item) for item in items] if list in set(map(type, items)) else items

    def _pairs(self, plain: list[Any]) -> dict[Any, Any]:
        items = self._items(plain)
        return dict(zip(items[::2], items[1::2], strict=True))

    def _object(self, tag: int, plain: list[Any]) -> Any:
        name, version, fields = self._classes[_index(tag, self._classes)]
        values = self._items(plain)
        if any(value is UNREADABLE for value in values):
            return UNREADABLE
        try:
            return stored_type(name).made(version, dict(zip(fields, values, strict=True)))
        except (InputError, ValueError, TypeError, ArithmeticError, LookupError, AttributeError) as error:
            self.faults.append(f"{name}: {error}")
            return UNREADABLE

    def _array(self, plain: list[Any]) -> np.ndarray:
        return self._arrays[_index(plain[1], self._arrays)]

    def _scalar(self, plain: list[Any]) -> Any:
        _, kind, number = plain
        if kind not in DTYPES or not isinstance(number, int | float):
            raise UnreadableError("a number of an unknown type")
        return np.dtype(kind).type(number)

    def _whole_number(self, plain: list[Any]) -> int:
        text = plain[1]
        if len(text) > 100:
            raise UnreadableError("a number of more than 100 digits")
        return int(text)

    def _kept_elsewhere(self, plain: list[Any]) -> Any:
        name = plain[1]
        if name not in self._elsewhere:
            raise UnreadableError(f"{name} is not here")
        return self._elsewhere[name]


_LEAVES = {_SCALAR: _Decoder._scalar, _WHOLE: _Decoder._whole_number, _ELSEWHERE: _Decoder._kept_elsewhere}
_COMPOUNDS: dict[int, Any] = {
    _TUPLE: lambda reader, plain: tuple(reader._items(plain)),
    _LIST: _Decoder._items,
    _SET: lambda reader, plain: set(reader._items(plain)),
    _FROZENSET: lambda reader, plain: frozenset(reader._items(plain)),
    _DICT: _Decoder._pairs,
    _COUNTER: lambda reader, plain: Counter(reader._pairs(plain)),
    _PROXY: lambda reader, plain: MappingProxyType(reader._pairs(plain)),
    _ARRAY: _Decoder._array,
}


def _index(number: Any, items: list[Any]) -> int:
    if type(number) is not int or not 0 <= number < len(items):
        raise UnreadableError(f"there is no part {number}")
    return number


def _shape(shape: Any) -> tuple[int, ...]:
    sizes = tuple(shape)
    if len(sizes) > MOST_DIMENSIONS or not all(type(size) is int and size >= 0 for size in sizes):
        raise UnreadableError("an array of an impossible shape")
    return sizes


def _arrays(about: list[Any], buffers: memoryview) -> list[np.ndarray]:
    """Return the arrays whose numbers follow the head; none is larger than what is there."""
    arrays, at = [], 0
    if len(buffers) > MOST_BYTES:
        raise UnreadableError("its arrays are too large")
    for kind, shape, axes, writeable in about:
        if kind not in DTYPES:
            raise UnreadableError(f"an array of type {kind}")
        sizes, dtype = _shape(shape), np.dtype(kind)
        if sorted(axes) != list(range(len(sizes))):
            raise UnreadableError("an array of impossible axes")
        at += -at % _ALIGNED
        count = prod(sizes)
        end = at + count * dtype.itemsize
        if end > len(buffers) and count:
            raise UnreadableError("an array is cut off")
        array = np.frombuffer(buffers[at:end], dtype).copy() if count else np.empty(0, dtype)
        array = array.reshape([sizes[axis] for axis in axes]).transpose(np.argsort(axes))
        array.flags.writeable = bool(writeable)
        arrays.append(array)
        at = max(at, end)
    return arrays
