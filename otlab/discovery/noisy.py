r"""Adaptor grammar and noisy channel together: words behind misheard words.

A word is drawn from the word grammar and comes out through the channel
(:mod:`~otlab.discovery.channel`), each word with its own end marker: edits stay inside
words. A word built anew comes out as it is. With :math:`N(y \mid x)` the channel's weight,

.. math:: w(i, j) = \sum_x w(\mathrm{Word} \Rightarrow x)\, N(y_{i..j} \mid x)
    + \text{leftover}\; w(\mathrm{Word} \to y_{i..j})\, \tilde o_\text{none}^{\,j-i+1}

and everything else is as for the word grammar alone: forward-backward over
segmentations, sticks, Dirichlets, and a bound that never falls for a fixed lexicon.
Sums over at most `most_edits` edits a word, and 1 + h // 3 while h of its phones have been
heard; the mass cut off is the same in the bound.

A departure from Stengel-Eskin (2017), whose channel crosses word edges and takes one
top string at a time: here tops are summed over, so no string has to be guessed first.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery import _lattice_kernels, _noisy_kernels, variational
from otlab.discovery.batch import BatchVB
from otlab.discovery.channel import Edits
from otlab.discovery.estep import SHARDS, Expectations, expect, in_order, shards
from otlab.discovery.parser import Lattice, Parser
from otlab.discovery.presets import preset
from otlab.discovery.starts import Peaks
from otlab.discovery.trie import Trie
from otlab.discovery.view import DiscoveryView, Mark
from otlab.errors import Fault, InputError
from otlab.inference.run import check_interrupt, worker_threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.discovery.corpus import Corpus
    from otlab.discovery.grammar import Grammar
    from otlab.discovery.starts import Start
    from otlab.discovery.variational import Globals

__all__ = ["NoisyState", "NoisyVB"]

_ARCS = 400_000

FIRST_RATE = 0.1
"""Share of phones taken to be edited at the start."""


@dataclass
class NoisyState:
    """What a run keeps.

    Attributes
    ----------
    posterior, edits
        Of sticks and rules, and of the channel.
    found, found_edits
        Expected counts at them.
    best : int64 ndarray of shape (phones,)
        The stored string most probably ending after each phone; -1 for one built anew.
    likelihood, penalty, marks
        The trace.
    """

    posterior: Globals
    edits: Edits
    found: Expectations
    found_edits: Edits
    best: np.ndarray
    likelihood: list[float] = field(default_factory=list)
    penalty: list[float] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)


@dataclass(frozen=True)
class NoisyVB:
    """Batch VB of the word grammar behind a channel.

    Parameters
    ----------
    corpus
        What came out.
    grammar
        One that only cuts utterances into words of phones.
    start, warmup
        Iterations of :class:`~otlab.discovery.batch.BatchVB` without channel, and its start.
    most_edits
        In one word.
    most_inserted, most_deleted
        Longest runs.
    prune_every, fewest_share
        Iterations between prunings, and the share of all tokens a word needs to stay (and
        at least one use). More than without the channel: a misheard word is rare, and once
        it is gone the channel explains it.
    threads
        One a core if None; the results do not depend on it.
    """

    corpus: Corpus
    grammar: Grammar = field(default_factory=lambda: preset("word"))
    start: Start = field(default_factory=Peaks)
    warmup: int = 10
    most_edits: int = 2
    most_inserted: int = 2
    most_deleted: int = 2
    prune_every: int = 2
    fewest_share: float = 3e-4
    threads: int | None = field(default=None, compare=False)

    @property
    def name(self) -> str:
        """``"noisy"``."""
        return "noisy"

    @cached_property
    def parser(self) -> Parser:
        """Corpus and grammar, ready for parsing."""
        return Parser(self.corpus, self.grammar)

    @property
    def lattice(self) -> Lattice:
        """The rule numbers of the grammar.

        Raises
        ------
        InputError
            If the grammar does more than cut utterances into words.
        """
        if self.parser.lattice is None:
            what = f"the grammar {self.grammar.name} does more than cut utterances into words"
            raise InputError(Fault(what, "with the channel, use the grammar word"))
        return self.parser.lattice

    @cached_property
    def prior(self) -> Edits:
        """The channel's prior."""
        return Edits.prior(len(self.corpus.symbols))

    def init(self, rng: np.random.Generator) -> NoisyState:
        """Learn without the channel first, then look through it."""
        _ = self.lattice  # refuse other grammars before anything is learnt
        clean = BatchVB(self.corpus, self.grammar, self.start, threads=self.threads)
        vars(clean)["parser"] = self.parser
        first = clean.step(rng, clean.init(rng), self.warmup)
        best = np.full(self.corpus.phones.size, -1, dtype=np.int64)
        state = NoisyState(first.posterior, self._first_edits(), first.found, self.prior, best)
        self._evaluate(state)
        return state

    def _first_edits(self) -> Edits:
        """Start as if a share of the phones had been edited, in every way alike.

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
            upcoming = len(state.likelihood)
            active = state.posterior.active
            if upcoming % self.prune_every == 0:
                fewest = max(1.0, self.fewest_share * float(state.found.ends.sum()))
                active = variational.prune(state.found, active, fewest)
                dropped = state.posterior.active[0].size - active[0].size
                if dropped:
                    state.marks.append(Mark(upcoming, f"{dropped:,} dropped"))
            hyper = [(s.concentration, s.discount) for s in state.posterior.sticks]
            state.posterior = variational.fitted(self.parser, state.found, active, hyper, learn=True)
            state.edits = self.prior.plus(state.found_edits)
            self._evaluate(state)
        return state

    def _evaluate(self, state: NoisyState) -> None:
        found, state.found_edits, state.best = self.expected(state.posterior, state.edits, state.found)
        state.found = found
        state.likelihood.append(found.log_likelihood)
        state.penalty.append(state.posterior.penalty(self.parser) + state.edits.kl(self.prior))

    def expected(
        self, posterior: Globals, edits: Edits, before: Expectations
    ) -> tuple[Expectations, Edits, np.ndarray]:
        """Return expected uses, expected edits, and the likeliest word ending after each phone."""
        parser = self.parser
        weights = posterior.weights(parser)
        unit = float(np.exp(-before.log_z.sum() / self.corpus.lengths[parser.items].sum()))
        own = expect(_without_utterances(parser), weights, posterior.active, unit, self.threads)
        words = posterior.active[0]
        trie = Trie.of([parser.codes(word) for word in words], len(self.corpus.symbols))
        step = _Pass(self, trie, weights.rule, weights.mass[0, words], float(weights.fresh[0]), edits, unit)
        with ThreadPoolExecutor(min(SHARDS, worker_threads(self.threads))) as pool:
            log_z = np.zeros(len(self.corpus))
            log_z[parser.items] = np.concatenate(in_order(pool, step.tasks()))
        rule, used, built, operation, insertion, substitution = (
            sum(parts[1:], start=parts[0]) for parts in zip(*step.sums, strict=True)
        )
        uses = np.zeros_like(own.used)
        uses[0, words] = used
        found = replace(
            own,
            rule=own.rule + rule[:-2],
            used=own.used + uses,
            built=own.built + built[None, :-1],
            new=own.new + built.sum(),
            ends=np.clip(step.ends, 0.0, 1.0),
            log_z=log_z,
        )
        best = np.where(step.best >= 0, words[step.best], -1)
        return found, Edits(operation, insertion, substitution), best

    def view(self, state: NoisyState) -> DiscoveryView:
        """Return a snapshot."""
        likelihood, penalty = np.array(state.likelihood), np.array(state.penalty)
        (sticks,) = state.posterior.sticks
        word = self.parser.adapted[0]
        return DiscoveryView(
            iteration=len(state.likelihood) - 1,
            objective=likelihood - penalty,
            likelihood=likelihood,
            penalty=penalty,
            marks=tuple(state.marks),
            ends=state.found.ends.astype(np.float32),
            entries={word: variational.entries(self.parser, sticks, state.found.used[0])},
            sticks={word: sticks},
            hyperparameters={word: (sticks.concentration, sticks.discount)},
            weights=state.posterior.weights(self.parser),
            edits=state.edits,
        )

    def finished(self, state: NoisyState) -> bool:
        """Never: there is always a smaller step."""
        return False


def _without_utterances(parser: Parser) -> Parser:
    """Return the same parser with no utterance to parse: only grammatons' own strings count."""
    empty = copy(parser)
    empty.items = parser.items[:0]
    return empty


