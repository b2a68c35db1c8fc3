"""Merge states after a run: the clustering that Johnson (2007) proposes in his conclusion.

Infer many states, then group those that behave alike, and read the groups as tags.
States are merged two at a time, always the pair whose merging loses least information:
that of a token's state about its word, and about the state that follows (Brown et al.
1992 cluster words by the latter). As a state is also the neighbour of others, merging
two joins their rows and their columns of the transitions, and both losses count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from otlab.tagging.hmm.parameters import Counts
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

        Each state that labels no token is a group by itself.
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

    Examples
    --------
    >>> from otlab.tagging import simulate_hmm
    >>> corpus = simulate_hmm(400, 1, tags=3, types=20)
    >>> from otlab.tagging import fit_em
    >>> labels = fit_em(corpus, states=4, iterations=5, seed=1).view.labels
    >>> merge_states(corpus, labels, 4).groups(2)  # which states are one when two are left
    array([0, 1, 1, 1])
    """
    counts = Counts.of_labels(corpus.words, labels, corpus.offsets, corpus.types, states)
    scorer = Scorer(corpus, states)
    table = scorer.table(labels)
    tagged = corpus.tags is not None
    alive = [k for k in range(states) if counts.per_state[k] > 0]
    tree = MergeTree([], [], [score(table)] if tagged else [], states)
    words, transitions = counts.emissions.T.copy(), counts.transitions.copy()
    of_words = np.zeros((states, states))
    for state in alive:
        of_words[state] = of_words[:, state] = _divergences(words[state], words)
    while len(alive) > 1:
        into, gone, loss = _least(alive, of_words + _transition_losses(transitions))
        tree.merges.append((into, gone))
        tree.losses.append(loss)
        for rows in (words, transitions, transitions.T):
            rows[into] += rows[gone]
            rows[gone] = 0
        alive.remove(gone)
        of_words[into] = of_words[:, into] = _divergences(words[into], words)
        if tagged:
            table[:, into] += table[:, gone]
            table[:, gone] = 0
            tree.scores.append(score(table))
    return tree


def _least(alive: list[int], losses: np.ndarray) -> tuple[int, int, float]:
    """Return the pair of living states that loses least, the lowest on a tie, and its loss."""
    left = losses[np.ix_(alive, alive)]
    left[np.tril_indices(len(alive))] = np.inf
    first, second = np.unravel_index(left.argmin(), left.shape)
    return alive[first], alive[second], max(float(left[first, second]), 0.0)


def _transition_losses(table: np.ndarray) -> np.ndarray:
    """Return the bits about the next state that merging each pair of states loses.

    Parameters
    ----------
    table : ndarray of shape (states + 1, states + 1)
        Counts of transitions, the boundary last.
    """
    states = table.shape[0] - 1
    losses = np.zeros((states, states))
    rows, columns, cells = table.sum(1), table.sum(0), _bits_of(table)
    for a in range(states):
        # The others' cells first: rows a and b joined, columns a and b joined.
        across = cells[a] + cells - _bits_of(table[a] + table)
        down = cells[:, [a]] + cells - _bits_of(table[:, [a]] + table)
        b = np.arange(states)
        corners = cells[a, a] + cells[a, b] + cells[b, a] + cells[b, b]
        joined = _bits_of(table[a, a] + table[a, b] + table[b, a] + table[b, b])
        own_rows = across[b, a] + across[b, b]
        own_columns = down[a, b] + down[b, b]
        apart = across.sum(1)[:-1] - own_rows + down.sum(0)[:-1] - own_columns + corners - joined
        for totals in (rows, columns):
            bits = _bits_of(totals)
            apart -= bits[a] + bits[:-1] - _bits_of(totals[a] + totals[:-1])
        losses[a] = apart
    return losses


def _divergences(row: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return n H(row and other together) - n_row H(row) - n_other H(other), in bits."""
    return np.asarray(_bits(row + others) - _bits(row[None]) - _bits(others))


def _bits(rows: np.ndarray) -> np.ndarray:
    """Return each row's entropy times its total: n log2 n - sum of c log2 c."""
    return np.asarray(_bits_of(rows.sum(1)) - _bits_of(rows).sum(1))


def _bits_of(counts: np.ndarray) -> np.ndarray:
    """Return c log2 c of each count, 0 for 0."""
    return np.asarray(counts * np.log2(np.where(counts > 0, counts, 1)))
