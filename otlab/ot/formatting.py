"""Forms between slashes or brackets, and tables of text: aligned for a terminal, as HTML for a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otlab.html import element, joined, td, tr

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from otlab.html import Markup

__all__ = [
    "aligned_text",
    "bracketed",
    "frequency_text",
    "html_table",
    "slashed",
    "tableau_cells",
    "unbracketed",
    "unslashed",
]


def unslashed(form: str) -> str:
    """Return an input without the slashes around it, if it was typed with them.

    >>> unslashed("/bed/"), unslashed("bed"), unslashed("a/b")
    ('bed', 'bed', 'a/b')
    """
    return _without(form, "/", "/")


def slashed(form: str) -> str:
    """Return an input between slashes, also if it was typed with them.

    >>> slashed("bed"), slashed("/bed/")
    ('/bed/', '/bed/')
    """
    return f"/{unslashed(form)}/"


def bracketed(form: str) -> str:
    """Return a candidate between brackets, also if it was typed with them.

    >>> bracketed("bet"), bracketed("[bet]")
    ('[bet]', '[bet]')
    """
    return f"[{unbracketed(form)}]"


def unbracketed(form: str) -> str:
    """Return a candidate without the brackets around it, if it was typed with them."""
    return _without(form, "[", "]")


def _without(form: str, left: str, right: str) -> str:
    whole = len(form) > 1 and form[0] == left and form[-1] == right
    return form[1:-1] if whole else form


def frequency_text(frequency: float) -> str:
    """Return a frequency that reads back as the same number, a count without a point.

    >>> frequency_text(12.0), frequency_text(0.25)
    ('12', '0.25')
    """
    return str(int(frequency)) if frequency == int(frequency) else repr(float(frequency))


def aligned_text(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as lines of text, the first column flush left, the others flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def html_table(blocks: Sequence[Sequence[Sequence[str]]]) -> str:
    """Return an HTML table with one body per block; the first row of a block is its header."""
    return element("table", joined(map(_html_body, blocks)))


def _html_body(rows: Sequence[Sequence[str]]) -> Markup:
    header = tr(element("th", cell) for cell in rows[0])
    return element("tbody", joined([header, *(tr(map(td, row)) for row in rows[1:])]))


def tableau_cells(
    input: str,
    constraints: Sequence[str],
    candidates: Sequence[str],
    frequencies: NDArray[np.float64],
    violations: NDArray[np.int64],
) -> list[list[str]]:
    """Return the header and rows of an input; 0 violations are left empty."""
    rows = [
        [candidate, frequency_text(frequency), *(str(n) if n else "" for n in counts)]
        for candidate, frequency, counts in zip(
            candidates, frequencies.tolist(), violations.tolist(), strict=True
        )
    ]
    return [[slashed(input), "freq", *constraints], *rows]
