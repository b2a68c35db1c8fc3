"""Forward-backward algorithm over segmentations, which replaces the chart for word grammars.

If a grammar has the form ``S -> A+``, ``A -> X+`` with A adapted and X a class of
phones, an analysis is a segmentation, and the inside algorithm becomes that of a semi-Markov
chain: alpha[j] = sum over i of alpha[i] * w(i, j). The counts are those of
``chart.expected_counts``, in time and memory proportional to the number of spans.

A factor per phone keeps the sums of most utterances within float64. If it does not, as for hundreds of
phones without a pause, alpha is first computed in logarithms, and w(i, j) is multiplied by
exp(L[j] - L[i]) with L[j] = -ln alpha[j]. Then every alpha is 1, no posterior changes, and ln Z of the
original weights is ln Z of these less L[n].
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from otlab.discovery.kernels.layout import LARGEST, SMALLEST
from otlab.discovery.kernels.trees import BUILT, LOOKED_UP, RULE, pick
from otlab.inference.jit import inlined, kernel


class Segmentation(NamedTuple):
    """Weights of the segmentations of one utterance, and of their words.

    Attributes
    ----------
    rules : float64 ndarray of shape (6,)
        Weights of the six rules of :class:`~otlab.discovery.kernels.layout.Lattice`.
    phones : float64 ndarray of shape (phones,)
        Weight of each phone; 0 for a phone without a rule.
    looked_up, built : float64 ndarray of shape (n + 1, n + 1)
        Weight of a word over phones i..j - 1 that is looked up, and that is built from rules.
    alpha, beta : float64 ndarray of shape (n + 1,)
        Summed weight of the segmentations of the first j phones, and of those of the rest, the latter
        divided by Z.
    level : float64 ndarray of shape (n + 1,)
        L: logarithm of the factor by which the weights up to j are multiplied, beside the factor per phone.
    factor : float64 ndarray of shape (n,)
        Factor of each phone in the weights that :func:`draw_segmentation` computes.
    """

    rules: np.ndarray
    phones: np.ndarray
    looked_up: np.ndarray
    built: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray
    level: np.ndarray
    factor: np.ndarray


@kernel
def new_segmentation(lattice, rule_weight, longest):
    """Return working arrays for utterances of at most `longest` phones."""
    size = longest + 1
    return Segmentation(
        rule_weight[lattice.rules],
        phone_weights(lattice.phone, rule_weight),
        np.zeros((size, size)),
        np.zeros((size, size)),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
    )


@kernel
def phone_weights(phone_rule, weight):
    """Return the weight of each phone; 0 for a phone without a rule."""
    out = np.zeros(phone_rule.size)
    for p in range(phone_rule.size):
        if phone_rule[p] >= 0:
            out[p] = weight[phone_rule[p]]
    return out


@inlined
def word_weights(text, at, n, weights, unit, segmentation):
    """Fill the weights of all words of an utterance, looked up and built from rules."""
    phones, row, ids = text.phones, text.row, text.ids
    rules, phone_weight = segmentation.rules, segmentation.phones
    looked_up, built = segmentation.looked_up, segmentation.built
    mass, scale = weights.mass[0], weights.scale[0]
    one = weights.fresh[0] * rules[3] * rules[4]
    for i in range(n):
        from_rules = one
        power = 1.0
        start = row[at + i] - i - 1
        for j in range(i + 1, n + 1):
            from_rules *= phone_weight[phones[at + j - 1]] * unit
            power *= unit
            built[i, j] = from_rules
            string = ids[start + j]
            looked_up[i, j] = mass[string] * scale * power if string >= 0 else 0.0
            from_rules *= rules[5]


@inlined
def weigh(text, at, n, weights, unit, segmentation):
    """Fill the weights of all words, alpha and level; return Z (times unit**n and exp(level[n]))."""
    word_weights(text, at, n, weights, unit, segmentation)
    segmentation.level[: n + 1] = 0.0
    z = forward(n, segmentation)
    if not SMALLEST < z < LARGEST:
        rescale(n, segmentation)
        z = forward(n, segmentation)
    return z


@kernel
def rescale(n, segmentation):
    """Fill level by a forward pass in logarithms, and rescale the weights of words by it."""
    rules, looked_up, built, level = (
        segmentation.rules, segmentation.looked_up, segmentation.built, segmentation.level,
    )  # fmt: skip
    # 1. ln alpha
    log_alpha = np.full(n + 1, -np.inf)
    log_alpha[0] = math.log(rules[0])
    for i in range(n):
        here = log_alpha[i] + (math.log(rules[2]) if i > 0 else 0.0)
        for j in range(i + 1, n + 1):
            w = looked_up[i, j] + built[i, j]
            if w > 0.0:
                log_alpha[j] = np.logaddexp(log_alpha[j], here + math.log(w))
    # 2. level, and w(i, j) times exp(L[j] - L[i])
    for j in range(1, n + 1):
        level[j] = -log_alpha[j] if log_alpha[j] > -np.inf else level[j - 1]
    for i in range(n):
        for j in range(i + 1, n + 1):
            # Only weights of 0 could have a larger factor than this.
            factor = math.exp(min(level[j] - level[i], 690.0))
            looked_up[i, j] *= factor
            built[i, j] *= factor


@inlined
def forward(n, segmentation):
    """Fill alpha; return Z (times unit**n)."""
    rules, looked_up, built = segmentation.rules, segmentation.looked_up, segmentation.built
    alpha = segmentation.alpha
    alpha[0] = rules[0]
    for j in range(1, n + 1):
        # alpha[j] = sum over i of alpha[i] w(i, j), times the rule that continues or ends the utterance
        total = 0.0
        for i in range(j):
            total += alpha[i] * (looked_up[i, j] + built[i, j])
        alpha[j] = total * (rules[2] if j < n else rules[1])
    return alpha[n]


@kernel
def segment_counts(text, items, lattice, weights, unit, counts, ends, log_z):
    """Add the expected counts of a list of utterances to `counts`, as ``chart.expected_counts`` does."""
    failed = 0
    longest = items.n.max()
    segmentation = new_segmentation(lattice, weights.rule, longest)
    inside_built = np.zeros(longest + 2)
    phone_total = np.zeros(lattice.phone.size)
    utterances, words, new_words, new_phones = 0.0, 0.0, 0.0, 0.0
    log_unit = math.log(unit)
    # 1. for each utterance, Z, and the posteriors of its words and phones
    for k in range(items.at.size):
        at, n = items.at[k], items.n[k]
        z = weigh(text, at, n, weights, unit, segmentation)
        if not z > 0.0:
            log_z[k] = -np.inf
            failed += 1
            continue
        log_z[k] = math.log(z) - n * log_unit - segmentation.level[n]
        utterances += 1.0
        new_words, new_phones = backward(
            text, at, n, z, segmentation, counts, ends, inside_built, new_words, new_phones
        )
        words = add_phones(text, at, n, ends, inside_built, phone_total, words)
    # 2. the uses of rules, from the totals
    add_rules(lattice, utterances, words, new_words, new_phones, phone_total, counts)
    return failed


@kernel
def backward(text, at, n, z, segmentation, counts, ends, inside_built, new_words, new_phones):
    """Fill beta, and add the posteriors of words; return the totals of words and phones built from rules.

    ``inside_built[k]`` is set to the posterior that phone k is in a word built from rules, less that of
    phone k - 1.
    """
    row, ids = text.row, text.ids
    rules, looked_up, built = segmentation.rules, segmentation.looked_up, segmentation.built
    alpha, beta = segmentation.alpha, segmentation.beta
    used, built_count = counts.used[0], counts.built[0]
    nowhere = built_count.size - 1
    beta[n] = rules[1] / z
    inside_built[: n + 1] = 0.0
    ends[at : at + n] = 0.0
    for i in range(n - 1, -1, -1):
        total = 0.0
        start = row[at + i] - i - 1
        for j in range(i + 1, n + 1):
            # the posterior of word i..j - 1, looked up or built: alpha[i] w(i, j) beta[j]
            old = looked_up[i, j] * beta[j]
            new = built[i, j] * beta[j]
            total += old + new
            p_old = alpha[i] * old
            p_new = alpha[i] * new
            string = ids[start + j]
            if string >= 0:
                used[string] += p_old
            if nowhere > 0:
                built_count[string if string >= 0 else nowhere] += p_new
            ends[at + j - 1] += p_old + p_new
            inside_built[i] += p_new
            inside_built[j] -= p_new
            new_words += p_new
            new_phones += p_new * (j - i)
        beta[i] = total * rules[2]
    return new_words, new_phones


@kernel
def add_phones(text, at, n, ends, inside_built, phone_total, words):
    """Add the posterior that each phone is in a word built from rules; return the sum of words so far."""
    covered = 0.0
    for k in range(n):
        words += ends[at + k]
        covered += inside_built[k]
        phone_total[text.phones[at + k]] += covered
    return words


@kernel
def add_rules(lattice, utterances, words, new_words, new_phones, phone_total, counts):
    """Add the expected uses of the six rules and of the phones' rules, from totals over utterances."""
    rules, rule_count = lattice.rules, counts.rule
    if counts.built.shape[1] == 1:
        counts.built[0, 0] += new_words
    rule_count[rules[0]] += utterances
    rule_count[rules[1]] += utterances
    rule_count[rules[2]] += words - utterances
    rule_count[rules[3]] += new_words
    rule_count[rules[4]] += new_words
    rule_count[rules[5]] += new_phones - new_words
    for p in range(phone_total.size):
        if lattice.phone[p] >= 0:
            rule_count[lattice.phone[p]] += phone_total[p]


