r"""Match the states of one tagger with those of another, so that state 7 is state 7.

States are matched one to one so that the sum of the similarities of their emissions is as large as
possible. The similarity of two states is the Bhattacharyya coefficient of their probabilities of words,
:math:`\sum_x \sqrt{\phi_{x|k} \phi'_{x|l}}`: 1 if they are equal, 0 if they share no word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy.optimize import linear_sum_assignment

from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.tagging.hmm.parameters import Weights

__all__ = ["match_states", "similarities"]


class Tagger(Protocol):
    """What is matched of a :class:`~otlab.tagging.model.Model`."""

    @property
    def vocabulary(self) -> Sequence[str]: ...
    @property
    def weights(self) -> Weights: ...
    @property
    def probabilities(self) -> Weights | None: ...


def similarities(one: Tagger, other: Tagger) -> np.ndarray:
    """Return the similarity of each state of one tagger and each of another, shape (states, other states).

    Raises
    ------
    InputError
        If the two have no word in common.
    """
    index = {word: i for i, word in enumerate(other.vocabulary)}
    pairs = [(i, index[word]) for i, word in enumerate(one.vocabulary) if word in index]
    if not pairs:
        raise InputError(Fault("the two taggers have no word in common", "match taggers of similar texts"))
    rows, columns = np.array(pairs).T
    return np.asarray(np.sqrt(_emissions(one)[rows]).T @ np.sqrt(_emissions(other)[columns]))


def _emissions(model: Tagger) -> np.ndarray:
    """Return the probability of each word in each state, in float64."""
    emissions = (model.probabilities or model.weights).emissions
    totals = emissions.sum(0)
    return np.asarray(emissions / np.where(totals > 0, totals, 1))


def match_states(model: Tagger, reference: Tagger) -> np.ndarray:
    """Return the state of `reference` that each state of `model` is matched with, int (states,).

    States that are left over get the numbers that follow.

    Examples
    --------
    >>> from otlab.tagging import fit_vb, simulate_hmm
    >>> model = fit_vb(simulate_hmm(400, 1, tags=3, types=20), states=3, iterations=5, seed=1).model
    >>> match_states(model, model)
    array([0, 1, 2])
    """
    alike = similarities(model, reference)
    states, others = linear_sum_assignment(alike, maximize=True)
    match = np.full(len(alike), -1)
    match[states] = others
    free = np.setdiff1d(np.arange(max(alike.shape)), match)
    match[match < 0] = free[free >= alike.shape[1]][: np.count_nonzero(match < 0)]
    return match
