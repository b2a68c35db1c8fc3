r"""Inner loops of the Gibbs sampler: augmented disharmonies, then ranking values.

One site is one constraint of one observation. Its full conditional is
:math:`N(\mu_i, \sigma^2)` on one interval: above the best loser of every conjunct
that only it can win, below the best winner of every conjunct it could lose.

Sites are visited in a fixed order, so the largest of a conjunct's *other* values is
the larger of a running maximum over those already drawn anew (``before``) and a
stored maximum over those still to come (``after``). Both cost one comparison, a
site costs O(conjuncts that contain it), and nothing is ever searched again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from otlab.inference.jit import kernel
from otlab.inference.random import truncated_normal

# Joint draws of centred ranking values before pairs are moved instead.
JOINT_TRIES = 20
# The published variant: proposals for one observation, then passes over its sites.
PROPOSALS = 200
PASSES = 10


class Layout(NamedTuple):
    """Which constraint stands where in each relation's conjuncts (see `augmentation`).

    Side ``2k`` of a relation holds the winners of its conjunct k, side ``2k + 1`` the
    losers; a side's sites lie in consecutive slots, closed by one empty slot.
    """

    counts: np.ndarray  # (R,) observations
    value_start: np.ndarray  # (R + 1,) where the relation's disharmonies begin
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
    """Noise and prior. With a proper prior `precision` has one entry a constraint, else none."""

    noise: float
    bound: float
    prior_mean: np.ndarray
    precision: np.ndarray


class Scratch(NamedTuple):
    """Room to work in, as large as the largest relation needs."""

    after: np.ndarray  # (slots,) largest value from this slot to the side's end
    before: np.ndarray  # (sides,) largest value already drawn anew
    current: np.ndarray  # (sides,) largest value of all
    proposal: np.ndarray  # (constraints,)
    sums: np.ndarray  # (constraints,)


@kernel
def augment(rng, layout, first, last, y, values, noise, scratch, sums):
    """Draw every site of `y` given the rest, and add the draws up, constraint by constraint.

    `y` holds observations of the relations from `first` to `last` (exclusive), one after
    another; where there is one relation, perhaps not all of its observations. The arrays
    get names of their own first: each look into the tuple would count references.
    """
    counts, site_start, site_constraint = layout.counts, layout.site_start, layout.site_constraint
    member_start, lose_start = layout.member_start, layout.lose_start
    member_side, member_slot = layout.member_side, layout.member_slot
    side_start, side_slot = layout.side_start, layout.side_slot
    slot_start, slot_site = layout.slot_start, layout.slot_site
    after, before, current = scratch.after, scratch.before, scratch.current
    at = 0
    for r in range(first, last):
        site = site_start[r]
        n_sites = site_start[r + 1] - site
        side, slot = side_start[r], slot_start[r]
        for _ in range(min(counts[r], (y.size - at) // n_sites)):
            for e in range(slot_start[r + 1] - slot - 1, -1, -1):
                s = slot_site[slot + e]
                after[e] = -np.inf if s < 0 else max(y[at + s], after[e + 1])
            for q in range(side_start[r + 1] - side):
                before[q] = -np.inf
                current[q] = after[side_slot[side + q]]
            for s in range(site, site + n_sites):
                low, high = -np.inf, np.inf
                for m in range(member_start[s], lose_start[s]):
                    q = member_side[m]
                    rival = current[q + 1]
                    if rival > low and max(before[q], after[member_slot[m] + 1]) < rival:
                        low = rival
                for m in range(lose_start[s], member_start[s + 1]):
                    high = min(high, current[member_side[m] - 1])
                value = truncated_normal(rng, values[site_constraint[s]], noise, low, high)
                y[at + s - site] = value
                sums[site_constraint[s]] += value
                for m in range(member_start[s], member_start[s + 1]):
                    q = member_side[m]
                    before[q] = max(before[q], value)
                    current[q] = max(before[q], after[member_slot[m] + 1])
            at += n_sites


@kernel
def add_free(rng, layout, counts, values, noise, sums):
    """Add unconstrained normals for the observations whose relation leaves a constraint out.

    There are `counts[r]` observations of relation r; the sum of n normals is one normal.
    """
    site_start, site_constraint = layout.site_start, layout.site_constraint
    free = np.full(values.size, counts.sum())
    for r in range(counts.size):
        for s in range(site_start[r], site_start[r + 1]):
            free[site_constraint[s]] -= counts[r]
    for i in range(values.size):
        if free[i] > 0:
            sums[i] += free[i] * values[i] + np.sqrt(free[i]) * noise * rng.standard_normal()


@kernel
def observes(layout, r, y):
    """Whether one vector of disharmonies observes relation `r`."""
    won, best = -np.inf, -np.inf
    losing = False
    for e in range(layout.slot_start[r], layout.slot_start[r + 1]):
        s = layout.slot_site[e]
        if s >= 0:
            best = max(best, y[s])
        elif losing:
            if won <= best:
                return False
            losing, best = False, -np.inf
        else:
            losing, won, best = True, best, -np.inf
    return True


@kernel
def propose(rng, layout, r, y, values, noise, proposal):
    """Draw unconstrained disharmonies until relation `r` holds; return whether it came to hold."""
    means = values[layout.site_constraint[layout.site_start[r] : layout.site_start[r + 1]]]
    for _ in range(PROPOSALS):
        for s in range(means.size):
            proposal[s] = means[s] + noise * rng.standard_normal()
        if observes(layout, r, proposal):
            y[:] = proposal[: y.size]
            return True
    return False


@kernel
def resample(rng, layout, r, count, y, values, noise, scratch):
    """Draw `count` fresh vectors that observe relation `r`; add them to the sums.

    Where no proposal holds, passes over the sites move the last vector that did, `y`.
    """
    sites = layout.site_constraint[layout.site_start[r] : layout.site_start[r + 1]]
    for _ in range(count):
        if not propose(rng, layout, r, y, values, noise, scratch.proposal):
            for _ in range(PASSES):
                augment(rng, layout, r, r + 1, y, values, noise, scratch, scratch.proposal)
        for s in range(sites.size):
            scratch.sums[sites[s]] += y[s]


@kernel
def move_pairs(rng, means, sd, bound, values):
    """Shift weight between each two ranking values, their sum and the bound kept."""
    for i in range(values.size):
        for j in range(i):
            low = max(-bound - values[i], values[j] - bound)
            high = min(bound - values[i], values[j] + bound)
            if sd == np.inf:
                t = low + (high - low) * rng.random()
            else:
                mean = 0.5 * ((means[i] - values[i]) - (means[j] - values[j]))
                t = truncated_normal(rng, mean, sd / np.sqrt(2.0), low, high)
            values[i] += t
            values[j] -= t


@kernel
def draw_centred_values(rng, means, sd, bound, values, proposal):
    """Draw ranking values given their augmented means, uniform prior on sum 0, |value| < bound.

    Both moves leave the conditional invariant and the choice between them depends on
    the means alone. `sd` is infinite where there are no observations.
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
            inside = inside and abs(proposal[i]) < bound
        if inside:
            values[:] = proposal[: values.size]
            return
    move_pairs(rng, means, sd, bound, values)


