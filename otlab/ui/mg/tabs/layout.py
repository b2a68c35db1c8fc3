"""Width of the left column, the same in all tabs: narrower in smaller windows."""

from __future__ import annotations

__all__ = ["NARROWING"]

_WIDTH = "clamp(340px, 30.8vw, 430px)"
NARROWING = f":host {{ width: {_WIDTH} !important; flex-basis: {_WIDTH} !important; }}"
