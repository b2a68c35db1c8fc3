"""Parse Python's syntax, one thread at a time.

Python 3.11 and 3.12 count how deep a tree is for all threads together, so that two that parse at once can end
in ``SystemError: AST constructor recursion depth mismatch`` (issue 106905 of CPython).
"""

from __future__ import annotations

import ast
from threading import RLock

__all__ = ["parse_expression", "parse_module"]

_one_at_a_time = RLock()


def parse_module(source: str | bytes) -> ast.Module:
    """Return the tree of a module.

    Raises
    ------
    SyntaxError, ValueError, RecursionError, MemoryError
        As :func:`ast.parse` does.
    """
    with _one_at_a_time:
        return ast.parse(source)


def parse_expression(source: str) -> ast.expr:
    """Return the tree of an expression.

    Raises
    ------
    SyntaxError, ValueError, RecursionError, MemoryError
        As :func:`ast.parse` does.
    """
    with _one_at_a_time:
        return ast.parse(source, mode="eval").body
