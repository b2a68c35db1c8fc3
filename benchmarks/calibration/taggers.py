"""Sets of HMM taggers with given priors: three sentences of four words, two states, three types."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.calibration.ranks import DRAWS, Sampler
from otlab.tagging import BlockedGibbs, CollapsedBlockedGibbs, CollapsedGibbs, Corpus, ExplicitGibbs, Prior
from otlab.tagging.learners.trigrams import TrigramGibbs
from tests.tagging import naive

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SAMPLERS"]

STATES, TYPES, PRIOR = 2, 3, Prior(0.6, 0.8)
OFFSETS = np.array([0, 4, 8, 12])


def _labelling(rng: np.random.Generator, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw words and states of three sentences of four words from the prior, given these lengths.

    A state depends on `order` states before it.
    """
    while True:
        transition = rng.dirichlet(np.full(STATES + 1, PRIOR.transition), (STATES + 1,) * order)
        emission = rng.dirichlet(np.full(TYPES, PRIOR.emission), STATES)
        labels: list[int] = []
        while len(labels) < OFFSETS[-1]:
            path = [STATES] * order  # the boundary
            while len(path) <= order or (path[-1] != STATES and len(path) < order + 6):
                path.append(int(rng.choice(STATES + 1, p=transition[tuple(path[-order:])])))
            if len(path) != order + 5 or path[-1] != STATES:
                break
            labels += path[order:-1]
        else:
            words = [int(rng.choice(TYPES, p=emission[label])) for label in labels]
            return np.array(words, np.int32), np.array(labels, np.int16)


def _tagger(sampler: Any, order: int = 1) -> Any:
    def statistics(words: np.ndarray, labels: np.ndarray) -> list[float]:
        cut = [range(a, b) for a, b in pairwise(OFFSETS.tolist())]
        text = [[[int(x[n]) for n in part] for part in cut] for x in (words, labels)]
        joint = naive.log_joint(*text, TYPES, STATES, PRIOR.emission, PRIOR.transition, order)
        stays = sum(labels[n] == labels[n - 1] for part in cut for n in part if n > part[0])
        return [joint, float(labels[0] == 0), float(stays), float((labels == labels[0]).sum())]

    def one_set(rng: np.random.Generator) -> tuple[Sequence[float], np.ndarray]:
        words, labels = _labelling(rng, order)
        learner = sampler(Corpus(words, OFFSETS, tuple("abc")), STATES, prior=PRIOR)
        state = learner.begin(rng, rng.integers(0, STATES, words.size).astype(np.int16))
        draws = []
        for sweep in range(60 + 8 * DRAWS):
            learner.sweep(rng, state, 1.0)
            if sweep >= 60 and (sweep - 60) % 8 == 0:
                draws.append(statistics(words, state.labels))
        return statistics(words, labels), np.array(draws)

    return one_set


_LABELS = ("log joint", "state of the first word", "states that stay", "tokens of its state")
SAMPLERS = (
    Sampler("hmm-collapsed", _LABELS, _tagger(CollapsedGibbs)),
    Sampler("hmm-explicit", _LABELS, _tagger(ExplicitGibbs)),
    Sampler("hmm-blocked", _LABELS, _tagger(BlockedGibbs)),
    Sampler("hmm-collapsed-blocked", _LABELS, _tagger(CollapsedBlockedGibbs)),
    Sampler("hmm-trigram", _LABELS, _tagger(TrigramGibbs, order=2)),
)
