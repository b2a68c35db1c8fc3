"""What the eye would complain about, measured: text too small or too pale, things that stick out.

Every lab's browser tests call ``assert_fine(page)`` in light and dark.
"""

from __future__ import annotations

from pathlib import Path

_SCRIPT = (Path(__file__).parent / "layout.js").read_text(encoding="utf-8")


def faults(page):
    """Return every complaint as a sentence."""
    return page.evaluate(_SCRIPT)


def assert_fine(page):
    """Fail with all complaints at once; colours get a moment to finish their transition."""
    found = faults(page)
    for _ in range(8):
        if not found:
            return
        page.wait_for_timeout(250)
        found = faults(page)
    raise AssertionError("\n".join(found))
