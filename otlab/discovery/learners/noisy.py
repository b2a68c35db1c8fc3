r"""Learn the words of a text that passed through a noisy channel.

A word is drawn from the word grammar and passes through the channel
(:mod:`~otlab.discovery.channel.channel`), each word with its own end marker: edits stay inside
words, and a stored word as well as one built from rules may be edited. With :math:`N(y \mid x)` the
channel's weight,

.. math::
    w(i, j) &= \sum_x w(\mathrm{Word} \Rightarrow x)\, N(y_{i..j} \mid x)
        + \text{leftover}\; M(y_{i..j}) \\
    M(y) &= \sum_x w(\mathrm{Word} \to x)\, N(y \mid x)


with M the base composed with the channel, all source strings of a word built from rules summed out
(:mod:`~otlab.discovery.kernels.fresh`). Everything else is as for the word grammar alone:
forward-backward over segmentations, sticks, Dirichlets, and a bound that never falls for a fixed
lexicon. With any other grammar a chart of the grammar composed with the channel takes the place of
segmentations (:mod:`~otlab.discovery.channel.composed`); a stored string of a nonterminal above the
word, such as a collocation, goes through the channel as a whole. Stored strings have at most
`most_edits` edits, and no more than 2 + h // 2 while h phones of the piece have been read; the mass cut
off is the same in the bound.

Frequent edits make frequent variants, which variational Bayes would keep as words of their own:
these are moved to their sources as wholes (:mod:`~otlab.discovery.channel.variants`).

A departure from Stengel-Eskin (2017), whose channel crosses word edges and takes one
top string at a time: here tops are summed over, so no string has to be guessed first.

Relearning learns words again, from the probable source strings of the text. The result depends on the
start, and the start is taken from peaks of branching entropy. In a text with edits these are blurred:
every edit makes the next phone unpredictable. Once a channel has been learnt, most edits can be undone,
and the peaks of the cleaned text are sharp again. The gold segmentation is not used:

1. each word of the present segmentation is replaced by its most probable source string
   (:func:`source_text`);
2. words are learnt from that text alone, without a channel (:func:`learn_words`);
3. learning through the channel continues with these words and counts (:func:`with_words`).

The peaks are looked for with two lengths of context by turns; words whose bound is lower some iterations
later are given up again, so only search is changed, not what is sought. It still limits what is found:
begun at the gold words, the bound ends hundreds of nats higher.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.channel import variants
from otlab.discovery.channel.channel import Edits
from otlab.discovery.channel.noisy_estep import expect_noisy
from otlab.discovery.channel.trie import build_trie
from otlab.discovery.kernels.layout import Limits
from otlab.discovery.learners import variational
from otlab.discovery.learners.batch import BatchVB
from otlab.discovery.learners.learner import LexiconLearner
from otlab.discovery.learners.starts import Peaks
from otlab.discovery.learners.view import DiscoveryView, Mark
from otlab.discovery.parsing.estep import expect_own
from otlab.discovery.presets import preset
from otlab.discovery.scores import word_edges
from otlab.errors import counted
from otlab.inference.learner import read_only
from otlab.inference.run import check_interrupt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.discovery.corpus import Corpus
    from otlab.discovery.grammar import Grammar
    from otlab.discovery.learners.starts import Start
    from otlab.discovery.learners.variational import Globals
    from otlab.discovery.parsing.estep import Expectations
    from otlab.discovery.parsing.parser import Parser

__all__ = ["OTHER_OBJECTIVE", "NoisyState", "NoisyVB", "learn_words", "source_text", "with_words"]

OTHER_OBJECTIVE = "objective of an earlier version until here"
"""The mark of the iteration at which a run of an earlier version went on."""

FEWEST_USES = 1.0
"""A word found in the source text is kept if its expected count there is at least this."""

FRESH = 0.02
"""Share of words assumed to be new when learning continues through the channel."""


def source_text(parser: Parser, ends: np.ndarray, best: np.ndarray) -> Corpus:
    """Return the text with each word replaced by its probable source string, without gold.

    Parameters
    ----------
    parser
        Of the text that came out of the channel; utterances the grammar cannot generate are left out.
    ends : bool ndarray of shape (phones,)
        Whether a word ends after this phone.
    best : int ndarray of shape (phones,)
        The source string of the word that ends here; -1 if it has no edit.
    """
    corpus = parser.corpus
    starts, stops = word_edges(corpus, ends)
    words = [
        corpus.phones[i:j] if best[j - 1] < 0 else parser.codes(best[j - 1])
        for i, j in zip(starts, stops, strict=True)
    ]
    utterance = np.searchsorted(corpus.offsets, starts, side="right") - 1
    lengths = np.bincount(utterance, [word.size for word in words], minlength=len(corpus))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    text = replace(corpus, phones=np.concatenate(words), offsets=offsets, gold=None)
    return text.select(parser.items)


def learn_words(
    text: Corpus,
    grammar: Grammar,
    start: Start,
    iterations: int,
    rng: np.random.Generator,
    threads: int | None,
) -> dict[str, dict[bytes, float]]:
    """Learn words by batch VB without a channel.

    Returns the strings of each adapted symbol as phone codes, with expected counts.
    """
    learner = BatchVB(text, grammar, start, threads=threads)
    state = learner.step(rng, learner.init(rng), iterations)
    return {
        name: {
            learner.parser.codes(string).tobytes(): float(used[string])
            for string in strings
            if used[string] >= FEWEST_USES
        }
        for name, strings, used in zip(
            learner.parser.adapted, state.posterior.active, state.expected.used, strict=True
        )
    }


def with_words(parser: Parser, expected: Expectations, words: dict[str, dict[bytes, float]]) -> Expectations:
    """Return expected counts with these strings and their counts in place of the present ones.

    Strings that occur less than twice in the output text cannot be stored.
    """
    used = np.zeros_like(expected.used)
    codes = [parser.codes(s).tobytes() for s in range(len(parser.spans))]
    for a, name in enumerate(parser.adapted):
        known = words.get(name, {})
        used[a] = [known.get(code, 0.0) for code in codes]
    new = FRESH * used.sum(axis=1)
    return replace(expected, used=used, built=np.zeros_like(expected.built), new=new)


RELEARN_CONTEXTS = (5, 4)
"""Phones on each side of a peak; relearnings use them in turn."""

FIRST_RATE = 0.1
"""Share of phones taken to be edited at the start."""


@dataclass(frozen=True, eq=False)
class Reading:
    """One E-step with the weights it was computed with.

    Attributes
    ----------
    posterior, edits
        Of sticks and rules, and of the channel.
    expected, expected_edits
        Expected counts at them.
    best : int64 ndarray of shape (phones,)
        The stored string most probably ending after each phone; -1 for one built from rules.
    likelihood, penalty
        The bound's two parts.
    """

    posterior: Globals
    edits: Edits
    expected: Expectations
    expected_edits: Edits
    best: np.ndarray
    likelihood: float
    penalty: float

    @property
    def bound(self) -> float:
        """The objective."""
        return self.likelihood - self.penalty


@dataclass
class NoisyState:
    """State of a run.

    Attributes
    ----------
    reading
        The newest.
    kept
        The best at a relearning so far; None before the first.
    likelihood, penalty, marks
        The trace.
    earlier
        Whether `reading` is by the objective of an earlier version: a document's run that is about to go on.
    """

    reading: Reading
    kept: Reading | None = None
    likelihood: list[float] = field(default_factory=list)
    penalty: list[float] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    earlier: bool = False

    def add(self, reading: Reading) -> None:
        """Continue from another reading."""
        self.reading = reading
        self.likelihood.append(reading.likelihood)
        self.penalty.append(reading.penalty)

    @property
    def numbers(self) -> np.ndarray:
        """Numbers that are checked for NaN: log likelihoods."""
        return np.asarray(self.likelihood[-1:])


@dataclass(frozen=True)
class NoisyVB(LexiconLearner):
    """Batch VB of a grammar behind a channel.

    Parameters
    ----------
    corpus
        The strings that came out of the channel.
    grammar
        One that only cuts utterances into words of phones is parsed by its segmentations, any other
        by a chart, which takes several times as long.
    parser
        Both ready for parsing; made from them if not given.
    start, warmup
        Iterations of :class:`~otlab.discovery.learners.batch.BatchVB` without channel, and its start.
    most_edits
        In one word.
    most_inserted, most_deleted
        Longest runs.
    prune_every, fewest_share
        Iterations between prunings, and the share of all tokens a word needs to stay (and
        at least one use). More than without the channel: a word with edits is rare, and once
        it is gone the channel explains it.
    relearnings, relearn_every
        How often words are learnt again from the probable source strings, and iterations in
        between (see :mod:`~otlab.discovery.learners.noisy`). Relearnt words that lower the
        bound are given up again.
    merge_every
        Iterations between two searches for stored words that are variants of others.
    threads
        One a core if None; the results do not depend on it.
    """

    grammar: Grammar = field(default_factory=lambda: preset("word"))
    start: Start = field(default_factory=Peaks)
    warmup: int = 10
    most_edits: int = 2
    most_inserted: int = 2
    most_deleted: int = 2
    prune_every: int = 2
    fewest_share: float = 3e-4
    relearnings: int = 4
    relearn_every: int = 8
    merge_every: int = 4
    threads: int | None = field(default=None, compare=False)

    @property
    def name(self) -> str:
        """``"noisy"``."""
        return "noisy"

    @cached_property
    def prior(self) -> Edits:
        """The channel's prior."""
        return Edits.prior(len(self.corpus.symbols))

    def init(self, rng: np.random.Generator) -> NoisyState:
        """Learn without the channel first, then with it."""
        clean = BatchVB(self.corpus, self.grammar, self.start, threads=self.threads, parser=self.parser)
        first = clean.step(rng, clean.init(rng), self.warmup)
        active = first.posterior.active
        hyper = [(s.concentration, s.discount) for s in first.posterior.sticks]
        reading = self._read(first.posterior, self._first_edits(), first.expected)
        posterior, edits, _ = self._without_variants(first.expected, reading.expected_edits, active, hyper)
        reading = self._read(posterior, edits, first.expected)
        state = NoisyState(reading)
        state.add(reading)
        return state

    def _without_variants(
        self, expected: Expectations, edits: Edits, active: list[np.ndarray], hyper: list[tuple[float, float]]
    ) -> tuple[Globals, Edits, int]:
        """Return the posteriors with stored variants replaced by edited strings, and their number."""
        parser, used, kept, moved = self.parser, np.zeros_like(expected.used), [], 0
        posterior = variational.fitted(parser, expected, active, hyper, learn=True)
        built = self._log_built(posterior, active)
        limits = Limits(self.most_edits, self.most_inserted, self.most_deleted)
        for a, (strings, sticks) in enumerate(zip(active, posterior.sticks, strict=True)):
            codes = [parser.codes(s) for s in strings]
            uses = expected.used[a, strings].copy()
            seating = variants.Seating(
                uses, built[a], edits, self.prior, sticks.concentration, sticks.discount
            )
            stays = variants.moved(seating, codes, build_trie(codes, len(self.corpus.symbols)), limits)
            used[a, strings] = seating.uses
            edits = seating.edits
            kept.append(strings[stays])
            moved += int((~stays).sum())
        expected = replace(expected, used=used)
        posterior = variational.fitted(parser, expected, kept, hyper, learn=True)
        return posterior, self.prior.plus(edits), moved

    def _log_built(self, posterior: Globals, active: list[np.ndarray]) -> Sequence[np.ndarray]:
        """Return the log weight of building each stored string by rules, by adapted symbol."""
        lattice = self.parser.lattice
        if lattice is None:
            weights = posterior.weights(self.parser)
            own, _ = expect_own(self.parser, weights, active, float(len(self.corpus.symbols)), self.threads)
            return own.own_log_z
        codes = [self.parser.codes(s) for s in active[0]]
        rule = np.log(variational.rule_weights(self.parser, posterior.tau))
        phones = np.where(lattice.phone >= 0, rule[lattice.phone], -np.inf)
        first, last, more = rule[lattice.rules[3:]]
        return [np.array([phones[word].sum() + first + last + (len(word) - 1) * more for word in codes])]

    def _read(self, posterior: Globals, edits: Edits, before: Expectations) -> Reading:
        """Do the E-step; the last one gives the scale of the numbers."""
        parser = self.parser
        unit = float(np.exp(-before.log_z.sum() / self.corpus.lengths[parser.items].sum()))
        weights = posterior.weights(parser)
        limits = Limits(self.most_edits, self.most_inserted, self.most_deleted)
        expected, expected_edits, best = expect_noisy(
            parser, weights, posterior.active, edits, unit, limits, self.threads
        )
        penalty = posterior.penalty(parser) + edits.kl(self.prior)
        return Reading(posterior, edits, expected, expected_edits, best, expected.log_likelihood, penalty)

    def _first_edits(self) -> Edits:
        """Start as if a share of the phones had been edited, with all edits equally frequent.

        At the prior itself exp E ln of a substitute is about e^-10: no substitution would
        ever be tried.
        """
        phones, size = self.corpus.phones.size, len(self.corpus.symbols)
        edits = phones * FIRST_RATE
        kinds = np.array([phones - edits, 0.6 * edits, 0.2 * edits, 0.2 * edits])
        by_phone = np.full(size, kinds[2] / size)
        by_pair = np.full((size, size), kinds[1] / (size * max(1, size - 1)))
        return self.prior.plus(Edits(kinds, by_phone, by_pair))

    def step(self, rng: np.random.Generator, state: NoisyState, n: int) -> NoisyState:
        """Do `n` iterations."""
        for _ in range(n):
            check_interrupt()
            if state.earlier:
                state.marks.append(Mark(len(state.likelihood), OTHER_OBJECTIVE))
                state.earlier, state.kept = False, None  # whose bound is of the other formula
            again, place = divmod(len(state.likelihood), self.relearn_every)
            if place == 0 and again <= self.relearnings + 1:
                self._judge(state)
            if place == 0 and again <= self.relearnings:
                posterior, edits = self._relearn(rng, state)
            elif place and place % self.merge_every == 0:
                posterior, edits = self._merged(state)
            else:
                posterior, edits = self._pruned(state), self.prior.plus(state.reading.expected_edits)
            state.add(self._read(posterior, edits, state.reading.expected))
        return state

    def begin_with(self, state: NoisyState, words: dict[str, dict[bytes, float]], edits: Edits) -> NoisyState:
        """Return a state that continues from these strings of each adapted symbol, and counts of edits.

        Strings are phone codes with their counts.
        """
        now = state.reading
        expected = with_words(self.parser, now.expected, words)
        posterior = self._fitted(now, expected, [np.flatnonzero(used) for used in expected.used])
        begun = NoisyState(now)
        begun.add(self._read(posterior, self.prior.plus(edits), now.expected))
        return begun

    def _judge(self, state: NoisyState) -> None:
        """Go back to the words before the last relearning if the bound was higher with them."""
        if state.kept is not None and state.kept.bound > state.reading.bound:
            state.marks.append(Mark(len(state.likelihood), "earlier words taken back"))
            state.reading = state.kept
        state.kept = state.reading

    def _relearn(self, rng: np.random.Generator, state: NoisyState) -> tuple[Globals, Edits]:
        """Return the posteriors with words relearnt from the source strings."""
        now = state.reading
        text = source_text(self.parser, now.expected.ends > 0.5, now.best)
        turn = len(state.likelihood) // self.relearn_every - 1
        start = Peaks(RELEARN_CONTEXTS[turn % len(RELEARN_CONTEXTS)])
        words = learn_words(text, self.parser.grammar, start, self.warmup, rng, self.threads)
        expected = with_words(self.parser, now.expected, words)
        active = [np.flatnonzero(used) for used in expected.used]
        hyper = [(s.concentration, s.discount) for s in now.posterior.sticks]
        posterior, edits, moved = self._without_variants(expected, now.expected_edits, active, hyper)
        size = sum(strings.size for strings in active)
        what = f"relearnt, {counted(size - moved, 'word')} without {counted(moved, 'variant')}"
        state.marks.append(Mark(len(state.likelihood), what))
        return posterior, edits

    def _merged(self, state: NoisyState) -> tuple[Globals, Edits]:
        now = state.reading
        hyper = [(s.concentration, s.discount) for s in now.posterior.sticks]
        posterior, edits, moved = self._without_variants(
            now.expected, now.expected_edits, now.posterior.active, hyper
        )
        if moved:
            state.marks.append(Mark(len(state.likelihood), f"{moved:,} taken for edited words"))
        return posterior, edits

    def _pruned(self, state: NoisyState) -> Globals:
        now, upcoming = state.reading, len(state.likelihood)
        active = before = now.posterior.active
        if upcoming % self.prune_every == 0:
            tokens = now.expected.used.sum(axis=1) + now.expected.new
            if self.parser.lattice is not None:
                tokens = np.array([now.expected.ends.sum()])
            fewest = np.maximum(1.0, self.fewest_share * tokens)
            active = [s[now.expected.used[a, s] >= fewest[a]] for a, s in enumerate(before)]
        dropped = sum(old.size - new.size for old, new in zip(before, active, strict=True))
        if dropped:
            state.marks.append(Mark(upcoming, f"{dropped:,} dropped"))
        return self._fitted(now, now.expected, active)

    def _fitted(self, now: Reading, expected: Expectations, active: list[np.ndarray]) -> Globals:
        hyper = [(s.concentration, s.discount) for s in now.posterior.sticks]
        return variational.fitted(self.parser, expected, active, hyper, learn=True)

    def view(self, state: NoisyState) -> DiscoveryView:
        """Return a snapshot; it has relearnt words once their bound is the higher one."""
        now, kept = state.reading, state.kept
        if kept is not None and kept.bound > now.bound:
            now = kept
        trace = state.likelihood, state.penalty
        view = variational.snapshot(self.parser, now.posterior, now.expected, trace, state.marks)
        return replace(view, edits=now.edits, source_string=read_only(now.best))
