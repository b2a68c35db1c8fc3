r"""Kernels of the Gibbs sampler: disharmonies given ranking values, and ranking values given these.

A sweep (Lin 2005, section 4) has two steps: for each observation, draw disharmonies that
rank the constraints as observed; then draw the ranking values given all disharmonies.

One site is one constraint of one observation. Its full conditional (section 5.2) is
:math:`N(\mu_i, \sigma^2)` on one interval: above the best loser of every conjunct that only
it can win, below the best winner of every conjunct it could lose.

Sites are visited in a fixed order, so the largest of a conjunct's *other* values is
the larger of a running maximum over those already redrawn in this sweep (``before``) and a
stored maximum over those still to come (``after``). Both cost one comparison, and a
site costs O(conjuncts that contain it).

In the sampler as published (:func:`published_sweeps`) each sweep also draws the ordering relations, by
Lin (2005), section 4, step 1: an ordering relation d from its relative frequency p(D), then
disharmonies from the normal distributions such that they observe d. Vectors are proposed
without constraint and rejected until one observes d (section 5.2, "a direct
implementation"); where no proposal does, the last vector that did is moved site by site.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from otlab.inference.jit import borrowing, kernel
from otlab.inference.kernels.draws import truncated_normal

# Joint draws of centred ranking values before pairs are moved instead.
JOINT_TRIES = 20


class Layout(NamedTuple):
    """The conjuncts of R relations as arrays (see :mod:`otlab.ot.learners.sampler`).

    Side ``2k`` of a relation holds the winners of its conjunct k, side ``2k + 1`` the
    losers; a side's sites are in consecutive slots, followed by one empty slot.
    """

    counts: np.ndarray  # (R,) observations
    vector_start: np.ndarray  # (R + 1,) number of the relation's first vector of disharmonies
    value_start: np.ndarray  # (R + 1,) where the disharmonies of these vectors begin
    site_start: np.ndarray  # (R + 1,)
    site_constraint: np.ndarray  # (S,)
    member_start: np.ndarray  # (S + 1,) memberships of a site, as winner first ...
    lose_start: np.ndarray  # (S,) ... then as loser
    member_side: np.ndarray  # side within the relation
    member_slot: np.ndarray  # slot within the relation
    side_start: np.ndarray  # (R + 1,)
    side_slot: np.ndarray  # first slot of a side, within the relation
    slot_start: np.ndarray  # (R + 1,)
    slot_site: np.ndarray  # site within the relation, -1 in an empty slot


class Model(NamedTuple):
    """Noise and prior. A normal prior has one entry of `precision` per constraint, a uniform one none.

    Either is cut to ranking values in which ``higher[p]`` is above ``lower[p]``, for each pair p that is
    ranked a priori.
    """

    noise: float
    bound: float
    prior_mean: np.ndarray
    precision: np.ndarray
    higher: np.ndarray  # (pairs,)
    lower: np.ndarray  # (pairs,)


class Scratch(NamedTuple):
    """Working arrays, as large as the largest relation needs."""

    after: np.ndarray  # (slots,) largest value from this slot to the side's end
    before: np.ndarray  # (sides,) largest value already redrawn in this sweep
    current: np.ndarray  # (sides,) largest value of all
    proposal: np.ndarray  # (constraints,)
    sums: np.ndarray  # (constraints,) sum of the disharmonies drawn in this sweep
    counts: np.ndarray  # (R,) observations of each relation in this sweep, if they are drawn too


@borrowing
def sweeps(rng, layout, model, y, values, scratch, draws, thin, sweep, drawn, last, budget):
    """Do sweeps until `last` are done or about `budget` sites are drawn, whichever comes first.

    The first `sweep` sweeps, and the first `drawn` observations of the next one, are done
    already. Return both numbers as they are afterwards: where the next call goes on.
    """
    total = layout.vector_start[-1]
    while sweep < last and budget > 0:
        # Step 1. disharmonies given the ranking values, p(Y | G, D)
        if drawn == 0:
            scratch.sums[:] = 0.0
        stop = min(total, drawn + max(1, budget // values.size))
        draw_disharmonies(rng, layout, drawn, stop, y, values, model.noise, scratch, scratch.sums)
        budget -= (stop - drawn) * values.size
        drawn = stop
        if drawn < total:
            break
        draw_free_sums(rng, layout, layout.counts, values, model.noise, scratch)
        # Step 2. ranking values given the disharmonies, p(G | Y)
        draw_ranking_values(rng, total, model, values, scratch)
        sweep += 1
        drawn = 0
        record(sweep, thin, values, draws)
    return sweep, drawn


@borrowing
def draw_disharmonies(rng, layout, first, stop, y, values, noise, scratch, sums):
    """Draw every site of some vectors of disharmonies given the rest; add the draws to `sums`.

    The vectors are numbered through all relations; those from `first` to `stop` (exclusive)
    are drawn, in place in `y`. The arrays of the layout get names of their own first, because
    each access to a tuple counts references.
    """
    vector_start, value_start = layout.vector_start, layout.value_start
    site_start, site_constraint = layout.site_start, layout.site_constraint
    member_start, lose_start = layout.member_start, layout.lose_start
    member_side, member_slot = layout.member_side, layout.member_slot
    side_start, side_slot = layout.side_start, layout.side_slot
    slot_start, slot_site = layout.slot_start, layout.slot_site
    after, before, current = scratch.after, scratch.before, scratch.current
    r = 0
    while first < stop and vector_start[r + 1] <= first:
        r += 1
    while first < stop:
        site = site_start[r]
        n_sites = site_start[r + 1] - site
        side, slot = side_start[r], slot_start[r]
        at = value_start[r] + (first - vector_start[r]) * n_sites
        for _ in range(min(stop, vector_start[r + 1]) - first):
            # largest value of each side, from its end to each of its slots
            for e in range(slot_start[r + 1] - slot - 1, -1, -1):
                s = slot_site[slot + e]
                after[e] = -np.inf if s < 0 else max(y[at + s], after[e + 1])
            for q in range(side_start[r + 1] - side):
                before[q] = -np.inf
                current[q] = after[side_slot[side + q]]
            for s in range(site, site + n_sites):
                # the interval on which every conjunct holds
                low, high = -np.inf, np.inf
                for m in range(member_start[s], lose_start[s]):
                    q = member_side[m]
                    rival = current[q + 1]
                    if rival > low and max(before[q], after[member_slot[m] + 1]) < rival:
                        low = rival
                for m in range(lose_start[s], member_start[s + 1]):
                    high = min(high, current[member_side[m] - 1])
                # N(mu_i, sigma^2) on this interval
                value = truncated_normal(rng, values[site_constraint[s]], noise, low, high)
                y[at + s - site] = value
                sums[site_constraint[s]] += value
                # largest value of the sides that contain the site
                for m in range(member_start[s], member_start[s + 1]):
                    q = member_side[m]
                    before[q] = max(before[q], value)
                    current[q] = max(before[q], after[member_slot[m] + 1])
            at += n_sites
        first = min(stop, vector_start[r + 1])
        r += 1


@borrowing
def draw_free_sums(rng, layout, counts, values, noise, scratch):
    """Add the disharmonies of constraints that are in no conjunct of an observation's relation.

    They are unconstrained normals, and the sum of n of them is one normal. There are
    `counts[r]` observations of relation r.
    """
    site_start, site_constraint = layout.site_start, layout.site_constraint
    free, sums = scratch.proposal, scratch.sums
    total = 0
    for r in range(counts.size):
        total += counts[r]
    for i in range(values.size):
        free[i] = total
    for r in range(counts.size):
        for s in range(site_start[r], site_start[r + 1]):
            free[site_constraint[s]] -= counts[r]
    for i in range(values.size):
        if free[i] > 0:
            sums[i] += free[i] * values[i] + np.sqrt(free[i]) * noise * rng.standard_normal()


@borrowing
def draw_ranking_values(rng, total, model, values, scratch):
    """Draw the ranking values given the sums of `total` observations' disharmonies."""
    sums = scratch.sums
    if model.precision.size == 0:
        # uniform prior on sum 0, |value| < bound: N(mean of y, sigma^2 / M), projected
        sd = model.noise / np.sqrt(total) if total > 0 else np.inf
        for i in range(values.size):
            sums[i] /= max(total, 1)
        draw_centred_values(rng, sums, sd, model, values, scratch.proposal)
        return
    # normal prior: conjugate update of each ranking value
    proposal = scratch.proposal
    for _ in range(JOINT_TRIES):
        for i in range(values.size):
            precision = total / model.noise**2 + model.precision[i]
            mean = (sums[i] / model.noise**2 + model.prior_mean[i] * model.precision[i]) / precision
            proposal[i] = mean + rng.standard_normal() / np.sqrt(precision)
        if in_order(proposal, model.higher, model.lower):
            for i in range(values.size):
                values[i] = proposal[i]
            return
    for i in range(values.size):
        precision = total / model.noise**2 + model.precision[i]
        mean = (sums[i] / model.noise**2 + model.prior_mean[i] * model.precision[i]) / precision
        low, high = room(values, i, -1, model, -np.inf, np.inf)
        if low < high:
            values[i] += truncated_normal(rng, mean - values[i], 1.0 / np.sqrt(precision), low, high)


