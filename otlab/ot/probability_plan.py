r"""Plan of the integrals behind the exact probabilities, compiled once per tableau.

Constraints are consulted from the highest to the lowest. The state is the set :math:`U` of
rivals not beaten yet. Every constraint that distinguishes the winner from one of them,
:math:`R(U) = \bigcup_{l \in U} W_l \cup L_l`, is ranked below those consulted so far, so the
state needs nothing else. The highest of them may be any :math:`i \in R(U)` that is in no
:math:`L_l`; it leads to :math:`V = U \setminus \{l : i \in W_l\}`, and the constraints of
:math:`R(U) \setminus R(V) \setminus \{i\}` may be ranked anywhere below it.

::

    y1 wins iff  C1 > C3,  C2 > C3          {1,2} --C1--> {2} --C2--> {}
                                              '-----C2--> {1} --C1---^

The empty set has the number -1. States from which it cannot be reached are deleted: if they
counted as won, a bounded candidate would get probability 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import groupby
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.inference.run import check_interrupt, report_preparation
from otlab.ot.conditions import INPUTS_AT_ONCE, uncounted_relations
from otlab.ot.kernels.probability import PlanArrays
from otlab.ot.memo import PerTableau

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from otlab.ot.conditions import ERC
    from otlab.ot.tableau import Tableau

__all__ = ["TRANSITION_CAP", "Plan", "compile_plan", "plan_of"]

# If one relation has more transitions, sampling is faster.
TRANSITION_CAP = 20_000

NEVER, ALWAYS = 0, 1  # the first two entries of every plan: probability 0, and 1
WON = -1  # the empty set of rivals


class Transition(NamedTuple):
    """The highest remaining constraint, the state it leads to, and the constraints free to be below it.

    Sets of constraints and of rivals are the bits of integers.
    """

    constraint: int
    target: int
    below: int


@dataclass(frozen=True, eq=False)
class Plan:
    """Which integral gives the probability of each candidate, and the integrals as arrays.

    Entries 0 and 1 stand for "never" and "always"; entries from 2 on are the distinct
    relations in between, R of them.

    Attributes
    ----------
    entry : int64 (rows,)
        Each candidate's entry.
    share : float64 (rows,)
        One over the size of its class of identical candidates.
    active : int64 (A,)
        The constraints that any relation mentions; `arrays` number the constraints by it.
    arrays
        States and transitions of the relations.
    sampled : tuple of int
        Inputs with a relation of more than :data:`TRANSITION_CAP` transitions.
    """

    entry: NDArray[np.int64]
    share: NDArray[np.float64]
    active: NDArray[np.int64]
    arrays: PlanArrays
    sampled: tuple[int, ...]

    @property
    def n_relations(self) -> int:
        """Number of relations to integrate, R."""
        return self.arrays.states.size - 1


def plan_of(tableau: Tableau, cap: int = TRANSITION_CAP) -> Plan:
    """Return the plan of a tableau, compiled at the first call and kept while the tableau lives.

    Parameters
    ----------
    tableau, cap
        As for :func:`compile_plan`; `cap` counts at the first call only.
    """
    return _plan_of(tableau, cap)


def compile_plan(tableau: Tableau, cap: int = TRANSITION_CAP) -> Plan:
    """Return the plan of a tableau.

    Parameters
    ----------
    tableau
        Its frequencies are not used.
    cap
        Most transitions of a relation; if it needs more, its input is sampled instead.
    """
    entry = np.zeros(tableau.n_rows, dtype=np.int64)
    share = np.ones(tableau.n_rows)
    known: dict[frozenset[ERC], int] = {frozenset(): ALWAYS}
    relations: list[list[list[Transition]]] = []
    sampled: list[int] = []
    for k, group in groupby(uncounted_relations(tableau), key=lambda relation: relation.input):
        if k % INPUTS_AT_ONCE == 0:
            check_interrupt()
            report_preparation("probabilities of input", k, len(tableau.inputs))
        classes = list(group)
        for relation in classes:
            share[list(relation.members)] = 1.0 / len(relation.members)
        possible = {r: frozenset(r.conjuncts) for r in classes if r.bounded is None}
        new = _all_states([key for key in possible.values() if key not in known], cap)
        if new is None:
            sampled.append(k)
            continue
        for key, states in new.items():
            known[key] = ALWAYS + 1 + len(relations)
            relations.append(states)
        for relation, key in possible.items():
            entry[list(relation.members)] = known[key]
    return _pack(entry, share, relations, tuple(sampled), tableau.n_constraints)


_plan_of = PerTableau(compile_plan)


def _all_states(
    keys: Iterable[frozenset[ERC]], cap: int
) -> dict[frozenset[ERC], list[list[Transition]]] | None:
    """Return the states of each relation of an input; None as soon as one has too many transitions."""
    states_of = {}
    for key in keys:
        states = _states(sorted(key, key=lambda erc: erc.rival), cap)
        if states is None:
            return None
        states_of[key] = states
    return states_of


def _states(conjuncts: Sequence[ERC], cap: int) -> list[list[Transition]] | None:
    """Return the transitions of every state of one relation; None if there are too many."""
    graph = _explore(conjuncts, cap)
    if graph is None:
        return None
    number = {0: WON}
    needs = {0: 0}
    states: list[list[Transition]] = []
    mentioned = [sum(1 << i for i in erc.winners | erc.losers) for erc in conjuncts]
    for state in sorted(graph, key=int.bit_count):
        needs[state] = reduce(or_, (mentioned[n] for n in _bits(state)))
        moves = [
            Transition(i, number[target], needs[state] & ~needs[target] & ~(1 << i))
            for i, target in graph[state]
            if target in number
        ]
        if moves:
            number[state] = len(states)
            states.append(moves)
    return states


def _explore(conjuncts: Sequence[ERC], cap: int) -> dict[int, list[tuple[int, int]]] | None:
    """Return the (constraint, target) pairs of every reachable state, dead ends included."""
    constraints = sorted(frozenset().union(*(erc.winners for erc in conjuncts)))
    prefer = {i: sum(1 << n for n, erc in enumerate(conjuncts) if i in erc.winners) for i in constraints}
    oppose = {i: sum(1 << n for n, erc in enumerate(conjuncts) if i in erc.losers) for i in constraints}
    full = (1 << len(conjuncts)) - 1
    graph: dict[int, list[tuple[int, int]]] = {}
    waiting, transitions = [full], 0
    while waiting:
        state = waiting.pop()
        if state in graph or not state:
            continue
        moves = [(i, state & ~prefer[i]) for i in constraints if prefer[i] & state and not oppose[i] & state]
        graph[state] = moves
        waiting += [target for _, target in moves]
        transitions += len(moves)
        if transitions > cap:
            return None
    return graph


def _bits(number: int) -> Iterable[int]:
    """Yield the positions of the bits that are 1, from the lowest."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def _pack(
    entry: NDArray[np.int64],
    share: NDArray[np.float64],
    relations: Sequence[Sequence[Sequence[Transition]]],
    sampled: tuple[int, ...],
    n_constraints: int,
) -> Plan:
    """Return states and transitions as the arrays of a plan."""
    states = [state for relation in relations for state in relation]
    moves = [move for state in states for move in state]
    constraint = np.array([move.constraint for move in moves], dtype=np.int64)
    below = _members([move.below for move in moves], n_constraints)
    mentioned: NDArray[np.bool_] = np.any(below, axis=0)
    mentioned[constraint] = True
    index = np.cumsum(mentioned) - 1
    arrays = PlanArrays(
        states=_offsets(map(len, relations)),
        transitions=_offsets(map(len, states)),
        constraint=index[constraint],
        target=np.array([move.target for move in moves], dtype=np.int64),
        below_offsets=_offsets(below.sum(axis=1)),
        below=index[np.nonzero(below)[1]],
    )
    return Plan(entry, share, np.flatnonzero(mentioned), arrays, sampled)


def _members(sets: Sequence[int], size: int) -> NDArray[np.bool_]:
    """Return which of `size` members each set of bits has, bool (sets, size)."""
    width = size // 8 + 1
    packed = np.frombuffer(b"".join(bits.to_bytes(width, "little") for bits in sets), dtype=np.uint8)
    return np.unpackbits(packed.reshape(len(sets), width), axis=1, count=size, bitorder="little").astype(bool)


def _offsets(sizes: Iterable[int]) -> NDArray[np.int64]:
    """Return where each of these consecutive blocks begins, and where the last ends."""
    return np.cumsum([0, *sizes], dtype=np.int64)
