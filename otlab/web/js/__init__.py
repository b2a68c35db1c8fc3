"""The scripts and the style sheet of the page, as text; one file a room."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

__all__ = ["room"]


@cache
def room(name: str) -> str:
    """Return the text of a file of this folder."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
