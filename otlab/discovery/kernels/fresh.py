r"""A word built from rules that goes through the channel: the base distribution composed with the edits.

The word grammar's base is a chain, :math:`x_1` by ``A -> X+`` and each further phone by
``X+ -> X X+``, so the source strings x of a piece y need not be listed: a state of the
composition is (j, z, r), j phones of the text read, z whether a source phone was built yet, and r
the present run of insertions (> 0) or deletions (< 0). With :math:`\theta_x` the weight of a
phone and g that of going on with a source phone, the arcs out of (j, z, r) are

.. math::
    (j+1, 1, 0) &: g\,[\theta_y\, \tilde o_\text{none}
        + \textstyle\sum_{x \ne y} \theta_x\, \tilde o_\text{sub}\, \tilde\zeta[x, y]] \\
    (j+1, z, r+1) &: \tilde o_\text{ins}\, \tilde I[y], \quad 0 \le r < L_I \\
    (j, 1, r-1) &: g\, \tilde o_\text{del} \textstyle\sum_x \theta_x, \quad -L_D < r \le 0

and the end marker takes *none* from any state with z = 1. There is no limit on the number of
edits here, only on runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from otlab.discovery.kernels.channel import DELETE, INSERT, NONE, SUBSTITUTE
from otlab.inference.jit import inlined

if TYPE_CHECKING:
    import numpy as np

__all__ = ["FreshCounts", "FreshWeights", "fresh_backward", "fresh_forward", "fresh_mass", "share_out"]


class FreshWeights(NamedTuple):
    """Weights of the arcs of a fresh word.

    Attributes
    ----------
    keep, substitute, insert : float64 ndarray of shape (phones,)
        By the phone of the text, each times the factor per phone: kept, put in place of any other
        source phone, inserted.
    delete : float
        Of losing a source phone, whichever it was.
    first, further : float
        Of building the first source phone of a word, and each further one.
    end : float
        Of the end marker.
    """

    keep: np.ndarray
    substitute: np.ndarray
    insert: np.ndarray
    delete: float
    first: float
    further: float
    end: float


class FreshCounts(NamedTuple):
    """Expected arcs of fresh words; added to.

    Attributes
    ----------
    keep, substitute, insert : float64 ndarray of shape (phones,)
        By the phone of the text.
    other : float64 ndarray of shape (2,)
        Source phones lost, and words.
    """

    keep: np.ndarray
    substitute: np.ndarray
    insert: np.ndarray
    other: np.ndarray


@inlined
def fresh_forward(phones, at, i, n, weights, limits, lift, alpha):
    """Fill alpha[j, z, r + most_deleted] for the fresh words that begin before phone i.

    `lift` (n,) is one more factor of each phone that is read.
    """
    keep, substitute, insert, delete, first, further, _ = weights
    zero = limits.most_deleted
    alpha[i : n + 1] = 0.0
    alpha[i, 0, zero] = 1.0
    for j in range(i, n + 1):
        # 1. deletions, which read nothing: longer runs after shorter ones
        for z in range(2):
            source = further if z else first
            for r in range(zero, 0, -1):
                alpha[j, 1, r - 1] += alpha[j, z, r] * source * delete
        # 2. arcs that read the next phone
        if j < n:
            y = phones[at + j]
            for z in range(2):
                source = further if z else first
                for r in range(alpha.shape[2]):
                    a = alpha[j, z, r] * lift[j]
                    alpha[j + 1, 1, zero] += a * source * (keep[y] + substitute[y])
                    if zero <= r < zero + limits.most_inserted:
                        alpha[j + 1, z, r + 1] += a * insert[y]


@inlined
def fresh_mass(alpha, j, weights):
    """Return the weight of a fresh word that ends before phone j, from a filled alpha."""
    total = 0.0
    for r in range(alpha.shape[2]):
        total += alpha[j, 1, r]
    return total * weights.end


@inlined
def fresh_backward(phones, at, i, n, weights, limits, lift, alpha, after, beta, counts):
    """Add the expected arcs of the fresh words that begin before phone i.

    `after` (n + 1,) is the weight of what comes after a word that ends before phone j, divided by Z
    and times the weight of what comes before i; `beta` is working space like `alpha`.
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
                source = further if z else first
                for r in range(alpha.shape[2]):
                    a = alpha[j, z, r]
                    onward = source * beta[j + 1, 1, zero] * lift[j]
                    beta[j, z, r] += onward * (keep[y] + substitute[y])
                    counts.keep[y] += a * onward * keep[y]
                    counts.substitute[y] += a * onward * substitute[y]
                    if zero <= r < zero + limits.most_inserted:
                        arc = insert[y] * beta[j + 1, z, r + 1] * lift[j]
                        beta[j, z, r] += arc
                        counts.insert[y] += a * arc
        # 2. deletions: shorter runs after longer ones, whose beta is complete
        for z in range(1, -1, -1):
            source = further if z else first
            for r in range(1, zero + 1):
                arc = source * delete * beta[j, 1, r - 1]
                beta[j, z, r] += arc
                counts.other[0] += alpha[j, z, r] * arc


@inlined
def share_out(fresh, weights, edits, phone_weights, lattice, rule_count, edit_counts):
    """Add the arcs of fresh words to the counts of rules and edits: source phones by their shares."""
    operation_count, insertion_count, substitution_count = edit_counts
    size = fresh.keep.size
    lost, words = fresh.other
    whole = phone_weights.sum()
    operation_count[NONE] += fresh.keep.sum() + words
    operation_count[SUBSTITUTE] += fresh.substitute.sum()
    operation_count[INSERT] += fresh.insert.sum()
    operation_count[DELETE] += lost
    for y in range(size):
        insertion_count[y] += fresh.insert[y]
        rule_count[lattice.phone[y]] += fresh.keep[y]
    for x in range(size):
        if phone_weights[x] > 0.0:
            rule_count[lattice.phone[x]] += lost * phone_weights[x] / whole
    for y in range(size):
        if fresh.substitute[y] > 0.0:
            heard = 0.0
            for x in range(size):
                heard += phone_weights[x] * edits.substitution[x, y]
            for x in range(size):
                p = fresh.substitute[y] * phone_weights[x] * edits.substitution[x, y] / heard
                if p > 0.0:
                    substitution_count[x, y] += p
                    rule_count[lattice.phone[x]] += p
    built = fresh.keep.sum() + fresh.substitute.sum() + lost
    rules = lattice.rules
    rule_count[rules[3]] += words
    rule_count[rules[4]] += words
    rule_count[rules[5]] += built - words
