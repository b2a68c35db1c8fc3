r"""Words that are built from rules and edited: the base distribution composed with the channel.

The base distribution of the word grammar is a chain: ``A -> X+`` builds the first source phone and
``X+ -> X X+`` each further one. The sum over source strings is therefore a sum over paths through states
(j, z, r): j phones of the text have been read, z is whether a source phone has been built, and r is the
current run of insertions (> 0) or deletions (< 0). With :math:`\theta_x` the weight of a
phone and g that of building another source phone, the arcs out of (j, z, r) are

.. math::
    (j+1, 1, 0) &: g\,[\theta_y\, \tilde o_\text{none}
        + \textstyle\sum_{x \ne y} \theta_x\, \tilde o_\text{sub}\, \tilde\zeta[x, y]] \\
    (j+1, z, r+1) &: \tilde o_\text{ins}\, \tilde I[y], \quad 0 \le r < L_I \\
    (j, 1, r-1) &: g\, \tilde o_\text{del} \textstyle\sum_x \theta_x, \quad -L_D < r \le 0

and the end marker (:mod:`~otlab.discovery.channel.word_ends`) follows in any state with z = 1. Runs are
limited here, but not the number of edits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from otlab.discovery.kernels.channel import DELETE, INSERT, NONE, SUBSTITUTE
from otlab.inference.jit import inlined

if TYPE_CHECKING:
    import numpy as np

__all__ = ["FreshCounts", "FreshWeights", "distribute", "fresh_backward", "fresh_forward", "fresh_mass"]


class FreshWeights(NamedTuple):
    """Weights of the arcs of a word that is built from rules.

    Attributes
    ----------
    keep, substitute, insert : float64 ndarray of shape (phones,)
        Weights with which each phone of the text was kept, substituted for any other source phone, or
        inserted, times the factor per phone.
    delete : float
        Weight of deleting a source phone, summed over source phones.
    first, further : float
        Weights of building the first source phone of a word, and each further one.
    end : float
        Weight of the end marker.
    """

    keep: np.ndarray
    substitute: np.ndarray
    insert: np.ndarray
    delete: float
    first: float
    further: float
    end: float


class FreshCounts(NamedTuple):
    """Expected uses of the arcs, to which kernels add.

    Attributes
    ----------
    keep, substitute, insert : float64 ndarray of shape (phones,)
        Expected uses for each phone of the text.
    other : float64 ndarray of shape (2,)
        Expected numbers of deleted source phones, and of words.
    """

    keep: np.ndarray
    substitute: np.ndarray
    insert: np.ndarray
    other: np.ndarray


@inlined
def fresh_forward(phones, at, i, n, weights, limits, factor, alpha):
    """Fill alpha[j, z, r + most_deleted] for the words that begin at phone i.

    `factor` (n,) is a further factor of each phone that is read.
    """
    keep, substitute, insert, delete, first, further, _ = weights
    zero = limits.most_deleted
    alpha[i : n + 1] = 0.0
    alpha[i, 0, zero] = 1.0
    for j in range(i, n + 1):
        # 1. deletions, which read no phone: longer runs after shorter ones
        for z in range(2):
            build = further if z else first
            for r in range(zero, 0, -1):
                alpha[j, 1, r - 1] += alpha[j, z, r] * build * delete
        # 2. arcs that read the next phone
        if j < n:
            y = phones[at + j]
            for z in range(2):
                build = further if z else first
                for r in range(alpha.shape[2]):
                    a = alpha[j, z, r] * factor[j]
                    alpha[j + 1, 1, zero] += a * build * (keep[y] + substitute[y])
                    if zero <= r < zero + limits.most_inserted:
                        alpha[j + 1, z, r + 1] += a * insert[y]


@inlined
def fresh_mass(alpha, j, weights):
    """Return the weight of a word that ends before phone j, given alpha."""
    total = 0.0
    for r in range(alpha.shape[2]):
        total += alpha[j, 1, r]
    return total * weights.end


@inlined
def fresh_backward(phones, at, i, n, weights, limits, factor, alpha, after, beta, counts):
    """Add the expected arcs of the words that begin at phone i to `counts`.

    `after` (n + 1,) is the product of the weights of the text before i and from j on, divided by Z;
    `beta` is working space of the shape of `alpha`.
    """
    keep, substitute, insert, delete, first, further, end = weights
    zero = limits.most_deleted
    for j in range(n, i - 1, -1):
        ended = end * after[j] if j > i else 0.0
        for r in range(alpha.shape[2]):
            beta[j, 0, r] = 0.0
            beta[j, 1, r] = ended
        # 1. arcs that read the next phone
        if j < n:
            y = phones[at + j]
            for z in range(2):
                build = further if z else first
                for r in range(alpha.shape[2]):
                    a = alpha[j, z, r]
                    onward = build * beta[j + 1, 1, zero] * factor[j]
                    beta[j, z, r] += onward * (keep[y] + substitute[y])
                    counts.keep[y] += a * onward * keep[y]
                    counts.substitute[y] += a * onward * substitute[y]
                    if zero <= r < zero + limits.most_inserted:
                        arc = insert[y] * beta[j + 1, z, r + 1] * factor[j]
                        beta[j, z, r] += arc
                        counts.insert[y] += a * arc
        # 2. deletions: shorter runs after longer ones, whose beta is complete
        for z in range(1, -1, -1):
            build = further if z else first
            for r in range(1, zero + 1):
                arc = build * delete * beta[j, 1, r - 1]
                beta[j, z, r] += arc
                counts.other[0] += alpha[j, z, r] * arc


@inlined
def distribute(fresh, weights, edits, phone_weights, lattice, rule_count, edit_counts):
    """Distribute the expected arcs of words built from rules over the counts of rules and edits."""
    operation_count, insertion_count, substitution_count = edit_counts
    size = fresh.keep.size
    deleted, words = fresh.other
    total = phone_weights.sum()
    # 1. operations, and the rules of kept phones
    operation_count[NONE] += fresh.keep.sum()
    operation_count[SUBSTITUTE] += fresh.substitute.sum()
    operation_count[INSERT] += fresh.insert.sum()
    operation_count[DELETE] += deleted
    for y in range(size):
        insertion_count[y] += fresh.insert[y]
        rule_count[lattice.phone[y]] += fresh.keep[y]
    # 2. rules of deleted phones, in proportion to their weights
    for x in range(size):
        if phone_weights[x] > 0.0:
            rule_count[lattice.phone[x]] += deleted * phone_weights[x] / total
    # 3. substitutions of each phone of the text, in proportion to the weights of their sources
    for y in range(size):
        if fresh.substitute[y] > 0.0:
            into_y = 0.0
            for x in range(size):
                into_y += phone_weights[x] * edits.substitution[x, y]
            for x in range(size):
                p = fresh.substitute[y] * phone_weights[x] * edits.substitution[x, y] / into_y
                if p > 0.0:
                    substitution_count[x, y] += p
                    rule_count[lattice.phone[x]] += p
    # 4. rules that build words, from the totals of words and source phones
    built = fresh.keep.sum() + fresh.substitute.sum() + deleted
    rules = lattice.rules
    rule_count[rules[3]] += words
    rule_count[rules[4]] += words
    rule_count[rules[5]] += built - words
