"""Results of one estimator: views of its runs, their traces, its states in words."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.html import table, td, tr
from otlab.inference.random import run_seed
from otlab.tagging.experiments.table1 import WITHOUT_PRIOR
from otlab.tagging.learners.known_tags import without_known
from otlab.tagging.scores import Scorer, baselines, greedy_matching, score
from otlab.ui.tagging.settings import known_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from otlab.inference import Tick
    from otlab.tagging.corpus import Corpus
    from otlab.tagging.model import Model
    from otlab.tagging.scores import Scores
    from otlab.tagging.view import View
    from otlab.ui.tagging.matching import Named
    from otlab.viz.base.tokens import Hue

__all__ = [
    "SIX",
    "Portrait",
    "Result",
    "Skew",
    "Snapshot",
    "StateCard",
    "entropy",
    "runs_html",
    "same_tags",
    "same_words",
    "score_by_max_marginal",
]


SIX = 6
"""How many of the biggest states are compared with the most frequent gold tags; fewer hold every token."""


def entropy(counts: np.ndarray) -> float:
    """Return the entropy of counts, in bits.

    >>> entropy(np.array([2, 1, 1, 0]))
    1.5
    """
    shares = counts[counts > 0] / max(counts.sum(), 1)
    return float(-(shares * np.log2(shares)).sum())


@dataclass(frozen=True)
class Skew:
    """Tokens per state of a run, biggest first, as they are drawn and pinned.

    Attributes
    ----------
    share
        The share of tokens in the six biggest states, a mean over runs; that of
        ``tokens`` if None.
    """

    label: str
    hue: Hue
    tokens: tuple[int, ...]
    share: float | None = None

    @property
    def six_biggest(self) -> float:
        """The share of tokens in the six biggest states."""
        return sum(self.tokens[:SIX]) / max(sum(self.tokens), 1) if self.share is None else self.share


@dataclass(eq=False)
class Result:
    """One estimator's runs, one view a seed.

    Attributes
    ----------
    row, label, hue
        Name of its row in the run panel, its label and its colour.
    corpus, settings
        The corpus and the settings of the runs; its tags are what they are scored against.
    learnt
        The corpus that they learnt from, whose tags may be others; None if it is the same.
    known
        Scores against other tags than those of `learnt`, by run and iteration: those of the ticks it had.
    names
        The user's names of its states, by number.
    max_marginal
        Gibbs: the first seed's scores when each token has the state most probable
        under the parameters expected given the sample; None until they are known.
    """

    row: str
    label: str
    hue: Hue
    corpus: Corpus
    settings: dict[str, Any]
    names: dict[int, str] = field(default_factory=dict)
    views: tuple[View, ...] = ()
    marks: list[tuple[int, float]] = field(default_factory=lambda: [(0, 0.0)])
    model: Model | None = None
    max_marginal: Scores | None = None
    carried: bool = False  # whether names of the run before have been looked for
    learnt: Corpus | None = None
    known: dict[tuple[int, int], np.ndarray] = field(default_factory=dict)
    _drawn: tuple[View, ...] = ()  # the views as the run has them

    def take(self, tick: Tick[View]) -> None:
        """Store the newest views, and the time at which their iteration was reached."""
        self._drawn, self.views = tick.views, self._scored(tick.views)
        self.marks.append((tick.sweep, tick.seconds))
        self.__dict__.pop("portrait", None)

    def against(self, corpus: Corpus, ticks: Iterable[Tick[View]]) -> Result:
        """Return the result scored against the tags of a corpus of the same words.

        `ticks` are those that are kept of the run: only for their iterations scores are known.
        """
        learnt = self.corpus if self.learnt is None else self.learnt
        changed: dict[str, Any] = {"model": self.model, "known": {}, "max_marginal": None, "learnt": learnt}
        made = replace(self, corpus=corpus, **changed)
        for tick in ticks:
            made._scored(tick.views)
        made.views = made._scored(self._drawn)
        return made

    def _scored(self, views: tuple[View, ...]) -> tuple[View, ...]:
        """Return views with scores against the tags of the corpus."""
        if self.learnt is None or same_tags(self.learnt, self.corpus):
            return views
        scorer = self.scorer()
        return tuple(self._against_tags(scorer, run, view) for run, view in enumerate(views))

    @cached_property
    def known_states(self) -> np.ndarray | None:
        """The state of each token whose tag was learnt from, -1 elsewhere; None if none was."""
        known = known_of(self.settings)
        return known.states(self.corpus if self.learnt is None else self.learnt) if known else None

    @property
    def scored(self) -> Corpus:
        """The corpus without the tags that were learnt from."""
        return without_known(self.corpus, self.known_states)

    def scorer(self) -> Scorer:
        """Return the scorer of tags that were not learnt from."""
        return Scorer(self.scored, self.states)

    @property
    def accuracy(self) -> np.ndarray | None:
        """Share of tokens of each run that got their tag; None if states stand for no tags of the corpus."""
        if self.known_states is None or (self.learnt and not same_tags(self.learnt, self.corpus)):
            return None
        tables = [view.table for view in self.views]
        if not tables[0].sum():
            return None
        return np.array([np.trace(table) / table.sum() for table in tables])

    def _against_tags(self, scorer: Scorer, run: int, view: View) -> View:
        self.known[run, view.iteration] = scorer.row(view.labels)
        rows = np.full_like(view.scores, np.nan)
        for (of, iteration), row in self.known.items():
            if of == run and iteration < len(rows):
                rows[iteration] = row
        return replace(view, scores=rows, table=scorer.table(view.labels).sum(0))

    def earlier(self, tick: Tick[View]) -> Result:
        """Return the result as it was at an earlier tick of the run; names are the same."""
        then = copy(self)
        then.views, then.model, then.max_marginal = self._scored(tick.views), None, None
        then.__dict__.pop("portrait", None)
        return then

    @property
    def view(self) -> View:
        """The view of the first seed, whose states are shown."""
        return self.views[0]

    @property
    def point(self) -> str:
        """What that view is, if there are others: "run 1 of 3", "last sample of run 1 of 3"."""
        run = f"run 1 of {len(self.views)}" if len(self.views) > 1 else ""
        if self.hue != "gibbs":
            return run
        return f"last sample of {run}" if run else "last sample"

    @property
    def states(self) -> int:
        """Number of states; an infinite HMM has as many as its first run shows."""
        return int(self.view.tokens_per_state.size if self.views else self.settings["states"])

    @property
    def seeds(self) -> list[int]:
        """The seed of each run, with which the lab and ``otlab tag`` repeat that run alone."""
        return [run_seed(self.settings["seed"], run) for run in range(len(self.views))]

    @property
    def skew(self) -> Skew:
        """Tokens per state of the first run, and the six biggest states' share of all runs."""
        tokens = np.sort(self.view.tokens_per_state)[::-1].tolist()
        share = float(np.mean([view.share_of_biggest() for view in self.views]))
        return Skew(self.label, self.hue, tuple(tokens), share)

    @property
    def kept_skew(self) -> Skew:
        """The tokens per state, with a label that identifies the run: "VB 50, α 0.1, seed 1"."""
        values = self.settings
        prior = "" if values["estimator"] in WITHOUT_PRIOR else f", α {values['emission_prior']:g}"
        return replace(self.skew, label=f"{self.label} {self.states}{prior}, seed {values['seed']}")

    def name(self, state: int) -> str:
        """Return the name of a state."""
        return self.names.get(state, f"state {state}")

    def seconds(self, iterations: np.ndarray) -> np.ndarray:
        """Return the times at which iterations were reached, in seconds of computing a run."""
        sweeps, seconds = np.array(self.marks).T
        return np.asarray(np.interp(iterations, sweeps, seconds))

    def traces(self, name: str) -> np.ndarray:
        """Return one score of every seed after each iteration, shape (seeds, iterations + 1)."""
        return np.array([view.trace(name) for view in self.views])

    @property
    def effective_states(self) -> np.ndarray:
        """Two to the entropy of the states of every run after each iteration: their perplexity.

        As many equally large states would have the same entropy. NaN for a text without tags:
        H(Y) is found as H(Y|T) + H(T) - H(T|Y).
        """
        surprise = self.traces("h_y_given_t") + entropy(self.scored.tag_counts) - self.traces("h_t_given_y")
        return np.asarray(np.exp2(surprise))

    @property
    def state_counts(self) -> np.ndarray | None:
        """States in use in every run of an infinite HMM after each iteration; None for other learners."""
        counts = [view.state_counts for view in self.views if view.state_counts is not None]
        return np.array(counts, float) if counts else None

    @property
    def objectives(self) -> np.ndarray:
        """Log likelihood, free energy or log joint of every seed after each iteration, in nats."""
        return np.array([view.objective for view in self.views])

    def score(self, name: str) -> tuple[float, float]:
        """Return the mean and the standard deviation over seeds of the last scores; no sd for one seed."""
        last = self.traces(name)[:, -1]
        return float(last.mean()), float(last.std(ddof=1)) if last.size > 1 else float("nan")

    @cached_property
    def baselines(self) -> dict[str, Scores]:
        """The scores of each baseline with as many states; none without gold tags."""
        if self.corpus.tags is None:
            return {}
        return baselines(self.corpus, self.states, self.settings["seed"])

    @cached_property
    def portrait(self) -> Portrait:
        """The first seed's states in words, counted when first asked for after a tick."""
        return Portrait(self.corpus, self.view)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The document for Undo: the corpus, names of states, kept curves.

    Attributes
    ----------
    source
        The key of the file that is open; empty or None for none.
    names
        Names of the states of each row; in documents of earlier versions (result, names) of each.
    reading
        The options that its file was read with, as texts; None in documents of earlier versions.
    dictionary
        The text of the tag dictionary that is open; empty for none.
    """

    corpus: Corpus
    source: str | None
    sample: str
    names: Mapping[str, dict[int, str]] | tuple[Any, ...]
    pinned: list[Skew]
    ghost: Skew | None
    named: dict[str, Named]
    reading: dict[str, str] | None = None
    dictionary: str = ""


def same_words(one: Corpus, other: Corpus) -> bool:
    """Return whether two corpora have the same words in the same sentences: learners see no more."""
    return (
        one.vocabulary == other.vocabulary
        and np.array_equal(one.words, other.words)
        and np.array_equal(one.offsets, other.offsets)
    )


def same_tags(one: Corpus, other: Corpus) -> bool:
    """Return whether two corpora of the same words have the same tags, or none."""
    if one is other or one.tags is None or other.tags is None:
        return one.tags is other.tags
    return one.tagset == other.tagset and np.array_equal(one.tags, other.tags)


def score_by_max_marginal(result: Result, model: Model) -> Scores | None:
    """Return the scores of a sample's most probable states; None without gold tags."""
    if result.corpus.tags is None:
        return None
    table = result.scorer().table(model.label(result.corpus))
    return score(table) if table.sum() else None


