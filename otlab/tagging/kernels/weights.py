r"""From expected counts to weights: EM's shares, and VB's exp(digamma) with its KL.

Variational Bayes weighs an outcome of posterior count v by :math:`f(v) = e^{\psi(v)}`
(Johnson 2007, equation 4), and its free energy needs :math:`\ln\Gamma(v)` too. With
x = v + 6 and :math:`P(v) = v (v + 1) \cdots (v + 5)`,

.. math::
    \psi(v) = \psi(x) - P'(v) / P(v), \quad
    \psi(x) = \ln x - \frac{1}{2x} - \frac{1}{12 x^2} + \frac{1}{120 x^4} - \cdots, \quad
    \ln\Gamma(v) = \ln\Gamma(x) - \ln P(v),

so a cell takes one logarithm, one exponential and two divisions; the logarithm of P is
computed once for the product of several cells. Johnson's (5) prints the recurrence as
:math:`(\psi(v + 1) - 1) / v` and its x^-4 term with the wrong sign (it is -7/960).

Logarithm and exponential are polynomials here (Cody & Waite 1980), because the compiler can
vectorise loops over polynomials but not over calls of the C library.
"""

from __future__ import annotations

import math

import numpy as np

from otlab.inference.jit import inlined, kernel

__all__ = ["bayes_active_rows", "bayes_rows", "count_filled", "gather_rows", "share_rows", "sum_rows"]

_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_LOG2_E = 1.4426950408889634
_HALF_LOG_2PI = 0.9189385332046727
_MANTISSA = (1 << 52) - 1
_ONE = 1023 << 52
_ROWS = 8
_MANY_ROWS = 32


@kernel
def log_all(x_bits, mantissa, mantissa_bits, out):
    """Write the natural logarithms of positive normal numbers, given as their bits.

    `mantissa_bits` is work space and `mantissa` the same memory viewed as float64. No
    loop uses both views, because the compiler could not vectorise it.
    """
    for i in range(out.size):
        mantissa_bits[i] = (x_bits[i] & _MANTISSA) | _ONE
        out[i] = (x_bits[i] >> 52) - 1023
    for i in range(out.size):
        m = mantissa[i]
        big = m > 1.4142135623730951
        m = 0.5 * m if big else m
        exponent = out[i] + (1.0 if big else 0.0)
        s = np.divide(m - 1.0, m + 1.0)
        q = s * s
        series = 2 / 19 + q * (2 / 21)
        series = 2 / 15 + q * (2 / 17 + q * series)
        series = 2 / 11 + q * (2 / 13 + q * series)
        series = 2 / 7 + q * (2 / 9 + q * series)
        series = 2 / 3 + q * (2 / 5 + q * series)
        out[i] = exponent * _LN2_HIGH + (2.0 * s + (s * q * series + exponent * _LN2_LOW))


@kernel
def exp_all(x, power_bits, power, out):
    """Write the exponentials of numbers <= 0; below -700 they are 0. `power` is `power_bits` as float64."""
    for i in range(out.size):
        v = x[i] if x[i] > -700.0 else -700.0
        whole = np.int64(v * _LOG2_E - 0.5)
        n = np.float64(whole)
        r = (v - n * _LN2_HIGH) - n * _LN2_LOW
        p = 1 / 6227020800
        p = 1 / 39916800 + r * (1 / 479001600 + r * p)
        p = 1 / 362880 + r * (1 / 3628800 + r * p)
        p = 1 / 5040 + r * (1 / 40320 + r * p)
        p = 1 / 120 + r * (1 / 720 + r * p)
        p = 1 / 6 + r * (1 / 24 + r * p)
        p = 1.0 + r * (1.0 + r * (0.5 + r * p))
        out[i] = p if x[i] > -700.0 else 0.0
        power_bits[i] = (whole + 1023) << 52
    for i in range(out.size):
        out[i] *= power[i]


@kernel
def gather_rows(tables, low, high, emissions):
    """Add the shards' emission counts of words `low` ... `high` in order, and clear them."""
    shards, _, states = tables.shape
    for w in range(low, high):
        for k in range(states):
            emissions[w, k] = tables[0, w, k]
            tables[0, w, k] = 0
        for shard in range(1, shards):
            for k in range(states):
                emissions[w, k] += tables[shard, w, k]
                tables[shard, w, k] = 0


@kernel
def sum_rows(emissions, added, allowed, masked, low, high):
    """Return each state's tokens of words `low` ... `high`, counts as :func:`share_rows` takes them."""
    states = emissions.shape[1]
    sums = np.zeros(states)
    for w in range(low, high):
        for k in range(states):
            c = emissions[w, k] + added
            c = c if c > 0.0 else 0.0
            sums[k] += c if not masked or allowed[w, k] else 0.0
    return sums


