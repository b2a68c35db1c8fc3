r"""Ordering relations: what a ranking must satisfy for a candidate to win.

Candidate :math:`w` beats a rival :math:`l` iff the highest constraint on which they differ
prefers :math:`w`: an elementary ranking condition (ERC, Prince 2002). With violations
:math:`v` and values :math:`y` to rank by,

.. math:: \max_{i \in W_l} y_i > \max_{i \in L_l} y_i, \quad
          W_l = \{i : v_{li} > v_{wi}\}, \; L_l = \{i : v_{wi} > v_{li}\}.

One such conjunct per rival makes the candidate's ordering relation (Lin 2005, section 5.1,
Table 3), with these simplifications:

* Candidates with the same violations form one class and share what it wins.
* :math:`L_l` empty: the conjunct always holds and is dropped.
* :math:`W_l` empty: :math:`l` *simply bounds* :math:`w`, which never wins.
* Every conjunct has a :math:`W_l` but no ranking satisfies them all: *collectively
  bounded* (Samek-Lodovici & Prince 1999), never wins either.
* A conjunct implied by another one is dropped.

Whether conjuncts are consistent is decided by recursive constraint demotion (Tesar &
Smolensky 2000): rank the constraints that no remaining conjunct demotes, remove the
conjuncts they satisfy, repeat.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import compress
from typing import TYPE_CHECKING, Literal

import numpy as np

from otlab.errors import Fault, InputError
from otlab.inference.run import check_interrupt, report_preparation
from otlab.ot.memo import PerTableau
from otlab.ot.overt import check_parses_can_win, overt_forms_of, parses_unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from otlab.ot.tableau import Tableau

__all__ = [
    "ERC",
    "Bounding",
    "Relation",
    "check_learnable",
    "consistent",
    "format_relations",
    "identical_rows",
    "impossible_rows",
    "impossible_words",
    "known_relations",
    "minimal_conflict",
    "observed_relations",
    "prune",
    "relations",
    "row_ercs",
    "uncounted_relations",
    "without_impossible",
]

INPUTS_AT_ONCE = 64  # processed between two checks of the stop signal
IMPLIED_AT_ONCE = 1024  # conjuncts compared with all others, which bounds memory


@dataclass(frozen=True)
class ERC:
    """One conjunct: the highest of `winners` must be ranked above the highest of `losers`.

    Attributes
    ----------
    winners, losers
        Constraints by number: those that prefer the winner, and those that prefer the rival.
    rival
        The row of the rival; ignored by equality.

    Examples
    --------
    >>> from otlab.ot import format_relations, read
    >>> print(format_relations(read("ilokano")))
    bu.bwa.ja    *C-ONS > I_BR           .3333
                 AL > max{*C-ONS, I_BR}
    bwaj.bwa.ja  I_BR > *C-ONS           .3333
                 AL > *C-ONS
    bub.wa.ja    max{*C-ONS, I_BR} > AL  .3333
                 *C-ONS > AL
    """

    winners: frozenset[int]
    losers: frozenset[int]
    rival: int = field(default=-1, compare=False)

    def implies(self, other: ERC) -> bool:
        """Return whether every ranking that satisfies this satisfies the other."""
        return self.winners <= other.winners and self.losers >= other.losers


@dataclass(frozen=True)
class Bounding:
    """The rivals that keep a candidate from ever winning.

    Attributes
    ----------
    kind
        ``"simple"`` if a single rival is at least as good on every constraint,
        ``"collective"`` if under every ranking one of several rivals is better.
    by
        Rows: every simple bounder, or two or more that bound together, none of which can be
        left out.
    """

    kind: Literal["simple", "collective"]
    by: tuple[int, ...]


@dataclass(frozen=True)
class Relation:
    """Ordering relation of one class of candidates: the conjuncts that must hold for it to win.

    Attributes
    ----------
    input, row
        The input's number and the first row of the class.
    members
        All rows of the class: those with the same violations.
    count
        Observations of the class.
    conjuncts
        Pruned; empty if the class always wins, and if it never does.
    bounded
        Why it never wins; None if it can.
    """

    input: int
    row: int
    members: tuple[int, ...]
    count: int
    conjuncts: tuple[ERC, ...]
    bounded: Bounding | None

    @property
    def sites(self) -> tuple[int, ...]:
        """The constraints that occur in any conjunct, by number, in order."""
        return tuple(sorted(frozenset().union(*(erc.winners | erc.losers for erc in self.conjuncts))))


def relations(tableau: Tableau, total: int | None = None) -> tuple[Relation, ...]:
    """Return the relation of every class of every input, in the order of their first rows.

    Parameters
    ----------
    tableau, total
        As for :meth:`Tableau.counts <otlab.ot.tableau.Tableau.counts>`.

    Raises
    ------
    InputError
        If the frequencies are no counts and there is no total.

    Examples
    --------
    >>> from otlab.ot import read
    >>> [len(r.conjuncts) for r in relations(read("ilokano"))]
    [2, 2, 1]
    """
    counts = tableau.counts(total).tolist()
    return tuple(
        Relation(r.input, r.row, r.members, sum(counts[row] for row in r.members), r.conjuncts, r.bounded)
        for r in uncounted_relations(tableau)
    )


def uncounted_relations(tableau: Tableau) -> tuple[Relation, ...]:
    """Return every relation with count 0: predictions do not depend on the counts.

    They are computed at the first call and kept while the tableau lives.
    """
    return _relations_of(tableau)


def known_relations(tableau: Tableau) -> tuple[Relation, ...] | None:
    """Return what :func:`uncounted_relations` does if that is known already, else None."""
    return _relations_of.known(tableau)


def _lay_out(tableau: Tableau) -> Iterator[Relation]:
    """Yield the relation of every class of every input, with count 0."""
    sides = _Sides()
    for k in range(len(tableau.inputs)):
        if k % INPUTS_AT_ONCE == 0:
            check_interrupt()
            report_preparation("rankings of input", k, len(tableau.inputs))
        classes = identical_rows(tableau, k)
        for members in classes:
            rivals = [other[0] for other in classes if other is not members]
            conjuncts, bounded = _simplify(tableau, members[0], np.array(rivals, np.int64), sides)
            yield Relation(k, members[0], members, 0, conjuncts, bounded)


_relations_of = PerTableau(lambda tableau: tuple(_lay_out(tableau)))


class _Sides(dict[bytes, frozenset[int]]):
    """The set of constraints of each pattern of truth values met so far; few differ."""

    def __missing__(self, pattern: bytes) -> frozenset[int]:
        self[pattern] = side = frozenset(i for i, here in enumerate(pattern) if here)
        return side


def identical_rows(tableau: Tableau, k: int) -> list[tuple[int, ...]]:
    """Return the rows of an input, grouped by equal violations."""
    same: dict[bytes, list[int]] = {}
    for row in range(tableau.n_rows)[tableau.rows(k)]:
        same.setdefault(tableau.violations[row].tobytes(), []).append(row)
    return [tuple(rows) for rows in same.values()]


def row_ercs(tableau: Tableau, row: int, rivals: Sequence[int], sides: _Sides | None = None) -> list[ERC]:
    """Return the conjunct of a row against each rival, none left out, as in Lin's Table 3."""
    sides = _Sides() if sides is None else sides
    own, others = tableau.violations[row], tableau.violations[list(rivals)]
    return [
        ERC(sides[winners.tobytes()], sides[losers.tobytes()], rival)
        for winners, losers, rival in zip(others > own, others < own, rivals, strict=True)
    ]


