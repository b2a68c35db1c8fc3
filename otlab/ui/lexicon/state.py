"""State of the lexicon lab: document, learners' results, selection; without Panel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import param

from otlab import __version__
from otlab.discovery.channel.alignments import channel_errors
from otlab.discovery.fit import make_learner
from otlab.discovery.joint.learners import LEARNERS as SOUND_LEARNERS
from otlab.discovery.learners import LEARNERS
from otlab.discovery.learners.starts import Geometric
from otlab.discovery.parsing import decode
from otlab.discovery.parsing.parser import Parser
from otlab.discovery.scores import Scores, score
from otlab.errors import InputError
from otlab.inference import run
from otlab.inference.random import run_seed
from otlab.ui.lexicon.document import TextDocument, edits_of
from otlab.ui.lexicon.runs import FinishedRun, KeptRuns, Learnt, finished_run
from otlab.ui.lexicon.what_if import Trial, trial_parse
from otlab.viz.discovery.page import point_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from otlab.discovery.channel.alignments import ChannelError
    from otlab.discovery.corpus import Corpus
    from otlab.discovery.grammar import Grammar
    from otlab.discovery.learners.view import DiscoveryView, Entry
    from otlab.inference import Run, Tick

__all__ = ["LexiconState", "WordRow"]


@dataclass(frozen=True)
class WordRow:
    """A line of the lexicon table; in a trial parse `count` is that of the trial."""

    string: str
    count: float
    weight: float
    change: float
    stick: int
    first_seen: int
    in_gold: bool | None


class LexiconState(TextDocument):
    """One reader's lab.

    Parameters
    ----------
    clean
        The text to begin with.

    Attributes
    ----------
    grammar
        Of the results.
    learnt
        Grammar and settings of the results; None before a run.
    """

    results: dict[str, tuple[DiscoveryView, ...]] = param.Dict(
        {}, doc="Newest snapshots of each learner, one per restart."
    )
    runs: KeptRuns = param.ClassSelector(class_=KeptRuns, default=KeptRuns(), doc="Finished runs.")
    shown: str = param.String("batch", doc="The learner whose segmentation is shown.")
    threshold: float = param.Number(0.5, doc="Lowest posterior of a boundary.")
    word: str = param.String(doc="The one of its strings whose utterances are listed; empty for all.")

    def __init__(self, clean: Corpus) -> None:
        super().__init__(clean)
        self.learnt: Learnt | None = None
        self._ticks: dict[str, Tick[Any]] = {}
        self._runs: dict[str, Run[Any, Any]] = {}
        self._learners: dict[str, Any] = {}
        self._chosen: dict[str, int] = {}
        self._ended: dict[str, tuple[DiscoveryView, ...]] = {}  # results of the whole run, while replayed
        self._gold: set[str] | None = None
        self._before: dict[str, float] = {}
        self._first_seen: dict[str, int] = {}
        self._trial: Trial | None = None
        self._channel_errors: tuple[DiscoveryView, float, list[ChannelError]] | None = None

    def _take(self, corpus: Corpus, notes: Sequence[str]) -> None:
        with self.batch():
            self._gold = None
            self.runs = KeptRuns(rule=self.runs.rule)
            super()._take(corpus, notes)

    def forget(self) -> None:
        """Delete the results."""
        with self.batch():
            self._drop_results()
            self.settled += 1

    def _drop_results(self) -> None:
        self.results, self.learnt, self._ended = {}, None, {}
        self._ticks, self._runs, self._learners = {}, {}, {}
        self.word = ""
        self._chosen, self._before, self._first_seen, self._trial = {}, {}, {}, None

    def look_up(self, utterance: int) -> None:
        """Select one utterance."""
        self.param.update(word="", utterance=utterance)

    @property
    def grammar(self) -> Grammar:
        """The grammar of the results; before a run, the last good one written."""
        return self.learnt.parser.grammar if self.learnt is not None else self.parsed

    @property
    def parser(self) -> Parser:
        """Text and grammar of the results, ready for parsing; before a run, of the next one."""
        return self.learnt.parser if self.learnt is not None else self._next_parser()

    @property
    def of_another_grammar(self) -> bool:
        """Whether the results shown were learnt with another grammar than the one now written."""
        return self.learnt is not None and self.learnt.grammar_text.strip() != self.grammar_text.strip()

    @property
    def warnings(self) -> list[str]:
        """Warnings about what was left out of the text when it was read and parsed."""
        parser = self._parser if self.learnt is None else self.learnt.parser
        unparsed = [] if parser is None else [str(fault) for fault in parser.warnings]
        return [*self.notes, *unparsed]

    # Runs.

    def starting(self, settings: Mapping[str, Any], learners: Collection[str] = ()) -> None:
        """Prepare for runs: add edits to the text, and delete the last results.

        Raises
        ------
        InputError
            If the grammar has faults or generates nothing of the text, if one of the learners
            cannot use it, or if edits are asked of a text without gold. The last results then stay.
        """
        if self.fault is not None:
            raise InputError(self.fault.faults, heading="This grammar cannot be read")
        corpus = self.text_to_learn(settings)
        parser = self._next_parser() if corpus is self.corpus else Parser(corpus, self.parsed)
        for learner in learners:
            _learner(learner, parser, settings)
        if corpus is not self.corpus:
            self.corpus, self._edited, self._gold = corpus, edits_of(settings), None
        if self.of_another_grammar:
            self.symbol, self.locked, self.banned = "", frozenset(), frozenset()
        self._parser = parser
        with param.parameterized.discard_events(self):  # pictures stay until the first tick
            self._drop_results()
        self.learnt = Learnt(parser, self.grammar_text, self.grammar_name, dict(settings))

    def plan(self, name: str, settings: Mapping[str, Any]) -> Callable[[], Run[Any, Any]]:
        """Return a function that makes a learner's run for the present text, grammar and settings."""
        parser = self.parser

        def make() -> Run[Any, Any]:
            learner = _learner(name, parser, settings)
            steps = settings["iterations"] * learner.steps_per_iteration
            return run(learner, sweeps=steps, seed=settings["seed"], chains=settings["restarts"])

        return make

    def begun(self, name: str, run: Run[Any, Any]) -> None:
        """Store the run of a learner that has begun."""
        self._runs[name], self._learners[name] = run, run.learner

    def run_context(self) -> dict[str, Any] | None:
        """Return what the runs learnt with, and the earlier runs that are kept for comparison."""
        if self.learnt is None:
            return None
        ended = (self._ended or self.results).values()
        kept = [run for run in self.runs.kept if all(run.views is not views for views in ended)]
        learnt = self.learnt
        return {"grammar": learnt.grammar_text, "settings": dict(learnt.settings), "kept": kept}

    def rows_shown(self) -> Collection[str]:
        """Return the rows that have results: of the text, and of the sound."""
        return {*(self._ended or self.results), *self.sound.rows_shown()}

    def expect_runs(self, context: Any, runs: Mapping[str, Run[Any, Any]]) -> Collection[str]:
        """Make ready for saved runs of the text and of the sound."""
        of_text = [name for name in runs if name in LEARNERS]
        of_sound = [name for name in runs if name in SOUND_LEARNERS and self.sound.opened is not None]
        if context is None or not of_text:
            return of_sound
        written = self.grammar_text
        self.read_grammar(context["grammar"])
        self.starting(context["settings"])
        self.read_grammar(written)
        same = self.corpus.phones
        self.runs.kept = [
            replace(run, corpus=self.corpus) if np.array_equal(run.corpus.phones, same) else run
            for run in context["kept"]
        ]
        return [*of_text, *of_sound]

    def take(self, ticks: Mapping[str, Tick[Any]]) -> None:
        """Store the newest snapshots."""
        for learner, tick in ticks.items():
            if learner == self.shown and self.view is not None:
                self._before = {e.string: e.expected_count for e in self.entries}
            self.results[learner], self._ticks[learner] = tick.views, tick
            self._trial = None
        for entry in self.entries:
            self._first_seen.setdefault(entry.string, self.view.iteration if self.view else 0)
        self.progress += 1

    def replay(self, ticks: Mapping[str, Tick[Any]], ended: bool) -> None:
        """Show the results at earlier ticks of the run that has ended, or those of its end."""
        self._ended = self._ended or dict(self.results)
        if ended:
            self.results, self._ended = self._ended, {}
            self.parse_again()
            self.settled += 1
        else:
            self._before = {}
            self.results = {**self._ended, **{learner: tick.views for learner, tick in ticks.items()}}
            self._trial = None
            self.progress += 1

    def to_conclude(self) -> Callable[[], list[FinishedRun]]:
        """Return a function that computes the finished runs for :meth:`finish`, on any thread."""
        learnt, threshold = cast("Learnt", self.learnt), self.threshold
        ended = [
            (learner, self._ticks[learner], self._runs[learner], self._start_words(learner))
            for learner in LEARNERS  # not in the order in which their first ticks came
            if learner in self._ticks
        ]
        return lambda: [finished_run(learnt, threshold, *each) for each in ended]

    def finish(self, finished: Iterable[FinishedRun]) -> None:
        """Keep the runs that ended for comparison, choose restarts, and repeat the trial parse."""
        for ended in finished:
            numbered = replace(ended, number=self.runs.next_number)
            self._chosen[ended.learner] = self.runs.keep(numbered).chosen
        self.parse_again()
        self.settled += 1

    def _start_words(self, learner: str) -> str:
        """Return the start of a learner of the last run, in words."""
        start = self._learners[learner].start
        return f"P {start.boundary:g}" if isinstance(start, Geometric) else str(start)

    def provenance(self, of: str) -> dict[str, str]:
        """Return the provenance of results, for the head of a file.

        Parameters
        ----------
        of
            "runs" for all runs, which have their own settings; otherwise the results shown.
        """
        entries = {"text": self.corpus.name, "otlab": __version__}
        if self.learnt is None or of == "runs":
            return entries
        settings = self.learnt.settings
        rules = "; ".join(self.learnt.grammar_text.strip().splitlines())
        restart = min(self._chosen.get(self.shown, 0), settings["restarts"] - 1)
        entries |= {
            "learner": LEARNERS[self.shown].label,
            "grammar": f"{self.learnt.grammar_name}: {rules}",
            "start": self._start_words(self.shown),
            "iterations": str(settings["iterations"]),
            "restart": f"{restart + 1} of {settings['restarts']}",
            "seed": str(run_seed(settings["seed"], restart)),
            "edited phones, %": f"{settings['edited']:g}",
            "threshold": f"{self.threshold:g}",
        }
        if self.trying:
            tried = ((self.banned, "banned"), (self.locked, "locked"))
            words = [f"{word} {what}" for words, what in tried for word in sorted(words)]
            entries["trial parse, not learnt"] = ", ".join(words)
        return entries

    def choose_by(self, rule: str) -> None:
        """Set another rule, for the runs kept and for the results shown."""
        with self.batch():
            self.runs.choose_by(rule)
            newest = {run.learner: run for run in self.runs.kept}
            for learner, views in self.results.items():
                if learner in newest and newest[learner].views is views:
                    self._chosen[learner] = newest[learner].chosen
            self.parse_again()
            self.settled += 1

    def show(self, learner: str) -> None:
        """Show another learner."""
        with self.batch():
            self.shown = learner
            self._before, self._first_seen = {}, {}
            self.parse_again()

    # Selection.

    @property
    def view(self) -> DiscoveryView | None:
        """The chosen restart's snapshot of the selected learner."""
        views = self.results.get(self.shown, ())
        return views[min(self._chosen.get(self.shown, 0), len(views) - 1)] if views else None

    @property
    def point(self) -> str:
        """Which restart that is, if there are several: "restart 2 of 5"."""
        return self._point_of("")

    @property
    def point_of_words(self) -> str:
        """What the words with their counts are: "restart 2 of 5", "last sample of restart 2 of 5"."""
        return self._point_of(self.shown)

    def _point_of(self, learner: str) -> str:
        views = self.results.get(self.shown, ())
        return point_of(learner, min(self._chosen.get(self.shown, 0), len(views) - 1), len(views))

    @property
    def noisy(self) -> DiscoveryView | None:
        """The snapshot of the learner with a channel."""
        views = self.results.get("noisy", ())
        return views[min(self._chosen.get("noisy", 0), len(views) - 1)] if views else None

    def channel_errors(self) -> list[ChannelError]:
        """Return the words that the channel changed, with their alignments."""
        view = self.noisy
        if view is None or view.source_string is None or view.edits is None:
            return []
        if self._channel_errors is None or self._channel_errors[:2] != (view, self.threshold):
            cut = decode.threshold(self.corpus, view.ends, self.threshold)
            errors = channel_errors(self.parser, cut, view.source_string, view.edits)
            self._channel_errors = (view, self.threshold, errors)
        return self._channel_errors[2]

    @property
    def ends(self) -> np.ndarray:
        """The boundary posteriors shown: those of the trial parse, or of the learner; zeros before a run."""
        if self._trial is not None:
            return self._trial.ends
        return (
            self.view.ends if self.view is not None else np.zeros(self.corpus.phones.size, dtype=np.float32)
        )

    @property
    def looked_at(self) -> str:
        """The adapted symbol shown: the chosen one, else the word, else the lowest one."""
        adapted = tuple(self.grammar.adapted)
        wanted = self.symbol or self.grammar.word
        return wanted if wanted in adapted else next(iter(adapted), "")

    def look_at(self, symbol: str) -> None:
        """Show the strings of another adapted symbol; bans and locks are removed."""
        with self.batch():
            self.symbol, self.word = symbol, ""
            self.locked = self.banned = frozenset()
            self._trial = None
            self._before, self._first_seen = {}, {}

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The strings of the symbol shown, in the lexicon of the learner shown."""
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
                self._count(e),
                e.weight,
                self._count(e) - self._count_before(e),
                stick + 1,
                self._first_seen.get(e.string, 0),
                None if gold is None else e.string in gold,
            )
            for stick, e in enumerate(self.entries[:most])
        ]

    def _count(self, entry: Entry) -> float:
        """Return a string's expected uses: in the trial parse while there is one."""
        if self._trial is None:
            return entry.expected_count
        return self._trial.counts.get(entry.string, 0.0)

    def _count_before(self, entry: Entry) -> float:
        """Return the count from which changes are measured: in a trial the learnt one, else the last one."""
        if self._trial is not None:
            return entry.expected_count
        return self._before.get(entry.string, entry.expected_count)

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
        """Return whether an utterance contains the chosen string, as a word or otherwise."""
        if self.word not in "".join(self.corpus.utterance(u)):
            return False
        words, symbol = self.corpus.words(u, cut), self.looked_at
        if symbol == self.grammar.word:
            return self.word in words
        if symbol in self.grammar.above_word:
            return any(self.word in accumulate(words[k:]) for k in range(len(words)))
        return any(self.word in word for word in words)

    # Trial parses.

    @property
    def trying(self) -> bool:
        """Whether a trial parse is shown instead of the learnt results."""
        return self._trial is not None

    def try_word(self, string: str, what: str) -> None:
        """Lock or ban a word, or undo that, and parse again."""
        with self.batch():
            self.history.record(f"{string} {'locked' if what == 'lock' else 'banned'}")
            if what == "lock":
                self.locked, self.banned = self.locked ^ {string}, self.banned - {string}
            else:
                self.banned, self.locked = self.banned ^ {string}, self.locked - {string}
            self.parse_again()

    def end_trial(self) -> None:
        """Remove all bans and locks."""
        with self.batch():
            if self.locked or self.banned:
                self.history.record("bans and locks taken back")
            self.locked = self.banned = frozenset()
            self._trial = None

    def parse_again(self) -> None:
        """Repeat the trial parse with the words locked and banned now, if there are any."""
        self._trial = None
        if self.view is not None and (self.locked or self.banned):
            self._trial = trial_parse(self.parser, self.view, self.looked_at, self.locked, self.banned)


def _learner(name: str, parser: Parser, settings: Mapping[str, Any]) -> Any:
    """Return a learner with the lab's settings for a text and grammar ready for parsing."""
    start = "peaks" if settings["start"] == "peaks" else Geometric(settings["boundary"])
    chosen = LEARNERS[name].settings(iterations=settings["iterations"], start=start)
    return make_learner(name, parser, chosen, start)
