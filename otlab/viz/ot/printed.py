"""What is printed in a tableau, whatever it is printed in: HTML, LaTeX, SVG.

One order of the constraints, highest ranked left; the hand points at the winner, ``!`` follows the
violation at which a candidate loses, and what lies beyond it is shaded because it no longer matters
(A. Prince and P. Smolensky 1993, *Optimality Theory*, chapter 2). The rule between constraints of
one stratum is dashed.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from otlab.ot.analysis.rank import rank
from otlab.ot.orders import evaluate
from otlab.viz.base.numbers import value_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from otlab.ot.analysis.rank import Ranking
    from otlab.ot.tableau import Tableau

__all__ = ["Mark", "Printed", "PrintedRow", "Strata", "printed", "ranked_strata"]

_STARS = 6


class Mark(NamedTuple):
    """A cell: its asterisks, or a number where asterisks cannot show it, and whether it is shaded."""

    text: str
    shaded: bool


class PrintedRow(NamedTuple):
    """A candidate: its name, whether it wins, and a mark for each constraint."""

    candidate: str
    wins: bool
    marks: tuple[Mark, ...]


class Printed(NamedTuple):
    """One input's tableau under one order.

    Attributes
    ----------
    input
        Its name.
    constraints, full_names
        In the order.
    dashed
        Whether the rule at the right of each constraint is dashed.
    rows
        The candidates.
    """

    input: str
    constraints: tuple[str, ...]
    full_names: tuple[str, ...]
    dashed: tuple[bool, ...]
    rows: tuple[PrintedRow, ...]

    @property
    def ties(self) -> int:
        """How many candidates win because their violations are identical; 0 if one wins alone."""
        winners = sum(row.wins for row in self.rows)
        return winners if winners > 1 else 0


class Strata(NamedTuple):
    """An order of the constraints, by number, and the sizes of its strata, both highest first."""

    order: tuple[int, ...]
    sizes: tuple[int, ...]

    @classmethod
    def of_ranking(cls, ranking: Ranking) -> Strata:
        """Return the strata of a ranking; the order of the file, one stratum each, if there is none."""
        if not ranking.consistent:
            return cls.of_order(range(ranking.tableau.n_constraints))
        return cls.of_numbers(ranking.demotion.strata)

    @classmethod
    def of_numbers(cls, strata: Sequence[Sequence[int]]) -> Strata:
        """Return strata given by the numbers of their constraints."""
        return cls(tuple(c for stratum in strata for c in stratum), tuple(map(len, strata)))

    @classmethod
    def of_order(cls, order: Sequence[int]) -> Strata:
        """Return a total order."""
        return cls(tuple(order), (1,) * len(order))


def ranked_strata(tableau: Tableau) -> Strata:
    """Return the strata of a tableau by recursive constraint demotion."""
    return Strata.of_ranking(rank(tableau))


def printed(tableau: Tableau, k: int, order: Sequence[int], strata: Sequence[int] | None = None) -> Printed:
    """Return what is printed in the tableau of one input.

    Parameters
    ----------
    tableau, k
        The tableau, and the number of the input.
    order
        All constraint indices, highest ranked first, shape (constraints,).
    strata
        Sizes of the strata, highest first, adding up to the number of constraints. Inside a stratum
        rules are dashed and nothing is shaded, for its order is open; candidates are still compared
        in the order given. None: every constraint is a stratum of its own.
    """
    sizes = strata or [1] * len(order)
    ends = [end for end, size in zip(accumulate(sizes), sizes, strict=True) for _ in range(size)]
    rows = tableau.rows(k)
    violations = tableau.violations[rows][:, list(order)]
    result = evaluate(violations, range(len(order)))
    lines = [
        _row(name, violations[c], int(result.fatal[c]), int(result.allowed[c]), ends)
        for c, name in enumerate(tableau.candidates[rows])
    ]
    return Printed(
        tableau.inputs[k],
        tuple(tableau.constraints[i] for i in order),
        tuple(tableau.full_names[i] for i in order),
        tuple(p + 1 < end for p, end in enumerate(ends)),
        tuple(lines),
    )


def _row(name: str, violations: np.ndarray, fatal: int, allowed: int, ends: Sequence[int]) -> PrintedRow:
    wins = fatal < 0
    dead_from = len(ends) if wins else ends[fatal]
    marks = tuple(
        Mark(_marks(int(count), allowed if p == fatal else None), p >= dead_from)
        for p, count in enumerate(violations)
    )
    return PrintedRow(name, wins, marks)


def _marks(count: int, allowed: int | None) -> str:
    """Return the asterisks; with `allowed`, ``!`` follows the first that is one too many.

    Many violations, and OTSoft's negative ones, are printed as a number.
    """
    if not 0 <= count <= _STARS or (allowed is not None and allowed < 0):
        return f"{value_text(count, 0)}{'' if allowed is None else '!'}"
    if allowed is None:
        return "∗" * count
    return "∗" * (allowed + 1) + "!" + "∗" * (count - allowed - 1)