def _simplify(
    tableau: Tableau, row: int, rivals: NDArray[np.int64], sides: _Sides
) -> tuple[tuple[ERC, ...], Bounding | None]:
    """Return the pruned conjuncts of a row against its rivals, or no conjuncts and what bounds it."""
    difference = np.sign(tableau.violations[rivals] - tableau.violations[row]).astype(np.int8)
    simple = rivals[(difference <= 0).all(axis=1)]
    if simple.size:
        return (), Bounding("simple", tuple(simple.tolist()))
    signs = difference.view(f"V{difference.shape[1]}").ravel().tolist()
    first = {here: n for n, here in reversed([*enumerate(signs)])}  # of equal ones
    distinct = np.array([*reversed(first.values())], np.int64)
    distinct = distinct[(difference[distinct] < 0).any(axis=1)]
    needed = distinct[~_implied(difference[distinct] > 0, difference[distinct] < 0)]
    conjuncts = tuple(row_ercs(tableau, row, rivals[needed].tolist(), sides))
    if not consistent(conjuncts):
        return (), Bounding("collective", tuple(erc.rival for erc in minimal_conflict(conjuncts)))
    return conjuncts, None


def prune(ercs: Sequence[ERC]) -> tuple[ERC, ...]:
    """Return the conjuncts that no other one implies; of equal ones the first."""
    unique = list({(erc.winners, erc.losers): erc for erc in reversed(ercs)}.values())[::-1]
    if len(unique) < 2:
        return tuple(unique)
    constraints = sorted(frozenset().union(*(erc.winners | erc.losers for erc in unique)))
    winners = np.array([[i in erc.winners for i in constraints] for erc in unique])
    losers = np.array([[i in erc.losers for i in constraints] for erc in unique])
    return tuple(compress(unique, ~_implied(winners, losers)))


