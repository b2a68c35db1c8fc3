r"""Simulate a corpus from a hidden Markov model whose states are as skewed as tags.

States are used with frequencies falling as :math:`1/(k + 1)`, each state emits its
own words with Zipf's law, and transitions are sharp: rows drawn from a Dirichlet of
small concentration around the frequencies. Known-answer and speed tests need no
third party's text then.
"""

from __future__ import annotations

from array import array

import numpy as np

from otlab.errors import InputError, counted
from otlab.tagging.corpus import Corpus
from otlab.tagging.io.numbering import by_frequency

__all__ = ["simulate_hmm"]


def simulate_hmm(
    tokens: int = 10_000,
    seed: int | np.random.Generator | None = None,
    *,
    tags: int = 12,
    types: int = 2000,
    sharpness: float = 3.0,
    length: float = 15.0,
    ambiguity: float = 0.05,
) -> Corpus:
    """Return a tagged corpus drawn from a skewed hidden Markov model.

    Parameters
    ----------
    tokens
        Approximate number; the last sentence is completed.
    seed
        Or a generator.
    tags, types
        Sizes of the tagset and of the vocabulary to draw from.
    sharpness
        Total concentration of the transition rows: small is sharp.
    length
        Mean words a sentence.
    ambiguity
        Share of a tag's mass on other tags' words.

    Raises
    ------
    InputError
        For sizes below 1 or fewer types than tags.

    Examples
    --------
    >>> corpus = simulate_hmm(400, 1, tags=3, types=20)
    >>> corpus
    <Corpus simulated, 3 tags: 414 tokens, 20 types, 22 sentences, 3 tags>
    """
    if min(tokens, tags) < 1 or types < tags or length < 1:
        raise InputError(f"cannot make {tokens} tokens of {types} types, {tags} tags and length {length}")
    rng = np.random.default_rng(seed)
    share = 1 / (1 + np.arange(tags))
    share /= share.sum()
    rows = rng.dirichlet(sharpness * share + 1e-3, size=tags + 1)
    emissions = _zipf_rows(rng, share, types, ambiguity)
    states, ends = _walk(rng, rows.cumsum(1), tokens, length)
    draws = rng.random(states.size)
    words = np.empty(states.size, np.int32)
    for state in range(tags):
        mine = states == state
        words[mine] = np.searchsorted(emissions[state].cumsum(), draws[mine], side="right").clip(
            max=types - 1
        )
    return _corpus(words, states, ends, f"simulated, {counted(tags, 'tag')}")


def _corpus(words: np.ndarray, states: np.ndarray, ends: np.ndarray, name: str) -> Corpus:
    """Return the corpus of numbered words and tags, both named as any text would be."""
    counts = np.bincount(words)
    first = np.full(counts.size, words.size)
    np.minimum.at(first, words, np.arange(words.size))
    used = np.argsort(first, kind="stable")[: np.count_nonzero(counts)]
    rank = np.zeros(counts.size, np.int32)
    rank[used] = np.arange(used.size)
    tags, tagset = by_frequency(states, tuple(f"T{k:02d}" for k in range(states.max() + 1)))
    offsets = np.concatenate([[0], np.flatnonzero(ends) + 1])
    return Corpus(rank[words], offsets, tuple(f"w{w}" for w in used), tags, tagset, name)


def _zipf_rows(rng: np.random.Generator, share: np.ndarray, types: int, ambiguity: float) -> np.ndarray:
    """Return emissions: each word belongs to one tag, open classes own most of them."""
    tags = share.size
    owner = np.concatenate(
        [np.arange(tags), rng.choice(tags, size=types - tags, p=np.sqrt(share) / np.sqrt(share).sum())]
    )
    rows = np.zeros((tags, types))
    for tag in range(tags):
        own = np.flatnonzero(owner == tag)
        rows[tag, own] = 1 / (1 + np.arange(own.size))
    rows /= rows.sum(1, keepdims=True)
    mixed: np.ndarray = (1 - ambiguity) * rows + ambiguity * rows.mean(0)
    return mixed


def _walk(
    rng: np.random.Generator, rows: np.ndarray, tokens: int, length: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return states and, for each, whether its sentence ends there."""
    tags = rows.shape[1]
    states, ends = array("i"), bytearray()
    state = tags
    while len(states) < tokens or not ends[-1]:
        state = min(int(np.searchsorted(rows[state], rng.random(), side="right")), tags - 1)
        states.append(state)
        ends.append(rng.random() < 1 / length)
        state = tags if ends[-1] else state
    return np.frombuffer(states, np.int32), np.frombuffer(ends, bool)
