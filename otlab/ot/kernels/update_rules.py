"""Update rules of the GLA: how an error moves the ranking values.

The learner's form and the observed form are distinguished by their violations. A constraint
that the learner's form violates more is *promoted*, one that the observed form violates more
is *demoted*; p is the plasticity. The names and the rules are Praat's [1]_, and a test compares
their updates with Praat's; `magri` is the calibrated rule of [2]_ as OTSoft implements
it. U and D are the numbers of promoted and demoted constraints, and the *pivot* is the
promoted constraint with the highest selection point.

====================================  ============================================================
demotion-only                         the highest demoted one: -p
symmetric-one                         one constraint, drawn from all: +p or -p, if it is to move
symmetric-all                         all: +p, -p
symmetric-all-skippable               the same, if U > 0
weighted-uncancelled                  +p/U, -p/D, if U > 0
weighted-all                          +p over the number of constraints the learner's form
                                      violates, for each of these; likewise -p for the observed
                                      form; if both forms violate any
edcd                                  demoted ones not ranked below the pivot: to the pivot's value - p
edcd-with-vacation                    the same, and those below the pivot: -p times how many these were
weighted-all-up-highest-down          +p/U; the highest demoted one -p; if U > 0
weighted-all-up-highest-down-2012     the same with U + 1
weighted-all-up-high-down             -p for the H demoted ones whose selection points are above the
                                      pivot's; +p H/U; if U > 0
weighted-all-up-high-down-2012        the same with U + 1
magri                                 -p; +p D/(U + 1)
====================================  ============================================================

"Highest" goes by selection points, "ranked below" by ranking values.

.. [1] P. Boersma and D. Weenink, *Praat: doing phonetics by computer*, manual page
   "OTGrammar & PairDistribution: Learn...".
.. [2] G. Magri (2012), Convergence of error-driven ranking algorithms, *Phonology* 29.
"""

from __future__ import annotations

import math

import numpy as np

from otlab.inference.jit import kernel

__all__ = ["RULES", "SYMMETRIC_ALL", "keep_order", "update"]

RULES = (
    "demotion-only",
    "symmetric-one",
    "symmetric-all",
    "symmetric-all-skippable",
    "weighted-uncancelled",
    "weighted-all",
    "edcd",
    "edcd-with-vacation",
    "weighted-all-up-highest-down",
    "weighted-all-up-highest-down-2012",
    "weighted-all-up-high-down",
    "weighted-all-up-high-down-2012",
    "magri",
)
DEMOTION_ONLY, SYMMETRIC_ONE, SYMMETRIC_ALL, SKIPPABLE, UNCANCELLED, WEIGHTED_ALL = range(6)
EDCD, VACATION, HIGHEST_DOWN, HIGHEST_DOWN_2012, HIGH_DOWN, HIGH_DOWN_2012, MAGRI = range(6, 13)


@kernel
def update(rng, rule, learner, observed, points, step, values):
    """Move the ranking values after an error.

    `learner` and `observed` hold the violations of the two forms, `points` the selection points,
    `step` each constraint's plasticity and `values` the ranking values, all of shape (K,).
    """
    k = values.size
    if rule == SYMMETRIC_ONE:
        i = int(rng.random() * k)
        values[i] += np.sign(learner[i] - observed[i]) * step[i]
        return
    if rule == WEIGHTED_ALL:
        weighted_all(learner, observed, step, values)
        return
    promoted, demoted, pivot, highest = 0, 0, -1, -1
    for i in range(k):
        if learner[i] > observed[i]:
            promoted += 1
            if pivot < 0 or points[i] > points[pivot]:
                pivot = i
        elif learner[i] < observed[i]:
            demoted += 1
            if highest < 0 or points[i] > points[highest]:
                highest = i
    if rule == DEMOTION_ONLY:
        if highest >= 0:
            values[highest] -= step[highest]
        return
    if promoted == 0 and rule != SYMMETRIC_ALL and rule != MAGRI:
        return
    if rule in (EDCD, VACATION):
        demote_below(rule == VACATION, learner, observed, pivot, step, values)
        return
    only_highest = rule in (HIGHEST_DOWN, HIGHEST_DOWN_2012)
    only_high = rule in (HIGH_DOWN, HIGH_DOWN_2012)
    moved = 0
    for i in range(k):
        if learner[i] < observed[i]:
            if (only_highest and i != highest) or (only_high and points[i] <= points[pivot]):
                continue
            values[i] -= step[i] / demoted if rule == UNCANCELLED else step[i]
            moved += 1
    up = 1.0
    if rule == UNCANCELLED:
        up = 1.0 / promoted
    elif only_highest or only_high or rule == MAGRI:
        up = moved / (promoted + (rule in (HIGHEST_DOWN_2012, HIGH_DOWN_2012, MAGRI)))
    for i in range(k):
        if learner[i] > observed[i]:
            values[i] += up * step[i]


@kernel
def weighted_all(learner, observed, step, values):
    """Share p among all constraints that each form violates, whatever the other form does."""
    own, theirs = 0, 0
    for i in range(values.size):
        own += learner[i] > 0
        theirs += observed[i] > 0
    if own == 0 or theirs == 0:
        return
    for i in range(values.size):
        if learner[i] > 0:
            values[i] += step[i] / own
        if observed[i] > 0:
            values[i] -= step[i] / theirs


@kernel
def demote_below(vacation, learner, observed, pivot, step, values):
    """Demote to just below the pivot (Tesar & Smolensky 1998).

    With `vacation`, constraints that were below the pivot already are lowered too.
    """
    top, moved = values[pivot], 0
    below = values < top
    for i in range(values.size):
        if learner[i] < observed[i] and not below[i]:
            values[i] = top - step[i]
            moved += 1
    if vacation:
        for i in range(values.size):
            if below[i]:
                values[i] -= moved * step[i]


@kernel
def keep_order(higher, lower, gap, step, values):
    """Lower constraints, in whole steps, until each of these pairs is in order and more than `gap` apart."""
    for _ in range(values.size):
        still = True
        for pair in range(higher.size):
            least, i = values[higher[pair]] - gap, lower[pair]
            if values[i] >= least and step[i] > 0.0:
                values[i] -= step[i] * (math.floor((values[i] - least) / step[i]) + 1.0)
                still = False
        if still:
            return