def _implied(winners: NDArray[np.bool_], losers: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of some distinct conjuncts are implied by another one.

    Parameters
    ----------
    winners, losers : bool (conjuncts, K)
        Whether each constraint is among those of a conjunct.
    """
    # A conjunct implies another one if its winners are among the other's and its losers contain the other's.
    sides = np.packbits(np.hstack([winners, ~losers]), axis=1)
    words = np.pad(sides, ((0, 0), (0, -sides.shape[1] % 8))).view(np.uint64)
    implied = np.zeros(len(words), bool)
    for start in range(0, len(words), IMPLIED_AT_ONCE):
        some = words[start : start + IMPLIED_AT_ONCE]
        differs = np.zeros((len(words), len(some)), bool)
        for own, other in zip(words.T, some.T, strict=True):
            differs |= (own[:, None] & ~other) != 0
        implied[start : start + len(some)] = (~differs).sum(axis=0) > 1  # each implies itself
    return implied


def consistent(ercs: Iterable[ERC]) -> bool:
    """Return whether some ranking satisfies all conjuncts (recursive constraint demotion)."""
    remaining = list(ercs)
    while remaining:
        demoted = frozenset().union(*(erc.losers for erc in remaining))
        unsatisfied = [erc for erc in remaining if erc.winners <= demoted]
        if len(unsatisfied) == len(remaining):
            return False
        remaining = unsatisfied
    return True


def minimal_conflict(ercs: Sequence[ERC]) -> list[ERC]:
    """Return inconsistent conjuncts that become consistent if any one of them is removed."""
    needed = list(ercs)
    for erc in ercs:
        without = [other for other in needed if other is not erc]
        if not consistent(without):
            needed = without
    return needed


def observed_relations(tableau: Tableau, total: int | None = None) -> tuple[Relation, ...]:
    """Return the relations of observed candidates; those that always hold are left out.

    There are none where the parses of observed overt forms are not known.

    Raises
    ------
    InputError
        For data of likelihood 0: naming the observed candidates, or overt forms, that can never win.
    """
    if parses_unknown(tableau):
        can_win = np.zeros(tableau.n_rows, bool)
        for relation in uncounted_relations(tableau):
            can_win[list(relation.members)] = relation.bounded is None
        check_parses_can_win(tableau, can_win)
        return ()
    every = relations(tableau, total)
    check_learnable(tableau, every)
    return tuple(relation for relation in every if relation.count and relation.conjuncts)


def check_learnable(tableau: Tableau, every: Sequence[Relation]) -> None:
    """Refuse data of likelihood 0.

    Raises
    ------
    InputError
        Naming each observed candidate that can never win, and what bounds it.

    Examples
    --------
    >>> from otlab.ot import read
    >>> tableau = read("harmonic_bounding_demo")
    >>> check_learnable(tableau, relations(tableau))
    Traceback (most recent call last):
        ...
    otlab.errors.InputError: harmonic_bounding_demo: 'bounded' of 'x' is observed but can never win...
    """
    hint = "set its frequency to 0 or correct the violations"
    faults = [Fault(what, hint, file=tableau.name) for what in impossible_words(tableau, every)]
    if faults:
        raise InputError(faults)


def impossible_rows(tableau: Tableau, every: Sequence[Relation] | None = None) -> list[tuple[int, Relation]]:
    """Return every observed candidate that can never win, with what bounds it.

    Where it shares its overt form with others, none of these can win either.

    Parameters
    ----------
    tableau
        Its frequencies say what was observed.
    every
        Its relations, if they are known.
    """
    every = uncounted_relations(tableau) if every is None else every
    can_win = np.zeros(tableau.n_rows)
    for relation in every:
        can_win[list(relation.members)] = relation.bounded is None
    if tableau.overt:
        forms = overt_forms_of(tableau)
        can_win = forms.sums(can_win)[forms.of_row]
    return [
        (row, relation)
        for relation in every
        if relation.bounded
        for row in relation.members
        if tableau.frequencies[row] > 0 and not can_win[row]
    ]


def without_impossible(tableau: Tableau) -> Tableau:
    """Return the tableau with the counts of candidates that were observed but can never win set to 0."""
    rows = [row for row, _ in impossible_rows(tableau)]
    if not rows:
        return tableau
    frequencies = tableau.frequencies.copy()
    frequencies[rows] = 0
    groups = tableau.groups and tableau.groups.without(rows)
    return replace(tableau, frequencies=frequencies, groups=groups)


def impossible_words(tableau: Tableau, every: Sequence[Relation] | None = None) -> list[str]:
    """Return a clause for each observed candidate that can never win, with what bounds it."""
    return [
        f"{tableau.candidates[row]!r} of {tableau.inputs[relation.input]!r} is observed but can never"
        f" win: {_reason(tableau, relation.bounded)}"
        for row, relation in impossible_rows(tableau, every)
        if relation.bounded
    ]


def _reason(tableau: Tableau, bounded: Bounding) -> str:
    """Return a clause that names the bounding rivals."""
    names = [repr(tableau.candidates[row]) for row in bounded.by]
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    if bounded.kind == "collective":
        return f"{listed} bound it together (under every ranking one of them is better)"
    return f"{listed} {'bound' if len(names) > 1 else 'bounds'} it (better wherever they differ)"


def format_relations(tableau: Tableau) -> str:
    """Return the conjuncts of every attested candidate with its p(d), as in Lin's Table 3.

    Nothing is pruned: one conjunct per rival. p(d) is the share of all observations.

    >>> from otlab.ot import read
    >>> print(format_relations(read("lin2005_table2")))
    y11   C1 > max{C2, C4}            .4
          max{C3, C5} > C4
          C3 > max{C2, C4}
    y12   max{C2, C4} > C1            .3
          max{C2, C3, C5} > C1
          C3 > C1
    y21   max{C3, C4, C5} > max{C1, C2}   .3
    """
    blocks: list[tuple[str, list[str], str]] = []
    observations = tableau.frequencies.sum()
    for k in range(len(tableau.inputs)):
        rows = range(tableau.n_rows)[tableau.rows(k)]
        for row in rows:
            if tableau.frequencies[row] > 0:
                ercs = row_ercs(tableau, row, [r for r in rows if r != row])
                share = f"{tableau.frequencies[row] / observations:.4g}".removeprefix("0")
                blocks.append((tableau.candidates[row], [_formula(tableau, erc) for erc in ercs], share))
    return _aligned(blocks)


def _formula(tableau: Tableau, erc: ERC) -> str:
    """Return a conjunct as ``C1 > max{C2, C4}``, or in words if one side is empty."""
    rival = tableau.candidates[erc.rival]
    if not erc.winners:
        return f"never: {rival} is better" if erc.losers else f"tied with {rival}"
    if not erc.losers:
        return f"always: better than {rival}"
    return f"{_highest(tableau, erc.winners)} > {_highest(tableau, erc.losers)}"


def _highest(tableau: Tableau, side: frozenset[int]) -> str:
    names = [tableau.constraints[i] for i in sorted(side)]
    return names[0] if len(names) == 1 else f"max{{{', '.join(names)}}}"


def _aligned(blocks: Sequence[tuple[str, list[str], str]]) -> str:
    """Return blocks of (name, lines, share) as text in three columns."""
    name_width = max((len(name) for name, _, _ in blocks), default=0)
    line_width = max((len(line) for _, lines, _ in blocks for line in lines), default=0)
    rows = [
        (name if n == 0 else "", line, share if n == 0 else "")
        for name, lines, share in blocks
        for n, line in enumerate(lines or ["always: no rival"])
    ]
    return "\n".join(
        f"{name:<{name_width}}  {line:<{line_width}}  {share}".rstrip() for name, line, share in rows
    )
