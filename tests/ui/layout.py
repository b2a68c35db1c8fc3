"""Measure faults of a page's layout: text too small or too pale, parts that stick out.

Every lab's browser tests call ``assert_fine(page)`` in light and dark.
"""

from __future__ import annotations

import re
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


_ABOUT_CARDS = re.compile(r"overlap in the head|sticks out of its card")
_CUT = """() => {
  const cards = node => [...node.querySelectorAll("*")].flatMap(
    one => [...(one.matches(".ot-card") ? [one] : []), ...(one.shadowRoot ? cards(one.shadowRoot) : [])])
  return cards(document).filter(card => card.checkVisibility())
    .map(card => card.getBoundingClientRect().right - window.innerWidth).filter(out => out > 1)
    .map(out => `${innerWidth} px: a card is cut by ${Math.round(out)} px at the right`)
}"""


def assert_cards_fit(page, *widths):
    """Fail if a card runs out of the window, or parts of its head overlap; in these widths (px) if any."""
    size = page.viewport_size
    for width in widths or (size["width"],):
        page.set_viewport_size({"width": width, "height": size["height"]})
        page.wait_for_timeout(400)
        assert page.evaluate(_CUT) == []
        assert [f"{width} px: {found}" for found in faults(page) if _ABOUT_CARDS.search(found)] == []
    page.set_viewport_size(size)
