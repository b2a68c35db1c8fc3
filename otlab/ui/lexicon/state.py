"""What the lexicon lab knows: text, grammar, learners' results, what is looked at. No Panel."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.discovery import decode
from otlab.discovery.alignments import misheard
from otlab.discovery.corrupt import corrupt
from otlab.discovery.grammar_text import parse_grammar
from otlab.discovery.online import OnlineVB
from otlab.discovery.parser import Parser
from otlab.discovery.presets import PRESETS
from otlab.discovery.scores import Scores, score
from otlab.errors import Fault, InputError
from otlab.inference import run
from otlab.ui.lexicon.lanes import LANES, learner_of, start_words
from otlab.ui.lexicon.runs import FinishedRun, History, judged
from otlab.ui.lexicon.what_if import ends_if

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otlab.discovery.alignments import Misheard
    from otlab.discovery.corpus import Corpus
    from otlab.discovery.grammar import Grammar
    from otlab.discovery.view import DiscoveryView, Entry
    from otlab.inference import Run, Tick

__all__ = ["LexiconState", "WordRow"]


@dataclass(frozen=True)
class WordRow:
    """A line of the lexicon table."""

    string: str
    count: float
    weight: float
    change: float
    stick: int
    first_seen: int
    in_gold: bool | None


@dataclass
class LexiconState:
    """One reader's lab.

    Attributes
    ----------
    clean
        The text as it was loaded.
    corpus
        What learners see: `clean`, or a copy with edits put in.
    grammar_text, grammar, fault
        What is written, the last good grammar, and what is wrong with the text.
    results
        Newest snapshots of each learner, one a restart.
    shown
        Whose segmentation is looked at.
    threshold
        Least posterior of a boundary.
    symbol
        The adapted symbol whose lexicon and sticks are looked at; empty for the word.
    word
        The one of its strings whose utterances are listed; empty for all.
    locked, banned
        What-ifs.
    history
        Finished runs.
    notes
        What was left out of the text when it was read.
    """

    clean: Corpus
    grammar_text: str = PRESETS["word"]
    threshold: float = 0.5
    shown: str = "batch"
    symbol: str = ""
    word: str = ""
    utterance: int = 0
    locked: set[str] = field(default_factory=set)
    banned: set[str] = field(default_factory=set)
    results: dict[str, tuple[DiscoveryView, ...]] = field(default_factory=dict)
    history: History = field(default_factory=History)
    fault: InputError | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.corpus = self.clean
        self.grammar: Grammar = parse_grammar(self.grammar_text, "Grammar")
        self._parser: Parser | None = None
        self._chosen: dict[str, int] = {}
        self._gold: set[str] | None = None
        self._before: dict[str, float] = {}
        self._first_seen: dict[str, int] = {}
        self._what_if: np.ndarray | None = None
        self._misheard: tuple[DiscoveryView, float, list[Misheard]] | None = None

    # Text and grammar.

    def load(self, corpus: Corpus, notes: Sequence[str] = ()) -> None:
        """Show another text, of which something may have been left out; results are forgotten."""
        self.clean = self.corpus = corpus
        self.notes = tuple(notes)
        self._parser, self._gold = None, None
        self.utterance = 0
        self.history = History(rule=self.history.rule)
        self.forget()

    def forget(self) -> None:
        """Forget what learners found and what was tried on it."""
        self.results = {}
        self.word, self.locked, self.banned = "", set(), set()
        self._chosen, self._before, self._first_seen, self._what_if = {}, {}, {}, None

    def write_grammar(self, text: str) -> None:
        """Take a new grammar text; a faulty one is kept beside the last good grammar."""
        self.grammar_text = text
        try:
            self.grammar = parse_grammar(text, "Grammar")
        except InputError as error:
            self.fault = error
            return
        self.fault, self._parser, self.symbol = None, None, ""

    @property
    def parser(self) -> Parser:
        """Text and grammar, ready for parsing."""
        if self._parser is None:
            self._parser = Parser(self.corpus, self.grammar)
        return self._parser

    @property
    def doubts(self) -> list[str]:
        """What had to be left out of the text: when it was read, and when it was parsed."""
        unparsed = [] if self._parser is None else [str(fault) for fault in self._parser.doubts]
        return [*self.notes, *unparsed]

    # Runs.

    def starting(self, settings: Mapping[str, Any]) -> None:
        """Before runs are made: put edits in, and forget the last results."""
        if self.fault is not None:
            raise self.fault
        share = settings["edited"] / 100
        if share and self.clean.gold is None:
            raise InputError(Fault("edits need a text with gold blanks", "set Edited phones to 0"))
        edited = (
            corrupt(self.clean, share, np.random.default_rng(settings["seed"])).corpus
            if share
            else self.clean
        )
        if edited.name != self.corpus.name:
            self.corpus, self._parser, self._gold = edited, None, None
        self.forget()

    def make_run(self, lane: str, settings: Mapping[str, Any]) -> Run[Any, Any]:
        """Return a learner's run for the present text, grammar and settings."""
        learner = learner_of(lane, self.parser, settings)
        sweeps = settings["iterations"] * (learner.batches_a_pass if isinstance(learner, OnlineVB) else 1)
        return run(learner, sweeps=sweeps, seed=settings["seed"], chains=settings["restarts"])

    def take(self, ticks: Mapping[str, Tick[Any]]) -> None:
        """Keep the newest snapshots."""
        for lane, tick in ticks.items():
            if lane == self.shown and self.view is not None:
                self._before = {e.string: e.expected_count for e in self.entries}
            self.results[lane] = tick.views
            self._what_if = None
        for entry in self.entries:
            self._first_seen.setdefault(entry.string, self.view.iteration if self.view else 0)

    def finish(self, settings: Mapping[str, Any]) -> None:
        """Judge every restart and keep the run for comparison."""
        for lane, views in self.results.items():
            start = start_words(lane, settings)
            candidates, cuts = judged(
                self.corpus, self.parser, views, start, settings["seed"], self.threshold
            )
            label = f"{LANES[lane].label}, {self.grammar_name}, {start}"
            if settings["edited"]:
                label += f", {settings['edited']:g} % edited"
            number, text = self.history.next_number, self.grammar_text
            run = FinishedRun(number, lane, label, text, self.corpus, candidates, 0, views, cuts)
            self._chosen[lane] = self.history.keep(run).chosen

    @property
    def grammar_name(self) -> str:
        """The preset whose text is written, or "own rules"."""
        text = self.grammar_text.strip()
        return next((name for name, rules in PRESETS.items() if rules.strip() == text), "own rules")

    def choose_by(self, rule: str) -> None:
        """Take another rule, for the runs kept and for what is looked at."""
        self.history.choose_by(rule)
        newest = {run.lane: run for run in self.history.kept}
        for lane, views in self.results.items():
            if lane in newest and newest[lane].views is views:
                self._chosen[lane] = newest[lane].chosen

    # What is looked at.

    @property
    def view(self) -> DiscoveryView | None:
        """The chosen restart's snapshot of the learner looked at."""
        views = self.results.get(self.shown, ())
        return views[min(self._chosen.get(self.shown, 0), len(views) - 1)] if views else None

    @property
    def noisy(self) -> DiscoveryView | None:
        """The snapshot of the learner with a channel."""
        views = self.results.get("noisy", ())
        return views[min(self._chosen.get("noisy", 0), len(views) - 1)] if views else None

    def misheard(self) -> list[Misheard]:
        """Return the words that came out differently, with their alignments."""
        view = self.noisy
        if view is None or view.behind is None or view.edits is None:
            return []
        if self._misheard is None or self._misheard[:2] != (view, self.threshold):
            cut = decode.threshold(self.corpus, view.ends, self.threshold)
            found = misheard(self.parser, cut, view.behind, view.edits)
            self._misheard = (view, self.threshold, found)
        return self._misheard[2]

    @property
    def ends(self) -> np.ndarray:
        """Boundary posteriors looked at: a what-if's, or the learner's; zeros before any."""
        if self._what_if is not None:
            return self._what_if
        return (
            self.view.ends if self.view is not None else np.zeros(self.corpus.phones.size, dtype=np.float32)
        )

    @property
    def looked_at(self) -> str:
        """The adapted symbol looked at: the chosen one, the word, or the lowest there is."""
        adapted = tuple(self.grammar.adapted)
        wanted = self.symbol or self.grammar.word
        return wanted if wanted in adapted else next(iter(adapted), "")

    def look_at(self, symbol: str) -> None:
        """Look at another adapted symbol's strings; what-ifs on the last one's are taken back."""
        self.symbol, self.word = symbol, ""
        self.locked, self.banned, self._what_if = set(), set(), None
        self._before, self._first_seen = {}, {}

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The strings of the symbol looked at, as the learner looked at has them."""
        return self.view.entries.get(self.looked_at, ()) if self.view is not None else ()

    @property
    def cut(self) -> np.ndarray:
        """The segmentation at the present threshold."""
        return decode.threshold(self.corpus, self.ends, self.threshold)

    def scores(self) -> Scores | None:
        """Score the present segmentation; None without gold or results."""
        return score(self.corpus, self.cut) if self.view is not None else None

    @property
    def gold_words(self) -> set[str] | None:
        """The gold lexicon; None without gold, or for strings that are no words."""
        if self.corpus.gold is None or self.looked_at != self.grammar.word:
            return None
        if self._gold is None:
            gold = self.corpus.gold
            self._gold = {w for u in range(len(self.corpus)) for w in self.corpus.words(u, gold)}
        return self._gold

    def words(self, most: int) -> list[WordRow]:
        """Return the most used words."""
        gold = self.gold_words
        return [
            WordRow(
                e.string,
                e.expected_count,
                e.weight,
                e.expected_count - self._before.get(e.string, e.expected_count),
                stick + 1,
                self._first_seen.get(e.string, 0),
                None if gold is None else e.string in gold,
            )
            for stick, e in enumerate(self.entries[:most])
        ]

    def order(self, by: str) -> np.ndarray:
        """Return utterances, of the chosen word if there is one: in "corpus" order or "uncertain" first."""
        numbers = np.arange(len(self.corpus))
        if self.word:
            cut = self.cut
            numbers = np.array([u for u in numbers if self._stands_in(int(u), cut)], dtype=np.int64)
        if by == "uncertain" and numbers.size:
            p = np.clip(self.ends, 1e-6, 1 - 1e-6)
            entropy = -(p * np.log(p) + (1 - p) * np.log(1 - p))
            entropy[self.corpus.offsets[1:] - 1] = 0.0
            total = np.add.reduceat(entropy, self.corpus.offsets[:-1])
            numbers = numbers[np.argsort(-total[numbers], kind="stable")]
        return numbers

    def _stands_in(self, u: int, cut: np.ndarray) -> bool:
        """Return whether the chosen string is a word of an utterance, or several, or part of one."""
        if self.word not in "".join(self.corpus.utterance(u)):
            return False
        words, symbol = self.corpus.words(u, cut), self.looked_at
        if symbol == self.grammar.word:
            return self.word in words
        if symbol in self.grammar.above_word:
            return any(self.word in accumulate(words[k:]) for k in range(len(words)))
        return any(self.word in word for word in words)

    # What-ifs.

    def try_word(self, string: str, what: str) -> None:
        """Lock or ban a word, or take that back, and parse once more."""
        chosen, other = (self.locked, self.banned) if what == "lock" else (self.banned, self.locked)
        other.discard(string)
        chosen.symmetric_difference_update({string})
        self._what_if = None
        if self.view is not None and (self.locked or self.banned):
            self._what_if = ends_if(self.parser, self.view, self.looked_at, self.locked, self.banned)
