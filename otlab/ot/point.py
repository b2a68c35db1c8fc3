"""One grammar that stands for what a learner found, with its name.

A posterior has several: its medians, which lie between the modes if there are several, and the draw under
which the data are most probable. What shows one of them says which it is, and how far it can be used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from otlab.inference.rest import NOT_CONVERGED

if TYPE_CHECKING:
    import numpy as np

__all__ = ["BEST", "DOES_NOT_SETTLE", "MEDIAN", "NOT_CONVERGED", "SEVERAL_MODES", "Point", "mean_of_runs"]

MEDIAN, BEST = "posterior median", "best draw"
SEVERAL_MODES, DOES_NOT_SETTLE = "between two modes", "does not settle"


class Point(NamedTuple):
    """Ranking values or weights, and what they are.

    Attributes
    ----------
    values : ndarray of shape (constraints,)
        The ranking values or weights.
    name
        What they are: "posterior median", "best draw", "mean of 10 runs", "estimate".
    caveat
        Why they may not be used yet, or do not fit by themselves; empty if they can be used.
    """

    values: np.ndarray
    name: str
    caveat: str = ""

    def words(self, learner: str) -> str:
        """Return what the values are, and whose.

        >>> Point(None, BEST, NOT_CONVERGED).words("Gibbs")
        'the best draw of Gibbs, not converged'
        """
        return f"the {self.name} of {learner}" + (f", {self.caveat}" if self.caveat else "")


def mean_of_runs(mean: np.ndarray, runs: int, caveat: str = "") -> Point:
    """Return the mean of the ends of several runs, or the end of the only one."""
    return Point(mean, f"mean of {runs} runs" if runs > 1 else "estimate", caveat)
