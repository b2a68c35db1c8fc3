"""Sets of an adaptor grammar: two utterances of words over two phones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.calibration.ranks import DRAWS, Sampler
from otlab.discovery.corpus import Corpus as Phones
from otlab.discovery.grammar_file import parse_grammar
from otlab.discovery.learners.mcmc import MCMC

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SAMPLERS"]

CONCENTRATION, DISCOUNT, SPELLING = 1.5, 0.4, "ab"
WORDS = f"S -> Word+\n@Word 50 {CONCENTRATION} {DISCOUNT}\nWord -> Phon+"


def _segmented(rng: np.random.Generator) -> list[list[str]]:
    """Draw two utterances of words from the adaptor grammar's prior, of 2 to 7 phones each."""
    while True:
        stop, end = rng.beta(1, 1), rng.beta(1, 1)
        phone = rng.dirichlet(np.ones(len(SPELLING)))
        tables: list[tuple[str, int]] = []
        utterances: list[list[str]] = []
        for _ in range(2):
            words: list[str] = []
            while sum(map(len, words)) <= 7:
                words.append(_served(rng, tables, end, phone))
                if rng.random() < stop:
                    break
            utterances.append(words)
        spelt = {phone for words in utterances for phone in "".join(words)}
        if all(2 <= sum(map(len, words)) <= 7 for words in utterances) and len(spelt) == len(SPELLING):
            return utterances


def _served(rng: np.random.Generator, tables: list[tuple[str, int]], end: float, phone: np.ndarray) -> str:
    """Draw a word from the Pitman-Yor process, and seat it."""
    sizes = np.array([seated - DISCOUNT for _, seated in tables])
    fresh = CONCENTRATION + DISCOUNT * len(tables)
    chosen = rng.choice(len(tables) + 1, p=np.append(sizes, fresh) / (sizes.sum() + fresh))
    if chosen < len(tables):
        word, seated = tables[chosen]
        tables[chosen] = word, seated + 1
        return word
    word = ""
    while not word or (rng.random() >= end and len(word) <= 8):
        word += SPELLING[rng.choice(len(SPELLING), p=phone)]
    tables.append((word, 1))
    return word


def _segmentations(rng: np.random.Generator) -> tuple[Sequence[float], np.ndarray]:
    def statistics(cut: list[list[str]]) -> list[float]:
        words = [word for utterance in cut for word in utterance]
        return [float(len(words)), float(len(set(words))), float(len(cut[0][0])), float(len(cut[1]))]

    planted = _segmented(rng)
    corpus = Phones.from_text("\n".join("".join(words) for words in planted))
    sweeps, thin = 60 + 6 * DRAWS, 6
    learner = MCMC(corpus, parse_grammar(WORDS), learn=False, thin=1, keep=sweeps)
    state = learner.step(rng, learner.init(rng), sweeps)
    ends = list(learner.samples(state))[-thin * DRAWS :: thin]
    draws = [statistics([corpus.words(u, end) for u in range(len(corpus))]) for end in ends]
    return statistics(planted), np.array(draws)


_WORDS = ("words", "different words", "first word", "second utterance")
SAMPLERS = (Sampler("adaptor-grammar", _WORDS, _segmentations),)
