"""State of the Compare tab: theories of the corpus and their figures, without Panel."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from otlab.errors import InputError
from otlab.inference import run
from otlab.mg.learners.comparison import Trial, prepare, shared_sentences, split
from otlab.mg.parsing.grammar import Grammar
from otlab.ui.fields import put_texts, texts_of, values_of
from otlab.ui.mg.settings import CompareSettings
from otlab.ui.runner import LearnerRow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np

    from otlab.inference import Run, Tick
    from otlab.mg.learners.comparison import Comparison
    from otlab.mg.learners.snapshot import Snapshot
    from otlab.mg.lexicon import Lexicon
    from otlab.ui.mg.grammar_state import GrammarState

__all__ = ["MOST_THEORIES", "Asked", "ComparedTheories", "Theories", "Theory"]

Words = tuple[str, ...]
MOST_THEORIES = 6


@dataclass
class Theory:
    """A lexicon that is compared.

    Attributes
    ----------
    name, lexicon
        What is compared.
    trial
        The theory with its sentences parsed; None before the comparison, and if that was saved.
    figures
        So far.
    parses
        The sentences of the comparison that it parses; None until they are known.
    """

    name: str
    lexicon: Lexicon
    trial: Trial | None = None
    figures: Comparison | None = None
    parses: frozenset[Words] | None = None


@dataclass(frozen=True)
class Asked:
    """What the theories of a comparison learn from, and how.

    Attributes
    ----------
    train
        The training sentences, repetitions kept.
    held_out
        The number of sentences held out.
    alpha
        One pseudo-count for all items; each lexicon's own if None.
    settings
        Values of the run panel's fields.
    """

    train: tuple[Words, ...]
    held_out: int
    alpha: float | None
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class ComparedTheories:
    """A comparison that has ended, to be saved.

    Attributes
    ----------
    theories
        Name, lexicon, figures and parsed sentences of each.
    counts
        How often each sentence occurs in the corpus.
    """

    theories: tuple[tuple[str, Lexicon, Comparison, frozenset[Words]], ...]
    counts: Counter[Words]


class _Untrained:
    """Replacement for VB where a theory parses no training sentence; finished at once, its view is None."""

    name = "vb"

    def init(self, rng: np.random.Generator) -> None:
        """Return no state."""

    def step(self, rng: np.random.Generator, state: None, n: int) -> None:
        """Return no state."""

    def view(self, state: None) -> None:
        """Return no view."""

    def finished(self, state: None) -> bool:
        """Return True."""
        return True


class Theories:
    """The lexicon of the lab and others beside it, as theories of the corpus.

    Parameters
    ----------
    state
        The lab's state; its ``comparison_changes`` counts changes of the theories.

    Attributes
    ----------
    settings
        Settings of the comparison.
    others
        The theories beside the lexicon of the lab.
    shown
        Those of the last comparison, with what is known of them.
    ended : ComparedTheories or None
        The last comparison, if it has ended and every theory has figures.
    asked : Asked or None
        What the last comparison learns from; None before one, and if it was saved.
    """

    def __init__(self, state: GrammarState) -> None:
        self._state = state
        self.settings = CompareSettings()
        self.settings.param.watch(lambda *_: self._arranged(), list(values_of(self.settings)))
        self.others: list[Theory] = []
        self.shown: list[Theory] = []
        self.ended: ComparedTheories | None = None
        self.asked: Asked | None = None
        self._counts: Counter[Words] = Counter()  # of the sentences of the last comparison

    @property
    def all(self) -> list[Theory]:
        """The theories to compare: the lexicon of the lab first."""
        lexicon = self._state.lexicon
        return [Theory(lexicon.title or "The present lexicon", lexicon), *self.others]

    def add(self, name: str, lexicon: Lexicon) -> None:
        """Add a theory.

        Raises
        ------
        InputError
            If the largest number of theories is reached, or this one cannot be compiled.
        """
        if len(self.others) + 1 >= MOST_THEORIES:
            raise InputError(f"{MOST_THEORIES} theories are compared at most; remove one first")
        Grammar(lexicon).check()  # compiled here, where an error can be shown
        self.others.append(Theory(name, lexicon))
        self._arranged()

    def keep(self) -> None:
        """Keep the present lexicon as a separate theory: later edits do not change it."""
        number = sum(t.name.startswith("Version ") for t in self.others) + 1
        self.add(f"Version {number}", self._state.lexicon)

    def remove(self, index: int) -> None:
        """Remove one of the other theories."""
        del self.others[index]
        self._arranged()

    def forget(self) -> None:
        """Delete the last comparison; the theories stay."""
        if self.shown:
            self.shown, self.ended = [], None
            self._changed()

    def rows(self) -> list[LearnerRow]:
        """Return a run of VB for each theory, from the same sentences.

        Raises
        ------
        InputError
            If there is nothing to compare.
        """
        theories = self.all
        self.asked, test = self.planned(theories)
        train = list(self.asked.train)
        # New objects, because a worker of an earlier comparison may still write to the old ones.
        theories = self.shown = [Theory(t.name, t.lexicon) for t in theories]
        self.ended, self._counts = None, Counter([*train, *test])
        return [
            LearnerRow(str(i), t.name, "vb", partial(self._maker, t, self.asked, test), unit="iteration")
            for i, t in enumerate(theories)
        ]

    def planned(self, theories: list[Theory]) -> tuple[Asked, list[Words]]:
        """Return what theories would learn from with the present settings, and the held-out sentences.

        Raises
        ------
        InputError
            If there is nothing to compare.
        """
        settings = self._state.settings
        corpus = list(self._state.counts.elements())
        if len(theories) < 2:
            raise InputError("there is one theory only; add a lexicon, or keep this version and edit on")
        if self.settings.sentences == "shared":
            corpus = shared_sentences([t.lexicon for t in theories], corpus)
            if len(corpus) < 2:
                raise InputError("fewer than 2 sentences are parsed by all; score on all sentences")
        train, test = split(corpus, self.settings.held_out, settings.seed)
        return Asked(tuple(train), len(test), self._state.alpha, values_of(settings)), test

    def _maker(self, theory: Theory, asked: Asked, test: list[Words]) -> Callable[[], Run[Any, Any]]:
        """Return a function that parses the sentences with a theory and makes its run."""
        sweeps, seed, chains = (asked.settings[name] for name in ("iterations", "seed", "restarts"))

        def make() -> Run[Any, Any]:
            trial = theory.trial = prepare(theory.lexicon, asked.train, test)
            learner: Any = trial.learner(asked.alpha) if trial.train.sentences else _Untrained()
            return run(learner, sweeps=sweeps, seed=seed, chains=chains)

        return make

    def take(self, ticks: Mapping[str, Tick[Snapshot | None]]) -> None:
        """Update the figures of the theories from new ticks."""
        for name, tick in ticks.items():
            theory = self.shown[int(name)]
            views = [view for view in tick.views if view is not None]
            best = max(views, key=lambda view: view.objective, default=None)
            trial = cast("Trial", theory.trial)
            theory.figures, theory.parses = trial.judge(best), trial.parses
        self._changed()

    def end(self) -> None:
        """Keep the figures of the comparison, which has ended, if there are those of every theory."""
        known = [
            (t.name, t.lexicon, t.figures, t.parses)
            for t in self.shown
            if t.figures is not None and t.parses is not None
        ]
        whole = known and len(known) == len(self.shown)
        self.ended = ComparedTheories(tuple(known), self._counts) if whole else None
        self._changed()

    def put_ended(self, ended: ComparedTheories | None) -> None:
        """Show a comparison that was saved; None for none."""
        self.ended, self.asked = ended, None
        self._counts = Counter() if ended is None else ended.counts
        theories = () if ended is None else ended.theories
        self.shown = [Theory(name, own, None, figures, parses) for name, own, figures, parses in theories]
        self._changed()

    def differences(self) -> list[tuple[str, int, list[bool]]] | None:
        """Return the sentences that not all theories parse, with their counts; None until all are parsed."""
        parses = [t.parses for t in self.shown if t.parses is not None]
        if not parses or len(parses) < len(self.shown):
            return None
        answers = {words: [words in each for each in parses] for words in self._counts}
        return [
            (" ".join(words) or "ε", self._counts[words], parsed)
            for words, parsed in answers.items()
            if any(parsed) and not all(parsed)
        ]

    def contents(self) -> dict[str, Any]:
        """Return the theories and the settings, for :meth:`open_contents`."""
        others = tuple((theory.name, theory.lexicon) for theory in self.others)
        return {"theories": others, "compare": texts_of(self.settings)}

    def open_contents(self, contents: Mapping[str, Any]) -> None:
        """Restore what :meth:`contents` returned; the last comparison is deleted."""
        self.others = [Theory(name, lexicon) for name, lexicon in contents["theories"]]
        self.shown, self.ended = [], None
        put_texts(self.settings, contents["compare"])
        self._arranged()

    def _arranged(self) -> None:
        self._state.option_changes += 1
        self._changed()

    def _changed(self) -> None:
        self._state.comparison_changes += 1
