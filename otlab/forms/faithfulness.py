r"""Faithfulness: which links of the alignments of input and candidate are violations.

Max counts input segments without counterpart (McCarthy & Prince 1995), Dep those of the candidate, Ident the
pairs that differ in a feature, \*Map(x,y) the pairs of an x and a y (Zuraw 2013).

Uniformity counts coalescence, Integrity breaking, Linearity reversed order: without indices an alignment has
none of them, but where a segment was deleted (or inserted) it may have coalesced with a neighbour (or come
from it), so the cell then has two readings. Contiguity counts segments skipped or inserted within the form.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from otlab.forms.correspondence import align
from otlab.forms.search import context_sides, matching_segments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from otlab.forms.correspondence import Alignments
    from otlab.forms.formula import Context, Faith
    from otlab.forms.notation import Alphabet, Encoded

__all__ = ["Links", "link_places", "violations_per_alignment"]

SEGMENT_KINDS = ("Max", "Dep", "Ident", "*Map")
"""Kinds of constraints that count single links."""


@dataclass(frozen=True)
class _Side:
    """The inputs, or the candidates, of pairs, as one text.

    Attributes
    ----------
    codes
        All forms.
    first : int64 (pairs,)
        Where the form of each pair begins in `codes`.
    size : int64 (pairs,)
        Number of codes of the form of each pair.
    segments, places : int64 (n,)
        Segments of all forms in order, and where they are in `codes`.
    start : int64 (pairs,)
        Which of them is the first of each pair's form.
    """

    codes: str
    first: NDArray[np.int64]
    size: NDArray[np.int64]
    segments: NDArray[np.int64]
    places: NDArray[np.int64]
    start: NDArray[np.int64]

    @classmethod
    def of(cls, forms: Sequence[Encoded]) -> _Side:
        different = {form.text: form for form in forms}
        number = {text: n for n, text in enumerate(different)}
        codes = "".join(form.codes for form in different.values())
        values = np.frombuffer(codes.encode("utf-32-le"), np.uint32).astype(np.int64)
        places = np.flatnonzero(values < 0xF800)
        sizes = np.array([len(form.codes) for form in different.values()], np.int64)
        firsts = np.cumsum(sizes) - sizes
        of = np.array([number[form.text] for form in forms], np.int64)
        starts = np.searchsorted(places, firsts)
        return cls(codes, firsts[of], sizes[of], values[places] - 0xE000, places, starts[of])

    def number(self, pair: NDArray[np.int64], place: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return which segment of all is at a place in the form of a pair; any where the place is -1."""
        found: NDArray[np.int64] = np.where(place < 0, 0, self.start[pair] + place)
        return found


@dataclass(frozen=True)
class Links:
    """The links of the alignments of pairs of an input and a candidate.

    Attributes
    ----------
    alphabet
        Their segments.
    alignments
        The links.
    inputs, candidates
        The forms.
    encoded
        The pairs.
    """

    alphabet: Alphabet
    alignments: Alignments
    inputs: _Side
    candidates: _Side
    encoded: Sequence[tuple[Encoded, Encoded]]

    @classmethod
    def of(cls, pairs: Sequence[tuple[Encoded, Encoded]], alphabet: Alphabet) -> Links:
        """Return the links of minimal alignments."""
        inputs, candidates = (_Side.of([pair[side] for pair in pairs]) for side in (0, 1))
        return cls(alphabet, align(pairs, alphabet), inputs, candidates, pairs)

    @cached_property
    def pair(self) -> NDArray[np.int64]:
        """The pair of each link."""
        return self.alignments.pair[self.alignments.alignment]

    @cached_property
    def source(self) -> NDArray[np.int64]:
        """The input's segment of each link; any where it has none."""
        return self._segments(self.inputs, self.alignments.source)

    @cached_property
    def target(self) -> NDArray[np.int64]:
        """The candidate's segment of each link; any where it has none."""
        return self._segments(self.candidates, self.alignments.target)

    def _segments(self, side: _Side, place: NDArray[np.int64]) -> NDArray[np.int64]:
        if not side.segments.size:
            return np.zeros(place.size, np.int64)
        found: NDArray[np.int64] = side.segments[side.number(self.pair, place)]
        return found


