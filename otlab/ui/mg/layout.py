"""How wide the left column is: narrower in smaller windows, in every tab alike."""

from __future__ import annotations

__all__ = ["NARROWING"]

NARROWING = ":host { width: clamp(360px, 30vw, 430px) !important; }"