@borrowing
def draw_centred_values(rng, means, sd, model, values, proposal):
    """Draw ranking values given the means of their disharmonies, uniform on sum 0, |value| < bound.

    What is ranked a priori stays in order. Both moves leave the conditional invariant and the choice
    between them depends on the means alone. `sd` is infinite if there are no observations.
    """
    tries = 0 if sd == np.inf else JOINT_TRIES
    for _ in range(tries):
        centre = 0.0
        for i in range(values.size):
            proposal[i] = means[i] + sd * rng.standard_normal()
            centre += proposal[i]
        centre /= values.size
        inside = True
        for i in range(values.size):
            proposal[i] -= centre
            inside = inside and abs(proposal[i]) < model.bound
        if inside and in_order(proposal, model.higher, model.lower):
            for i in range(values.size):
                values[i] = proposal[i]
            return
    move_pairs(rng, means, sd, model, values)


@borrowing
def move_pairs(rng, means, sd, model, values):
    """Draw the difference of each two ranking values given their sum, within the bound and in order."""
    bound = model.bound
    for i in range(values.size):
        for j in range(i):
            low = max(-bound - values[i], values[j] - bound)
            high = min(bound - values[i], values[j] + bound)
            low, high = room(values, i, j, model, low, high)
            if not low < high:
                continue  # values in order are this close to each other
            if sd == np.inf:
                t = low + (high - low) * rng.random()
            else:
                mean = 0.5 * ((means[i] - values[i]) - (means[j] - values[j]))
                t = truncated_normal(rng, mean, sd / np.sqrt(2.0), low, high)
            values[i] += t
            values[j] -= t


