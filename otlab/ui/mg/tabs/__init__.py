"""Tabs of the grammar lab and the cards on them."""

from __future__ import annotations

from otlab.ui.components.layout import clamped_width

__all__ = ["LEFT_COLUMN", "TABLE_STYLE"]

LEFT_COLUMN = clamped_width(340, 39, 430)
"""Style sheet of a tab's left column."""

TABLE_STYLE = """
table { width: 100%; border-collapse: collapse; }
th, td { padding: 6px 12px 6px 0; border-bottom: 1px solid var(--ot-line); text-align: left; }
td { vertical-align: middle; }
th { font-size: 11.5px; font-weight: 500; color: var(--ot-ink3); }
.num { text-align: right; white-space: nowrap; }
.bad { color: var(--ot-bad); }
"""
"""Style sheet of a table that fills a card."""
