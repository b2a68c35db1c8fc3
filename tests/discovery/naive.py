"""Plain-Python twins: charts by recursion, segmentations and seatings by enumeration, channels by paths."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from itertools import pairwise, product
from math import exp, lgamma, log

import numpy as np

from otlab.discovery.grammar import Terminal


def segmentations(word):
    """Every way to cut a string, as tuples of words."""
    for cuts in product([False, True], repeat=len(word) - 1):
        out, begin = [], 0
        for k, cut in enumerate((*cuts, True), 1):
            if cut:
                out.append(word[begin:k])
                begin = k
        yield tuple(out)


def trees(grammar, symbol, string, stored, top=False):
    """Every tree of a symbol over a string: (rules, strings looked up, adapted symbols built, word ends).

    `stored` says which (adapted symbol, string) can be looked up; a `top` symbol is built by
    rules alone and not counted as built.
    """
    if isinstance(symbol, Terminal):
        if string == (symbol.phone,):
            yield Counter(), Counter(), Counter(), frozenset()
        return
    adapted = symbol in grammar.adapted
    edge = frozenset([len(string)]) if symbol == grammar.word else frozenset()
    if adapted and not top and (symbol, string) in stored:
        yield Counter(), Counter({(symbol, string): 1}), Counter(), edge
    for number, rule in enumerate(grammar.rules):
        if rule.left != symbol:
            continue
        for rules, looked_up, built, ends in sequences(grammar, rule.right, string, stored):
            more = built + Counter({(symbol, string): 1}) if adapted and not top else built
            yield rules + Counter({number: 1}), looked_up, more, ends | edge


def sequences(grammar, symbols, string, stored):
    """Every sequence of trees of several symbols over a string."""
    if len(symbols) == 1:
        yield from trees(grammar, symbols[0], string, stored)
        return
    for k in range(1, len(string) - len(symbols) + 2):
        for rules, looked_up, built, ends in trees(grammar, symbols[0], string[:k], stored):
            for more in sequences(grammar, symbols[1:], string[k:], stored):
                yield (
                    rules + more[0],
                    looked_up + more[1],
                    built + more[2],
                    ends | frozenset(k + e for e in more[3]),
                )


def expectations(grammar, symbol, string, rule, stored, fresh, top=False):
    """Log Z, and expected counts of rules, look-ups, fresh builds and word ends, by enumeration."""
    total, found = 0.0, [defaultdict(float) for _ in range(4)]
    for rules, looked_up, built, ends in trees(grammar, symbol, string, stored, top):
        weight = 1.0
        for number, times in rules.items():
            weight *= rule[number] ** times
        for key, times in looked_up.items():
            weight *= stored[key] ** times
        for (adapted, _), times in built.items():
            weight *= fresh[adapted] ** times
        total += weight
        for counts, parts in zip(found, (rules, looked_up, built, dict.fromkeys(ends, 1)), strict=True):
            for key, times in parts.items():
                counts[key] += weight * times
    return log(total), *({k: v / total for k, v in counts.items()} for counts in found)


def stick_weights(uses, new, a, b):
    """E ln pi and the leftover, by the definitions, one stick at a time."""
    from scipy.special import digamma

    taken, passed = [], []
    for i, n in enumerate(uses, 1):
        first = 1 - b + n
        second = a + i * b + sum(uses[i:]) + new
        taken.append(digamma(first) - digamma(first + second))
        passed.append(digamma(second) - digamma(first + second))
    return [t + sum(passed[:i]) for i, t in enumerate(taken)], sum(passed)


def seatings(tokens):
    """Every way to seat tokens at tables of one label each: lists of tables, tables lists of tokens."""
    if not tokens:
        yield []
        return
    first, rest = tokens[0], tokens[1:]
    for tables in seatings(rest):
        yield [[first], *tables]
        for k, table in enumerate(tables):
            if table[0] == first:
                yield [*tables[:k], [first, *table], *tables[k + 1 :]]


def log_seating(tables, a, b):
    """Log probability of a seating, customers one after another."""
    total = -lgamma(a + sum(map(len, tables))) + lgamma(a)
    for t, table in enumerate(tables):
        total += log(a + b * t) + lgamma(len(table) - b) - lgamma(1 - b)
    return total


def log_dirichlet_multinomial(counts, alpha):
    """Log marginal of one sequence with these counts."""
    out = lgamma(sum(alpha)) - lgamma(sum(alpha) + sum(counts))
    return out + sum(lgamma(n + x) - lgamma(x) for n, x in zip(counts, alpha, strict=True))


def word_posterior(utterances, phones, a, b):
    """Posterior of all segmentations of a text under the word grammar, seatings and weights summed out."""
    posterior = defaultdict(float)
    for cut in product(*(list(segmentations(u)) for u in utterances)):
        tokens = [word for words in cut for word in words]
        stops = [len(utterances), len(tokens) - len(utterances)]
        for tables in seatings(tokens):
            labels = [table[0] for table in tables]
            spelt = Counter(phone for label in labels for phone in label)
            p = log_seating(tables, a, b) + log_dirichlet_multinomial(stops, [1, 1])
            p += log_dirichlet_multinomial([len(labels), sum(map(len, labels)) - len(labels)], [1, 1])
            p += log_dirichlet_multinomial([spelt[x] for x in phones], [1] * len(phones))
            posterior[cut] += exp(p)
    total = sum(posterior.values())
    return {cut: p / total for cut, p in posterior.items()}


def channel_paths(top, bottom, most_inserted, most_deleted):
    """Every edit path, as lists of (operation, top phone, bottom phone), end markers included."""

    def walk(i, j, run):
        if i == len(top) and j == len(bottom):
            yield [("none", None, None)]
            return
        if i < len(top) and j < len(bottom):
            operation = "none" if top[i] == bottom[j] else "substitute"
            for rest in walk(i + 1, j + 1, 0):
                yield [(operation, top[i], bottom[j]), *rest]
        if j < len(bottom) and 0 <= run < most_inserted:
            for rest in walk(i, j + 1, run + 1):
                yield [("insert", None, bottom[j]), *rest]
        if i < len(top) and -most_deleted < run <= 0:
            for rest in walk(i + 1, j, run - 1):
                yield [("delete", top[i], None), *rest]

    yield from walk(0, 0, 0)


def with_end(operation):
    """Weights of operations by name, and of a word's end, which any of them but an insertion reads."""
    return {**operation, "end": sum(operation.values()) - operation["insert"]}


