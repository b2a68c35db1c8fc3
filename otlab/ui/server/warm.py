"""Compile the kernels in the background before the first run needs them.

Compiling takes seconds and blocks the interpreter, so that no page could be served
meanwhile. So it is done in another process (:mod:`otlab.compiling`), which writes
the compiled kernels to disk; reading them takes a fraction of a second. A server calls
:func:`start` when it starts (``panel serve --setup``, ``otlab serve``); under a plain
``panel serve`` the first page does. Until the kernels are compiled, pages and runs wait for
them instead of compiling them a second time, which would block the other pages.
"""

from __future__ import annotations

import gc
import importlib
import logging
import os
import subprocess
import sys
import threading
import weakref
from contextlib import suppress
from typing import Any

import panel as pn

from otlab.compiling import PAGE, SYSTEMS, do_step, is_on_disk, steps_of
from otlab.inference.run import check_interrupt
from otlab.ui.server import memory

__all__ = [
    "freeze_imports",
    "is_warm",
    "note_page",
    "page_is_ready",
    "start",
    "wait_for",
    "warm_up",
]

_LOOK_SECONDS = 0.1
_lock = threading.Lock()
_started = threading.Event()
_done = threading.Event()
_compiling = threading.Event()
_frozen, _frozen_alone = threading.Event(), threading.Event()
_compiler: subprocess.Popen[str] | None = None
_asked: set[tuple[str, str]] = set()
_pages: weakref.WeakSet[Any] = weakref.WeakSet()  # documents that are open
_log = logging.getLogger(__name__)


def is_warm() -> bool:
    """Return whether every kernel is ready to run."""
    return _done.is_set()


def warm_up() -> None:
    """Compile every system's kernels or read them from disk; does nothing if that is done."""
    with _lock:
        if _done.is_set():
            return
        for system in SYSTEMS:
            for step in steps_of(system):
                do_step(system, step)
        _done.set()


def page_is_ready(system: str) -> bool:
    """Return whether a page of this system can be drawn without compiling; if not, put it first in line."""
    return _is_ready(system, PAGE)


def wait_for(system: str, learner: str) -> None:
    """Wait, on the thread of a run, until a learner's kernels are compiled by the other process.

    Raises
    ------
    Interrupted
        If the run was stopped meanwhile.
    """
    while not _is_ready(system, learner):
        check_interrupt()
        _done.wait(_LOOK_SECONDS)


def _is_ready(system: str, step: str) -> bool:
    """Return whether kernels are compiled, or nobody is compiling; otherwise ask for them to be next."""
    if not _compiling.is_set() or step not in steps_of(system) or is_on_disk(system, step):
        return True
    compiler = _compiler
    if compiler is not None and compiler.stdin is not None and (system, step) not in _asked:
        _asked.add((system, step))
        with suppress(OSError, ValueError):  # the process has just ended
            compiler.stdin.write(f"{system} {step}\n")
            compiler.stdin.flush()
    return False


def start() -> None:
    """Compile missing kernels in another process, then load all on a thread; return at once."""
    if not _started.is_set():
        _started.set()
        _compiling.set()
        threading.Thread(target=_compile_then_read, name="warm", daemon=True).start()


def _compile_then_read() -> None:
    """Compile in another process, which fills the cache on disk; then load, and compile what is missing."""
    global _compiler
    if not all(is_on_disk(system, step) for system in SYSTEMS for step in steps_of(system)):
        command = [sys.executable, "-m", "otlab.compiling"]
        null = subprocess.DEVNULL
        from otlab.inference.jit import cache_folder  # here, since it imports Numba, which takes a second

        # Without a writable user folder, each process would make a temporary folder of its own.
        environment = {**os.environ, "OTLAB_CACHE": str(cache_folder())}
        try:
            _compiler = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=null, stderr=null, text=True, env=environment
            )
        except OSError:
            _log.info("no second process to compile in; compiling here")
        else:
            _compiler.wait()
    _compiling.clear()
    warm_up()
    freeze_imports()


def note_page() -> None:
    """Record that the page of the current callback is open, until it is closed."""
    document = pn.state.curdoc
    if document is not None and document.session_context is not None:
        _pages.add(document)
        pn.state.on_session_destroyed(lambda _context: _page_gone(document))


def _page_gone(document: Any) -> None:
    _pages.discard(document)
    freeze_imports()
    memory.release_free_memory()


def freeze_imports() -> None:
    """Exempt imported modules from garbage collection, which saves a third of a second each time.

    This is done as soon as everything is loaded, and once more when no page is open, because pages that
    were open the first time would never be freed.
    """
    with _lock:
        if not _done.is_set() or _frozen_alone.is_set() or (_pages and _frozen.is_set()):
            return
        _frozen.set()
        if not _pages:
            _frozen_alone.set()
        gc.unfreeze()
        gc.collect()
        gc.freeze()


if __name__ == "panel_setup_module":  # run as a script, by panel serve --setup otlab/ui/server/warm.py
    importlib.import_module("otlab.ui.server.warm").start()
