"""JavaScript that the labs and the pages of results share, as text."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

__all__ = ["script"]


@cache
def script(name: str) -> str:
    """Return the script ``name.js`` of this folder."""
    return files(__name__).joinpath(f"{name}.js").read_text(encoding="utf-8")
