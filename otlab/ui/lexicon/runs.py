"""Finished runs of the lexicon lab, kept and compared; without Panel.

They are runs of the run panel; :mod:`otlab.ui.runner` says why those are not the runs of a sweep. The same
runs are available as a sweep (:mod:`otlab.ui.lexicon.sweep`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from otlab.discovery.learners import BASELINES, LEARNERS
from otlab.discovery.learners.choose import choose
from otlab.discovery.parsing.parser import Parser
from otlab.discovery.presets import load_grammar
from otlab.inference import conclude
from otlab.ui.sweep.planned import unfinished

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otlab.discovery.corpus import Corpus
    from otlab.discovery.learners.choose import Candidate
    from otlab.discovery.learners.fitted import LexiconFitted
    from otlab.discovery.learners.view import DiscoveryView, Entry
    from otlab.inference import Run, Tick

__all__ = [
    "MOST_KEPT",
    "Difference",
    "FinishedRun",
    "KeptRuns",
    "Learnt",
    "baselines_of",
    "compared",
    "finished_run",
]

MOST_KEPT = 12


@dataclass(frozen=True)
class Learnt:
    """Grammar and settings of the present results; later edits do not change them.

    Attributes
    ----------
    parser
        Text and grammar.
    grammar_text, grammar_name
        As written when Run was pressed, and the preset's name or "own rules".
    settings
        As they were then.
    """

    parser: Parser
    grammar_text: str
    grammar_name: str
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class FinishedRun:
    """A run kept for comparison.

    Attributes
    ----------
    number
        Counted from 1 for each text.
    learner, label
        Learner, and a short text that identifies the run.
    grammar, grammar_name
        Its text, and the preset's name or "own rules".
    corpus
        What was learnt from.
    candidates, chosen
        What the rules look at in each restart, and the restart that the rule prefers.
    views, cuts
        Each restart's last snapshot and its segmentation.
    settings
        Of the run panel as they were then, with the threshold; None in runs that an earlier version saved.
    remarks
        What else to know of the run: that it was stopped.
    """

    number: int
    learner: str
    label: str
    grammar: str
    grammar_name: str
    corpus: Corpus
    candidates: tuple[Candidate, ...]
    chosen: int
    views: tuple[DiscoveryView, ...]
    cuts: tuple[np.ndarray, ...]
    settings: Mapping[str, Any] | None = None
    remarks: tuple[str, ...] = ()

    @property
    def view(self) -> DiscoveryView:
        """The chosen restart's last snapshot."""
        return self.views[self.chosen]

    @property
    def cut(self) -> np.ndarray:
        """The chosen restart's segmentation."""
        return self.cuts[self.chosen]

    @property
    def title(self) -> str:
        """Number and label."""
        return f"{self.number}. {self.label}"

    def by(self, rule: str) -> FinishedRun:
        """Return the run with the restart chosen by another rule."""
        return replace(self, chosen=choose(self.candidates, rule))

    def words(self, word: str) -> tuple[Entry, ...]:
        """Return its lexicon: of the grammar's words, or of its lowest adapted symbol."""
        return self.view.words(word)


@dataclass
class KeptRuns:
    """Finished runs of one text, and which two are compared.

    Attributes
    ----------
    kept
        Newest last, at most :data:`MOST_KEPT`.
    rule
        The rule that chooses among restarts without gold.
    left, right
        Numbers of the runs compared; 0 for the last two.
    """

    kept: list[FinishedRun] = field(default_factory=list)
    rule: str = "bigram"
    left: int = 0
    right: int = 0

    @property
    def next_number(self) -> int:
        """The number of the next run."""
        return 1 + (self.kept[-1].number if self.kept else 0)

    def keep(self, run: FinishedRun) -> FinishedRun:
        """Add a run, its restart chosen by the rule; the last two are compared now."""
        run = run.by(self.rule)
        self.kept = [*self.kept, run][-MOST_KEPT:]
        self.left = self.right = 0
        return run

    def choose_by(self, rule: str) -> None:
        """Set another rule."""
        self.rule = rule
        self.kept = [run.by(rule) for run in self.kept]

    def compare(self, left: int | None = None, right: int | None = None) -> None:
        """Compare other runs, by number; a side that is not given stays."""
        if self.pair is not None:
            one, other = self.pair
            self.left = one.number if left is None else left
            self.right = other.number if right is None else right

    @property
    def pair(self) -> tuple[FinishedRun, FinishedRun] | None:
        """The runs compared: the chosen two, or the last two; None before there are two."""
        if len(self.kept) < 2:
            return None
        numbered = {run.number: run for run in self.kept}
        return numbered.get(self.left, self.kept[-2]), numbered.get(self.right, self.kept[-1])


@dataclass(frozen=True)
class Difference:
    """Words and utterances on which two runs differ.

    Attributes
    ----------
    common
        Words both found.
    only
        For each run, the words that the other does not have, most used first.
    utterances
        Those cut differently; None if the runs are of different texts.
    """

    common: int
    only: tuple[tuple[Entry, ...], tuple[Entry, ...]]
    utterances: tuple[int, ...] | None


def baselines_of(corpus: Corpus, seed: int) -> dict[str, Candidate]:
    """Return the segmentation of each baseline by its label; `seed` is for random boundaries."""
    parser = Parser(corpus, load_grammar("word"))
    fits = {entry.label: entry.fit(parser, entry.settings(), seed=seed) for entry in BASELINES.values()}
    return {label: cast("LexiconFitted", fitted).candidates[0] for label, fitted in fits.items()}


def compared(one: FinishedRun, other: FinishedRun, word: str) -> Difference:
    """Compare two runs' chosen restarts."""
    first, second = one.words(word), other.words(word)
    spelled, spelled_too = ({entry.string for entry in words} for words in (first, second))
    only = (
        tuple(entry for entry in first if entry.string not in spelled_too),
        tuple(entry for entry in second if entry.string not in spelled),
    )
    return Difference(len(spelled & spelled_too), only, _cut_differently(one, other))


def _cut_differently(one: FinishedRun, other: FinishedRun) -> tuple[int, ...] | None:
    if one.corpus is not other.corpus:
        return None
    inside = one.cut != other.cut
    inside[one.corpus.offsets[1:] - 1] = False
    places = np.flatnonzero(inside)
    return tuple(np.unique(np.searchsorted(one.corpus.offsets, places, side="right") - 1).tolist())


def finished_run(
    learnt: Learnt, threshold: float, learner: str, tick: Tick[Any], run: Run[Any, Any], start: str
) -> FinishedRun:
    """Return a learner's finished run with the segmentations of the library's fit; its number is 0."""
    fitted = replace(cast("LexiconFitted", conclude(run, tick)), threshold=threshold)
    label = f"{LEARNERS[learner].label}, {learnt.grammar_name}, {start}"
    if learnt.settings["edited"]:
        label += f", {learnt.settings['edited']:g} % edited"
    return FinishedRun(
        number=0,
        learner=learner,
        label=label,
        grammar=learnt.grammar_text,
        grammar_name=learnt.grammar_name,
        corpus=learnt.parser.corpus,
        candidates=fitted.candidates,
        chosen=0,
        views=fitted.views,
        cuts=fitted.segmentations,
        settings={**learnt.settings, "threshold": threshold},
        remarks=unfinished(run),
    )
