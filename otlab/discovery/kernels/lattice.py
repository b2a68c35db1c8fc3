"""Forward-backward over segmentations: the chart of a word grammar, without the chart.

For grammars of the shape ``S -> A+``, ``A -> X+`` with A adapted and X a class of
phones, an analysis is a segmentation, and the inside algorithm becomes a semi-Markov
chain: alpha[j] = sum over i of alpha[i] * w(i, j). The same counts as
``chart_kernels.expected_counts``, in time and memory of the spans alone.
"""

from __future__ import annotations

import math

import numpy as np

from otlab.discovery.kernels.chart import BUILT, LOOKED_UP, RULE, pick
from otlab.inference.jit import kernel


@kernel
def phone_weights(phone_rule, weight):
    """Return the weight of each phone; 0 for one without a rule."""
    out = np.zeros(phone_rule.size)
    for p in range(phone_rule.size):
        if phone_rule[p] >= 0:
            out[p] = weight[phone_rule[p]]
    return out


@kernel
def word_weights(phones, at, n, row, ids, phone_weight, rules, mass, scale, fresh, unit, looked_up, built):
    """Fill the weights of all words of an utterance: looked up, and built anew."""
    one = fresh * rules[3] * rules[4]
    for i in range(n):
        anew = one
        power = 1.0
        start = row[at + i] - i - 1
        for j in range(i + 1, n + 1):
            anew *= phone_weight[phones[at + j - 1]] * unit
            power *= unit
            built[i, j] = anew
            string = ids[start + j]
            looked_up[i, j] = mass[string] * scale * power if string >= 0 else 0.0
            anew *= rules[5]


@kernel
def forward(n, rules, looked_up, built, alpha):
    """Fill alpha; return Z (times unit**n). rules: start, last, more, word, last phone, more phones."""
    alpha[0] = rules[0]
    for j in range(1, n + 1):
        total = 0.0
        for i in range(j):
            total += alpha[i] * (looked_up[i, j] + built[i, j])
        alpha[j] = total * (rules[2] if j < n else rules[1])
    return alpha[n]


@kernel
def segment_counts(
    phones, items_at, items_n, row, ids, rule_numbers, phone_rule, weight, mass, scale, fresh, unit, longest,
    rule_count, used, built_count, ends, log_z,
):  # fmt: skip
    """Add the expected counts of a list of utterances, as ``chart_kernels.expected_counts`` does."""
    failed = 0
    rules = weight[rule_numbers]
    phone_weight = phone_weights(phone_rule, weight)
    looked_up = np.zeros((longest + 1, longest + 1))
    built = np.zeros((longest + 1, longest + 1))
    alpha = np.zeros(longest + 1)
    beta = np.zeros(longest + 1)
    inside_built = np.zeros(longest + 2)
    nowhere = built_count.size - 1
    phone_total = np.zeros(phone_rule.size)
    words = 0.0
    utterances = 0.0
    new_words = 0.0
    new_phones = 0.0
    log_unit = math.log(unit)
    for item in range(items_at.size):
        at = items_at[item]
        n = items_n[item]
        word_weights(phones, at, n, row, ids, phone_weight, rules, mass, scale, fresh, unit, looked_up, built)
        z = forward(n, rules, looked_up, built, alpha)
        if not z > 0.0:
            log_z[item] = -np.inf
            failed += 1
            continue
        log_z[item] = math.log(z) - n * log_unit
        utterances += 1.0
        beta[n] = rules[1] / z
        inside_built[: n + 1] = 0.0
        ends[at : at + n] = 0.0
        for i in range(n - 1, -1, -1):
            total = 0.0
            start = row[at + i] - i - 1
            for j in range(i + 1, n + 1):
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
        covered = 0.0
        for k in range(n):
            words += ends[at + k]
            covered += inside_built[k]
            phone_total[phones[at + k]] += covered
    if nowhere == 0:
        built_count[0] += new_words
    rule_count[rule_numbers[0]] += utterances
    rule_count[rule_numbers[1]] += utterances
    rule_count[rule_numbers[2]] += words - utterances
    rule_count[rule_numbers[3]] += new_words
    rule_count[rule_numbers[4]] += new_words
    rule_count[rule_numbers[5]] += new_phones - new_words
    for p in range(phone_rule.size):
        if phone_rule[p] >= 0:
            rule_count[phone_rule[p]] += phone_total[p]
    return failed


@kernel
def empty(row):
    """Set every entry to 0."""
    row[:] = 0.0


@kernel
def own_counts(phones, at, lengths, rule_numbers, phone_rule, weight, rule_count, log_z):
    """Add the rules of each stored word's own tree, and fill its log weight: there is but one tree."""
    log_weight = np.log(weight)
    for item in range(at.size):
        n = lengths[item]
        log_z[item] = (
            log_weight[rule_numbers[3]] + log_weight[rule_numbers[4]] + (n - 1) * log_weight[rule_numbers[5]]
        )
        rule_count[rule_numbers[3]] += 1.0
        rule_count[rule_numbers[4]] += 1.0
        rule_count[rule_numbers[5]] += n - 1.0
        for k in range(at[item], at[item] + n):
            rule = phone_rule[phones[k]]
            rule_count[rule] += 1.0
            log_z[item] += log_weight[rule]


@kernel
def draw_segmentation(
    rng, phones, at, n, row, ids, phone_rule, phone_weight, rules, rule_numbers, mass, scale, fresh, unit,
    looked_up, built, alpha, cuts, head, after, entry_weight, kinds, values, lefts, rights,
):  # fmt: skip
    """Draw a tree as ``chart_kernels.draw`` does, by forward filtering and backward sampling."""
    word_weights(phones, at, n, row, ids, phone_weight, rules, mass, scale, fresh, unit, looked_up, built)
    forward(n, rules, looked_up, built, alpha)
    words = 0
    j = n
    for _ in range(n):
        u = rng.random() * alpha[j] / (rules[2] if j < n else rules[1])
        i = j - 1
        for k in range(j - 1, -1, -1):
            w = alpha[k] * (looked_up[k, j] + built[k, j])
            u -= w
            if w > 0.0:
                i = k
                if u < 0.0:
                    break
        cuts[words] = i
        words += 1
        j = i
        if j == 0:
            break
    kinds[0] = RULE
    values[0] = rule_numbers[0]
    steps = 1
    for w in range(words - 1, -1, -1):
        i = cuts[w]
        j = cuts[w - 1] if w > 0 else n
        kinds[steps] = RULE
        values[steps] = rule_numbers[1] if w == 0 else rule_numbers[2]
        steps += 1
        lefts[steps] = i
        rights[steps] = j
        if rng.random() * (looked_up[i, j] + built[i, j]) < looked_up[i, j]:
            kinds[steps] = LOOKED_UP
            values[steps] = pick(rng, head[ids[row[at + i] + j - i - 1]], after, entry_weight)
            steps += 1
            continue
        kinds[steps] = BUILT
        values[steps] = 0
        kinds[steps + 1] = RULE
        values[steps + 1] = rule_numbers[3]
        steps += 2
        for k in range(i, j):
            kinds[steps] = RULE
            values[steps] = rule_numbers[5] if k < j - 1 else rule_numbers[4]
            kinds[steps + 1] = RULE
            values[steps + 1] = phone_rule[phones[at + k]]
            steps += 2
    return steps