@kernel
def empty(row):
    """Set all entries to 0."""
    row[:] = 0.0


@kernel
def own_counts(phones, items, lattice, weight, rule_count, log_z):
    """Add the rules of each stored word's own tree, of which there is only one, and write its log weight."""
    rules, log_weight = lattice.rules, np.log(weight)
    for item in range(items.at.size):
        n = items.n[item]
        log_z[item] = log_weight[rules[3]] + log_weight[rules[4]] + (n - 1) * log_weight[rules[5]]
        rule_count[rules[3]] += 1.0
        rule_count[rules[4]] += 1.0
        rule_count[rules[5]] += n - 1.0
        for k in range(items.at[item], items.at[item] + n):
            rule = lattice.phone[phones[k]]
            rule_count[rule] += 1.0
            log_z[item] += log_weight[rule]


@inlined
def draw_segmentation(rng, text, item, lattice, weights, unit, segmentation, entries, cuts, steps):
    """Draw a tree, as ``trees.draw`` does, by forward filtering and backward sampling.

    The same weights as those of :func:`weigh`, computed where they are needed.
    """
    at, n = item.at, item.n
    level, factor = segmentation.level, segmentation.factor
    # 1. compute alpha; in long utterances each phone has its own factor, so that alpha stays within float64
    for k in range(n):
        factor[k] = unit
    z = filter_words(text, at, n, weights, segmentation)
    if not SMALLEST < z < LARGEST:
        weigh(text, at, n, weights, unit, segmentation)
        for k in range(n):
            factor[k] = unit * math.exp(level[k + 1] - level[k])
        filter_words(text, at, n, weights, segmentation)
    # 2. draw where words begin
    words = draw_cuts(rng, text, at, n, weights, segmentation, cuts)
    row, ids, phones = text.row, text.ids, text.phones
    rules, phone_rule = lattice.rules, lattice.phone
    mass = weights.mass
    head, after, entry_weight = entries
    kinds, values, lefts, rights = steps.kinds, steps.values, steps.lefts, steps.rights
    # 3. for each word, draw whether it is looked up or built from rules; write its steps in preorder
    kinds[0] = RULE
    values[0] = rules[0]
    t = 1
    for w in range(words - 1, -1, -1):
        i = cuts[w]
        j = cuts[w - 1] if w > 0 else n
        kinds[t] = RULE
        values[t] = rules[1] if w == 0 else rules[2]
        t += 1
        lefts[t] = i
        rights[t] = j
        looked_up, built = one_word(text, at, i, j, weights, segmentation)
        if rng.random() * (looked_up + built) < looked_up:
            kinds[t] = LOOKED_UP
            string = ids[row[at + i] + j - i - 1]
            values[t] = pick(rng, head[0, string], mass[0, string], after, entry_weight)
            t += 1
            continue
        kinds[t] = BUILT
        values[t] = 0
        kinds[t + 1] = RULE
        values[t + 1] = rules[3]
        t += 2
        for k in range(i, j):
            kinds[t] = RULE
            values[t] = rules[5] if k < j - 1 else rules[4]
            kinds[t + 1] = RULE
            values[t + 1] = phone_rule[phones[at + k]]
            t += 2
    return t


