"""Style sheets of the pictures drawn as HTML; colours only as ``var(--ot-...)``."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

__all__ = ["sheet"]


@cache
def sheet(name: str) -> str:
    """Return the style sheet ``name.css`` of this folder."""
    return files(__name__).joinpath(f"{name}.css").read_text(encoding="utf-8")
