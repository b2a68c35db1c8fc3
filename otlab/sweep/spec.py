"""The specification of one run: system, learner, data, settings and seed, and the hash of these."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from otlab import __version__
from otlab.inference.jit import kernel_sources

__all__ = ["RunSpec", "content_hash", "numbers_version"]


@dataclass(frozen=True)
class RunSpec:
    """The specification of one run.

    Attributes
    ----------
    system, learner
        ``"ot"``, ``"tagging"``, ``"mg"``, ``"discovery"`` or ``"sound"``, and the learner's name there.
    data
        The name of the data in the specification file: a sample's name or a path.
    content
        File name and content hash of the data.
    settings
        All settings, defaults included, as pairs sorted by name.
    seed
        The seed of this run: the learner with these settings and this seed repeats it.
    numbers
        Version of the code that the numbers depend on; see :func:`numbers_version`.
    files
        (setting, path, content hash) of the settings that name a file.

    Examples
    --------
    >>> one = RunSpec("ot", "gla", "ilokano", "ab", (("runs", 2), ("sweeps", 10)), 1, "0.1.0")
    >>> RunSpec.of("ot", "gla", "ilokano", "ab", {"sweeps": 10, "runs": 2}, 1, "0.1.0").hash == one.hash
    True
    """

    system: str
    learner: str
    data: str
    content: str
    settings: tuple[tuple[str, Any], ...]
    seed: int
    numbers: str
    files: tuple[tuple[str, str, str], ...] = ()

    @classmethod
    def of(
        cls,
        system: str,
        learner: str,
        data: str,
        content: str,
        settings: dict[str, Any],
        seed: int,
        numbers: str,
        files: dict[str, tuple[str, str]] | None = None,
    ) -> RunSpec:
        """Return a specification from settings and files as dicts, in any order."""
        named = tuple((name, *pair) for name, pair in sorted((files or {}).items()))
        return cls(system, learner, data, content, tuple(sorted(settings.items())), seed, numbers, named)

    @property
    def values(self) -> dict[str, Any]:
        """The settings by name; the value of one that names a file is its path."""
        return {**dict(self.settings), **{name: path for name, path, _ in self.files}}

    @property
    def hash(self) -> str:
        """Hash of the canonical JSON: 24 hexadecimal digits, the same on every machine.

        Of each file its own name and its content count, but not the folder that it is in, nor the name of
        the data in the specification.
        """
        settings = {**dict(self.settings), **{n: [Path(p).name, sha] for n, p, sha in self.files}}
        parts = {
            "system": self.system, "learner": self.learner, "content": self.content,
            "settings": settings, "seed": self.seed, "numbers": self.numbers,
        }  # fmt: skip
        text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    def to_dict(self) -> dict[str, Any]:
        """Return system, learner, data, settings and seed as values for JSON."""
        return {
            "system": self.system, "learner": self.learner, "data": self.data,
            "settings": dict(self.settings), "seed": self.seed,
        }  # fmt: skip


def content_hash(path: Path) -> str:
    """Return the name and the SHA-256 of a file, or of a folder with all its files."""
    digest = hashlib.sha256()
    for file in sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]:
        digest.update(f"{file.relative_to(path.parent).as_posix()}\0{file.stat().st_size}\0".encode())
        with file.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return f"{path.name}:{digest.hexdigest()}"


@cache
def numbers_version(package: str) -> str:
    """Return otlab's version and a digest of a system's kernels: what its numbers depend on."""
    digest = hashlib.sha256()
    for path in kernel_sources(package):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return f"{__version__}+{digest.hexdigest()[:12]}"
