r"""Iterations of VB, EM and Gibbs over a parsed corpus.

With counts :math:`n_i` of item i and the prior :math:`\alpha`, VB's parameters are
:math:`\omega_i = \alpha_i + E[n_i]`, its weights
:math:`\ln \theta^*_i = \psi(\omega_i) - \psi(\sum_{c(j) = c(i)} \omega_j)`, and its objective
:math:`\sum_s \ln Z_s - \mathrm{KL}(\mathrm{Dir}(\omega) \| \mathrm{Dir}(\alpha))`.
"""

import math

import numpy as np

from otlab.inference.jit import kernel
from otlab.inference.kernels.draws import dirichlet
from otlab.inference.kernels.special import digamma
from otlab.mg.kernels.pick import sample
from otlab.mg.kernels.weights import SOLVED, UNSOLVED, inside, outside

ELBO, SUM_LOG_Z, KL = 0, 1, 2


@kernel
def category_sums(values, category, sums):
    """Sum values within each category."""
    sums[:] = 0.0
    for i in range(values.size):
        sums[category[i]] += values[i]


@kernel
def e_step(corpus, log_theta, score, mass, slot_weight, slot_count, log_z, count):
    """Write ln Z of each sentence and the expected count of each item; return SOLVED or not.

    Parameters
    ----------
    corpus : Packed
    log_theta : ndarray of shape (items,)
    score, mass : ndarray of shape (nodes,)
        Working space.
    slot_weight, slot_count : ndarray of shape (widest,)
        Working space.
    log_z : ndarray of shape (sentences,)
    count : ndarray of shape (items,)
    """
    slot_item, uses, slot_ptr, forest = corpus.slot_item, corpus.uses, corpus.slot_ptr, corpus.forest
    weights, single = corpus.weight, corpus.single
    count[:] = 0.0
    for s in range(forest.size):
        f, begin, weight = forest[s], slot_ptr[s], weights[s]
        slots = slot_ptr[s + 1] - begin
        # 1. one derivation: its weight is a product, its counts are its uses
        if single[f]:
            log_z[s] = -corpus.log_starts
            for i in range(begin, begin + slots):
                if uses[i] > 0.0:
                    log_z[s] += uses[i] * log_theta[slot_item[i]]
                    count[slot_item[i]] += weight * uses[i]
            continue
        # 2. several: inside weights, ln Z at the root, then expected uses by outside weights
        base, end = corpus.node_ptr[f], corpus.node_ptr[f + 1]
        for i in range(slots):
            slot_weight[i] = log_theta[slot_item[begin + i]]
            slot_count[i] = 0.0
        if inside(corpus.nodes, base, end, slot_weight, score) == UNSOLVED:
            return UNSOLVED
        log_z[s] = score[end - 1] - corpus.log_starts
        if log_z[s] == -np.inf:
            continue
        if outside(corpus.nodes, base, end, slot_weight, score, weight, mass, slot_count) == UNSOLVED:
            return UNSOLVED
        for i in range(slots):
            count[slot_item[begin + i]] += slot_count[i]
    return SOLVED


@kernel
def _total(corpus, log_z):
    total = 0.0
    for s in range(log_z.size):
        total += corpus.weight[s] * log_z[s]
    return total


@kernel
def vb_weights(omega, category, sums, log_theta):
    """Write ln theta* = psi(omega) - psi(sum of omega in the category)."""
    category_sums(omega, category, sums)
    for i in range(omega.size):
        log_theta[i] = digamma(omega[i]) - digamma(sums[category[i]])


@kernel
def kl_to_prior(omega, alpha, category, sums, log_theta):
    """Return the sum over categories of KL(Dir(omega) || Dir(alpha)); log_theta = E[ln theta]."""
    total = 0.0
    category_sums(omega, category, sums)
    for k in range(sums.size):
        if sums[k] > 0.0:
            total += math.lgamma(sums[k])
    category_sums(alpha, category, sums)
    for k in range(sums.size):
        if sums[k] > 0.0:
            total -= math.lgamma(sums[k])
    for i in range(omega.size):
        total += math.lgamma(alpha[i]) - math.lgamma(omega[i]) + (omega[i] - alpha[i]) * log_theta[i]
    return total


@kernel
def vb(corpus, alpha, omega, count, log_z, work, rows, n, start, tol):
    """Do `n` iterations of VB, each an update and its E-step; return how many, -1 if a loop is unsolved.

    Parameters
    ----------
    corpus : Packed
    alpha, omega, count : ndarray of shape (items,)
        Prior; parameters, updated; expected counts at `omega`, updated.
    log_z : ndarray of shape (sentences,)
        At the last E-step.
    work : tuple of ndarray
        score, mass, slot_weight, slot_count, sums, log_theta.
    rows : ndarray of shape (n + 1, 3)
        ELBO, sum of ln Z and KL; row 0 is the state before, the others are written.
    n : int
    start : bool
        Only evaluate the E-step at `omega`, into row 0.
    tol : float
        Stop when the ELBO rises by no more than this; 0 never stops.
    """
    score, mass, slot_weight, slot_count, sums, log_theta = work
    for i in range(0 if start else 1, n + 1):
        # 1. omega = alpha + expected counts
        if i > 0:
            for m in range(omega.size):
                omega[m] = alpha[m] + count[m]
        # 2. ln theta*, and the expected counts under it
        vb_weights(omega, corpus.category, sums, log_theta)
        if e_step(corpus, log_theta, score, mass, slot_weight, slot_count, log_z, count) == UNSOLVED:
            return -1
        # 3. ELBO = sum of ln Z - KL
        rows[i, SUM_LOG_Z] = _total(corpus, log_z)
        rows[i, KL] = kl_to_prior(omega, alpha, corpus.category, sums, log_theta)
        rows[i, ELBO] = rows[i, SUM_LOG_Z] - rows[i, KL]
        if tol > 0.0 and i > 0 and rows[i, ELBO] - rows[i - 1, ELBO] <= tol:
            return i
    return n


