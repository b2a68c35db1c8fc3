"""Compile the kernels of the page to WebAssembly: ``python -m otlab.web.build``, which ``make page`` calls.

Numba's intermediate code becomes an object for WebAssembly by the LLVM inside llvmlite; Zig compiles
what the kernels need besides (``runtime.c``) and links; Binaryen lowers addresses from 64 to 32 bits, since
Numba's code has 64-bit layouts in it and not every browser has such memories. Only this module needs Zig
and Binaryen (``pip install -e ".[page]"``, ``npm install binaryen``): the result, ``kernels.wasm``, is part
of the package, and :mod:`otlab.web.digest` tells when it is older than its sources.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otlab.web.exports import Export

__all__ = ["build"]

HERE = Path(__file__).resolve().parent
# One machine code wherever it is built: no processor's own instructions, loops as they are written.
PLAIN = {
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "",
    "NUMBA_LOOP_VECTORIZE": "0",
    "NUMBA_SLP_VECTORIZE": "0",
    "PYTHONHASHSEED": "0",
}
TRIPLE = "wasm64-unknown-unknown"
LAYOUT = "e-m:e-p:64:64-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20"
FEATURES = "+bulk-memory,+nontrapping-fptoint,+sign-ext,+mutable-globals"
ENABLED = ("memory64", "bulk-memory", "nontrapping-float-to-int", "sign-ext", "mutable-globals")
# Functions of the C library that the kernels call, beyond those of Zig's compiler-rt.
C_FUNCTIONS = ("erf.c",)
RUNTIME = ("mark", "release", "alloc", "generator", "run_seed", "functions", "next_double", "below")

# Subtract from a count of references and tell whether it is 0: one thread needs no atomic instruction.
COUNT = """define i8 @subtract_count(ptr %place, i64 %by, i32 %condition) {
 %before = load i64, ptr %place
 %after = sub i64 %before, %by
 store i64 %after, ptr %place
 %none = icmp eq i64 %after, 0
 %result = zext i1 %none to i8
 ret i8 %result
}"""


def build(out: Path, optimiser: str) -> None:
    """Write the kernels as one file of WebAssembly.

    Parameters
    ----------
    out
        The file.
    optimiser
        Binaryen's program wasm-opt.
    """
    from otlab.web.exports import EXPORTS

    _rebuild_kernels()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        objects = []
        for name, export in EXPORTS.items():
            objects.append(place / f"{name}.o")
            objects[-1].write_bytes(_object(_code(name, export), name))
        _link(place, objects, [*EXPORTS, *RUNTIME])
        enabled = [f"--enable-{feature}" for feature in ENABLED]
        _call(optimiser, str(place / "64.wasm"), *enabled, "--memory64-lowering", "-O3", "-o", str(out))


def _rebuild_kernels() -> None:
    """Make kernels that are imported from now on compile for this process alone, without the cache."""
    import numba

    from otlab.inference import jit

    def compiled(function: Any, inline: str, *, counting: bool = True) -> Any:
        return numba.njit(function, nogil=True, inline=inline, **jit._counting(counting))

    jit._compile = compiled


def _code(name: str, export: Export) -> str:
    """Return the LLVM code of a kernel whose arguments are numbers and addresses."""
    import numba
    from numba import types

    pointers = {"f8": types.float64, "i8": types.int64}
    arguments: list[str] = []
    kinds: list[Any] = []
    for argument, kind in export.flat():
        flat = argument.replace(".", "_")
        if kind == "rng":
            arguments += ["state", "next_uint64", "next_uint32", "next_double"]
            kinds += [types.uintp] * 4
            continue
        arguments.append(flat)
        lengths = [f"{flat}_{n}" for n in range(kind.count(",") + kind.count("["))]
        kinds.append(types.CPointer(pointers[kind[:2]]) if lengths else pointers[kind])
        arguments += lengths
        kinds += [types.intp] * len(lengths)
    if export.results:
        arguments.append("results")
        kinds.append(types.CPointer(types.float64))
    function = export.function()
    scope = dict(vars(sys.modules[export.module]))  # for the classes of tuples
    scope |= {"carray": numba.carray, "compute": function, "make_generator": _make_generator()}
    exec(_source(name, export, arguments), scope)
    entry = numba.cfunc(types.void(*kinds))(scope[name])
    code: str = entry._library.get_llvm_str()
    return code


def _source(name: str, export: Export, arguments: Iterable[str]) -> str:
    """Return a Python function that puts a kernel's arguments together and calls it."""

    def given(argument: str, kind: str) -> str:
        flat = argument.replace(".", "_")
        if kind == "rng":
            return "make_generator(state, next_uint64, next_uint32, next_double)"
        dimensions = kind.count(",") + kind.count("[")
        shape = "".join(f"{flat}_{n}, " for n in range(dimensions))
        return f"carray({flat}, ({shape}))" if dimensions else flat

    passed = [
        given(argument, kind)
        if isinstance(kind, str)
        else f"{kind[0]}({', '.join(given(f'{argument}.{field}', one) for field, one in kind[1].items())})"
        for argument, kind in export.arguments.items()
    ]
    call = f"compute({', '.join(passed)})"
    lines = [f"def {name}({', '.join(arguments)}):", f"    {'found = ' if export.results else ''}{call}"]
    lines += [f"    results[{n}] = found[{n}]" for n in range(export.results)]
    return "\n".join(lines)


