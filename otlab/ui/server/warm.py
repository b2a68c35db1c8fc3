"""Compile the kernels in the background before the first run needs them.

Compiling takes seconds and holds the interpreter, so that no page could be served
meanwhile: it is done in a process of its own, which leaves the compiled kernels on disk.
Reading them back takes a fraction of a second. A server calls :func:`start` when it
starts (``panel serve --setup``, ``otlab serve``); under a plain ``panel serve`` the
first page does.
"""

from __future__ import annotations

import gc
import importlib
import logging
import subprocess
import sys
import threading
import weakref
from importlib.util import find_spec
from typing import Any

import panel as pn

from otlab.ui.server import memory

__all__ = ["freeze_when_alone", "is_warm", "note_page", "start", "warm_up"]

SYSTEMS = ("ot", "tagging", "mg", "discovery")
_lock = threading.Lock()
_started = threading.Event()
_done = threading.Event()
_pages: weakref.WeakSet[Any] = weakref.WeakSet()  # documents that are open
_log = logging.getLogger(__name__)

# Its input closes when the server ends, in whatever way: the compiler must not outlive it.
_COMPILE = """\
import os, sys, threading
from importlib import import_module
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
for name in sys.argv[1:]:
    import_module(name).warm()
"""


def is_warm() -> bool:
    """Return whether every kernel is ready to run."""
    return _done.is_set()


def warm_up() -> None:
    """Compile every system's kernels or read them from disk; does nothing if that is done.

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
    """Compile in a process of its own, then do :func:`warm_up` on a thread; return at once."""
    if not _started.is_set():
        _started.set()
        threading.Thread(target=_compile_then_read, name="warm", daemon=True).start()


def _compile_then_read() -> None:
    """Fill the cache on disk from another process; compile here what that could not."""
    modules = [f"otlab.{system}.warm" for system in SYSTEMS if find_spec(f"otlab.{system}.warm")]
    null = subprocess.DEVNULL
    command = [sys.executable, "-c", _COMPILE, *modules]
    try:
        compiler = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=null, stderr=null)
    except OSError:
        _log.info("no second process to compile in; compiling here")
    else:
        compiler.wait()
    warm_up()
    freeze_when_alone()


def note_page() -> None:
    """Note that a page is made in the current callback: nothing is frozen before it has gone."""
    document = pn.state.curdoc
    if document is not None and document.session_context is not None:
        _pages.add(document)
        pn.state.on_session_destroyed(lambda _context: _page_gone(document))


def _page_gone(document: Any) -> None:
    _pages.discard(document)
    freeze_when_alone()
    memory.release_free_memory()


def freeze_when_alone() -> None:
    """Exempt all that has been imported from garbage collection, once, while no page is open.

    It stays for good: a collection after each page that goes away need not look at it. The objects of
    a page that is open would stay for good as well.
    """
    with _lock:
        if _done.is_set() and not _pages and not gc.get_freeze_count():
            gc.collect()
            gc.freeze()


if __name__ == "panel_setup_module":  # run as a script, by panel serve --setup otlab/ui/server/warm.py
    importlib.import_module("otlab.ui.server.warm").start()
