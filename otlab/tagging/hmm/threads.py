"""Process the shards of a corpus on several threads without subnormal numbers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

from otlab.inference.kernels.subnormals import without_subnormals
from otlab.inference.parallel import in_order

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["each"]

T = TypeVar("T")
R = TypeVar("R")


def each(work: Callable[[T], R], items: Sequence[T], threads: int) -> list[R]:
    """Return ``[work(item) for item in items]``, computed on `threads` threads.

    It is like :func:`~otlab.inference.parallel.in_order`, but each thread treats subnormal numbers as 0.
    """
    return in_order([partial(without_subnormals, work, item) for item in items], threads)
