"""Tell whether the compiled kernels of the page are as old as their sources."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from pathlib import Path

from otlab.python_syntax import parse_module
from otlab.web.exports import EXPORTS

__all__ = ["BUILT", "WASM", "record", "recorded", "sources", "sources_digest"]

HERE = Path(__file__).resolve().parent
WASM = HERE / "kernels.wasm"
BUILT = HERE / "kernels.json"
"""What the compiled kernels were made of: digests, and the versions of the tools."""


def sources() -> list[Path]:
    """Return every file on which the compiled kernels depend: their modules, what these import, our own."""
    waiting = {export.module for export in EXPORTS.values()}
    found: dict[str, Path] = {}
    while waiting:
        module = waiting.pop()
        found[module] = HERE.parent.parent.joinpath(*module.split(".")).with_suffix(".py")
        tree = parse_module(found[module].read_text(encoding="utf-8"))
        read = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
        waiting |= {name for name in read if re.match(r"otlab\.\w+\.kernels\.", name)} - found.keys()
    return sorted(
        [*found.values(), *(HERE / name for name in ("exports.py", "build.py", "runtime.c", "log1p.zig"))]
    )


def sources_digest() -> str:
    """Return the digest of the sources, whatever the ends of their lines."""
    digest = hashlib.sha256()
    for path in sources():
        digest.update(path.relative_to(HERE.parent).as_posix().encode())
        digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def record(zig: str, binaryen: str) -> dict[str, str]:
    """Return what to note of a build: digests of sources and result, and versions."""
    import llvmlite
    import numba
    import numpy as np

    return {
        "sources": sources_digest(),
        "wasm": hashlib.sha256(WASM.read_bytes()).hexdigest(),
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "numpy": np.__version__,
        "zig": zig,
        "binaryen": binaryen,
    }


def recorded() -> dict[str, str]:
    """Return what was noted of the build that is there."""
    noted: dict[str, str] = json.loads(BUILT.read_text(encoding="utf-8"))
    return noted
