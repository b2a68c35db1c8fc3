"""Compile the kernels in the background before the first run needs them.

Compiling takes seconds and blocks the interpreter, so that no page could be served
meanwhile. So it is done in another process (:mod:`otlab.compiling`), which writes
the compiled kernels to disk; reading them takes a fraction of a second. A server calls
:meth:`Kernels.start` when it starts (``panel serve --setup``, ``otlab serve``); under a plain
``panel serve`` the first page does. Until the kernels are compiled, pages and runs wait for
them instead of compiling them a second time, which would block the other pages.
"""

from __future__ import annotations

import importlib
import logging
import os
import subprocess
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from otlab.compiling import PAGE, SYSTEMS, do_step, is_on_disk, steps_of
from otlab.inference.run import check_interrupt
from otlab.ui.server.memory import open_pages

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Kernels", "kernels", "start_compiler"]

_LOOK_SECONDS = 0.1
_log = logging.getLogger(__name__)


def start_compiler() -> subprocess.Popen[str]:
    """Start the process that compiles all kernels, and return it.

    Raises
    ------
    OSError
        If no process can be started.
    """
    from otlab.inference.jit import cache_folder  # here, since it imports Numba, which takes a second

    # Without a writable user folder, each process would make a temporary folder of its own.
    environment = {**os.environ, "OTLAB_CACHE": str(cache_folder())}
    null = subprocess.DEVNULL
    command = [sys.executable, "-m", "otlab.compiling"]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=null, stderr=null, text=True, env=environment
    )


class Kernels:
    """The kernels of all systems, and the process that compiles those that are not on disk.

    The process ends when everything is compiled, or with the server.

    Parameters
    ----------
    compiler
        Starts that process.
    """

    def __init__(self, compiler: Callable[[], subprocess.Popen[str]] = start_compiler) -> None:
        self._start_compiler = compiler
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()
        self._started, self._compiling, self._loaded = (threading.Event() for _ in range(3))
        self._requested: set[tuple[str, str]] = set()  # steps that the process was asked to do next

    @property
    def loaded(self) -> bool:
        """Whether every kernel is ready to run."""
        return self._loaded.is_set()

    def load(self) -> None:
        """Read every system's kernels from disk, or compile them; does nothing if that is done."""
        with self._lock:
            if self.loaded:
                return
            for system in SYSTEMS:
                for step in steps_of(system):
                    if not do_step(system, step):
                        return
            self._loaded.set()

    def start(self) -> None:
        """Compile missing kernels in another process, then load all on a thread; return at once."""
        if not self._started.is_set():
            self._started.set()
            self._compiling.set()
            threading.Thread(target=self._compile_and_load, name="warm", daemon=True).start()

    def page_is_ready(self, system: str) -> bool:
        """Return whether a page of this system can be drawn without compiling; if not, request that first."""
        return self._is_ready(system, PAGE)

    def wait_for(self, system: str, learner: str) -> None:
        """Wait, on the thread of a run, until a learner's kernels are compiled by the other process.

        Raises
        ------
        Interrupted
            If the run was stopped meanwhile.
        """
        while not self._is_ready(system, learner):
            check_interrupt()
            self._loaded.wait(_LOOK_SECONDS)

    def _is_ready(self, system: str, step: str) -> bool:
        """Return whether kernels are compiled, or nothing is compiling; otherwise request them first."""
        if not self._compiling.is_set() or step not in steps_of(system) or is_on_disk(system, step):
            return True
        process = self._process
        if process is not None and process.stdin is not None and (system, step) not in self._requested:
            self._requested.add((system, step))
            with suppress(OSError, ValueError):  # the process has just ended
                process.stdin.write(f"{system} {step}\n")
                process.stdin.flush()
        return False

    def _compile_and_load(self) -> None:
        """Let the process fill the cache on disk; then load, and compile what is still missing."""
        if not all(is_on_disk(system, step) for system in SYSTEMS for step in steps_of(system)):
            try:
                self._process = self._start_compiler()
            except OSError:
                _log.info("no second process to compile in; compiling here")
            else:
                self._process.wait()
        self._compiling.clear()
        self.load()
        open_pages.imports_done()


kernels = Kernels()
"""Those of this process, which all its pages share."""

if __name__ == "panel_setup_module":  # run as a script, by panel serve --setup otlab/ui/server/warm.py
    importlib.import_module("otlab.ui.server.warm").kernels.start()
