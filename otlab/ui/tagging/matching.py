"""Match the states of two runs one to one by the tokens they share."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linear_sum_assignment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otlab.tagging.view import View

__all__ = ["Named", "carried_names", "runs_agreement", "shared_tokens"]

_LEAST_SHARE = 0.5  # share of a named state's tokens that the state taking over its name must have


@dataclass(frozen=True, eq=False)
class Named:
    """States with names.

    Attributes
    ----------
    labels : ndarray of int, shape (tokens,)
        Each token's state.
    names
        Names by state.
    """

    labels: np.ndarray
    names: dict[int, str]

    def to_dict(self) -> dict[str, Any]:
        """Return labels and names as values that JSON can hold; labels as bytes in base64."""
        labels = base64.b64encode(self.labels.astype("<u2").tobytes()).decode()
        return {"labels": labels, "names": {str(state): name for state, name in self.names.items()}}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Named:
        """Return what :meth:`to_dict` wrote."""
        labels = np.frombuffer(base64.b64decode(written["labels"]), dtype="<u2").astype(np.int64)
        return cls(labels, {int(state): str(name) for state, name in written["names"].items()})


def shared_tokens(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return how many tokens each state of one labelling shares with each state of another.

    >>> shared_tokens(np.array([0, 0, 1]), np.array([1, 1, 0]))
    array([[0, 2],
           [1, 0]])
    """
    rows, columns = int(one.max(initial=0)) + 1, int(other.max(initial=0)) + 1
    cells = one.astype(np.int64) * columns + other
    return np.bincount(cells, minlength=rows * columns).reshape(rows, columns)


def carried_names(before: Named, labels: np.ndarray) -> dict[int, str]:
    """Return the names of an earlier run by the states of a new one.

    States are matched so that they share as many tokens as possible; a name whose match
    holds less than half of its tokens is left out.
    """
    shared = shared_tokens(before.labels, labels)
    match = dict(zip(*(side.tolist() for side in linear_sum_assignment(shared, maximize=True)), strict=True))
    return {
        match[state]: name
        for state, name in before.names.items()
        if state in match and shared[state, match[state]] > _LEAST_SHARE * shared[state].sum()
    }


def runs_agreement(views: Sequence[View]) -> float:
    """Return the mean share of tokens that the first run and another put into matching states.

    NaN for a single run. States are matched one to one, as well as possible.
    """
    first, *others = (view.labels for view in views)
    shares = []
    for labels in others:
        shared = shared_tokens(first, labels)
        shares.append(shared[linear_sum_assignment(shared, maximize=True)].sum() / max(first.size, 1))
    return float(np.mean(shares)) if shares else float("nan")
