"""Kernels of the Gibbs sampler as published: each sweep draws the ordering relations anew.

Lin (2005), section 4, step 1: an ordering relation d from its relative frequency p(D), then
disharmonies from the normal distributions such that they observe d. Vectors are proposed
without constraint and rejected until one observes d (section 5.2, "a direct
implementation"); where no proposal does, the last vector that did is moved site by site.
"""

from __future__ import annotations

import numpy as np

from otlab.inference.jit import kernel
from otlab.ot.kernels.gibbs import draw_disharmonies, draw_free_sums, draw_ranking_values, record

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
        draw_free_sums(rng, layout, counts, values, model.noise, scratch.sums)
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
            y[:] = proposal[: y.size]
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
