r"""The infinite hidden Markov model by beam sampling (Van Gael et al. 2008): whole sentences at a time.

The model is that of :mod:`otlab.tagging.learners.ihmm`. A sweep draws the concentrations and the weights of
the states, then the parameters, then all states by beams (:mod:`otlab.tagging.kernels.ihmm`), for which as
many unused states are made as a path could reach.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from otlab.errors import InputError
from otlab.inference.run import check_interrupt
from otlab.tagging.hmm.estep import row_blocks
from otlab.tagging.hmm.parameters import Weights
from otlab.tagging.hmm.threads import each
from otlab.tagging.kernels.ihmm import resample_beams
from otlab.tagging.learners.explicit import draw_emissions
from otlab.tagging.learners.ihmm import MOST_STATES, InfiniteHMM, InfiniteSample

if TYPE_CHECKING:
    from otlab.tagging.hmm.hdp import Rows

__all__ = ["InfiniteBeams"]

_SENTENCES = 500


@dataclass(frozen=True, eq=False)
class InfiniteBeams(InfiniteHMM):
    """Infinite HMM by beam sampling; see :class:`~otlab.tagging.learners.ihmm.InfiniteHMM`."""

    name: ClassVar[str] = "ihmm-beam"

    def measured(self, state: InfiniteSample) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return emissions, transitions and tokens per state, counted anew."""
        counts = self.counts(state)
        return counts.emissions, counts.transitions, counts.per_state

    def sweep(self, rng: np.random.Generator, state: InfiniteSample, power: float) -> None:
        """Draw the concentrations and weights, the parameters, and all states."""
        check_interrupt()
        counts, franchise = self.counts(state), state.franchise
        used = np.flatnonzero(counts.per_state)
        franchise.redraw(rng, counts.transitions, used, (self.new_states, self.row_concentration))
        rows = franchise.rows(rng, counts.transitions, used)
        slices = self._slices(rng, state, rows, used, power)
        franchise.extend(rng, rows, float(slices.min(initial=1.0)))
        numbers = self._numbers(used, rows.base.size, counts.states)
        self._relabel(state, rows, numbers, slices, power)
        self._renumber(state, rows, numbers)

    def _slices(
        self, rng: np.random.Generator, state: InfiniteSample, rows: Rows, used: np.ndarray, power: float
    ) -> np.ndarray:
        """Draw the least probability of each token's transition."""
        place = np.empty(state.franchise.base.size, np.int64)
        place[used] = np.arange(used.size)
        after = place[state.labels]
        before = np.roll(after, 1)
        first = self.corpus.offsets[:-1][self.corpus.lengths > 0]
        before[first] = used.size
        below: np.ndarray = (1 - rng.random(after.size)) ** (1 / power)
        below *= rows.inner[before, after]
        return below

    def _numbers(self, used: np.ndarray, states: int, slots: int) -> np.ndarray:
        """Return the number of each state: new ones get the lowest that no state and no known tag has."""
        new = states - used.size
        free = np.setdiff1d(np.arange(max(slots, self.reserved) + new), used)
        numbers = np.append(used, free[free >= self.reserved][:new])
        if numbers.max() >= MOST_STATES:
            raise InputError(f"more than {MOST_STATES:,} states; give a smaller --new-states")
        return numbers

    def _relabel(
        self, state: InfiniteSample, rows: Rows, numbers: np.ndarray, slices: np.ndarray, power: float
    ) -> None:
        """Draw the states of all sentences given the slices."""
        text, emission = self.text(state), self._emission(state, numbers, power)
        transitions = np.column_stack([rows.inner, rows.last**power])
        order = np.argsort(-rows.inner, axis=1, kind="stable").astype(np.int32)
        beams = transitions, np.take_along_axis(rows.inner, order, 1), order
        labels = np.zeros(text.tokens, np.int16)
        # Labels are places among the rows while they are drawn.
        place = np.zeros(int(numbers.max()) + 1, np.int16)
        place[numbers] = np.arange(numbers.size)
        labels[:] = place[state.labels]
        longest, size = int(text.lengths.max(initial=0)), numbers.size

        def part(item: tuple[np.random.Generator, tuple[int, int]]) -> None:
            stream, (first, last) = item
            space = (
                np.zeros((longest, size)),
                np.empty((longest, size), np.int32),
                np.empty(longest, np.int32),
            )
            weights = np.empty(size)
            for low in range(first, last, _SENTENCES):
                check_interrupt()
                resample_beams(
                    stream, (text.words, text.offsets), low, min(low + _SENTENCES, last), slices, beams,
                    emission, space, weights, labels,
                )  # fmt: skip

        each(part, list(zip(state.streams, row_blocks(text.sentences), strict=True)), self.threads)
        state.labels = numbers[labels].astype(np.int16)

    def _emission(self, state: InfiniteSample, numbers: np.ndarray, power: float) -> np.ndarray:
        """Draw P(word given state) of the states with these numbers, by word."""
        counts = self.counts(state).emissions
        shown = np.zeros((len(counts), numbers.size))
        old = numbers < counts.shape[1]
        shown[:, old] = counts[:, numbers[old]]
        emission, scale = draw_emissions(self, state, shown)
        clamped = self.clamp(state)
        if clamped:
            place = np.full(int(numbers.max()) + 1, -1)
            place[numbers] = np.arange(numbers.size)
            moved = replace(clamped, states=place[clamped.states])
            nothing = np.zeros((numbers.size + 1, numbers.size + 1))
            emission = moved.expand(Weights(nothing, emission, scale)).emission
        return emission if power == 1 else emission**power

    def _renumber(self, state: InfiniteSample, rows: Rows, numbers: np.ndarray) -> None:
        """Keep the weights of the states that label tokens; the others vanish."""
        size = max(int(state.labels.max(initial=0)) + 1, self.reserved)
        base = np.zeros(max(size, int(numbers.max()) + 1))
        base[numbers] = rows.base
        base[np.bincount(state.labels, minlength=base.size) == 0] = 0
        state.franchise.base = np.append(base[:size], rows.boundary)
        state.counted = state.tables = None
