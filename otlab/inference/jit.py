"""Numba decorators with the options of this project: ``@kernel``, ``@inlined`` and ``@borrowing``.

Kernels release the GIL, are never compiled with ``fastmath`` (samplers must give
the same bits everywhere) and are cached on disk.

Numba's own cache notices an edit of the file that contains a kernel, but not of a
helper kernel in another file: old numbers, no error. So the cache folder is named
by a digest of every source a kernel can depend on and of the versions of Numba
and NumPy. By the layers contract a kernel of one system never uses one of another,
so the digest covers the kernels of its own package and those of ``inference``:
editing the tagger's kernels does not recompile the OT lab's.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import llvmlite.binding
import numba
import numpy as np
from numba.core import config as numba_config
from numba.core.cpu import CPUTargetOptions
from platformdirs import user_cache_path

from otlab.inference.shipped import KernelCache

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["borrowing", "compiled_mark", "inlined", "kernel", "kernel_folder"]

F = TypeVar("F", bound="Callable[..., Any]")

_ROOT = Path(__file__).resolve().parent.parent
_lock = threading.Lock()


@cache
def cache_folder() -> Path:
    """Return a writable folder for caches.

    ``OTLAB_CACHE`` names another folder. A folder that cannot be written (a class room's
    read-only home) is replaced by one in the system's temporary folder.
    """
    wanted = Path(os.environ["OTLAB_CACHE"]) if "OTLAB_CACHE" in os.environ else user_cache_path("otlab")
    try:
        wanted.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=wanted):
            return wanted
    except OSError:
        return Path(tempfile.mkdtemp(prefix="otlab-"))


def kernel_sources(package: str) -> list[Path]:
    """Return every source file that the kernels of a package may depend on."""
    systems = sorted({"inference", package or "inference"})
    kernels = [path for system in systems for path in sorted((_ROOT / system / "kernels").glob("*.py"))]
    return [_ROOT / "inference" / "jit.py", *kernels]


@cache
def kernel_folder(package: str) -> Path:
    """Return the cache folder of one package's kernels, named by their digest.

    Parameters
    ----------
    package
        The sub-package of ``otlab`` that contains the kernel: ``"ot"``, ``"mg"``, ...
    """
    digest = hashlib.sha256()
    versions = f"{sys.version_info[:3]} numba {numba.__version__} numpy {np.__version__}"
    digest.update(versions.encode())
    for path in kernel_sources(package):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return cache_folder() / "kernels" / f"{package or 'top'}-{digest.hexdigest()[:16]}"


def compiled_mark(package: str, step: str) -> Path:
    """Return the file that is there once the kernels of a step are compiled for this computer and copy.

    Numba compiles anew for another processor, for a copy of otlab elsewhere and after a source
    was written again; then the name is another.

    Parameters
    ----------
    package
        As in :func:`kernel_folder`.
    step
        A name for some of its kernels.
    """
    digest = hashlib.sha256(llvmlite.binding.get_host_cpu_name().encode())
    for path in kernel_sources(package):
        status = path.stat()
        digest.update(f"{path} {status.st_mtime_ns} {status.st_size}".encode())
    return kernel_folder(package) / f"compiled-{step}-{digest.hexdigest()[:16]}"


def kernel(function: F) -> F:
    """Compile a function of arrays and scalars to machine code, without the GIL.

    The function may use NumPy ``Generator`` arguments and other kernels. It must
    not contain an unbounded loop: nothing could stop it.
    """
    return _compile(function, inline="never")


def inlined(function: F) -> F:
    """Compile a function into each kernel that calls it; otherwise like :func:`kernel`.

    For short helpers of inner loops that take a Generator or a tuple of arrays: their
    references are counted at each call, 5 to 10 ns each, which is more than a draw.
    """
    return _compile(function, inline="always")


def borrowing(function: F) -> F:
    """Compile a function that only uses arrays of its caller, and counts no references to them.

    Counting takes a tenth to a third of a kernel that hands tuples of arrays to short helpers,
    item by item. Such a kernel gets all working arrays as arguments. It can make none (Numba refuses
    to compile it), and must not call a kernel that returns new ones: they would never be freed.
    """
    return _compile(function, inline="never", counting=False)


def _compile(function: F, inline: str, *, counting: bool = True) -> F:
    package = function.__module__.split(".")[1] if function.__module__.startswith("otlab.") else ""
    with _lock:
        # Numba reads the folder once, when the function is decorated.
        before, numba_config.CACHE_DIR = numba_config.CACHE_DIR, str(kernel_folder(package))
        try:
            compiled: F = numba.njit(function, nogil=True, inline=inline, **_counting(counting))
            if hasattr(compiled, "_cache"):  # else NUMBA_DISABLE_JIT is set
                compiled._cache = KernelCache(function)
        finally:
            numba_config.CACHE_DIR = before
    return compiled


def _counting(wanted: bool) -> dict[str, bool]:
    """Return Numba's option for counting references; a Numba without it counts in every kernel.

    It is given to every kernel, since one without it would take over that of the kernel that calls it first.
    """
    return {"_nrt": wanted} if hasattr(CPUTargetOptions, "_nrt") else {}
