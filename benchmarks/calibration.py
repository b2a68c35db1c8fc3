r"""Simulation-based calibration of the samplers: are what is planted and what is drawn exchangeable?

    python -m benchmarks calibration [--sampler NAME ...] [--sets 500] [--seed 1]

For each set, parameters and hidden structure :math:`\theta` are drawn from a sampler's prior, data from
:math:`P(x \mid \theta)`, and :math:`L = 63` draws from the sampler's posterior given the data. If the sampler
is right, the rank of each statistic :math:`s(\theta, x)` among those of the draws is uniform on 0 ... 63
(Talts, Betancourt, Simpson, Vehtari and Gelman 2018; ties are broken at random, Modrák et al. 2023). A
row is a statistic: its ranks in 16 bins, and p of the chi-square test. A sampler fails if any p is below
.001 divided by the number of its statistics.

Priors are proper and data few, so that posteriors are wide and a chain passes between their modes.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import chisquare

from otlab.discovery.corpus import Corpus as Phones
from otlab.discovery.grammar_file import parse_grammar
from otlab.discovery.learners.mcmc import MCMC
from otlab.mg.io.read import loads
from otlab.mg.learners.corpus import parse_corpus
from otlab.mg.learners.fit import make_learner
from otlab.mg.parsing.grammar import Grammar
from otlab.ot import NormalPrior, read_text
from otlab.ot.learners.exact import Exact
from otlab.ot.learners.gibbs import Gibbs
from otlab.ot.learners.latent import LatentGibbs
from otlab.tagging import BlockedGibbs, CollapsedBlockedGibbs, CollapsedGibbs, Corpus, ExplicitGibbs, Prior
from tests.mg.test_gibbs import CLOSED, _drawn
from tests.ot.test_latent import CASES, heard_from
from tests.tagging import naive

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["SAMPLERS", "Sampler", "calibrate", "main"]

DRAWS, BINS = 63, 16
LEAST_P = 0.001


@dataclass(frozen=True)
class Sampler:
    """A sampler to be tested.

    Attributes
    ----------
    name
        On the command line.
    statistics
        What they are called.
    one_set
        Given a random generator, draws one set and returns the planted statistics and those of `DRAWS` draws.
    """

    name: str
    statistics: tuple[str, ...]
    one_set: Callable[[np.random.Generator], tuple[Sequence[float], np.ndarray]]


def calibrate(sampler: Sampler, sets: int, seed: int) -> np.ndarray:
    """Return the ranks of what was planted, (sets, statistics), each 0 to `DRAWS`."""
    ranks = np.empty((sets, len(sampler.statistics)), np.int64)
    for number in range(sets):
        rng = np.random.default_rng([seed, number, *sampler.name.encode()])
        planted, draws = sampler.one_set(rng)
        below, equal = (draws < planted).sum(axis=0), (draws == planted).sum(axis=0)
        ranks[number] = below + rng.integers(0, equal + 1)
    return ranks


def bins_of(ranks: np.ndarray, bins: int = BINS) -> np.ndarray:
    """Return the histogram of one statistic's ranks."""
    return np.bincount(ranks * bins // (DRAWS + 1), minlength=bins)


def p_values(ranks: np.ndarray, bins: int = BINS) -> list[float]:
    """Return p of the chi-square test of uniform ranks, for each statistic."""
    return [float(chisquare(bins_of(column, bins)).pvalue) for column in ranks.T]


# ---- Stochastic OT


def _ranking_values(make: Callable[[Any, NormalPrior], Any], case: str, warmup: int, thin: int) -> Any:
    """Return a function for samplers of ranking values under a normal prior."""
    empty = read_text(CASES[case])

    def one_set(rng: np.random.Generator) -> tuple[Sequence[float], np.ndarray]:
        values = rng.normal(0, 2.0, 3)
        data = heard_from(empty, values, rng, 5)
        learner = make(data, NormalPrior(np.zeros(3), np.full(3, 2.0)))
        state = learner.step(rng, learner.init(rng), warmup + DRAWS * thin)
        return [*(values - values.mean())], state.draws[warmup : warmup + DRAWS * thin : thin]

    return one_set


CASES = {
    **CASES,
    "one parse": (
        "Input,Output,Count,C1,C2,C3\nx,a,4,0,1,1\nx,b,3,1,0,2\nx,c,1,2,0,0\nz,c,2,0,1,0\nz,d,3,1,0,0\n"
    ),
}


def _gibbs(data: Any, prior: NormalPrior) -> Gibbs:
    return Gibbs(data, noise=1.0, prior=prior)


def _latent(data: Any, prior: NormalPrior) -> LatentGibbs:
    return LatentGibbs(data, 1.0, prior=prior)


def _exact(move: str) -> Callable[[Any, NormalPrior], Exact]:
    return lambda data, prior: Exact(data, noise=1.0, prior=prior, move=move, warmup=300)


# ---- taggers

STATES, TYPES, PRIOR = 2, 3, Prior(0.6, 0.8)
OFFSETS = np.array([0, 4, 8, 12])


def _labelling(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw words and states of three sentences of four words from the prior, given these lengths."""
    while True:
        transition = rng.dirichlet(np.full(STATES + 1, PRIOR.transition), STATES + 1)
        emission = rng.dirichlet(np.full(TYPES, PRIOR.emission), STATES)
        labels: list[int] = []
        while len(labels) < OFFSETS[-1]:
            state = STATES  # the boundary
            sentence: list[int] = []
            while (state := int(rng.choice(STATES + 1, p=transition[state]))) != STATES and len(sentence) < 5:
                sentence.append(state)
            if len(sentence) != 4:
                break
            labels += sentence
        else:
            words = [int(rng.choice(TYPES, p=emission[label])) for label in labels]
            return np.array(words, np.int32), np.array(labels, np.int16)


def _tagger(sampler: Any) -> Any:
    def statistics(words: np.ndarray, labels: np.ndarray) -> list[float]:
        cut = [range(a, b) for a, b in pairwise(OFFSETS.tolist())]
        text = [[[int(x[n]) for n in part] for part in cut] for x in (words, labels)]
        joint = naive.log_joint(*text, TYPES, STATES, PRIOR.emission, PRIOR.transition)
        stays = sum(labels[n] == labels[n - 1] for part in cut for n in part if n > part[0])
        return [joint, float(labels[0] == 0), float(stays), float((labels == labels[0]).sum())]

    def one_set(rng: np.random.Generator) -> tuple[Sequence[float], np.ndarray]:
        words, labels = _labelling(rng)
        learner = sampler(Corpus(words, OFFSETS, tuple("abc")), STATES, prior=PRIOR)
        state = learner.begin(rng, rng.integers(0, STATES, words.size).astype(np.int16))
        draws = []
        for sweep in range(60 + 8 * DRAWS):
            learner.sweep(rng, state, 1.0)
            if sweep >= 60 and (sweep - 60) % 8 == 0:
                draws.append(statistics(words, state.labels))
        return statistics(words, labels), np.array(draws)

    return one_set


# ---- minimalist grammars


def _items(rng: np.random.Generator) -> tuple[Sequence[float], np.ndarray]:
    """Two sentences of a grammar in which *x y* is one item, or x merged with y."""
    alpha = np.array([2.0, 1.0, 2.0])
    theta = rng.dirichlet(alpha)
    corpus, counts = _drawn(rng, theta, sentences=3)
    learner = make_learner("gibbs", parse_corpus(Grammar(loads(CLOSED)), corpus), alpha)
    state = learner.step(rng, learner.init(rng), 20)
    draws = []
    for _ in range(DRAWS):
        state = learner.step(rng, state, 5)
        draws.append([*state.parameter[:3], state.count[0]])
    return [*theta, float(counts[0])], np.array(draws)


# ---- adaptor grammars

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


_VALUES = ("ranking value 1", "ranking value 2", "ranking value 3")
_LABELS = ("log joint", "state of the first word", "states that stay", "tokens of its state")
SAMPLERS = {
    sampler.name: sampler
    for sampler in (
        Sampler("gibbs", _VALUES, _ranking_values(_gibbs, "one parse", 100, 12)),
        Sampler("exact-hmc", _VALUES, _ranking_values(_exact("hmc"), "one parse", 400, 4)),
        Sampler("exact-walk", _VALUES, _ranking_values(_exact("walk"), "one parse", 600, 20)),
        Sampler("latent-gibbs", _VALUES, _ranking_values(_latent, "three parses", 300, 30)),
        Sampler("hmm-collapsed", _LABELS, _tagger(CollapsedGibbs)),
        Sampler("hmm-explicit", _LABELS, _tagger(ExplicitGibbs)),
        Sampler("hmm-blocked", _LABELS, _tagger(BlockedGibbs)),
        Sampler("hmm-collapsed-blocked", _LABELS, _tagger(CollapsedBlockedGibbs)),
        Sampler("mg-gibbs", ("theta 1", "theta 2", "theta 3", "uses of item 1"), _items),
        Sampler(
            "adaptor-grammar", ("words", "different words", "first word", "second utterance"), _segmentations
        ),
    )
}
"""The samplers by name."""


def table(sampler: Sampler, ranks: np.ndarray, seconds: float) -> str:
    """Return the rank histograms of a sampler, and the verdict."""
    found = p_values(ranks)
    lines = [f"{sampler.name}: {len(ranks)} sets in {seconds:.0f} s"]
    for name, column, p in zip(sampler.statistics, ranks.T, found, strict=True):
        lines.append(f"  {name:24} {' '.join(f'{n:3d}' for n in bins_of(column))}   p = {p:.3f}")
    right = min(found) > LEAST_P / len(found)
    lines.append(f"  {'uniform' if right else 'NOT UNIFORM'}: least p = {min(found):.4f}")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks calibration", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--sampler", nargs="+", choices=SAMPLERS, default=list(SAMPLERS), metavar="NAME")
    parser.add_argument("--sets", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    wrong = 0
    for name in args.sampler:
        start = time.monotonic()
        ranks = calibrate(SAMPLERS[name], args.sets, args.seed)
        wrong += min(p_values(ranks)) <= LEAST_P / ranks.shape[1]
        sys.stdout.write(table(SAMPLERS[name], ranks, time.monotonic() - start) + "\n")
        sys.stdout.flush()
    return min(wrong, 1)