@inlined
def filter_words(text, at, n, weights, segmentation):
    """Fill alpha from the factors of the phones; return Z times all of them.

    The words built from rules that end at j are those that end at j - 1 with one more phone, and one
    of a single phone: one number carries their sum from phone to phone.
    """
    phones, row, ids = text.phones, text.row, text.ids
    rules, phone_weight = segmentation.rules, segmentation.phones
    alpha, factor = segmentation.alpha, segmentation.factor
    mass, scale = weights.mass[0], weights.scale[0]
    single, further = weights.fresh[0] * rules[3] * rules[4], rules[5]
    alpha[0] = rules[0]
    for j in range(1, n + 1):
        alpha[j] = 0.0
    built = 0.0
    for i in range(n):
        if i > 0:
            alpha[i] = (alpha[i] + built) * rules[2]
        built = (built * further + alpha[i] * single) * phone_weight[phones[at + i]] * factor[i]
        before = alpha[i] * scale
        start = row[at + i] - i
        for k in range(i, n):
            string = ids[start + k]
            if string < 0:  # no longer string has a number either
                break
            before *= factor[k]
            alpha[k + 1] += before * mass[string]
    alpha[n] = (alpha[n] + built) * rules[1]
    return alpha[n]


@inlined
def draw_cuts(rng, text, at, n, weights, segmentation, cuts):
    """Draw the beginnings of words, from the last word to the first; return the number of words."""
    phones, row, ids = text.phones, text.row, text.ids
    rules, phone_weight = segmentation.rules, segmentation.phones
    alpha, factor = segmentation.alpha, segmentation.factor
    mass, scale = weights.mass[0], weights.scale[0]
    single, further = weights.fresh[0] * rules[3] * rules[4], rules[5]
    words = 0
    j = n
    for _ in range(n):
        # P(i | j) is proportional to alpha[i] w(i, j)
        u = rng.random() * alpha[j] / (rules[2] if j < n else rules[1])
        i = j - 1
        built, power = single, scale
        for k in range(j - 1, -1, -1):
            built *= phone_weight[phones[at + k]] * factor[k]
            power *= factor[k]
            string = ids[row[at + k] + j - k - 1]
            looked_up = mass[string] * power if string >= 0 else 0.0
            w = alpha[k] * (looked_up + built)
            u -= w
            if w > 0.0:
                i = k
                if u < 0.0:
                    break
            built *= further
        cuts[words] = i
        words += 1
        j = i
        if j == 0:
            break
    return words


@inlined
def one_word(text, at, i, j, weights, segmentation):
    """Return the weights of word i..j - 1: looked up, and built from rules."""
    rules, factor = segmentation.rules, segmentation.factor
    power, built = 1.0, weights.fresh[0] * rules[3] * rules[4]
    for k in range(i, j):
        power *= factor[k]
        built *= segmentation.phones[text.phones[at + k]] * factor[k] * (rules[5] if k > i else 1.0)
    string = text.ids[text.row[at + i] + j - i - 1]
    looked_up = weights.mass[0, string] * weights.scale[0] * power if string >= 0 else 0.0
    return looked_up, built
