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


_CUT = """() => {
  const cards = node => [...node.querySelectorAll("*")].flatMap(
    one => [...(one.matches(".ot-card") ? [one] : []), ...(one.shadowRoot ? cards(one.shadowRoot) : [])])
  return cards(document).filter(card => card.checkVisibility())
    .map(card => card.getBoundingClientRect().right - window.innerWidth).filter(out => out > 1)
    .map(out => `${innerWidth} px: a card is cut by ${Math.round(out)} px at the right`)
}"""


def assert_no_card_is_cut(page, *widths):
    """Fail if a card runs out of the window at its right edge, in any of these widths (px)."""
    size = page.viewport_size
    for width in widths:
        page.set_viewport_size({"width": width, "height": size["height"]})
        page.wait_for_timeout(400)
        assert page.evaluate(_CUT) == []
    page.set_viewport_size(size)
