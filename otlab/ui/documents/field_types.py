"""Compare the values of fields with the types that a class declares for them."""

from __future__ import annotations

import ast
import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from numbers import Integral, Real
from types import NoneType
from typing import Any

import numpy as np

from otlab.python_syntax import parse_expression

__all__ = ["misfit"]

_TYPES: dict[str, tuple[Any, ...]] = {
    "int": (Integral,),
    "float": (Real,),
    "str": (str,),
    "bool": (bool, np.bool_),
    "bytes": (bytes,),
    "tuple": (tuple,),
    "list": (list,),
    "dict": (dict,),
    "Mapping": (Mapping,),
    "Sequence": (Sequence,),
    "Counter": (Counter,),
    "set": (set,),
    "frozenset": (frozenset,),
    "None": (NoneType,),
    "ndarray": (np.ndarray,),
    "NDArray": (np.ndarray,),
    "Generator": (np.random.Generator,),
}
"""The types that are compared; a field of another type may have any value."""
_HOMOGENEOUS = ("list", "set", "frozenset", "Sequence")

Check = Callable[[Any], bool]


def misfit(kind: type, values: Mapping[str, Any]) -> str:
    """Return a sentence on the first value that is not of its field's type; empty if there is none.

    Parameters
    ----------
    kind
        A data class or a named tuple.
    values
        Values by field.
    """
    checks = _checks(kind)
    for name, value in values.items():
        if name in checks and not checks[name](value):
            return f"{kind.__name__}.{name} is {type(value).__name__}"
    return ""


@cache
def _checks(kind: type) -> dict[str, Check]:
    """Return a test for the values of each field."""
    if dataclasses.is_dataclass(kind):
        declared = {field.name: field.type for field in dataclasses.fields(kind)}
    else:
        declared = dict(kind.__annotations__)
    return {name: _check(parse_expression(_text(one))) for name, one in declared.items()}


def _text(declared: Any) -> str:
    if isinstance(declared, str):
        return declared
    return str(getattr(declared, "__forward_arg__", None) or getattr(declared, "__name__", "Any"))


def _check(node: ast.expr) -> Check:
    """Return a test for the type that an annotation names."""
    if isinstance(node, ast.BinOp):
        left, right = _check(node.left), _check(node.right)
        return lambda value: left(value) or right(value)
    if isinstance(node, ast.Constant):
        return _instance("None") if node.value is None else _check(parse_expression(str(node.value)))
    if isinstance(node, ast.Attribute):
        return _instance(node.attr)
    if isinstance(node, ast.Name):
        return _instance(node.id)
    if isinstance(node, ast.Subscript):
        return _subscripted(node)
    return _any


def _any(value: Any) -> bool:
    return True


def _instance(name: str) -> Check:
    kinds = _TYPES.get(name)
    return _any if kinds is None else lambda value: isinstance(value, kinds)


def _subscripted(node: ast.Subscript) -> Check:
    """Return a test for a container; of tuples and lists of plain values each item is tested."""
    outer = _check(node.value)
    name = node.value.id if isinstance(node.value, ast.Name) else ""
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "tuple" and len(inner) == 2 and isinstance(inner[1], ast.Constant) and inner[1].value is ...:
        inner = inner[:1]
    elif name == "tuple":
        each = [_check(one) for one in inner]
        return lambda value: (
            outer(value)
            and len(value) == len(each)
            and all(test(item) for test, item in zip(each, value, strict=True))
        )
    elif name not in _HOMOGENEOUS:
        return outer
    test = _check(inner[0])
    if test is _any:
        return outer
    return lambda value: outer(value) and all(map(test, value))
