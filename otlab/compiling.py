"""Compile the kernels of all systems, in a process of its own: ``python -m otlab.compiling [system ...]``.

A system takes part by a module ``otlab.<system>.warm`` with ``STEPS``: ``page`` compiles what its page needs
to be drawn, and each further one, named like a learner, what that learner needs. The pages' steps come
first. A step that is done is marked beside the kernels on disk. A line read ("tagging vb") takes that step
before the others; the end of the input ends the process. If systems are named, it compiles
those and reads nothing.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from functools import cache
from typing import TYPE_CHECKING

from otlab.importing import import_alone
from otlab.inference.jit import compiled_mark
from otlab.inference.shipped import is_shipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

__all__ = ["PAGE", "SYSTEMS", "Order", "do_step", "is_on_disk", "steps_of"]

SYSTEMS = ("ot", "tagging", "mg", "discovery")
PAGE = "page"
_BEHIND = 10  # how far the process stands behind the server, whose pages somebody looks at
_ENDING = ("new futures after", "new thread at")  # what Python says to who asks for a thread then
_log = logging.getLogger(__name__)


@cache
def steps_of(system: str) -> Mapping[str, Callable[[], None]]:
    """Return the steps of a system by name; none if it has no module for them."""
    module = f"otlab.{system}.warm"
    try:
        steps: Mapping[str, Callable[[], None]] = import_alone(module).STEPS
    except ModuleNotFoundError as missing:
        if missing.name != module:
            raise
        return {}
    return steps


def is_on_disk(system: str, step: str) -> bool:
    """Return whether the kernels of a step were compiled before, on this computer or with the package."""
    return compiled_mark(system, step).exists() or is_shipped(system, step)


def do_step(system: str, step: str) -> bool:
    """Compile the kernels of a step, or read them from disk, and mark them; a failure is logged.

    Returns
    -------
    bool
        Whether the next step can be done; not when this process is ending and starts no more threads.
    """
    try:
        steps_of(system)[step]()
    except Exception as error:
        if isinstance(error, RuntimeError) and any(each in str(error) for each in _ENDING):
            return False
        _log.exception("the kernels of otlab.%s (%s) could not be prepared", system, step)
    mark = compiled_mark(system, step)
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()
    return True


class Order:
    """Steps that are still to be done: those asked for, then the pages', then system by system."""

    def __init__(self, systems: Sequence[str]) -> None:
        every = [(system, step) for system in systems for step in steps_of(system)]
        self._left = sorted(every, key=lambda one: one[1] != PAGE)
        self._lock = threading.Lock()

    def ask_first(self, system: str, step: str) -> None:
        """Compile this step before the others, unless it is compiled already."""
        with self._lock:
            self._left.sort(key=lambda one: one != (system, step))

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Return system and name of each step, in the order asked for by then."""
        while self._left:
            with self._lock:
                step = self._left.pop(0)
            yield step


def _listen(order: Order) -> None:
    for line in sys.stdin:
        system, _, step = line.strip().partition(" ")
        order.ask_first(system, step)
    os._exit(0)  # the server has ended, in whatever way


def main(systems: Sequence[str]) -> None:
    """Compile everything, or all that these systems need."""
    order = Order(systems or SYSTEMS)
    if not systems:
        if hasattr(os, "nice"):
            os.nice(_BEHIND)
        threading.Thread(target=_listen, args=(order,), daemon=True).start()
    for system, step in order:
        if not is_on_disk(system, step):
            do_step(system, step)


if __name__ == "__main__":
    main(sys.argv[1:])
