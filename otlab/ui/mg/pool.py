"""State of the Learn lexicon tab: candidate items, and the lexicon learnt from them. No Panel in here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import InputError
from otlab.inference import run
from otlab.inference.random import run_seed
from otlab.mg.learners.corpus import parse_corpus
from otlab.mg.learners.pool import pool_of
from otlab.mg.learners.vb import VB
from otlab.mg.parsing.generation import generate
from otlab.mg.parsing.grammar import Grammar
from otlab.ui.fields import put_texts, texts_of, values_of
from otlab.ui.mg.settings import GENERATED, PoolSettings
from otlab.ui.runner import LearnerRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from otlab.inference import Run, Tick
    from otlab.mg.features import Feature
    from otlab.mg.learners.snapshot import Snapshot
    from otlab.mg.lexicon import LexicalItem, Lexicon
    from otlab.ui.mg.grammar_state import GrammarState

    Item = tuple[tuple[str, ...], tuple[Feature, ...]]

__all__ = ["LearntPool", "Pool", "entries_of", "unknown_words"]

LONGEST_GENERATED = 9
MOST_CANDIDATES = 5000


@dataclass(frozen=True, eq=False)
class LearntPool:
    """What was learnt from candidate items, to be saved.

    Attributes
    ----------
    lexicon
        The candidates.
    starts, known, seed
        What each start has found, the items of the lexicon that it began with, and the root seed.
    """

    lexicon: Lexicon
    starts: tuple[Snapshot, ...]
    known: frozenset[Item]
    seed: int


class Pool:
    """Candidate items, and those that survive a sparse prior.

    Parameters
    ----------
    state
        The lab's state; its ``pool_changes`` counts changes of the pool.

    Attributes
    ----------
    settings
        How it is learnt, and how many uses an item needs to survive.
    starts
        What each start of the present or last run has found.
    known
        The items of the lexicon that the run began with, pseudo-counts aside.
    ended : LearntPool or None
        What the last run has found, if it has ended.
    """

    def __init__(self, state: GrammarState) -> None:
        self._state = state
        self.settings = PoolSettings()
        self.settings.param.watch(lambda *_: self._arranged(), list(values_of(self.settings)))
        self.starts: tuple[Snapshot, ...] = ()
        self.known: frozenset[Item] = frozenset()
        self.ended: LearntPool | None = None
        self._seed = 0
        self._pools: list[Lexicon] = []  # of the present run, once its worker has made it

    @property
    def lexicon(self) -> Lexicon | None:
        """The lexicon that is being pruned; None before."""
        return self._pools[0] if self._pools else None

    @property
    def best(self) -> Snapshot | None:
        """The start with the highest ELBO; None before there is one."""
        return max(self.starts, key=lambda view: view.objective, default=None)

    @property
    def seeds(self) -> list[int]:
        """The seed that repeats each start."""
        return [run_seed(self._seed, number) for number in range(len(self.starts))]

    @property
    def survivors(self) -> list[LexicalItem]:
        """The items with enough expected uses, in the order of the pool."""
        if self.lexicon is None or self.best is None:
            return []
        kept = np.flatnonzero(self.best.counts >= self.settings.threshold)
        return [self.lexicon.items[i] for i in kept]

    @property
    def stale(self) -> bool:
        """Whether the lexicon has other items now than the run began with."""
        return self.best is not None and entries_of(self._state.lexicon.items) != self.known

    def forget(self) -> None:
        """Delete the results."""
        if self.known:
            self._pools, self.starts, self.known, self.ended = [], (), frozenset(), None
            self._changed()

    def rows(self) -> list[LearnerRow]:
        """Return the run that prunes the pool of the present lexicon.

        Raises
        ------
        InputError
            If there are no sentences to learn from.
        """
        lexicon, settings, seed = self._state.lexicon, self.settings, self._state.settings.seed
        sweeps, chains, alpha = settings.iterations, settings.restarts, settings.alpha
        from_corpus, sentences = settings.sentences == "corpus", list(self._state.counts.elements())
        if from_corpus and not sentences:
            raise InputError(f"the corpus is empty; add sentences, or let {GENERATED} be generated")
        pools: list[Lexicon] = []

        def make() -> Run[Any, Any]:
            corpus = sentences if from_corpus else _generated(lexicon, seed)
            pools.append(_pool(lexicon, corpus))
            learner = VB(parse_corpus(Grammar(pools[0]), corpus), np.full(len(pools[0]), alpha), "jitter")
            return run(learner, sweeps=sweeps, seed=seed, chains=chains)

        self._pools, self.starts, self.known = pools, (), entries_of(lexicon.items)
        self._seed, self.ended = seed, None
        self._changed()
        return [LearnerRow("vb", "VB", "vb", lambda: make, unit="iteration")]

    def take(self, ticks: Mapping[str, Tick[Snapshot]]) -> None:
        """Store the latest results."""
        self.starts = tuple(ticks["vb"].views)
        self._changed()

    def end(self) -> None:
        """Keep what the run has found, which has ended."""
        if self.lexicon is not None and self.starts:
            self.ended = LearntPool(self.lexicon, self.starts, self.known, self._seed)
        self._changed()

    def put_ended(self, ended: LearntPool | None) -> None:
        """Show what was learnt and saved; None for nothing."""
        self.forget()
        if ended is not None:
            self._pools, self.starts, self.known = [ended.lexicon], ended.starts, ended.known
            self._seed, self.ended = ended.seed, ended
            self._changed()

    def contents(self) -> dict[str, Any]:
        """Return the settings, for :meth:`open_contents`."""
        return {"pool": texts_of(self.settings)}

    def open_contents(self, contents: Mapping[str, Any]) -> None:
        """Restore what :meth:`contents` returned; results are deleted."""
        put_texts(self.settings, contents["pool"])
        self.forget()

    def _arranged(self) -> None:
        self._state.option_changes += 1
        self._changed()

    def _changed(self) -> None:
        self._state.pool_changes += 1


def entries_of(items: Iterable[LexicalItem]) -> frozenset[Item]:
    """Return what identifies an item, apart from its pseudo-count."""
    return frozenset((i.words, i.features) for i in items)


def unknown_words(lexicon: Lexicon, corpus: Iterable[tuple[str, ...]]) -> list[str]:
    """Return the words of a corpus that the lexicon does not have."""
    known = {w for i in lexicon.items for w in i.words} | lexicon.spell_out.words
    return [w for w in dict.fromkeys(w for words in corpus for w in words) if w not in known]


def _generated(lexicon: Lexicon, seed: int) -> list[tuple[str, ...]]:
    made = generate(lexicon, GENERATED, seed=seed, most_words=LONGEST_GENERATED).sentences
    if not made:
        raise InputError("no random sequence derives a sentence; use the corpus")
    return made


def _pool(lexicon: Lexicon, corpus: list[tuple[str, ...]]) -> Lexicon:
    """Return the pool of the lexicon's words and of those the corpus has besides.

    Raises
    ------
    InputError
        If it would be too large.
    """
    pool = pool_of(lexicon)
    unknown = unknown_words(lexicon, corpus)
    if unknown:
        more = [i for i in pool_of(lexicon, unknown).items if i.words]
        pool = pool.with_items([*pool.items, *more])
    if len(pool) > MOST_CANDIDATES:
        raise InputError(
            f"the pool has {len(pool):,} candidates, over {MOST_CANDIDATES:,}; take fewer words or frames"
        )
    return pool
