"""Compile the machine code that is part of the package: ``make machine-code`` (``python -m otlab.shipping``).

What the learners that the labs begin with need (:data:`STEPS`) is compiled with Numba for any processor of
this platform. A kernel that a kernel calls is in its code, so only those that Python calls are kept: a second
process, which finds them compiled, notes which it reads. LLVM makes the code of every platform
(:data:`PLATFORMS`) from the same optimised intermediate code.
"""

from __future__ import annotations

import hashlib
import lzma
import os
import pickle
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from otlab.importing import import_alone

__all__ = ["PLATFORMS", "STEPS", "build", "called_by_kernels"]

STEPS = (
    ("ot", "page"),
    ("ot", "gibbs"),
    ("ot", "gla"),
    ("ot", "maxent"),
    ("ot", "exact"),
    ("ot", "hg"),
    ("tagging", "em"),
    ("tagging", "vb"),
    ("mg", "page"),
    ("mg", "vb"),
    ("mg", "heads"),
    ("discovery", "batch"),
)
"""The page of each system, the learners that its lab begins with, and what a comparison of models needs."""

PLATFORMS = {
    "linux-x86_64": ("x86_64-unknown-linux-gnu", "x86-64", "static"),
    "linux-aarch64": ("aarch64-unknown-linux-gnu", "generic", "default"),
    "darwin-arm64": ("arm64-apple-darwin", "apple-m1", "default"),
    "win32-amd64": ("x86_64-pc-windows-msvc", "x86-64", "static"),
}
"""LLVM's name of each platform, the least processor, and how addresses are written there, as in Numba."""

# Subtract from a count of references and tell whether it is 0.
_COUNT = """define internal i8 @subtract_count(ptr %place, i64 %by, i32 %condition) {
 %before = atomicrmw sub ptr %place, i64 %by seq_cst
 %none = icmp eq i64 %before, %by
 %result = zext i1 %none to i8
 ret i8 %result
}"""
_UNREAD = r",? ?target_mem\d: none"  # what this LLVM prints, but does not read
_WRAPPER = "_ZN7cpython"  # what Numba calls the function that Python calls begins so
_ANNOTATION = 4  # what else Numba keeps of a kernel: a listing with its types, which nothing reads
_ROOT = Path(__file__).resolve().parent


def build() -> Path:
    """Write the machine code of every platform, and return its folder."""
    from otlab.inference.shipped import FOLDER

    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "OTLAB_CACHE": folder,
            "OTLAB_OWN_KERNELS": "1",
            "NUMBA_CPU_NAME": "x86-64",
            "NUMBA_CPU_FEATURES": "",
            "PYTHONHASHSEED": "0",
        }
        for what in ("compile", "collect"):
            command = [sys.executable, "-m", "otlab.shipping", what, folder]
            subprocess.run(command, env=environment, check=True)
    return FOLDER


def _compile(folder: Path) -> None:
    """Do the steps, and keep the intermediate code of every kernel before it becomes machine code."""
    from numba.core.codegen import CPUCodeLibrary

    finish = CPUCodeLibrary._finalize_final_module

    def keeping(self: Any) -> None:
        for function in self._final_module.functions:
            # Kernels that this one calls were finished before; their wrappers may be in its module too.
            if function.name.startswith(_WRAPPER) and not _kept(folder, function.name).exists():
                _kept(folder, function.name).write_bytes(self._final_module.as_bitcode())
        finish(self)

    CPUCodeLibrary._finalize_final_module = keeping
    for system, step in STEPS:
        _do(system, step)


def _do(system: str, step: str) -> None:
    from otlab.compiling import steps_of

    steps_of(system)[step]()


def _kept(folder: Path, wrapper: str) -> Path:
    return folder / f"{hashlib.sha256(wrapper.encode()).hexdigest()}.bc"


