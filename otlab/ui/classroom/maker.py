"""Make an exercise of a lab's open document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from otlab.ui.classroom.exercise import BOARD, LOCKS, Exercise, keep_exercise, load_exercise
from otlab.ui.classroom.one_page import FORMS, exercise_file
from otlab.ui.documents.store import open_store

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otlab.ui.tab import Host

__all__ = ["hosts", "kept_exercise_file", "make_exercise", "offer_exercise", "set_hosts"]

_hosts: list[str] = []
_MOST = 4000  # characters of a question


def hosts() -> list[str]:
    """Return the addresses by which other computers reach this server; empty if none does."""
    return list(_hosts)


def set_hosts(addresses: list[str]) -> None:
    """Store the addresses by which other computers reach this server, such as "http://10.0.0.5:5006"."""
    _hosts[:] = addresses


def offer_exercise(lab: Host) -> dict[str, Any]:
    """Return what can be asked, locked and hidden for what a lab has open, for the dialog."""
    if open_store() is None:
        return {"refused": "This server keeps no documents, so it cannot keep an exercise either."}
    hides = [
        choice
        for tab in lab.tabs
        if tab.title != "Data"
        for choice in ([f"{tab.title}: {label}" for _, label in tab.answers] or [tab.title])
    ]
    return {
        "title": lab.state.source_name,
        "locks": [[name, label] for name, label in LOCKS.items()],
        "hides": hides,
        "predict": [[each.kind, each.label] for each in lab.classwork.guessings(lab.state)],
    }


def make_exercise(lab: Host, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Save an exercise with what a lab has open; return the paths and addresses of its links.

    Parameters
    ----------
    asked
        title, question, choices (one a line), locked, hidden, predict, guess and own_seed, from the dialog.
    """
    store = open_store()
    if store is None:
        return offer_exercise(lab)
    offered = offer_exercise(lab)
    exercise = Exercise(
        lab=lab.route,
        title=str(asked["title"]).strip()[:200] or lab.state.source_name,
        question=str(asked["question"]).strip()[:_MOST],
        values=lab.to_plain()(),
        choices=tuple(filter(None, (line.strip() for line in str(asked["choices"])[:_MOST].splitlines()))),
        locked=tuple(name for name in LOCKS if name in asked["locked"]),
        hidden=tuple(name for name in offered["hides"] if name in asked["hidden"]),
        predict=bool(asked["predict"]) and bool(offered["predict"]),
        guess=next((kind for kind, _ in offered["predict"] if kind == asked.get("guess")), ""),
        own_seed=bool(asked["own_seed"]),
    )
    student, teacher = keep_exercise(store, exercise)
    return {
        "student": f"{lab.route}?exercise={student}",
        "teacher": f"{BOARD}?board={teacher}",
        "hosts": hosts(),
        "forms": [[form, label] for form, label in FORMS.items()] if lab.classwork.has_page else [],
    }


def kept_exercise_file(lab: Host, student: str, form: str) -> tuple[str, bytes]:
    """Return name and content of an exercise that was just made of what a lab has open, as a file.

    Raises
    ------
    InputError
        If there is no such exercise, or the lab has no page.
    """
    return exercise_file(lab, student, load_exercise(open_store(), student), form)
