"""Read the machine code of kernels that is part of the package, for a first run without a compiler.

Numba compiles a kernel when it is first called, which takes seconds, and keeps it on disk. What the learners
that the labs begin with need is compiled once more when otlab is built (:mod:`otlab.shipping`), for any
processor of a kind, and lies in the folder ``machine_code``: ``kernels.xz`` with what all platforms have in
common (as Numba keeps it, without the code), and a file of code for each platform. It is read where this
computer has compiled nothing yet. The numbers are the same to the bit: Numba fuses no operations, whatever
the processor.

Code of another version of Numba or of other sources is not used; neither is any where
``OTLAB_OWN_KERNELS`` is set, or a variable of Numba that changes the code (bounds, processor).
"""

from __future__ import annotations

import ast
import atexit
import hashlib
import lzma
import os
import pickle
import platform
import re
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import llvmlite
import llvmlite.binding as llvm
import numba
from numba.core import config as numba_config
from numba.core.caching import FunctionCache

from otlab.python_syntax import parse_module

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FOLDER", "KernelCache", "is_shipped", "load", "platform_tag", "sources_digest", "versions"]

_ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path(__file__).resolve().parent / "machine_code"
"""Where the files are."""

TESTED = ("linux-x86_64",)
"""The platforms on which the machine code was run."""


def platform_tag() -> str:
    """Return the name of this platform, such as ``linux-x86_64``."""
    return f"{sys.platform}-{platform.machine().lower()}"


def versions() -> tuple[str, str]:
    """Return the versions on which machine code depends: Numba's and llvmlite's."""
    return numba.__version__, llvmlite.__version__


@cache
def sources_digest(module: str) -> str:
    """Return the digest of a module of kernels and of those it imports, whatever the ends of their lines."""
    waiting, found = {module}, dict[str, bytes]()
    while waiting:
        name = waiting.pop()
        found[name] = _ROOT.parent.joinpath(*name.split(".")).with_suffix(".py").read_bytes()
        tree = parse_module(found[name])
        read = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
        waiting |= {one for one in read if re.match(r"otlab\.\w+\.kernels\.", one)} - found.keys()
    digest = hashlib.sha256()
    for name in sorted(found):
        digest.update(name.encode() + found[name].replace(b"\r\n", b"\n"))
    return digest.hexdigest()[:16]


def _is_wanted() -> bool:
    return not (
        os.environ.get("OTLAB_OWN_KERNELS")
        or numba_config.CPU_NAME
        or numba_config.BOUNDSCHECK
        or numba_config.DEBUGINFO_DEFAULT
    )


_NOTHING: Mapping[str, Any] = {"kernels": {}, "steps": {}, "code": {}}


@cache
def _contents() -> Mapping[str, Any]:
    """Return the machine code for this computer: kernels by name, modules by step; empty if none fits."""
    common, code = FOLDER / "kernels.xz", FOLDER / f"{platform_tag()}.xz"
    if not _is_wanted() or not common.exists() or not code.exists():
        return _NOTHING
    contents: dict[str, Any] = load(common)
    if contents["versions"] != versions():
        return _NOTHING
    return contents | {"code": load(code)}


@cache
def _may_be_tried(folder: Path) -> bool:
    """Return whether machine code that was never run here may be: not after a process that used it has died.

    It is built for all platforms, but its tests run on :data:`TESTED` alone. `folder` is where Numba keeps
    its own code, of this version of otlab and Numba.
    """
    if platform_tag() in TESTED:
        return True
    begun, ended = folder / "machine-code-begun", folder / "machine-code-ended"
    if begun.exists() and not ended.exists():
        return False
    if not ended.exists():
        folder.mkdir(parents=True, exist_ok=True)
        begun.touch()
        atexit.register(ended.touch)
    return True


def load(path: Path) -> Any:
    """Return what a file of the folder holds."""
    return pickle.loads(lzma.decompress(path.read_bytes()))


def is_shipped(system: str, step: str) -> bool:
    """Return whether the package holds what a step of :mod:`otlab.compiling` compiles, for this computer."""
    contents = _contents()
    modules = contents["steps"].get((system, step))
    return modules is not None and all(sources_digest(one) == contents["sources"][one] for one in modules)


class KernelCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of a kernel on disk, which falls back on the machine code of the package."""

    def __init__(self, kernel: Any) -> None:
        super().__init__(kernel)
        self._module = kernel.__module__

    def name_of(self, signature: Any) -> str:
        """Return the name of the kernel for arguments of some types."""
        return f"{self._module} {self._py_func.__qualname__} {signature}"

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        own = super()._load_overload(sig, target_context)
        if own is not None:
            return own
        contents, name = _contents(), self.name_of(sig)
        if name not in contents["code"] or contents["sources"][self._module] != sources_digest(self._module):
            return None
        is_called, linked, compiled = contents["kernels"][name]
        if not is_called and target_context.typing_context.callstack:
            return None  # wanted inside a kernel that is being compiled
        if not _may_be_tried(Path(self.cache_path)):
            return None
        (library, kind, _), *rest = pickle.loads(compiled)
        code = contents["code"][name], _for_this_platform(linked)
        return self._impl.rebuild(target_context, ((library, kind, code), *rest))


def _for_this_platform(code: bytes) -> bytes:
    """Return LLVM's code of a kernel, for kernels that call it, as a module of this platform."""
    module = llvm.parse_bitcode(code)
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    made: bytes = module.as_bitcode()
    return made
