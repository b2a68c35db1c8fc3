r"""The word grammar of strings that change between rounds: posterior, bound, counts, new source strings.

The same model as the preset *word* under :class:`~otlab.discovery.learners.batch.BatchVB`, whose
numbers it repeats; only that a word is a tuple of units here and no substring of a fixed text, so
that the posterior can be carried to another text. The E-step is the one behind the channel
(:func:`~otlab.discovery.kernels.noisy.noisy_counts`) with a channel that changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.channel.noisy_estep import fresh_weights
from otlab.discovery.channel.trie import build_trie
from otlab.discovery.channel.variants import Seating, moved
from otlab.discovery.kernels.best_words import best_words
from otlab.discovery.kernels.layout import EditArrays, Items, Lattice, Limits, Text, new_arcs
from otlab.discovery.kernels.noisy import NoisyCounts, NoisyWeights, noisy_counts
from otlab.discovery.learners.sticks import Sticks, hyper_log_prior, learn_hyperparameters
from otlab.inference import dirichlet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.discovery.channel.channel import Edits
    from otlab.discovery.kernels.layout import Trie
    from otlab.discovery.learners.batch import BatchState
    from otlab.discovery.parsing.parser import Parser

__all__ = ["WordCounts", "WordModel", "candidates", "flat_text"]

_RULES = 6
_GROUPS = ((1, 2), (4, 5))
_ARCS = 20_000
_CANDIDATE_ARCS = 100_000
_UNIT = 8.0


@dataclass(frozen=True, eq=False)
class WordCounts:
    """Expected uses of one text.

    Attributes
    ----------
    rule : float64 ndarray of shape (6 + units,)
        The six rules of :class:`~otlab.discovery.kernels.layout.Lattice`, then the units' own.
    used : float64 ndarray of shape (words,)
        Of each stored word.
    new
        Words built from rules.
    ends : float64 ndarray of shape (phones,)
        Posterior that a word ends after this place of the text.
    log_z : float64 ndarray of shape (utterances,)
        Of each utterance.
    """

    rule: np.ndarray
    used: np.ndarray
    new: float
    ends: np.ndarray
    log_z: np.ndarray


@dataclass(frozen=True, eq=False)
class WordModel:
    """Posterior of the words of a text over an alphabet of units.

    Attributes
    ----------
    words
        Stored words, each a tuple of units.
    sticks
        Of the words; ``sticks.strings`` are places in `words`.
    tau : float64 ndarray of shape (6 + units,)
        Dirichlet parameters of the rules.
    """

    words: tuple[tuple[int, ...], ...]
    sticks: Sticks
    tau: np.ndarray

    @staticmethod
    def from_batch(parser: Parser, state: BatchState) -> WordModel:
        """Return the posterior of a run of batch VB of the word grammar."""
        lattice = parser.required_lattice
        (sticks,) = state.posterior.sticks
        words = tuple(tuple(parser.codes(s).tolist()) for s in sticks.strings)
        tau = state.posterior.tau
        phones = np.where(lattice.phone >= 0, tau[lattice.phone], 1.0)
        places = replace(sticks, strings=np.arange(len(words)))
        return WordModel(words, places, np.concatenate([tau[lattice.rules], phones]))

    @property
    def units(self) -> int:
        """The size of the alphabet."""
        return self.tau.size - _RULES

    def weights(self) -> np.ndarray:
        """Return exp E ln of each rule."""
        out = np.ones(self.tau.size)
        for group in _GROUPS:
            out[list(group)] = np.exp(dirichlet.expected_log(self.tau[list(group)]))
        out[_RULES:] = np.exp(dirichlet.expected_log(self.tau[_RULES:]))
        return out

    def trie(self) -> Trie:
        """Return the words as a trie."""
        return build_trie([np.array(word) for word in self.words], self.units)

    def parsing_weights(self, edits: EditArrays) -> NoisyWeights:
        """Return the weights with which strings are parsed, behind a channel of these weights."""
        rule = self.weights()
        mass = np.zeros(len(self.words))
        mass[self.sticks.strings] = self.sticks.weights
        fresh = fresh_weights(rule[:_RULES], rule[_RULES:], self.sticks.leftover, edits, _UNIT)
        return NoisyWeights(rule[:_RULES], rule[_RULES:], mass, fresh, _UNIT)

    def expect(self, tops: Sequence[np.ndarray]) -> WordCounts:
        """Return the expected counts of a text."""
        phones, offsets = flat_text(tops)
        size = self.units
        nothing = EditArrays(np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(size), np.zeros((size, size)))
        rule, used, built = np.zeros(self.tau.size), np.zeros(len(self.words)), np.zeros(1)
        ends, best = np.zeros(phones.size), np.zeros(phones.size, dtype=np.int64)
        edits = EditArrays(np.zeros(4), np.zeros(size), np.zeros((size, size)))
        counts = NoisyCounts(rule, used, built, edits, ends, best)
        log_z = np.zeros(len(tops))
        lattice = Lattice(np.arange(_RULES), np.arange(_RULES, _RULES + size, dtype=np.int32))
        text = Text(phones, np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int32))
        items = Items(offsets[:-1], np.diff(offsets), 0, False)
        limits = Limits(0, 0, 0)
        arcs = new_arcs(_ARCS, limits)
        weights = self.parsing_weights(nothing)
        noisy_counts(text, items, lattice, weights, self.trie(), nothing, limits, counts, arcs, log_z)
        return WordCounts(rule, used, float(built[0]), np.clip(ends, 0.0, 1.0), log_z)

    def without_variants(self, counts: WordCounts, edits: Edits, prior: Edits) -> tuple[WordModel, Edits]:
        """Return the words that are not variants of others, and the edits added by the uses of the variants.

        See :mod:`~otlab.discovery.channel.variants`.

        Parameters
        ----------
        counts
            Expected uses.
        edits, prior
            Expected edits of the channel, and its prior.
        """
        rule, codes = np.log(self.weights()), [np.array(word) for word in self.words]
        built = np.array([rule[_RULES + c].sum() + rule[3] + rule[4] + (c.size - 1) * rule[5] for c in codes])
        a, b = self.sticks.concentration, self.sticks.discount
        seating = Seating(np.maximum(counts.used, 1e-9), built, edits, prior, a, b)
        stays = moved(seating, codes, self.trie(), Limits(2, 1, 1))
        words = tuple(word for word, stay in zip(self.words, stays, strict=True) if stay)
        sticks = Sticks.fitted(np.arange(len(words)), seating.uses[stays], counts.new, a, b)
        fewer = WordModel(words, sticks, self.tau)
        return fewer, prior.plus(seating.edits)

    def own_counts(self) -> np.ndarray:
        """Return the rules in the words' own trees, each word once."""
        rule = np.zeros(self.tau.size)
        for word in self.words:
            rule[[3, 4]] += 1.0
            rule[5] += len(word) - 1
            np.add.at(rule, _RULES + np.array(word), 1.0)
        return rule

    @property
    def own_log_weight(self) -> float:
        """Log weight of all words' own trees."""
        return float((self.own_counts() * np.log(self.weights())).sum())

    @property
    def penalty(self) -> float:
        """All KL divergences from the prior, less the log prior of the concentration."""
        total = self.sticks.kl() - hyper_log_prior(self.sticks.concentration)
        for group in _GROUPS:
            total += dirichlet.kl_divergence(self.tau[list(group)], np.ones(2))
        return total + dirichlet.kl_divergence(self.tau[_RULES:], np.ones(self.units))

    def bound(self, counts: WordCounts) -> float:
        """Return the bound of the text whose counts these are."""
        return float(counts.log_z.sum()) + self.own_log_weight - self.penalty

    def updated(self, counts: WordCounts) -> WordModel:
        """Return the posterior for expected counts: the words stay the same, the bound does not fall."""
        places, sticks = np.arange(len(self.words)), self.sticks
        fitted = Sticks.fitted(places, counts.used, counts.new, sticks.concentration, sticks.discount)
        return WordModel(self.words, learn_hyperparameters(fitted), 1.0 + counts.rule + self.own_counts())


def flat_text(tops: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return all strings in one array, and where each begins."""
    offsets = np.concatenate([[0], np.cumsum([len(t) for t in tops])]).astype(np.int64)
    return np.concatenate([np.asarray(t) for t in tops]).astype(np.int32), offsets


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
    arcs = new_arcs(_CANDIDATE_ARCS, limits)

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
