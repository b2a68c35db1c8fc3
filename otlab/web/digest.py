"""Tell whether the compiled kernels of the page are as old as their sources."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

__all__ = ["BUILT", "WASM", "record", "recorded", "sources", "sources_digest"]

HERE = Path(__file__).resolve().parent
WASM = HERE / "kernels.wasm"
BUILT = HERE / "kernels.json"
"""What the compiled kernels were made of: digests, and the versions of the tools."""


def sources() -> list[Path]:
    """Return every file on which the compiled kernels depend, by path."""
    package = HERE.parent
    folders = (package / "inference/kernels", package / "ot/kernels", HERE / "kernels")
    own = (HERE / "exports.py", HERE / "build.py", HERE / "runtime.c", HERE / "log1p.zig")
    return sorted([*own, *(path for folder in folders for path in folder.glob("*.py"))])


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
