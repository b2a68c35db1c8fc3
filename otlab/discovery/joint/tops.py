"""Propose source strings of utterances, from the words behind their present units."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.kernels.best_words import best_words
from otlab.discovery.kernels.layout import Limits, new_arcs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.discovery.channel.channel import Edits
    from otlab.discovery.joint.words import WordModel

__all__ = ["candidates"]

_ARCS = 100_000


def candidates(
    words: WordModel, edits: Edits, heard: Sequence[np.ndarray], tops: Sequence[np.ndarray]
) -> list[list[np.ndarray]]:
    """Return for each utterance its present source string and others to try.

    The others are the 1-best units, and the best words (with at most two edits each) behind these
    and behind the present string.

    Parameters
    ----------
    words, edits
        The posteriors.
    heard
        The 1-best units of each utterance.
    tops
        The present source strings.
    """
    channel = edits.weights()
    weights, trie, limits = words.parsing_weights(channel), words.trie(), Limits(2, 1, 1)
    arcs = new_arcs(_ARCS, limits)

    def behind(string: np.ndarray) -> np.ndarray:
        phones = string.astype(np.int32)
        chosen = np.zeros((phones.size, 3), dtype=np.int64)
        size = best_words(phones, trie, weights, channel, limits, arcs, chosen)
        pieces = [phones[i:j] if w < 0 else np.array(words.words[w]) for w, i, j in chosen[:size]]
        return np.concatenate(pieces).astype(np.int64)

    out = []
    for now, decoded in zip(tops, heard, strict=True):
        tried: list[np.ndarray] = [now]
        for string in (decoded, behind(decoded), behind(now)):
            if not any(np.array_equal(string, other) for other in tried):
                tried.append(string)
        out.append(tried)
    return out
