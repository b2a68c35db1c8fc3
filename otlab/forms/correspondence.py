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
from otlab.forms.notation import PairLinks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from otlab.forms.notation import Alphabet, Encoded

__all__ = ["LONGEST", "MOST_ALIGNMENTS", "Alignments", "align", "pair_costs"]

MOST_ALIGNMENTS = 200
LONGEST = 400
MOST_KEPT = 4_000_000
"""Links kept of pairs that were aligned before: some 16 MB."""


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


def align(pairs: Sequence[tuple[Encoded, Encoded]], alphabet: Alphabet) -> Alignments:
    """Return the minimal alignments of inputs and candidates; each pair is aligned once for an alphabet.

    Raises
    ------
    InputError
        If a form is longer than :data:`LONGEST` segments and marks.
    """
    long = [form.text for pair in pairs for form in pair if len(form.codes) > LONGEST]
    if long:
        what = f"{quoted(long[0][:30] + '…')} has more than {LONGEST} segments and marks"
        raise InputError(Fault(what, "only shorter forms can be compared with their inputs"))
    keys = [(source.text, target.text) for source, target in pairs]
    known = alphabet.alignments
    found = {key: known[key] for key in keys if key in known}
    new = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in found}
    if new:
        aligned = dict(zip(new, _aligned([*new.values()], alphabet), strict=True))
        found |= aligned
        if sum(len(one.links) + 1 for one in [*known.values(), *aligned.values()]) > MOST_KEPT:
            known.clear()
        known |= aligned
    return _joined([found[key] for key in keys])


def _aligned(pairs: Sequence[tuple[Encoded, Encoded]], alphabet: Alphabet) -> Iterator[PairLinks]:
    """Yield the minimal alignments of each pair."""
    cost, gap = pair_costs(alphabet)
    forms = [(_segments(source), _segments(target)) for source, target in pairs]
    links, starts, number = _kernel(forms, cost, gap)
    for p, (source, target) in enumerate(pairs):
        x, y = forms[p]
        indexed = None
        if any(source.indices) and any(target.indices):
            indexed = _by_index(source, target)
        if indexed is not None:
            some = [indexed]
        elif number[p, 0] > 1:
            some = [*_all(cost[np.ix_(x, y)], gap)]
        else:
            some = [links[starts[p] : starts[p] + number[p, 1]].astype(np.int64)]
        together = np.concatenate(some).astype(np.int16)
        yield PairLinks(together, tuple(map(len, some)), indexed is not None)


def _joined(found: Sequence[PairLinks]) -> Alignments:
    """Return the alignments of all pairs."""
    links = np.concatenate([np.empty((0, 2), np.int16), *(one.links for one in found)]).astype(np.int64)
    lengths = np.array([size for one in found for size in one.sizes], np.int64)
    pair = np.repeat(np.arange(len(found)), [len(one.sizes) for one in found])
    by_index = np.array([one.by_index for one in found], bool)[pair]
    return Alignments(pair, np.repeat(np.arange(len(pair)), lengths), links[:, 0], links[:, 1], by_index)


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
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
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
    return links, starts, number


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
    costs: list[list[int]] = cost.tolist()  # a few numbers: lists are faster than arrays
    table = [[j * gap for j in range(n + 1)]]
    for i, row in enumerate(costs, 1):
        above, own = table[-1], [i * gap]
        for j in range(n):
            own.append(min(above[j] + row[j], above[j + 1] + gap, own[j] + gap))
        table.append(own)
    found = 0
    stack: list[tuple[int, int, tuple[tuple[int, int], ...]]] = [(m, n, ())]
    while stack and found < MOST_ALIGNMENTS:
        i, j, links = stack.pop()
        if not (i or j):
            found += 1
            yield np.array(links, np.int64).reshape(-1, 2)
            continue
        if j and table[i][j] == table[i][j - 1] + gap:
            stack.append((i, j - 1, ((-1, j - 1), *links)))
        if i and table[i][j] == table[i - 1][j] + gap:
            stack.append((i - 1, j, ((i - 1, -1), *links)))
        if i and j and table[i][j] == table[i - 1][j - 1] + costs[i - 1][j - 1]:
            stack.append((i - 1, j - 1, ((i - 1, j - 1), *links)))