class _Pass:
    """One E-step's arrays, a tuple of sums a shard."""

    def __init__(
        self,
        learner: NoisyVB,
        trie: Trie,
        rule: np.ndarray,
        mass: np.ndarray,
        fresh: float,
        edits: Edits,
        unit: float,
    ) -> None:
        self.learner, self.trie, self.rule, self.mass, self.fresh, self.unit = (
            learner,
            trie,
            rule,
            mass,
            fresh,
            unit,
        )
        self.edits = edits.weights()
        corpus, k = learner.corpus, len(learner.corpus.symbols)
        strings = len(learner.parser.spans) + 1
        self.sums = [
            (
                np.zeros(rule.size),
                np.zeros(mass.size),
                np.zeros(strings),
                np.zeros(4),
                np.zeros(k),
                np.zeros((k, k)),
            )
            for _ in range(SHARDS)
        ]
        self.ends = np.zeros(corpus.phones.size)
        self.best = np.full(corpus.phones.size, -1, dtype=np.int64)

    def tasks(self) -> list[Callable[[], np.ndarray]]:
        """Return the tasks that parse the data."""
        items = self.learner.parser.items
        return [
            partial(self._shard, k, items[block])
            for k, block in enumerate(shards(self.learner.corpus.lengths[items]))
        ]

    def _shard(self, k: int, block: np.ndarray) -> np.ndarray:
        learner, parser, corpus = self.learner, self.learner.parser, self.learner.corpus
        lattice, lengths = learner.lattice, corpus.lengths[block]
        log_z = np.zeros(block.size)
        arcs, arc_weights = np.zeros((_ARCS, 4 + 3 * learner.most_edits), dtype=np.int64), np.zeros(_ARCS)
        operation, insertion, substitution = self.edits
        follow, first_child, sibling, symbol, word = self.trie.arrays
        phone_weight = _lattice_kernels.phone_weights(lattice.phone, self.rule)
        _noisy_kernels.noisy_counts(
            corpus.phones, corpus.offsets[block], lengths, parser.spans.row, parser.spans.ids,
            self.rule[lattice.rules], lattice.rules, phone_weight, lattice.phone, follow, first_child,
            sibling, symbol, word, self.mass, self.fresh, operation, insertion, substitution,
            learner.most_edits, learner.most_inserted, learner.most_deleted, self.unit,
            int(lengths.max(initial=0)), *self.sums[k], self.ends, log_z, self.best, arcs, arc_weights,
        )  # fmt: skip
        return log_z