@dataclass(frozen=True)
class StateCard:
    """One state in words.

    Attributes
    ----------
    words, lift
        Most frequent words with their share of the state's tokens; words most of
        whose tokens are here.
    tags
        Gold tags with their share of the state's tokens, most frequent first.
    before, after
        The most frequent neighbouring states; -1 is the boundary.
    """

    state: int
    tokens: int
    words: list[tuple[str, float]]
    lift: list[str]
    tags: list[tuple[str, float]]
    before: list[int]
    after: list[int]


class Portrait:
    """Counts of a labelling by word, tag and neighbour."""

    def __init__(self, corpus: Corpus, view: View) -> None:
        self._corpus, self._view = corpus, view
        states = view.tokens_per_state.size
        flat = corpus.words.astype(np.int64) * states + view.labels
        self._by_word = np.bincount(flat, minlength=corpus.types * states).reshape(corpus.types, states)
        self.order = np.argsort(-view.tokens_per_state, kind="stable")
        self.matching = dict(greedy_matching(view.table)) if view.table.size else {}

    def card(self, state: int, words: int = 4, lift: int = 6) -> StateCard:
        """Return one state's card with a number of words."""
        counts, total = self._by_word[:, state], int(self._view.tokens_per_state[state])
        best = np.argsort(-counts, kind="stable")[:words]
        vocabulary = self._corpus.vocabulary
        # Two tokens elsewhere are added, so that words that occur once do not come first.
        share = counts / (self._corpus.word_counts + 2)
        typical = np.argsort(-share, kind="stable")[:lift]
        row = self._view.table[state] if self._view.table.size else np.zeros(0)
        return StateCard(
            state=int(state),
            tokens=total,
            words=[(vocabulary[w], float(counts[w] / max(total, 1))) for w in best if counts[w]],
            lift=[vocabulary[w] for w in typical if counts[w]],
            tags=[
                (self._corpus.tagset[t], float(row[t] / max(total, 1)))
                for t in np.argsort(-row)[:3]
                if row[t]
            ],
            before=_largest(self._pairs[:, state]),
            after=_largest(self._pairs[state]),
        )

    @cached_property
    def _pairs(self) -> np.ndarray:
        """How often each state is followed by each; the last row and column are the boundary's."""
        boundary = self._view.tokens_per_state.size
        labels = np.insert(self._view.labels.astype(np.int64), self._corpus.offsets, boundary)
        pairs = labels[:-1] * (boundary + 1) + labels[1:]
        return np.bincount(pairs, minlength=(boundary + 1) ** 2).reshape(boundary + 1, boundary + 1)

    @cached_property
    def _by_state(self) -> tuple[np.ndarray, np.ndarray]:
        """All tokens, those of state 0 first, and the first token of each state."""
        begins = np.concatenate([[0], np.cumsum(self._view.tokens_per_state)])
        return np.argsort(self._view.labels, kind="stable"), begins

    def _tokens_of(self, state: int) -> np.ndarray:
        order, begins = self._by_state
        return np.asarray(order[begins[state] : begins[state + 1]])

    def examples(self, state: int, count: int = 5, width: int = 5) -> list[tuple[str, str, str]]:
        """Return tokens of a state in context: the words before, the word, the words after."""
        corpus = self._corpus
        tokens = self._tokens_of(state)
        chosen = (
            tokens[np.linspace(0, tokens.size - 1, min(count, tokens.size)).astype(int)]
            if tokens.size
            else tokens
        )
        rows = []
        for i in chosen:
            sentence = int(np.searchsorted(corpus.offsets, i, side="right")) - 1
            begin, end = corpus.offsets[sentence], corpus.offsets[sentence + 1]
            words = [
                corpus.vocabulary[w] for w in corpus.words[max(begin, i - width) : min(end, i + width + 1)]
            ]
            at = int(i - max(begin, i - width))
            rows.append((" ".join(words[:at]), words[at], " ".join(words[at + 1 :])))
        return rows


