"""Print the size of the environment, a line for each package that otlab needs.

    python -m benchmarks environment [--extra NAME ...]

The packages are those of this environment that ``otlab`` requires, by itself or through others, without its
extras unless they are named. A line is a package: its files in MB as they were installed (compiled bytecode
comes later), and which packages ask for it.
"""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["main", "needed", "size"]


def _required(name: str, extras: Iterable[str]) -> Iterator[Requirement]:
    """Yield what a package requires here, with these extras."""
    wanted = ("", *extras)
    for text in distribution(name).requires or ():
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in wanted):
            yield requirement


def needed(name: str = "otlab", extras: Iterable[str] = ()) -> dict[str, set[str]]:
    """Return the packages that a package needs, each with those that ask for it."""
    asked: dict[str, set[str]] = {}
    waiting = [(name, tuple(extras))]
    done = set()
    while waiting:
        owner, chosen = waiting.pop()
        if (owner, chosen) in done:
            continue
        done.add((owner, chosen))
        for requirement in _required(owner, chosen):
            other = canonicalize_name(requirement.name)
            asked.setdefault(other, set()).add(owner)
            waiting.append((other, tuple(sorted(requirement.extras))))
    asked.pop(name, None)
    return asked


def size(name: str) -> float:
    """Return the size in MB of the files that a package has installed; 0 if it is not there."""
    try:
        files = distribution(name).files or ()
    except PackageNotFoundError:
        return 0.0
    paths = (Path(file.locate()) for file in files if "__pycache__" not in file.parts)
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks environment", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--extra", nargs="+", default=[], help="extras of otlab that count, too")
    args = parser.parse_args(argv)
    asked = needed(extras=args.extra)
    rows = sorted(((size(name), name) for name in asked), reverse=True)
    for megabytes, name in rows:
        sys.stdout.write(f"{megabytes:7.1f} MB  {name:24} for {', '.join(sorted(asked[name]))}\n")
    sys.stdout.write(f"{sum(megabytes for megabytes, _ in rows):7.1f} MB  {len(rows)} packages\n")
    return 0
