"""Width of the left column, the same in all tabs: narrower where a tab is."""

from __future__ import annotations

__all__ = ["NARROWING"]

_WIDTH = "clamp(340px, 39cqi, 430px)"
NARROWING = f":host {{ width: {_WIDTH} !important; flex-basis: {_WIDTH} !important; }}"
