"""State of the Reading times tab: times, a second lexicon, and what both predict. No Panel in here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from otlab.errors import InputError
from otlab.inference import run
from otlab.mg.io.times import read_times
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.processing.reading_times import predict_reading
from otlab.ui.runner import LearnerRow

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from otlab.inference import Run, Tick
    from otlab.mg.io.times import ReadSentence
    from otlab.mg.lexicon import Lexicon
    from otlab.mg.processing.reading_times import WordPrediction
    from otlab.ui.mg.grammar_state import GrammarState

__all__ = ["NO_INPUTS", "Predictor", "ReadingInputs", "ReadingTimes"]

Predictions = tuple[tuple["WordPrediction", ...], ...]
MOST_WORDS, LONGEST = 240, 14  # that are predicted at each edit: different sentences' words; words of one


@dataclass(frozen=True)
class ReadingInputs:
    """A table of reading times, and the lexicon to compare with the one of the lab.

    Attributes
    ----------
    name, text
        Of the table; both empty if there is none.
    other
        Name of the second lexicon, and the lexicon; None if there is none.
    """

    name: str = ""
    text: str = ""
    other: tuple[str, Lexicon] | None = None


NO_INPUTS = ReadingInputs()


@dataclass(frozen=True)
class Predictor:
    """What lexicons predict about sentences, one sentence a step.

    Parameters
    ----------
    sentences
        The sentences that were read.
    grammars
        The lexicons, compiled, and the probabilities of their items; None for the prior mean.
    """

    sentences: tuple[ReadSentence, ...]
    grammars: tuple[tuple[Grammar, np.ndarray | None], ...]

    name = "reading"

    def init(self, rng: np.random.Generator) -> tuple[Predictions, ...]:
        """Return no predictions."""
        return ()

    def step(
        self, rng: np.random.Generator, state: tuple[Predictions, ...], n: int
    ) -> tuple[Predictions, ...]:
        """Predict the next `n` sentences."""
        for sentence in self.sentences[len(state) : len(state) + n]:
            both = (tuple(predict_reading(g, [sentence], theta=theta)) for g, theta in self.grammars)
            state = (*state, tuple(both))
        return state

    def view(self, state: tuple[Predictions, ...]) -> Predictions:
        """Return the words predicted so far, by each lexicon."""
        return tuple(tuple(w for one in state for w in one[k]) for k in range(len(self.grammars)))

    def finished(self, state: tuple[Predictions, ...]) -> bool:
        """Return whether all sentences are predicted."""
        return len(state) == len(self.sentences)


class ReadingTimes:
    """Reading times beside what one or two lexicons predict.

    Parameters
    ----------
    state
        The lab's state; its ``reading_changes`` counts changes of times, second lexicon and predictions.

    Attributes
    ----------
    inputs
        What was opened, which is saved and undone.
    sentences
        The sentences that were read.
    found
        The words with their predictions, by each lexicon; empty before.
    error
        Why there are none; empty if there are.
    """

    def __init__(self, state: GrammarState) -> None:
        self._state = state
        self.inputs = NO_INPUTS
        self.found: Predictions = ()
        self.error = ""
        self.sentences: tuple[ReadSentence, ...] = ()
        self._other: Grammar | None = None  # the second lexicon, compiled
        self._of: object = None  # what they were predicted from

    @property
    def names(self) -> list[str]:
        """What the lexicons are called."""
        other = self.inputs.other
        return ["this lexicon", *([other[0]] if other else [])]

    @property
    def stale(self) -> bool:
        """Whether what was predicted belongs to other times, lexicons or probabilities."""
        return self._of != self._asked()

    @property
    def quick(self) -> bool:
        """Whether so few words are read that they are predicted at each edit."""
        read = {sentence.words for sentence in self.sentences}
        return sum(map(len, read)) <= MOST_WORDS and max(map(len, read), default=0) <= LONGEST

    def open_times(self, name: str, text: str) -> None:
        """Show another table of reading times.

        Raises
        ------
        InputError
            With all its faults; the table shown before then stays.
        """
        read_times(text, name)
        self._put("reading times opened", replace(self.inputs, name=name, text=text))

    def compare_with(self, name: str, lexicon: Lexicon) -> None:
        """Compare another lexicon with the one of the lab."""
        self._put("second lexicon chosen", replace(self.inputs, other=(name, lexicon)))

    def remove_times(self) -> None:
        """Show no reading times."""
        self._put("reading times removed", replace(self.inputs, name="", text=""))

    def remove_other(self) -> None:
        """Compare no other lexicon."""
        self._put("second lexicon removed", replace(self.inputs, other=None))

    def _put(self, edit: str, inputs: ReadingInputs) -> None:
        self._state.history.record(edit)
        self.put(inputs)
        self._state.option_changes += 1

    def put(self, inputs: ReadingInputs) -> None:
        """Show other inputs, as Undo does."""
        if inputs != self.inputs:
            self.inputs = inputs
            self.sentences = tuple(read_times(inputs.text)) if inputs.text else ()
            self._other = None if inputs.other is None else Grammar(inputs.other[1])
            self._state.reading_changes += 1

    def predict(self) -> None:
        """Predict all words now, if that is not done yet and quick; else delete what is out of date."""
        if not self.stale:
            return
        self.found, self.error = (), ""
        if self.sentences and not self.quick:
            return
        self._of = self._asked()
        try:
            predicted = (predict_reading(g, self.sentences, theta=theta) for g, theta in self._grammars())
            self.found = tuple(map(tuple, predicted)) if self.sentences else ()
        except InputError as error:
            self.error = str(error)

    def rows(self) -> list[LearnerRow]:
        """Return the run that predicts all words beside the page.

        Raises
        ------
        InputError
            If there are no reading times.
        """
        if not self.sentences:
            raise InputError("there are no reading times; open a table first")
        self._of, self.error, made = self._asked(), "", partial(self._run, self.sentences, self._grammars())
        return [LearnerRow("reading", "Predictions", "vb", lambda: made, unit="sentence")]

    @staticmethod
    def _run(
        sentences: tuple[ReadSentence, ...], grammars: tuple[tuple[Grammar, np.ndarray | None], ...]
    ) -> Run[Any, Any]:
        return run(Predictor(sentences, grammars), sweeps=len(sentences), seed=0, chains=1)

    def take(self, ticks: Mapping[str, Tick[Predictions]]) -> None:
        """Show the words that are predicted so far."""
        for tick in ticks.values():
            self.found = tick.views[0]
        self._state.reading_changes += 1

    def contents(self) -> dict[str, Any]:
        """Return what was opened, for :meth:`open_contents`."""
        return {"reading": self.inputs}

    def open_contents(self, contents: Mapping[str, Any]) -> None:
        """Restore what :meth:`contents` returned."""
        self.put(contents.get("reading", NO_INPUTS))

    def _asked(self) -> object:
        state = self._state
        lexicon = state.lexicon
        spelled = str(lexicon.spell_out)
        return self.inputs, lexicon.texts, spelled, lexicon.start, state.theta.tobytes()

    def _grammars(self) -> tuple[tuple[Grammar, np.ndarray | None], ...]:
        own: tuple[Grammar, np.ndarray | None] = (self._state.grammar, self._state.theta)
        return (own,) if self._other is None else (own, (self._other, None))