def _make_generator() -> Any:
    """Return a function for kernels that makes a NumPy generator from four addresses."""
    import numba
    import numpy as np
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    kind = numba.typeof(np.random.default_rng(1))

    def make_generator(context: Any, state: Any, uint64: Any, uint32: Any, double: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            model = context.data_model_manager[kind]
            inner = dict(zip(model._fields, model._members, strict=True))["bit_generator"]
            bits = cgutils.create_struct_proxy(getattr(inner, "_fe_type", inner))(context, builder)
            bits.state_address = bits.state = bits.bit_generator = arguments[0]
            bits.fnptr_next_uint64, bits.fnptr_next_uint32, bits.fnptr_next_double = arguments[1:]
            bits.parent = cgutils.get_null_value(bits.parent.type)
            made = cgutils.create_struct_proxy(kind)(context, builder)
            made.bit_generator = bits._getvalue()
            made.parent = cgutils.get_null_value(made.parent.type)
            made.meminfo = cgutils.get_null_value(made.meminfo.type)
            return made._getvalue()

        return kind(types.uintp, types.uintp, types.uintp, types.uintp), code

    return intrinsic(make_generator)


def _object(code: str, name: str) -> bytes:
    """Return the object for WebAssembly of Numba's code."""
    import llvmlite.binding as llvm

    code = re.sub(r'target datalayout = ".*"', f'target datalayout = "{LAYOUT}"', code)
    code = re.sub(r'target triple = ".*"', f'target triple = "{TRIPLE}"', code)
    # objects for WebAssembly have no common symbols
    code = re.sub(r"= common (local_unnamed_addr )?global", "= internal global", code)
    declared = r"declare i8 @llvm\.x86\.atomic\.sub\.cc\.i64\(ptr, i64, i32 immarg\).*"
    code = re.sub(declared, COUNT.replace("define", "define internal"), code)
    code = code.replace("@llvm.x86.atomic.sub.cc.i64", "@subtract_count")
    code = re.sub(r"target_mem\d: none,? ?", "", code)
    defined = re.findall(r'^define[^@\n]*@("?[^"(]+"?)\(', code, flags=re.M)
    # The wrapper that Python calls refers to the interpreter.
    for wrapper in (one for one in defined if "cfunc" in one):
        code = re.sub(rf"^define[^\n]*@{re.escape(wrapper)}\(.*?^}}\n", "", code, flags=re.M | re.S)
    core = next(one for one in defined if f"{name}B" in one and "cfunc" not in one)
    code = code.replace(f"@{core}(", f"@{name}(")
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly(code)
    module.verify()
    target = llvm.Target.from_triple(TRIPLE)
    machine = target.create_target_machine(cpu="", features=FEATURES, opt=3, reloc="static")
    made: bytes = machine.emit_object(module)
    return made


def _link(place: Path, objects: Iterable[Path], names: Iterable[str]) -> None:
    """Compile the runtime and link everything into ``64.wasm``."""
    import ziglang

    library = Path(ziglang.__file__).parent / "lib"
    musl = library / "libc/musl/src"
    zig = [sys.executable, "-m", "ziglang"]
    target = ["-target", "wasm64-freestanding"]
    headers = place / "include"
    (headers / "bits").mkdir(parents=True)
    for header, text in {
        "bits/alltypes.h": "typedef float float_t; typedef double double_t;\n",
        "bits/stdint.h": "",
        "fp_arch.h": "",
        "bits/float.h": "#define FLT_EVAL_METHOD 0\n",
    }.items():
        (headers / header).write_text(text, encoding="utf-8")
    for source, made in ((library / "compiler_rt.zig", "rt.o"), (HERE / "log1p.zig", "log1p.o")):
        _call(*zig, "build-obj", str(source), *target, "-O", "ReleaseFast", f"-femit-bin={place / made}")
    _call(
        *zig, "cc", *target, "-O2", "-nostdlib", "-ffp-contract=off", "-fno-builtin",
        f"-I{headers}", "-isystem", str(library / "libc/musl/include"),
        f"-I{musl / 'internal'}", f"-I{musl / 'include'}",
        str(HERE / "runtime.c"), *(str(musl / "math" / name) for name in C_FUNCTIONS),
        *map(str, objects), str(place / "log1p.o"), str(place / "rt.o"),
        "-Wl,--no-entry", *(f"-Wl,--export={name}" for name in names),
        "-Wl,--gc-sections", "-Wl,--strip-all", "-o", str(place / "64.wasm"),
    )  # fmt: skip


def _call(*words: str) -> None:
    subprocess.run(words, check=True)


def main() -> None:
    """Build, in a process that compiles as every other does, and note what was built from what."""
    from otlab.web.digest import BUILT, WASM, record

    parser = argparse.ArgumentParser(description="Compile the kernels of the page to WebAssembly.")
    parser.add_argument("--wasm-opt", default="wasm-opt", help="Binaryen's program")
    args = parser.parse_args()
    if any(os.environ.get(name) != value for name, value in PLAIN.items()):
        command = [sys.executable, "-m", "otlab.web.build", *sys.argv[1:]]
        sys.exit(subprocess.run(command, env=os.environ | PLAIN, check=False).returncode)
    build(WASM, args.wasm_opt)
    binaryen = subprocess.run([args.wasm_opt, "--version"], capture_output=True, text=True, check=True)
    zig = subprocess.run(
        [sys.executable, "-m", "ziglang", "version"], capture_output=True, text=True, check=True
    )
    BUILT.write_text(
        json.dumps(record(zig.stdout.strip(), binaryen.stdout.strip()), indent=2) + "\n", "utf-8"
    )


if __name__ == "__main__":
    main()