def _collect(folder: Path) -> None:
    """Do the steps once more, noting which kernels are read from disk, and write these."""
    from otlab.inference.shipped import FOLDER, KernelCache, sources_digest, versions

    read: dict[str, Any] = {}
    load = KernelCache._load_overload

    def noting(self: KernelCache, sig: Any, target_context: Any) -> Any:
        found = load(self, sig, target_context)
        if found is not None:
            read[self.name_of(sig)] = self._cache_file.load(self._index_key(sig, target_context.codegen()))
        return found

    KernelCache._load_overload = noting  # type: ignore[method-assign]
    steps: dict[tuple[str, str], list[str]] = {}
    for system, step in STEPS:
        before = set(read)
        _do(system, step)
        steps[system, step] = sorted({name.split()[0] for name in read.keys() - before})
    called = called_by_kernels()
    kernels, code = {}, {platform: dict[str, bytes]() for platform in PLATFORMS}
    for name, ((library, kind, (_, linked)), described, *rest) in sorted(read.items()):
        rest[_ANNOTATION] = ""
        is_called = tuple(name.split()[:2]) in called
        kept = _placeless(linked) if is_called else _names_alone(linked)
        kernels[name] = (is_called, kept, _dumped(((library, kind, None), described, *rest)))
        intermediate = _kept(folder, described.llvm_cpython_wrapper_name).read_bytes()
        for platform in PLATFORMS:
            made = _machine_code(intermediate, platform)
            if made is not None:
                code[platform][name] = made
    modules = {name.split()[0] for name in kernels}
    sources = {module: sources_digest(module) for module in sorted(modules)}
    common = {"versions": versions(), "sources": sources, "steps": steps, "kernels": kernels}
    _write(FOLDER / "kernels.xz", common)
    for platform, objects in code.items():
        _write(FOLDER / f"{platform}.xz", objects)


def _names_alone(linked: bytes) -> bytes:
    """Return LLVM's code of a kernel without its body: the names that Numba looks for in it."""
    import llvmlite.binding as llvm

    module = llvm.parse_bitcode(linked)
    environments = [one.name for one in module.global_variables if one.name.startswith("_ZN08NumbaEnv")]
    wrappers = [one.name for one in module.functions if one.name.startswith((_WRAPPER, "cfunc."))]
    lines = [
        *(f'@"{name}" = common global ptr null' for name in environments),
        *(f'define void @"{name}"() {{ ret void }}' for name in wrappers),
    ]
    made: bytes = llvm.parse_assembly("\n".join(lines)).as_bitcode()
    return made


def _placeless(linked: bytes) -> bytes:
    """Return LLVM's code as :func:`_without_place` does; in bitcode letters are not whole bytes."""
    import llvmlite.binding as llvm

    text = re.sub(_UNREAD, "", str(llvm.parse_bitcode(linked)))
    made: bytes = llvm.parse_assembly(_without_place(text.encode()).decode()).as_bitcode()
    return made


def called_by_kernels() -> set[tuple[str, str]]:
    """Return module and name of each kernel that another one calls, for which Numba needs its LLVM code."""
    files = sorted(_ROOT.glob("*/kernels/*.py"))
    modules = [import_alone(f"otlab.{file.parts[-3]}.kernels.{file.stem}") for file in files]
    kernels = [one.py_func for module in modules for one in vars(module).values() if hasattr(one, "py_func")]
    named = [one.__globals__.get(name) for one in kernels for name in one.__code__.co_names]
    called = [one.py_func for one in named if hasattr(one, "py_func")]
    return {(one.__module__, one.__qualname__) for one in called}


def _machine_code(intermediate: bytes, platform: str) -> bytes | None:
    """Return a platform's object file of optimised intermediate code, made as Numba makes it.

    None if the code is for x86 processors alone (control of subnormal numbers, a kernel of three lines).
    """
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    triple, processor, addresses = PLATFORMS[platform]
    machine = llvm.Target.from_triple(triple).create_target_machine(
        cpu=processor, features="", opt=3, reloc=addresses, codemodel="jitdefault", jit=True
    )
    module = llvm.parse_bitcode(intermediate)
    if not triple.startswith("x86_64"):
        code = _portable(str(module))
        if "@llvm.x86." in code:
            return None
        module = llvm.parse_assembly(code)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    return _without_place(machine.emit_object(module))


def _without_place(made: bytes) -> bytes:
    """Return code in which the folder of this copy, which errors name, is as many other letters."""
    here = str(_ROOT.parent).encode()
    return made.replace(here, b"/".ljust(len(here), b"o"))


def _portable(code: str) -> str:
    """Return intermediate code in which references are counted without an instruction of x86 processors."""
    declared = r"declare i8 @llvm\.x86\.atomic\.sub\.cc\.i64\(ptr, i64, i32 immarg\).*"
    code = re.sub(declared, _COUNT, code).replace("@llvm.x86.atomic.sub.cc.i64", "@subtract_count")
    return re.sub(_UNREAD, "", code)


def _dumped(reduced: Any) -> bytes:
    from numba.core.serialize import dumps

    return _without_place(dumps(reduced))


def _write(path: Path, contents: Any) -> None:
    path.write_bytes(lzma.compress(pickle.dumps(contents, protocol=5), preset=9 | lzma.PRESET_EXTREME))


def main() -> None:
    """Build, or do one of its two steps in a process of its own."""
    match sys.argv[1:]:
        case ["compile", folder]:
            _compile(Path(folder))
        case ["collect", folder]:
            _collect(Path(folder))
        case _:
            sys.stdout.write(f"{build()}\n")


if __name__ == "__main__":
    main()