@kernel
def count_filled(emissions, low, high):
    """Return how many counts of words `low` ... `high` are not 0."""
    filled = 0
    for w in range(low, high):
        for k in range(emissions.shape[1]):
            filled += 1 if emissions[w, k] != 0 else 0
    return filled


@kernel
def share_rows(emissions, added, allowed, masked, inverse, least, low, high, emission, log_scale):
    """Write the shares of each state's tokens (times `inverse`), counts raised by `added` and clipped at 0.

    No allowed state's weight is below `least` times that of the word's best. A word without
    any count gets the same weight in all its states: that of a word that occurs
    once in as many tokens as there are types.
    """
    types, states = emission.shape
    row = np.empty(states)
    for w in range(low, high):
        for k in range(states):
            c = emissions[w, k] + added
            row[k] = (c if c > 0.0 else 0.0) * inverse[k]
        if masked:
            for k in range(states):
                row[k] = row[k] if allowed[w, k] else 0.0
        top = row[0]
        for k in range(1, states):
            top = row[k] if row[k] > top else top
        if top > 0.0:
            f = np.divide(1.0, top)
            for k in range(states):
                weight = row[k] * f
                emission[w, k] = weight if weight > least else least
            if masked:
                for k in range(states):
                    if not allowed[w, k]:
                        emission[w, k] = 0.0
            log_scale[w] = math.log(top)
        else:
            for k in range(states):
                emission[w, k] = 1.0 if not masked or allowed[w, k] else 0.0
            log_scale[w] = -math.log(types)


@inlined
def _digamma_cells(counts, prior, shifts, constant, logs, x, psi, cell):
    """Fill psi and the divergence of each cell; `x`, v + 6 before, becomes P(v) (module's formulas)."""
    for i in range(x.size):
        v = counts[i] + prior
        a, b, c = v * (v + 1.0), (v + 2.0) * (v + 3.0), (v + 4.0) * (v + 5.0)
        p = a * b * c
        slope = (2.0 * v + 1.0) * b * c + (2.0 * v + 5.0) * a * c + (2.0 * v + 9.0) * a * b
        r = np.divide(1.0, x[i] * p)
        y = r * p
        q = y * y
        tail = 1 / 252 - q * (1 / 240 - q * (1 / 132 - q * (691 / 32760 - q * (1 / 12))))
        digamma = logs[i] - 0.5 * y - q * (1 / 12 - q * (1 / 120 - q * tail)) - slope * (r * x[i])
        tail = 1 / 1260 - q * (1 / 1680 - q * (1 / 1188 - q * (691 / 360360 - q * (1 / 156))))
        log_gamma = (x[i] - 0.5) * logs[i] - x[i] + y * (1 / 12 - q * (1 / 360 - q * tail))
        cell[i] = constant - log_gamma + counts[i] * digamma
        psi[i] = digamma - shifts[i]
        x[i] = p


@kernel
def bayes_rows(emissions, prior, allowed, masked, shift, low, high, emission, log_scale):
    """Write VB's weights of words `low` ... `high`; return their share of the KL divergence.

    Rows are processed eight at a time, so that vectorised loops have no remainder.

    Parameters
    ----------
    emissions, prior
        Expected counts (types, states) and alpha_x.
    allowed, masked
        Which states a word may have, if `masked`.
    shift
        digamma of each state's posterior total.

    Returns
    -------
    float
        Sum over cells of ln Gamma(prior) - ln Gamma(v) + (v - prior) psi(v).
    """
    states = shift.size
    size = _ROWS * states
    counts, shifts, psi = np.empty(size), np.empty(size), np.empty(size)
    product, sums = np.ones(size), np.zeros(size)
    x, logs, cell = np.empty(size), np.empty(size), np.empty(size)
    bits = np.empty(size, np.int64)
    power, x_bits, product_bits = bits.view(np.float64), x.view(np.int64), product.view(np.int64)
    for i in range(size):
        shifts[i] = shift[i % states]
    constant = math.lgamma(prior) - _HALF_LOG_2PI
    for first in range(low, high, _ROWS):
        rows = min(_ROWS, high - first)
        # 1. the counts of eight rows side by side, and ln(v + 6)
        for r in range(rows):
            for k in range(states):
                counts[r * states + k] = emissions[first + r, k]
        for i in range(rows * states, size):
            counts[i] = 0.0
        for i in range(size):
            x[i] = counts[i] + prior + 6.0
        log_all(x_bits, power, bits, logs)
        # 2. digamma, and the cell's share of the divergence
        _digamma_cells(counts, prior, shifts, constant, logs, x, psi, cell)
        for r in range(rows):
            # A forbidden cell has count 0: exp(-inf) for its weight, nothing for the sums.
            for k in range(states if masked else 0):
                if not allowed[first + r, k]:
                    i = r * states + k
                    psi[i], cell[i], x[i] = -np.inf, 0.0, 1.0
        for i in range(rows * states, size):
            cell[i], x[i] = 0.0, 1.0
        # 3. sums over rows; the logarithm of P(v) of four blocks' product at once
        for i in range(size):
            sums[i] += cell[i]
            product[i] *= x[i]
        if (first - low) % (4 * _ROWS) == 3 * _ROWS or first + rows == high:
            log_all(product_bits, power, bits, logs)
            for i in range(size):
                sums[i] += logs[i]
                product[i] = 1.0
        # 4. weights exp(psi), each word's row divided by its largest
        for r in range(rows):
            row = psi[r * states : (r + 1) * states]
            top = row[0]
            for k in range(1, states):
                top = row[k] if row[k] > top else top
            for k in range(states):
                row[k] -= top
            log_scale[first + r] = top
        exp_all(psi, bits, power, x)
        for r in range(rows):
            for k in range(states):
                emission[first + r, k] = x[r * states + k]
    return sums.sum()


