"""A student's page: a lab with a question above it, which reports to the teacher's board."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import panel as pn
import param

from otlab.inference.random import fresh_seed
from otlab.ui.classroom.exercise import mark_copy
from otlab.ui.classroom.guess import HELD, GuessCard
from otlab.ui.components.component import MessageComponent
from otlab.ui.components.layout import down
from otlab.ui.timers import call_on_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otlab.ui.classroom.board import Board, Entry
    from otlab.ui.classroom.exercise import Exercise
    from otlab.ui.documents.store import DocumentStore
    from otlab.ui.tab import Host

__all__ = ["ExerciseBar", "StudentPage"]

_LOCKED = "The data are locked by the exercise"
_MOST = 2000  # characters of an answer


class ExerciseBar(MessageComponent):
    """The question, a place for the student's name, and the answer."""

    shown = param.Dict({}, doc="title, question, choices, name, page, answer, why, hides, revealed.")

    script = "exercise"
    icons = ("check", "eye", "lock")


class StudentPage:
    """Connect the lab of one page with an exercise.

    Parameters
    ----------
    lab
        The lab of the page; it calls :meth:`changed` after each change, and :meth:`close` at the end.
    exercise
        What is asked.
    board
        The board of the exercise.
    store
        Where the page's copy of the exercise is saved.
    """

    def __init__(self, lab: Host, exercise: Exercise, board: Board, store: DocumentStore) -> None:
        self._lab, self.exercise, self._board, self._store = lab, exercise, board, store
        self._page = pn.state.curdoc
        self._given: Any = None  # the data, where they are locked
        self._starts = board.starts
        self._reported = -1
        self._busy = False
        self.bar = ExerciseBar(self._typed, sizing_mode="stretch_width")
        self.guess: GuessCard | None = None

    def build(self) -> Any:
        """Return the components above the lab, for the data that are open now."""
        lab, exercise = self._lab, self.exercise
        asked = lab.classwork.guessing(lab.state, exercise.guess) if exercise.predict else None
        self.guess = None if asked is None else GuessCard(self._lab, asked, self._guessed)
        parts = [self.bar] if self.guess is None else [self.bar, self.guess]
        return down(*parts, gap=0, sizing_mode="stretch_width", styles={"flex": "none"})

    @property
    def _entry(self) -> Entry:
        return self._board.enter(self._lab.document)

    def open_copy(self) -> None:
        """Show the exercise as it was given, with a new seed if the exercise gives each page its own."""
        lab = self._lab
        lab.from_dict(self.exercise.values)
        if self.exercise.own_seed and hasattr(lab.settings, "seed"):
            lab.settings.seed = fresh_seed() % 10_000

    def enter(self) -> None:
        """Lock and hide the parts that the exercise names, and add the page to the board."""
        entry = self._entry
        mark_copy(self._store, self._lab.document, self._board.id)
        if self.guess is not None and entry.guess is not None:
            self.guess.take(entry.guess)
        self._restrict()
        self._board.listen(self, self._lab.document, lambda: call_on_page(self._page, self._board_changed))
        self.changed()

    def close(self) -> None:
        """Remove the page from the board; called when it is closed."""
        self._board.leave(self, self._lab.document)

    def refuses_data(self) -> bool:
        """Return whether the exercise locks the data; show a message if it does."""
        if "data" in self._lab.state.locks:
            self._lab.warn(_LOCKED)
            return True
        return False

    def changed(self) -> None:
        """Report the page's state to the board; undo an edit of locked data."""
        if self._busy or not self._lab.document:
            return
        with self._alone():
            if self._given is not None and _data(self._lab) != self._given:
                self._take_back()
            runner, entry = self._lab.runner, self._entry
            if runner.phase == "idle" and entry.report is not None:
                self._board.update(self._lab.document, report=None)
            self._board.update(self._lab.document, state=self._state(), doing=self._doing())
            self._report()
            self._show()

    # Callbacks.

    def _state(self) -> str:
        phase = self._lab.runner.phase
        if phase in ("waiting", "preparing", "running", "paused"):
            return "running"
        if self._entry.answer:
            return "answered"
        if phase in ("done", "stopped", "failed"):
            return "done"
        edited = self._lab.state.history.can_undo
        return "editing" if edited else "reading"

    def _doing(self) -> str:
        """Return what was run: "Gibbs, GLA"."""
        runner = self._lab.runner.runner
        return ", ".join(runner.rows[name].label for name in runner.jobs)

    def _report(self) -> None:
        """Report the numbers of a run that has ended to the board, once."""
        state = self._lab.state
        if self._lab.runner.phase not in ("done", "stopped") or state.settled == self._reported:
            return
        self._reported = state.settled
        report = self._lab.classwork.report(state) if self._same_data() else None
        text = "" if self.guess is None else self.guess.compare()
        truth = None if self.guess is None else self.guess.truth
        self._board.update(self._lab.document, report=report, guess_text=text, truth=truth)

    def _same_data(self) -> bool:
        """Return whether the page still has the data of the exercise."""
        return _written(self._lab.to_plain()()) == _written(self.exercise.values)

    def _typed(self, data: dict[str, Any]) -> None:
        kind, text = data["kind"], str(data["text"])[:_MOST]
        if kind in ("name", "answer", "why"):
            self._board.update(self._lab.document, **{kind: text.strip()})
        self.changed()

    def _guessed(self, guess: list[list[float]]) -> None:
        names = [] if self.guess is None else self.guess.names
        self._board.update(self._lab.document, guessing=names, guess=guess)
        self._restrict()
        self.changed()

    def _board_changed(self) -> None:
        """Show the exercise started over, or its answer revealed, as the teacher's board asks."""
        if self._starts != self._board.starts:
            self._starts = self._board.starts
            with self._alone():
                self._lab.state.locks = []
                self._given = None
                self.open_copy()
                if self.guess is not None:
                    self.guess.clear()
            self._lab.toast("Your teacher has started the exercise over")
        self._restrict()
        self.changed()

    def _restrict(self) -> None:
        """Lock and hide the parts that the exercise names until they are revealed."""
        lab, exercise = self._lab, self.exercise
        lab.runner.locked = "learners" in exercise.locked
        lab.runner.form.locked = "settings" in exercise.locked
        lab.state.locks = list(exercise.locked)
        self._given = _data(lab) if "data" in exercise.locked else None
        lab.state.hides = [] if self._board.revealed else list(exercise.hidden)
        lab.runner.hides = bool(lab.state.hides)
        waits = self.guess is not None and self.guess.guess is None and not self._board.revealed
        lab.runner.held = HELD if waits else ""

    def _take_back(self) -> None:
        """Restore the data of the exercise."""
        state = self._lab.state
        while state.history.can_undo and _data(self._lab) != self._given:
            self._lab.undo()
        if _data(self._lab) != self._given:
            self.open_copy()
        self._lab.warn(_LOCKED)

    def _show(self) -> None:
        exercise, entry = self.exercise, self._entry
        self.bar.shown = {
            "title": exercise.title,
            "question": exercise.question,
            "choices": list(exercise.choices),
            "name": entry.name,
            "page": f"page {entry.number}",
            "answer": entry.answer,
            "why": entry.why,
            "hides": bool(exercise.hidden),
            "revealed": self._board.revealed,
        }

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Ignore the changes made in this context."""
        busy, self._busy = self._busy, True
        try:
            with pn.io.hold():
                yield
        finally:
            self._busy = busy


def _data(lab: Host) -> dict[str, Any]:
    """Return the data that are open, without what is only looked at."""
    contents, whole = lab.state.contents(), lab.classwork.with_view
    return {name: value for name, value in contents.items() if whole or name != "view"}


def _written(values: Any) -> str:
    """Return the data of a document as text."""
    document = {name: value for name, value in values["document"].items() if name != "view"}
    return json.dumps([values["example"], values["name"], document], sort_keys=True)
