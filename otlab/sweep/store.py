"""Finished runs on disk, one file each, named by the hash of their specification."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    from pathlib import Path

    from otlab.sweep.spec import RunSpec

__all__ = ["FinishedRun", "MemoryStore", "Store"]

FORMAT = 1


@dataclass(frozen=True, eq=False)
class FinishedRun:
    """A run that has ended.

    Attributes
    ----------
    spec
        What was run.
    scores
        Score by name; None if it is not defined or not finite.
    result
        The full result, as the command of the system prints it with ``--json``.
    seconds
        How long it took.
    """

    spec: RunSpec
    scores: dict[str, float | None]
    result: dict[str, Any]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return hash, specification, scores and seconds as values for JSON."""
        return {"hash": self.spec.hash, **self.spec.to_dict(), "scores": self.scores, "seconds": self.seconds}


@dataclass
class MemoryStore:
    """Finished runs in memory, with their scores but without their full results.

    Attributes
    ----------
    runs
        Finished run by the hash of its specification.
    """

    runs: dict[str, FinishedRun] = field(default_factory=dict)

    def get(self, spec: RunSpec) -> FinishedRun | None:
        """Return a finished run; None if it is not there."""
        return self.runs.get(spec.hash)

    def put(self, run: FinishedRun) -> None:
        """Keep a finished run."""
        self.runs[run.spec.hash] = replace(run, result={})


class Store:
    """A folder of finished runs.

    Parameters
    ----------
    folder
        Where the files are; made when the first run is written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, spec: RunSpec) -> FinishedRun | None:
        """Return a finished run; None if it is not there, or its file is damaged."""
        try:
            record = json.loads(self._path(spec).read_text(encoding="utf-8"))
            if record["format"] != FORMAT or record["hash"] != spec.hash:
                return None
            return FinishedRun(spec, record["scores"], record["result"], record["seconds"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, run: FinishedRun) -> None:
        """Write a finished run to its file; the file is written whole or not at all.

        Raises
        ------
        InputError
            If the folder cannot be written.
        """
        path = self._path(run.spec)
        part = path.with_suffix(f".{os.getpid()}.part")
        values = {"format": FORMAT, "numbers": run.spec.numbers, **run.to_dict(), "result": run.result}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            part.write_text(json.dumps(values, ensure_ascii=False, allow_nan=False), encoding="utf-8")
            part.replace(path)
        except OSError as error:
            what = f"cannot write finished runs: {error.strerror}"
            raise InputError(Fault(what, "give another folder with --store", file=str(self.folder))) from None

    def _path(self, spec: RunSpec) -> Path:
        return self.folder / f"{spec.hash}.json"
