"""The Learn lexicon tab: candidate items, a sparse prior, and which of the items survive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import InputError
from otlab.inference import run
from otlab.inference.random import run_seed
from otlab.mg.features import format_features
from otlab.mg.learners.corpus import parse_corpus
from otlab.mg.learners.pool import pool_of
from otlab.mg.learners.vb import VB
from otlab.mg.parsing.generation import generate
from otlab.mg.parsing.grammar import Grammar
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Card, html
from otlab.ui.components.layout import across, down
from otlab.ui.components.placeholders import empty
from otlab.ui.glossary import define
from otlab.ui.mg.lazy import Lazy
from otlab.ui.mg.settings import GENERATED, PoolSettings
from otlab.ui.mg.state import MGState
from otlab.ui.mg.tabs.layout import NARROWING
from otlab.ui.mg.task import Task
from otlab.ui.runner import LearnerRow
from otlab.ui.settings_form import SettingsForm
from otlab.ui.tab import Tab
from otlab.viz.mg.pool import POOL_CSS, TABLE_TO_COME, Candidate, pool_html, restarts_html

if TYPE_CHECKING:
    from collections.abc import Iterable, Set

    from otlab.inference import Tick
    from otlab.mg.features import Feature
    from otlab.mg.learners.snapshot import Snapshot
    from otlab.mg.lexicon import LexicalItem, Lexicon

    Entry = tuple[tuple[str, ...], tuple[Feature, ...]]

__all__ = ["PoolTab"]

LONGEST_GENERATED = 9
MOST_CANDIDATES = 5000

define(
    "pool",
    "Candidate items",
    "Every word with every feature sequence of a spoken item, and the silent items.",
)


class PoolTab(Tab[MGState]):
    """The tab that learns a lexicon."""

    title = "Learn lexicon"
    depends = ("settled",)

    def build(self) -> Any:
        """Return the cards in their places."""
        self.best: Snapshot | None = None
        self._root = 0  # seed of the present run
        self._pools: list[Lexicon] = []  # of the present run, once its worker has made it
        self._known: frozenset[Entry] = frozenset()
        self.settings = PoolSettings()
        self.settings.param.watch(lambda _: self._draw(), "threshold")
        self.task = Task("Learn and prune", self._rows, self._ticked, self._draw)
        self._words = html("", POOL_CSS, sizing_mode="stretch_width")
        self._starts = html("", POOL_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        self._said = html("", sizing_mode="stretch_width")
        self._table = html("", POOL_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        nothing = empty(
            "No lexicon learnt yet",
            "Every word meets every feature string; a sparse prior keeps what the sentences need.",
            shape=TABLE_TO_COME,
        )
        self._place = down(nothing)
        self._take = button("Use survivors as the lexicon", self.adopt, disabled=True, align="start")
        left = down(
            Card(
                "Candidate items",
                self._words,
                SettingsForm(self.settings),
                self.task,
                sizing_mode="stretch_width",
            ),
            Card("Restarts", self._starts, remark="ELBO of each, best in bold"),
            width=430,
            sizing_mode="stretch_height",
            stylesheets=[NARROWING],
        )
        self._survivors = Card("Which entries survive", self._place, action=self._take)
        return across(left, self._survivors)

    def close(self) -> None:
        """End what is learnt: the page is gone."""
        if self.built:
            self.task.close()

    def redraw(self, changed: Set[str]) -> None:
        """Say what the pool of the present lexicon is; mark a result of another one."""
        self.draw()

    def draw(self) -> None:
        """Say what the pool of the present lexicon is; mark a result of another one."""
        lexicon = self.state.lexicon
        spoken = [i for i in lexicon.items if i.words]
        words = len({i.words for i in spoken}) + len(_unknown(lexicon, self.state.counts))
        frames, silent = len({i.features for i in spoken}), len(lexicon) - len(spoken)
        self._words.show(
            f'<p class="small">{words:,} words × {frames} feature strings + {silent} silent items = '
            f"<b>{words * frames + silent:,} candidates</b></p>"
        )
        stale = self.best is not None and _entries(lexicon.items) != self._known
        self._survivors.stale = "from the old lexicon" if stale else ""

    @property
    def pool(self) -> Lexicon | None:
        """What is being pruned; None before."""
        return self._pools[0] if self._pools else None

    @property
    def survivors(self) -> list[LexicalItem]:
        """The entries with enough expected uses, in the order of the pool."""
        if self.pool is None or self.best is None:
            return []
        kept = np.flatnonzero(self.best.counts >= self.settings.threshold)
        return [self.pool.items[i] for i in kept]

    def adopt(self) -> None:
        """Make the survivors the lexicon."""
        if self.survivors:
            items = self.survivors
            self.state.replace_items(items)
            self.state.edits += 1
            self.lab.toast(f"The lexicon is now the {len(items):,} survivors", self.lab.undo)

    def _rows(self) -> list[LearnerRow]:
        lexicon, settings, seed = self.state.lexicon, self.settings, self.state.settings.seed
        sweeps, chains, alpha = settings.iterations, settings.restarts, settings.alpha
        from_corpus, sentences = settings.sentences == "corpus", list(self.state.counts.elements())
        if from_corpus and not sentences:
            raise InputError("the corpus is empty; add sentences, or let 200 be generated")

        pools: list[Lexicon] = []

        def learner() -> VB:
            corpus = sentences if from_corpus else _generated(lexicon, seed)
            pools.append(_pool(lexicon, corpus))
            return VB(parse_corpus(Grammar(pools[0]), corpus), np.full(len(pools[0]), alpha), "jitter")

        def make() -> Any:
            return run(Lazy(learner), sweeps=sweeps, seed=seed, chains=chains)

        self._pools, self.best, self._known = pools, None, _entries(lexicon.items)
        self._root = seed
        self._starts.show("")
        return [LearnerRow("vb", "VB", "vb", make=make, unit="iteration")]

    def _ticked(self, ticks: dict[str, Tick[Snapshot]]) -> None:
        views = ticks["vb"].views
        self.best = max(views, key=lambda view: view.objective)
        seeds = [run_seed(self._root, number) for number in range(len(views))]
        self._starts.show(restarts_html([view.objective for view in views], seeds))
        self._draw()

    def _draw(self) -> None:
        """Draw the table as it is now."""
        if self.pool is None or self.best is None:
            return
        if self._said not in self._place:
            self._place[:] = [self._said, self._table]
        convention = self.pool.convention
        rows = zip(self.pool.items, self.best.counts, self.best.theta, strict=True)
        candidates = [
            Candidate(
                i.phon,
                format_features(i.features, convention),
                float(n),
                float(p),
                (i.words, i.features) in self._known,
            )
            for i, n, p in rows
        ]
        self._table.show(pool_html(candidates, self.settings.threshold))
        kept = self.survivors
        both = len(_entries(kept) & self._known)
        self._said.show(
            f'<p class="small" role="status"><b>{len(kept):,} of {len(self.pool):,}</b> candidates survive: '
            f"{both:,} of the lexicon's {len(self._known):,} entries, {len(kept) - both:,} new.</p>"
        )
        self._take.disabled = self.task.runner.alive or not kept
        self.draw()


def _entries(items: Iterable[LexicalItem]) -> frozenset[Entry]:
    """Return what tells items apart, pseudo-counts aside."""
    return frozenset((i.words, i.features) for i in items)


def _unknown(lexicon: Lexicon, corpus: Iterable[tuple[str, ...]]) -> list[str]:
    """Return the words of a corpus that the lexicon does not have."""
    known = {w for i in lexicon.items for w in i.words}
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
    unknown = _unknown(lexicon, corpus)
    if unknown:
        more = [i for i in pool_of(lexicon, unknown).items if i.words]
        pool = pool.with_items([*pool.items, *more])
    if len(pool) > MOST_CANDIDATES:
        raise InputError(
            f"the pool has {len(pool):,} candidates, over {MOST_CANDIDATES:,}; take fewer words or frames"
        )
    return pool
