"""Tabs of the grammar lab and the cards on them."""

from __future__ import annotations

from otlab.ui.components.layout import clamped_width

__all__ = ["LEFT_COLUMN"]

LEFT_COLUMN = clamped_width(340, 39, 430)
"""Style sheet of a tab's left column."""
