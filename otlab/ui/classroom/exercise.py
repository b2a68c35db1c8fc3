"""An exercise: what a lab has open, a question, what is locked, and what is hidden until it is revealed.

It is kept in the store of documents as one document of "lab" ``exercise``; its id is in the students' link.
A second one of "lab" ``classroom`` names it; the id of that is in the teacher's link. Nobody can guess them::

    {"format": 1, "lab": "ot_lab", "title": "Reduplication", "question": "Which constraint ...?",
     "choices": ["AL", "I_BR"], "values": {what the lab's to_dict() returns}, "locked": ["data", "settings"],
     "hidden": ["Learn: posterior"], "predict": true, "guess": "",
     "own_seed": true}
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from otlab.errors import Fault, InputError
from otlab.ui.documents.store import COPY_OF, EXERCISE, Saved, Summary, new_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otlab.ui.documents.store import DocumentStore

__all__ = [
    "BOARD",
    "FORMAT",
    "JOIN",
    "LOCKS",
    "Exercise",
    "copied_from",
    "exercise_of_board",
    "keep_exercise",
    "load_exercise",
    "mark_copy",
]

FORMAT = 1
"""The format of an exercise; a later one is refused."""
BOARD = "classroom"
"""The route of the teacher's page, and the "lab" of the document that names an exercise for it."""
JOIN = "join"
"""The address at which students type the short code of an exercise."""
LOCKS = {"data": "Data", "settings": "Settings", "learners": "Learners"}
"""What can be locked, and its label."""
_NOT_HERE = Fault("this exercise is not on this computer", "ask your teacher for the link")
_NO_BOARD = Fault("there is no exercise at this address", "copy the whole link of the teacher's page")


@dataclass(frozen=True)
class Exercise:
    """What a class is asked to do.

    Attributes
    ----------
    lab
        The route of its lab.
    title, question
        Its heading, and what is asked.
    values
        What the lab's ``to_dict()`` returned, whole.
    choices
        The answers to choose from; students write their own if there are none.
    locked
        Which of :data:`LOCKS` students cannot change.
    hidden
        Tabs and cards hidden until the answer is revealed; see :meth:`otlab.ui.tab.Showing.hide`.
    predict, guess
        Whether students guess the result before they can run, and the kind of that guess; see
        :class:`~.classwork.Guessing`.
    own_seed
        Whether each page draws with a seed of its own; else all have the same numbers.
    """

    lab: str
    title: str
    question: str
    values: Mapping[str, Any]
    choices: tuple[str, ...] = ()
    locked: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    predict: bool = False
    guess: str = ""
    own_seed: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Return the exercise as values for JSON."""
        return {"format": FORMAT, **asdict(self)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Exercise:
        """Return the exercise that :meth:`to_dict` wrote.

        Raises
        ------
        InputError
            If it was made by a later version of otlab, or is damaged.
        """
        form = values.get("format")
        if isinstance(form, int) and form > FORMAT:
            raise InputError(Fault("this exercise was made by a later version of otlab", "update otlab"))
        try:
            given = {field.name: values[field.name] for field in fields(cls) if field.name in values}
            for name in ("choices", "locked", "hidden"):
                given[name] = tuple(map(str, given.get(name, ())))
            return cls(**given)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(Fault("this exercise is damaged and cannot be read", "make it again")) from error


def keep_exercise(store: DocumentStore, exercise: Exercise) -> tuple[str, str]:
    """Write an exercise; return the ids of the students' and of the teacher's link."""
    student, teacher, now = new_id(), new_id(), time.time()
    store.save(Saved(Summary(student, EXERCISE, "", exercise.title, "", now), exercise.to_dict()))
    status = "Exercise: the teacher's page"
    store.save(Saved(Summary(teacher, BOARD, "", exercise.title, status, now), {"exercise": student}))
    return student, teacher


def load_exercise(store: DocumentStore | None, student: str) -> Exercise:
    """Return the exercise of a students' link.

    Raises
    ------
    InputError
        If there is none, or it cannot be read.
    """
    saved = None if store is None else store.load(student)
    if saved is None or saved.summary.lab != EXERCISE:
        raise InputError(_NOT_HERE)
    return Exercise.from_dict(saved.values)


def mark_copy(store: DocumentStore, document: str, student: str) -> None:
    """Record that a document is a student's copy of an exercise: it opens as that, by whatever link."""
    store.put_parts(document, {COPY_OF: student.encode()})


def copied_from(store: DocumentStore | None, document: str) -> str:
    """Return the id of the exercise that a document is a copy of; empty if it is none, or that is gone."""
    part = b"" if store is None or not document else store.part(document, COPY_OF)
    student = part.decode(errors="replace")
    try:
        return student if student and load_exercise(store, student) else ""
    except InputError:
        return ""


def exercise_of_board(store: DocumentStore | None, teacher: str) -> tuple[str, Exercise]:
    """Return the exercise of a teacher's link, after the id of its students' link.

    Raises
    ------
    InputError
        If there is none, or it cannot be read.
    """
    saved = None if store is None or not teacher else store.load(teacher)
    if saved is None or saved.summary.lab != BOARD:
        raise InputError(_NO_BOARD)
    student = str(saved.values["exercise"])
    return student, load_exercise(store, student)
