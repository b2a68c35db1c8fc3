"""Look for patterns in encoded forms: where they begin, and where a context holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import regex

from otlab.errors import Fault, InputError, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from otlab.forms.formula import Context
    from otlab.forms.notation import Alphabet
    from otlab.forms.pattern import Element, Pattern

__all__ = ["SECONDS", "context_sides", "matching_segments", "search", "too_long"]

SECONDS = 0.6
"""Time that a formula may take; a pattern of nested repeats could take for ever."""


def search(pattern: Pattern, alphabet: Alphabet, text: str) -> list[tuple[int, int]]:
    """Return where a pattern begins and ends in encoded forms, one pair for each beginning.

    Raises
    ------
    InputError
        If its repeats take longer than :data:`SECONDS`.
    """
    expression = f"(?=({pattern.expression(alphabet)}))"
    if not pattern.repeats:
        return [match.span(1) for match in re.finditer(expression, text)]
    try:
        return [match.span(1) for match in regex.finditer(expression, text, timeout=SECONDS)]
    except TimeoutError:
        raise InputError(too_long(pattern.text)) from None


def too_long(formula: str, form: str = "") -> Fault:
    """Return the fault of a formula that takes too long, in a form if it is known."""
    where = f" in {quoted(form[:40])}" if form else ""
    return Fault(f"looking for {quoted(formula)}{where} takes more than a second", "write fewer repeats")


def context_sides(
    context: Context, alphabet: Alphabet, codes: str
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return before which codes the left side of a context stands, and behind which the right side.

    Both are bool (length + 1,), for the gap before each code and the end of the text.
    """
    size = len(codes)
    left, right = np.ones(size + 1, bool), np.ones(size + 1, bool)
    if context.left is not None:
        # An end of the left side is a beginning of it in the text written backwards.
        ends = [size - start for start, _ in search(context.left.backwards, alphabet, codes[::-1])]
        left = _spread(ends, codes, context.left, forward=True)
    if context.right is not None:
        starts = [start for start, _ in search(context.right, alphabet, codes)]
        right = _spread(starts, codes, context.right, forward=False)
    return left, right


def _spread(places: Sequence[int], codes: str, pattern: Pattern, *, forward: bool) -> NDArray[np.bool_]:
    """Return the places, and those that only skipped marks part from them."""
    found = np.zeros(len(codes) + 1, bool)
    skipped, step = set(pattern.skipped()), 1 if forward else -1
    for place in places:
        at = place
        while True:
            found[at] = True
            beside = at if forward else at - 1
            if not 0 <= beside < len(codes) or codes[beside] not in skipped:
                break
            at += step
    return found


def matching_segments(element: Element | None, alphabet: Alphabet) -> NDArray[np.bool_]:
    """Return which segments an element matches, bool (segments,); all if there is no element."""
    codes = element.codes(alphabet) if element else ""  # which may add a segment to the alphabet
    found = np.full(len(alphabet.segments), element is None)
    found[[ord(code) - 0xE000 for code in codes]] = True
    return found
