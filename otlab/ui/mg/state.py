"""What one minimalist-grammar lab shows: no Panel in here.

Rows are what the grid holds, as typed. Good rows make the lexicon; while some are
faulty, or the start category is gone, the last good grammar keeps running, unless all
rows are gone. Every edit is parsed again (only what it touches); after a first run it
is also learnt again at once, if that takes a moment only. Undo takes back edits, and
also the opening of another lexicon.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import InputError
from otlab.inference import run
from otlab.inference.random import run_seed
from otlab.mg.features import format_features
from otlab.mg.io.rows import Remark, Row, check_rows
from otlab.mg.io.write import dumps
from otlab.mg.learners.common import dirichlet_intervals
from otlab.mg.learners.corpus import ParsedCorpus, parse_corpus
from otlab.mg.learners.cross_check import beside
from otlab.mg.learners.draws import posterior_of
from otlab.mg.learners.induction import make_learner, pooled_snapshot
from otlab.mg.learners.symmetry import symmetry_warning
from otlab.mg.lexicon import SILENT, Lexicon, normalise
from otlab.mg.lint import lint
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.parsing.parse import Parse, parse
from otlab.mg.parsing.prefix import well_formed_mass
from otlab.samples import samples
from otlab.ui.mg.throttled import Paced

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas as pd

    from otlab.inference import Run, Tick
    from otlab.mg.features import Convention
    from otlab.mg.learners.common import Snapshot
    from otlab.mg.learners.draws import GibbsPosterior, KeptDraws
    from otlab.mg.lexicon import LexicalItem

__all__ = ["Entry", "MGState"]

Words = tuple[str, ...]
# Node visits of a whole run that take about half a second.
LEARN_AGAIN_BELOW = 5_000_000
WATCHED_ITERATIONS, WATCHED_SECONDS = 1000, 2.0


@dataclass
class Entry:
    """One row of the grid.

    Attributes
    ----------
    phon, features, alpha
        As typed.
    remark
        Why it is not part of the grammar; None if it is.
    """

    phon: str = ""
    features: str = ""
    alpha: str = ""
    remark: Remark | None = None


@dataclass(frozen=True)
class Document:
    """What an edit changes, and Undo brings back.

    Attributes
    ----------
    base
        The lexicon that the rows began with: its start categories, convention and titles
        are in force.
    entries, counts
        The rows, and how often each sentence occurs.
    sentence
        The one looked at.
    """

    base: Lexicon
    entries: tuple[Entry, ...]
    counts: Counter[Words]
    sentence: Words


@dataclass
class MGState:
    """A lexicon, a corpus, what was learnt, and the sentence looked at."""

    entries: list[Entry] = field(default_factory=list)
    counts: Counter[Words] = field(default_factory=Counter)
    sentence: Words = ()
    reading: int = 0
    smc: bool = True
    alpha: float | None = None
    results: dict[str, Snapshot] = field(default_factory=dict)
    starts: tuple[np.ndarray, ...] = ()
    stale: str = ""  # why results no longer belong to the settings
    remarks: list[Remark] = field(default_factory=list)
    fault: str = ""
    version: int = 0  # changes with rows, grammar or probabilities

    def __post_init__(self) -> None:
        self._base = Lexicon((), ())
        self.grammar = Grammar(self._base)
        self._corpus: ParsedCorpus | None = None
        self._undo: list[Document] = []
        self._redo: list[Document] = []
        self.wants_learning = False
        self._touched = False  # whether there was an edit since the lexicon was opened
        self.seed = 0  # the root seed of VB's starts
        self._sampling: Run[Any, Any] | None = None
        self._chains: list[KeptDraws] = []
        self._sampled: GibbsPosterior | None = None

    # The document.

    @property
    def lexicon(self) -> Lexicon:
        """The last good lexicon."""
        return self.grammar.lexicon

    @property
    def base(self) -> Lexicon:
        """Start categories, convention, titles and priors in force, whatever the rows are."""
        return self._base

    def load(self, lexicon: Lexicon, corpus: Iterable[Words] | None = None) -> None:
        """Show another lexicon; results are forgotten.

        Undo brings back the one before, unless it was a sample that nobody had edited.
        """
        if self._worth_keeping():
            self._keep()
        else:
            self._undo, self._redo = [], []
        self._base = lexicon
        self.entries = self._entries_of(lexicon.items)
        self.counts = Counter(lexicon.corpus if corpus is None else corpus)
        for expected in lexicon.sentences if corpus is None else ():
            if not expected.derivations and len(self.counts) < 60:
                self.counts.setdefault(expected.words, 0)
        self.alpha = None
        self.forget()
        self.sentence, self.reading = next(iter(self.counts), ()), 0
        self.rebuild(afresh=True)
        self._touched = False

    def _worth_keeping(self) -> bool:
        shipped = self._base.name in {sample.name for sample in samples("mg")}
        return any(map(_typed, self.entries)) and (self._touched or not shipped)

    def new(self) -> None:
        """Begin an empty lexicon, with one empty row and *c* as its start category."""
        self._touched = True
        self.load(Lexicon((), ("c",), title="New lexicon"))
        self.entries = [Entry()]
        self.version += 1

    def replace_lexicon(self, lexicon: Lexicon) -> None:
        """Take a lexicon over that was written as text; its sentences, if it has any, are the corpus."""
        self._keep()
        known = self._base
        self._base = replace(
            lexicon,
            name=known.name,
            title=lexicon.title or known.title,
            source=lexicon.source or known.source,
            description=lexicon.description or known.description,
            sentences=lexicon.sentences or known.sentences,
        )
        self.entries = self._entries_of(lexicon.items)
        if lexicon.sentences:
            self.counts = Counter(lexicon.corpus)
            for expected in lexicon.sentences:
                self.counts.setdefault(expected.words, 0)
            self._corpus = None
        self.rebuild(afresh=True)

    def set_start(self, categories: Iterable[str]) -> None:
        """Choose the categories of complete sentences."""
        self._rewrite(start=tuple(dict.fromkeys(categories)))

    def set_convention(self, convention: Convention) -> None:
        """Choose how what stands in the rows is read; the rows stay as they are."""
        self._rewrite(convention=convention, remarks=())

    def _rewrite(self, **changes: Any) -> None:
        self._keep()
        self._base = replace(self._base, **changes)
        self.rebuild()

    def document(self) -> dict[str, Any]:
        """Return the lexicon as it was opened, the rows as typed, and the corpus; none of it changes."""
        rows = tuple((e.phon, e.features, e.alpha) for e in self.entries)
        return {"lexicon": self._base, "rows": rows, "counts": tuple(self.counts.items())}

    def open_document(self, document: Mapping[str, Any]) -> None:
        """Show what :meth:`document` returned; results are forgotten."""
        self.load(document["lexicon"], Counter(dict(document["counts"])))
        self.entries = [Entry(*row) for row in document["rows"]]
        self.rebuild(afresh=True)

    def text(self) -> str:
        """Return the lexicon as ``.mg`` text: what stands in the rows, rows with faults among it."""
        head = dumps(replace(self._base, items=(), sentences=())).rstrip("\n")
        rows = [_as_typed(entry) for entry in self.entries if _typed(entry)]
        return "\n".join([head, "", *rows, ""])

    def rebuild(self, *, afresh: bool = False) -> None:
        """Make the grammar of the good rows; keep the last one if that is impossible.

        Parameters
        ----------
        afresh
            Whether the rows are of another lexicon, so that the last grammar must not go on.
        """
        self.version += 1
        rows = [Row(e.phon, e.features, e.alpha, line) for line, e in enumerate(self.entries, 1) if _typed(e)]
        items, faults = check_rows(rows, self._base.convention)
        draft = replace(self._base, items=tuple(items), remarks=())
        semantic = lint(draft) if items else []
        blocked = {r.line for r in semantic if r.blocks and r.line}
        by_line = {r.line: r for r in [*semantic, *faults] if r.blocks and r.line}
        for line, entry in enumerate(self.entries, 1):
            entry.remark = by_line.get(line)
        self.remarks = sorted([*faults, *semantic], key=lambda r: (r.line is None, r.line or 0))
        self._adopt(draft.with_items(i for i in items if i.line not in blocked), afresh=afresh)

    def _adopt(self, lexicon: Lexicon, *, afresh: bool = False) -> None:
        self.fault = "" if _has_start(lexicon) else self._without_start(lexicon)
        if self.fault and lexicon.items and _has_start(self.lexicon) and not afresh:
            self.fault += " The previous lexicon still parses."
            return
        old = self.lexicon
        if lexicon == old and self.smc == self.grammar.smc:
            return
        made = Grammar(lexicon, smc=self.smc, cache=self.grammar.cache)
        try:
            made.graph  # noqa: B018 - compiled here, where a refusal can be shown
        except InputError as error:
            self.fault = str(error)
            return
        self.grammar, self._corpus = made, None
        if lexicon.texts != old.texts:
            self._forget_or_learn_again()

    @staticmethod
    def _without_start(lexicon: Lexicon) -> str:
        if not lexicon.items:
            return "The lexicon is empty: nothing can be parsed yet."
        if not lexicon.start:
            return "There is no start category."
        noun = "categories" if len(lexicon.start) > 1 else "category"
        return f"No item has category {' or '.join(lexicon.start)}, the start {noun}."

    def edit(self, index: int, field_name: str, text: str) -> None:
        """Change one cell."""
        self._keep()
        setattr(self.entries[index], field_name, text)
        self.rebuild()

    def add_entry(self) -> None:
        """Append an empty row."""
        self._keep()
        self.version += 1
        self.entries.append(Entry())

    def add_item(self, text: str) -> None:
        """Append an item written as in a file, such as the diagnosis proposes."""
        self._keep()
        phon, _, features = text.partition("::")
        self.entries.append(Entry(phon.strip(), features.strip()))
        self.rebuild()

    def remove_entry(self, index: int) -> None:
        """Take a row away."""
        self._keep()
        del self.entries[index]
        self.rebuild()

    def replace_items(self, items: Iterable[LexicalItem]) -> None:
        """Give the grid other items; an edit that can be undone."""
        self._keep()
        self.entries = self._entries_of(items)
        self.rebuild()

    def _entries_of(self, items: Iterable[LexicalItem]) -> list[Entry]:
        convention = self._base.convention
        return [
            Entry(i.phon, format_features(i.features, convention), "" if i.alpha is None else f"{i.alpha:g}")
            for i in items
        ]

    def set_count(self, words: Words, count: int) -> None:
        """Say how often a sentence occurs; 0 keeps it to be looked at, below 0 removes it."""
        self._keep()
        if count < 0:
            self.counts.pop(words, None)
        else:
            self.counts[words] = count
        self._corpus = None
        self._forget_or_learn_again()

    def set_smc(self, on: bool) -> None:
        """Switch the shortest move constraint; without it nothing is learnt."""
        self.version += 1
        self.smc = on
        self._adopt(self.lexicon)

    def _keep(self) -> None:
        self._touched = True
        self._undo.append(self._copy())
        del self._undo[:-100]
        self._redo.clear()

    def _copy(self) -> Document:
        entries = tuple(replace(e) for e in self.entries)
        return Document(self._base, entries, Counter(self.counts), self.sentence)

    def undo(self) -> None:
        """Go back one edit."""
        self._travel(self._undo, self._redo)

    def redo(self) -> None:
        """Go forward again."""
        self._travel(self._redo, self._undo)

    def _travel(self, source: list[Any], target: list[Any]) -> None:
        if source:
            target.append(self._copy())
            document = source.pop()
            afresh = document.base.name != self._base.name
            self._base, self.entries, self.counts = document.base, list(document.entries), document.counts
            if afresh:
                self.sentence, self.reading = document.sentence, 0
            self._corpus = None
            self.rebuild(afresh=afresh)

    @property
    def can_undo(self) -> bool:
        """Whether there is an edit to go back."""
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        """Whether there is an edit to go forward to."""
        return bool(self._redo)

    # Learning.

    @property
    def corpus(self) -> ParsedCorpus:
        """The parsed corpus; sentences of count 0 left out.

        Raises
        ------
        InputError
            If there is none.
        """
        if self._corpus is None:
            self._corpus = parse_corpus(self.grammar, self.counts.elements())
        return self._corpus

    def alphas(self) -> np.ndarray:
        """Return the pseudo-counts in force."""
        return self.lexicon.alphas() if self.alpha is None else np.full(len(self.lexicon), self.alpha)

    def make_run(self, learner: str, settings: dict[str, Any], *, watchable: bool = True) -> Run[Any, Any]:
        """Return a run of one learner over the present corpus.

        Parameters
        ----------
        learner, settings
            Its name; values of the run panel's fields.
        watchable
            Whether it rests between iterations, so that a short run takes two seconds.

        Raises
        ------
        InputError
            Without the shortest move constraint, or without a parsed sentence.
        """
        if not self.smc:
            raise InputError(
                "without the shortest move constraint derivations are unbounded; switch it on to learn"
            )
        self.stale = ""
        if learner == "gibbs":
            # As cross_check does: chains that begin apart, so that R-hat can tell whether they agree.
            sampler = make_learner("gibbs", self.corpus, self.alphas(), init="jitter")
            self._sampling = run(
                sampler, sweeps=settings["sweeps"], seed=settings["seed"], chains=settings["chains"]
            )
            return self._sampling
        made: Any = make_learner(learner, self.corpus, self.alphas(), init=settings["start"])
        if watchable and settings["iterations"] <= WATCHED_ITERATIONS:
            # Chains beyond the second wait for one another.
            rest = WATCHED_SECONDS / settings["iterations"] / max(1.0, settings["restarts"] / 2)
            made = Paced(made, rest)
        if learner == "vb":
            self.seed = settings["seed"]
        return run(made, sweeps=settings["iterations"], seed=settings["seed"], chains=settings["restarts"])

    def take(self, ticks: dict[str, Tick[Any]]) -> None:
        """Keep what the learners have found so far."""
        self.version += 1
        for name, tick in ticks.items():
            views = [v for v in tick.views if len(v.theta) == len(self.lexicon)]
            if views and name == "gibbs":
                self.results[name] = pooled_snapshot(views)
                self._chains = [v.draws for v in views if v.draws is not None]
                self._sampled = None
            elif views:
                self.results[name] = max(views, key=lambda v: v.objective)
                if name == "vb":
                    self.starts = tuple(v.trace[:, 0] for v in views)

    def learn_again(self, settings: dict[str, Any]) -> None:
        """Learn from the changed grammar, corpus or prior at once, if that takes a moment only."""
        self.wants_learning = False
        try:
            visits = int(self.corpus.packed.node_ptr[-1]) * settings["iterations"] * settings["restarts"]
            if self.smc and visits < LEARN_AGAIN_BELOW:
                self.take({"vb": self.make_run("vb", settings, watchable=False).finish()})
        except InputError:
            self.results.clear()

    def _forget_or_learn_again(self) -> None:
        self.wants_learning = "vb" in self.results
        self.forget()

    def forget(self) -> None:
        """Forget what was learnt."""
        self.version += 1
        self.results, self.starts, self.stale = {}, (), ""
        self._chains, self._sampled = [], None

    def set_alpha(self, alpha: float, *, learning: bool = False) -> None:
        """Give every item one pseudo-count; what is learnt with another is stale."""
        self.alpha = alpha
        self.stale = "of the previous alpha, press Run" if self.results or learning else ""
        self.version += 1

    # What is shown.

    @property
    def main(self) -> Snapshot | None:
        """The result that trees, readings and probabilities follow: VB's, else another's."""
        return self.results.get(self.speaker)

    @property
    def speaker(self) -> str:
        """The name of the learner whose result that is; empty before there is one."""
        return next((n for n in ("vb", "map", "em", "gibbs") if n in self.results), "")

    @property
    def hue(self) -> str:
        """The colour token of that learner; ink before there is one."""
        return {"": "ink3", "map": "other"}.get(self.speaker, self.speaker)

    @property
    def theta(self) -> np.ndarray:
        """Probabilities of lexical items: learnt, or the prior mean."""
        return (
            self.main.theta
            if self.main is not None
            else normalise(self.alphas(), self.lexicon.category_index)
        )

    @property
    def sampled(self) -> GibbsPosterior | None:
        """The posterior that Gibbs has drawn, all chains pooled; None before there are draws."""
        if self._sampled is None and self._sampling is not None and self._chains:
            self._sampled = posterior_of(self.lexicon, self._sampling, self._chains)
        return self._sampled

    def checked(self) -> pd.DataFrame | None:
        """Return VB's means and intervals beside those of Gibbs; None without both."""
        vb, sampled = self.results.get("vb"), self.sampled
        if vb is None or sampled is None or not sampled.draws.draws["theta"].size:
            return None
        return beside(self.lexicon, self.alphas(), vb, sampled)

    def start_seed(self, number: int) -> int:
        """Return the seed that repeats one of VB's starts, numbered from 0, as a single start."""
        return run_seed(self.seed, number)

    def intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the 95 % interval of each item's probability."""
        if self.speaker == "gibbs" and self.sampled is not None:
            return np.nan_to_num(self.sampled.low), np.nan_to_num(self.sampled.high, nan=1.0)
        omega = self.main.omega if self.main is not None else self.alphas()
        return dirichlet_intervals(omega, self.lexicon.category_index)

    def parsed(self, words: Words) -> Parse:
        """Parse a sentence with the present probabilities.

        Raises
        ------
        InputError
            If its chart is too large.
        """
        return parse(self.grammar, words, theta=self.theta)

    def reading_entropy(self) -> float:
        """Return the mean entropy, in nats, of the readings of the corpus's parsed sentences."""
        corpus = self.corpus
        total = sum(
            corpus.counts[words] * self.parsed(words).reading_entropy()
            for words, n in zip(corpus.sentences, corpus.derivations, strict=True)
            if n > 1
        )
        return total / corpus.size if corpus.size else 0.0

    def well_formed_mass(self) -> float:
        """Return W at the present probabilities."""
        return well_formed_mass(self.grammar, self.theta)

    def symmetry(self) -> str:
        """Return the warning about tied items; empty if there are none."""
        result = self.results.get("vb")
        if result is None:
            return ""
        return symmetry_warning(self.lexicon, self.alphas(), result.counts) or ""


def _typed(entry: Entry) -> bool:
    return bool(entry.phon.strip() or entry.features.strip())


def _as_typed(entry: Entry) -> str:
    alpha = f" | {entry.alpha.strip()}" if entry.alpha.strip() else ""
    return f"{entry.phon.strip() or SILENT} :: {entry.features.strip()}{alpha}"


def _has_start(lexicon: Lexicon) -> bool:
    return any(i.category in lexicon.start for i in lexicon.items)
