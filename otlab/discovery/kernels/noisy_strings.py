"""Pass stored strings through the channel: the weight of each string of a text as their output.

A string that appears at several positions of the text has one weight, so it is counted only at its first
position. Positions at which no string appears for the first time are not visited.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from otlab.discovery.kernels.channel import DELETE, INSERT, SUBSTITUTE
from otlab.discovery.kernels.noisy import add_edits, new_walk, word_arcs
from otlab.inference.jit import inlined, kernel

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Pieces", "StringCounts", "Within", "add_masses", "add_string_counts", "piece_ends"]


class Pieces(NamedTuple):
    """Positions of a text at which strings begin.

    Attributes
    ----------
    at, n : int64 ndarray of shape (places,)
        Position in the text, and number of phones from there to the end of the utterance.
    first : int64 ndarray of shape (strings,)
        First position of each string.
    """

    at: np.ndarray
    n: np.ndarray
    first: np.ndarray


class Within(NamedTuple):
    """Context of a stored string in a word.

    Attributes
    ----------
    run_before : int
        The run of deletions (< 0) that it continues; 0 at a word boundary.
    closed : bool
        Whether the end marker follows. If not, the next symbol continues the run of deletions at its end,
        and insertions after its last phone belong to the next symbol.
    end : float
        The weight of the end marker; 1 if none follows.
    """

    run_before: int
    closed: bool
    end: float


class StringCounts(NamedTuple):
    """Expected uses of stored strings and their edits, to which kernels add.

    Attributes
    ----------
    used : float64 ndarray of shape (words,)
        Expected uses of each word of the trie.
    edits : tuple of ndarray
        Expected operations without end markers, inserted phones, and substitutions.
    best : int64 ndarray of shape (strings,)
        Output: the most probable source word of each string, from the trie; empty if not requested.
    best_weight : float64 ndarray of shape (strings,)
        Output: the weight of that word.
    """

    used: np.ndarray
    edits: tuple[np.ndarray, np.ndarray, np.ndarray]
    best: np.ndarray
    best_weight: np.ndarray


@inlined
def end_run(row, closed):
    """Return the length of the run of deletions at the end of an arc; -1 if the arc ends in an insertion."""
    if closed:
        return 0
    return -row[4] if row[4] <= 0 else -1


@kernel
def add_masses(text, pieces, trie, mass, edits, limits, within, arcs, out):
    """Add to `out` (runs at the end, strings) the weight with which each string is the output of stored ones.

    Returns the number of positions with more arcs than fit into `arcs`.
    """
    walk = new_walk(pieces.n.max(), trie.follow.shape[1], limits.most_edits)
    overfull = 0
    for k in range(pieces.at.size):
        at, n = pieces.at[k], pieces.n[k]
        size = word_arcs(
            text.phones, (at, 0, n), trie, mass, edits, limits, walk, arcs, 0, within.run_before, within.end
        )  # fmt: skip
        overfull += size + 1 >= arcs.rows.shape[0]
        for a in range(size):
            string = text.ids[text.row[at] + arcs.rows[a, 2] - 1]
            run = end_run(arcs.rows[a], within.closed)
            if pieces.first[string] == at and run >= 0:
                out[run, string] += arcs.weights[a]
    return overfull


@kernel
def add_string_counts(text, pieces, trie, mass, edits, limits, within, arcs, share, counts):
    """Add the uses and edits of stored strings to `counts`.

    `share` (runs at the end, strings) is the expected uses of each string divided by its weight.
    """
    walk = new_walk(pieces.n.max(), trie.follow.shape[1], limits.most_edits)
    operation_count, insertion_count, substitution_count = counts.edits
    for k in range(pieces.at.size):
        at, n = pieces.at[k], pieces.n[k]
        size = word_arcs(
            text.phones, (at, 0, n), trie, mass, edits, limits, walk, arcs, 0, within.run_before, within.end
        )  # fmt: skip
        for a in range(size):
            string = text.ids[text.row[at] + arcs.rows[a, 2] - 1]
            run = end_run(arcs.rows[a], within.closed)
            if pieces.first[string] != at or run < 0:
                continue
            weight = arcs.weights[a]
            if counts.best.size and weight > counts.best_weight[string]:
                counts.best_weight[string] = weight
                counts.best[string] = arcs.rows[a, 0]
            p = weight * share[run, string]
            if p > 0.0:
                counts.used[arcs.rows[a, 0]] += p
                add_edits(arcs.rows, a, p, operation_count, insertion_count, substitution_count)


@kernel
def piece_ends(text, pieces, trie, mass, edits, limits, end, arcs, known, total, rows, out):
    """Add to ``out[rows[string] + k]`` the posterior that a word ends after phone k of a looked-up string.

    Parameters
    ----------
    text, pieces, trie, mass, edits, limits, arcs
        As in :func:`add_masses`.
    end : float
        The weight of the end marker that closes each string.
    known : float64 ndarray of shape (words, longest)
        Posterior that a word ends after each phone of a word of the trie.
    total : float64 ndarray of shape (strings,)
        The summed weight of the arcs of each string.
    rows : int64 ndarray of shape (strings,)
        Index in `out` of the first phone of each string; -1 for strings that are not needed.
    """
    walk = new_walk(pieces.n.max(), trie.follow.shape[1], limits.most_edits)
    for k in range(pieces.at.size):
        at, n = pieces.at[k], pieces.n[k]
        size = word_arcs(text.phones, (at, 0, n), trie, mass, edits, limits, walk, arcs, 0, 0, end)
        for a in range(size):
            row = arcs.rows[a]
            string = text.ids[text.row[at] + row[2] - 1]
            if pieces.first[string] != at or rows[string] < 0 or arcs.weights[a] == 0.0:
                continue
            p = arcs.weights[a] / total[string]
            map_ends(row, limits.most_edits, known[row[0]], p, rows[string], out)


@inlined
def map_ends(row, most_edits, known, p, to, out):
    """Add the word ends of a source string, mapped to the output of one arc, to `out`."""
    last = row[3] - 1
    for e in range(5, row.size, 4):
        last += row[e] == SUBSTITUTE or row[e] == DELETE
    source, e = 0, 5
    for j in range(row[2] + 1):
        # 1. source phones deleted before phone j: a word end after one of them becomes one before phone j
        for _ in range(most_edits):
            if e < row.size and row[e] == DELETE and row[e + 3] == j:
                if 0 < j < row[2] and source < last:
                    out[to + j - 1] += p * known[source]
                source += 1
                e += 4
        if j == row[2]:
            break
        # 2. phone j, which is inserted or the output of the next source phone
        if e < row.size and row[e] == INSERT and row[e + 3] == j:
            e += 4
            continue
        if e < row.size and row[e] == SUBSTITUTE and row[e + 3] == j:
            e += 4
        if source < last and j < row[2] - 1:
            out[to + j] += p * known[source]
        source += 1
    out[to + row[2] - 1] += p
