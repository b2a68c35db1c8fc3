"""Compile the kernels once, in the background, before the first Run asks for them.

Compiling takes seconds, reading compiled kernels back from disk a fraction of one.
A server calls :func:`start` when it starts (``panel serve --setup``, ``otlab serve``);
under a plain ``panel serve`` the first page does.
"""

from __future__ import annotations

import importlib
import logging
import threading
from importlib.util import find_spec

__all__ = ["is_warm", "start", "warm_up"]

SYSTEMS = ("ot", "tagging", "mg", "discovery")
_lock = threading.Lock()
_started = threading.Event()
_done = threading.Event()
_log = logging.getLogger(__name__)


def is_warm() -> bool:
    """Whether every kernel is ready to run."""
    return _done.is_set()


def warm_up() -> None:
    """Compile, or read from disk, every system's kernels; at once if that is done.

    A system takes part by a module ``otlab.<system>.warm`` with a function ``warm()``
    that runs each learner for a step on toy data.
    """
    with _lock:
        if _done.is_set():
            return
        for system in SYSTEMS:
            if find_spec(f"otlab.{system}.warm") is not None:
                try:
                    importlib.import_module(f"otlab.{system}.warm").warm()
                except Exception:
                    _log.exception("the kernels of otlab.%s could not be prepared", system)
        _done.set()


def start() -> None:
    """Do :func:`warm_up` on a thread of its own; return at once."""
    if not _started.is_set():
        _started.set()
        threading.Thread(target=warm_up, name="warm", daemon=True).start()


if __name__ == "panel_setup_module":  # run as a script, by panel serve --setup otlab/ui/warm.py
    importlib.import_module("otlab.ui.warm").start()