@kernel
def _maximise(theta, count, pseudo, category, sums):
    """Set theta to the shares of count + pseudo; a category without any keeps its shares."""
    sums[:] = 0.0
    for i in range(theta.size):
        sums[category[i]] += max(0.0, count[i] + pseudo[i])
    for i in range(theta.size):
        if sums[category[i]] > 0.0:
            theta[i] = max(0.0, count[i] + pseudo[i]) / sums[category[i]]


@kernel
def em(corpus, pseudo, theta, count, log_z, work, rows, n, start, tol):
    """Do `n` iterations of EM; as `vb`, with `theta` for omega and `pseudo` = alpha - 1 (MAP) or 0.

    The KL column holds minus the log prior, up to its constant: 0 for plain EM.
    """
    score, mass, slot_weight, slot_count, sums, log_theta = work
    for i in range(0 if start else 1, n + 1):
        # 1. M-step: theta from the expected counts, and the log prior
        if i > 0:
            _maximise(theta, count, pseudo, corpus.category, sums)
        rows[i, KL] = 0.0
        for m in range(theta.size):
            log_theta[m] = math.log(theta[m]) if theta[m] > 0.0 else -np.inf
            if pseudo[m] > 0.0:
                rows[i, KL] -= pseudo[m] * log_theta[m]
        # 2. E-step, and the objective
        if e_step(corpus, log_theta, score, mass, slot_weight, slot_count, log_z, count) == UNSOLVED:
            return -1
        rows[i, SUM_LOG_Z] = _total(corpus, log_z)
        rows[i, ELBO] = rows[i, SUM_LOG_Z] - rows[i, KL]
        if tol > 0.0 and i > 0 and rows[i, ELBO] - rows[i - 1, ELBO] <= tol:
            return i
    return n


@kernel
def _draw_theta(rng, alpha, count, category, sums, log_theta):
    """Draw ln theta of every category from its Dirichlet posterior."""
    for k in range(sums.size):
        members = np.flatnonzero(category == k)
        drawn = np.empty(members.size)
        dirichlet(rng, alpha[members] + count[members], drawn)
        for j in range(members.size):
            log_theta[members[j]] = math.log(drawn[j]) if drawn[j] > 0.0 else -np.inf


@kernel
def log_joint(alpha, count, category, sums):
    """Return ln P(derivations | alpha), theta integrated out."""
    total = 0.0
    category_sums(alpha, category, sums)
    for k in range(sums.size):
        if sums[k] > 0.0:
            total += math.lgamma(sums[k])
    category_sums(alpha + count, category, sums)
    for k in range(sums.size):
        if sums[k] > 0.0:
            total -= math.lgamma(sums[k])
    for i in range(alpha.size):
        total += math.lgamma(alpha[i] + count[i]) - math.lgamma(alpha[i])
    return total


@kernel
def gibbs(rng, corpus, alpha, count, log_z, work, row, sequence):
    """Do one sweep: theta given derivations, then derivations given theta; return SOLVED or not.

    Parameters
    ----------
    rng : Generator
    corpus, alpha, count, log_z, work
        As for `vb`; `count` holds the counts of the present derivations. ln of the drawn theta is
        left in the last array of `work`.
    row : ndarray of shape (3,)
        Gets ln P(derivations | alpha), the sum of ln Z, and 0.
    sequence : ndarray
        Working space for one derivation.
    """
    score, _, slot_weight, _, sums, log_theta = work
    # 1. theta given the derivations: Dirichlet(alpha + count)
    _draw_theta(rng, alpha, count, corpus.category, sums, log_theta)
    # 2. the derivations of each sentence given theta, top down by inside weights
    count[:] = 0.0
    for s in range(corpus.forest.size):
        f = corpus.forest[s]
        base, end = corpus.node_ptr[f], corpus.node_ptr[f + 1]
        begin = corpus.slot_ptr[s]
        for j in range(corpus.slot_ptr[s + 1] - begin):
            slot_weight[j] = log_theta[corpus.slot_item[begin + j]]
        if inside(corpus.nodes, base, end, slot_weight, score) == UNSOLVED:
            return -1
        log_z[s] = score[end - 1] - corpus.log_starts
        for _ in range(int(corpus.weight[s])):
            length = sample(rng, corpus.nodes, base, end, slot_weight, score, sequence)
            if length < 0:
                return -1
            for j in range(length):
                count[corpus.slot_item[begin + sequence[j]]] += 1.0
    row[ELBO] = log_joint(alpha, count, corpus.category, sums)
    row[SUM_LOG_Z] = _total(corpus, log_z)
    row[KL] = 0.0
    return 0
