"""Correspondence of input and candidate: minimal-cost alignments.

A segment without counterpart costs 1, a pair of segments the share of features in which they differ, and 1
if one of them is not in the feature table and they are not the same. A vowel and a consonant that is
[+consonantal] never correspond (else bed -> edə would be three changes and no deletion): they cost more than
a deletion and an insertion. Where several alignments cost the
least, all are kept (up to 200): a count that depends on the choice is not unique. Indices decide instead
where all segments of both forms have one: ``p1 a2 t3`` and ``p1 a2``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import Fault, InputError, quoted
from otlab.forms.kernels.align import align_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from otlab.forms.notation import Alphabet, Encoded

__all__ = ["LONGEST", "MOST_ALIGNMENTS", "Alignments", "align", "pair_costs"]

MOST_ALIGNMENTS = 200
LONGEST = 400


@dataclass(frozen=True)
class Alignments:
    """The minimal alignments of pairs of forms, as links.

    Attributes
    ----------
    pair : int64 (alignments,)
        The pair of each alignment; those of one pair follow each other.
    alignment : int64 (links,)
        The alignment that each link is in.
    source, target : int64 (links,)
        Position of the input's and of the candidate's segment among the segments of its form; -1 for none.
    by_index : bool (alignments,)
        Whether indices decided.
    """

    pair: NDArray[np.int64]
    alignment: NDArray[np.int64]
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    by_index: NDArray[np.bool_]

    def of_pair(self, pair: int) -> list[list[tuple[int, int]]]:
        """Return the alignments of one pair, each as its links."""
        found = []
        for number in np.flatnonzero(self.pair == pair):
            chosen = self.alignment == number
            found.append([*zip(self.source[chosen].tolist(), self.target[chosen].tolist(), strict=True)])
        return found


def align(pairs: Sequence[tuple[Encoded, Encoded]], alphabet: Alphabet) -> Alignments:
    """Return the minimal alignments of inputs and candidates.

    Raises
    ------
    InputError
        If a form is longer than :data:`LONGEST` segments and marks.
    """
    cost, gap = pair_costs(alphabet)
    forms = [(_segments(source), _segments(target)) for source, target in pairs]
    long = [form.text for pair in pairs for form in pair if len(form.codes) > LONGEST]
    if long:
        what = f"{quoted(long[0][:30] + '…')} has more than {LONGEST} segments and marks"
        raise InputError(Fault(what, "only shorter forms can be compared with their inputs"))
    links, starts, number = _kernel(forms, cost, gap)
    others: dict[int, list[NDArray[np.int64]]] = {}
    by_index: set[int] = set()
    for p, (source, target) in enumerate(pairs):
        if any(source.indices) and any(target.indices):
            indexed = _by_index(source, target)
            if indexed is not None:
                others[p] = [indexed]
                by_index.add(p)
                continue
        if number[p, 0] > 1:
            x, y = forms[p]
            others[p] = [*_all(cost[np.ix_(x, y)], gap)]
    return _joined(links, starts, number[:, 1], others, by_index)


def _joined(
    links: NDArray[np.int64],
    starts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    others: dict[int, list[NDArray[np.int64]]],
    by_index: set[int],
) -> Alignments:
    """Return the alignments of all pairs: the kernel's, but for pairs that have others."""
    single = np.array([p for p in range(len(starts)) if p not in others], np.int64)
    pair = np.concatenate([single, *(np.full(len(some), p, np.int64) for p, some in others.items())])
    rows = _ranges(starts[single], sizes[single])
    parts = [links[rows], *(one for some in others.values() for one in some)]
    lengths = np.concatenate(
        [sizes[single], np.array([len(one) for some in others.values() for one in some], np.int64)]
    )
    flat = np.concatenate(parts).reshape(-1, 2)
    order = np.argsort(pair, kind="stable")
    begins = np.cumsum(lengths) - lengths
    flat = flat[_ranges(begins[order], lengths[order])]
    return Alignments(
        pair[order],
        np.repeat(np.arange(len(order)), lengths[order]),
        flat[:, 0],
        flat[:, 1],
        np.isin(pair[order], [*by_index]),
    )


