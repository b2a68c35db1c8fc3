"""Find the segmentation with the fewest wrong words, and compute the code length of a segmented text."""

from __future__ import annotations

import math

import numpy as np

from otlab.inference.jit import kernel


@kernel
def fewest_wrong_words(offsets, samples, longest, out):
    """Write the word ends that maximise the sum of 2 p(word) - 1 in each utterance."""
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
    """Return the length in nats of a sequence of words in an adaptive hierarchical bigram code.

    Token t is string ``word[t]``, which covers phones ``begins[t]..stops[t] - 1``; its context is
    ``context[t]``, and ``pair[t]`` is the number of its pair (context, word). ``sizes`` has the numbers of
    words, contexts, pairs and symbols. With infinite ``concentration`` the context is ignored.
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
        log_spelling = 0.0
        before = edge
        for k in range(begins[t], stops[t] + 1):
            phone = phones[k] if k < stops[t] else edge
            log_spelling += math.log(follows[before, phone] / follows_total[before])
            before = phone
        # 2. P(word): its share so far, or new with this spelling; then the same within its context
        w = word[t]
        p = (word_count[w] + shared * math.exp(log_spelling)) / (words_total + shared)
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
        # 3. add the spelling of a word seen for the first time, and its count
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
        # 4. the code length of the word, and of whether the utterance ends after it
        stop = ended / tokens
        nats -= math.log(max(p, 1e-300)) + math.log(stop if last[t] else 1.0 - stop)
        ended += last[t]
        tokens += 1.0
    return nats
