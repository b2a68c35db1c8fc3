"""Candidates that generate themselves: tables from inputs and formulas, and candidates that were forgotten.

:mod:`otlab.forms.gen` makes the candidates; formulas count them; those that are harmonically bounded in their
set can be left out.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import Fault, InputError, quoted
from otlab.forms import Forms, parse_formula, segments
from otlab.forms.gen import MOST
from otlab.ot.conditions import uncounted_relations
from otlab.ot.formula_columns import Formulas, bare_form
from otlab.ot.tableau import Tableau

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from otlab.forms.features import FeatureTable
    from otlab.forms.formula import Formula
    from otlab.forms.gen import Gen

__all__ = ["Forgotten", "could_win", "forgotten", "generated_tableau", "with_candidates"]

_AT_ONCE = 64  # candidates that are counted together in a search
_BETWEEN = 256  # candidates that are counted, some 20 ms, before a Cancel is looked for


def generated_tableau(
    inputs: Sequence[str],
    formulas: Sequence[str],
    gen: Gen,
    *,
    undominated: bool = False,
    features: str = "",
    tiers: str = "",
) -> tuple[Tableau, tuple[str, ...]]:
    """Return a tableau of generated candidates, and the inputs that had more than the cap of 5,000.

    Parameters
    ----------
    inputs
        Underlying forms.
    formulas
        One per constraint; also their names.
    gen
        The operations.
    undominated
        Whether candidates that are harmonically bounded in their set are left out.
    features, tiers
        A feature table and tiers of one's own, as text.

    Raises
    ------
    InputError
        If a formula is wrong or cannot be counted, or there is nothing to generate from.

    Examples
    --------
    >>> from otlab.forms.gen import parse_operations
    >>> gen = parse_operations("delete,change:voice")
    >>> generated_tableau(["ad"], ["*[+voice,-son]#", "Max", "Ident"], gen, undominated=True)[0]
    /ad/  freq  *[+voice,-son]#  Max  Ident
    ad       0                1
    a        0                     1
    at       0                            1
    """
    own = Formulas(tuple(formulas), features=features, tiers=tiers)
    capped, rows = [], []
    for source in inputs:
        found = gen.candidates(source)
        if found.capped:
            capped.append(source)
        names = list(found.candidates)
        counts = _counted(source, names, own.table, _parsed(own))
        kept = could_win(counts) if undominated else np.ones(len(names), bool)
        rows += [
            (source, name, 0.0, row)
            for name, row, keep in zip(names, counts.tolist(), kept, strict=True)
            if keep
        ]
    if not rows:
        raise InputError("there is no input to generate candidates of; write one")
    tableau = Tableau.from_rows(rows, list(formulas), formulas=own)
    return tableau, tuple(capped)


def with_candidates(
    tableau: Tableau,
    k: int,
    gen: Gen,
    *,
    undominated: bool = False,
    go_on: Callable[[], None] = lambda: None,
) -> tuple[Tableau, int, bool]:
    """Return the tableau with generated candidates of an input, how many were added, and whether capped.

    Parameters
    ----------
    tableau
        Every constraint has a formula.
    k
        Number of the input.
    gen
        The operations.
    undominated
        Whether only candidates are added that could win: not bounded among old and new ones.
    go_on
        Called every few milliseconds; what it raises ends the work.

    Raises
    ------
    InputError
        If a constraint has no formula, or cannot be counted.
    """
    formulas = _all_formulas(tableau)
    source, there = tableau.inputs[k], tableau.candidates[tableau.rows(k)]
    found = gen.candidates(bare_form(source), go_on=go_on)
    known = {*map(bare_form, there)}
    new = [name for name in found.candidates if name not in known]
    parsed, parts = _parsed(formulas), [np.empty((0, tableau.n_constraints), np.int64)]
    for n in range(0, len(new), _BETWEEN):
        go_on()
        parts.append(_counted(source, new[n : n + _BETWEEN], formulas.table, parsed))
    counts = np.concatenate(parts)
    if undominated and new:
        together = np.concatenate([tableau.violations[tableau.rows(k)], counts])
        kept = could_win(together, go_on)[len(there) :]
        new = [name for name, keep in zip(new, kept, strict=True) if keep]
        counts = counts[kept]
    return _inserted(tableau, k, new, counts), len(new), found.capped


def _inserted(tableau: Tableau, k: int, names: Sequence[str], counts: NDArray[np.int64]) -> Tableau:
    """Return the tableau with further candidates of an input, in one step."""
    at, n = int(tableau.offsets[k + 1]), len(names)
    rows = [*range(at), *([-1] * n), *range(at, tableau.n_rows)]
    return replace(
        tableau,
        candidates=(*tableau.candidates[:at], *names, *tableau.candidates[at:]),
        offsets=np.concatenate([tableau.offsets[: k + 1], tableau.offsets[k + 1 :] + n]),
        violations=np.insert(tableau.violations, at, counts.reshape(n, -1), axis=0)
        if n
        else tableau.violations,
        frequencies=np.insert(tableau.frequencies, [at] * n, 0.0),
        overt=(*tableau.overt[:at], *([""] * n), *tableau.overt[at:]) if tableau.overt else (),
        formulas=tableau.formulas and tableau.formulas.with_rows(rows),
        groups=tableau.groups and tableau.groups.with_rows(rows),
    )


def could_win(violations: NDArray[np.int64], go_on: Callable[[], None] = lambda: None) -> NDArray[np.bool_]:
    """Return which candidates are bounded neither by another one nor by several together, bool (rows,).

    `go_on` is called for each of them; what it raises ends the work.

    >>> could_win(np.array([[1, 0], [0, 1], [1, 1]])).tolist()
    [True, True, False]
    """
    different, of_row = np.unique(violations, axis=0, return_inverse=True)
    kept = np.empty(len(different), bool)
    for n, row in enumerate(different):
        go_on()
        kept[n] = not _is_bounded(row, different)
    survivors = different[kept]
    rows = [("x", str(n), 0.0, row) for n, row in enumerate(survivors.tolist())]
    table = Tableau.from_rows(rows, [str(n) for n in range(violations.shape[1])])
    bounded = [row for relation in uncounted_relations(table) if relation.bounded for row in relation.members]
    places = np.flatnonzero(kept)
    kept[places[bounded]] = False
    found: NDArray[np.bool_] = kept[of_row.reshape(-1)]
    return found


def _is_bounded(row: NDArray[np.int64], others: NDArray[np.int64]) -> bool:
    return bool(((others <= row).all(axis=1) & (others < row).any(axis=1)).any())


def _parsed(formulas: Formulas) -> list[Formula]:
    return [parse_formula(text, formulas.table, formulas.named_tiers) for text in formulas.texts]


def _counted(
    source: str, names: Sequence[str], table: FeatureTable, formulas: Sequence[Formula]
) -> NDArray[np.int64]:
    """Return the violations of candidates of one input, int64 (candidates, constraints)."""
    forms = Forms([bare_form(source)] * len(names), [*map(bare_form, names)], table)
    columns = [forms.count(formula).counts for formula in formulas]
    return np.stack(columns, axis=1) if columns else np.empty((len(names), 0), np.int64)


def _all_formulas(tableau: Tableau) -> Formulas:
    texts = tableau.formulas.texts if tableau.formulas else ("",) * tableau.n_constraints
    missing = [name for name, text in zip(tableau.constraints, texts, strict=True) if not text]
    if missing:
        names = ", ".join(map(quoted, missing))
        raise InputError(
            Fault(f"new candidates cannot be counted: {names} has no formula", "write one for each")
        )
    assert tableau.formulas is not None
    return tableau.formulas


@dataclass(frozen=True)
class Forgotten:
    """A candidate that is not in the table and beats the winner.

    Attributes
    ----------
    candidate
        As written.
    violations : int64 (K,)
        Its violations.
    winner
        The candidate that it beats.
    """

    candidate: str
    violations: NDArray[np.int64]
    winner: str


def forgotten(
    tableau: Tableau,
    k: int,
    gen: Gen,
    penalty: Callable[[NDArray[np.int64]], tuple[float, ...]],
    *,
    most: int = 5,
    looked_at: int = MOST,
) -> tuple[list[Forgotten], int]:
    """Return candidates that beat the attested winner of an input and are not in the table.

    Best-first search: the best forms found so far are changed next, so that distant forms are reached where
    every step pays. Some dozens are counted at once: that costs little more than one.

    Parameters
    ----------
    tableau
        Every constraint has a formula.
    k
        Number of the input.
    gen
        The operations.
    penalty
        Violations of one candidate -> what is compared, less is better (:func:`by_ranking`,
        :func:`by_weights`).
    most
        How many are returned, the best first.
    looked_at
        How many candidates are looked at.

    Returns
    -------
    list of Forgotten, int
        What beats the winner, and how many candidates were looked at.

    Raises
    ------
    InputError
        If a constraint has no formula, or cannot be counted.
    """
    formulas = _all_formulas(tableau)
    parsed = _parsed(formulas)
    rows = tableau.rows(k)
    there = {*map(bare_form, tableau.candidates[rows])}
    best_row = int(np.argmax(tableau.frequencies[rows])) + rows.start
    if not tableau.frequencies[rows].any():
        best_row = min(range(tableau.n_rows)[rows], key=lambda row: penalty(tableau.violations[row]))
    limit = penalty(tableau.violations[best_row])
    source = segments(bare_form(tableau.inputs[k]), formulas.table)
    front: list[tuple[tuple[float, ...], int, tuple[str, ...]]] = [((), 0, source)]
    seen, looked = {source}, 0
    beaten: dict[str, tuple[tuple[float, ...], NDArray[np.int64]]] = {}
    while front and looked < looked_at:
        batch = [(0, source)] if not looked else []
        while front and len(batch) < _AT_ONCE:
            _, steps, form = heapq.heappop(front)
            fresh = {other: None for _, other in gen.neighbours(form) if other not in seen}
            seen.update(fresh)
            batch += [(steps + 1, other) for other in fresh]
        written = [(*one, text) for one in batch for text in gen.structures(one[1])][: looked_at - looked]
        if not written:
            continue
        counts = _counted(tableau.inputs[k], [text for _, _, text in written], formulas.table, parsed)
        looked += len(written)
        for (steps, form, text), violations in zip(written, counts, strict=True):
            cost = penalty(violations)
            if cost < limit and text not in there:
                beaten[text] = cost, violations
            if form != source:
                heapq.heappush(front, (cost, steps, form))
    order = sorted(beaten, key=lambda text: beaten[text][0])[:most]
    winner = tableau.candidates[best_row]
    return [Forgotten(text, beaten[text][1], winner) for text in order], looked


def by_weights(weights: Sequence[float]) -> Callable[[NDArray[np.int64]], tuple[float, ...]]:
    """Return the penalty under weights: the weighted sum of the violations."""
    own = np.asarray(weights, np.float64)
    return lambda violations: (round(float(violations @ own), 9),)


def by_ranking(order: Sequence[int]) -> Callable[[NDArray[np.int64]], tuple[float, ...]]:
    """Return the penalty under a ranking: the violations from the highest constraint down."""
    columns = list(order)
    return lambda violations: tuple(violations[columns].tolist())
