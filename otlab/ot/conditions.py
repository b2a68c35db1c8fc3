r"""What a ranking must satisfy for a candidate to win: one condition a rival, all at once.

The conjuncts of Lin (2005, section 5.1, Table 3), from :mod:`otlab.ot.ercs`. With
:math:`W_l` the constraints that prefer the candidate to its rival :math:`l` and
:math:`L_l` those that prefer the rival:

* Candidates with the same violations are one class: they share what it wins.
* :math:`L_l` empty: the conjunct always holds and is dropped.
* :math:`W_l` empty: :math:`l` *simply bounds* :math:`w`, which never wins.
* Every conjunct has a :math:`W_l` but no ranking satisfies all: *collectively
  bounded* (Samek-Lodovici & Prince 1999), never wins either.
* A conjunct implied by another one is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from otlab.errors import Fault, InputError
from otlab.ot.ercs import ERC, consistent, minimal_conflict, prune

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from otlab.ot.tableau import Tableau

__all__ = [
    "ERC",
    "Bounding",
    "Relation",
    "RelationArrays",
    "check_learnable",
    "format_relations",
    "relation_arrays",
    "relations",
]


@dataclass(frozen=True)
class Bounding:
    """Why a candidate never wins.

    Attributes
    ----------
    kind
        ``"simple"`` where single rivals are better throughout, ``"collective"`` where
        under every ranking one of several is.
    by
        Rows: every simple bounder, or a smallest-by-removal set of two or more that
        bounds together.
    """

    kind: Literal["simple", "collective"]
    by: tuple[int, ...]


@dataclass(frozen=True)
class Relation:
    """What the ranking must satisfy for one class of candidates to win.

    Attributes
    ----------
    input, row
        The input's number and the first row of the class.
    members
        All rows of the class: those with the same violations.
    count
        Observations of the class.
    conjuncts
        Pruned; empty where the class always wins, and where it never does.
    bounded
        Why it never wins; None if it can.
    """

    input: int
    row: int
    members: tuple[int, ...]
    count: int
    conjuncts: tuple[ERC, ...]
    bounded: Bounding | None


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
    return uncounted_relations(tableau, tableau.counts(total))


def uncounted_relations(tableau: Tableau, counts: NDArray[np.int64] | None = None) -> tuple[Relation, ...]:
    """Return every relation with these counts, or with none: for prediction they do not matter."""
    if counts is None:
        counts = np.zeros(tableau.n_rows, dtype=np.int64)
    found = []
    for k in range(len(tableau.inputs)):
        classes = _classes(tableau, k)
        for members in classes:
            conjuncts, bounded = _judge(
                _ercs(tableau, members[0], [c[0] for c in classes if c is not members])
            )
            count = int(counts[list(members)].sum())
            found.append(Relation(k, members[0], members, count, conjuncts, bounded))
    return tuple(found)


def _classes(tableau: Tableau, k: int) -> list[tuple[int, ...]]:
    """Return the rows of an input, those of equal violations together."""
    same: dict[bytes, list[int]] = {}
    for row in range(tableau.n_rows)[tableau.rows(k)]:
        same.setdefault(tableau.violations[row].tobytes(), []).append(row)
    return [tuple(rows) for rows in same.values()]


def _ercs(tableau: Tableau, row: int, rivals: Iterable[int]) -> list[ERC]:
    """Return the conjunct against each rival, as in Lin's Table 3."""
    own = tableau.violations[row]
    return [
        ERC(frozenset(np.flatnonzero(v > own).tolist()), frozenset(np.flatnonzero(own > v).tolist()), rival)
        for rival in rivals
        for v in [tableau.violations[rival]]
    ]


def _judge(ercs: Sequence[ERC]) -> tuple[tuple[ERC, ...], Bounding | None]:
    """Return the pruned conjuncts, or none of them and why they cannot hold."""
    simple = tuple(erc.rival for erc in ercs if not erc.winners)
    if simple:
        return (), Bounding("simple", simple)
    conjuncts = prune([erc for erc in ercs if erc.losers])
    if not consistent(conjuncts):
        return (), Bounding("collective", tuple(erc.rival for erc in minimal_conflict(conjuncts)))
    return conjuncts, None


