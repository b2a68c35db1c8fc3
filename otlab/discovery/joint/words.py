r"""The word grammar of a text that changes between rounds: posterior, bound, counts, new source strings.

The model and its numbers are those of the preset *word* with
:class:`~otlab.discovery.learners.batch.BatchVB`. But a word is a tuple of units here, not a substring
of a fixed text, so that the posterior can be applied to another text. The E-step is that of words
with edits (:func:`~otlab.discovery.kernels.noisy.noisy_counts`) with a channel that makes no edits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.channel.noisy_estep import fresh_weights
from otlab.discovery.channel.trie import build_trie
from otlab.discovery.channel.variants import Seating, moved
from otlab.discovery.kernels.best_words import best_words
from otlab.discovery.kernels.channel import NONE
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
    """Expected counts of one text.

    Attributes
    ----------
    rule : float64 ndarray of shape (6 + units,)
        Expected uses of the six rules of :class:`~otlab.discovery.kernels.layout.Lattice`, then of the
        rules that rewrite as units.
    used : float64 ndarray of shape (words,)
        Expected uses of each stored word.
    new
        Expected number of words built from rules.
    ends : float64 ndarray of shape (phones,)
        Posterior that a word ends after each unit of the text.
    log_z : float64 ndarray of shape (utterances,)
        Log weight of each utterance.
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
        Posterior of the words' sticks; ``sticks.strings`` are indices into `words`.
    tau : float64 ndarray of shape (6 + units,)
        Dirichlet parameters of the rules.
    """

    words: tuple[tuple[int, ...], ...]
    sticks: Sticks
    tau: np.ndarray

    @staticmethod
    def from_batch(parser: Parser, state: BatchState) -> WordModel:
        """Return the posterior of a run of batch VB with the word grammar."""
        lattice = parser.required_lattice
        (sticks,) = state.posterior.sticks
        words = tuple(tuple(parser.codes(s).tolist()) for s in sticks.strings)
        tau = state.posterior.tau
        phones = np.where(lattice.phone >= 0, tau[lattice.phone], 1.0)
        places = replace(sticks, strings=np.arange(len(words)))
        return WordModel(words, places, np.concatenate([tau[lattice.rules], phones]))

    @property
    def units(self) -> int:
        """Number of units."""
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
        """Return the weights for parsing a text that has passed through a channel with these edit weights."""
        rule = self.weights()
        mass = np.zeros(len(self.words))
        mass[self.sticks.strings] = self.sticks.weights
        # The utterance has the channel's end marker, not the word (kernels.spoken).
        end = float(edits.operation[NONE])
        fresh = fresh_weights(rule[:_RULES], rule[_RULES:], self.sticks.leftover, edits, _UNIT, end)
        return NoisyWeights(rule[:_RULES], rule[_RULES:], mass, fresh, _UNIT)

    def expect(self, tops: Sequence[np.ndarray]) -> WordCounts:
        """Return the expected counts of a text."""
        phones, offsets = flat_text(tops)
        size = self.units
        no_edits = EditArrays(np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(size), np.zeros((size, size)))
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
        weights = self.parsing_weights(no_edits)
        noisy_counts(text, items, lattice, weights, self.trie(), no_edits, limits, counts, arcs, log_z)
        return WordCounts(rule, used, float(built[0]), np.clip(ends, 0.0, 1.0), log_z)

    def without_variants(self, counts: WordCounts, edits: Edits, prior: Edits) -> tuple[WordModel, Edits]:
        """Return the words that are not variants of others, and the edits including those of the variants.

        See :mod:`~otlab.discovery.channel.variants`.

        Parameters
        ----------
        counts
            Expected counts of the text.
        edits, prior
            Expected edits of the channel, and its prior.
        """
        rule, codes = np.log(self.weights()), [np.array(word) for word in self.words]
        built = np.array([rule[_RULES + c].sum() + rule[3] + rule[4] + (c.size - 1) * rule[5] for c in codes])
        a, b = self.sticks.concentration, self.sticks.discount
        seating = Seating(np.maximum(counts.used, 1e-9), built, edits, prior, a, b)
        stays = moved(seating, codes, self.trie(), Limits(2, 1, 1, 1))
        words = tuple(word for word, stay in zip(self.words, stays, strict=True) if stay)
        sticks = Sticks.fitted(np.arange(len(words)), seating.uses[stays], counts.new, a, b)
        fewer = WordModel(words, sticks, self.tau)
        return fewer, prior.plus(seating.edits)

    def own_counts(self) -> np.ndarray:
        """Return the uses of rules in the words' own trees, each word counted once."""
        rule = np.zeros(self.tau.size)
        for word in self.words:
            rule[[3, 4]] += 1.0
            rule[5] += len(word) - 1
            np.add.at(rule, _RULES + np.array(word), 1.0)
        return rule

    @property
    def own_log_weight(self) -> float:
        """Log weight of the words' own trees."""
        return float((self.own_counts() * np.log(self.weights())).sum())

    @property
    def penalty(self) -> float:
        """Sum of the KL divergences from the prior, less the log prior of the concentration."""
        total = self.sticks.kl() - hyper_log_prior(self.sticks.concentration)
        for group in _GROUPS:
            total += dirichlet.kl_divergence(self.tau[list(group)], np.ones(2))
        return total + dirichlet.kl_divergence(self.tau[_RULES:], np.ones(self.units))

    def bound(self, counts: WordCounts) -> float:
        """Return the bound of the text with these counts."""
        return float(counts.log_z.sum()) + self.own_log_weight - self.penalty

    def updated(self, counts: WordCounts) -> WordModel:
        """Return the posterior given expected counts, for the same words; the bound does not fall."""
        places, sticks = np.arange(len(self.words)), self.sticks
        fitted = Sticks.fitted(places, counts.used, counts.new, sticks.concentration, sticks.discount)
        return WordModel(self.words, learn_hyperparameters(fitted), 1.0 + counts.rule + self.own_counts())


def flat_text(tops: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return all strings in one array, and the beginning of each."""
    offsets = np.concatenate([[0], np.cumsum([len(t) for t in tops])]).astype(np.int64)
    return np.concatenate([np.asarray(t) for t in tops]).astype(np.int32), offsets


def candidates(
    words: WordModel, edits: Edits, decoded: Sequence[np.ndarray], tops: Sequence[np.ndarray]
) -> list[list[np.ndarray]]:
    """Return candidate source strings for each utterance, the current one first.

    The others are the 1-best units, and the most probable words (with at most two edits each) from which
    these units, or the current string, can come.

    Parameters
    ----------
    words, edits
        Posteriors of the words and of the channel.
    decoded
        The 1-best units of each utterance.
    tops
        Current source strings.
    """
    channel = edits.weights()
    weights, trie, limits = words.parsing_weights(channel), words.trie(), Limits(2, 1, 1, 1)
    arcs = new_arcs(_CANDIDATE_ARCS, limits)

    def most_probable_source(string: np.ndarray) -> np.ndarray:
        phones = string.astype(np.int32)
        chosen = np.zeros((phones.size, 3), dtype=np.int64)
        size = best_words(phones, trie, weights, channel, limits, arcs, chosen)
        pieces = [phones[i:j] if w < 0 else np.array(words.words[w]) for w, i, j in chosen[:size]]
        return np.concatenate(pieces).astype(np.int64)

    out = []
    for current, units in zip(tops, decoded, strict=True):
        strings: list[np.ndarray] = [current]
        for string in (units, most_probable_source(units), most_probable_source(current)):
            if not any(np.array_equal(string, other) for other in strings):
                strings.append(string)
        out.append(strings)
    return out