@kernel
def bayes_active_rows(emissions, prior, prior_psi, shift, low, high, emission, log_scale):
    """Do what :func:`bayes_rows` does without a mask, in less time where most counts are 0.

    A cell of count 0 has the posterior count `prior`: its weight is exp(psi(prior) - shift), and its
    divergence is 0. Only the other cells take a logarithm; those of 32 rows stand side by side.

    Parameters
    ----------
    prior_psi
        digamma of `prior`.
    """
    states = shift.size
    size = _MANY_ROWS * states
    counts, shifts, psi = np.empty(size), np.empty(size), np.empty(size)
    product, sums = np.ones(size), np.zeros(size)
    x, logs, cell = np.empty(size), np.empty(size), np.empty(size)
    bits = np.empty(size, np.int64)
    power, x_bits, product_bits = bits.view(np.float64), x.view(np.int64), product.view(np.int64)
    rows_of, columns = np.empty(size + 1, np.int32), np.empty(size + 1, np.int32)
    tops, shares = np.zeros(_MANY_ROWS), np.empty(_MANY_ROWS)
    constant = math.lgamma(prior) - _HALF_LOG_2PI
    highest = prior_psi - shift.min()
    unseen = np.exp(prior_psi - shift - highest)
    longest = 0
    for first in range(low, high, _MANY_ROWS):
        rows = min(_MANY_ROWS, high - first)
        # 1. the counts above 0, side by side, and ln(v + 6)
        n = 0
        for r in range(rows):
            tops[r] = highest
            for k in range(states):
                if emissions[first + r, k] != 0:
                    rows_of[n], columns[n] = r, k
                    n += 1
        padded = min((n + 7) // 8 * 8, size)
        for i in range(n):
            counts[i] = emissions[first + rows_of[i], columns[i]]
            shifts[i] = shift[columns[i]]
        for i in range(n, padded):
            counts[i], shifts[i] = 0.0, highest
        for i in range(padded):
            x[i] = counts[i] + prior + 6.0
        log_all(x_bits, power, bits, logs[:padded])
        # 2. digamma, and the cell's share of the divergence
        _digamma_cells(counts, prior, shifts, constant, logs, x[:padded], psi, cell)
        for i in range(n, padded):
            cell[i], x[i] = 0.0, 1.0
        # 3. sums over rows; the logarithm of P(v) of four blocks' product at once
        for i in range(padded):
            sums[i] += cell[i]
            product[i] *= x[i]
        longest = max(longest, padded)
        if (first - low) % (4 * _MANY_ROWS) == 3 * _MANY_ROWS or first + rows == high:
            log_all(product_bits, power, bits, logs[:longest])
            for i in range(longest):
                sums[i] += logs[i]
                product[i] = 1.0
            longest = 0
        # 4. weights exp(psi), each word's row divided by its largest
        for i in range(n):
            tops[rows_of[i]] = max(tops[rows_of[i]], psi[i])
        for i in range(n):
            psi[i] -= tops[rows_of[i]]
        exp_all(psi, bits, power, x[:padded])
        for r in range(rows):
            log_scale[first + r] = tops[r]
            tops[r] = highest - tops[r]
        exp_all(tops, bits, power, shares)
        for r in range(rows):
            for k in range(states):
                emission[first + r, k] = unseen[k] * shares[r]
        for i in range(n):
            emission[first + rows_of[i], columns[i]] = x[i]
    return sums.sum()
