"""Words with recorded violations, as UCLA's phonotactic learner writes them (``blickTestResults.txt``).

::

    word   score  *[+son][+voice]  *[+high][-high]  annotation      constraints
    word   score  default          Vowel            annotation      their tiers
    word   score  1.5              2.7              annotation      their weights
    t a p  0      0                0                real

Each word becomes an input with itself as the only candidate; a word that is there again is numbered.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from otlab.ot.io.cells import Arranged
from otlab.reading import NOT_USED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.ot.io.cells import Cell, Grid

__all__ = ["is_ucla", "ucla"]


def is_ucla(rows: Sequence[Sequence[Cell]]) -> bool:
    """Return whether the first rows are those of the learner's results."""
    heads = [[cell.text.lower() for cell in row[:2]] for row in rows[:3]]
    return len(rows) > 3 and heads == [["word", "score"]] * 3


def ucla(grid: Grid) -> Arranged:
    """Return the words as inputs with one candidate each, and the weights as values."""
    names, tiers, weights, *words = grid.rows
    last = next((n for n, cell in enumerate(names) if cell.text.lower() == "annotation"), len(names))
    heads = [
        name if tier.text.lower() == "default" else name._replace(text=f"{name.text} (tier={tier.text})")
        for name, tier in zip(names[2:last], tiers[2:last], strict=False)
    ]
    empty = names[0]._replace(text="")
    header = [names[0]._replace(text="Input"), names[0]._replace(text="Output"), empty, *heads]
    rows, times = [], Counter[str]()
    for word, *cells in words:
        times[word.text] += 1
        again = f" ({times[word.text]})" if times[word.text] > 1 else ""
        source = word._replace(text=word.text + again)
        rows.append([source, word, empty._replace(line=word.line), *cells[1 : last - 1]])
    roles = ("input", NOT_USED, *(["constraint"] * len(heads)))
    return Arranged(
        "ucla",
        replace(grid, rows=[header, *rows]),
        roles + (NOT_USED,) * (len(names) - len(roles)),
        tuple(cell.text for cell in names),
        values=tuple(weights[2:last]),
    )
