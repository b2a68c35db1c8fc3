"""Parse a sentence: count its derivations, and find the best ones with their probabilities."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import InputError
from otlab.inference.random import fresh_seed
from otlab.mg.derivation import Derivation, derivations
from otlab.mg.parsing.diagnosis import Diagnosis, diagnose
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.parsing.prefix import parse_prefixes, surprisals
from otlab.mg.sentences import split_sentence

if TYPE_CHECKING:
    from otlab.mg.lexicon import LexicalItem, Lexicon
    from otlab.mg.parsing.forest import Forest
    from otlab.mg.parsing.prefix import Prefix

__all__ = ["Parse", "Reading", "parse"]


@dataclass(frozen=True)
class Reading:
    """One derivation and its probability.

    Attributes
    ----------
    derivation
        The derivation.
    log_probability
        Natural logarithm of the product of its items' probabilities.
    posterior
        Its posterior probability among all derivations of the sentence.
    """

    derivation: Derivation
    log_probability: float
    posterior: float


@dataclass(frozen=True, repr=False)
class Parse:
    """A parsed sentence.

    Attributes
    ----------
    grammar, words
        The grammar and the sentence, as it is pronounced.
    forest
        All derivations, packed.
    theta : ndarray of shape (items,)
        The probabilities of lexical items.
    """

    grammar: Grammar
    words: tuple[str, ...]
    forest: Forest
    theta: np.ndarray

    def __repr__(self) -> str:
        ways = self.derivations
        number = "infinitely many" if ways == np.inf else f"{ways:,}"
        return f"<Parse of {' '.join(self.words)!r}: {number} derivation{'' if ways == 1 else 's'}>"

    @property
    def derivations(self) -> float | int:
        """Number of derivations, an exact integer, or ``inf`` with a silent loop."""
        return self.forest.derivations

    @property
    def loop(self) -> list[LexicalItem]:
        """The silent items of the first loop."""
        number = self.grammar.number
        return [self.grammar.lexicon.items[number[(), s.features]] for s in self.forest.loop_slots()]

    @cached_property
    def _slot_items(self) -> np.ndarray:
        return self.grammar.slot_items(self.words, self.forest)

    @cached_property
    def slot_weight(self) -> np.ndarray:
        """Log probability of the item in each slot of the forest."""
        with np.errstate(divide="ignore"):
            weights: np.ndarray = np.log(self.theta[self._slot_items])
        return weights

    @cached_property
    def log_probability(self) -> float:
        """Natural log of the sentence's probability, not divided by W; ``-inf`` if unparsed."""
        return self.forest.log_z(self.slot_weight) - float(np.log(len(self.grammar.lexicon.start)))

    @cached_property
    def prefixes(self) -> list[Prefix]:
        """The derivations of sentences that begin with the first k words, for k = 0 .. n.

        Raises
        ------
        InputError
            If a chart is too large.
        """
        return parse_prefixes(self.grammar, self.words)

    def uses(self) -> dict[tuple[int, int], float]:
        """Return how often each item is expected at each position; see :meth:`Prefix.uses`."""
        found: dict[tuple[int, int], float] = defaultdict(float)
        before = self.grammar.words_before(self.words)
        counts = self.forest.expected_counts(self.slot_weight)
        for slot, item, count in zip(self.forest.slots, self._slot_items, counts, strict=True):
            if count > 0:
                found[before[slot.position] if slot.position >= 0 else -1, int(item)] += float(count)
        return dict(found)

    def expected_counts(self) -> np.ndarray:
        """Return the posterior expected uses of each lexical item."""
        counts = self.forest.expected_counts(self.slot_weight)
        return np.bincount(self._slot_items, counts, minlength=len(self.theta))

    def surprisal(self) -> np.ndarray:
        """Return the surprisal of each word and of the end, in nats; see :func:`surprisals`."""
        return surprisals(self.grammar, self.words, self.theta)

    def best(self, k: int = 3) -> list[Reading]:
        """Return the `k` most probable derivations, best first."""
        # The search orders derivations by rounded weights; sorting decides near-ties.
        ranked = sorted(self.forest.best(self.slot_weight, k), key=lambda pair: -pair[0])
        # Neither ln Z of the forest nor the weights of readings include the start category's probability.
        total = self.forest.log_z(self.slot_weight) if ranked else 0.0
        shift = float(np.log(len(self.grammar.lexicon.start)))
        return [Reading(self._derivation(s), w - shift, float(np.exp(w - total))) for w, s in ranked]

    def sample(self, n: int = 1, seed: int | np.random.Generator | None = None) -> list[Derivation]:
        """Return `n` derivations drawn from the posterior.

        Parameters
        ----------
        n
            Number of derivations; the result is empty if the sentence has none.
        seed
            Root seed or generator; a fresh seed if None.
        """
        rng = np.random.default_rng(fresh_seed() if seed is None else seed)
        draws = n if np.isfinite(self.log_probability) else 0
        return [self._derivation(self.forest.sample(self.slot_weight, rng)) for _ in range(draws)]

    def reading_entropy(self) -> float:
        """Return the entropy of the posterior over derivations, in nats.

        It is ln Z minus the expected log weight, the sum of the items' log probabilities times their
        expected uses.
        """
        counts = self.forest.expected_counts(self.slot_weight)
        used = counts > 0
        expected = float(counts[used] @ self.slot_weight[used])
        return max(0.0, self.forest.log_z(self.slot_weight) - expected) if self.forest.size else 0.0

    def diagnosis(self) -> Diagnosis | None:
        """Return the reason why the sentence has no derivation; None if it has one.

        It speaks of the first sequence of words that is pronounced so, if there is one.
        """
        return None if self.forest.size else diagnose(self.grammar.unspelled, self._unspelled())

    def _unspelled(self) -> tuple[str, ...]:
        grammar = self.grammar.unspelled
        spell_out = self.grammar.lexicon.spell_out
        if not spell_out or any(word not in self.grammar.vocabulary for word in self.words):
            return self.words
        try:
            return next(iter(spell_out.invert(self.words, grammar.vocabulary)), self.words)
        except InputError:  # there are too many
            return self.words

    def _derivation(self, slots: list[int]) -> Derivation:
        """Return the derivation of a sequence of slots.

        Without the shortest move constraint a sequence may have several derivations; the first one that
        yields the sentence is returned.
        """
        lexicon = self.grammar.lexicon
        items = [lexicon.items[self._slot_items[s]] for s in slots]
        ways = derivations(items, lexicon.start, convention=lexicon.convention, smc=self.grammar.smc)
        spelled = (replace(d, spell_out=lexicon.spell_out) for d in ways)
        return next(d for d in spelled if d.spelled == self.words)


def parse(
    lexicon: Lexicon | Grammar, sentence: str | tuple[str, ...], *, theta: np.ndarray | None = None
) -> Parse:
    """Parse one sentence.

    Parameters
    ----------
    lexicon
        A lexicon, or a compiled one.
    sentence
        Words, as a tuple or separated by blanks; ``ε`` is the empty sentence. Final punctuation
        of a string is dropped unless the lexicon has it.
    theta : ndarray of shape (items,), optional
        Probabilities of the lexical items; the prior mean if None.

    Returns
    -------
    Parse
        The parse, with 0 derivations if the sentence is not in the language.

    Raises
    ------
    InputError
        If the chart is too large.

    Examples
    --------
    >>> from otlab.samples import load_sample
    >>> parse(load_sample("figure1_wh"), "what did you see").derivations
    1
    """
    grammar = Grammar.of(lexicon)
    words = split_sentence(sentence, grammar.vocabulary) if isinstance(sentence, str) else sentence
    probabilities = grammar.lexicon.prior_mean() if theta is None else theta
    return Parse(grammar, words, grammar.forest(words), probabilities)