def path_weight(path, operation, insertion, substitution):
    """Weight of one edit path; `operation` by name (without "end", *none* reads it), the others by phone."""
    weight = 1.0
    for kind, top, bottom in path:
        last = top is None and bottom is None
        weight *= operation.get("end", operation["none"]) if last else operation[kind]
        weight *= insertion[bottom] if kind == "insert" else 1.0
        weight *= substitution[top, bottom] if kind == "substitute" else 1.0
    return weight


def edited_base(piece, theta, chain, edits, most_inserted, most_deleted):
    """Weight of all fresh words that come out as a piece: source phones one by one, each phone tried."""
    operation, insertion, substitution = edits

    @cache
    def walk(j, run, started):
        total = operation.get("end", operation["none"]) if started and j == len(piece) else 0.0
        source = chain[started]
        for x, weight in theta.items():
            if j < len(piece):
                y = piece[j]
                arc = operation["none"] if x == y else operation["substitute"] * substitution[x, y]
                total += source * weight * arc * walk(j + 1, 0, True)
            if -most_deleted < run <= 0:
                total += source * weight * operation["delete"] * walk(j, run - 1, True)
        if j < len(piece) and 0 <= run < most_inserted:
            total += operation["insert"] * insertion[piece[j]] * walk(j + 1, run + 1, started)
        return total

    return walk(0, 0, False)


def channel_mass(length, operation, most_inserted, most_deleted):
    """Sum of the channel over all bottoms, for a top of this length: a recursion over runs alone."""

    @cache
    def rest(left, run):
        total = (
            operation.get("end", operation["none"])
            if left == 0
            else (operation["none"] + operation["substitute"]) * rest(left - 1, 0)
        )
        if 0 <= run < most_inserted:
            total += operation["insert"] * rest(left, run + 1)
        if left and -most_deleted < run <= 0:
            total += operation["delete"] * rest(left - 1, run - 1)
        return total

    return rest(length, 0)


def bigram_code(words, symbols, concentration, discount, shared):
    """Nats of a text (list of utterances, lists of words) in the adaptive bigram code, word by word."""
    unigrams, pairs, contexts, types = Counter(), Counter(), Counter(), Counter()
    follows = defaultdict(lambda: 1.0)
    after = defaultdict(lambda: symbols + 1.0)
    total, ended, tokens, nats = 0, 1, 2, 0.0
    for utterance in words:
        before = None
        for k, word in enumerate(utterance):
            spelt = ["^", *word, "$"]
            base = np.prod([follows[x, y] / after[x] for x, y in pairwise(spelt)])
            p = (unigrams[word] + shared * base) / (total + shared)
            if concentration is not None:
                taken = max(0.0, pairs[before, word] - discount)
                p = (taken + (concentration + discount * types[before]) * p) / (
                    contexts[before] + concentration
                )
            last = k == len(utterance) - 1
            nats -= log(p) + log(ended / tokens if last else 1 - ended / tokens)
            ended, tokens = ended + last, tokens + 1
            if concentration is None or pairs[before, word] == 0:
                if unigrams[word] == 0:
                    for x, y in pairwise(spelt):
                        follows[x, y] += 1
                        after[x] += 1
                unigrams[word] += 1
                total += 1
                types[before] += 1
            pairs[before, word] += 1
            contexts[before] += 1
            before = word
    return nats