def violations_per_alignment(term: Faith, links: Links) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the least and the largest count of a term in each alignment, int64 (alignments,) each.

    They differ only for Uniformity and Integrity, where a segment may have merged with another, or not.
    """
    size = len(links.alignments.pair)
    if term.kind in SEGMENT_KINDS:
        counts = np.bincount(links.alignments.alignment[counted_links(term, links)], minlength=size)
        return counts.astype(np.int64), counts.astype(np.int64)
    alignments = links.alignments
    bounds = np.searchsorted(alignments.alignment, np.arange(size + 1))
    options = np.zeros((size, 2), np.int64)
    for number in range(size):
        start, end = bounds[number], bounds[number + 1]
        source, target = alignments.source[start:end].tolist(), alignments.target[start:end].tolist()
        options[number] = _order_counts(term.kind, source, target, bool(alignments.by_index[number]))
    return options[:, 0], options[:, 1]


def counted_links(term: Faith, links: Links) -> NDArray[np.bool_]:
    """Return which links violate a term of Max, Dep, Ident or Map, bool (links,)."""
    alignments, alphabet = links.alignments, links.alphabet
    for element in (term.what, term.becomes):
        matching_segments(element, alphabet)  # segments that only the formula has are in the alphabet then
    what, becomes = (matching_segments(element, alphabet) for element in (term.what, term.becomes))
    deleted, inserted = alignments.target < 0, alignments.source < 0
    if term.kind == "Max":
        chosen = deleted & what[links.source]
    elif term.kind == "Dep":
        chosen = inserted & what[links.target]
    elif term.kind == "*Map":
        chosen = ~deleted & ~inserted & what[links.source] & becomes[links.target]
    else:
        chosen = ~deleted & ~inserted & _differing(term, alphabet)[links.source, links.target]
    if term.context is not None:
        chosen &= _in_context(term.context, links, np.flatnonzero(chosen))
    return chosen


def _differing(term: Faith, alphabet: Alphabet) -> NDArray[np.bool_]:
    """Return which pairs of segments differ for an Ident constraint, bool (segments, segments)."""
    values = alphabet.values
    if not term.features:
        return ~np.eye(len(values), dtype=bool)
    own = values[:, list(term.features)]
    differ: NDArray[np.bool_] = (own[:, None, :] != own[None, :, :]).any(axis=2)
    return differ & (own[:, :1] == term.value) if term.value else differ


def _in_context(context: Context, links: Links, chosen: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which of the chosen links are in the context, bool (links,)."""
    side = links.inputs if context.in_input else links.candidates
    own = links.alignments.source if context.in_input else links.alignments.target
    left, right = context_sides(context, links.alphabet, side.codes)
    found = np.zeros(own.size, bool)
    there = chosen[own[chosen] >= 0]
    at = side.places[side.number(links.pair[there], own[there])]
    found[there] = left[at] & right[at + 1]
    for link in chosen[own[chosen] < 0].tolist():
        first, last = _gap(link, own, links, side)
        found[link] = bool((left[first : last + 1] & right[first : last + 1]).any())
    return found


def _gap(link: int, own: NDArray[np.int64], links: Links, side: _Side) -> tuple[int, int]:
    """Return between which codes a missing segment would be: behind the one before, to the one after it."""
    alignment, pair = links.alignments.alignment, int(links.pair[link])
    first = int(side.first[pair]) + 1
    last = first + int(side.size[pair]) - 2

    def place(step: int) -> int | None:
        other = link + step
        while 0 <= other < len(own) and alignment[other] == alignment[link]:
            if own[other] >= 0:
                return int(side.places[side.start[pair] + own[other]])
            other += step
        return None

    before, behind = place(-1), place(1)
    return first if before is None else before + 1, last if behind is None else behind


def _order_counts(kind: str, source: list[int], target: list[int], certain: bool) -> tuple[int, int]:
    """Return the least and the largest count of Uniformity, Integrity, Linearity or Contiguity."""
    pairs = [(i, j) for i, j in zip(source, target, strict=True) if i >= 0 and j >= 0]
    if kind == "Linearity":
        n = sum((a - c) * (b - d) < 0 for n, (a, b) in enumerate(pairs) for c, d in pairs[n + 1 :])
        return n, n
    if kind in ("Uniformity", "Integrity"):
        own = [j if kind == "Uniformity" else i for i, j in pairs]
        extra = len(own) - len(set(own))
        missing = sum(place < 0 for place in (target if kind == "Uniformity" else source))
        # What has no counterpart may have merged with a neighbour (or come from one) that is there.
        return extra, extra + (missing if pairs and not certain else 0)
    n = 0
    if kind in ("Contiguity", "I-Contig"):
        n += _skipped([i for i, _ in pairs], source)
    if kind in ("Contiguity", "O-Contig"):
        n += _skipped([j for _, j in pairs], target)
    return n, n


def _skipped(paired: list[int], places: list[int]) -> int:
    """Return how many places between the first and the last that has a counterpart have none."""
    if not paired:
        return 0
    return len({place for place in places if min(paired) < place < max(paired)} - set(paired))


def link_places(term: Faith, links: Links) -> list[tuple[int, int, bool]]:
    """Return the characters that a term counts in the first alignment of the first pair.

    Each with whether they are the input's, because nothing is left of them in the candidate.
    """
    if term.kind not in SEGMENT_KINDS:
        return []
    alignments, found = links.alignments, []
    chosen = counted_links(term, links) & (alignments.alignment == 0)
    for link in np.flatnonzero(chosen).tolist():
        deleted = alignments.target[link] < 0
        form = links.encoded[0][0 if deleted else 1]
        place = alignments.source[link] if deleted else alignments.target[link]
        at = [n for n, code in enumerate(form.codes) if code < "\uf800"][place]
        found.append((form.starts[at], form.ends[at], bool(deleted)))
    return sorted(found)
