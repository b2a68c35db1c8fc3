"""Merging states after a run: the clustering Johnson (2007) proposes in his conclusion.

Infer many states, then group those that behave alike, and read the groups as tags.
States are merged two at a time, always the pair whose merging loses least: Ward's
criterion for distributions, the tokens-weighted Jensen-Shannon divergence (in bits)
between their words and between their contexts (the states before and after). It is
the loss of mutual information of a state with its word and its neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from otlab.tagging.hmm import Counts
from otlab.tagging.scores import Scorer, Scores, score

if TYPE_CHECKING:
    from otlab.tagging.corpus import Corpus

__all__ = ["MergeTree", "merge_states"]


@dataclass(frozen=True, eq=False)
class MergeTree:
    """Which states were merged, in order.

    Attributes
    ----------
    merges : list of (int, int)
        The second was merged into the first.
    losses : list of float
        Bits lost by each, summed over tokens.
    scores : list of Scores
        Before any merge, then after each; empty for an untagged corpus.
    states
        How many there were.
    """

    merges: list[tuple[int, int]]
    losses: list[float]
    scores: list[Scores]
    states: int

    def groups(self, count: int) -> np.ndarray:
        """Return each state's group when `count` of them are left, by its lowest state.

        States that label nothing keep a group of their own.
        """
        group = np.arange(self.states)
        for into, gone in self.merges[: max(len(self.merges) + 1 - count, 0)]:
            group[group == gone] = into
        return group


def merge_states(corpus: Corpus, labels: np.ndarray, states: int) -> MergeTree:
    """Merge the states of a labelling until one is left.

    Parameters
    ----------
    corpus, labels, states
        The text, each token's state, and how many states there are.
    """
    counts = Counts.of_labels(corpus.words, labels, corpus.offsets, corpus.types, states)
    scorer = Scorer(corpus, states)
    table = scorer.table(labels)
    tagged = corpus.tags is not None
    alive = [k for k in range(states) if counts.per_state[k] > 0]
    tree = MergeTree([], [], [score(table)] if tagged else [], states)
    words, before, after = (
        counts.emissions.T.copy(),
        counts.transitions[:, :-1].T.copy(),
        counts.transitions[:-1].copy(),
    )
    losses = _losses(alive, (words, before, after))
    while len(alive) > 1:
        into, gone = min(losses, key=lambda pair: (losses[pair], pair))
        tree.merges.append((into, gone))
        tree.losses.append(losses[into, gone])
        for rows in (words, before, after):
            rows[into] += rows[gone]
            rows[gone] = 0
        for columns in (before, after):
            columns[:, into] += columns[:, gone]
            columns[:, gone] = 0
        alive.remove(gone)
        # Contexts name states, so every pair's context changes a little; those of the
        # new state change most and only they are looked at again.
        losses = {pair: loss for pair, loss in losses.items() if gone not in pair and into not in pair}
        losses |= _losses_with(into, alive, (words, before, after))
        if tagged:
            table[:, into] += table[:, gone]
            table[:, gone] = 0
            tree.scores.append(score(table))
    return tree


def _losses(alive: list[int], kinds: tuple[np.ndarray, ...]) -> dict[tuple[int, int], float]:
    out: dict[tuple[int, int], float] = {}
    for at, state in enumerate(alive):
        out |= _losses_with(state, alive[at:], kinds)
    return out


def _losses_with(
    state: int, others: list[int], kinds: tuple[np.ndarray, ...]
) -> dict[tuple[int, int], float]:
    """Return bits lost by merging a state with each of the others, keyed by (lower, higher)."""
    partners = [other for other in others if other != state]
    lost = sum((_divergences(rows[state], rows[partners]) for rows in kinds), np.zeros(len(partners)))
    pairs = [(min(state, other), max(state, other)) for other in partners]
    return dict(zip(pairs, lost.tolist(), strict=True))


def _divergences(row: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return n H(row and other together) - n_row H(row) - n_other H(other), in bits."""
    return np.asarray(_bits(row + others) - _bits(row[None]) - _bits(others))


def _bits(rows: np.ndarray) -> np.ndarray:
    """Return each row's entropy times its total: n log2 n - sum of c log2 c."""
    totals = rows.sum(1)
    cells = rows * np.log2(np.where(rows > 0, rows, 1))
    return np.asarray(totals * np.log2(np.where(totals > 0, totals, 1)) - cells.sum(1))
