"""The packed forest of one sentence: all derivations with shared parts, without enumerating them."""

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

# Priorities that differ by less are ties, of which the most complete derivation goes first.
_TIE_DIGITS = 10
_LARGEST_EXACT_FLOAT = 2.0**53
_LONGEST_SEQUENCE = 10_000


class Slot(NamedTuple):
    """A place for a lexical item in a forest.

    Attributes
    ----------
    position, length
        Which words it covers; -1 and 0 for a silent item.
    features
        The item's features; with the words they say which item it is.
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
        Tails before heads, the root last.
    ways
        How many derivations, in floating point; infinite with a loop, or beyond all floats.
    name_slots
        Returns the slot of each number; called at most once.
    """

    nodes: Nodes
    ways: float
    name_slots: Callable[[], Sequence[Slot]]

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """The slot of each number."""
        return tuple(self.name_slots())

    @property
    def size(self) -> int:
        """Number of nodes; 0 if there is no derivation."""
        return len(self.nodes.loop)

    @cached_property
    def loops(self) -> list[range]:
        """The cyclic components, as ranges of nodes."""
        starts = np.flatnonzero(self.nodes.loop)
        return [range(v, v + int(self.nodes.loop[v])) for v in starts]

    @cached_property
    def derivations(self) -> float | int:
        """How many derivations: an exact whole number, or ``inf``."""
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
        """How often the derivation uses each slot; all 0 unless there is exactly one derivation."""
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
        """Follow selecting parts down to the lexical head."""
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

        Best-first search: partial derivations are extended at their leftmost open node, those of the
        highest priority first. The priority is exact, the weights used so far plus the best weight of
        each open node, so only partial derivations of the k best are extended, and the search ends even
        with loops.
        """
        if not self.size:
            return
        score = np.empty(self.size)
        best_scores(self.nodes, 0, self.size, slot_weight, score)
        # Rounded cost, -steps done, serial; exact cost; open nodes and slots used as linked lists.
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
    """Return a linked list of slots, (last, (last but one, ...)), in order."""
    slots = []
    while used is not None:
        slot, used = used
        slots.append(slot)
    return slots[::-1]


def too_heavy() -> InputError:
    """Return the fault of a silent loop whose mass does not converge, or not in reasonable time."""
    return InputError(
        "a silent loop has mass 1 or nearly so, and its sums do not settle; "
        "give other items of its category more weight"
    )
