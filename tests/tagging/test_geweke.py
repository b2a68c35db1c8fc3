"""Joint-distribution tests (Geweke 2004): words are drawn given states, states by the sampler.

On a corpus of three tokens the joint distribution of words and states is enumerated;
the chain that redraws both in turn must visit every cell as often as it says.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from otlab.tagging import BlockedGibbs, CollapsedBlockedGibbs, CollapsedGibbs, Corpus, ExplicitGibbs, Prior
from tests.tagging import naive

pytestmark = pytest.mark.slow

LENGTHS, TYPES, STATES = (2, 1), 2, 2
PRIOR = Prior(0.6, 0.4)
OFFSETS = np.array([0, 2, 3])
CELLS = list(
    itertools.product(itertools.product(range(TYPES), repeat=3), itertools.product(range(STATES), repeat=3))
)


def exact():
    def split(flat):
        return [list(flat[:2]), list(flat[2:])]

    logs = np.array(
        [
            naive.log_joint(split(x), split(y), TYPES, STATES, PRIOR.emission, PRIOR.transition)
            for x, y in CELLS
        ]
    )
    return np.exp(logs) / np.exp(logs).sum()


def draw_words(rng, labels):
    """Words given states, parameters integrated out: Polya's urn of each state."""
    counts, words = np.full((STATES, TYPES), PRIOR.emission), np.empty(3, np.int32)
    for i, k in enumerate(labels):
        words[i] = rng.random() < counts[k, 1] / counts[k].sum()
        counts[k, words[i]] += 1
    return words


@pytest.mark.parametrize("sampler", [CollapsedGibbs, ExplicitGibbs, BlockedGibbs, CollapsedBlockedGibbs])
def test_words_and_states_have_their_joint_distribution(sampler):
    rng = np.random.default_rng(5)
    index = {cell: n for n, cell in enumerate(CELLS)}
    labels = np.array([0, 1, 0], np.int16)
    batches = np.zeros((30, len(CELLS)))
    for batch in batches:
        for _ in range(400):
            words = draw_words(rng, labels)
            learner = sampler(Corpus(words, OFFSETS, ("a", "b")), STATES, prior=PRIOR)
            state = learner.begin(rng, labels)
            learner.sweep(rng, state, 1.0)
            labels = state.labels
            batch[index[tuple(words.tolist()), tuple(labels.tolist())]] += 1 / 400
    error = batches.std(0, ddof=1) / np.sqrt(len(batches))
    share = exact()
    # A rare cell may not have been seen at all: its error is at least the binomial one.
    error = np.maximum(error, np.sqrt(share * (1 - share) / batches.size * len(CELLS) / 400))
    assert np.all(np.abs(batches.mean(0) - share) < 4.5 * error)
