"""Hash data and settings by value, so that equal ones are recognised."""

from __future__ import annotations

import hashlib
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

__all__ = ["digest"]


def digest(*things: object) -> str:
    """Return a hash of values: equal settings give equal digests on every machine.

    Understands numbers, strings, None, arrays, dataclasses, objects whose
    ``digest_parts()`` returns what they depend on, and tuples, lists and dicts of them.

    Raises
    ------
    TypeError
        For anything else: a hash by identity would never be found again.
    """
    h = hashlib.sha256()
    for thing in things:
        _feed(h, thing)
    return h.hexdigest()


def _feed(h: Any, thing: object) -> None:
    if thing is None or isinstance(thing, str | int | float | bool | bytes | np.generic):
        h.update(f"{type(thing).__name__}:{thing!r};".encode())
    elif isinstance(thing, np.ndarray):
        h.update(f"array:{thing.dtype}:{thing.shape};".encode())
        h.update(
            repr(thing.tolist()).encode() if thing.dtype == object else np.ascontiguousarray(thing).tobytes()
        )
    elif is_dataclass(thing) and not isinstance(thing, type):
        h.update(f"{type(thing).__module__}.{type(thing).__qualname__}(".encode())
        for f in fields(thing):
            # Fields left out of comparison (a number of threads) change no result.
            if f.init and f.compare:
                h.update(f"{f.name}=".encode())
                _feed(h, getattr(thing, f.name))
        h.update(b")")
    elif isinstance(thing, dict):
        for key in sorted(thing, key=repr):
            _feed(h, key)
            _feed(h, thing[key])
    elif isinstance(thing, tuple | list):
        h.update(f"[{len(thing)}".encode())
        for item in thing:
            _feed(h, item)
    elif hasattr(thing, "digest_parts"):
        h.update(f"{type(thing).__module__}.{type(thing).__qualname__}".encode())
        _feed(h, thing.digest_parts())
    else:
        raise TypeError(f"cannot hash a {type(thing).__qualname__} by value")
