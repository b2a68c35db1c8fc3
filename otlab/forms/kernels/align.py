"""Kernel of minimal-cost alignments of inputs and candidates.

D(i, j) is the least cost of aligning the first i segments of the input with the first j of the candidate:
D(i, j) = min(D(i-1, j) + gap, D(i, j-1) + gap, D(i-1, j-1) + cost of the pair). Costs are whole numbers, so
that equal costs are found exactly.
"""

from __future__ import annotations

from otlab.inference.jit import kernel

__all__ = ["align_pairs"]

MANY = 1_000_000


@kernel
def align_pairs(segments, input_start, output_start, output_end, cost, gap, table, ways, links, number):
    """Align each pair of an input and a candidate; write how many minimal alignments it has, and the first.

    Parameters
    ----------
    segments : int32 (n,)
        Segments of all forms; the input of pair p is ``input_start[p]:output_start[p]``, its candidate
        ``output_start[p]:output_end[p]``.
    cost : int32 (segments, segments)
        Cost of each pair of segments.
    gap
        Cost of a segment without counterpart.
    table, ways : int32, int64 (longest + 1, longest + 1)
        Scratch.
    links : int32 (n, 2)
        Written from ``input_start[p]`` on: input and candidate position of each link, -1 for none; in order.
    number : int64 (pairs, 2)
        Written: minimal alignments (at most a million), and links.
    """
    for p in range(input_start.size):
        a, b, end = input_start[p], output_start[p], output_end[p]
        m, n = b - a, end - b
        # 1. least costs, and in how many ways they are reached
        for i in range(m + 1):
            for j in range(n + 1):
                best, count = 0, 1
                if i or j:
                    best, count = 2147483647, 0
                if i and j:
                    best = table[i - 1, j - 1] + cost[segments[a + i - 1], segments[b + j - 1]]
                    count = ways[i - 1, j - 1]
                if i:
                    other = table[i - 1, j] + gap
                    if other < best:
                        best, count = other, 0
                    if other == best:
                        count += ways[i - 1, j]
                if j:
                    other = table[i, j - 1] + gap
                    if other < best:
                        best, count = other, 0
                    if other == best:
                        count += ways[i, j - 1]
                table[i, j] = best
                ways[i, j] = min(count, MANY)
        # 2. one alignment, from the end
        i, j, last = m, n, end - 1
        while i or j:
            x, y = -1, -1
            if (
                i
                and j
                and table[i, j] == table[i - 1, j - 1] + cost[segments[a + i - 1], segments[b + j - 1]]
            ):
                i, j = i - 1, j - 1
                x, y = i, j
            elif i and table[i, j] == table[i - 1, j] + gap:
                i -= 1
                x = i
            else:
                j -= 1
                y = j
            links[last, 0], links[last, 1] = x, y
            last -= 1
        # 3. moved to the beginning
        count = end - 1 - last
        for k in range(count):
            links[a + k, 0] = links[last + 1 + k, 0]
            links[a + k, 1] = links[last + 1 + k, 1]
        number[p, 0], number[p, 1] = ways[m, n], count
