"""Style sheets of the tagging lab's HTML."""

from __future__ import annotations

from pathlib import Path

__all__ = ["PAGE_CSS", "PLOTS_CSS"]

_HERE = Path(__file__).parent
PLOTS_CSS = (_HERE / "plots.css").read_text(encoding="utf-8")
PAGE_CSS = (_HERE / "page.css").read_text(encoding="utf-8")