@kernel
def draw_values(rng, total, model, values, scratch):
    """Draw the ranking values given the sums of `total` observations' disharmonies."""
    sums = scratch.sums
    if model.precision.size == 0:
        sd = model.noise / np.sqrt(total) if total > 0 else np.inf
        for i in range(values.size):
            sums[i] /= max(total, 1)
        draw_centred_values(rng, sums, sd, model.bound, values, scratch.proposal)
        return
    for i in range(values.size):
        precision = total / model.noise**2 + model.precision[i]
        mean = (sums[i] / model.noise**2 + model.prior_mean[i] * model.precision[i]) / precision
        values[i] = mean + rng.standard_normal() / np.sqrt(precision)


@kernel
def record(sweep, thin, values, draws):
    """Write the centred values of every `thin`-th sweep into its row."""
    if sweep % thin == 0:
        centre = values.mean()
        for i in range(values.size):
            draws[sweep // thin - 1, i] = values[i] - centre


@kernel
def sweep_fixed(rng, layout, model, y, values, scratch, draws, sweep, n, thin):
    """Do `n` sweeps, each observation augmented once: stationary law is the posterior."""
    total = layout.counts.sum()
    for t in range(sweep + 1, sweep + n + 1):
        scratch.sums[:] = 0.0
        augment(rng, layout, 0, layout.counts.size, y, values, model.noise, scratch, scratch.sums)
        add_free(rng, layout, layout.counts, values, model.noise, scratch.sums)
        draw_values(rng, total, model, values, scratch)
        record(t, thin, values, draws)


@kernel
def draw_counts(rng, total, observed, counts):
    """Draw multinomial counts in proportion to those observed, one binomial after another."""
    left, mass = total, observed.sum()
    for r in range(observed.size):
        counts[r] = rng.binomial(left, observed[r] / mass)
        left -= counts[r]
        mass -= observed[r]


@kernel
def sweep_published(rng, layout, model, y, values, scratch, draws, sweep, n, thin):
    """Do `n` sweeps of Lin (2005), section 4: relations drawn anew from their frequencies."""
    total = layout.counts.sum()
    counts = np.zeros(layout.counts.size, np.int64)
    for t in range(sweep + 1, sweep + n + 1):
        scratch.sums[:] = 0.0
        draw_counts(rng, total, layout.counts, counts)
        for r in range(counts.size):
            own = y[layout.site_start[r] : layout.site_start[r + 1]]
            resample(rng, layout, r, counts[r], own, values, model.noise, scratch)
        add_free(rng, layout, counts, values, model.noise, scratch.sums)
        draw_values(rng, total, model, values, scratch)
        record(t, thin, values, draws)
