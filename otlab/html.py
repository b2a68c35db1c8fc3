"""HTML elements and tables, in which every text is escaped.

What is HTML already is a ``markupsafe.Markup``, such as the names of constraints of
:mod:`otlab.viz.base.names`; any other value is text.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Markup", "direction", "element", "escape", "isolated", "joined", "table", "td", "th", "tr"]

_DIRECTIONS = {"L": "ltr", "R": "rtl", "AL": "rtl"}  # by Unicode's bidirectional class


def element(name: str, content: object = "", **attributes: object) -> Markup:
    """Return an HTML element; an attribute that is None, False or empty is left out.

    Underscores of an attribute's name are hyphens, and one at its end is dropped.

    >>> print(element("p", "a < b", class_="small", title="", aria_label="so"))
    <p class="small" aria-label="so">a &lt; b</p>
    """
    given = {key.strip("_").replace("_", "-"): value for key, value in attributes.items()}
    written = "".join(
        f' {escape(key)}="{escape(value)}"'
        for key, value in given.items()
        if value is not None and value is not False and value != ""
    )
    return Markup(f"<{escape(name)}{written}>{escape(content)}</{escape(name)}>")


def joined(parts: Iterable[object], between: str = "") -> Markup:
    """Return parts one after the other; texts are escaped."""
    return escape(between).join(escape(part) for part in parts)


def direction(words: Iterable[str]) -> str:
    """Return the direction in which most of some words are read, ``rtl`` or ``ltr``; "" if none has a letter.

    >>> direction(["\u05e9\u05dc\u05d5\u05dd", "NASA", "\u05e2\u05d5\u05dc\u05dd", "."])
    'rtl'
    """
    found = [
        next((d for c in word if (d := _DIRECTIONS.get(unicodedata.bidirectional(c)))), "") for word in words
    ]
    right_to_left, left_to_right = found.count("rtl"), found.count("ltr")
    if right_to_left > left_to_right:
        return "rtl"
    return "ltr" if left_to_right else ""


def isolated(text: object) -> Markup:
    """Return a text whose direction does not change the order of what is around it."""
    return element("bdi", text)


def td(content: object = "", kind: str = "", **attributes: object) -> Markup:
    """Return a cell; `kind` is its class, such as ``num`` for a number at the right."""
    return element("td", content, class_=kind, **attributes)


def th(content: object = "", kind: str = "", *, scope: str = "col", **attributes: object) -> Markup:
    """Return the heading of a column, or of a row or a group of rows by its `scope`."""
    return element("th", content, scope=scope, class_=kind, **attributes)


def tr(cells: Iterable[Markup], kind: str = "", **attributes: object) -> Markup:
    """Return a row."""
    return element("tr", joined(cells), class_=kind, **attributes)


def table(heads: Iterable[object], rows: Iterable[Markup], *, label: str = "", kind: str = "") -> Markup:
    """Return a table.

    Parameters
    ----------
    heads
        Text or cell of each column's heading; none for a table without.
    rows
        Made by :func:`tr`.
    label
        Its name for a screen reader.
    kind
        Its class.
    """
    cells = [head if isinstance(head, Markup) else th(head) for head in heads]
    head = element("thead", tr(cells)) if cells else ""
    return element("table", joined([head, element("tbody", joined(rows))]), class_=kind, aria_label=label)
