"""Write the specification that asks for given runs, and pack it with its data.

::

    Part of runs ... --sweep_text--> SPEC.toml --parse_plan--> Plan of the same runs
"""

from __future__ import annotations

import io
import json
import math
import re
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from otlab import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["SPECIFICATION", "Part", "sweep_text", "zipped"]

SPECIFICATION = "sweep.toml"
"""The name that a specification says of itself, in the line on how to run it."""


@dataclass(frozen=True)
class Part:
    """Runs that share learners, data, settings and seed: one ``[[sweep]]`` table.

    Attributes
    ----------
    learner
        A learner's name, or several.
    data
        A sample's name or a file, or several.
    seed, runs
        The root seed, and how many runs each combination has; run k has the seed ``run_seed(seed, k)``.
    settings
        By their names in a specification. A list is crossed with the others; None keeps the default.
    remarks
        What a reader should know of these runs, a comment line each.
    """

    learner: str | Sequence[str]
    data: str | Sequence[str]
    seed: int
    runs: int = 1
    settings: Mapping[str, Any] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    @property
    def keys(self) -> dict[str, Any]:
        """The keys that a table may take from the top of the file."""
        return {"seed": self.seed, "seeds": self.runs, "data": self.data}


def sweep_text(system: str, parts: Sequence[Part], remarks: Iterable[str] = ()) -> str:
    """Return the specification of a sweep; :func:`~otlab.sweep.plan.parse_plan` returns these runs.

    Parameters
    ----------
    system
        ``"ot"``, ``"tagging"``, ``"mg"``, ``"discovery"`` or ``"sound"``.
    parts
        What is run, in this order; what they share is written once.
    remarks
        What a reader should know of the whole, a comment line each.

    Examples
    --------
    >>> em = Part("em", "ewt", seed=1, runs=10, settings={"states": 50, "iterations": 1000})
    >>> print(sweep_text("tagging", [em]))
    # Run it: otlab sweep sweep.toml
    # Written by otlab ...
    <BLANKLINE>
    system = "tagging"
    seed = 1
    seeds = 10
    data = "ewt"
    <BLANKLINE>
    [[sweep]]
    learner = "em"
    [sweep.settings]
    states = 50
    iterations = 1000
    <BLANKLINE>
    """
    first = parts[0].keys if parts else {}
    shared = {key: value for key, value in first.items() if all(part.keys[key] == value for part in parts)}
    head = [f"Run it: otlab sweep {SPECIFICATION}", f"Written by otlab {__version__}.", *remarks]
    lines = [*_comments(head), "", *_pairs({"system": system, **shared})]
    for part in parts:
        own = {key: value for key, value in part.keys.items() if key not in shared}
        lines += ["", *_comments(part.remarks), "[[sweep]]", *_pairs({"learner": part.learner, **own})]
        settings = {name: value for name, value in part.settings.items() if value is not None}
        lines += ["[sweep.settings]", *_pairs(settings)] if settings else []
    return "\n".join([*lines, ""])


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return files by name as one ZIP file, the same bytes for the same files."""
    stream = io.BytesIO()
    with ZipFile(stream, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = ZipInfo(name)  # with a fixed date
            entry.external_attr = 0o644 << 16  # may be read, wherever it is unpacked
            archive.writestr(entry, content, ZIP_DEFLATED)
    return stream.getvalue()


def _comments(texts: Iterable[str]) -> list[str]:
    """Return comment lines; control characters, which TOML has none of, become blanks."""
    return [f"# {''.join(c if c.isprintable() else ' ' for c in text)}" for text in texts]


def _pairs(values: Mapping[str, Any]) -> Iterator[str]:
    for name, value in values.items():
        key = name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _toml(name)
        yield f"{key} = {_toml(value)}"


def _toml(value: Any) -> str:
    """Return a value as TOML writes it: but for lists, numbers without end and DEL as JSON does."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value}"
    plain = value.as_posix() if isinstance(value, PurePath) else value
    return json.dumps(plain, ensure_ascii=False).replace("\x7f", r"\u007f")