def check_learnable(tableau: Tableau, found: Sequence[Relation]) -> None:
    """Refuse data of likelihood 0.

    Raises
    ------
    InputError
        Naming each observed candidate that can never win, and what bounds it.
    """
    faults = [
        Fault(
            f"{tableau.candidates[row]!r} of {tableau.inputs[relation.input]!r} is observed but can never"
            f" win: {_reason(tableau, relation.bounded)}",
            "set its frequency to 0 or correct the violations",
            file=tableau.name,
        )
        for relation in found
        if relation.bounded and relation.count
        for row in relation.members
        if tableau.frequencies[row] > 0
    ]
    if faults:
        raise InputError(faults)


def _reason(tableau: Tableau, bounded: Bounding) -> str:
    names = [repr(tableau.candidates[row]) for row in bounded.by]
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    if bounded.kind == "collective":
        return f"{listed} bound it together (under every ranking one of them is better)"
    return f"{listed} {'bound' if len(names) > 1 else 'bounds'} it (better wherever they differ)"


@dataclass(frozen=True)
class RelationArrays:
    """The relations a sampler augments, as arrays for kernels (compressed rows).

    Only those observed, not bounded and with conjuncts: R relations of C conjuncts.

    Attributes
    ----------
    n_constraints
        K.
    relations : int64 (R,)
        Their numbers in the tuple they come from.
    counts : int64 (R,)
        Observations.
    conjunct_offsets : int64 (R + 1,)
        Conjuncts of relation r are ``conjunct_offsets[r]:conjunct_offsets[r + 1]``.
    winner_offsets, loser_offsets : int64 (C + 1,)
        Of conjunct c into `winners` and `losers`.
    winners, losers : int64
        Constraints by number, rising within a conjunct.
    """

    n_constraints: int
    relations: NDArray[np.int64]
    counts: NDArray[np.int64]
    conjunct_offsets: NDArray[np.int64]
    winner_offsets: NDArray[np.int64]
    winners: NDArray[np.int64]
    loser_offsets: NDArray[np.int64]
    losers: NDArray[np.int64]


def relation_arrays(found: Sequence[Relation], n_constraints: int) -> RelationArrays:
    """Return the informative relations as arrays.

    >>> from otlab.ot import read
    >>> arrays = relation_arrays(relations(read("ilokano")), 3)
    >>> arrays.counts, arrays.conjunct_offsets, arrays.winners
    (array([33, 33, 33]), array([0, 2, 4, 5]), array([0, 1, 2, 1, 0]))
    """
    kept = [r for r, relation in enumerate(found) if relation.count and relation.conjuncts]
    conjuncts = [erc for r in kept for erc in found[r].conjuncts]
    return RelationArrays(
        n_constraints,
        np.array(kept, dtype=np.int64),
        np.array([found[r].count for r in kept], dtype=np.int64),
        offsets([len(found[r].conjuncts) for r in kept]),
        offsets([len(erc.winners) for erc in conjuncts]),
        np.array([i for erc in conjuncts for i in sorted(erc.winners)], dtype=np.int64),
        offsets([len(erc.losers) for erc in conjuncts]),
        np.array([i for erc in conjuncts for i in sorted(erc.losers)], dtype=np.int64),
    )


def offsets(sizes: Iterable[int]) -> NDArray[np.int64]:
    """Return where each of these consecutive blocks begins, and where the last ends."""
    return np.cumsum([0, *sizes], dtype=np.int64)


def format_relations(tableau: Tableau) -> str:
    """Return the conjuncts of every attested candidate with its p(d), Lin's Table 3 of his Table 2.

    Nothing is pruned: one conjunct a rival. p(d) is the share of all observations.

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
    everything = tableau.frequencies.sum()
    for k in range(len(tableau.inputs)):
        rows = range(tableau.n_rows)[tableau.rows(k)]
        for row in rows:
            if tableau.frequencies[row] > 0:
                ercs = _ercs(tableau, row, [r for r in rows if r != row])
                share = f"{tableau.frequencies[row] / everything:.4g}".removeprefix("0")
                blocks.append((tableau.candidates[row], [_formula(tableau, erc) for erc in ercs], share))
    return _aligned(blocks)


def _formula(tableau: Tableau, erc: ERC) -> str:
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
    first = max((len(name) for name, _, _ in blocks), default=0)
    second = max((len(line) for _, lines, _ in blocks for line in lines), default=0)
    rows = [
        (name if n == 0 else "", line, share if n == 0 else "")
        for name, lines, share in blocks
        for n, line in enumerate(lines or ["always: no rival"])
    ]
    return "\n".join(f"{name:<{first}}  {line:<{second}}  {share}".rstrip() for name, line, share in rows)