def _ranges(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of all ranges, one behind the other."""
    first = np.cumsum(sizes) - sizes
    found: NDArray[np.int64] = np.arange(int(sizes.sum())) + np.repeat(starts - first, sizes)
    return found


def _segments(form: Encoded) -> NDArray[np.int32]:
    """Return the segments of a form as numbers."""
    codes = np.frombuffer(form.codes.encode("utf-32-le"), np.uint32).astype(np.int32)
    return codes[codes < 0xF800] - 0xE000


def pair_costs(alphabet: Alphabet) -> tuple[NDArray[np.int32], int]:
    """Return the cost of each pair of segments, and of a segment without counterpart."""
    known = alphabet.costs
    if known is not None and len(known[0]) == len(alphabet.segments):
        return known
    values = alphabet.values
    gap = max(values.shape[1], 1)
    cost = (values[:, None, :] != values[None, :, :]).sum(axis=2, dtype=np.int32)
    for segment in alphabet.unknown:
        n = alphabet.segments.index(segment)
        cost[n], cost[:, n] = gap, gap
    cost[_vowel_and_consonant(alphabet)] = 2 * gap + 1
    same = (cost == 0) & ~np.eye(len(values), dtype=bool)
    cost[same] = 1  # two segments that the table does not tell apart are not the same
    np.fill_diagonal(cost, 0)
    alphabet.costs = cost, gap
    return cost, gap


def _vowel_and_consonant(alphabet: Alphabet) -> NDArray[np.bool_]:
    """Return which pairs of segments are a vowel and a true consonant, bool (segments, segments)."""
    table, values = alphabet.table, alphabet.values
    if not {"syllabic", "consonantal"} <= {*table.features}:
        return np.zeros((len(values), len(values)), bool)
    syllabic, consonantal = (values[:, table.features.index(name)] for name in ("syllabic", "consonantal"))
    vowel, consonant = (syllabic == 1) & (consonantal != 1), (syllabic != 1) & (consonantal == 1)
    apart: NDArray[np.bool_] = vowel[:, None] & consonant | consonant[:, None] & vowel
    return apart


def _kernel(
    forms: Sequence[tuple[NDArray[np.int32], NDArray[np.int32]]],
    cost: NDArray[np.int32],
    gap: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the links of the first alignments, where each begins, and numbers of alignments and links."""
    lengths = np.array([[len(x), len(y)] for x, y in forms], np.int64).reshape(-1, 2)
    ends = np.cumsum(lengths.sum(axis=1))
    starts = ends - lengths.sum(axis=1)
    middles = starts + lengths[:, 0]
    segments = np.concatenate([np.empty(0, np.int32), *(form for pair in forms for form in pair)])
    longest = int(lengths.max(initial=0)) + 1
    links = np.empty((len(segments), 2), np.int32)
    number = np.zeros((len(forms), 2), np.int64)
    table, ways = np.empty((longest, longest), np.int32), np.empty((longest, longest), np.int64)
    align_pairs(segments, starts, middles, ends, cost, gap, table, ways, links, number)
    return links.astype(np.int64), starts, number


def _by_index(source: Encoded, target: Encoded) -> NDArray[np.int64] | None:
    """Return the links of equal indices; None unless all segments of both forms have one."""
    ins, outs = (
        [i for i, c in zip(form.indices, form.codes, strict=True) if c < "\uf800"]
        for form in (source, target)
    )
    if not all(map(all, (ins, outs))) or not (ins or outs):
        return None
    pairs = [(i, j) for i, x in enumerate(ins) for j, y in enumerate(outs) if set(x) & set(y)]
    paired_in, paired_out = {i for i, _ in pairs}, {j for _, j in pairs}
    pairs += [(i, -1) for i in range(len(ins)) if i not in paired_in]
    pairs += [(-1, j) for j in range(len(outs)) if j not in paired_out]
    return np.array(pairs, np.int64).reshape(-1, 2)


def _all(cost: NDArray[np.int32], gap: int) -> Iterator[NDArray[np.int64]]:
    """Yield the minimal alignments of one pair, at most :data:`MOST_ALIGNMENTS`."""
    m, n = cost.shape
    table = np.zeros((m + 1, n + 1), np.int64)
    table[:, 0], table[0] = np.arange(m + 1) * gap, np.arange(n + 1) * gap
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            pair = table[i - 1, j - 1] + cost[i - 1, j - 1]
            table[i, j] = min(pair, table[i - 1, j] + gap, table[i, j - 1] + gap)
    found = 0
    stack: list[tuple[int, int, tuple[tuple[int, int], ...]]] = [(m, n, ())]
    while stack and found < MOST_ALIGNMENTS:
        i, j, links = stack.pop()
        if not (i or j):
            found += 1
            yield np.array(links, np.int64).reshape(-1, 2)
            continue
        if j and table[i, j] == table[i, j - 1] + gap:
            stack.append((i, j - 1, ((-1, j - 1), *links)))
        if i and table[i, j] == table[i - 1, j] + gap:
            stack.append((i - 1, j, ((i - 1, -1), *links)))
        if i and j and table[i, j] == table[i - 1, j - 1] + cost[i - 1, j - 1]:
            stack.append((i - 1, j - 1, ((i - 1, j - 1), *links)))
