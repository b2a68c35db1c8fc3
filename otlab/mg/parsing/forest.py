"""The packed forest of a sentence, which represents all derivations without enumerating them."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from otlab.errors import InputError
from otlab.mg.kernels.pick import best_scores, sample
from otlab.mg.kernels.weights import UNSOLVED, inside, outside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from otlab.mg.features import Feature
    from otlab.mg.kernels.forest import Nodes

__all__ = ["Forest", "Slot", "too_heavy"]

# Decimals of the priorities; of equal ones, the most complete derivation is extended first.
_TIE_DIGITS = 10
_LARGEST_EXACT_FLOAT = 2.0**53
_LONGEST_SEQUENCE = 10_000


class Slot(NamedTuple):
    """A place for a lexical item in a forest.

    Attributes
    ----------
    position, length
        Position and number of the words that it covers; -1 and 0 for a silent item.
    features
        The item's features, which identify the item together with the words.
    """

    position: int
    length: int
    features: tuple[Feature, ...]


@dataclass(frozen=True)
class Forest:
    """All derivations of one sentence.

    Attributes
    ----------
    nodes : Nodes
        Nodes of the forest, children before parents, the root last.
    ways
        Number of derivations as a float; infinite with a loop, or if it is too large for a float.
    name_slots
        Function that returns the slots in the order of their numbers; called at most once.
    """

    nodes: Nodes
    ways: float
    name_slots: Callable[[], Sequence[Slot]]

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """The slots, in the order of their numbers."""
        return tuple(self.name_slots())

    @property
    def size(self) -> int:
        """Number of nodes; 0 if there is no derivation."""
        return len(self.nodes.loop)

    @cached_property
    def loops(self) -> list[range]:
        """Cyclic components of the forest, as ranges of nodes."""
        starts = np.flatnonzero(self.nodes.loop)
        return [range(v, v + int(self.nodes.loop[v])) for v in starts]

    @cached_property
    def derivations(self) -> float | int:
        """Number of derivations, an exact integer or ``inf``."""
        if self.ways < _LARGEST_EXACT_FLOAT:
            return int(self.ways)
        if self.loops:
            return float("inf")
        counts: list[int] = []
        for v in range(self.size):
            counts.append(sum(self._ways(e, counts) for e in self._edges(v)))
        return counts[-1]

    def _ways(self, edge: int, counts: list[int]) -> int:
        first, second = int(self.nodes.first[edge]), int(self.nodes.second[edge])
        return (counts[first] if first >= 0 else 1) * (counts[second] if second >= 0 else 1)

    def _edges(self, node: int) -> range:
        return range(int(self.nodes.edge_ptr[node]), int(self.nodes.edge_ptr[node + 1]))

    @cached_property
    def uses(self) -> np.ndarray:
        """Uses of each slot in the derivation if there is exactly one; otherwise 0."""
        return (
            self.expected_counts(np.zeros(len(self.slots)))
            if self.derivations == 1
            else np.zeros(len(self.slots))
        )

    def loop_slots(self) -> list[Slot]:
        """Return the slots of the silent heads in the first loop."""
        if not self.loops:
            return []
        loop = self.loops[0]
        found: dict[int, None] = {}
        for e in (e for v in loop for e in self._edges(v)):
            tails = [int(t) for t in (self.nodes.first[e], self.nodes.second[e]) if t >= 0]
            if any(t in loop for t in tails):
                found.update((self._head_slot(t), None) for t in tails if t not in loop)
        return [self.slots[s] for s in found if self.slots[s].length == 0]

    def _head_slot(self, node: int) -> int:
        """Return the slot of a node's lexical head."""
        for _ in range(self.size):
            e = self._edges(node)[0]
            if self.nodes.slot[e] >= 0:
                return int(self.nodes.slot[e])
            node = int(self.nodes.first[e])
        raise InputError("a loop without a lexical head")

    def inside(self, slot_weight: np.ndarray) -> np.ndarray:
        """Return the log inside weight of each node; the last is ln Z.

        Parameters
        ----------
        slot_weight : ndarray of shape (slots,)
            Log weight of each slot.

        Raises
        ------
        InputError
            If the sums over a silent loop do not converge.
        """
        score = np.empty(self.size)
        if self.size and inside(self.nodes, 0, self.size, slot_weight, score) == UNSOLVED:
            raise too_heavy()
        return score

    def log_z(self, slot_weight: np.ndarray) -> float:
        """Return the log of the summed weights of all derivations; ``-inf`` if there are none."""
        return float(self.inside(slot_weight)[-1]) if self.size else -np.inf

    def expected_counts(self, slot_weight: np.ndarray) -> np.ndarray:
        """Return the posterior expected number of uses of each slot."""
        count = np.zeros(len(self.slots))
        score = self.inside(slot_weight)
        if self.size and np.isfinite(score[-1]):
            mass = np.empty(self.size)
            if outside(self.nodes, 0, self.size, slot_weight, score, 1.0, mass, count) == UNSOLVED:
                raise too_heavy()
        return count

    def sample(self, slot_weight: np.ndarray, rng: np.random.Generator) -> list[int]:
        """Return the Polish sequence, as slots, of a derivation drawn from the posterior."""
        score = self.inside(slot_weight)
        sequence = np.empty(_LONGEST_SEQUENCE, np.int32)
        length = sample(rng, self.nodes, 0, self.size, slot_weight, score, sequence)
        if length < 0:
            raise too_heavy()
        return [int(s) for s in sequence[:length]]

    def best(self, slot_weight: np.ndarray, k: int) -> Iterator[tuple[float, list[int]]]:
        """Yield log weights and Polish sequences of the k best derivations, best first.

        This is a best-first search that extends partial derivations at their leftmost open node. The
        priority of a partial derivation is the sum of the weights used so far and of the best weight of
        each open node. Because it is exact, only parts of the k best derivations are extended, and the
        search ends even if there are loops.
        """
        if not self.size:
            return
        score = np.empty(self.size)
        best_scores(self.nodes, 0, self.size, slot_weight, score)
        # Rounded cost, minus steps done, serial number, exact cost, linked lists of open nodes and slots.
        root = (self.size - 1, None)
        agenda: list[Any] = [(0.0, 0, 0, -score[-1], root, None)] if np.isfinite(score[-1]) else []
        serial = 0
        while agenda and k:
            _, steps, _, cost, pending, used = heapq.heappop(agenda)
            if pending is None:
                yield -cost, _unlink(used)
                k -= 1
                continue
            node, rest = pending
            for e in self._edges(node):
                first, second, slot = (
                    int(a[e]) for a in (self.nodes.first, self.nodes.second, self.nodes.slot)
                )
                weight = slot_weight[slot] if slot >= 0 else 0.0
                weight += (score[first] if first >= 0 else 0.0) + (score[second] if second >= 0 else 0.0)
                if weight == -np.inf:
                    continue
                open_nodes = (second, rest) if second >= 0 else rest
                open_nodes = (first, open_nodes) if first >= 0 else open_nodes
                serial += 1
                new = cost + score[node] - weight
                entry = (round(new, _TIE_DIGITS), steps - 1, serial, new)
                heapq.heappush(agenda, (*entry, open_nodes, (slot, used) if slot >= 0 else used))


def _unlink(used: Any) -> list[int]:
    """Return the slots of a linked list (last, (last but one, ...)) in order."""
    slots = []
    while used is not None:
        slot, used = used
        slots.append(slot)
    return slots[::-1]


def too_heavy() -> InputError:
    """Return the error for a silent loop whose sums do not converge in reasonable time."""
    return InputError(
        "a silent loop has mass 1 or nearly so, and its sums do not settle; "
        "give other items of its category more weight"
    )
