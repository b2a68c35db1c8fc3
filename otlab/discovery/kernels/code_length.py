"""Compute the length of a segmented text in an adaptive code: see `choose`."""

from __future__ import annotations

import math

import numpy as np

from otlab.inference.jit import kernel


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
