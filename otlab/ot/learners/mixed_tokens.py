"""Lay out the tokens of speakers and items for the kernels of :mod:`otlab.ot.kernels.mixed`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from otlab.errors import Fault, InputError, quoted
from otlab.ot.conditions import identical_rows
from otlab.ot.kernels.mixed import LOGIT, PROBIT, RANKING, SOFTMAX, Tokens
from otlab.ot.probability_plan import plan_of
from otlab.ot.tableau import Tableau

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from otlab.ot.probability_plan import Plan

__all__ = ["LEVELS", "LevelName", "Levels", "Pairs", "of_two", "pairs_of", "ranked", "weighted"]

LevelName = Literal["speaker", "item"]
Levels = Literal["both", "speakers", "items", "none"]
LEVELS: tuple[LevelName, LevelName] = ("speaker", "item")


class Pairs(NamedTuple):
    """Pairs of a speaker and an item, and the tokens of each.

    Attributes
    ----------
    names
        Of the speakers, and of the items; a single empty one where they do not differ.
    member : int64 (2, P)
        Speaker and item of each pair.
    pair, row : int64 (n,)
        Pair and candidate of each count.
    heard : float64 (n,)
        Tokens, above 0.
    """

    names: tuple[tuple[str, ...], tuple[str, ...]]
    member: NDArray[np.int64]
    pair: NDArray[np.int64]
    row: NDArray[np.int64]
    heard: NDArray[np.float64]

    def tokens_of(self, which: int) -> NDArray[np.float64]:
        """Return the tokens of each speaker (0) or item (1)."""
        out = np.zeros(len(self.names[which]))
        np.add.at(out, self.member[which, self.pair], self.heard)
        return out


def pairs_of(tableau: Tableau, levels: Levels, total: int | None) -> Pairs:
    """Return the tokens by speaker and item; a level that is off, or has one name, is one group.

    Parameters
    ----------
    tableau
        Without counts of speakers or items, all tokens are of one pair.
    levels
        Which of the two differ.
    total
        As for :meth:`Tableau.counts <otlab.ot.tableau.Tableau.counts>`.
    """
    groups = tableau.groups
    if groups is None:
        row, count = np.arange(tableau.n_rows), tableau.counts(total).astype(float)
        members = [np.zeros(row.size, np.int64)] * 2
        every: tuple[tuple[str, ...], ...] = ((), ())
    else:
        row, count, members = groups.row, groups.count, [groups.speaker, groups.item]
        every = (groups.speakers, groups.items)
    names = []
    for which, level in enumerate(LEVELS):
        on = levels in ("both", f"{level}s") and len(every[which]) > 1
        names.append(every[which] if on else ("",))
        members[which] = members[which] if on else np.zeros(row.size, np.int64)
    said = count > 0
    both, pair = np.unique(np.array(members)[:, said], axis=1, return_inverse=True)
    return Pairs((names[0], names[1]), both.copy(), pair.reshape(-1), row[said], count[said])


def weighted(tableau: Tableau, pairs: Pairs, lowest: float) -> Tokens:
    """Return the tokens of a MaxEnt grammar, weights below `lowest` counting as it.

    If each input has one candidate, or two that differ, they are laid out as a logistic regression.
    """
    sizes = [
        (len(identical_rows(tableau, k)), int(tableau.offsets[k + 1] - tableau.offsets[k]))
        for k in range(len(tableau.inputs))
    ]
    if all(size in ((1, 1), (2, 2)) for size in sizes):
        return of_two(tableau, pairs, lowest, [1.0] * len(sizes), LOGIT)
    violations, offsets = tableau.violations.astype(float), tableau.offsets.copy()
    return _tokens(SOFTMAX, pairs, violations, offsets, lowest, _cells(pairs, tableau.input_of_row, offsets))


def of_two(
    tableau: Tableau, pairs: Pairs, lowest: float, scales: Sequence[float], kind: int = PROBIT
) -> Tokens:
    """Return the tokens of a grammar in which the better of two candidates wins, with noise.

    Parameters
    ----------
    tableau, pairs, lowest
        As for :func:`weighted`.
    scales
        Of each input, the standard deviation of the noise in its difference of penalties.
    kind
        ``PROBIT`` for normal, ``LOGIT`` for logistic noise.

    Raises
    ------
    InputError
        If there are tokens of an input with more than two candidates that differ.
    """
    classes = [identical_rows(tableau, k) for k in range(len(tableau.inputs))]
    heard = {*tableau.input_of_row[pairs.row].tolist()}
    many = [tableau.inputs[k] for k in heard if len(classes[k]) > 2]
    if many:
        what = f"{', '.join(map(quoted, sorted(many)))}: more than two candidates differ"
        hint = (
            "normal noise has exact probabilities for two; use maxent-mixed or sot-mixed, or leave out others"
        )
        raise InputError(Fault(what, hint, file=tableau.name))
    rows, side = np.zeros((2 * len(classes), tableau.n_constraints)), np.zeros(tableau.n_rows, np.int64)
    for k, found in enumerate(classes):
        if len(found) == 2:
            first, second = (tableau.violations[members[0]] for members in found)
            rows[2 * k] = (second - first) / scales[k]
            side[list(found[1])] = 1
    known = np.array([len(found) == 2 for found in classes])[tableau.input_of_row[pairs.row]]
    two = pairs._replace(
        pair=pairs.pair[known],
        row=2 * tableau.input_of_row[pairs.row[known]] + side[pairs.row[known]],
        heard=pairs.heard[known],
    )
    offsets = 2 * np.arange(len(classes) + 1)
    return _tokens(kind, two, rows, offsets, lowest, _cells(two, np.arange(len(rows)) // 2, offsets))


def ranked(tableau: Tableau, pairs: Pairs, noise: float) -> Tokens:
    """Return the tokens of a stochastic ranking: relations of the plan, with a count each."""
    plan, offsets = plan_of(tableau), tableau.offsets
    heard, where = np.unique([pairs.pair, tableau.input_of_row[pairs.row]], axis=1, return_inverse=True)
    tokens = np.bincount(where.reshape(-1), pairs.heard)
    sizes = np.diff(offsets)[heard[1]]  # rows of the input of each
    start = np.cumsum(sizes) - sizes
    row = np.arange(sizes.sum()) - np.repeat(start - offsets[heard[1]], sizes)
    entry = plan.entry[row] - 2
    some = entry >= 0  # those that always win say nothing
    pair, trials = np.repeat(heard[0], sizes), np.repeat(tokens, sizes)
    both, place = np.unique([pair[some], entry[some]], axis=1, return_inverse=True)
    counts = np.zeros(row.size)
    np.add.at(
        counts, start[where.reshape(-1)] + pairs.row - offsets[heard[1][where.reshape(-1)]], pairs.heard
    )
    count, tried = np.bincount(place.reshape(-1), counts[some], both.shape[1]), np.zeros(both.shape[1])
    # rows that are alike share a relation, and the tokens of their input count once
    once = np.unique(
        [place.reshape(-1), np.repeat(np.arange(sizes.size), sizes)[some]], axis=1, return_index=True
    )[1]
    np.add.at(tried, place.reshape(-1)[once], trials[some][once])
    cells = _Cells(both[0], both[1].copy(), np.arange(count.size + 1), count.astype(float))
    nothing = np.empty((0, tableau.n_constraints)), np.zeros(1, np.int64)
    return _tokens(RANKING, pairs, *nothing, -np.inf, cells)._replace(
        plan=plan.arrays, active=plan.active, sides=_sides(plan), noise=noise, trials=tried
    )


def _sides(plan: Plan) -> NDArray[np.int8]:
    """Return what each active constraint favours in relations with one rival: 1 the winner, -1 the rival."""
    states, transitions, highest, _, below_offsets, below = plan.arrays
    found = np.zeros((states.size - 1, plan.active.size), np.int8)
    for r in np.flatnonzero(np.diff(states) == 1):
        moves = slice(transitions[states[r]], transitions[states[r] + 1])
        for start, end in zip(below_offsets[moves], below_offsets[moves.start + 1 :], strict=False):
            found[r, below[start:end]] = -1
        found[r, highest[moves]] = 1
    return found


class _Cells(NamedTuple):
    pair: NDArray[np.int64]
    cell: NDArray[np.int64]
    count_start: NDArray[np.int64]
    heard: NDArray[np.float64]


def _cells(pairs: Pairs, input_of_row: NDArray[np.int64], offsets: NDArray[np.int64]) -> _Cells:
    """Return the counts of all rows of each input of which a pair has tokens."""
    cells = np.array([pairs.pair, input_of_row[pairs.row]], np.int64).reshape(2, -1)
    both, place = np.unique(cells, axis=1, return_inverse=True)
    sizes = np.diff(offsets)[both[1]]
    start = np.concatenate([[0], np.cumsum(sizes)])
    count = np.zeros(int(start[-1]))
    np.add.at(count, start[place.reshape(-1)] + pairs.row - offsets[input_of_row[pairs.row]], pairs.heard)
    return _Cells(both[0], both[1].copy(), start, count)


def _tokens(
    kind: int,
    pairs: Pairs,
    violations: NDArray[np.float64],
    offsets: NDArray[np.int64],
    lowest: float,
    cells: _Cells,
) -> Tokens:
    empty = plan_of(Tableau.from_rows([("none", "only", 0, (0,))], ("none",)))
    of_pair = np.bincount(cells.pair, minlength=pairs.member.shape[1])
    start = np.concatenate([[0], np.cumsum(of_pair)]).astype(np.int64)
    data = (cells.cell, cells.count_start.astype(np.int64), cells.heard, np.empty(0))
    about = (empty.arrays, empty.active, np.zeros((0, 0), np.int8), pairs.member)
    return Tokens(kind, float(lowest), 1.0, violations, offsets.astype(np.int64), *about, start, *data)
