"""Whole segmentations: the path with the fewest wrong words, and the length of a text in an adaptive code."""

from __future__ import annotations

import math

import numpy as np

from otlab.inference.jit import kernel


@kernel
def fewest_wrong_words(offsets, samples, longest, out):
    """Write, for each utterance, the words maximising the sum of 2 p(word) - 1."""
    drawn = samples.shape[0]
    share = np.zeros((longest + 1, longest + 1))
    best = np.zeros(longest + 1)
    back = np.zeros(longest + 1, dtype=np.int64)
    for u in range(offsets.size - 1):
        at = offsets[u]
        n = offsets[u + 1] - at
        # 1. share[i, j] = 2 p(word i..j)
        share[: n + 1, : n + 1] = 0.0
        for s in range(drawn):
            begin = 0
            for k in range(n):
                if samples[s, at + k]:
                    share[begin, k + 1] += 2.0 / drawn
                    begin = k + 1
        # 2. best[j] = max_i best[i] + 2 p(i..j) - 1
        for j in range(1, n + 1):
            best[j] = -np.inf
            for i in range(j):
                total = best[i] + share[i, j] - 1.0
                if total > best[j]:
                    best[j] = total
                    back[j] = i
        # 3. trace the best words back from the end
        j = n
        for _ in range(n):
            out[at + j - 1] = True
            j = back[j]
            if j == 0:
                break


@kernel
def code_length(phones, begins, stops, word, context, pair, last, sizes, concentration, discount, shared):
    """Return the nats an adaptive hierarchical bigram code needs for a sequence of words.

    Token t is string ``word[t]``, phones ``begins[t]..stops[t] - 1``, after context
    ``context[t]``; ``pair[t]`` numbers (context, word). ``sizes`` = (words, contexts, pairs,
    symbols). With infinite ``concentration`` the context is ignored.
    """
    word_count = np.zeros(sizes[0])
    context_count = np.zeros(sizes[1])
    context_types = np.zeros(sizes[1])
    pair_count = np.zeros(sizes[2])
    edge = sizes[3]
    follows = np.ones((edge + 1, edge + 1))
    follows_total = np.full(edge + 1, edge + 1.0)
    words_total = 0.0
    ended = 1.0
    tokens = 2.0
    nats = 0.0
    unigram = math.isinf(concentration)
    for t in range(word.size):
        # 1. ln P(spelling) by the adaptive bigram of phones
        spelt = 0.0
        before = edge
        for k in range(begins[t], stops[t] + 1):
            phone = phones[k] if k < stops[t] else edge
            spelt += math.log(follows[before, phone] / follows_total[before])
            before = phone
        # 2. P(word): its share so far, or new and spelt; then the same within its context
        w = word[t]
        p = (word_count[w] + shared * math.exp(spelt)) / (words_total + shared)
        new = True
        if not unigram:
            c = context[t]
            taken = max(0.0, pair_count[pair[t]] - discount)
            p = (taken + (concentration + discount * context_types[c]) * p) / (
                context_count[c] + concentration
            )
            new = pair_count[pair[t]] == 0.0
            pair_count[pair[t]] += 1.0
            context_count[c] += 1.0
            context_types[c] += new
        # 3. learn: the spelling of a word never seen before, and its count
        if new:
            if word_count[w] == 0.0:
                before = edge
                for k in range(begins[t], stops[t] + 1):
                    phone = phones[k] if k < stops[t] else edge
                    follows[before, phone] += 1.0
                    follows_total[before] += 1.0
                    before = phone
            word_count[w] += 1.0
            words_total += 1.0
        # 4. the word, and whether the utterance ends here
        stop = ended / tokens
        nats -= math.log(max(p, 1e-300)) + math.log(stop if last[t] else 1.0 - stop)
        ended += last[t]
        tokens += 1.0
    return nats