@borrowing
def in_order(values, higher, lower):
    """Return whether the first value of each pair that is ranked a priori is above the second."""
    ordered = True
    for p in range(higher.size):
        ordered = ordered and values[higher[p]] > values[lower[p]]
    return ordered


@borrowing
def room(values, i, j, model, low, high):
    """Return the part of an interval by which value i may rise, and value j fall, in order a priori.

    No value falls if `j` is negative.
    """
    for p in range(model.higher.size):
        above, below = model.higher[p], model.lower[p]
        rate = (above == i) - (above == j) - (below == i) + (below == j)
        if rate > 0:
            low = max(low, (values[below] - values[above]) / rate)
        elif rate < 0:
            high = min(high, (values[below] - values[above]) / rate)
    return low, high


@borrowing
def record(sweep, thin, values, draws):
    """Write the centred ranking values of every `thin`-th sweep into their row of `draws`."""
    if sweep % thin == 0:
        centre = 0.0
        for i in range(values.size):
            centre += values[i]
        centre /= values.size
        for i in range(values.size):
            draws[sweep // thin - 1, i] = values[i] - centre


# Proposals for one observation, then passes over its sites.
PROPOSALS = 200
PASSES = 10


@kernel
def published_sweeps(rng, layout, model, y, values, scratch, draws, thin, sweep, drawn, last, budget):
    """Do sweeps until `last` are done or `budget` sites are drawn, whichever comes first.

    Arguments and results are those of :func:`otlab.ot.kernels.gibbs.sweeps`; `y` has one
    vector per relation.
    """
    total, counts = layout.counts.sum(), scratch.counts
    while sweep < last and budget > 0:
        # Step 1. ordering relations from their frequencies, then disharmonies that observe them
        if drawn == 0:
            scratch.sums[:] = 0.0
            draw_counts(rng, total, layout.counts, counts)
        stop = 0
        for r in range(counts.size):
            stop += counts[r]
            if drawn < stop and budget > 0:
                count = stop - drawn
                made, budget = draw_observations(
                    rng, layout, r, count, y, values, model.noise, scratch, budget
                )
                drawn += made
        if drawn < total:
            break
        draw_free_sums(rng, layout, counts, values, model.noise, scratch)
        # Step 2. ranking values given the disharmonies
        draw_ranking_values(rng, total, model, values, scratch)
        sweep += 1
        drawn = 0
        record(sweep, thin, values, draws)
    return sweep, drawn


@kernel
def draw_counts(rng, total, observed, counts):
    """Draw multinomial counts in proportion to those observed, one binomial after another."""
    left, mass = total, observed.sum()
    for r in range(observed.size):
        counts[r] = rng.binomial(left, observed[r] / mass)
        left -= counts[r]
        mass -= observed[r]


@kernel
def draw_observations(rng, layout, r, count, y, values, noise, scratch, budget):
    """Draw disharmonies that observe relation `r`, for `count` observations, and add them to the sums.

    Stop early when the budget of sites is used up; return how many were drawn, and what is
    left of the budget.
    """
    start, stop = layout.site_start[r], layout.site_start[r + 1]
    sites, own = layout.site_constraint[start:stop], y[start:stop]
    for n in range(count):
        tries = propose(rng, layout, r, own, values, noise, scratch.proposal)
        if tries > PROPOSALS:
            for _ in range(PASSES):
                draw_disharmonies(rng, layout, r, r + 1, y, values, noise, scratch, scratch.proposal)
            tries += PASSES
        for s in range(sites.size):
            scratch.sums[sites[s]] += own[s]
        budget -= tries * sites.size
        if budget <= 0:
            return n + 1, budget
    return count, budget


@kernel
def propose(rng, layout, r, y, values, noise, proposal):
    """Draw unconstrained disharmonies until they observe relation `r`; return the number of proposals.

    It is `PROPOSALS` + 1, and `y` as it was, if none of them did.
    """
    means = values[layout.site_constraint[layout.site_start[r] : layout.site_start[r + 1]]]
    for n in range(PROPOSALS):
        for s in range(means.size):
            proposal[s] = means[s] + noise * rng.standard_normal()
        if observes(layout, r, proposal):
            for s in range(y.size):
                y[s] = proposal[s]
            return n + 1
    return PROPOSALS + 1


@kernel
def observes(layout, r, y):
    """Return whether one vector of disharmonies observes relation `r`."""
    best_winner, best = -np.inf, -np.inf
    among_losers = False
    for e in range(layout.slot_start[r], layout.slot_start[r + 1]):
        s = layout.slot_site[e]
        if s >= 0:
            best = max(best, y[s])
        elif among_losers:
            if best_winner <= best:
                return False
            among_losers, best = False, -np.inf
        else:
            among_losers, best_winner, best = True, best, -np.inf
    return True
