"""What was left out of a text or a grammar: said in the page, not on a terminal."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

from otlab.errors import DataWarning

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["noting"]


@contextmanager
def noting() -> Iterator[list[str]]:
    """Collect warnings about data as text while something is read."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        try:
            yield notes
        finally:
            notes += [str(w.message) for w in caught if issubclass(w.category, DataWarning)]
