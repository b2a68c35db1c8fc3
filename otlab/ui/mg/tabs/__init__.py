"""Tabs of the grammar lab and the cards on them."""

from __future__ import annotations

from typing import Any

from otlab.ui.components.layout import clamped_width, down

__all__ = ["TABLE_STYLE", "left_column"]

_WIDTH = clamped_width(340, 39, 430)
TABLE_STYLE = """
table { width: 100%; border-collapse: collapse; }
th, td { padding: 6px 12px 6px 0; border-bottom: 1px solid var(--ot-line); text-align: left; }
td { vertical-align: middle; }
th { font-size: 11.5px; font-weight: 500; color: var(--ot-ink3); }
.num { text-align: right; white-space: nowrap; }
.bad { color: var(--ot-bad); }
"""
"""Style sheet of a table that fills a card."""


def left_column(*cards: Any) -> Any:
    """Return the cards at the left of a tab, one below the other."""
    return down(*cards, width=430, sizing_mode="stretch_height", stylesheets=[_WIDTH])