def _largest(counts: np.ndarray, most: int = 5) -> list[int]:
    """Return the states with the largest counts, of more than 2 % each; the boundary, the last, as -1."""
    best = np.argsort(-counts, kind="stable")[:most].tolist()
    return [-1 if k == counts.size - 1 else k for k in best if counts[k] > 0.02 * counts.sum()]


def runs_html(results: Iterable[Result]) -> str:
    """Return the runs of the last press of Run, a line each with the seed that repeats it alone."""
    lines = []
    for result in results:
        sign = -1 if result.hue == "vb" else 1
        for number, (seed, view) in enumerate(zip(result.seeds, result.views, strict=True), start=1):
            scores = view.final
            objective = f"{sign * view.objective[-1]:,.0f}".replace("-", "−").replace("nan", "–")
            tagged = result.corpus.tags is not None
            cells = (
                [f"{100 * scores.one_to_one:.1f}", f"{100 * scores.many_to_one:.1f}", f"{scores.vi:.2f}"]
                if tagged
                else ["–"] * 3
            )
            cells = [str(seed), objective, *cells, f"{100 * view.share_of_biggest():.0f}"]
            lines.append(tr([td(f"{result.label}, run {number}"), *map(td, cells)]))
    if not lines:
        return ""
    titles = ["Run", "Seed", "Log likelihood or bound", "1-to-1 %", "Many-to-1 %", "VI", "In 6 states %"]
    return table(titles, lines, label="Runs", kind="scores")
