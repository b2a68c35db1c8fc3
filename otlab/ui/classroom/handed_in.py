"""Read the answers to an exercise that students hand in as files: those of its page without a server.

A file is what ``otlab/web/js/exercise.js`` writes: JSON with ``otlab_answer`` (its format), ``exercise``
(its id), ``name``, ``answer``, ``why``, ``guess`` and ``truth`` (numbers by group), ``guessing`` (their
names), ``ran`` and ``report``. Students can write anything into it, so everything is checked and cut.
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import TYPE_CHECKING, Any

from otlab.errors import Fault, InputError, counted
from otlab.ui.classroom.classwork import RANKING, Guessing, Report, distance_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otlab.ui.classroom.board import Board
    from otlab.ui.classroom.exercise import Exercise

__all__ = ["FORMAT", "MOST_FILES", "take_answers"]

FORMAT = 1
MOST_FILES, MOST_BYTES = 1000, 200_000
_MOST_TEXT, _MOST_NAME, _MOST_NUMBERS = 2000, 40, 200
_REPORTS = {"gla": "GLA, each run", "other": "median of each page's posterior"}
_MOST_TOLD = 3


def take_answers(board: Board, exercise: Exercise, files: Iterable[tuple[str, str]]) -> str:
    """Put answers that were handed in on a board; return in words how many, and what was left out.

    A student's later file replaces the earlier one: it is known by the name in it, or else by the file's.

    Parameters
    ----------
    board, exercise
        The board and what it asks.
    files
        Name and text of each file.
    """
    taken, left = 0, []
    for name, text in list(files)[:MOST_FILES]:
        try:
            found = _answer(board.id, exercise, text)
        except InputError as error:
            left.append(f"{name[:80]} {error.faults[0].what}")
            continue
        who = str(found["name"] or name).casefold()
        page = f"handed in {hashlib.sha256(who.encode()).hexdigest()[:32]}"
        board.enter(page)
        board.update(page, here=False, **found)
        taken += 1
    words = f"{counted(taken, 'answer')} added"
    if not left:
        return words
    more = f"; and {len(left) - _MOST_TOLD} more" if len(left) > _MOST_TOLD else ""
    return f"{words}; left out: {'; '.join(left[:_MOST_TOLD])}{more}"


def _answer(identity: str, exercise: Exercise, text: str) -> dict[str, Any]:
    """Return what a file says, as the values of an entry of the board."""
    if len(text) > MOST_BYTES:
        raise InputError(Fault("is too large for an answer"))
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(Fault("is no answer of otlab")) from None
    if not isinstance(given, dict) or not isinstance(given.get("otlab_answer"), int):
        raise InputError(Fault("is no answer of otlab"))
    if given["otlab_answer"] > FORMAT:
        raise InputError(Fault("was written by a later version of otlab"))
    same = (given.get("title"), given.get("question")) == (exercise.title, exercise.question)
    if given.get("exercise") != identity and not (given.get("exercise") == "" and same):
        raise InputError(Fault("answers another exercise"))
    guess, truth = _numbers(given.get("guess")), _numbers(given.get("truth"))
    names = [str(each)[:_MOST_TEXT] for each in _list(given.get("guessing"))]
    if guess is None or len(names) != sum(map(len, guess)):
        guess, truth, names = None, None, []
    elif truth is not None and [*map(len, truth)] != [*map(len, guess)]:
        truth = None
    return {
        "name": _text(given, "name", _MOST_NAME),
        "answer": _text(given, "answer"),
        "why": _text(given, "why"),
        "doing": _text(given, "ran"),
        "state": "answered" if given.get("answer") else "done" if given.get("ran") else "reading",
        "guessing": names,
        "guess": guess,
        "truth": truth,
        "guess_text": _distance(exercise.guess, guess, truth),
        "report": _report(given.get("report")),
    }


def _text(given: dict[str, Any], name: str, most: int = _MOST_TEXT) -> str:
    value = given.get(name)
    return value[:most].strip() if isinstance(value, str) else ""


def _list(value: Any) -> list[Any]:
    return value[:_MOST_NUMBERS] if isinstance(value, list) else []


def _numbers(value: Any) -> list[list[float]] | None:
    """Return numbers by group; None if they are none."""
    groups = _list(value)
    if not groups or not all(isinstance(group, list) and group for group in groups):
        return None
    found = [[_number(x) for x in group[:_MOST_NUMBERS]] for group in groups]
    if sum(map(len, found)) > _MOST_NUMBERS or any(x is None for group in found for x in group):
        return None
    return [[x for x in group if x is not None] for group in found]


def _number(value: Any) -> float | None:
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e6
    return float(value) if good and math.isfinite(value) else None


def _distance(kind: str, guess: list[list[float]] | None, truth: list[list[float]] | None) -> str:
    """Return how far a guess is from the result, in words; empty if there is no result."""
    if guess is None or truth is None:
        return ""
    ranked = kind == RANKING and all(len(group) == 1 for group in guess)
    groups = tuple(("", ("",) * len(group)) for group in guess)
    return distance_words(
        Guessing("", groups, shares=not ranked, kind=RANKING if ranked else ""), guess, truth
    )


def _report(value: Any) -> Report | None:
    """Return the numbers of a run in the form of the OT lab's; None if they are none."""
    if not isinstance(value, dict) or not isinstance(value.get("values"), dict):
        return None
    hue, label = value.get("hue"), value.get("label")
    if not isinstance(hue, str) or _REPORTS.get(hue) != label:
        return None
    columns = {str(name)[:_MOST_TEXT]: _numbers([numbers]) for name, numbers in value["values"].items()}
    if not columns or len(columns) > _MOST_NUMBERS or None in columns.values():
        return None
    values = {name: found[0] for name, found in columns.items() if found}
    return Report("Ranking values", _REPORTS[hue], values, hue=hue, constraints=True)
